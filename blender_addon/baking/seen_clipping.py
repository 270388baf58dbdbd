# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is seen to intersect whom in a bake: characters as balls, in the clips that they play."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...core import Trajectories
from ...core.array_types import Float64, Int64
from ...core.geometry.reproducible_math import cos_sin
from ...core.motion.blending import WALKS
from ...core.motion.solid_body import Balls
from ...core.report.contacts import MetPairs, SeenPairs, pairs_that_meet
from ...core.report.report_settings import REPORT
from ...core.steering.neighbours import close_pairs_at_a_time, moments_together
from ...core.steering.traffic.conflict_zones import HEADROOM
from ..bakes.roles import Role
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
        first, second = first[searched], second[searched]
        moments, pairs = np.unique(np.stack([first, second]), return_inverse=True)
        if not len(moments):
            continue
        balls = pose(bodies, there[moments], row[moments], unit)
        one, other = pairs.reshape(2, -1)
        depth = balls.depth(one, other)
        deep = np.flatnonzero(depth > REPORT.body.least_depth)
        agents = np.stack([there[moments[one[deep]]], there[moments[other[deep]]]], axis=1)
        met.append((agents, row[moments[one[deep]]], depth[deep].astype(np.float64)))
    none = np.zeros((0, 2), np.int64), np.zeros(0, np.int64), np.zeros(0)
    found = pairs_that_meet(t, *(np.concatenate(each) for each in zip(none, *met, strict=True)))
    if before.pairs is not None:
        again = np.isin(before.pairs.agents, np.flatnonzero(same)).all(axis=1)  # there may be fewer people now
        found = found.joined(before.pairs.where(np.asarray(again)))
    return SeenPairs(found, known)


def pose(bodies: Mapping[int, PlayedBody], agents: Int64, rows: Int64, unit: float) -> Balls:
    """Return the balls of agents int64 (N,), each at its row int64 (N,), in metres; `unit`: metres per Blender unit."""
    most = max(len(bodies[agent].solid.radius) for agent in np.unique(agents).tolist())
    centre = np.zeros((len(agents), most, 3), dtype=np.float32)
    radius = np.full((len(agents), most), -1e3, dtype=np.float32)
    low, high = (np.zeros((len(agents), 3), dtype=np.float32) for _ in range(2))
    of_solid: dict[int, list[int]] = {}
    for agent in np.unique(agents).tolist():
        of_solid.setdefault(id(bodies[agent].solid), []).append(agent)
    for people in of_solid.values():
        moments = [np.flatnonzero(agents == agent) for agent in people]
        of_each = [(bodies[agent], rows[own]) for agent, own in zip(people, moments, strict=True)]
        balls, width = (each * unit for each in _balls_of(of_each))
        own, count = np.concatenate(moments), width.shape[1]
        centre[own, :count], radius[own, :count] = balls, width
        low[own], high[own] = (balls - width[..., None]).min(axis=1), (balls + width[..., None]).max(axis=1)
    return Balls(centre, radius, low, high)


def _balls_of(people: Sequence[tuple[PlayedBody, Int64]]) -> tuple[Float64, Float64]:
    """Return the balls of people with one solid, one person after the other, each at its rows int64 (n,).

    float64 (N, B, 3) and (N, B), the middles and radii [Blender units].
    """
    solid = people[0][0].solid
    motion = np.concatenate([body.motion[:, rows] for body, rows in people], axis=1).astype(np.float64)
    heading, lean, phase, breath, gait = motion
    posture, start = solid.walking.posture(gait, phase, breath), 0
    for body, rows in people:
        for act in body.acts:
            within = np.flatnonzero((rows >= act.first) & (rows < act.first + len(act.weight)))
            if len(within):
                at = rows[within] - act.first
                seen = act.table.posture(np.full(len(at), WALKS), act.phase[at].astype(np.float64), np.zeros(len(at)))
                posture.blend(seen, start + within, act.weight[at].astype(np.float64))
        start += len(rows)
    size = np.repeat([body.size for body, _ in people], [len(rows) for _, rows in people])
    place = np.concatenate([body.location[rows] for body, rows in people]).astype(np.float64)
    x, y, z = np.moveaxis(posture.joints, 1, 0) * size  # each (B, N)
    cos, sin = cos_sin(lean)
    y, z = cos * y + sin * z, cos * z - sin * y
    cos, sin = cos_sin(heading)
    there = np.stack([cos * x - sin * y, sin * x + cos * y, z], axis=-1) + place  # (B, N, 3)
    return there.transpose(1, 0, 2), size[:, None] * solid.radius
