# SPDX-License-Identifier: GPL-3.0-or-later
"""The user sees which bones are which parts of a body, and mends it."""

from itertools import pairwise

import bpy
import pytest

from ..statues import Statue
from .gait import check_walk, walked


@pytest.fixture
def humanoids(addon):
    return addon.module("blender_addon.characters.retargeting.humanoids")


def add_skirt(statue):
    """Add a chain of bones from the hips to the ground: by its shape it might be a leg."""

    def change(bones):
        carrier = bones["hips"]
        places = [(0.15, 0.1, 0.85), (0.15, 0.1, 0.5), (0.15, 0.1, 0.1), (0.15, 0.0, 0.08)]
        for number, (begin, end) in enumerate(pairwise(places)):
            bone = statue.rig.data.edit_bones.new(f"Hem {number}")
            bone.head, bone.tail, bone.parent = begin, end, carrier
            carrier = bone

    statue.edit(change)


def test_what_the_user_says_of_bones_counts_and_is_kept(make, stage, humanoids, cast_told):
    statue = Statue(make, stage.addon, "VRM")
    add_skirt(statue)
    right = humanoids.recognised_parts(statue.rig)
    assert right["upper_arm_l"] == "J_Bip_L_UpperArm"
    assert right["head"] == "J_Bip_C_Head"
    assert set(right) == set(humanoids.PART_NAMES)
    for part in ("thigh", "shin"):
        for side in (".L", ".R"):
            old = statue.names[part + side]
            statue.rig.data.bones[old].name = statue.names[part + side] = f"Bone {part[0]}{side[1]}x"
    assert "thigh_l" not in humanoids.recognised_parts(statue.rig)
    bpy.context.view_layer.objects.active = statue.rig
    with pytest.raises(RuntimeError, match="has no bone 'Nowhere'"):
        bpy.ops.footfall.body_parts(thigh_l="Nowhere")
    named = {f"{part}_{side.lower()}": statue.names[f"{part}.{side}"] for part in ("thigh", "shin") for side in "LR"}
    assert not cast_told
    assert bpy.ops.footfall.body_parts(character="Statue", **named) == {"FINISHED"}
    assert cast_told == [bpy.context.scene], "the cast table is filled again"
    assert dict(statue.rig["footfall_body"]) == {
        f"{part[:-2]}.{part[-1].upper()}": bone for part, bone in named.items()
    }
    assert humanoids.recognised_parts(statue.rig) == right | named
    check_walk(*walked(make, stage, statue))
    people = (obj for obj in bpy.context.scene.objects if "footfall_crowd" in obj and obj.type == "ARMATURE")
    bpy.context.view_layer.objects.active = next(people)
    asked = stage.addon.module("blender_addon.interface.operators.clips").armature_in_question(bpy.context)
    assert asked == statue.rig, "of a baked person, the character is asked for"


def test_a_part_that_was_found_wrong_is_mended(make, addon, humanoids):
    statue = Statue(make, addon, "Unreal")
    add_skirt(statue)
    statue.edit(lambda bones: statue.rig.data.edit_bones.new("thigh_prop_l").__setattr__("tail", (0, 0, 1)))
    assert humanoids.find_humanoid(statue.rig, statue.rig) is None
    bpy.ops.footfall.body_parts(character="Statue", thigh_l="thigh_l", chest="spine_01")
    found = humanoids.find_humanoid(statue.rig, statue.rig)
    assert (found.bones["thigh.L"], found.spine) == ("thigh_l", ("spine_01",))
    bpy.ops.footfall.body_parts(character="Statue", thigh_l="")
    assert "footfall_body" not in statue.rig
