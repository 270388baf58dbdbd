# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of blocks, with legs of one piece: of objects that hang on one another, or on bones."""

import bpy
import numpy as np
import pytest
from mathutils import Vector

from ..acts.acting import acting

pytestmark = pytest.mark.each_blender("animated objects, and what is evaluated")

FRAMES, LEG, CYCLE = 84, 0.45, 24


def box(make, name, size, low, carrier=None, place=(0.0, 0.0, 0.0)):
    """A box whose origin is in the middle of it, but at a height of its own."""
    made = make.cube(name, 1.0)
    for vertex in made.data.vertices:
        x, y, z = vertex.co
        vertex.co = (x * size[0], y * size[1], low + z * size[2])
    made.parent, made.location = carrier, place
    return made


def keyed(make, thing, clip, path, values):
    """Let a thing have these Euler angles about X, or heights, at equal frames of a clip in a strip of its own."""
    axis = {"rotation_euler": 0, "location": 2}[path]
    name = f"{clip} {thing.name}"
    channels = [make.actions.Channel(path, axis, np.arange(len(values)), np.array(values))]
    made = make.actions.new_clip(name, channels, group="Blocks")
    track = thing.animation_data_create().nla_tracks.new()
    track.name = clip
    make.actions.add_strip(track, clip, made, 0)


def figure_of_objects(make):
    """As packs for games have it: it bounces, so that no foot is on the ground while its legs are apart."""
    root = bpy.data.objects.new("Blocks", None)
    torso = box(make, "torso", (0.4, 0.25, 1.1), 0.0, root, (0.0, 0.0, LEG))
    legs = [box(make, f"leg-{side}", (0.15, 0.2, LEG), -LEG, torso, (x, 0.0, 0.0)) for side, x in SIDES]
    phase = 2.0 * np.pi * np.arange(CYCLE + 1) / CYCLE
    keyed(make, torso, "walk", "location", LEG + 0.1 * np.sin(phase) ** 2)
    for leg, sign in zip(legs, (1.0, -1.0), strict=True):
        keyed(make, leg, "walk", "rotation_euler", sign * 0.6 * np.sin(phase))
    for each in (torso, *legs):
        keyed(make, each, "idle", "rotation_euler", [0.0] * (CYCLE + 1))
    make.link(root, torso, *legs)
    return root, torso, *legs


SIDES = (("left", 0.1), ("right", -0.1))


def feet_of_objects(mover):
    legs = [next(each for each in mover.children_recursive if f"leg-{side}" in each.name) for side, _ in SIDES]
    return lambda graph: [leg.evaluated_get(graph).matrix_world @ Vector((0.0, 0.0, -LEG)) for leg in legs]


def figure_of_bones(make):
    rig = bpy.data.objects.new("Blocks", bpy.data.armatures.new("Blocks"))
    make.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for name, x, low, high in (("torso", 0.0, LEG, 1.55), *((f"leg-{side}", x, LEG, 0.0) for side, x in SIDES)):
        bone = rig.data.edit_bones.new(name)
        bone.head, bone.tail = (x, 0.0, low), (x, 0.0, high)
        if name != "torso":
            bone.parent = rig.data.edit_bones["torso"]
    bpy.ops.object.mode_set(mode="OBJECT")
    body = make.cube("Body", 1.5)
    make.link(body)
    body.parent = rig
    phase = 2.0 * np.pi * np.arange(CYCLE + 1) / CYCLE
    channels = []
    for (side, _), sign in zip(SIDES, (1.0, -1.0), strict=True):
        path = f'pose.bones["leg-{side}"].rotation_euler'
        rig.pose.bones[f"leg-{side}"].rotation_mode = "XYZ"
        channels.append(make.actions.Channel(path, 0, np.arange(CYCLE + 1), sign * 0.6 * np.sin(phase)))
    make.actions.assign_clip(rig, make.actions.new_clip("walk", channels, group="Blocks"))
    return rig, body


def feet_of_bones(mover):
    def feet(graph):
        seen = mover.evaluated_get(graph)
        return [seen.matrix_world @ seen.pose.bones[f"leg-{side}"].tail for side, _ in SIDES]

    return feet


