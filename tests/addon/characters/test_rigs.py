# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs of other makers: their runs, their bones' names, legs that are moved by controls, motion from files."""

from dataclasses import replace

import bpy
import numpy as np
import pytest

from tests.sweeps import sweep

from .acts.acting import NAMES, SEAT
from .legs.ways import balls, on_a_way, slides
from .strangers import foreign_rig, rigify_person

pytestmark = pytest.mark.each_blender("importers and Rigify")

FPS = 24.0


def runner(make, addon, names):
    """A foreign rig with the figures' walk and run, under names of its own choice, in its NLA tracks."""
    figure = addon.module("blender_addon.figures.figure").ensure_figures([0])[0]
    rig = bpy.data.objects.new("Stranger", figure.armature.data.copy())
    make.link(rig)
    bpy.context.view_layer.update()
    rig.animation_data_create()
    for name, clip in zip(names, (figure.run, figure.walk, figure.idle), strict=True):
        own = make.actions.copy_clip(clip)
        own.action.name = name
        del own.action["footfall_figure"]
        track = rig.animation_data.nla_tracks.new()
        make.actions.add_strip(track, name, own, 1)
    body = make.cube("Stranger body")
    make.link(body)
    body.parent = rig
    return rig, body


@pytest.mark.parametrize(
    "names", [("Take 1", "Take 2", "Take 3"), pytest.param(("Jogging", "Walking", "Idle"), marks=pytest.mark.once)]
)
def test_clips_are_known_by_name_or_else_by_speed(make, stage, names):
    stage.crowd.characters = make.collection("People", *runner(make, stage.addon, names))
    cast = stage.cast(make.walk())
    (template,) = cast._templates
    assert template.clips.walk.name == names[1]
    assert template.clips.run.name == names[0]
    assert template.clips.idle.name == names[2]
    figure = stage.addon.module("blender_addon.figures.figure").ensure_figures([0])[0]
    assert template.stride == pytest.approx(figure.stride, rel=0.03)
    assert template.run_stride == pytest.approx(figure.run_stride, rel=0.05)
    assert (template.clips.run_ahead - figure.run_ahead + 0.5) % 1.0 - 0.5 == pytest.approx(0.0, abs=0.04)
    cast.discard()


def test_a_foreign_rig_runs_with_planted_feet_and_flies_between_steps(make, stage):
    stage.crowd.characters = make.collection("People", *runner(make, stage.addon, ("Run", "Walk", "Idle")))
    frames = 120
    (figure, *_) = stage.bake(on_a_way(make, 0.2 * np.ones(frames), 2.7 * np.ones(frames)))
    (places,) = balls(make, [figure], frames)
    found = slides(places)
    assert len(found) >= 6
    assert found.mean() < 0.01
    assert np.percentile(found, 99) < 0.03
    aloft = (places[..., 2] > places[..., 2].min() + 0.03).all(axis=1)
    assert aloft.mean() > 0.15


@pytest.mark.once
@pytest.mark.parametrize("prefix", sweep(["mixamorig:", "", "Bip01 "], usual=2, everywhere=1))
def test_people_have_a_number_by_lot_and_bones_any_names(make, stage, prefix):
    rig, body = foreign_rig(make, stage.addon, "XYZ")
    for bone in rig.data.bones:
        bone.name = bone.name.replace("mixamorig:", prefix)
    stage.crowd.characters = make.collection("People", rig, body)
    cast = stage.cast(make.walk())
    (template,) = cast._templates
    assert [leg.bones[2] for leg in template.legs] == [f"{prefix}foot_L", f"{prefix}foot_R"]
    cast.discard()
    movers = stage.bake(make.walk(agents=8))
    numbers = [mover["variation"] for mover in movers]
    assert len(set(numbers)) == 8
    assert all(0.0 <= number <= 1.0 for number in numbers)
    assert movers[0].children[0]["variation"] == numbers[0]
    assert {mover.children[0].data for mover in movers} == {body.data}


@pytest.mark.once
@pytest.mark.parametrize("scheme", ["Bone.001", "leg1_L"])
def test_thigh_and_shin_that_differ_by_a_number_are_two_bones(make, stage, scheme):
    """As Blender names new bones, and as many name legs; straight legs are not one bone in pieces."""
    rig, body = foreign_rig(make, stage.addon, "XYZ")
    legs = [[rig.data.bones[f"mixamorig:{part}_{side}"] for part in ("thigh", "shin", "foot")] for side in "LR"]
    if scheme == "Bone.001":
        for number, bone in enumerate(rig.data.bones):
            bone.name = f"Bone.{number:03d}"
    else:
        for side, (thigh, shin, _) in zip("LR", legs, strict=True):
            thigh.name, shin.name = f"leg1_{side}", f"leg2_{side}"
    stage.crowd.characters = make.collection("People", rig, body)
    cast = stage.cast(make.walk())
    (template,) = cast._templates
    assert [leg.bones for leg in template.legs] == [tuple(bone.name for bone in leg) for leg in legs]
    cast.discard()


