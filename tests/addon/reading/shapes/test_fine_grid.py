# SPDX-License-Identifier: GPL-3.0-or-later
"""Footprints of scans on a grid, against brute force and against the exact union of polygons."""

import hashlib

import numpy as np
import pytest

from .test_footprints import (
    BOTTOM,
    SOLIDS,
    TOP,
    _build,
    _covered,
    _distance_to_edges,
    _heights_met,
    _stand_there,
    _tube,
)

SAME = 0.02  # [m]
INSIDE = 0.002 + 1e-6  # [m] how far an outline may lie inside the exact one


class Reader:
    """Reads the footprint of one body, exactly or on the grid.

    Attributes:
        lines: float64 (S, 2, 2), vertical faces and bare edges in plan, which belong to the body.
    """

    def __init__(self, addon, monkeypatch):
        self.slab, self.footprints, self.grid = (
            addon.module(f"blender_addon.reading.shapes.{name}") for name in ("slab", "footprints", "fine_grid")
        )
        self.monkeypatch = monkeypatch
        self.lines = np.empty((0, 2, 2))

    def surface(self, points, triangles):
        return self.slab.make_surface(points, triangles, np.zeros(len(triangles), dtype=np.int64))

    def __call__(self, points, triangles, *, on_grid):
        most = 0 if on_grid else 10**9
        self.monkeypatch.setattr(self.footprints, "_CROWDED", self.footprints.CrowdedEdges(most, np.inf))
        lines = self.footprints.Lines(self.lines, np.zeros(len(self.lines), dtype=np.int64))
        shapes, crowded = self.footprints.find_footprints_with(lines, self.surface(points, triangles), BOTTOM, TOP)
        assert crowded == ({0} if on_grid else set())
        return shapes[0]


@pytest.fixture
def read(addon, monkeypatch):
    return Reader(addon, monkeypatch)


@pytest.fixture
def segments(addon):
    return addon.module("core.geometry.segments")


