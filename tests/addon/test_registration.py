# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on comes into Blender and goes out of it without a trace."""

import addon_utils
import bpy
import pytest

pytestmark = pytest.mark.each_blender("classes and handlers are registered")

NAME = "bl_ext.user_default.footfall"


def traces():
    """Everything in Blender that an add-on leaves behind when it forgets to clean up."""
    types = {name for name in dir(bpy.types) if "footfall" in name.lower()}
    handlers = [
        (name, function)
        for name in dir(bpy.app.handlers)
        if isinstance(functions := getattr(bpy.app.handlers, name), list)
        for function in functions
        if NAME in getattr(function, "__module__", "")
    ]
    return types, handlers, [name for name in dir(bpy.types.Scene) if "footfall" in name], dir(bpy.ops.footfall)


def test_enabling_adds_the_settings(addon):
    assert hasattr(bpy.types.Scene, "footfall")
    assert len(bpy.context.scene.footfall.crowds) == 0


def test_disabling_leaves_nothing_behind(addon):
    addon_utils.disable(NAME)
    assert traces() == (set(), [], [], [])


@pytest.mark.parametrize("times", [3])
def test_it_can_come_and_go_again(addon, times):
    for _ in range(times):
        addon_utils.disable(NAME)
        assert not hasattr(bpy.types.Scene, "footfall")
        assert addon_utils.enable(NAME) is not None
        assert hasattr(bpy.types.Scene, "footfall")


def test_the_bundled_wheels_are_those_in_use(addon):
    import pyclipper
    import pyvoronoi

    for package in (pyclipper, pyvoronoi):
        assert ".local" in package.__file__, "taken from the environment, not from the extension's wheels"
