# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects linked from another file are read as well, and stay linked and whole."""

import bpy
import numpy as np
import pytest

pytestmark = pytest.mark.each_blender("linked data are read")


@pytest.fixture
def linked(bench, tmp_path):
    """A file with a route, a box and a set of two boxes, all linked into an empty scene."""
    path = tmp_path / "library.blend"
    route = bench.curve("Path", [(0, 0, 0), (20, 0, 0)], kind="BEZIER")
    route.data.bevel_depth = 0.3
    box = bench.box("Kiosk", location=(5, 5, 0), hide_viewport=True)
    source = bpy.data.collections.new("Set")
    bench.box("Bench", source)
    bench.box("Table", source, location=(4, 0, 0))
    bpy.data.libraries.write(str(path), {route, box, source})
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
        wanted.objects, wanted.collections = ["Path", "Kiosk"], ["Set"]
    bench.scene = bpy.context.scene
    bench.settings = bench.scene.footfall
    bench.link(bpy.data.objects["Path"])
    bench.link(bpy.data.objects["Kiosk"], bench.obstacles())
    empty = bench.link(bpy.data.objects.new("Set here", None), bench.obstacles())
    empty.instance_type, empty.instance_collection = "COLLECTION", bpy.data.collections["Set"]
    empty.location = (10, 9, 0)
    bench.crowd(bpy.data.objects["Path"])
    return bench


def test_linked_objects_are_read(linked):
    scene = linked.read().scene
    assert _places(scene) == {"Kiosk": (4.0, 4.0), "Set here": (9.0, 8.0), "Set here.2": (13.0, 8.0)}
    np.testing.assert_allclose(scene.routes[0].points[[0, -1]], [(0, 0, 0), (20, 0, 0)], atol=1e-5)


def _places(scene):
    return {o.name: tuple(np.round(o.outline.min(axis=0), 3)) for o in scene.obstacles}


def test_linked_objects_stay_linked_and_hidden(linked):
    before = {
        block.name_full: block.users for kind in ("objects", "curves", "meshes") for block in getattr(bpy.data, kind)
    }
    linked.read()
    after = {
        block.name_full: block.users for kind in ("objects", "curves", "meshes") for block in getattr(bpy.data, kind)
    }
    assert after == before
    assert bpy.data.objects["Kiosk"].library is not None
    assert bpy.data.objects["Kiosk"].hide_viewport
    assert bpy.data.objects["Path"].data.bevel_depth == pytest.approx(0.3)
