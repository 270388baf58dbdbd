# SPDX-License-Identifier: GPL-3.0-or-later
"""People lean to the side of slower people ahead, and so overtake them where there is room.

Avoidance that sees somebody straight ahead slows down as often as it steps aside, and whoever follows exactly behind
would follow for ever. Only slower people count: people who lean away from everybody near them sway. Friends are passed
on one side, all of them: whoever leaned away from each would come to the middle behind two who walk abreast, and stay.
That is the nearer side, unless the path ends there.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...compiled import twins
from ...geometry.reproducible_math import dot, heading_vector, length, length2, vectors_of
from ...steering.neighbours import NearPairs, both_ways
from ..settings.behaviour_settings import OvertakingSettings
from ..world.agents import WALKING
from ..world.doing import Doing
from .behaviour import Step
from .door_queues import DoorQueues


class Overtaking:
    """Adds to preferred velocities a velocity across, away from slower people ahead.

    Args:
        settings: whom people overtake, and how fast they step aside.
        door_queues: nobody overtakes who is close to the door ahead.
    """

    def __init__(self, settings: OvertakingSettings, door_queues: DoorQueues) -> None:
        self._settings, self._door_queues = settings, door_queues

    def act(self, step: Step) -> None:
        """Let people lean to the side of slower people ahead."""
        agents, rows, own = step.agents, step.rows, self._settings
        speed = length(step.preferred)
        walks = (agents.status[rows] == WALKING) & (speed > own.least_speed) & agents.avoids[rows] & ~agents.rolls[rows]
        walks &= self._door_queues.distance[rows] > own.door_distance
        forward = np.where(walks[:, None], step.preferred / np.maximum(speed, 1e-9)[:, None], 0.0)
        # Not by their velocities: people who start together are not slower than each other.
        people = agents.radius[rows], agents.wanted_speed[rows], agents.pace[rows], agents.personal_space[rows]
        on_line = walks & ~agents.have_goals(rows) & (step.doing != Doing.FLEEING)
        people = *people, *_room_beside(step, on_line)
        lean, first = lean_past(
            agents.position.take(rows, 0), step.around.near, forward, np.array(people), agents.group[rows], own
        )
        step.preferred = step.preferred + vectors_of(-forward[:, 1], forward[:, 0]) * lean[:, None]
        _leave_line(step, np.where(on_line & (agents.group[rows] < 0), lean / own.greatest_speed, 0.0))
        overtakes = (np.abs(lean) > own.recorded_speed) & (step.doing == Doing.WALKING)
        overtakes &= length2(step.velocity.take(rows, 0)) > own.recorded_speed**2  # who stands overtakes nobody
        step.record(overtakes, Doing.OVERTAKING, rows[first[overtakes]])


def lean_past(
    position: Float64, near: NearPairs, forward: Float64, people: Float64, group: Int64, settings: OvertakingSettings
) -> tuple[Float64, Int64]:
    """Return how fast people lean to the left [m/s], and past whom most: float64 (R,) and int64 (R,).

    Args:
        position: float64 (R, 2) [m].
        near: which of them are near each other.
        forward: float64 (R, 2), unit vectors; zero for people who overtake nobody and are not overtaken.
        people: float64 (6, R), radius [m], wanted speed, pace [m/s], personal space, room to the right and to the
            left before the path ends [m].
        group: int64 (R,), number of the group of each; -1 for people who walk alone.
        settings: whom people overtake, and how fast they step aside.
    """
    radius, wanted_speed, pace, personal_space, room_right, room_left = people
    reach, kernels = float(radius.max(initial=0.0) + 0.5 * settings.reach), twins.twin(twins.PAIRS)
    if kernels is not None:
        numbers = np.array([reach + reach, *(getattr(settings, name) for name in _NUMBERS)])
        return kernels.lean_past(near.searched(reach + reach), position, forward, people, group, numbers)
    (x, y), (forward_x, forward_y) = position.T, forward.T
    first, second = near.within(reach)
    cosine = forward_x[first] * forward_x[second] + forward_y[first] * forward_y[second]
    friends = (group[first] >= 0) & (group[first] == group[second])
    beyond_right, beyond_left = _reach_of_friends((x, y), forward, first, second, friends & (cosine > 0.0))
    same_way = (cosine > 0.0) & ~friends
    who, other = both_ways(first[same_way], second[same_way])
    cosine = np.tile(cosine[same_way], 2)
    slower = wanted_speed[who] - pace[other] * cosine
    apart_x, apart_y = x[other] - x[who], y[other] - y[who]
    ahead = apart_x * forward_x[who] + apart_y * forward_y[who]
    counts = ((slower > settings.least_difference) & (ahead > 0.0)).nonzero()[0]
    who, other, cosine, slower, ahead = who[counts], other[counts], cosine[counts], slower[counts], ahead[counts]
    beside = forward_x[who] * apart_y[counts] - forward_y[who] * apart_x[counts]
    both = radius[who] + radius[other]
    close = np.maximum(1.0 - np.maximum(ahead - both, 0.0) / settings.reach, 0.0)
    alike = np.minimum(cosine / settings.same_direction, 1.0)
    slower = np.minimum((slower - settings.least_difference) / settings.difference, 1.0)
    # How far to the right and to the left it is past them all; what leads over the edge of the path counts more.
    right, left = both - (beside - beyond_right[other]), both + (beside + beyond_left[other])
    right = right + settings.edge_weight * np.maximum(right - room_right[who], 0.0)
    left = left + settings.edge_weight * np.maximum(left - room_left[who], 0.0)
    straight, alike_far = np.where(who < other, 1.0, -1.0), np.abs(left - right) <= 2.0 * settings.straight_ahead
    side = np.where(alike_far, straight, np.where(left > right, 1.0, -1.0))
    missing = np.clip((both + personal_space[who] - side * beside) / settings.full_lack, 0.0, 1.0)
    push = settings.speed * close * alike * slower * missing
    lean = np.bincount(who, -side * push, len(position)).astype(np.float64)
    order = np.argsort(push, kind="stable")
    most = np.zeros(len(position), dtype=np.int64)
    most[who[order]] = other[order]  # the last one counts
    return np.clip(lean, -settings.greatest_speed, settings.greatest_speed), most


def _leave_line(step: Step, share: Float64) -> None:
    """Let people who lean to one side not turn to the other one, back to their line, by as much as they lean.

    Args:
        step: `preferred` is changed in place.
        share: float64 (R,), how much they lean to the left, from -1 to 1.
    """
    agents, some = step.agents, share.nonzero()[0]
    if len(some):
        who = step.rows[some]
        forward = heading_vector(step.paths.heading(agents.path[who], agents.s[who])[0])
        leftward, share = vectors_of(-forward[:, 1], forward[:, 0]), share[some]
        back = np.maximum(-np.sign(share) * dot(step.along_path[some], leftward), 0.0)
        step.preferred[some] += (share * back)[:, None] * leftward


def _room_beside(step: Step, on_line: Bool) -> tuple[Float64, Float64]:
    """Return how far it is to the right and to the left edge of their paths, float64 (R,) each [m]; infinite for some.

    Args:
        step: the step.
        on_line: bool (R,), who follows a path with edges and may overtake.
    """
    agents, some = step.agents, on_line.nonzero()[0]
    room = np.full((2, len(on_line)), np.inf)
    if len(some):
        who = step.rows[some]
        right, left = step.paths.limits(agents.path[who], agents.s[who])
        room[0, some] = agents.d[who] - right - agents.radius[who]
        room[1, some] = left - agents.d[who] - agents.radius[who]
    return room[0], room[1]


def _reach_of_friends(
    place: tuple[Float64, Float64], forward: Float64, first: Int64, second: Int64, friends: Bool
) -> tuple[Float64, Float64]:
    """Return how far to the right and to the left of each their friends who walk with them are, float64 (R,) each [m].

    Args:
        place: float64 (R,) x and y [m].
        forward: float64 (R, 2), unit vectors.
        first: int64 (P,), of pairs of people near each other the one,
        second: and the other,
        friends: bool (P,), and which of them walk together.
    """
    reach = np.zeros((2, len(forward)))
    if friends.any():
        who, other = both_ways(first[friends], second[friends])
        (x, y), (forward_x, forward_y) = place, forward.T
        beside = forward_x[who] * (y[other] - y[who]) - forward_y[who] * (x[other] - x[who])
        np.maximum.at(reach[0], who, -beside)
        np.maximum.at(reach[1], who, beside)
    return reach[0], reach[1]


_NUMBERS = (
    "reach",
    "least_difference",
    "difference",
    "same_direction",
    "full_lack",
    "straight_ahead",
    "edge_weight",
    "speed",
    "greatest_speed",
)
