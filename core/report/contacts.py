# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is close to whom in the same frame: bodies that overlap or are seen to intersect, and people behind others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..array_types import Bool, Float64, Int64
from ..simulation.world.doing import AT_STOPS
from ..steering.neighbours import close_pairs_at_a_time, moments_together
from ..steering.traffic.conflict_zones import HEADROOM
from ..trajectories import Trajectories
from .bodies import BodyShapes
from .capsules import Capsules
from .report_settings import ConductSettings, ReportSettings

_CONTACT_TOLERANCE = 1e-9  # [m]


@dataclass(frozen=True, eq=False)
class MetPairs:
    """M pairs that meet.

    Attributes:
        agents: int64 (M, 2).
        depth: float64 (M,), the deepest [m].
        frame: int64 (M,), when it is.
        frames: int64 (M,), in how many they meet.
    """

    agents: Int64
    depth: Float64
    frame: Int64
    frames: Int64

    def where(self, some: Bool) -> MetPairs:
        """Some of the pairs, bool (M,)."""
        return MetPairs(self.agents[some], self.depth[some], self.frame[some], self.frames[some])

    def joined(self, others: MetPairs) -> MetPairs:
        """These and other pairs, ordered by their agents."""
        columns = [np.concatenate(both) for both in zip(vars(self).values(), vars(others).values(), strict=True)]
        order = np.lexsort(columns[0].T[::-1])
        return MetPairs(*(column[order] for column in columns))


@dataclass(frozen=True, eq=False)
class SeenPairs:
    """Pairs whose characters are seen to intersect.

    Attributes:
        pairs: the pairs.
        known: bool (A,), of whom it is known how they are seen.
    """

    pairs: MetPairs
    known: Bool

    def instead_of(self, guessed: MetPairs) -> MetPairs:
        """These pairs, and of those guessed the ones of which one is not known."""
        rest = guessed.where(np.asarray(~self.known[guessed.agents].all(axis=1)))
        columns = zip(vars(self.pairs).values(), vars(rest).values(), strict=True)
        return MetPairs(*(np.concatenate(both) for both in columns))


@dataclass(frozen=True, eq=False)
class Contacts:
    """Who is close to whom.

    Attributes:
        overlaps: pairs whose discs or boxes overlap.
        clipping: pairs of people whose bodies, as they are seen, intersect.
        face_offs: pairs of people who stand close and want to go where the other stands.
        leader: int32 (F, A), the person straight ahead of each within a step, while there is room beside; -1: nobody.
        blocked: bool (F, A), whether somebody stands close where each wants to go.
    """

    overlaps: MetPairs
    clipping: MetPairs
    face_offs: MetPairs
    leader: NDArray[np.int32]
    blocked: Bool


def find_contacts(t: Trajectories, settings: ReportSettings) -> Contacts:
    """Return who is close to whom at any frame."""
    agents = len(t.radius)
    overlaps, clips, face_offs = (_ContactList(agents) for _ in range(3))
    leader, blocked = np.full(t.present.shape, -1, dtype=np.int32), np.zeros(t.present.shape, dtype=bool)
    least = 0.5 * settings.conduct.near  # within twice this people are close
    for row, there in moments_together(t.present, agents):
        bodies = BodyShapes.at(t, row, there)
        height = t.position[row, there, 2]
        first, second = close_pairs_at_a_time(bodies.position, row, np.maximum(bodies.reach, least)).T
        if len(height) and np.ptp(height) >= HEADROOM:
            level = np.abs(height[first] - height[second]) < HEADROOM
            first, second = first[level], second[level]
        pairs = _Pairs.of(bodies.position, first, second)
        reach = bodies.reach
        touching = pairs.where(pairs.distance < reach[pairs.first] + reach[pairs.second])
        overlaps.add(t, row, there, touching, bodies.overlap(touching.first, touching.second))
        on_foot = ~bodies.has_corners
        pairs = pairs if on_foot.all() else pairs.where(on_foot[pairs.first] & on_foot[pairs.second])
        velocity = t.velocity[row, there]
        speed = np.hypot(velocity[:, 0], velocity[:, 1])
        capsules = Capsules.of(bodies, speed, settings.body)
        reach = capsules.reach
        near = pairs.where(pairs.distance < reach[pairs.first] + reach[pairs.second])
        clips.add(t, row, there, near, capsules.depth(near.first, near.second))
        slow = speed < settings.held_up_speed
        stand = pairs.where(slow[pairs.first] & slow[pairs.second])
        face_offs.add(t, row, there, stand, _nearness(t, row, there, stand, settings.conduct))
        _note_in_front(t, row, there, pairs, speed, leader, blocked, settings.conduct)
    return Contacts(overlaps.pairs(), clips.pairs(), face_offs.pairs(), leader, blocked)


@dataclass(frozen=True, eq=False)
class _Pairs:
    """M pairs of bodies: `first`, `second` int64 (M,); from one to the other `x`, `y`, `distance` float64 (M,) [m]."""

    first: Int64
    second: Int64
    x: Float64
    y: Float64
    distance: Float64

    @classmethod
    def of(cls, position: Float64, first: Int64, second: Int64) -> _Pairs:
        """Pairs of bodies at positions (N, 2) [m]."""
        x, y = (column[second] - column[first] for column in np.ascontiguousarray(position.T))
        return cls(first, second, x, y, np.sqrt(x * x + y * y))

    def where(self, some: Bool) -> _Pairs:
        """Some of the pairs."""
        rows = np.flatnonzero(some)
        return _Pairs(self.first[rows], self.second[rows], self.x[rows], self.y[rows], self.distance[rows])

    def both_ways(self, some: Bool) -> _Pairs:
        """The pairs as seen from either of them, of which the first is one of some bodies, bool (N,)."""
        one, other = np.flatnonzero(some[self.first]), np.flatnonzero(some[self.second])
        return _Pairs(
            np.concatenate((self.first[one], self.second[other])),
            np.concatenate((self.second[one], self.first[other])),
            np.concatenate((self.x[one], -self.x[other])),
            np.concatenate((self.y[one], -self.y[other])),
            np.concatenate((self.distance[one], self.distance[other])),
        )


