# SPDX-License-Identifier: GPL-3.0-or-later
"""A walker that follows a sampled line with bounded curvature and curvature rate, and always reaches its end.

It aims at a place a little ahead on the line, turns towards it within its limits (kappa = 2 sin(alpha) / D, pure
pursuit, Coulter 1992), and walks one cell: a piece of clothoid, on which curvature changes linearly. Its progress along
the line is the nearest place within a short window ahead, and at least a fixed share of the walked distance: no loop,
hairpin or reversal can stop it. Many lines are walked at once; the loop is over cells only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...array_types import Complex128, Float64
from ...compiled import twins
from ...geometry.reproducible_math import arctan2, complex_product, modulus
from .drawn_line import SAMPLE_SPACING, DrawnLine
from .reference_settings import ReferenceSettings

CELL_LENGTH = 0.1
"""Distance walked per cell [m]."""

_WINDOW_SAMPLES = 8  # samples ahead among which the nearest place is searched
WINDOW_LENGTH = (_WINDOW_SAMPLES + 4) * SAMPLE_SPACING
"""Length of line that is needed past the last aim [m]."""

_WINDOW_ROWS = np.arange(_WINDOW_SAMPLES)[:, None]
# added to the squared distance of samples farther ahead [m2], so that a line that comes back is not cut short
_WINDOW_COST = 0.001 * _WINDOW_ROWS
_COSTS: list[float] = _WINDOW_COST[:, 0].tolist()
_NODES_PER_PART = 64  # after so many, those who are at the end of their line are let go
_LINES_ONE_BY_ONE = 4  # up to so many lines are walked one by one, which is faster


@dataclass(frozen=True, eq=False)
class PursuitPath:
    """The path of one walker.

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


def walk_along(lines: Sequence[DrawnLine], settings: ReferenceSettings) -> list[PursuitPath]:
    """Walk every line past its end.

    Args:
        lines: the sampled lines; each reaches farther than `run_out + look_ahead` past its end.
        settings: look-ahead, limits of curvature, and how far past the end of the line to continue.

    Returns:
        One walk per line.
    """
    limits = _limits_of(settings)
    goal = np.array([(line.length - line.first + settings.run_out) / SAMPLE_SPACING for line in lines])
    kernels = twins.twin(twins.LINES)
    if kernels is not None and lines:
        return _walk_compiled(kernels, lines, settings, goal)
    if len(lines) <= _LINES_ONE_BY_ONE:
        return [_walk_alone(line, limits, float(end)) for line, end in zip(lines, goal, strict=True)]
    farthest_first = np.argsort(-goal, kind="stable").tolist()
    walkers = _Walkers([lines[k] for k in farthest_first], limits)
    start, heading = walkers.place, walkers.heading
    angle = arctan2(heading.imag, heading.real)
    goal = goal[farthest_first]
    ends = np.zeros(len(lines), dtype=np.int64)
    nodes, parts = 0, []
    part = [np.stack((walkers.curvature, walkers.at))]
    while len(walkers.at):
        walkers.step()
        part.append(np.stack((walkers.curvature, walkers.at)))
        here = slice(len(walkers.at))
        ends[here][(ends[here] == 0) & (walkers.at >= goal[here])] = nodes + len(part)
        if len(part) >= _NODES_PER_PART or not np.any(ends[here] == 0):
            parts.append(np.stack(part, axis=-1))
            nodes, part = nodes + len(part), []
            walkers.keep_first(int(np.max(np.flatnonzero(ends == 0), initial=-1)) + 1)
    walks: list[PursuitPath | None] = [None] * len(lines)
    for row, (k, end) in enumerate(zip(farthest_first, ends.tolist(), strict=True)):
        curvature, at = np.concatenate([each[:, row] for each in parts if row < each.shape[1]], axis=1)[:, :end]
        progress = at * SAMPLE_SPACING + lines[k].first
        walks[k] = PursuitPath(complex(start[row]), float(angle[row]), curvature, progress)
    return [walk for walk in walks if walk is not None]


def walk_numbers(settings: ReferenceSettings) -> Float64:
    """Return what the compiled walk needs of its settings, float64 (7,)."""
    limits = _limits_of(settings)
    numbers = limits.look_ahead, limits.max_curvature, limits.change, limits.least_progress
    return np.array([*numbers, CELL_LENGTH, _WINDOW_SAMPLES, _COSTS[1]])


