# SPDX-License-Identifier: GPL-3.0-or-later
"""Makers of what bakes need: characters by hand, and trajectories without a simulation."""

import math
from itertools import islice

import bpy
import numpy as np
import pytest
from mathutils import Matrix

KINDS = ("objects", "meshes", "armatures", "actions", "collections", "materials", "scenes", "curves", "images")


class Maker:
    """Makes characters and trajectories, and looks at what a bake has made of them."""

    WALK_FRAMES = 24

    def __init__(self, addon):
        self.addon = addon
        self.actions = addon.module("blender_addon.blender_data.animation")

    def link(self, *objects, scene=None):
        for each in objects:
            (scene or bpy.context.scene).collection.objects.link(each)

    def collection(self, name, *objects, parent=None):
        collection = bpy.data.collections.new(name)
        for each in objects:
            collection.objects.link(each)
        if parent is not None:
            parent.children.link(collection)
        return collection

    def cube(self, name, size=1.0):
        """A cube that stands on its origin, in no scene."""
        half = size / 2
        corners = [(x, y, z) for x in (-half, half) for y in (-half, half) for z in (0.0, size)]
        faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata(corners, [], faces)
        return bpy.data.objects.new(name, mesh)

    def rig(self, name="Rig", *, stride=1.2, root_motion=False, first_frame=1, height=1.8, turned=None, scale=1.0):
        """An armature of two legs with a walk of known stride, and a mesh on it; in the scene.

        Each ankle goes back evenly by half a stride while it is planted, half of the time, and comes forward through
        the air in the other half. It looks along -Y.

        Args:
            name: of the armature.
            stride: way of one run of the clip, in world units.
            root_motion: let the root bone carry the body by `stride`; else it walks in place.
            first_frame: of the clip, which has WALK_FRAMES frames.
            height: of the armature, in world units.
            turned: 3 x 3 rotation of the object (an imported rig lies on its back in its own axes).
            scale: of the object.
        """
        turned = turned or Matrix.Identity(3)
        rig = bpy.data.objects.new(name, bpy.data.armatures.new(name))
        rig.rotation_mode = "QUATERNION"
        rig.rotation_quaternion = turned.to_quaternion()
        rig.scale = (scale,) * 3
        to_own = (turned.to_4x4() @ Matrix.Scale(scale, 4)).inverted()
        self._add_bones(rig, to_own, height)
        phase = np.arange(self.WALK_FRAMES + 1) / self.WALK_FRAMES
        channels = []
        for side, shift in (("L", 0.0), ("R", 0.5)):
            own_phase = (phase + shift) % 1.0
            swing = np.clip(2.0 * own_phase - 1.0, 0.0, 1.0)
            ahead = np.where(own_phase < 0.5, stride / 4 - stride * own_phase, -stride / 4 + stride / 2 * swing)
            lift = 0.15 * height * np.sin(np.pi * swing)
            channels += self._bone_channels(rig, f"foot.{side}", to_own, ahead, lift, first_frame)
        if root_motion:
            ahead = stride * phase + 0.02 * np.sin(4 * np.pi * phase)
            channels += self._bone_channels(rig, "root", to_own, ahead, np.zeros_like(ahead), first_frame)
        self.actions.assign_clip(rig, self.actions.new_clip(f"{name} walk", channels, group="Bones"))
        body = self.cube(f"{name} body", height / 2 / scale)
        self.link(body)
        body.parent = rig
        body.modifiers.new("Armature", "ARMATURE").object = rig
        return rig, body

    def _add_bones(self, rig, to_own, height):
        self.link(rig)
        bpy.context.view_layer.objects.active = rig
        bpy.ops.object.mode_set(mode="EDIT")
        points = {
            "root": ((0, 0, 0), (0, 0.2, 0)),
            "spine": ((0, 0, height / 2), (0, 0, height)),
            "foot.L": ((0.1, 0, 0.05 * height), (0.1, -0.1 * height, 0)),
            "foot.R": ((-0.1, 0, 0.05 * height), (-0.1, -0.1 * height, 0)),
        }
        for name, ends in points.items():
            bone = rig.data.edit_bones.new(name)
            bone.head, bone.tail = ((to_own @ Matrix.Translation(end)).translation for end in ends)
            if name != "root":
                bone.parent = rig.data.edit_bones["root"]
        bpy.ops.object.mode_set(mode="OBJECT")

    def _bone_channels(self, rig, bone, to_own, ahead, lift, first_frame):
        """The keys that move a bone by `ahead` along -Y and by `lift` along Z of the world."""
        to_bone = rig.data.bones[bone].matrix_local.to_3x3().inverted() @ to_own.to_3x3()
        own = np.column_stack([np.zeros_like(ahead), -ahead, lift]) @ np.array(to_bone).T
        frames, path = np.arange(len(ahead)) + first_frame, f'pose.bones["{bone}"].location'
        return [self.actions.Channel(path, axis, frames, own[:, axis]) for axis in range(3)]

    def walk(self, *, agents=3, frames=(1, 50), fps=24.0, speed=1.2, turn=0.0, present=None):
        """Trajectories of agents side by side, 1 m apart: on circles, or straight on when `turn` is 0.

        Args:
            agents: how many.
            frames: first and last.
            fps: frames per second.
            speed: of all [m/s].
            turn: of the heading [rad/s].
            present: bool (F, A); all there, when not given.
        """
        numbers = np.arange(frames[0], frames[1] + 1)
        times = (numbers - frames[0]) / fps
        heading = np.broadcast_to((0.3 + turn * times)[:, None], (len(times), agents)).copy()
        velocity = speed * np.stack([np.cos(heading), np.sin(heading)], axis=-1)
        position = np.zeros((len(times), agents, 3))
        position[1:, :, :2] = np.cumsum(velocity[1:] / fps, axis=0)
        position[:, :, 1] += np.arange(agents)
        position[:, :, 2] = 0.5
        there = np.ones(heading.shape, dtype=bool) if present is None else present
        heading = (heading + math.pi) % (2 * math.pi) - math.pi
        for values in (position, heading, velocity):
            values[~there] = np.nan
        return self.addon.core.Trajectories(
            frames=numbers,
            fps=fps,
            position=position,
            heading=heading,
            velocity=velocity,
            present=there,
            arrived_frame=np.full(agents, -1),
            radius=np.full(agents, 0.25),
            crowd=np.zeros(agents, dtype=np.int64),
            crowd_names=("Walkers",),
            unhindered_time=np.full(agents, np.nan),
        )

    def evaluated(self, thing, frame, scene=None):
        return self.all_evaluated([thing], frame, scene)[0]

    def all_evaluated(self, things, frame, scene=None):
        """Several things at one frame, to which the scene is set once: that moves everybody in it."""
        scene = scene or bpy.context.scene
        scene.frame_set(math.floor(frame), subframe=frame % 1)
        return [thing.evaluated_get(scene.view_layers[0].depsgraph) for thing in things]

    def matrix(self, thing, frame, scene=None):
        return self.matrices([thing], frame, scene)[0]

    def matrices(self, things, frame, scene=None):
        """Of several things at one frame, float64 (N, 4, 4)."""
        return np.array([seen.matrix_world for seen in self.all_evaluated(things, frame, scene)])

    def curves(self, thing, data_path):
        """The F-curves of a property, by component."""
        found = self.actions.curves_of(self.actions.active_clip(thing.animation_data))
        return sorted((each for each in found if each.data_path == data_path), key=lambda each: each.array_index)

    def data_blocks(self):
        """Names of all that is in the file, by kind."""
        return {kind: sorted(block.name for block in getattr(bpy.data, kind)) for kind in KINDS}


