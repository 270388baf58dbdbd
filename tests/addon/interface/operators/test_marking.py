# SPDX-License-Identifier: GPL-3.0-or-later
"""A mesh that has nothing to walk round or to stand on is refused when it is marked, not when it is baked."""

import bpy
import pytest

pytestmark = pytest.mark.each_blender("operators and reports")


def select_mesh(points, edges=(), faces=()):
    """Make a mesh of these under the route, the only selected object."""
    mesh = bpy.data.meshes.new("Bare")
    mesh.from_pydata(points, edges, faces)
    bare = bpy.data.objects.new("Bare", mesh)
    bpy.context.scene.collection.objects.link(bare)
    bpy.ops.object.select_all(action="DESELECT")
    bare.select_set(True)
    bpy.context.view_layer.objects.active = bare
    return bare


@pytest.mark.parametrize("role", ["OBSTACLE", "GROUND", "BOUNDS"])
def test_a_mesh_without_faces_is_refused_when_it_is_marked(street, role):
    select_mesh([])
    street.settings.ground = None
    with pytest.raises(RuntimeError, match="'Bare' has no faces: add some, or select another mesh"):
        bpy.ops.footfall.mark_selected(role=role)
    assert street.settings.ground is None
    assert "Bare" not in street.obstacles.objects


def test_an_empty_mesh_is_left_out_where_another_is_marked(street):
    bench = street.kiosk.copy()
    street.scene.collection.objects.link(bench)
    select_mesh([])
    bench.select_set(True)
    bpy.ops.footfall.mark_obstacle()
    assert {obj.name for obj in street.obstacles.objects} == {"Kiosk", bench.name}


def test_a_flat_line_of_edges_is_an_obstacle_and_not_the_ground(street):
    street.settings.ground = None
    line = select_mesh([(-50, -50, 0), (50, 50, 0)], [(0, 1)])
    bpy.ops.footfall.mark_obstacle()
    assert street.settings.ground is None
    assert line.name in street.obstacles.objects


def test_modifiers_may_give_a_mesh_its_faces(street):
    wall = select_mesh([(0, 5, 0), (1, 5, 0)], [(0, 1)])
    wall.data.clear_geometry()
    wall.modifiers.new("Made", "NODES")
    bpy.ops.footfall.mark_obstacle()
    assert wall.name in street.obstacles.objects