def _walk_compiled(
    kernels: Any, lines: Sequence[DrawnLine], settings: ReferenceSettings, goal: Float64
) -> list[PursuitPath]:
    limits, numbers = _limits_of(settings), walk_numbers(settings)
    walkers = _Walkers(lines, limits)
    place, heading = walkers.place, walkers.heading
    begins = np.column_stack((place.real, place.imag, heading.real, heading.imag, walkers.last, goal))
    most = int(goal.max() / limits.least_progress) + 2
    found, counts = kernels.walk(walkers.table, walkers.first, begins, numbers, most)
    angle = arctan2(heading.imag, heading.real).tolist()
    nodes = [own[:, :count].copy() for own, count in zip(found, counts.tolist(), strict=True)]
    return [
        PursuitPath(complex(start), turned, curvature, at * SAMPLE_SPACING + line.first)
        for line, start, turned, (curvature, at) in zip(lines, place, angle, nodes, strict=True)
    ]


def _walk_alone(line: DrawnLine, limits: _Limits, goal: float) -> PursuitPath:
    walker = _Walker(line, limits)
    start, heading = walker.place, walker.heading
    curvature, progress = [walker.curvature], [walker.at]
    while walker.at < goal:
        walker.step()
        curvature.append(walker.curvature)
        progress.append(walker.at)
    angle = float(arctan2(heading.imag, heading.real))
    return PursuitPath(start, angle, np.array(curvature), np.array(progress) * SAMPLE_SPACING + line.first)


@dataclass(frozen=True)
class _Limits:
    """Limits of walkers: samples of look-ahead, sharpest turn [1/m], its change and least progress [samples] a cell."""

    look_ahead: float
    max_curvature: float
    change: float
    least_progress: float


def _limits_of(settings: ReferenceSettings) -> _Limits:
    return _Limits(
        settings.look_ahead / SAMPLE_SPACING,
        settings.max_curvature,
        settings.max_curvature_rate * CELL_LENGTH,
        settings.least_progress * CELL_LENGTH / SAMPLE_SPACING,
    )


class _Walkers:
    """State of the walkers: place and heading (complex128), curvature, and progress `at` counted in samples.

    `first` and `last` are the first sample of each line, and the last place that is reached, in samples of the line.
    """

    def __init__(self, lines: Sequence[DrawnLine], limits: _Limits) -> None:
        counts = np.array([len(line.samples) for line in lines])
        self._samples = np.concatenate([line.samples for line in lines])
        self._steps: Complex128 = np.append(np.diff(self._samples), 0.0).astype(np.complex128)
        self._steps2 = np.maximum(self._steps.real**2 + self._steps.imag**2, 1e-12)
        self.first = np.cumsum(counts) - counts
        self.last = counts - 2.0 - _WINDOW_SAMPLES
        self._limits = limits
        self.place = self._samples[self.first]
        start = self._samples[self.first + 1] - self.place
        self.heading = start / modulus(start)
        self.curvature = np.zeros(len(lines))
        self.at = np.zeros(len(lines))

    @property
    def table(self) -> Float64:
        """Float64 (M, 5), the samples' x and y, the step from each to the next, and its squared length."""
        samples, steps = self._samples, self._steps
        return np.column_stack((samples.real, samples.imag, steps.real, steps.imag, self._steps2))

    def keep_first(self, count: int) -> None:
        """Keep so many of them, the first."""
        for name in ("place", "heading", "curvature", "at", "first", "last"):
            setattr(self, name, getattr(self, name)[:count])

    def step(self) -> None:
        """Walk one cell."""
        before, change = self.curvature, self._limits.change
        self.curvature = np.minimum(np.maximum(self._wanted_curvature(), before - change), before + change)
        turned, skew = (0.5 * CELL_LENGTH) * (before + self.curvature), CELL_LENGTH * (self.curvature - before)
        bow = turned * turned
        chord = CELL_LENGTH * (1.0 - bow * (1.0 / 24.0 - bow / 1920.0)) + (1j * CELL_LENGTH / 24.0) * skew
        half, skewed = _small_turn(0.5 * turned), 0.125 * skew
        middle = complex_product(self.heading, half)
        along = complex_product(middle, 1.0 - 0.5 * skewed * skewed - 1j * skewed)
        self.place = self.place + complex_product(along, chord)
        self.heading = complex_product(middle, half)
        self.at = self._progress()

    def _wanted_curvature(self) -> Float64:
        ahead = np.minimum(self.at + self._limits.look_ahead, self.last)
        whole = ahead.astype(np.int64)
        row = self.first + whole
        here = self._samples[row]
        aim = complex_product(here + (ahead - whole) * self._steps[row] - self.place, self.heading.conj())
        forward, aside = aim.real, aim.imag
        wanted = 2.0 * aside / np.maximum(forward * forward + aside * aside, 1e-12)
        most = self._limits.max_curvature
        turning = np.abs(self.curvature) > 0.5 * most
        back = np.where(np.where(turning, self.curvature, aside) < 0.0, -most, most)
        return np.minimum(np.maximum(np.where(forward < 0.0, back, wanted), -most), most)

    def _progress(self) -> Float64:
        """The nearest place in the window ahead, refined along the line's direction there."""
        row = self.first + self.at.astype(np.int64)
        away = self.place - self._samples[row + _WINDOW_ROWS]
        best = np.argmin(away.real**2 + away.imag**2 + _WINDOW_COST, axis=0)
        row = row + best
        along = self._steps[row]
        share = complex_product(self.place - self._samples[row], along.conj()).real / self._steps2[row]
        nearest = row - self.first + np.minimum(np.maximum(share, -1.0), 1.0)
        return np.minimum(np.maximum(nearest, self.at + self._limits.least_progress), self.last)


