# SPDX-License-Identifier: GPL-3.0-or-later
"""How far bodies reach into what stands there, as the report measures it; what is the same is not measured again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..geometry.distance_field import ObstacleField
from ..scene import Motion, Obstacle, Scene
from ..trajectories import Trajectories
from .bodies import box_depths, in_own_axes

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]
Bool = NDArray[np.bool_]

_ROUNDING = 1e-9  # [m]: bodies that touch by less only touch
_NEARLY = 1e-6  # [m]: who is so near to the edge of something solid, or inside it, is measured again


@dataclass(frozen=True, eq=False)
class WallDepths:
    """How far each reaches into obstacles, walls and bounds at each frame.

    Attributes:
        trajectories: whose.
        scene: where.
        places: int64 (M,), rows and agents in one number, of who touches anything.
        depth: float64 (M,), how far [m].
    """

    trajectories: Trajectories
    scene: Scene
    places: Int64
    depth: Float64

    @property
    def of_all(self) -> Float64:
        """Float64 (F, A), 0 where nobody touches anything [m]."""
        depth = np.zeros(self.trajectories.present.shape)
        depth.ravel()[self.places] = self.depth
        return depth

    def worst(self) -> tuple[Float64, Int64]:
        """How far each agent reaches at the worst, float64 (A,) [m], and at which frame, int64 (A,)."""
        t, depth = self.trajectories, self.of_all
        if not len(t.frames):
            return np.zeros(len(t.radius)), np.zeros(len(t.radius), dtype=np.int64)
        return depth.max(axis=0), t.frames[np.argmax(depth, axis=0)]


def wall_depths(t: Trajectories, scene: Scene, known: WallDepths | None = None) -> WallDepths:
    """Return how far each reaches into obstacles, walls and bounds.

    Args:
        t: where everybody is.
        scene: where what stands.
        known: the same of another run: who stands where then, far from what is another, is not measured again.
    """
    depth, anew = np.zeros(t.present.shape), t.present
    if known is not None and _are_alike(known, t, scene):
        depth, anew = known.of_all, _to_be_measured(known, t, scene)
        depth[anew | ~t.present] = 0.0
    row, agent = np.nonzero(anew)
    if len(row):
        depth[row, agent] = t.radius[agent] - _distances(t, scene, row, t.position[row, agent, :2])
    boxes = np.flatnonzero(t.box.any(axis=1))
    depth[:, boxes] = box_depths(t, scene, boxes)
    places = np.flatnonzero(depth > _ROUNDING)
    return WallDepths(t, scene, places, depth.ravel()[places])


def _distances(t: Trajectories, scene: Scene, row: Int64, points: Float64) -> Float64:
    """Return how far points, each of its own row of frames, are from what stands there; exact within any radius."""
    reach = float(np.max(t.radius, initial=0.0))
    distance = ObstacleField(_standing(scene), scene.walls).signed_distance(points, at_most=reach)
    if scene.bounds is not None:
        distance = np.minimum(distance, -ObstacleField([(scene.bounds, ())]).signed_distance(points))
    for obstacle, motion in _moving(scene):
        shape = ObstacleField([(obstacle.outline, obstacle.holes)])
        own = in_own_axes(points, motion, t.frames[row])
        distance = np.minimum(distance, shape.signed_distance(own, at_most=reach))
    return distance


def _to_be_measured(known: WallDepths, t: Trajectories, scene: Scene) -> Bool:
    """Return bool (F, A), who is elsewhere than in another run, is near something that is another, or inside solid.

    There the distance is that to the nearest edge of any obstacle, however far.
    """
    before = known.trajectories
    stays = before.present & (before.position[..., :2] == t.position[..., :2]).all(axis=2)
    anew = ~stays | (known.of_all >= t.radius - _NEARLY)
    x, y = t.position[..., 0], t.position[..., 1]
    reach = float(np.max(t.radius, initial=0.0)) + _NEARLY
    one, other = ({_told(ring, *holes): ring for ring, holes in _standing(each)} for each in (known.scene, scene))
    for told in one.keys() ^ other.keys():
        corners = np.asarray((one | other)[told], dtype=np.float64)
        (west, south), (east, north) = corners.min(axis=0) - reach, corners.max(axis=0) + reach
        anew |= (x > west) & (x < east) & (y > south) & (y < north)
    return anew & t.present


def _are_alike(known: WallDepths, t: Trajectories, scene: Scene) -> bool:
    """Tell whether two runs have the same frames and people, and all but what stands still is the same for them."""
    before = known.trajectories
    runs = ((each.frames, each.radius, each.box) for each in (before, t))
    alike = all(np.array_equal(one, other) for one, other in zip(*runs, strict=True))
    return alike and _told_besides(known.scene) == _told_besides(scene)


def _told_besides(scene: Scene) -> tuple[tuple[bytes, ...], ...]:
    """Return what tells bounds, walls, and what moves, from others."""
    bounds = () if scene.bounds is None else (scene.bounds,)
    moving = [_told(each.outline, *each.holes) for each, _ in _moving(scene)]
    motions = [_told(motion.frames, motion.x, motion.y, motion.yaw) for _, motion in _moving(scene)]
    return _told(*bounds), _told(*scene.walls), *moving, *motions


def _standing(scene: Scene) -> list[tuple[Float64, tuple[Float64, ...]]]:
    return [(each.outline, each.holes) for each in scene.obstacles if each.motion is None]


def _moving(scene: Scene) -> list[tuple[Obstacle, Motion]]:
    return [(each, each.motion) for each in scene.obstacles if each.motion is not None]


def _told(*arrays: Float64) -> tuple[bytes, ...]:
    return tuple(np.asarray(each, dtype=np.float64).tobytes() for each in arrays)
