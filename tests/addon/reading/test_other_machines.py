# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene is read to the same last bit on another machine.

What Blender itself evaluates comes in single precision and is the same; what is calculated from it is double, and must
not depend on what numpy's version or the processor do best.
"""

import json
import os
import subprocess
import sys

import bpy
import numpy as np
import pytest

from tests.elsewhere import can_be_older, on_each

PROGRAM = """
import sys, bpy, addon_utils, importlib, os
addon_utils.enable(sys.argv[1], default_set=True)
bpy.ops.wm.open_mainfile(filepath=sys.argv[2])
reading = importlib.import_module(sys.argv[1] + ".blender_addon.reading").read_scene(bpy.context.scene)
importlib.import_module(sys.argv[1] + ".core").save_scene(reading.scene, sys.argv[3])
sys.stdout.flush()
os._exit(0)
"""


@pytest.fixture
def read_elsewhere(addon, tmp_path):
    """Reads the open scene in another process, and returns the scene file as text."""
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))

    def read(**variables):
        words = [addon.package.__name__, str(tmp_path / "scene.blend"), str(tmp_path / "scene.json")]
        command = [sys.executable, "-W", "ignore", "-c", PROGRAM, *words]
        subprocess.run(command, env=os.environ | variables, capture_output=True, timeout=900, check=True)
        return (tmp_path / "scene.json").read_text(encoding="utf-8")

    return read


def turned(bench, name, **settings):
    """A box that stands somewhere and looks some way."""
    obj = bench.box(name, bench.obstacles(), **settings)
    obj.rotation_euler.z, obj.scale = 0.7, (1.3, 0.4, 1.0)
    return obj


@pytest.fixture
def many_things(bench):
    """A cart that turns as it drives, a wall of several faces, a slanted box, places that are empties, a bent curve."""
    cart = turned(bench, "Cart")
    for frame, place, turn in ((1, (0.1, 4.2, 0.0), 0.3), (20, (3.7, 5.1, 0.0), 1.9), (40, (9.3, 4.4, 0.0), -2.2)):
        cart.location, cart.rotation_euler.z = place, turn
        cart.keyframe_insert("location", frame=frame)
        cart.keyframe_insert("rotation_euler", frame=frame)
    slanted = turned(bench, "Crate")
    slanted.location = (6.3, -3.1, 0.2)
    corners = [(0, 0, 0), (2.1, 0.3, 0), (2.1, 0.3, 2), (0, 0, 2), (4.2, 0.6, 0), (4.2, 0.6, 2)]
    wall = bench.mesh("Wall", corners, [(0, 1, 2, 3), (1, 4, 5, 2)], collection=bench.obstacles())
    wall.location, wall.rotation_euler.z = (3.3, 7.7, 0.0), 0.4
    bench.crowd(bench.curve("Path", [(0, 0, 0), (4, 1.7, 0.3), (9, -0.8, 0)], scale=(1.1, 0.9, 1.0)), name="Walkers")
    crowd = bench.crowd(None, name="Travellers")
    crowd.mode = "AREAS"
    for name, kind, place in (("start", "CIRCLE", (-6.3, 1.3, 0.0)), ("goal", "CUBE", (14.7, -1.9, 0.0))):
        mark = bench.link(bpy.data.objects.new(name, None))
        mark.empty_display_type, mark.empty_display_size = kind, 0.8
        mark.location, mark.rotation_euler.z, mark.scale = place, 0.6, (1.7, 1.2, 1.0)
        setattr(crowd, name, mark)


@can_be_older
@on_each
@pytest.mark.thorough
def test_another_machine_reads_the_same_scene(many_things, read_elsewhere, changes):
    here = read_elsewhere()
    scene = json.loads(here)
    assert any(len(set(obstacle.get("motion", {}).get("yaw", []))) > 5 for obstacle in scene["obstacles"])
    assert len(scene["areas"]) == 2
    assert read_elsewhere(**changes) == here


def test_places_of_empties_are_calculated_in_double_precision(many_things, bench, addon):
    """From 5.0 on Blender hands matrices out in single precision, where it was double before."""
    areas = addon.module("blender_addon.reading.objects.areas")
    mark = bpy.data.objects["start"]
    bpy.context.view_layer.update()
    disc = areas.read_discs(bench.scene, [mark], 1, 1.0)[mark]
    matrix = np.array(mark.matrix_world, dtype=np.float64)
    size = float(np.sqrt((matrix[:3, :3] * matrix[:3, :3]).sum(axis=0)).max())
    flat = areas._fan(areas._DISC_CORNERS, 0.0, mark.empty_display_size).points
    np.testing.assert_array_equal(disc.points, flat * size + matrix[:3, 3])