class _Walker:
    """A twin of `_Walkers` for a single one, the same to the last bit and many times as fast: in numbers of Python."""

    def __init__(self, line: DrawnLine, limits: _Limits) -> None:
        many = _Walkers([line], limits)
        self.place, self.heading = complex(many.place[0]), complex(many.heading[0])
        self.curvature, self.at = 0.0, 0.0
        self._x, self._y = line.samples.real.tolist(), line.samples.imag.tolist()
        steps: Complex128 = np.append(np.diff(line.samples), 0.0).astype(np.complex128)
        self._step_x, self._step_y = steps.real.tolist(), steps.imag.tolist()
        self._step2 = np.maximum(steps.real**2 + steps.imag**2, 1e-12).tolist()
        self._last = len(self._x) - 2.0 - _WINDOW_SAMPLES
        self._limits = limits

    def step(self) -> None:
        """Walk one cell."""
        before, change = self.curvature, self._limits.change
        self.curvature = min(max(self._wanted_curvature(), before - change), before + change)
        turned, skew = (0.5 * CELL_LENGTH) * (before + self.curvature), CELL_LENGTH * (self.curvature - before)
        bow, skewed, b = turned * turned, 0.125 * skew, (0.5 * turned) * (0.5 * turned)
        cos = 1.0 - b * (1.0 / 2.0 - b * (1.0 / 24.0 - b / 720.0))
        sin = (0.5 * turned) * (1.0 - b * (1.0 / 6.0 - b * (1.0 / 120.0 - b / 5040.0)))
        half = complex(cos, sin)
        middle = _product(self.heading, half)
        chord = complex(CELL_LENGTH * (1.0 - bow * (1.0 / 24.0 - bow / 1920.0)), (CELL_LENGTH / 24.0) * skew)
        along = _product(middle, complex(1.0 - 0.5 * skewed * skewed, -skewed))
        self.place = self.place + _product(along, chord)
        self.heading = _product(middle, half)
        self.at = self._progress()

    def _wanted_curvature(self) -> float:
        ahead = min(self.at + self._limits.look_ahead, self._last)
        row = int(ahead)
        share, place = ahead - row, self.place
        x = self._x[row] + share * self._step_x[row] - place.real
        y = self._y[row] + share * self._step_y[row] - place.imag
        aim = _product(complex(x, y), self.heading.conjugate())
        most = self._limits.max_curvature
        if aim.real < 0.0:
            turning = self.curvature if abs(self.curvature) > 0.5 * most else aim.imag
            return -most if turning < 0.0 else most
        wanted = 2.0 * aim.imag / max(aim.real * aim.real + aim.imag * aim.imag, 1e-12)
        return min(max(wanted, -most), most)

    def _progress(self) -> float:
        row, place = int(self.at), self.place
        x, y, near, best = place.real, place.imag, np.inf, row
        for k in range(_WINDOW_SAMPLES):
            away_x, away_y = x - self._x[row + k], y - self._y[row + k]
            cost = away_x * away_x + away_y * away_y + _COSTS[k]
            if cost < near:
                near, best = cost, row + k
        away_x, away_y = x - self._x[best], y - self._y[best]
        share = (away_x * self._step_x[best] + away_y * self._step_y[best]) / self._step2[best]
        nearest = best + min(max(share, -1.0), 1.0)
        return min(max(nearest, self.at + self._limits.least_progress), self._last)


def _product(a: complex, b: complex) -> complex:
    """As `complex_product`, of two numbers: Python's own product may round once less."""
    return complex(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real)


def _small_turn(angle: Float64) -> Complex128:
    """Return exp(i angle) within 2e-10 of angles up to 0.23 rad, at a third of the cost."""
    b = angle * angle
    cos = 1.0 - b * (1.0 / 2.0 - b * (1.0 / 24.0 - b / 720.0))
    sin = angle * (1.0 - b * (1.0 / 6.0 - b * (1.0 / 120.0 - b / 5040.0)))
    return cos + 1j * sin
