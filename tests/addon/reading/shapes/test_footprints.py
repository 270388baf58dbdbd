# SPDX-License-Identifier: GPL-3.0-or-later
"""Ground plans against brute force: vertical lines through random places, triangle by triangle."""

import bmesh
import numpy as np
import pytest
from mathutils import Euler, Matrix

BOTTOM, TOP = -0.05, 2.0
NEAR_EDGE = 2e-3


@pytest.fixture
def reading(addon):
    return addon.module("blender_addon.reading.shapes.slab"), addon.module("blender_addon.reading.shapes.footprints")


def _torus(mesh):
    ring = bmesh.ops.create_circle(mesh, segments=12, radius=0.5, matrix=Matrix.Translation((1.6, 0, 0)) @ _turn(1.57))
    bmesh.ops.spin(
        mesh, geom=ring["verts"] + mesh.edges[:], axis=(0, 0, 1), cent=(0, 0, 0), steps=24, angle=2 * np.pi,
        use_merge=True, use_duplicate=False,
    )  # fmt: skip


def _turn(angle):
    return Matrix.Rotation(angle, 4, "X")


def _prism(*corners, height=3.0):
    def build(mesh):
        face = mesh.faces.new([mesh.verts.new((x, y, -0.5)) for x, y in corners])
        top = bmesh.ops.extrude_face_region(mesh, geom=[face], use_keep_orig=True)["geom"]
        bmesh.ops.translate(mesh, verts=[v for v in top if isinstance(v, bmesh.types.BMVert)], vec=(0, 0, height))
        bmesh.ops.recalc_face_normals(mesh, faces=mesh.faces[:])

    return build


def _courtyard(mesh):
    """A square house round a square yard; walls, roof and floor are one surface."""
    rings = []
    for size, z in ((4.0, -0.5), (4.0, 3.0), (2.0, 3.0), (2.0, -0.5)):
        rings.append([mesh.verts.new((x * size, y * size, z)) for x, y in ((1, 1), (-1, 1), (-1, -1), (1, -1))])
    for first, second in zip(rings, rings[1:] + rings[:1], strict=True):
        for k in range(4):
            mesh.faces.new((first[k], first[k - 1], second[k - 1], second[k]))


def _sphere(mesh):
    bmesh.ops.create_icosphere(mesh, subdivisions=3, radius=1.3, matrix=Matrix.Translation((0, 0, 0.4)))


def _two_spheres(mesh):
    _sphere(mesh)
    bmesh.ops.create_icosphere(mesh, subdivisions=3, radius=1.0, matrix=Matrix.Translation((1.4, 0.3, 2.2)))


def _hull(seed):
    def build(mesh):
        for place in np.random.default_rng(seed).normal(size=(30, 3)) * (2.0, 1.2, 1.5):
            mesh.verts.new(place)
        inside = bmesh.ops.convex_hull(mesh, input=mesh.verts[:])
        unused = {v for v in inside["geom_interior"] + inside["geom_unused"] if isinstance(v, bmesh.types.BMVert)}
        bmesh.ops.delete(mesh, geom=list(unused), context="VERTS")

    return build


SOLIDS = {
    "sphere": _sphere,
    "torus": _torus,
    "an L": _prism((0, 0), (3, 0), (3, 1), (1, 1), (1, 4), (0, 4)),
    "a thick U": _prism((0, 0), (5, 0), (5, 3), (4, 3), (4, 1), (1, 1), (1, 3), (0, 3)),
    "house with a yard": _courtyard,
    "two spheres that overlap": _two_spheres,
    "hull 1": _hull(1),
    "hull 2": _hull(2),
}
POSES = {
    "upright": Matrix(),
    "tilted": Euler((0.4, 0.3, 0.7)).to_matrix().to_4x4(),
    "lying": Matrix.Translation((0.3, 0.2, 0.9)) @ Euler((1.5, 0.1, 0.0)).to_matrix().to_4x4(),
    "mirrored and stretched": Matrix.Diagonal((-1.5, 0.7, 1.2, 1.0)),
}


