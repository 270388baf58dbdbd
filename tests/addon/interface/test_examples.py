# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples are opened in a scene of their own, can be baked, and leave the user's scene alone."""

import json
from pathlib import Path

import bpy
import pytest

from tests.sweeps import sweep

from ..contents import differing, users_values

NAMES = ["plaza", "market", "station", "parade", "avenue", "crossing", "stadium", "rings", "bends"]
FEW = 3


@pytest.fixture
def examples(addon):
    return addon.module("blender_addon.interface.examples").EXAMPLES


def test_every_example_script_is_offered(addon, examples):
    there = {path.stem for path in Path(addon.repository, "blend_examples").glob("*.py")} - {
        "scenery",
        "stage",
        "__init__",
    }
    assert {name for name, _, _ in examples} == there == set(NAMES)


@pytest.mark.parametrize("name", sweep(NAMES, usual=3))
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


@pytest.mark.parametrize("name", sweep(NAMES, usual=2))
def test_an_example_bakes(addon, name):
    bpy.ops.footfall.open_example(example=name)
    scene = bpy.context.scene
    scene.frame_end = scene.frame_start + 11
    crowds = scene.footfall.crowds
    while len(crowds) > FEW:  # few crowds of few people for a short while: whether all is there that a bake needs
        crowds.remove(len(crowds) - 1)
    for crowd in crowds:
        crowd.count = min(crowd.count, FEW)
    assert bpy.ops.footfall.bake() == {"FINISHED"}
    report = json.loads(scene.footfall.report)
    assert 0 < report["total"]["agents"] <= FEW * len(crowds)
    assert (report["total"]["deepest_wall_penetration"] or 0.0) < 0.02
    assert all(crowd.baked for crowd in crowds)


@pytest.mark.each_blender("scenes are made")
def test_the_same_example_can_be_opened_twice(addon):
    names = []
    for _ in range(2):
        bpy.ops.footfall.open_example(example="rings")
        names.append(bpy.context.scene.name)
    assert names == ["Footfall Ring", "Footfall Ring.001"]
