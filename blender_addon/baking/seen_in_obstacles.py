# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose arms, legs and heads are seen in obstacles in a bake: characters as balls, obstacles as their meshes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import bmesh
import numpy as np
from mathutils import Vector
from mathutils.bvhtree import BVHTree

from ...core import Trajectories
from ...core.array_types import Float64, Int64
from ...core.geometry.distance_field import ObstacleField
from ...core.geometry.reproducible_math import length
from ...core.motion.solid_body import BodyBoxes, SolidPoses
from ...core.report.bodies import in_own_axes
from ...core.report.report_settings import REPORT
from ...core.report.walls import LimbDepths
from ..reading.obstacles import SolidObstacle
from .casting.played_bodies import PlayedBody
from .seen_clipping import boxes_of, pose

_MOMENTS_AT_ONCE = 2000
_IN_A_BOX = np.array([(x, y) for x in (-1.0, 0.0, 1.0) for y in (-1.0, 0.0, 1.0)])
_OUTLINE_TOLERANCE = 0.01  # by which an outline is simpler than its mesh [m]
_BETWEEN = 0.75  # of half a box: no place in it is farther from the nearest of these


@dataclass(frozen=True, eq=False)
class SeenInObstacles:
    """Who is seen in obstacles, and how deep.

    Attributes:
        bodies: as they were seen, by agent.
        solids: the obstacles.
        limbs: who is in them.
    """

    bodies: Mapping[int, PlayedBody] = field(default_factory=dict)
    solids: Sequence[SolidObstacle] = ()
    limbs: LimbDepths = field(default_factory=lambda: LimbDepths(np.zeros(0), *np.zeros((2, 0), dtype=np.int64)))


_NOTHING = SeenInObstacles()


