# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks where the soles of a character are that was just made: in the ground, on it, or over it, by its meshes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import bpy
import numpy as np

from ....core.array_types import Float64, Int64
from ...blender_data.evaluation import EvaluationScene
from ..legs.sole_meshes import SoleMeshes
from ..performances import Performance


@dataclass(frozen=True)
class SoleLookSettings:
    """How soles are looked at; chosen.

    Attributes:
        every: one of so many frames; a foot pushes off for four or five.
        steady: of the worst depth or height, this share at all moments is that of the mesh, and not of the clip.
    """

    every: int = 3
    steady: float = 0.5


_SOLES = SoleLookSettings()


class SeenSoles(NamedTuple):
    """Where the lowest point of the feet is at the worst moments of a walk, and the rows of these.

    Attributes:
        sunk: how far it is in the ground; 0: it never is [Blender units].
        sunk_row: when.
        aloft: how far it is over the ground: both feet are in the air [Blender units].
        aloft_row: when.
        is_steady: they are as deep in the ground, or as far over it, at all moments: no clip would help.
    """

    sunk: float
    sunk_row: int
    aloft: float
    aloft_row: int
    is_steady: bool = False

    def scaled(self, unit: float) -> SeenSoles:
        """Return the same in another unit."""
        return self._replace(sunk=unit * self.sunk, aloft=unit * self.aloft)


def look_at_soles(
    evaluation: EvaluationScene,
    copies: Sequence[bpy.types.Object],
    armature: bpy.types.Object,
    feet: Sequence[Collection[str]],
    performance: Performance,
    rows: slice,
    frames: Sequence[int],
) -> SeenSoles | None:
    """Find how far the soles of somebody who walks are in the ground or over it; None where no mesh is on its feet.

    Args:
        evaluation: in which the armature is evaluated already.
        copies: the objects of the character, with all their animation.
        armature: among them, which walks.
        feet: names of the bones that the sole of each foot follows.
        performance: what it does.
        rows: frames to look at.
        frames: of the scene, of these rows.
    """
    meshes = SoleMeshes(evaluation, copies, armature, feet)
    at, lowest = list[int](), list[Float64]()
    moments = range(rows.start, rows.stop)[:: _SOLES.every]
    for row, frame in zip(moments, list(frames)[:: _SOLES.every], strict=True):
        points = meshes.lowest(evaluation.evaluate(frame))
        if points[:, 2].min() < np.inf:
            at.append(row)
            lowest.append(points)
    return _worst(np.array(lowest), performance, np.array(at)) if at else None


def _worst(lowest: Float64, performance: Performance, at: Int64) -> SeenSoles | None:
    """Find the worst of the lowest points of N feet (T, N, 3) at rows int64 (T,).

    In the ground the lowest foot counts, and over it the one that is nearest to it: on stairs these may differ. Where
    no ground is under a point, it does not count; where the ground under it differs from that under the body, at an
    edge, the one counts that is kinder.
    """
    ground = np.broadcast_to(performance.location[at, 2, None], (1, *lowest.shape[:2]))
    if performance.ground is not None:
        body = np.broadcast_to(performance.location[at, None, :2], (*lowest.shape[:2], 2))
        under = [lowest, np.concatenate([body, lowest[..., 2:]], axis=-1)]
        ground = np.stack([performance.ground(each.reshape(-1, 3)).reshape(lowest.shape[:2]) for each in under])
    first = np.arange(len(at)), lowest[..., 2].argmin(axis=1)
    depth = (np.fmin.reduce(ground) - lowest[..., 2])[first]
    height = np.fmin.reduce(lowest[..., 2] - np.fmax.reduce(ground), axis=1)
    if not np.isfinite(depth).any():
        return None
    is_steady = any(np.nanmin(each) >= _SOLES.steady * np.nanmax(each) > 0.0 for each in (depth, height))
    depth, height = (np.where(np.isfinite(each), each, -np.inf) for each in (depth, height))
    down, up = int(depth.argmax()), int(height.argmax())
    sunk, aloft = max(0.0, float(depth[down])), max(0.0, float(height[up]))
    return SeenSoles(sunk, int(at[down]), aloft, int(at[up]), is_steady)
