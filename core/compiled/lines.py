# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines that are sampled and walked: in `core.planning.paths`, twins of `drawn_line`, `pure_pursuit`, `clothoids`."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..array_types import Complex128, Float64, Int64
from .circular import arctan2, cos_sin
from .compiling import each_row, part, run_over
from .path_rows import chord_of_cell


def walk(samples: Float64, first: Int64, begins: Float64, limits: Float64, most: int) -> tuple[Float64, Int64]:
    """Walk along lines until each is past its goal.

    Args:
        samples: float64 (M, 5), of all lines: x and y, the step to the next sample, and its squared length.
        first: int64 (N,), the first sample of each line.
        begins: float64 (N, 6), x and y where it begins, of the heading there, the last place and the goal [samples].
        limits: float64 (7,), look-ahead, sharpest turn, its change, least progress, cell, window, cost of the window.
        most: cells that a line can take.

    Returns:
        Curvature and place along the line at each node, float64 (N, 2, most + 1), and int64 (N,), how many there are.
    """
    nodes, counts = np.empty((len(first), 2, most + 1)), np.empty(len(first), dtype=np.int64)
    run_over(len(first), _walk_all, samples, first, begins, limits, (nodes, counts))
    return nodes, counts


class WalkNumbers(NamedTuple):
    """How lines are sampled and walked.

    Attributes:
        weights: float64 (W,), of neighbouring samples.
        walk: float64 (7,), see `walk`.
        spacing: of the samples [m].
        end_chord, run, run_out: see `sample_line` and `ReferenceSettings` [m].
        apart: nodes from one kept sum to the next.
    """

    weights: Float64
    walk: Float64
    spacing: float
    end_chord: float
    run: float
    run_out: float
    apart: int


class Followed(NamedTuple):
    """What is known of N lines that were followed, one behind the other.

    Attributes:
        counts: int64 (N,), nodes of each.
        first: int64 (N,), of each its first row of the nodes.
        nodes: float64 (2, M), curvature and place along the line at each node.
        sums: complex128 and float64, displacement and angle turned up to each 64th node.
        sums_first: int64 (N,), likewise.
        about: float64 (N, 7), x and y of the first place, heading there, length, largest free width, turn, deviation.
    """

    counts: Int64
    first: Int64
    nodes: Float64
    moved: Complex128
    turned: Float64
    sums_first: Int64
    about: Float64


def follow(drawn: Float64, first: Int64, settings: WalkNumbers) -> Followed:
    """Sample open lines, walk along them and integrate what was walked.

    Args:
        drawn: float64 (Q, 5), of all lines: arc length along their own, x and y, free width left and right [m].
        first: int64 (N + 1,), the first point of each line, and all points.
        settings: see there.
    """
    lengths = drawn[first[1:] - 1, 0]
    most = ((lengths + settings.run_out) / settings.spacing / settings.walk[3]).astype(np.int64) + 3
    sums = most // settings.apart + 1
    rows, sums_rows = np.cumsum(most) - most, np.cumsum(sums) - sums
    found = Followed(
        np.empty(len(lengths), dtype=np.int64),
        rows,
        np.empty((2, most.sum())),
        np.empty(sums.sum(), dtype=np.complex128),
        np.empty(sums.sum()),
        sums_rows,
        np.empty((len(lengths), 7)),
    )
    run_over(len(lengths), _follow_all, drawn, first, most, settings, found)
    return found


def warm_up() -> None:
    """Compile."""
    walk(np.ones((4, 5)), np.zeros(1, dtype=np.int64), np.zeros((1, 6)), np.ones(7), 1)
    settings = WalkNumbers(np.ones(1), np.ones(7), 1.0, 1.0, 12.0, 1.0, 64)
    follow(np.array([[0.0, 0.0, 0.0, 1.0, 1.0], [1.0, 1.0, 0.0, 1.0, 1.0]]), np.array([0, 2]), settings)


@part
def _wanted_curvature(samples, first, pose, curvature, at, last, limits):
    x, y, cos, sin = pose
    ahead = min(at + limits[0], last)
    whole = int(ahead)
    share, row = ahead - whole, first + whole
    apart_x = samples[row, 0] + share * samples[row, 2] - x
    apart_y = samples[row, 1] + share * samples[row, 3] - y
    forward, aside = apart_x * cos - apart_y * -sin, apart_x * -sin + apart_y * cos
    most = limits[1]
    if forward < 0.0:
        turning = curvature if abs(curvature) > 0.5 * most else aside
        return -most if turning < 0.0 else most
    wanted = 2.0 * aside / max(forward * forward + aside * aside, 1e-12)
    return min(max(wanted, -most), most)


