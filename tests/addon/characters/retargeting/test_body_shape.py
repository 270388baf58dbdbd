# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies whose bones have names that say nothing are found by their shape."""

import bpy
import pytest

# isort: split
import addon_utils

from ..statues import (
    Statue,
    a_pose,
    any_rolls,
    crouching_legs,
    in_centimetres,
    lie_down,
    long_tails,
    on_all_fours,
    one_leg,
    other_facing,
    short_legs,
    t_pose,
    y_up,
)
from .gait import check_walk, walked

pytestmark = pytest.mark.each_blender("metarigs of Rigify")


@pytest.fixture
def humanoids(addon):
    return addon.module("blender_addon.characters.retargeting.humanoids")


@pytest.fixture
def metarig(addon):
    """Adds a metarig."""
    addon_utils.enable("rigify", default_set=True)

    def add(kind):
        getattr(bpy.ops.object, f"armature_{kind}_metarig_add")()
        return bpy.context.active_object

    return add


def without_names(rig):
    """Name the bones of a rig by numbers alone; returns what they were called."""
    old = {f"Bone.{number:03d}": bone.name for number, bone in enumerate(rig.data.bones)}
    for new, name in old.items():
        rig.data.bones[name].name = new
    bpy.context.view_layer.update()
    return old


def body_of(humanoids, rig, names=None):
    """Bones of a body by their roles, with the names that they had."""
    body = humanoids.find_humanoid(rig, rig)
    if body is None:
        return None
    named = {bone.name: bone.name for bone in rig.data.bones} if names is None else names
    chains = {"spine": body.spine, "neck": body.neck}
    return {role: named[bone] for role, bone in body.bones.items()} | {
        key: [named[bone] for bone in chain] for key, chain in chains.items()
    }


def two_bones_each(statue):
    """Divide thighs and shins, as MakeHuman has them."""

    def change(bones):
        for role in ("thigh.L", "thigh.R", "shin.L", "shin.R"):
            upper, children = bones[role], list(bones[role].children)
            lower = statue.rig.data.edit_bones.new(f"{upper.name} 2")
            lower.head, lower.tail = (upper.head + upper.tail) / 2.0, upper.tail
            upper.tail, lower.parent = lower.head, upper
            for child in children:
                child.parent = lower

    statue.edit(change)


def test_the_same_parts_are_found_as_by_names(make, addon, humanoids):
    for change in (
        a_pose,
        any_rolls,
        in_centimetres,
        long_tails,
        other_facing,
        short_legs,
        t_pose,
        two_bones_each,
        y_up,
    ):
        statue = Statue(make, addon)
        change(statue)
        bpy.context.view_layer.update()
        by_name = body_of(humanoids, statue.rig)
        assert {"toe.L", "clavicle.R", "hand.L", "hips", "chest", "head"} <= set(by_name), change.__name__
        assert body_of(humanoids, statue.rig, without_names(statue.rig)) == by_name, change.__name__


@pytest.mark.parametrize("side", ["L", "R"])
def test_a_bone_more_in_one_hand_hides_no_arm(make, addon, humanoids, side):
    statue = Statue(make, addon)
    a_pose(statue)

    def give_tool(bones):
        hand = bones[f"hand.{side}"]
        tool = statue.rig.data.edit_bones.new("Tool")
        tool.head, tool.tail, tool.parent = hand.tail, 2.0 * hand.tail - hand.head, hand

    statue.edit(give_tool)
    by_name = body_of(humanoids, statue.rig)
    assert {"upper_arm.L", "hand.L", "forearm.R", "hand.R", "chest", "head"} <= set(by_name)
    assert body_of(humanoids, statue.rig, without_names(statue.rig)) == by_name


@pytest.mark.parametrize("kind", ["human", "basic_human"])
def test_metarigs_need_no_names(humanoids, metarig, kind):
    rig = metarig(kind)
    by_name = body_of(humanoids, rig)
    found = body_of(humanoids, rig, without_names(rig))
    assert (found.pop("head"), found.pop("neck")) == ("spine.006", ["spine.004", "spine.005", "spine.006"])
    assert by_name.pop("neck") == []  # no name says that there is a head
    assert found == by_name


def test_a_robot_with_a_tool_for_an_arm_is_a_body(make, addon, humanoids):
    statue = Statue(make, addon)

    def change(bones):
        for part in ("forearm.L", "hand.L"):
            statue.rig.data.edit_bones.remove(bones[part])

    statue.edit(change)
    statue.names = {old: new for old, new in statue.names.items() if new in statue.rig.data.bones}
    by_name = body_of(humanoids, statue.rig)
    found = body_of(humanoids, statue.rig, without_names(statue.rig))
    parts = ("hips", "head", "thigh.L", "shin.R", "foot.L", "toe.R")
    assert {part: found[part] for part in parts} == {part: by_name[part] for part in parts}
    assert "upper_arm.R" not in found


@pytest.mark.once
def test_other_bodies_are_none(make, addon, humanoids, metarig):
    for kind in ("basic_quadruped", "horse", "wolf", "cat"):
        rig = metarig(kind)
        without_names(rig)
        assert body_of(humanoids, rig) is None, kind
    for change in (lie_down, on_all_fours, crouching_legs, one_leg):
        statue = Statue(make, addon)
        change(statue)
        without_names(statue.rig)
        assert body_of(humanoids, statue.rig) is None, change.__name__


def test_who_has_no_names_walks_and_is_mended_by_hand(make, stage, humanoids):
    statue = Statue(make, stage.addon)
    t_pose(statue)
    old = without_names(statue.rig)
    statue.names = {name: new for new, name in old.items()}
    assert humanoids.recognised_parts(statue.rig)["upper_arm_l"] == statue.names["upper_arm.L"]
    check_walk(*walked(make, stage, statue))
    bpy.context.view_layer.objects.active = statue.rig
    bpy.ops.footfall.body_parts(character="Statue", chest=statue.names["spine"])
    body = humanoids.find_humanoid(statue.rig, statue.rig)
    assert body.spine == (statue.names["spine"],)
    assert body.bones["thigh.L"] == statue.names["thigh.L"]
