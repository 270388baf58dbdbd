# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is seen to intersect whom in a bake: characters as balls, in the clips that they play."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from ...core import Trajectories
from ...core.array_types import Float64, Int64
from ...core.motion.blending import WALKS
from ...core.motion.pose_tables import PoseTable
from ...core.motion.solid_body import Balls, BodyBoxes, SolidPoses, in_world
from ...core.report.contacts import MetPairs, SeenPairs, pairs_that_meet
from ...core.report.report_settings import REPORT
from ...core.steering.neighbours import close_pairs_at_a_time, moments_together
from ...core.steering.traffic.conflict_zones import HEADROOM
from ..bakes.roles import Role
from ..characters.acts.solid_bodies import SolidBody
from .casting.cast import Cast
from .casting.played_bodies import PlayedBody


def bodies_of(casts: Iterable[Cast], roles: Sequence[Role]) -> dict[int, PlayedBody]:
    """Return how the people of crowds are seen, by agent, of the roles of all agents."""
    known = {key: body for cast in casts for key, body in cast.bodies.items()}
    return {agent: known[role[:2]] for agent, role in enumerate(roles) if role[:2] in known}


@dataclass(frozen=True, eq=False)
class SeenBefore:
    """The last search for people who intersect; who was left as written since then moves and is seen as before.

    Attributes:
        bodies: as they were seen, by agent.
        pairs: that met; None where nothing was searched.
    """

    bodies: Mapping[int, PlayedBody] = field(default_factory=dict)
    pairs: MetPairs | None = None


_NOTHING = SeenBefore()


def find_seen_clipping(
    t: Trajectories, bodies: Mapping[int, PlayedBody], unit: float, before: SeenBefore = _NOTHING
) -> SeenPairs:
    """Return who is seen to intersect whom.

    Args:
        t: the trajectories.
        bodies: of those of whom it is known how they are seen, by agent.
        unit: metres per Blender unit.
        before: the last search; pairs of whom both are the same bodies are not searched again.
    """
    known, same = np.zeros((2, len(t.radius)), dtype=bool)
    known[list(bodies)] = True
    same[[agent for agent, body in bodies.items() if before.bodies.get(agent) is body]] = True
    reach, met = REPORT.body.search, list[tuple[Int64, Int64, Float64]]()
    for row, there in moments_together(t.present & known, len(bodies)):
        place = t.position[row, there]
        first, second = close_pairs_at_a_time(place[:, :2], row, reach).T
        searched = np.abs(place[first, 2] - place[second, 2]) < HEADROOM
        searched &= ~(same[there[first]] & same[there[second]])
        moments, (one, other) = _of_pairs(first[searched], second[searched])
        near = np.flatnonzero(boxes_of(bodies, there[moments], row[moments], unit).meet(one, other))
        few, (first, second) = _of_pairs(moments[one[near]], moments[other[near]])
        who, when = there[few], row[few]
        depth = pose(bodies, who, when, unit).depth(first, second)
        deep = np.flatnonzero(depth > REPORT.body.least_depth)
        first, second = first[deep], second[deep]
        met.append((np.stack([who[first], who[second]], axis=1), when[first], depth[deep].astype(np.float64)))
    none = np.zeros((0, 2), np.int64), np.zeros(0, np.int64), np.zeros(0)
    found = pairs_that_meet(t, *(np.concatenate(each) for each in zip(none, *met, strict=True)))
    if before.pairs is not None:
        again = np.isin(before.pairs.agents, np.flatnonzero(same)).all(axis=1)  # there may be fewer people now
        found = found.joined(before.pairs.where(np.asarray(again)))
    return SeenPairs(found, known)


def _of_pairs(first: Int64, second: Int64) -> tuple[Int64, Int64]:
    """Whom pairs (M,) consist of, int64 (N,), increasing; and the pairs (2, M), as places among these."""
    some, pairs = np.unique(np.stack([first, second]), return_inverse=True)
    return some, pairs.reshape(2, -1)


