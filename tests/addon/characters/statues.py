# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures without clips, renamed as other programs name bones, and reshaped."""

import bpy
import numpy as np
from mathutils import Matrix, Vector

PARTS = ("thigh", "shin", "foot", "toe", "clavicle", "upper_arm", "forearm", "hand")
TRUNK = ("hips", "spine", "chest", "neck", "head")
SCHEMES = {  # pattern for limbs and for the trunk, sides, words for `PARTS` and `TRUNK`
    "Mixamo": (
        "mixamorig:{side}{part}",
        "mixamorig:{part}",
        ("Left", "Right"),
        "UpLeg Leg Foot ToeBase Shoulder Arm ForeArm Hand Hips Spine Spine1 Neck Head",
    ),
    "Ready Player Me": (
        "{side}{part}",
        "{part}",
        ("Left", "Right"),
        "UpLeg Leg Foot ToeBase Shoulder Arm ForeArm Hand Hips Spine Spine2 Neck Head",
    ),
    "Unreal": (
        "{part}_{side}",
        "{part}",
        ("l", "r"),
        "thigh calf foot ball clavicle upperarm lowerarm hand pelvis spine_01 spine_02 neck_01 head",
    ),
    "VRM": (
        "J_Bip_{side}_{part}",
        "J_Bip_C_{part}",
        ("L", "R"),
        "UpperLeg LowerLeg Foot ToeBase Shoulder UpperArm LowerArm Hand Hips Spine Chest Neck Head",
    ),
    "BVH": (
        "{side}{part}",
        "{part}",
        ("Left", "Right"),
        "Hip Knee Ankle Toe Collar Shoulder Elbow Wrist Hips Chest Chest2 Neck Head",
    ),
    "Daz": (
        "{side}{part}",
        "{part}",
        ("l", "r"),
        "ThighBend Shin Foot Toe Collar ShldrBend ForearmBend Hand hip abdomen chest neck head",
    ),
    "MakeHuman": (
        "{part}.{side}",
        "{part}",
        ("L", "R"),
        "upperleg01 lowerleg01 foot toe1-1 clavicle upperarm01 lowerarm01 wrist root spine05 spine01 neck01 head",
    ),
    "Biped": (
        "Bip01 {side} {part}",
        "Bip01 {part}",
        ("L", "R"),
        "Thigh Calf Foot Toe0 Clavicle UpperArm Forearm Hand Pelvis Spine Spine1 Neck Head",
    ),
}


class Statue:
    """A figure without clips, renamed and reshaped; `names` has its bone for each of the figure's."""

    def __init__(self, make, addon, scheme=None):
        figure = addon.module("blender_addon.figures.figure").ensure_figures([0])[0]
        self.rig = bpy.data.objects.new("Statue", figure.armature.data.copy())
        self.body = bpy.data.objects.new("Statue body", figure.meshes[0].data.copy())
        for group in figure.meshes[0].vertex_groups:
            self.body.vertex_groups.new(name=group.name)
        make.link(self.rig, self.body)
        self.body.parent = self.rig
        self.body.modifiers.new("Armature", "ARMATURE").object = self.rig
        bpy.context.view_layer.objects.active = self.rig
        bpy.ops.object.mode_set(mode="EDIT")
        self.rig.data.edit_bones.remove(self.rig.data.edit_bones["phone.R"])  # a body alone is the same on both sides
        bpy.ops.object.mode_set(mode="OBJECT")
        bpy.context.view_layer.update()
        self.names = {bone.name: bone.name for bone in self.rig.data.bones}
        bpy.data.batch_remove([each for each in bpy.data.actions if "footfall_figure" in each])
        if scheme is not None:
            self._rename(*SCHEMES[scheme])

    def _rename(self, limbs, trunk, sides, words):
        for part, word in zip((*PARTS, *TRUNK), words.split(), strict=True):
            for side, its in zip([".L", ".R"], sides, strict=True):
                old = f"{part}{side}" if part in PARTS else part
                new = (limbs if part in PARTS else trunk).format(side=its, part=word)
                if self.names[old] == old:
                    self.rig.data.bones[old].name = self.names[old] = new

    def edit(self, change):
        """Change the rest pose by a function of its edit bones by the figure's names."""
        bpy.context.view_layer.objects.active = self.rig
        bpy.ops.object.mode_set(mode="EDIT")
        for bone in self.rig.data.edit_bones:
            bone.use_connect = False
        change({old: self.rig.data.edit_bones[new] for old, new in self.names.items()})
        bpy.ops.object.mode_set(mode="OBJECT")
        return self

    def raise_arms(self, angle):
        """Turn the arms at rest away from the body by an angle [rad], with all that hangs on them."""

        def change(bones):
            for side, sign in ((".L", -1.0), (".R", 1.0)):
                pivot = bones[f"upper_arm{side}"].head.copy()
                turn = Matrix.Translation(pivot) @ Matrix.Rotation(sign * angle, 4, "Y") @ Matrix.Translation(-pivot)
                for part in ("upper_arm", "forearm", "hand"):
                    bones[part + side].transform(turn)

        return self.edit(change)


