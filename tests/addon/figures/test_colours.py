# SPDX-License-Identifier: GPL-3.0-or-later
"""What the built-in figures wear."""

import math
from itertools import pairwise

import bpy
import numpy as np
import pytest

MAN, WOMAN = 0, 1


def test_shirts_of_neighbours_differ_and_stay_the_same(stage):
    colours = [stage.module.shirt_colour(number) for number in range(60)]
    assert colours == [stage.module.shirt_colour(number) for number in range(60)]
    assert all(a != b for a, b in pairwise(colours))
    assert len(set(colours)) >= 12
    assert all(len(colour) == 4 and all(0.0 <= part <= 1.0 for part in colour) for colour in colours)


def test_each_copy_wears_its_own_colour_in_a_render(stage, tmp_path):
    scene = bpy.context.scene
    for number, colour in enumerate([(1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)]):
        rig, body = stage.show(stage.figures[MAN])
        rig.location.x = number - 0.5
        body.color = colour
    scene.world = bpy.data.worlds.new("White")
    scene.world.color = (1.0, 1.0, 1.0)
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.data.type, camera.data.ortho_scale = "ORTHO", 2.0
    camera.location, camera.rotation_euler = (0.0, -3.0, 1.2), (math.radians(90.0), 0.0, 0.0)
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.render.engine, scene.cycles.samples, scene.cycles.use_denoising = "CYCLES", 4, False
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = 32, 8, 100
    scene.render.filepath = str(tmp_path / "shirts.png")
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(scene.render.filepath)
    pixels = np.array(image.pixels[:]).reshape(8, 32, 4)[4]
    red, blue = pixels[8], pixels[24]
    assert red[0] > 2.0 * red[2]
    assert blue[2] > 2.0 * blue[0]


def test_no_child_has_grey_hair(stage, addon):
    materials = addon.module("blender_addon.figures.materials")
    people = addon.module("blender_addon.figures.mesh.people").PEOPLE
    greys = {}
    for figure in people:
        colours = np.array(materials.colours_of(figure.hair_slot))[:, :3]
        light = colours.max(axis=1)
        greys[figure.name] = int(np.sum((light > 0.1) & (np.ptp(colours, axis=1) < 0.2 * light)))
        if figure.hair is not None:
            made = {
                each.name.rstrip(" 0123456789") for each in stage.figures[people.index(figure)].meshes[0].data.materials
            }
            assert f"Footfall {figure.hair_slot.lower()}" in made
    assert greys["Footfall old man"] == 3
    assert greys["Footfall man"] > 0
    assert greys["Footfall girl"] == greys["Footfall boy"] == 0


def test_materials_show_in_every_shading(stage):
    for material in stage.figures[MAN].meshes[0].data.materials:
        shader = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
        assert tuple(material.diffuse_color) == pytest.approx(tuple(shader.inputs["Base Color"].default_value))
        assert tuple(material.diffuse_color)[:3] != (0.8, 0.8, 0.8)