def _build(solid, pose):
    mesh = bmesh.new()
    SOLIDS[solid](mesh)
    bmesh.ops.transform(mesh, matrix=POSES[pose], verts=mesh.verts[:])
    bmesh.ops.triangulate(mesh, faces=mesh.faces[:])
    mesh.verts.index_update()
    points = np.array([v.co[:] for v in mesh.verts])
    triangles = np.array([[v.index for v in face.verts] for face in mesh.faces])
    parts = _parts(mesh)
    mesh.free()
    return points, triangles, parts


def _parts(mesh):
    """Corners of the triangles of each connected part: a place is solid where it is inside any of them."""
    left, parts = set(mesh.faces), []
    while left:
        found, waiting = set(), [left.pop()]
        while waiting:
            face = waiting.pop()
            found.add(face)
            touching = {other for edge in face.edges for other in edge.link_faces} & left
            left -= touching
            waiting += touching
        parts.append(np.array([[v.co[:] for v in face.verts] for face in found]))
    return parts


def _heights_met(corners, places):
    """Where a vertical line through each place meets each triangle; NaN where it does not."""
    a, b, c = np.moveaxis(corners, 1, 0)
    det = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
    det = np.where(det == 0.0, np.nan, det)
    away = places[:, None] - a[:, :2]  # (N, T, 2)
    u = (away[..., 0] * (c - a)[:, 1] - away[..., 1] * (c - a)[:, 0]) / det
    v = ((b - a)[:, 0] * away[..., 1] - (b - a)[:, 1] * away[..., 0]) / det
    met = (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0)
    return np.where(met, a[:, 2] + u * (b - a)[:, 2] + v * (c - a)[:, 2], np.nan)


def _stand_there(parts, places):
    """Which places have something solid in the slab: a surface in it, or an odd number of surfaces below it."""
    stands = np.zeros(len(places), dtype=bool)
    for corners in parts:
        z = _heights_met(corners, places)
        stands |= np.any((z >= BOTTOM) & (z < TOP), axis=1) | (np.sum(z < BOTTOM, axis=1) % 2 == 1)
    return stands


def _covered(shapes, points, contains):
    covered = np.zeros(len(points), dtype=bool)
    for outline, holes in shapes:
        inside = contains(outline, points)
        for hole in holes:
            inside &= ~contains(hole, points)
        covered |= inside
    return covered


def _distance_to_edges(shapes, points, segments):
    rings = [ring for outline, holes in shapes for ring in (outline, *holes)]
    if not rings:
        return np.full(len(points), np.inf)
    starts = np.concatenate(rings)
    ends = np.concatenate([np.roll(ring, -1, axis=0) for ring in rings])
    return segments.nearest_on_segments(points, starts, ends)[0]


@pytest.mark.parametrize("pose", POSES)
@pytest.mark.parametrize("solid", SOLIDS)
def test_a_solid_covers_exactly_where_it_stands(addon, reading, solid, pose):
    slab, footprints = reading
    segments = addon.module("core.geometry.segments")
    points, triangles, parts = _build(solid, pose)
    surface = slab.make_surface(points, triangles, np.zeros(len(triangles), dtype=np.int64))
    shapes = footprints.find_footprints(surface, BOTTOM, TOP).get(0, [])
    low, high = points.min(axis=0)[:2] - 0.2, points.max(axis=0)[:2] + 0.2
    places = np.random.default_rng(3).uniform(low, high, (700, 2))
    clear = _distance_to_edges(shapes, places, segments) > NEAR_EDGE
    truth = _stand_there(parts, places)
    assert 20 < truth.sum() < 680
    np.testing.assert_array_equal(_covered(shapes, places, segments.contains)[clear], truth[clear])
    assert clear.mean() > 0.9


