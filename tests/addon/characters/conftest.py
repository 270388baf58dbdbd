# SPDX-License-Identifier: GPL-3.0-or-later
"""What characters may need of Blender beside the add-on."""

import bpy
import pytest

# isort: split
import addon_utils

pytest.register_assert_rewrite("tests.addon.characters.retargeting.gait")  # which holds checks of several tests


@pytest.fixture
def enabled():
    """Enables add-ons that come with Blender until the end of the test; those that are enabled stay so."""
    names = []
    kinds = bpy.types.Armature, bpy.types.WindowManager
    known = [set(kind.bl_rna.properties.keys()) for kind in kinds]

    def enable(name):
        _, is_loaded = addon_utils.check(name)
        names.extend([] if is_loaded else [name])
        return addon_utils.enable(name, default_set=True)

    yield enable
    for name in names:
        addon_utils.disable(name, default_set=True)
    for kind, own in zip(kinds, known, strict=True):
        for left in set(kind.bl_rna.properties.keys()) - own:  # by Rigify, and read they come to be in 4.2
            delattr(kind, left)