@pytest.mark.once
def test_legs_that_are_only_controls_are_left_alone_and_told_of(make, stage):
    """As in generated Rigify rigs: the body follows bones of its own, which constraints move."""
    rig, body = foreign_rig(make, stage.addon, "XYZ")
    for bone in rig.data.bones:
        bone.use_deform = False
    stage.crowd.characters = make.collection("People", rig, body)
    turn, speed = np.full(48, 1.0), np.full(48, 1.1)
    figures = stage.bake(on_a_way(make, turn, speed))
    assert not any("Footfall feet" in figure.animation_data.nla_tracks for figure in figures)
    assert any("'Stranger': its feet are not planted" in notice for notice in stage.notices)


def seated(way, agent, first):
    """Trajectories in which somebody stands still and sits from a row on."""
    frames, agents = way.present.shape
    activity = np.zeros((frames, agents), dtype=np.int8)
    height = np.full((frames, agents), np.nan, dtype=np.float32)
    activity[first:, agent], height[first:, agent] = NAMES.index("sit"), SEAT
    way.position[:, agent], way.velocity[:, agent], way.heading[:, agent] = way.position[0, agent], 0.0, 0.4
    gaze = np.full((frames, agents, 3), np.nan, dtype=np.float32)
    return replace(way, activity=activity, activity_names=NAMES, seat_height=height, gaze=gaze)


@pytest.mark.once
def test_a_rigify_rig_walks_by_its_controls_with_planted_feet_in_bends(make, stage, enabled):
    """One of two walks, in a left-hand bend of 1 m radius, and the other sits down."""
    enabled("rigify")
    rig, body = rigify_person(make, 0.9)
    stage.crowd.characters = make.collection("People", rig, body)
    frames = 90
    speed = 0.9 + 0.3 * np.sin(np.linspace(0.0, 3.0 * np.pi, frames))
    way = seated(on_a_way(make, speed / 1.0, speed), 1, 24)
    cast = stage.cast(way)
    (template,) = cast._templates
    assert template.stride == pytest.approx(0.9, rel=0.02)
    figures = stage.finish(cast, way)
    assert len({figure.data for figure in figures}) == 1
    (places,) = balls(make, figures[:1], frames, ("DEF-foot.L", "DEF-foot.R"))
    found = slides(places)
    assert len(found) >= 5
    assert found.mean() < 0.01
    assert found.max() < 0.03
    clip = figures[0].animation_data.nla_tracks["Footfall feet"].strips[0]
    paths = {curve.data_path for curve in make.actions.curves_of(make.actions.clips_of_action(clip.action)[0])}
    assert {path.split('"')[1] for path in paths} == {"foot_ik.L", "foot_ik.R"}
    assert not any("its feet are not planted" in notice for notice in stage.notices)
    assert [sentence for sentence in stage.notices if "controls hold its legs: choose Rig: Deform Only" in sentence]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Blender's own reader leaves it open
def test_a_rig_from_a_bvh_file_walks_with_planted_feet(make, stage, enabled, tmp_path):
    enabled("io_anim_bvh")
    figure = stage.addon.module("blender_addon.figures.figure").ensure_figures([0])[0]
    walker = figure.armature.copy()
    make.link(walker)
    bpy.context.view_layer.objects.active = walker
    path = str(tmp_path / "walk.bvh")
    bpy.ops.export_anim.bvh(filepath=path, frame_start=0, frame_end=32)
    bpy.data.objects.remove(walker)
    bpy.ops.import_anim.bvh(filepath=path, axis_forward="Y", axis_up="Z")  # as Blender writes them
    rig = bpy.context.view_layer.objects.active
    body = make.cube("Recorded body")
    make.link(body)
    body.parent = rig
    stage.crowd.characters = make.collection("People", rig, body)
    frames = 96
    way = on_a_way(make, np.full(frames, 1.0), np.full(frames, 1.1))
    cast = stage.cast(way)
    (template,) = cast._templates
    assert template.stride == pytest.approx(figure.stride, rel=0.03)
    assert len(template.legs) == 2
    figures = stage.finish(cast, way)
    found = np.concatenate([slides(each) for each in balls(make, figures, frames)])
    assert len(found) >= 6
    assert found.mean() < 0.01
    assert found.max() < 0.03