class Stage:
    """A scene with one crowd, whose bakes are made from trajectories by hand."""

    def __init__(self, addon):
        self.addon = addon
        self.scene = bpy.context.scene
        if not self.scene.footfall.crowds:  # unless the file has it
            self.scene.footfall.crowds.add().name = "Walkers"
            addon.module("blender_addon.settings.scene_settings").ensure_identities(self.scene)
        self.crowd = self.scene.footfall.crowds[0]
        self.uid = self.crowd.uid
        self.casting = addon.module("blender_addon.baking.casting.cast")
        self.performances = addon.module("blender_addon.characters.performances")
        self.ownership = addon.module("blender_addon.bakes.ownership")
        self.notices = []

    def cast(self, trajectories, *, unit=1.0, seed=0, scene=None):
        frames = (int(trajectories.frames[0]), int(trajectories.frames[-1]))
        scene = scene or self.scene
        return self.casting.Cast(scene.footfall.crowds[0], scene=scene, frames=frames, unit=unit, seed=seed)

    def fill(self, cast, trajectories, *, unit=1.0, ground=None, pauses=None):
        """Let a cast write everybody, up to so many pauses or to the end."""
        performances = self.performances.Performances(trajectories, ground=ground, unit=unit)
        count = len(trajectories.radius)
        entries = [(self.casting.Role("Walkers", agent, count), agent) for agent in range(count)]
        for _ in islice(cast.write(performances, entries), pauses):
            pass

    def bake(self, trajectories, *, unit=1.0, ground=None, seed=0, scene=None):
        """Bake, and give back the objects that move characters, in order."""
        cast = self.cast(trajectories, unit=unit, seed=seed, scene=scene)
        return self.finish(cast, trajectories, unit=unit, ground=ground, scene=scene)

    def finish(self, cast, trajectories, *, unit=1.0, ground=None, scene=None):
        """Let a cast write everybody in place of the last bake, and give back what `bake` does."""
        self.fill(cast, trajectories, unit=unit, ground=ground)
        self.notices = [*cast.notices, *cast.replace_bake()]
        return self.baked(scene)

    def bake_instances(self, trajectories, *, unit=1.0, ground=None, seed=0, of_many=False):
        """Bake as instances, and give back the object that shows the crowd; `of_many`: other objects stand beside."""
        instancing = self.addon.module("blender_addon.baking.instances.instance_cast")
        frames = (int(trajectories.frames[0]), int(trajectories.frames[-1]))
        self.crowd.output = "INSTANCES"
        cast = instancing.InstanceCast(self.crowd, scene=self.scene, frames=frames, unit=unit, seed=seed)
        performances = self.performances.Performances(trajectories, ground=ground, unit=unit)
        count = len(trajectories.radius)
        entries = [(self.casting.Role("Walkers", agent, count), agent) for agent in range(count)]
        for _ in cast.write(performances, entries):
            pass
        self.notices = [*cast.notices, *cast.replace_bake()]
        found = [each for each in self.baked() if not of_many or "footfall_people" in each]
        (shown,) = found
        return shown

    def baked(self, scene=None):
        owned = self.ownership.owned_objects(scene or self.scene, self.uid)
        return sorted((each for each in owned if each.parent is None), key=lambda each: each.name)

    def clear(self, scene=None):
        return self.ownership.clear(scene or self.scene, self.uid)


@pytest.fixture
def make(addon):
    return Maker(addon)


@pytest.fixture
def stage(addon):
    return Stage(addon)


@pytest.fixture
def cast(make, stage):
    """The crowd's characters: a rig whose clip needs a copy, and a plain object."""
    rig, body = make.rig(first_frame=10, root_motion=True)
    box = make.cube("Box")
    make.link(box)
    stage.crowd.characters = make.collection("People", rig, body, box)
    return stage.crowd.characters


@pytest.fixture
def mixed(make):
    """Trajectories with people who come and go."""
    trajectories = make.walk(agents=6)
    trajectories.present[:5, 1] = False
    return trajectories
