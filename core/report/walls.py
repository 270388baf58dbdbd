# SPDX-License-Identifier: GPL-3.0-or-later
"""Depth to which bodies reach into obstacles; what is unchanged since the last report is not measured again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..array_types import Bool, Float64, Int64
from ..geometry.distance_field import ObstacleField
from ..scene import Motion, Obstacle, Scene
from ..trajectories import Trajectories
from .bodies import box_depths, in_own_axes

_CONTACT_TOLERANCE = 1e-9  # [m]
_EDGE_TOLERANCE = 1e-6  # [m]: a body this close to touching an obstacle is measured again


@dataclass(frozen=True, eq=False)
class WallDepths:
    """Depth to which each reaches into obstacles, walls and bounds at each frame.

    Attributes:
        trajectories: whose.
        scene: where.
        places: int64 (M,), flat indices into (F, A) of contacts.
        depth: float64 (M,), of each contact [m].
    """

    trajectories: Trajectories
    scene: Scene
    places: Int64
    depth: Float64

    @property
    def of_all(self) -> Float64:
        """Float64 (F, A), 0 without contact [m]."""
        depth = np.zeros(self.trajectories.present.shape)
        depth.ravel()[self.places] = self.depth
        return depth

    def worst(self) -> tuple[Float64, Int64]:
        """The largest depth of each agent, float64 (A,) [m], and its frame, int64 (A,)."""
        t, depth = self.trajectories, self.of_all
        if not len(t.frames):
            return np.zeros(len(t.radius)), np.zeros(len(t.radius), dtype=np.int64)
        return depth.max(axis=0), t.frames[np.argmax(depth, axis=0)]


@dataclass(frozen=True, eq=False)
class LimbDepths:
    """How deep agents, as they are seen with their arms and legs, are in obstacles.

    Attributes:
        depth: float64 (A,), the deepest of each; 0: never [m].
        frame: int64 (A,), when it is.
        frames: int64 (A,), in how many frames each is.
    """

    depth: Float64
    frame: Int64
    frames: Int64


def wall_depths(t: Trajectories, scene: Scene, known: WallDepths | None = None, *, box_spacing: float) -> WallDepths:
    """Return the depth to which each reaches into obstacles, walls and bounds, but for those on a seat.

    Args:
        t: the trajectories.
        scene: the obstacles.
        known: depths of another run; positions that are the same, far from what differs, are not measured again.
        box_spacing: distance between tested points along the edges of boxes [m].
    """
    reaches = t.present & ~t.seated
    depth, anew = np.zeros(t.present.shape), reaches
    if known is not None and _are_comparable(known, t, scene):
        depth, anew = known.of_all, _changed_places(known, t, scene) & reaches
        depth[anew | ~reaches] = 0.0
    row, agent = np.nonzero(anew)
    if len(row):
        depth[row, agent] = t.radius[agent] - distances(t, scene, row, t.position[row, agent, :2])
    boxes = np.flatnonzero(t.box.any(axis=1))
    depth[:, boxes] = box_depths(t, scene, boxes, box_spacing)
    places = np.flatnonzero(depth > _CONTACT_TOLERANCE)
    return WallDepths(t, scene, places, depth.ravel()[places])


def distances(t: Trajectories, scene: Scene, row: Int64, points: Float64, at_most: float | None = None) -> Float64:
    """Return the distance of points, each at its own frame, to obstacles; exact within the largest radius, or more."""
    reach = float(np.max(t.radius, initial=0.0)) if at_most is None else at_most
    distance = ObstacleField(_static_rings(scene), scene.walls).signed_distance(points, at_most=reach)
    if scene.bounds is not None:
        distance = np.minimum(distance, -ObstacleField([(scene.bounds, ())]).signed_distance(points))
    for obstacle, motion in _moving(scene):
        shape = ObstacleField([(obstacle.outline, obstacle.holes)])
        own = in_own_axes(points, motion, t.frames[row])
        distance = np.minimum(distance, shape.signed_distance(own, at_most=reach))
    return distance


def _changed_places(known: WallDepths, t: Trajectories, scene: Scene) -> Bool:
    """Return bool (F, A): positions that differ from another run, are close to a changed obstacle, or inside one.

    Inside, the distance is that to the nearest edge of any obstacle, however far.
    """
    before = known.trajectories
    stays = before.present & (before.position[..., :2] == t.position[..., :2]).all(axis=2)
    anew = ~stays | (known.of_all >= t.radius - _EDGE_TOLERANCE)
    x, y = t.position[..., 0], t.position[..., 1]
    reach = float(np.max(t.radius, initial=0.0)) + _EDGE_TOLERANCE
    one, other = (
        {_as_bytes(ring, *holes): ring for ring, holes in _static_rings(each)} for each in (known.scene, scene)
    )
    for key in one.keys() ^ other.keys():
        corners = np.asarray((one | other)[key], dtype=np.float64)
        (west, south), (east, north) = corners.min(axis=0) - reach, corners.max(axis=0) + reach
        anew |= (x > west) & (x < east) & (y > south) & (y < north)
    return anew & t.present


def _are_comparable(known: WallDepths, t: Trajectories, scene: Scene) -> bool:
    """Whether two runs have the same frames and people, and differ in static obstacles at most."""
    before = known.trajectories
    runs = ((each.frames, each.radius, each.box) for each in (before, t))
    alike = all(np.array_equal(one, other) for one, other in zip(*runs, strict=True))
    return alike and _besides_static(known.scene) == _besides_static(scene)


def _besides_static(scene: Scene) -> tuple[tuple[bytes, ...], ...]:
    """Return bounds, walls and moving obstacles, for comparison."""
    bounds = () if scene.bounds is None else (scene.bounds,)
    moving = [_as_bytes(each.outline, *each.holes) for each, _ in _moving(scene)]
    motions = [_as_bytes(motion.frames, motion.x, motion.y, motion.yaw) for _, motion in _moving(scene)]
    return _as_bytes(*bounds), _as_bytes(*scene.walls), *moving, *motions


def _static_rings(scene: Scene) -> list[tuple[Float64, tuple[Float64, ...]]]:
    return [(each.outline, each.holes) for each in scene.obstacles if each.motion is None]


def _moving(scene: Scene) -> list[tuple[Obstacle, Motion]]:
    return [(each, each.motion) for each in scene.obstacles if each.motion is not None]


def _as_bytes(*arrays: Float64) -> tuple[bytes, ...]:
    return tuple(np.asarray(each, dtype=np.float64).tobytes() for each in arrays)