@pytest.mark.parametrize(
    ("figure", "feet_of"), [(figure_of_objects, feet_of_objects), (figure_of_bones, feet_of_bones)]
)
def test_legs_of_one_piece_walk_and_their_feet_stand(make, stage, figure, feet_of):
    parts = figure(make)
    stage.crowd.characters = make.collection("Characters", *parts)
    (mover, *_) = stage.bake(make.walk(agents=1, frames=(1, FRAMES), speed=0.7))
    read, feet, body = feet_of(mover), np.zeros((FRAMES, 2, 3)), np.zeros((FRAMES, 2))
    for frame in range(FRAMES):
        bpy.context.scene.frame_set(frame + 1)
        graph = bpy.context.view_layer.depsgraph
        feet[frame] = read(graph)
        body[frame] = mover.evaluated_get(graph).matrix_world.translation.xy
    speed = np.linalg.norm(np.diff(body, axis=0), axis=1)
    stands = np.linalg.norm(np.diff(feet[..., :2], axis=0), axis=2) < 0.15 * speed[:, None]
    assert 0.5 < stands[24:].mean() < 0.65
    assert (stands[24:].any(axis=1)).mean() > 0.95
    height = feet[..., 2] - mover.matrix_world.translation.z
    assert height.min() > -0.01
    lower = height.min(axis=1)
    assert lower.max() < 0.06  # of 1.55 m: the middle of a block that stands on its edge
    assert not [notice for notice in stage.notices if "slides along" in notice]
    assert all(part.parent_type != "BONE" for part in parts)  # the user's own


@pytest.mark.once
def test_a_figure_of_blocks_plays_a_clip_of_its_own(make, stage):
    """Nobody knows where its legs of one piece are in it."""
    parts = figure_of_bones(make)
    channel = make.actions.Channel('pose.bones["torso"].rotation_euler', 2, np.array([0.0, 24.0]), np.array([0.0, 0.5]))
    parts[0].pose.bones["torso"].rotation_mode = "XYZ"
    make.actions.new_clip("Waving", [channel], group="Blocks").action.use_fake_user = True
    stage.crowd.characters = make.collection("Characters", *parts)
    movers = stage.bake(acting(make, ("wave", "clap")))
    played = [[strip.name for track in each.animation_data.nla_tracks for strip in track.strips] for each in movers]
    assert ["Waving" in " ".join(names) for names in played] == [True, False]


def test_what_only_a_constraint_holds_gets_no_bone_and_the_figure_walks(make, stage):
    parts = figure_of_objects(make)
    holder = bpy.data.objects.new("Holder", None)
    hat = box(make, "hat", (0.2, 0.2, 0.1), 1.1, holder)
    make.link(holder, hat)
    holder.constraints.new("COPY_LOCATION").target = parts[1]
    stage.crowd.characters = make.collection("Characters")
    stage.crowd.characters.children.link(make.collection("Figure", *parts, holder, hat))
    (mover, *_) = stage.bake(make.walk(agents=1, frames=(1, FRAMES), speed=0.7))
    (rig,) = [each for each in mover.children_recursive if each.type == "ARMATURE"]
    assert len(rig.pose.bones) == len(parts)


@pytest.mark.each_blender("lengths of names")
def test_names_of_objects_may_be_longer_than_those_of_bones(make, stage):
    parts = figure_of_objects(make)
    for part in parts:
        part.name = 70 * "x" + part.name
    stage.crowd.characters = make.collection("Characters", *parts)
    (mover, *_) = stage.bake(make.walk(agents=1, frames=(1, FRAMES), speed=0.7))
    (rig,) = [each for each in mover.children_recursive if each.type == "ARMATURE"]
    assert len(rig.pose.bones) == len(parts)
    assert not [notice for notice in stage.notices if "slides along" in notice]


@pytest.mark.parametrize("of", ["all of it", "one leg"])
def test_a_new_crowd_takes_a_selected_figure_of_objects(make, stage, of):
    figure = figure_of_objects(make)
    for each in bpy.context.selected_objects:
        each.select_set(False)
    for each in figure if of == "all of it" else figure[-1:]:
        each.select_set(True)
    bpy.ops.footfall.crowd_add()
    crowd = stage.scene.footfall.crowds[-1]
    assert crowd.characters is not None
    assert set(crowd.characters.all_objects) == set(figure)


def test_of_many_selected_objects_only_those_that_carry_others_are_looked_at_and_all_at_once(make, addon, monkeypatch):
    """To ask an object for its children takes a look at all objects of the file."""
    figures = addon.module("blender_addon.interface.operators.figures")
    figure, looks = figure_of_objects(make), []
    cubes = [make.cube(f"Cube {number}") for number in range(20)]
    make.link(*cubes)
    walks = figures.walks_by_its_parts
    monkeypatch.setattr(figures, "walks_by_its_parts", lambda parts: looks.append(parts[0]) or walks(parts))
    monkeypatch.setattr(bpy.types.Object, "children_recursive", property(looks.append))
    assert set(figures.characters_among([*cubes, *figure])) == set(figure)
    assert looks == [figure[0]]
