# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that hang on no bone of a leg belong to the leg above them, and no other bones do."""

from types import SimpleNamespace

import bpy
import pytest
from mathutils import Vector

from ..statues import Statue, loosen_feet


def observation_of(statue):
    """What a search for loose feet is given; which bones its clip moves is said by each test."""
    bpy.context.view_layer.update()
    walk = SimpleNamespace(walk=SimpleNamespace(clip=None))
    return SimpleNamespace(armature=statue.rig, copies=[statue.rig, statue.body], clips=walk)


@pytest.mark.once
@pytest.mark.parametrize("are_loose", [True, False])
def test_feet_that_hang_on_no_bone_belong_to_the_legs_above_them(make, addon, monkeypatch, are_loose):
    statue = Statue(make, addon, "Mixamo")
    if are_loose:
        loosen_feet(statue)
        statue.edit(lambda bones: [setattr(bones[name], "parent", None) for name in ("foot.L", "foot.R")])
    loose, legs = (addon.module(f"blender_addon.characters.legs.{name}") for name in ("loose_feet", "bone_legs"))
    monkeypatch.setattr(loose, "moved_by", lambda clip: set(statue.names.values()))
    observation = observation_of(statue)
    found = loose.find_loose_chains(observation, legs.RestPose.of(statue.rig, statue.rig))
    wanted = {tuple(statue.names[f"{part}.{side}"] for part in ("thigh", "shin", "foot")) for side in "LR"}
    first: dict[str, tuple[str, ...]] = {}
    for chain in found:  # its toes come after it
        first.setdefault(chain[0].name, legs.named(chain))
    assert set(first.values()) == (wanted if are_loose else set())


@pytest.mark.once
@pytest.mark.parametrize("is_raised", [False, True])
def test_loose_feet_belong_to_legs_that_rest_on_bent_knees_too(make, addon, monkeypatch, is_raised):
    """Also below knees that are higher than the hips, as robots have them."""
    statue = Statue(make, addon, "Mixamo")
    loosen_feet(statue)

    def bend(bones):
        for side in "LR":
            shin, hip = bones[f"shin.{side}"], bones[f"thigh.{side}"].head
            shin.head = hip + Vector((0.0, 0.0, 0.6)) if is_raised else (shin.head.x, -0.4, shin.head.z)

    statue.edit(bend)
    loose, legs = (addon.module(f"blender_addon.characters.legs.{name}") for name in ("loose_feet", "bone_legs"))
    monkeypatch.setattr(loose, "moved_by", lambda clip: {statue.names["foot.L"], statue.names["foot.R"]})
    observation = observation_of(statue)
    rest = legs.RestPose.of(statue.rig, statue.rig)
    straight = loose.find_loose_chains(observation, rest)
    found = straight or loose.find_loose_chains(observation, rest, legs.LEG_SEARCH.below_bent_knee)
    assert bool(straight) == is_raised
    assert {legs.named(chain) for chain in found} == {
        tuple(statue.names[f"{part}.{side}"] for part in ("thigh", "shin", "foot")) for side in "LR"
    }


@pytest.mark.once
@pytest.mark.parametrize("are_loose", [True, False])
def test_bones_that_exporters_add_at_the_end_of_shins_are_no_feet(make, addon, monkeypatch, are_loose):
    statue = Statue(make, addon, "Mixamo")
    if are_loose:
        loosen_feet(statue)

    def add_ends(bones):
        for side in "LR":
            end = statue.rig.data.edit_bones.new(f"End {side}")
            end.head = bones[f"foot.{side}"].head
            end.tail, end.parent = end.head - Vector((0.0, 0.0, 0.1)), bones[f"shin.{side}"]

    statue.edit(add_ends)
    loose, legs, find = (
        addon.module(f"blender_addon.characters.legs.{name}") for name in ("loose_feet", "bone_legs", "find")
    )
    monkeypatch.setattr(loose, "moved_by", lambda clip: {statue.names["foot.L"], statue.names["foot.R"]})
    observation = observation_of(statue)
    rest = legs.RestPose.of(statue.rig, statue.rig)
    found = find.legs_on_bones(observation, rest, loose.find_loose_chains(observation, rest), [])
    assert len(found) == (0 if are_loose else 2)
