# SPDX-License-Identifier: GPL-3.0-or-later
"""One stride out of a long take, as motion capture records them.

A take begins and ends anywhere, often in a T-pose or standing, and turns on its way. Played as a cycle it would jump at
its end. Two moments bound a stride if the body has the same pose at both and walked straight ahead in between.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..array_types import Float64
from ..geometry.reproducible_math import length


@dataclass(frozen=True)
class TakeSettings:
    """When a clip is a take, and what a stride of it is; chosen by trial on motion-capture files.

    Attributes:
        closed: mean distance of the joints between the poses at both ends of a cycle, at most, as a share of the
            height; or as many times what it is between two moments, as the last one may be left out of a cycle.
        slowest: slowest part of a cycle, in parts of its usual speed, at least.
        alike: the same distance at both ends of a stride that is cut out, at most, over the largest one within it.
        stride: shortest and longest stride, as a share of the height.
        straight: distance between both ends over the way.
        steady: slowest part of a stride that is cut out, in parts of its mean speed.
        fewest: samples of a stride.
        still: joints that move less between two moments stand still, as a share of the height.
    """

    closed: tuple[float, float] = (0.03, 2.0)
    slowest: float = 0.3
    alike: float = 0.15
    stride: tuple[float, float] = (0.35, 1.5)
    straight: float = 0.95
    steady: float = 0.5
    fewest: int = 8
    still: float = 1e-4


TAKES = TakeSettings()


def cut_stride(points: Float64, settings: TakeSettings = TAKES) -> tuple[int, int] | None:
    """Find the stride of a take that repeats best.

    Args:
        points: float64 (T, P, 3), of the skeleton at equal times, Z up, of a clip that travels.
        settings: what a take is, and what a stride.

    Returns:
        Numbers of the first and the last moment of one stride; None where the clip is a cycle, or none is found.
    """
    height = float(np.median(np.ptp(points[..., 2], axis=1)))
    root = np.median(points[..., :2], axis=1)  # (T, 2)
    pose = points.copy()
    pose[..., :2] -= root[:, None]
    pose = pose[:, np.isfinite(pose).all(axis=(0, 2))]
    walked = np.append(0.0, np.cumsum(length(np.diff(root, axis=0))))
    if not pose.shape[1] or not walked[-1] > settings.stride[0] * height > 0.0:
        return None
    if _is_cycle(pose, root, height, settings):
        return None
    best: tuple[float, int, int] | None = None
    for first in range(len(points) - settings.fewest):
        apart = length(pose[first + 1 :] - pose[first]).mean(axis=1)  # at first + 1, ...
        gone = length(root[first + 1 :] - root[first])
        way = walked[first + 1 :] - walked[first]
        widest = np.maximum.accumulate(apart)
        may_end = (apart < settings.alike * widest) & (gone > settings.straight * way)
        may_end &= (gone > settings.stride[0] * height) & (gone < settings.stride[1] * height)
        may_end[: settings.fewest - 1] = False
        for last in np.flatnonzero(may_end).tolist():
            share = float(apart[last] / widest[last])
            is_better = best is None or share < best[0]
            if is_better and _slowest(root[first : first + last + 2]) > settings.steady:
                best = share, first, first + last + 1
    return best[1:] if best is not None else None


def cut_pause(points: Float64, settings: TakeSettings = TAKES) -> tuple[int, int] | None:
    """Find the part of a clip in which it moves: exporters give all clips the length of the scene.

    Args:
        points: float64 (T, P, 3), of the skeleton at equal times.
        settings: what stands still.

    Returns:
        Numbers of its first and last moment; None where it moves from beginning to end, or hardly ever.
    """
    height = float(np.median(np.ptp(points[..., 2], axis=1)))
    moves = length(np.diff(points, axis=0)).max(axis=1) > settings.still * height
    moments = np.flatnonzero(moves)
    if len(moments) < settings.fewest:
        return None
    first, last = int(moments[0]), int(moments[-1]) + 1
    pause = first + len(points) - 1 - last
    return (first, last) if pause >= settings.fewest else None


def _is_cycle(pose: Float64, root: Float64, height: float, settings: TakeSettings) -> bool:
    apart = float(length(pose[-1] - pose[0]).mean())
    usual = float(np.median(length(np.diff(pose, axis=0)).mean(axis=1)))
    share, times = settings.closed
    return apart < max(share * height, times * usual) and _slowest(root) > settings.slowest


def _slowest(root: Float64) -> float:
    """Slowest eighth of a way (T, 2), in parts of its mean speed."""
    part = max(1, len(root) // 8)
    along = length(root[part:] - root[:-part]) / part
    mean = length(np.diff(root, axis=0)).mean()
    return float(along.min() / mean) if mean else 0.0