def test_bodies_read_together_give_what_each_gives_alone(reading):
    slab, footprints = reading
    built = [_build(solid, "tilted")[:2] for solid in SOLIDS]
    alone = [
        footprints.find_footprints(slab.make_surface(p, t, np.zeros(len(t), dtype=np.int64)), BOTTOM, TOP)[0]
        for p, t in built
    ]
    first = np.cumsum([0] + [len(p) for p, _ in built])
    together = footprints.find_footprints(
        slab.make_surface(
            np.concatenate([p for p, _ in built]),
            np.concatenate([t + n for (_, t), n in zip(built, first, strict=False)]),
            np.repeat(np.arange(len(built)), [len(t) for _, t in built]),
        ),
        BOTTOM,
        TOP,
    )
    assert sorted(together) == list(range(len(built)))
    for number, shapes in enumerate(alone):
        assert len(together[number]) == len(shapes)
        for (outline, holes), (expected, expected_holes) in zip(together[number], shapes, strict=True):
            assert len(holes) == len(expected_holes)
            assert _area(outline) == pytest.approx(_area(expected), rel=1e-5)


def _area(ring):
    x, y = ring.T
    return 0.5 * float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


def _plan_of(reading, points, faces, bottom=BOTTOM, top=TOP):
    slab, footprints = reading
    triangles = np.array([(f[0], f[k], f[k + 1]) for f in faces for k in range(1, len(f) - 1)])
    surface = slab.make_surface(np.array(points, dtype=float), triangles, np.zeros(len(triangles), dtype=np.int64))
    return footprints.find_footprints(surface, bottom, top).get(0, [])


def _tube(corners, low, high):
    """Walls without floor or roof round a polygon."""
    n = len(corners)
    points = [(x, y, low) for x, y in corners] + [(x, y, high) for x, y in corners]
    return points, [(k, (k + 1) % n, n + (k + 1) % n, n + k) for k in range(n)]


SQUARE = [(0, 0), (2, 0), (2, 2), (0, 2)]


def test_walls_all_round_without_floor_or_roof_are_filled(reading):
    shapes = _plan_of(reading, *_tube(SQUARE, 0.0, 5.0))
    assert len(shapes) == 1
    assert _area(shapes[0][0]) == pytest.approx(4.0)


def test_low_walls_all_round_are_filled_too(reading):
    shapes = _plan_of(reading, *_tube(SQUARE, 0.0, 0.3))
    assert _area(shapes[0][0]) == pytest.approx(4.0)


def test_a_partition_joined_to_the_outer_walls_does_not_open_them(reading):
    points, faces = _tube([(0, 0), (1, 0), (2, 0), (2, 2), (1, 2), (0, 2)], 0.0, 3.0)
    shapes = _plan_of(reading, points, [*faces, (1, 4, 10, 7)])
    assert len(shapes) == 1
    assert _area(shapes[0][0]) == pytest.approx(4.0)


def test_two_cubes_that_share_a_wall_are_one_outline(reading):
    points = [(x, y, z) for x in (0, 1, 2) for y in (0, 1) for z in (0.0, 1.0)]
    faces = []
    for a, b in ((0, 4), (4, 8)):
        faces += [
            (a, a + 1, b + 1, b),
            (a + 2, a + 3, b + 3, b + 2),
            (a, a + 2, b + 2, b),
            (a + 1, a + 3, b + 3, b + 1),
        ]
    faces += [(0, 1, 3, 2), (4, 5, 7, 6), (8, 9, 11, 10)]
    shapes = _plan_of(reading, points, faces)
    assert len(shapes) == 1
    assert _area(shapes[0][0]) == pytest.approx(2.0)


@pytest.mark.parametrize("z", [-0.05, -0.01, 0.0, 1.0, 1.999])
def test_a_level_plane_in_the_slab_counts_whole(reading, z):
    shapes = _plan_of(reading, [(x, y, z) for x, y in SQUARE], [(0, 1, 2, 3)])
    assert _area(shapes[0][0]) == pytest.approx(4.0)


@pytest.mark.parametrize("z", [-0.06, 2.0, 2.5])
def test_a_level_plane_outside_the_slab_counts_not_at_all(reading, z):
    assert _plan_of(reading, [(x, y, z) for x, y in SQUARE], [(0, 1, 2, 3)]) == []


def test_a_ramp_counts_as_far_as_it_is_below_head_height(reading):
    shapes = _plan_of(reading, [(0, 0, 0), (4, 0, 4), (4, 1, 4), (0, 1, 0)], [(0, 1, 2, 3)])
    outline = shapes[0][0]
    assert outline[:, 0].max() == pytest.approx(2.0, abs=1e-5)
    assert _area(outline) == pytest.approx(2.0, abs=1e-4)


