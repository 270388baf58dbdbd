# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets of crowds: those that come with the add-on, and the user's own."""

from pathlib import Path

import addon_utils
import bpy
import pytest

pytestmark = pytest.mark.each_blender("presets are found and run by Blender")

MENU = "FOOTFALL_PT_crowd_presets"
OURS = ("Commuters", "Robots", "School_class", "Strollers")


def preset_files():
    """All presets that Blender finds, by name."""
    return {file.stem: file for path in bpy.utils.preset_paths("footfall/crowd") for file in Path(path).glob("*.py")}


def settings_in(crowd, presets):
    """What a preset holds, as it is now."""
    values = {}
    for setting in presets.SETTINGS:
        *groups, name = setting.split(".")
        owner = crowd
        for group in groups:
            owner = getattr(owner, group)
        values[setting] = getattr(owner, name)
    return values


@pytest.fixture
def presets(addon):
    return addon.module("blender_addon.interface.presets")


def test_blender_finds_our_presets_while_the_addon_is_there(street):
    assert set(OURS) <= set(preset_files())


@pytest.mark.parametrize("name", OURS)
def test_a_preset_sets_all_that_presets_hold_and_touches_nothing_else(street, presets, name):
    crowd = street.crowd
    bpy.ops.script.execute_preset(filepath=str(preset_files()[name]), menu_idname=MENU)
    set_by_preset = settings_in(crowd, presets)
    for setting in presets.SETTINGS:
        assert f"crowd.{setting} = " in preset_files()[name].read_text(encoding="utf-8"), (
            f"{name} says nothing of {setting}"
        )
    assert crowd.route == street.path
    assert crowd.count == 3
    others = {other: file for other, file in preset_files().items() if other in OURS and other != name}
    bpy.ops.script.execute_preset(filepath=str(next(iter(others.values()))), menu_idname=MENU)
    assert settings_in(crowd, presets) != set_by_preset


@pytest.mark.parametrize("name", OURS)
def test_a_crowd_with_a_preset_can_be_baked(street, name):
    bpy.ops.script.execute_preset(filepath=str(preset_files()[name]), menu_idname=MENU)
    assert bpy.ops.footfall.bake() == {"FINISHED"}
    assert street.baked_count == 3


@pytest.mark.parametrize("name", ["", "  "])
def test_a_preset_without_a_name_is_refused(street, name):
    before = preset_files()
    with pytest.raises(RuntimeError, match="The preset has no name: give it one"):
        bpy.ops.footfall.crowd_preset_add(name=name)
    assert preset_files() == before


def test_a_preset_of_the_users_own_is_kept_used_and_deleted(street, presets):
    crowd = street.crowd
    crowd.speed.mean, crowd.radius = 2.25, 0.31
    kept = settings_in(crowd, presets)
    assert bpy.ops.footfall.crowd_preset_add(name="Late for work") == {"FINISHED"}
    crowd.speed.mean, crowd.radius = 1.0, 0.2
    bpy.ops.script.execute_preset(filepath=str(preset_files()["Late_for_work"]), menu_idname=MENU)
    assert settings_in(crowd, presets) == kept
    bpy.ops.footfall.crowd_preset_add(name="Late_for_work", remove_name=True)
    assert "Late_for_work" not in preset_files()


def test_the_addon_takes_its_presets_along_when_it_goes(addon):
    assert set(OURS) <= set(preset_files())
    addon_utils.disable(addon.package.__name__)
    assert not set(OURS) & set(preset_files())