@part
def _progress(samples, first, x, y, at, last, limits):
    begin = first + int(at)
    near, best = math.inf, begin
    for k in range(int(limits[5])):
        away_x, away_y = x - samples[begin + k, 0], y - samples[begin + k, 1]
        cost = away_x * away_x + away_y * away_y + limits[6] * k
        if cost < near:
            near, best = cost, begin + k
    away_x, away_y = x - samples[best, 0], y - samples[best, 1]
    share = (away_x * samples[best, 2] + away_y * samples[best, 3]) / samples[best, 4]
    nearest = best - first + min(max(share, -1.0), 1.0)
    return min(max(nearest, at + limits[3]), last)


@each_row(takes=20.0)
def _walk_all(begin, end, samples, first, begins, limits, found):
    nodes, counts = found
    for k in range(begin, end):
        counts[k] = _walked(samples, first[k], begins[k], limits, nodes[k, 0], nodes[k, 1])


@part
def _walked(samples, first, pose, limits, curvatures, places):
    """Walk along one line; return how many nodes there are."""
    x, y, cos, sin, last, goal = pose
    cell, change = limits[4], limits[2]
    curvature, at, count = 0.0, 0.0, 1
    curvatures[0], places[0] = curvature, at
    while at < goal and count < len(places):
        before = curvature
        curvature = _wanted_curvature(samples, first, (x, y, cos, sin), curvature, at, last, limits)
        curvature = min(max(curvature, before - change), before + change)
        turned, skew = (0.5 * cell) * (before + curvature), cell * (curvature - before)
        bow, skewed, half = turned * turned, 0.125 * skew, 0.5 * turned
        b = half * half
        half_x = 1.0 - b * (1.0 / 2.0 - b * (1.0 / 24.0 - b / 720.0))
        half_y = half * (1.0 - b * (1.0 / 6.0 - b * (1.0 / 120.0 - b / 5040.0)))
        middle_x, middle_y = cos * half_x - sin * half_y, cos * half_y + sin * half_x
        chord_x, chord_y = cell * (1.0 - bow * (1.0 / 24.0 - bow / 1920.0)), (cell / 24.0) * skew
        straight = 1.0 - 0.5 * skewed * skewed
        along_x, along_y = middle_x * straight - middle_y * -skewed, middle_x * -skewed + middle_y * straight
        x += along_x * chord_x - along_y * chord_y
        y += along_x * chord_y + along_y * chord_x
        cos, sin = middle_x * half_x - middle_y * half_y, middle_x * half_y + middle_y * half_x
        at = _progress(samples, first, x, y, at, last, limits)
        curvatures[count], places[count] = curvature, at
        count += 1
    return count


@each_row(takes=60.0)
def _follow_all(begin, end, drawn, first, most, settings, found):
    counts, rows, nodes, moved, turned, sums_rows, about = found
    border, longest = len(settings.weights) // 2, 0.0
    for k in range(begin, end):
        longest = max(longest, drawn[first[k + 1] - 1, 0])
    samples = math.ceil((longest + settings.run) / settings.spacing) + 2
    raw, table = np.empty((4, samples + 2 * border)), np.empty((samples, 5))
    for k in range(begin, end):
        line = drawn[first[k] : first[k + 1]]
        length = line[len(line) - 1, 0]
        samples = math.ceil((length + settings.run) / settings.spacing) + 2
        _sample(line, settings, samples, raw, table)
        x, y = table[1, 0] - table[0, 0], table[1, 1] - table[0, 1]
        scale = 1.0 / math.sqrt(x * x + y * y)
        x, y = (x + y * 0.0) * scale, (y - x * 0.0) * scale
        last, goal = samples - 2.0 - settings.walk[5], (length + settings.run_out) / settings.spacing
        pose = table[0, 0], table[0, 1], x, y, last, goal
        low, own = rows[k], sums_rows[k]
        count = _walked(table, 0, pose, settings.walk, nodes[0, low : low + most[k]], nodes[1, low : low + most[k]])
        counts[k], curvature, progress = count, nodes[0, low : low + count], nodes[1, low : low + count]
        progress *= settings.spacing
        about[k, 0], about[k, 1], about[k, 2] = table[0, 0], table[0, 1], arctan2(y, x)
        _integrated(line, (curvature, progress), settings, (table, samples), (moved[own:], turned[own:]), about[k])