def _scan(seed, rows=30, columns=60):
    """A lump that is rough by 3 mm, with a hole, an arm and loose parts, partly below the ground."""
    rng = np.random.default_rng(seed)
    parts, triangles, first = [], [], 0
    i, j = np.meshgrid(np.arange(rows - 1), np.arange(columns), indexing="ij")
    a, b = i * columns + j, i * columns + (j + 1) % columns
    grid = np.concatenate([np.stack([a, b, b + columns], -1), np.stack([a, b + columns, a + columns], -1)])
    for size, centre in (
        ((0.8, 0.6, 1.2), (0, 0, 0.9)),
        ((1.2, 0.05, 0.05), (0.4, 0.1, 1.0)),
        ((0.1, 0.1, 0.1), (1, 1, 1)),
    ):
        polar, turn = np.meshgrid(np.linspace(0.05, 3.09, rows), np.arange(columns) * (2 * np.pi / columns))
        out = np.stack([np.sin(polar) * np.cos(turn), np.sin(polar) * np.sin(turn), np.cos(polar)], -1)
        out = out.transpose(1, 0, 2).reshape(-1, 3)
        bumps = 1.0 + 0.15 * np.sin(4.0 * out[:, 0] + 5.0 * out[:, 2]) * np.sin(6.0 * out[:, 1])
        parts.append(out * bumps[:, None] * size + centre + rng.normal(size=out.shape) * 0.003)
        triangles.append(grid.reshape(-1, 3)[rng.uniform(size=grid.size // 3) > 0.002] + first)
        first += len(out)
    return np.concatenate(parts), np.concatenate(triangles)


def _along_edges(shapes, step=0.01):
    found = []
    for ring in (ring for outline, holes in shapes for ring in (outline, *holes)):
        for start, end in zip(ring, np.roll(ring, -1, axis=0), strict=True):
            count = int(np.hypot(*(end - start)) / step) + 1
            found.append(start + np.arange(count)[:, None] / count * (end - start))
    return np.concatenate(found)


def _farthest_out(shapes, other, segments):
    """How far the outlines of shapes lie outside others, at most."""
    places = _along_edges(shapes)
    outside = ~_covered(other, places, segments.contains)
    return _distance_to_edges(other, places[outside], segments).max(initial=0.0)


@pytest.mark.parametrize("solid", SOLIDS)
def test_a_solid_covers_where_it_stands_to_two_centimetres(read, segments, solid):
    points, triangles, parts = _build(solid, "tilted")
    shapes = read(points, triangles, on_grid=True)
    low, high = points.min(axis=0)[:2] - 0.2, points.max(axis=0)[:2] + 0.2
    places = np.random.default_rng(3).uniform(low, high, (700, 2))
    truth = _stand_there(parts, places)
    clear = _distance_to_edges(shapes, places, segments) > np.where(truth, INSIDE, SAME)
    np.testing.assert_array_equal(_covered(shapes, places, segments.contains)[clear], truth[clear])
    assert clear.mean() > 0.9


@pytest.mark.parametrize("seed", range(3))
def test_a_rough_scan_has_the_outline_of_the_exact_union_to_two_centimetres(read, segments, seed):
    points, triangles = _scan(seed)
    exact, shapes = (read(points, triangles, on_grid=on_grid) for on_grid in (False, True))
    assert _farthest_out(shapes, exact, segments) < SAME
    assert _farthest_out(exact, shapes, segments) < INSIDE
    count = [sum(len(ring) for outline, holes in found for ring in (outline, *holes)) for found in (exact, shapes)]
    assert count[1] < 0.5 * count[0]


@pytest.mark.parametrize("seed", range(8))
def test_of_any_triangles_nothing_is_missed_and_the_outlines_are_sound(addon, read, segments, seed):
    core, rng = addon.module("core.scene"), np.random.default_rng(seed)
    points = rng.normal(size=(30, 3)) * (6.0, 6.0, 1.5)
    if seed % 2 == 0:
        points = np.round(points)  # corners and edges coincide, with each other and with edges of cells
    triangles = np.array([rng.choice(30, 3, replace=False) for _ in range(60)])
    shapes = read(points, triangles, on_grid=True)
    core.Scene(obstacles=tuple(core.Obstacle(f"{k}", outline, holes) for k, (outline, holes) in enumerate(shapes)))
    places = rng.uniform(-12, 12, (400, 2))
    surface = read.surface(points, triangles)
    met = _heights_met(points[triangles[surface.facing != 0]], places)
    standing = np.any((met >= BOTTOM) & (met < TOP), axis=1)
    missed = places[standing & ~_covered(shapes, places, segments.contains)]
    assert standing.sum() > 20
    assert _distance_to_edges(shapes, missed, segments).max(initial=0.0) < INSIDE


def test_a_house_keeps_its_yard_and_walls_all_round_are_filled(read, segments):
    yard = read(*_build("house with a yard", "upright")[:2], on_grid=True)
    assert [len(holes) for _, holes in yard] == [1]
    points, faces = _tube([(0, 0), (2, 0), (2, 2), (0, 2)], 0.0, 5.0)
    triangles = np.array([(f[0], f[k], f[k + 1]) for f in faces for k in (1, 2)])
    ((outline, holes),) = read(np.array(points, dtype=float), triangles, on_grid=True)
    assert holes == ()
    assert segments.signed_area(outline) == pytest.approx(4.0, rel=0.03)


def test_lines_become_thin_outlines_that_stay_in_one_piece(read, segments):
    angle = np.linspace(0.0, 5.0, 300)
    line = np.stack([np.cos(angle), np.sin(angle)], axis=1) * (1.0 + 0.2 * angle)[:, None]
    read.lines = np.stack([line[:-1], line[1:]], axis=1)
    ((outline, holes),) = read(np.zeros((3, 3)), np.empty((0, 3), dtype=np.int64), on_grid=True)
    assert holes == ()
    assert segments.contains(outline, line).all()
    assert _distance_to_edges([(outline, ())], line, segments).max() < SAME
    assert segments.signed_area(outline) < SAME * segments.length_of(line)


def test_neither_the_order_of_faces_nor_the_place_nor_the_bands_change_an_outline(read):
    points, triangles = _scan(5)
    shapes = read(points, triangles, on_grid=True)
    mixed = read(points, np.random.default_rng(1).permutation(triangles), on_grid=True)
    far = np.array([1024.0, -4096.0])
    points = np.round(points * 2.0**30) / 2.0**30  # exact also there
    near, moved = (read(points + np.append(shift, 0.0), triangles, on_grid=True) for shift in ((0.0, 0.0), far))
    read.monkeypatch.setattr(read.grid, "_SETTINGS", read.grid.GridSettings(most_steps=500))
    banded = read(points, triangles, on_grid=True)
    for one, other, shift in ((shapes, mixed, 0.0), (near, moved, far), (near, banded, 0.0)):
        assert len(one) == len(other)
        for (outline, holes), (expected, expected_holes) in zip(other, one, strict=True):
            np.testing.assert_array_equal(outline, expected + shift)
            assert len(holes) == len(expected_holes)


def test_the_outline_is_the_same_on_every_machine(read):
    points = np.random.default_rng(2).uniform(-1.0, 1.0, (300, 3))
    triangles = np.arange(900).reshape(-1, 3) * 7 % 300
    shapes = read(points, triangles, on_grid=True)
    digest = hashlib.sha256(b"".join(ring.tobytes() for outline, holes in shapes for ring in (outline, *holes)))
    assert digest.hexdigest()[:16] == "2c7383e793aa7001"


@pytest.mark.parametrize(
    ("count", "length", "crowded"), [(20_001, 0.4, True), (20_000, 0.4, False), (20_001, 0.6, False)]
)
def test_only_many_short_edges_are_read_on_the_grid(read, count, length, crowded):
    ends = np.tile([(0.0, 0.0), (0.0, length)], (count, 1, 1))
    assert read.footprints._are_crowded(ends, np.zeros(count, dtype=np.int64)).tolist() == [crowded]
