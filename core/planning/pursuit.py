# SPDX-License-Identifier: GPL-3.0-or-later
"""A walker that follows a sampled line with bounded curvature and bounded change of curvature, and always gets there.

It aims at a place a little ahead on the line, turns towards it as sharply as it may (kappa = 2 sin(alpha) / D, pure
pursuit), and walks one cell: a piece of clothoid, on which curvature changes evenly. Its progress along the line is
the nearest place within a short window ahead, and at least a fixed share of what it walked: no loop, hairpin or
reversal can hold it. Many lines are walked at once; the loop is over cells only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .source import SPACING, SourceLine

Float64 = NDArray[np.float64]
Complex128 = NDArray[np.complex128]
Int64 = NDArray[np.int64]

CELL = 0.1  # [m] walked per cell
_WINDOW = 8  # samples ahead among which the nearest place is looked for
WINDOW_LENGTH = (_WINDOW + 4) * SPACING  # [m] of line that must be there past the last aim
_LEAST_PROGRESS = 0.3  # share of the way walked that counts as progress whatever happens
_BACK_IS_FAR = 0.02  # what a sample ahead costs against one nearer by: a line that comes back is not cut short


@dataclass(frozen=True, eq=False)
class Walk:
    """What one walker did.

    Attributes:
        start: x + iy of the first place [m].
        heading: at the start [rad].
        curvature: float64 (n + 1,), at the ends of its n cells [1/m].
        progress: float64 (n + 1,), u there [m].
    """

    start: complex
    heading: float
    curvature: Float64
    progress: Float64


def walk_along(
    lines: Sequence[SourceLine], *, look_ahead: float, max_curvature: float, max_curvature_rate: float, run: float
) -> list[Walk]:
    """Walk every line to its end and on.

    Args:
        lines: the sampled lines; each reaches farther than `run + look_ahead` past its end.
        look_ahead: how far ahead on the line the walker aims [m].
        max_curvature: [1/m].
        max_curvature_rate: [1/m2].
        run: how far past the end of the line to go on [m].

    Returns:
        One walk per line.
    """
    walkers = _Walkers(lines, look_ahead / SPACING, max_curvature, max_curvature_rate * CELL)
    goal = np.array([(line.length - line.first + run) / SPACING for line in lines])
    start, heading = walkers.place, walkers.heading
    ends = np.zeros(len(lines), dtype=np.int64)
    curvature, progress = [walkers.curvature], [walkers.at]
    while np.any(ends == 0):
        walkers.step()
        curvature.append(walkers.curvature)
        progress.append(walkers.at)
        ends[(ends == 0) & (walkers.at >= goal)] = len(curvature)
    curvatures, u = np.stack(curvature, axis=1), np.stack(progress, axis=1) * SPACING
    return [
        Walk(complex(start[k]), float(np.angle(heading[k])), curvatures[k, :end], u[k, :end] + lines[k].first)
        for k, end in enumerate(ends)
    ]


class _Walkers:
    """Where the walkers are: place and heading (complex128), curvature, and progress `at` counted in samples."""

    def __init__(self, lines: Sequence[SourceLine], look_ahead: float, max_curvature: float, change: float) -> None:
        counts = np.array([len(line.samples) for line in lines])
        self._samples = np.concatenate([line.samples for line in lines])
        self._first = np.cumsum(counts) - counts
        self._last = counts - 2.0 - _WINDOW
        self._look_ahead, self._max_curvature, self._change = look_ahead, max_curvature, change
        self.place = self._samples[self._first]
        start = self._samples[self._first + 1] - self.place
        self.heading = start / np.abs(start)
        self.curvature = np.zeros(len(lines))
        self.at = np.zeros(len(lines))

    def step(self) -> None:
        """Walk one cell."""
        before = self.curvature
        self.curvature = np.clip(self._wanted_curvature(), before - self._change, before + self._change)
        half = 0.125 * CELL * (3.0 * before + self.curvature)  # turned at the middle of the cell
        middle = 0.5 * (before + self.curvature) * CELL
        bow, skew = middle * middle, (self.curvature - before) * CELL
        chord = CELL * ((1.0 - bow / 24.0 + bow * bow / 1920.0) + 1j * (skew / 24.0))
        self.place = self.place + self.heading * np.exp(1j * half) * chord
        self.heading = self.heading * np.exp(1j * middle)
        self.at = self._progress()

    def _wanted_curvature(self) -> Float64:
        ahead = np.minimum(self.at + self._look_ahead, self._last)
        whole = ahead.astype(np.int64)
        here, after = self._samples[self._first + whole], self._samples[self._first + whole + 1]
        aim = (here + (ahead - whole) * (after - here) - self.place) * np.conj(self.heading)
        wanted = 2.0 * aim.imag / np.maximum(aim.real**2 + aim.imag**2, 1e-12)
        turning = np.abs(self.curvature) > 0.5 * self._max_curvature
        side = np.where(np.where(turning, self.curvature, aim.imag) < 0.0, -1.0, 1.0)
        wanted = np.where(aim.real < 0.0, side * self._max_curvature, wanted)
        return np.clip(wanted, -self._max_curvature, self._max_curvature)

    def _progress(self) -> Float64:
        """The nearest place in the window ahead, refined along the line's direction there."""
        whole = self.at.astype(np.int64)
        window = self._first + whole + np.arange(_WINDOW)[:, None]
        away = self.place - self._samples[window]
        cost = away.real**2 + away.imag**2 + (_BACK_IS_FAR * SPACING * np.arange(_WINDOW))[:, None]
        best = np.argmin(cost, axis=0)
        row = self._first + whole + best
        along = self._samples[row + 1] - self._samples[row]
        apart = self.place - self._samples[row]
        length2 = np.maximum(along.real**2 + along.imag**2, 1e-12)
        share = np.clip((apart.real * along.real + apart.imag * along.imag) / length2, -1.0, 1.0)
        least = self.at + _LEAST_PROGRESS * CELL / SPACING
        return np.minimum(np.maximum(whole + best + share, least), self._last)
