# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of characters in the cast table: what is nearest is seen, from ahead, in the colours of the materials."""

import bpy
import numpy as np
import pytest


@pytest.fixture
def portraits(addon):
    return addon.module("blender_addon.characters.ready.portraits")


def two_faced(make, front, back):
    """A cube with another colour ahead (-Y) than behind."""
    cube = make.cube("Cube", 1.0)
    for colour in (front, back):
        material = bpy.data.materials.new("Paint")
        material.diffuse_color = (*colour, 1.0)
        cube.data.materials.append(material)
    for face in cube.data.polygons:
        face.material_index = int(face.center.y > -0.25)
    return cube


def seen(portraits, objects, angle):
    portrait = portraits.draw_portrait(objects, angle, bpy.context.scene, 1)
    pixels = portraits.pixels_of(portrait).reshape(64, 64, 4)
    return pixels[pixels[..., 3] > 0.9][:, :3]


def test_a_character_is_seen_from_ahead(make, portraits):
    red, blue = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    cube = two_faced(make, red, blue)
    ahead = seen(portraits, [cube], -np.pi / 2.0)
    assert (ahead[:, 0] > ahead[:, 2]).mean() > 0.55
    assert (ahead[:, 2] > ahead[:, 0]).mean() > 0.1  # a side of it, as it is a little turned
    behind = seen(portraits, [cube], np.pi / 2.0)
    assert (behind[:, 2] > behind[:, 0]).mean() > 0.97


def test_nothing_is_seen_of_what_has_no_surface(make, portraits):
    empty = bpy.data.objects.new("Empty", None)
    assert portraits.draw_portrait([empty], 0.0, bpy.context.scene, 1) == ""


def test_the_table_has_portraits(make, stage, portraits, addon, tmp_path):
    figure = addon.module("blender_addon.figures.figure").ensure_figures([0])[0]
    stage.crowd.characters = make.collection("People", figure.armature, *figure.meshes)
    bpy.ops.footfall.find_clips()
    (row,) = stage.scene.footfall.cast
    pixels = portraits.pixels_of(row.portrait).reshape(64, 64, 4)
    assert 0.2 < (pixels[..., 3] > 0.5).mean() < 0.8
    assert pixels[32, 32, 3] == 1.0
    assert pixels[60, 2, 3] == 0.0
    assert len(row.portrait) < 20_000