def t_pose(statue):
    statue.raise_arms(np.radians(58.0))


def a_pose(statue):
    statue.raise_arms(np.radians(13.0))


def in_centimetres(statue):
    for data in (statue.rig.data, statue.body.data):
        data.transform(Matrix.Scale(100.0, 4))
    statue.rig.scale = (0.01, 0.01, 0.01)


def short_legs(statue):
    def change(bones):
        for name, bone in bones.items():
            for end in ("head", "tail"):
                point = getattr(bone, end)
                lowered = 0.8 * point.z if name[:-2] in PARTS[:4] else point.z - 0.2 * 0.925
                setattr(bone, end, (point.x, point.y, lowered))

    statue.edit(change)


def narrow_shoulders(statue):
    def change(bones):
        for name, bone in bones.items():
            if name[:-2] in ("upper_arm", "forearm", "hand"):
                bone.translate(Vector((-0.04 if name.endswith("L") else 0.04, 0.0, 0.0)))

    statue.edit(change)


def any_rolls(statue):
    rng = np.random.default_rng(3)

    def change(bones):
        for bone in bones.values():
            bone.roll = rng.uniform(-np.pi, np.pi)

    statue.edit(change)


def long_tails(statue):
    def change(bones):
        for bone in bones.values():
            bone.length *= 100.0

    statue.edit(change)


def upward_bones(statue):
    """As files that know only joints have them: all bones point up, toes too."""

    def change(bones):
        for bone in bones.values():
            bone.tail = bone.head + Vector((0.0, 0.0, bone.length))

    statue.edit(change)


def loosen_feet(statue):
    """As rigs have them that were exported without their constraints: feet hang on the root and not on the shin."""

    def change(bones):
        root = statue.rig.data.edit_bones.new("Root")
        root.head, root.tail = (0.0, 0.0, 0.0), (0.0, 0.2, 0.0)
        for name in ("hips", "foot.L", "foot.R"):
            bones[name].parent = root

    statue.edit(change)


def euler_angles(statue):
    for bone in statue.rig.pose.bones:
        bone.rotation_mode = "ZXY"


def other_facing(statue):
    statue.rig.data.transform(Matrix.Rotation(np.pi / 2.0, 4, "Z"))


def y_up(statue):
    statue.rig.data.transform(Matrix.Rotation(-np.pi / 2.0, 4, "X"))
    statue.rig.rotation_euler.x = np.pi / 2.0


def mirrored(statue):
    statue.rig.scale.x = -1.0
    other = str.maketrans("LR", "RL")
    statue.names = {f"{old[:-1]}{old[-1].translate(other)}": new for old, new in statue.names.items()}


def lie_down(statue):
    statue.rig.data.transform(Matrix.Translation((0, 0, 0.2)) @ Matrix.Rotation(np.pi / 2.0, 4, "X"))


def on_all_fours(statue):
    def change(bones):
        for side in (".L", ".R"):
            places = [(0.0, -0.6, 0.8), (0.0, -0.6, 0.45), (0.0, -0.6, 0.08), (0.0, -0.7, 0.02)]
            for part, start, end in zip(("upper_arm", "forearm", "hand"), places, places[1:], strict=False):
                bones[part + side].head, bones[part + side].tail = start, end

    statue.edit(change)


def crouching_legs(statue):
    def change(bones):
        for side in (".L", ".R"):
            bones[f"shin{side}"].head.y -= 0.4

    statue.edit(change)


def one_leg(statue):
    statue.edit(lambda bones: [statue.rig.data.edit_bones.remove(bones[f"{part}.R"]) for part in PARTS[:4]])
