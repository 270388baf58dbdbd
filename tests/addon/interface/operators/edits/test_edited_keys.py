# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys that were edited by hand are not lost unasked, and nobody is asked about others."""

import bpy
import numpy as np
import pytest


def edit_keys(street, name):
    """Drag the middle key of an object's first channel, as in the Graph Editor."""
    curve = street.actions.curves_of(street.actions.active_clip(bpy.data.objects[name].animation_data))[0]
    curve.keyframe_points[len(curve.keyframe_points) // 2].co.y += 0.25
    curve.update()


@pytest.mark.each_blender("keys are compared")
def test_edited_keys_are_not_overwritten_unasked(baked):
    edit_keys(baked, "Crowd 003")
    mine = baked.keys("Crowd 003")
    with pytest.raises(RuntimeError, match=r"'Crowd 003' \(keys\) was edited by hand"):
        bpy.ops.footfall.bake()
    np.testing.assert_array_equal(baked.keys("Crowd 003"), mine)
    assert not baked.edits()
    bpy.ops.footfall.bake(edited="KEEP")
    np.testing.assert_array_equal(baked.keys("Crowd 003"), mine)
    assert baked.edits()["Crowd 003"].pinned


def test_edited_keys_may_be_overwritten(baked):
    first = baked.keys("Crowd 003")
    edit_keys(baked, "Crowd 003")
    bpy.ops.footfall.bake(edited="OVERWRITE")
    np.testing.assert_array_equal(baked.keys("Crowd 003"), first)
    bpy.ops.footfall.bake()  # nothing to ask about any more


def test_how_a_curve_goes_on_beyond_its_keys_is_an_edit_by_hand(baked):
    clip = baked.actions.active_clip(bpy.data.objects["Crowd 003"].animation_data)
    curve = baked.actions.curves_of(clip)[0]
    curve.extrapolation = "LINEAR"
    with pytest.raises(RuntimeError, match=r"'Crowd 003' \(keys\) was edited by hand"):
        bpy.ops.footfall.bake()
    curve.extrapolation = "CONSTANT"
    bpy.ops.footfall.bake()
    assert not baked.edits()


def test_how_the_time_of_a_walk_goes_on_beyond_its_keys_is_an_edit_by_hand(street):
    street.scene.frame_end, street.crowd.characters, street.crowd.count = 24, None, 2
    bpy.ops.footfall.bake()
    parts = [obj for obj in street.scene.objects if "footfall_crowd" in obj and obj.animation_data]
    strips = [strip for part in parts for track in part.animation_data.nla_tracks for strip in track.strips]
    timed = next(strip for strip in strips if len(strip.fcurves))
    timed.fcurves[0].extrapolation = "LINEAR"
    with pytest.raises(RuntimeError, match=r"was edited by hand|were edited by hand"):
        bpy.ops.footfall.bake()


def test_a_bake_that_fails_pins_nobody(baked, addon, monkeypatch):
    edit_keys(baked, "Crowd 003")
    job = addon.module("blender_addon.baking.bake")

    def fail(*_args, **_settings):
        raise addon.errors.FootfallError("broken")

    monkeypatch.setattr(job, "make_report", fail)
    with pytest.raises(RuntimeError, match="broken"):
        bpy.ops.footfall.bake(edited="KEEP")
    assert not baked.edits()
    monkeypatch.undo()
    with pytest.raises(RuntimeError, match="edited by hand"):
        bpy.ops.footfall.bake()


def test_what_nobody_edited_is_never_asked_about(baked, tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "same.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "same.blend"))
    assert bpy.ops.footfall.bake() == {"FINISHED"}