@part
def _sample(line, settings, count, raw, table):
    """Write the even, smooth samples of a line, the step from each to the next, and its squared length."""
    weights, spacing, last = settings.weights, settings.spacing, len(line) - 1
    border, length = len(weights) // 2, line[last, 0]
    out_x, out_y, on_x, on_y = _ways_on(line, min(settings.end_chord, length))
    at, slope_x, slope_y = -1, 0.0, 0.0
    for k in range(count + 2 * border):
        u = spacing * (k - border)
        while at < 0 or (at < last and line[at + 1, 0] <= u):
            at += 1
            slope_x, slope_y = _slope(line, at, 1), _slope(line, at, 2)
        past, early, late = max(u - line[at, 0], 0.0), min(u, 0.0), max(u - length, 0.0)
        raw[0, k] = slope_x * past + line[at, 1] + (early * out_x + late * on_x)
        raw[1, k] = slope_y * past + line[at, 2] + (early * out_y + late * on_y)
    smooth = raw[2:, :count]
    smooth[:] = 0.0
    for k, weight in enumerate(weights):
        for row in range(count):
            smooth[0, row] += weight * raw[0, row + k]
        for row in range(count):
            smooth[1, row] += weight * raw[1, row + k]
    for row in range(count):
        following = min(row + 1, count - 1)
        x, y = smooth[0, following] - smooth[0, row], smooth[1, following] - smooth[1, row]
        table[row, 0], table[row, 1], table[row, 2], table[row, 3] = smooth[0, row], smooth[1, row], x, y
        table[row, 4] = max(x * x + y * y, 1e-12)


@part
def _slope(line, at, column):
    """How much a number changes per metre from a point of a line to the next; 0 from the last."""
    if at == len(line) - 1 or line[at + 1, 0] == line[at, 0]:
        return 0.0
    change, apart = line[at + 1, column] - line[at, column], line[at + 1, 0] - line[at, 0]
    return change * (1.0 / apart) if column < 3 else change / apart  # as `np.interp`: places are complex numbers


@part
def _place_at(line, u):
    """The place on a line at an arc length."""
    at = 0
    while at < len(line) - 1 and line[at + 1, 0] <= u:
        at += 1
    past = max(u - line[at, 0], 0.0)
    return _slope(line, at, 1) * past + line[at, 1], _slope(line, at, 2) * past + line[at, 2]


@part
def _ways_on(line, chord):
    """The directions in which a line is extended before its start and past its end."""
    last, begin = len(line) - 1, 0
    end = last
    x, y = _place_at(line, chord)
    while _apart(line, begin, begin + 1) == 0.0:
        begin += 1
    out_x, out_y = _unit(x - line[0, 1], y - line[0, 2], line, begin, begin + 1)
    x, y = _place_at(line, line[last, 0] - chord)
    while _apart(line, end - 1, end) == 0.0:
        end -= 1
    on_x, on_y = _unit(line[last, 1] - x, line[last, 2] - y, line, end - 1, end)
    return out_x, out_y, on_x, on_y


@part
def _apart(line, a, b):
    x, y = line[b, 1] - line[a, 1], line[b, 2] - line[a, 2]
    return math.sqrt(x * x + y * y)


@part
def _unit(x, y, line, a, b):
    """The direction of a vector, or from one point of a line to another where it has none."""
    if math.sqrt(x * x + y * y) <= 1e-6:
        x, y = line[b, 1] - line[a, 1], line[b, 2] - line[a, 2]
    scale = 1.0 / math.sqrt(x * x + y * y)
    return x * scale, y * scale


@part
def _integrated(line, nodes, settings, samples, sums, about):
    """Write the sums at every 64th node, and length, free width, turn and deviation of the path."""
    (curvature, progress), (table, count), (moved, turned) = nodes, samples, sums
    cell, apart, last = settings.walk[4], settings.apart, len(line) - 1
    start_x, start_y, begun, length = about[0], about[1], about[2], line[last, 0]
    end = min(int((progress < length).sum()), len(progress) - 1)
    x = y = angle = past = deviation2 = wide = left = right = 0.0
    at = -1
    for row in range(len(curvature)):
        if row:
            bend, rate = curvature[row - 1], (curvature[row] - curvature[row - 1]) / cell
            step_x, step_y = chord_of_cell(begun + angle, bend, rate, cell)
            x, y = x + step_x, y + step_y
            angle += 0.5 * (bend + curvature[row]) * cell
        if row % apart == 0:
            moved[row // apart], turned[row // apart] = complex(x, y), angle
        u, place_x, place_y = progress[row], start_x + x, start_y + y
        if row == end:
            cos, sin = cos_sin(-(begun + angle))
            past = (line[last, 1] - place_x) * cos - (line[last, 2] - place_y) * sin
        while at < 0 or (at < last and line[at + 1, 0] <= u):
            at += 1
            left, right = _slope(line, at, 3), _slope(line, at, 4)
        beyond = u - line[at, 0]
        wide = max(wide, left * beyond + line[at, 3], right * beyond + line[at, 4])
        if u <= length:
            ahead = min(u / settings.spacing, count - 1.001)
            node = int(ahead)
            share = ahead - node
            away_x = place_x - table[node, 0] - share * table[node, 2]
            away_y = place_y - table[node, 1] - share * table[node, 3]
            deviation2 = max(deviation2, away_x * away_x + away_y * away_y)
    about[3] = max(end * cell + min(max(past, -cell), cell), 1e-3)
    about[4], about[5], about[6] = wide, begun + angle - begun, math.sqrt(deviation2)
