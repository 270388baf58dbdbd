# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes for corridor maps, and brute force that knows nothing of them."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from core.geometry.segments import closest_on_segments, segments_meet
from core.routing import CorridorMap

DATA = Path(__file__).parents[2] / "data"


def edges_of_all(shapes):
    """Every edge of outlines, two-point walls and single points, as starts and ends."""
    starts, ends = [], []
    for shape in shapes:
        points = np.asarray(shape, dtype=np.float64)
        closed = len(points) > 2
        starts.append(points if closed or len(points) == 1 else points[:-1])
        ends.append(np.roll(points, -1, axis=0) if closed or len(points) == 1 else points[1:])
    return np.concatenate(starts), np.concatenate(ends)


def clearance_of(way, starts, ends):
    """Least distance between a way and some segments, by trying all pairs; -1 where they meet."""

    def apart(points, a, b):
        return np.hypot(*np.moveaxis(closest_on_segments(points, a, b) - points, -1, 0))

    least = np.inf
    for a, b in pairwise(way):
        if np.any(segments_meet(a, b, starts, ends)):
            return -1.0
        least = min(
            least,
            apart(a, starts, ends).min(),
            apart(b, starts, ends).min(),
            apart(starts, a, b).min(),
            apart(ends, a, b).min(),
        )
    return least


def regular(centre, radius, corners, phase=0.0):
    angle = phase + 2.0 * np.pi * np.arange(corners) / corners
    return centre + radius * np.stack((np.cos(angle), np.sin(angle)), axis=1)


def box(x, y, width, height):
    return np.array([[x, y], [x + width, y], [x + width, y + height], [x, y + height]], dtype=np.float64)


def _random_part(rng, size):
    """Some obstacles of one troublesome kind."""
    c = rng.random(2) * size
    whole = np.floor(c)
    kinds = [
        lambda: [regular(c, rng.uniform(0.5, 6.0), int(rng.integers(3, 9)), rng.random())],
        lambda: [box(*whole, 3, 2), box(whole[0] + 3, whole[1], 2, 2)],  # with an edge in common
        lambda: [box(*whole, 2, 2), box(*(whole + 2), 2, 2)],  # touching in a corner
        lambda: [regular(whole, 4.0, 16)],  # corners on a circle
        lambda: [regular(whole + 6.0 * regular(0.0, 1.0, 8)[k], 1.0, 4) for k in range(8)],  # and whole obstacles
        lambda: [c[None]],
        lambda: [np.stack((c, rng.random(2) * size))],  # a wall that may cross anything
        lambda: [regular(c, 5.0, 6), regular(c, 2.0, 5)],  # nested
        lambda: [regular(c, 4.0, 5)[[0, 2, 4, 1, 3]]],  # a star that crosses itself
        lambda: [box(x, whole[1], 1, 1) for x in range(2, 38, 4)],  # in a line
        lambda: [c + np.array([[0, 0], [0, 0], [3, 0], [3, 0], [6, 0]])],  # no area, repeated points
        lambda: [c + np.array([[0, 0], [6, 0], [6, 1], [1, 1], [1, 3], [6, 3], [6, 4], [0, 4]])],  # a bay
    ]
    return kinds[rng.integers(len(kinds))]()


@pytest.fixture
def random_scene():
    """A function from a seed to obstacles and bounds."""

    def make(seed, size=40.0):
        rng = np.random.default_rng(seed)
        obstacles = [shape for _ in range(rng.integers(1, 12)) for shape in _random_part(rng, size)]
        return obstacles, box(0.0, 0.0, size, size)

    return make


@pytest.fixture(scope="session")
def town():
    """A function from a map's name to its obstacles and bounds; the maps are those of the paper's table."""

    def read(name):
        data = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
        return [np.array(outline) for outline in data["obstacles"]], np.array(data["bounds"])

    return read


@pytest.fixture(scope="session")
def built(town):
    """A function from a map's name to its corridor map, built once."""
    maps = {}

    def get(name):
        if name not in maps:
            maps[name] = CorridorMap(*town(name))
        return maps[name]

    return get
