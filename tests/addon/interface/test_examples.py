# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples are opened in a scene of their own, can be baked, and leave the user's scene alone."""

from pathlib import Path

import bpy
import pytest

from ..contents import differing, users_values


@pytest.fixture
def examples(addon):
    return addon.module("blender_addon.interface.examples").EXAMPLES


def test_every_example_script_is_offered(addon, examples):
    there = {path.stem for path in Path(addon.repository, "blend_examples").glob("*.py")} - {"stage", "__init__"}
    assert {name for name, _, _ in examples} == there


@pytest.mark.parametrize("name", ["plaza", "rings", "crossing"])
def test_an_example_opens_in_a_scene_of_its_own_and_can_be_baked(street, examples, name):
    mine, before = bpy.context.scene, users_values()
    assert bpy.ops.footfall.open_example(example=name) == {"FINISHED"}
    scene = bpy.context.scene
    assert scene != mine
    assert scene.name == f"Footfall {next(label for known, label, _ in examples if known == name)}"
    assert scene.camera is not None
    assert bpy.ops.footfall.bake.poll()
    after = users_values()
    assert differing(before, {place: value for place, value in after.items() if place in before}) == []
    bpy.context.window_manager.windows[0].scene = mine
    assert [obj.name for obj in mine.objects if obj.name in scene.objects] == []


def test_an_example_bakes(addon):
    bpy.ops.footfall.open_example(example="rings")
    bpy.context.scene.frame_end = 12
    assert bpy.ops.footfall.bake() == {"FINISHED"}


def test_the_same_example_can_be_opened_twice(addon):
    names = []
    for _ in range(2):
        bpy.ops.footfall.open_example(example="rings")
        names.append(bpy.context.scene.name)
    assert names == ["Footfall Ring", "Footfall Ring.001"]
