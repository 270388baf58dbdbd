# SPDX-License-Identifier: GPL-3.0-or-later
"""The built-in figures made the user's own: complete, apart from those of bakes, and walking as they do."""

import json

import bpy
import numpy as np
import pytest

from ...contents import all_blocks
from ...street import own_figures


@pytest.fixture
def plain(street):
    """The street, whose people are the built-in figures."""
    street.crowd.characters = None
    street.scene.frame_end = 40
    return street


def movers(street):
    return [obj for obj in street.scene.objects if obj.get("footfall_crowd") == street.crowd.uid and obj.parent is None]


def slide():
    return json.loads(bpy.context.scene.footfall.report)["total"]["foot_slide_mean_cm"]


def test_own_figures_are_the_crowds_characters_and_nothing_of_them_is_shared(plain):
    assert bpy.ops.footfall.own_figures() == {"FINISHED"}
    figures = plain.crowd.characters
    names = [child.name for child in figures.children]
    assert names[:2] == ["Man", "Woman"]
    assert len(names) == 10
    assert all(child.asset_data is not None for child in figures.children)
    rigs = [obj for obj in figures.all_objects if obj.type == "ARMATURE"]
    apart = np.abs(np.subtract(rigs[0].location, rigs[1].location)).max()
    assert len(rigs) == 10
    assert apart > 1.0
    assert not any("footfall_figure" in block for kind in (bpy.data.objects, bpy.data.meshes) for block in kind)
    assert not any("footfall_figure" in block for kind in (bpy.data.actions, bpy.data.materials) for block in kind)


def test_own_figures_walk_as_the_built_in_ones_do(plain, two_figures):
    bpy.ops.footfall.bake()
    built_in = slide()
    own_figures(plain.crowd, 2)
    assert bpy.ops.footfall.bake() == {"FINISHED"}
    assert len(movers(plain)) == 3
    assert slide() == pytest.approx(built_in, abs=0.2)
    assert len({tuple(child.color) for mover in movers(plain) for child in mover.children}) > 1


def test_own_figures_are_made_in_centimetres_too(plain):
    plain.scene.unit_settings.system, plain.scene.unit_settings.scale_length = "METRIC", 0.01
    bpy.ops.footfall.own_figures()
    bpy.context.view_layer.update()
    heights = [obj.dimensions.z for obj in plain.crowd.characters.all_objects if obj.type == "MESH"]
    assert all(115.0 < height < 200.0 for height in heights), heights


def test_undone_own_figures_leave_nothing(plain):
    bpy.ops.ed.undo_push(message="before")
    before = {(kind, block.name) for kind, block in all_blocks()}
    bpy.ops.footfall.own_figures()
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    assert {(kind, block.name) for kind, block in all_blocks()} == before


def test_who_has_characters_or_drives_needs_no_figures(street):
    poll = bpy.ops.footfall.own_figures.poll
    assert not poll()  # it walks with boxes
    street.crowd.characters = None
    assert poll()
    street.crowd.kind = "VEHICLE"
    assert not poll()
    street.settings.crowds.clear()
    assert not poll()