class _ContactList:
    """Contacts of pairs, frame by frame.

    Args:
        agents: how many there are.
    """

    def __init__(self, agents: int) -> None:
        self._agents = max(agents, 1)
        self._code: list[Int64] = [np.zeros(0, np.int64)]
        self._depth: list[Float64] = [np.zeros(0)]
        self._frame: list[Int64] = [np.zeros(0, np.int64)]

    def add(self, t: Trajectories, row: Int64, there: Int64, pairs: _Pairs, depth: Float64) -> None:
        """Note the depth (M,) of contacts of bodies, of which agent and row are given [m]."""
        deep = np.flatnonzero(depth > _CONTACT_TOLERANCE)
        first, second = pairs.first[deep], pairs.second[deep]
        self._code.append(there[first] * self._agents + there[second])
        self._depth.append(depth[deep])
        self._frame.append(t.frames[row[first]])

    def pairs(self) -> MetPairs:
        """Return the pairs, each at its deepest."""
        columns = np.concatenate(self._code), np.concatenate(self._frame), np.concatenate(self._depth)
        return _at_their_deepest(*columns, self._agents)


def pairs_that_meet(t: Trajectories, agents: Int64, row: Int64, depth: Float64) -> MetPairs:
    """Return pairs of agents (M, 2), which meet in rows (M,) by depths (M,) [m], each at its deepest."""
    people = max(len(t.radius), 1)
    low, high = agents.min(axis=1, initial=people), agents.max(axis=1, initial=0)
    return _at_their_deepest(low * people + high, t.frames[row], depth, people)


def _at_their_deepest(code: Int64, frame: Int64, depth: Float64, people: int) -> MetPairs:
    order = np.lexsort((frame, -depth, code))
    pairs, first_of_pair, frames = np.unique(code[order], return_index=True, return_counts=True)
    worst = order[first_of_pair]
    agents = np.stack((pairs // people, pairs % people), axis=1)
    return MetPairs(agents, depth[worst], frame[worst], frames)


def _nearness(t: Trajectories, row: Int64, there: Int64, pairs: _Pairs, settings: ConductSettings) -> Float64:
    """How much nearer than "near" pairs are of which both want to go where the other is, float64 (M,); else 0 [m]."""
    mutual = pairs.distance < settings.near
    for who, sign in ((pairs.first, 1.0), (pairs.second, -1.0)):
        wish = t.wish[row[who], there[who]].astype(np.float64)
        speed = np.hypot(wish[:, 0], wish[:, 1])
        towards = sign * (pairs.x * wish[:, 0] + pairs.y * wish[:, 1])
        mutual &= (speed > settings.least_wish) & (towards > settings.head_on * speed * pairs.distance)
        mutual &= ~np.isin(t.doing[row[who], there[who]], AT_STOPS)
        mutual &= ~t.arrived[row[who], there[who]]
    return np.where(mutual, settings.near - pairs.distance, 0.0)


def _note_in_front(
    t: Trajectories,
    row: Int64,
    there: Int64,
    pairs: _Pairs,
    speed: Float64,
    leader: NDArray[np.int32],
    blocked: Bool,
    settings: ConductSettings,
) -> None:
    """Note whom people have in front of them.

    Args:
        t: the trajectories.
        row: int64 (N,), frames of bodies.
        there: int64 (N,), their agents.
        pairs: of people close to each other.
        speed: float64 (N,), of bodies [m/s].
        leader: int32 (F, A), see `Contacts`; filled in.
        blocked: bool (F, A), see `Contacts`; filled in.
        settings: when a person counts as in front.
    """
    vx, vy = t.velocity[row, there, 0], t.velocity[row, there, 1]
    stands = pairs.both_ways(speed < settings.standing_speed)
    at = row[stands.first], there[stands.first]
    wish = t.wish[at].astype(np.float64)
    wanted = settings.in_the_way * np.hypot(wish[:, 0], wish[:, 1])
    blocked[at] |= stands.x * wish[:, 0] + stands.y * wish[:, 1] > wanted * stands.distance
    pairs = pairs.both_ways(speed > settings.walking_speed)
    who, other = pairs.first, pairs.second
    along, ahead = pairs.x * vx[who] + pairs.y * vy[who], pairs.distance * speed[who]
    crowded = np.bincount(who[along > -settings.in_the_way * ahead], minlength=len(row)) > 1
    behind = np.flatnonzero((along > settings.straight * ahead) & (pairs.distance < settings.near) & ~crowded[who])
    who, other = who[behind], other[behind]
    same_way = vx[who] * vx[other] + vy[who] * vy[other] > settings.walking_speed * speed[who]
    group = t.group[there]
    behind = np.flatnonzero(same_way & ((group[who] < 0) | (group[who] != group[other])))
    leader[row[who[behind]], there[who[behind]]] = there[other[behind]]