def pose(bodies: Mapping[int, PlayedBody], agents: Int64, rows: Int64, unit: float) -> Balls:
    """Return the balls of agents int64 (N,), each at its row int64 (N,), in metres; `unit`: metres per Blender unit."""
    of_solids = list(_by_solid(bodies, agents, rows))
    most = max((len(some.solid.radius) for _, some in of_solids), default=0)
    centre = np.zeros((len(agents), most, 3), dtype=np.float32)
    radius = np.full((len(agents), most), -1e3, dtype=np.float32)
    low, high = (np.zeros((len(agents), 3), dtype=np.float32) for _ in range(2))
    for own, some in of_solids:
        joints, place = some.joints(attrgetter("balls")), some.place[:, None]
        balls = (in_world(joints, some.heading, some.lean).transpose(1, 0, 2) + place) * unit
        width = some.size[:, None] * some.solid.radius * unit
        count = width.shape[1]
        centre[own, :count], radius[own, :count] = balls, width
        low[own], high[own] = (balls - width[..., None]).min(axis=1), (balls + width[..., None]).max(axis=1)
    return Balls(centre, radius, low, high)


def boxes_of(bodies: Mapping[int, PlayedBody], agents: Int64, rows: Int64, unit: float) -> BodyBoxes:
    """Return boxes round agents int64 (N,), each at its row int64 (N,), in metres; `unit`: metres per Blender unit."""
    found = BodyBoxes(*(np.empty((len(agents), size)) for size in (3, 3, 2)))
    for own, some in _by_solid(bodies, agents, rows):
        corners = some.joints(attrgetter("box")) * unit
        boxes = BodyBoxes.of(corners, some.place * unit, some.heading, some.lean)
        for values, of_some in zip(found, boxes, strict=True):
            values[own] = of_some
    return found


class _Moments(NamedTuple):
    """People with one solid, one after the other, each at some rows: N moments in all.

    Attributes:
        people: each with its rows, int64 (n,).
        solid: of them all.
        place: float64 (N, 3) [Blender units].
        heading, lean, phase, breath, gait: float64 (N,), as in `PlayedBody`.
        size: float64 (N,).
    """

    people: Sequence[tuple[PlayedBody, Int64]]
    solid: SolidBody
    place: Float64
    heading: Float64
    lean: Float64
    phase: Float64
    breath: Float64
    gait: Float64
    size: Float64

    def joints(self, table_of: Callable[[SolidPoses], PoseTable]) -> Float64:
        """Float64 (J, 3, N), the joints of tables in the axes of the bodies [Blender units]."""
        posture, start = table_of(self.solid.walking).posture(self.gait, self.phase, self.breath), 0
        for body, rows in self.people:
            for act in body.acts:
                within = np.flatnonzero((rows >= act.first) & (rows < act.first + len(act.weight)))
                if len(within):
                    at, walks, none = rows[within] - act.first, np.full(len(within), WALKS), np.zeros(len(within))
                    seen = table_of(act.poses).posture(walks, act.phase[at].astype(np.float64), none)
                    posture.blend(seen, start + within, act.weight[at].astype(np.float64))
            start += len(rows)
        return posture.joints * self.size


def _by_solid(bodies: Mapping[int, PlayedBody], agents: Int64, rows: Int64) -> Iterator[tuple[Int64, _Moments]]:
    """Yield those with the same solid: their places among the agents, int64 (N,), and their moments."""
    order = np.argsort(agents, kind="stable")
    who, begin = np.unique(agents[order], return_index=True)
    of_solid = defaultdict[int, list[tuple[PlayedBody, Int64]]](list)
    for agent, own in zip(who.tolist(), np.split(order, begin[1:]), strict=False):
        of_solid[id(bodies[agent].solid)].append((bodies[agent], own))
    for some in of_solid.values():
        people = [(body, rows[own]) for body, own in some]
        columns = np.concatenate([body.motion[:, own] for body, own in people], axis=1).astype(np.float64)
        heading, lean, phase, breath, gait = columns
        place = np.concatenate([body.location[own] for body, own in people]).astype(np.float64)
        size = np.repeat([body.size for body, _ in people], [len(own) for _, own in people])
        moments = _Moments(people, some[0][0].solid, place, heading, lean, phase, breath, gait, size)
        yield np.concatenate([own for _, own in some]), moments