def test_faces_turned_inside_out_change_nothing(reading):
    points, triangles, _ = _build("torus", "tilted")
    slab, footprints = reading
    owner = np.zeros(len(triangles), dtype=np.int64)
    flipped = np.where(np.arange(len(triangles))[:, None] % 3 == 0, triangles[:, ::-1], triangles)
    straight = footprints.find_footprints(slab.make_surface(points, triangles, owner), BOTTOM, TOP)[0]
    mixed = footprints.find_footprints(slab.make_surface(points, flipped, owner), BOTTOM, TOP)[0]
    assert [_area(o) for o, _ in straight] == pytest.approx([_area(o) for o, _ in mixed])


def test_without_limits_the_whole_shadow_counts(reading):
    points, faces = _tube(SQUARE, 30.0, 35.0)
    assert _area(_plan_of(reading, points, faces, -np.inf, np.inf)[0][0]) == pytest.approx(4.0)


def test_outlines_have_no_more_corners_than_they_need(reading):
    steps = 50
    corners = [(x / steps, 0) for x in range(steps)] + [(1, 0), (1, 1), (0, 1)]
    assert len(_plan_of(reading, *_tube(corners, 0.0, 1.0))[0][0]) == 4


@pytest.mark.parametrize("seed", range(25))
def test_of_any_triangles_nothing_is_missed_and_the_outlines_are_sound(addon, reading, seed):
    """Triangles thrown together: open, through each other, on a grid where corners and edges coincide."""
    slab, footprints = reading
    core, segments = addon.module("core.scene"), addon.module("core.geometry.segments")
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(30, 3)) * (6.0, 6.0, 1.5)
    if seed % 3 == 0:
        points = np.round(points)
    triangles = np.array([rng.choice(30, 3, replace=False) for _ in range(60)])
    surface = slab.make_surface(points, triangles, np.zeros(60, dtype=np.int64))
    shapes = footprints.find_footprints(surface, BOTTOM, TOP)[0]
    core.Scene(obstacles=tuple(core.Obstacle(f"{k}", outline, holes) for k, (outline, holes) in enumerate(shapes)))
    places = rng.uniform(-12, 12, (400, 2))
    clear = _distance_to_edges(shapes, places, segments) > NEAR_EDGE
    met = _heights_met(points[triangles[surface.facing != 0]], places)
    standing = np.any((met >= BOTTOM) & (met < TOP), axis=1)
    assert standing.sum() > 20
    assert not np.any(standing & clear & ~_covered(shapes, places, segments.contains))


def _ring(centre, size, corners, direction=1):
    angle = direction * np.arange(corners) * (2.0 * np.pi / corners)
    return np.add(centre, size * np.stack([np.cos(angle), np.sin(angle)], axis=1))


def test_only_bodies_whose_rings_all_lie_in_a_convex_one_are_told_to_be_convex(addon):
    convex_plans = addon.module("blender_addon.reading.shapes.convex").convex_plans
    pentagram = _ring((0, 0), 2.0, 5)[[0, 2, 4, 1, 3]]
    bodies = {
        0: [_ring((0, 0), 3.0, 12), _ring((1, 0), 1.0, 7), _ring((0, 0), 3.0, 12)],
        1: [_ring((0, 0), 3.0, 12), _ring((3, 0), 1.0, 7)],  # one pokes out
        2: [_ring((0, 0), 3.0, 12), _ring((0, 0), 1.0, 7, -1)],  # a hole
        3: [np.array([(0, 0), (4, 0), (4, 4), (2, 1), (0, 4)], dtype=float)],
        4: [pentagram],  # turns left all the time, but twice round
        5: [_ring((50, 50), 0.1, 3)],
    }
    rings = [ring for found in bodies.values() for ring in found]
    owner = np.array([body for body, found in bodies.items() for _ in found])
    areas = np.array([_area(ring) for ring in rings])
    found = convex_plans(rings, owner, areas)
    assert sorted(found) == [0, 5]
    assert len(found[0]) == 12
