# SPDX-License-Identifier: GPL-3.0-or-later
"""A street of boxes that walk, and what can be said of single people there."""

import bpy
import numpy as np
import pytest

from ....street import new_box


@pytest.fixture
def baked(street, addon):
    """The street with four boxes that walk for a second; with a way to say something of one of them."""
    street.scene.frame_end = 24
    street.crowd.count = 4
    new_box("Small", street.crowd.characters, height=0.5)
    bpy.ops.footfall.bake()

    def of(name, what, **settings):
        bpy.ops.object.select_all(action="DESELECT")
        bpy.data.objects[name].select_set(True)
        return getattr(bpy.ops.footfall, what)(**settings)

    def keys(name):
        """Every key of an object's own Action."""
        clip = street.actions.active_clip(bpy.data.objects[name].animation_data)
        return np.concatenate([found[0] for _, found in street.actions.keys_of(clip)])

    def path_of(name):
        """Where an object is at each frame."""
        places = []
        for frame in range(1, 25):
            bpy.context.scene.frame_set(frame)
            places.append(tuple(bpy.data.objects[name].matrix_world.translation))
        return np.array(places)

    street.of, street.keys, street.path_of = of, keys, path_of
    street.edits = lambda: {edit.name: edit for edit in street.crowd.edits}
    street.actions = addon.module("blender_addon.blender_data.animation")
    street.core_crowd_of = addon.module("blender_addon.reading").read_scene
    street.core_crowd = lambda: street.core_crowd_of(street.scene)
    return street