def find_seen_in_obstacles(
    t: Trajectories,
    bodies: Mapping[int, PlayedBody],
    solids: Sequence[SolidObstacle],
    unit: float,
    before: SeenInObstacles = _NOTHING,
) -> SeenInObstacles:
    """Return who is seen in obstacles; those on a seat are not looked at, as the seat may be an obstacle.

    Args:
        t: the trajectories.
        bodies: of those of whom it is known how they are seen, by agent.
        solids: the obstacles.
        unit: metres per Blender unit.
        before: the last search; who is the same body among the same obstacles is not searched again.
    """
    people, step = len(t.radius), max(1, round(t.fps / REPORT.body.looks_per_second))
    found = LimbDepths(np.zeros(people), *np.zeros((2, people), dtype=np.int64))
    same = [agent for agent, body in bodies.items() if before.bodies.get(agent) is body]
    if not _are_the_same(before.solids, solids):
        same = []
    for own, known in zip(vars(found).values(), vars(before.limbs).values(), strict=True):
        own[same] = known[same]
    searched = np.zeros(people, dtype=bool)
    searched[list(bodies)] = True
    searched[same] = False
    row, agent = np.nonzero((t.present & ~t.seated)[::step] & searched)
    reach = np.zeros(people)
    reach[searched] = [_reach(bodies[each]) * unit for each in np.flatnonzero(searched).tolist()]
    deepest = np.zeros((-(-len(t.frames) // step), people))
    order = np.argsort(agent, kind="stable")
    row, agent = row[order] * step, agent[order]
    for obstacles in _moving_together(solids) if len(row) else ():
        near = obstacles.may_touch(t.position[row, agent, :2], reach[agent], t.frames[row])
        for some in np.array_split(near, -(-len(near) // _MOMENTS_AT_ONCE) or 1):
            depth = _depths(obstacles, t, bodies, agent[some], row[some], unit)
            places = row[some] // step, agent[some]
            deepest[places] = np.maximum(deepest[places], depth)
    who = np.flatnonzero(deepest.any(axis=0))
    found.depth[who], found.frame[who] = deepest[:, who].max(axis=0), t.frames[step * deepest[:, who].argmax(axis=0)]
    found.frames[who] = step * (deepest[:, who] >= REPORT.least_clipping).sum(axis=0)
    return SeenInObstacles(bodies, solids, found)


def _are_the_same(before: Sequence[SolidObstacle], after: Sequence[SolidObstacle]) -> bool:
    return len(before) == len(after) and all(map(_is_the_same, before, after))


def _is_the_same(one: SolidObstacle, other: SolidObstacle) -> bool:
    pairs = [(one.points, other.points), (one.triangles, other.triangles)]
    if (one.motion is None) != (other.motion is None):
        return False
    if one.motion is not None and other.motion is not None:
        pairs += zip(vars(one.motion).values(), vars(other.motion).values(), strict=True)
    return all(np.array_equal(*pair) for pair in pairs)


def _reach(body: PlayedBody) -> float:
    """How far a body reaches from where it stands, in all clips that it plays [Blender units]."""
    return body.size * max(_reach_of(each) for each in (body.solid.walking, *(act.poses for act in body.acts)))


def _reach_of(poses: SolidPoses) -> float:
    standing = poses.box.standing
    tables = [poses.box.joints, *([standing[0]] if standing is not None else [])]
    return max(float(length(np.abs(table[..., :2]).max(axis=-2).reshape(-1, 2)).max()) for table in tables)


class _Obstacles:
    """Obstacles that move together, or not at all."""

    def __init__(self, solids: Sequence[SolidObstacle]) -> None:
        self._solids = solids
        walls = [wall for each in solids for wall in each.walls]
        self._field = ObstacleField([shape for each in solids for shape in each.shapes], walls)
        self._tree: BVHTree | None = None

    def may_touch(self, points: Float64, distance: Float64 | float, frames: Int64) -> Int64:
        """Return the rows of points (N, 2), each at its frame (N,), to which an obstacle may be so near [m]."""
        return np.flatnonzero(self._field.may_be_within(self._own(points, frames), distance))

    def depth(self, centre: Float64, radius: Float64, frames: Int64) -> Float64:
        """Return how deep balls at float64 (N, 3), each at its frame, are in obstacles, float64 (N,) [m]; 0: not."""
        depth = np.zeros(len(centre))
        places = self._own(centre[:, :2], frames)
        beside = self._field.signed_distance(places, float(radius.max(initial=0.0)))
        touching = np.flatnonzero(radius - beside > REPORT.least_clipping)
        if len(touching):
            balls = np.concatenate([places[touching], centre[touching, 2:]], axis=1)
            depth[touching] = np.maximum(radius[touching] - self._off(balls, -beside[touching]), 0.0)
        return depth

    def _own(self, points: Float64, frames: Int64) -> Float64:
        motion = self._solids[0].motion
        return points if motion is None else in_own_axes(points, motion, frames)

    def _off(self, points: Float64, within: Float64) -> Float64:
        """Return how far points are off the meshes, less than 0 for those in them, float64 (N,) [m].

        Args:
            points: float64 (N, 3).
            within: float64 (N,), how far within an outline they are: the surface of a mesh that they are in is no
                farther. Normals alone do not tell where several faces meet, or where they are wrong [m].
        """
        if self._tree is None:
            first = np.cumsum([0, *(len(each.points) for each in self._solids)])
            triangles = [each.triangles + start for each, start in zip(self._solids, first, strict=False)]
            every = np.concatenate([each.points for each in self._solids])
            self._tree = _tree(every, np.concatenate(triangles))
        off = np.full(len(points), np.inf)
        for number, point in enumerate(points.tolist()):
            nearest, normal, _, distance = self._tree.find_nearest(point)
            if nearest is not None and normal is not None and distance is not None:
                may_be_in = distance < within[number] + _OUTLINE_TOLERANCE
                off[number] = -distance if may_be_in and normal.dot(nearest - Vector(point)) > 0.0 else distance
        return off


def _tree(points: Float64, triangles: Int64) -> BVHTree:
    """Return a tree of triangles (T, 3) whose normals lead out of what they enclose, however they were drawn."""
    drawn = bmesh.new()
    corners = [drawn.verts.new(point) for point in points.tolist()]
    for triangle in {frozenset(each): each for each in triangles.tolist()}.values():  # each once
        if len(set(triangle)) == len(triangle):
            drawn.faces.new([corners[number] for number in triangle])
    bmesh.ops.recalc_face_normals(drawn, faces=drawn.faces[:])
    tree: Any = BVHTree.FromBMesh(drawn)
    drawn.free()
    return tree


def _moving_together(solids: Iterable[SolidObstacle]) -> Iterator[_Obstacles]:
    still = [each for each in solids if each.motion is None]
    if still:
        yield _Obstacles(still)
    yield from (_Obstacles([each]) for each in solids if each.motion is not None)


def _depths(
    obstacles: _Obstacles,
    t: Trajectories,
    bodies: Mapping[int, PlayedBody],
    agents: Int64,
    rows: Int64,
    unit: float,
) -> Float64:
    """Return how deep agents (N,), each at its row (N,), are in obstacles, float64 (N,) [m]."""
    depth = np.zeros(len(agents))
    if not len(agents):
        return depth
    near = _boxes_touch(boxes_of(bodies, agents, rows, unit), obstacles.may_touch, t.frames[rows])
    if len(near):
        balls = pose(bodies, agents[near], rows[near], unit)
        there = balls.radius > 0.0
        owner = np.nonzero(there)[0]
        frames = t.frames[rows[near]][owner]
        found = obstacles.depth(balls.centre[there].astype(np.float64), balls.radius[there].astype(np.float64), frames)
        np.maximum.at(depth, near[owner], found)
    return depth


def _boxes_touch(
    boxes: BodyBoxes, may_touch: Callable[[Float64, Float64 | float, Int64], Int64], frames: Int64
) -> Int64:
    """Return the rows of boxes (N,) that an obstacle may touch: it is near some of nine points of each."""
    half, ahead = boxes.half[:, None, :2], boxes.ahead[:, None]
    own = half * _IN_A_BOX
    left = ahead[..., ::-1] * (-1.0, 1.0)
    points = boxes.middle[:, None, :2] + own[..., :1] * ahead + own[..., 1:] * left  # (N, 9, 2)
    between = _BETWEEN * np.repeat(boxes.half[:, :2].max(axis=1), points.shape[1])
    touching = may_touch(points.reshape(-1, 2), between, np.repeat(frames, points.shape[1]))
    return np.unique(touching // points.shape[1])
