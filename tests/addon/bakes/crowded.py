# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake of several people, for tests to edit them by hand."""

import bpy


class Person:
    """One baked person: the object that moves it, and the body that the armature deforms."""

    def __init__(self, actions, name):
        self.actions, self.name = actions, name
        self.rig = bpy.data.objects[name]
        self.body = next(each for each in self.rig.children if each.type == "MESH")

    @property
    def data(self):
        return self.rig.animation_data

    @property
    def track(self):
        return self.data.nla_tracks[0]

    @property
    def strip(self):
        return self.track.strips[0]

    @property
    def clip(self):
        return self.actions.active_clip(self.data)

    def clip_of(self, action):
        """An Action with a slot for objects, where there are slots."""
        slot = action.slots.new(id_type="OBJECT", name="Own") if hasattr(action, "slots") else None
        return self.actions.Clip(action, slot)

    @property
    def curves(self):
        return self.actions.curves_of(self.clip)

    @property
    def path(self):
        return next(curve for curve in self.curves if curve.data_path == "location" and curve.array_index == 0)

    @property
    def bone(self):
        return self.rig.pose.bones["thigh.L"] if "thigh.L" in self.rig.pose.bones else self.rig.pose.bones[3]


class Crowded:
    """A bake of several people, and what was found on them."""

    def __init__(self, street, addon, count, characters=None):
        self.scene, self.crowd = street.scene, street.crowd
        self.scene.frame_end = 4
        self.crowd.characters, self.crowd.count = characters, count
        self.crowd.path_width, self.crowd.avoidance, self.crowd.spawn.mode = 30.0, "NONE", "AT_ONCE"
        self._addon = addon
        bpy.ops.footfall.bake()

    def person(self, number):
        """One of the people, from 0."""
        return Person(self._addon.module("blender_addon.blender_data.animation"), f"Crowd {number + 1:03d}")

    def found(self):
        """What was changed on whom, without the names of what was deleted."""
        edited = self._addon.module("blender_addon.bakes.edited_people")
        found = edited.find_handwork(self.scene, self.crowd)
        return {each.person: {what.split(" '")[0] for what in each.what} for each in found}

    def reopen(self, where):
        """Save the file and open it."""
        bpy.ops.wm.save_as_mainfile(filepath=str(where))
        bpy.ops.wm.open_mainfile(filepath=str(where))
        self.scene = bpy.context.scene
        self.crowd = self.scene.footfall.crowds[0]
