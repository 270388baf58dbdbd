# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that stay where they are set down, measured on evaluated bones."""

import dataclasses

import bpy
import numpy as np
import pytest

from tests.sweeps import sweep

from ..strangers import foreign_rig
from .ways import FEET, FPS, WAYS, Slope, balls, on_a_way, slides


@pytest.mark.parametrize("way", sweep(WAYS, usual=3))
def test_planted_feet_of_the_built_in_figures_stay_within_a_centimetre(make, stage, way):
    turn, speed = WAYS[way](np.arange(192) / FPS)
    figures = stage.bake(on_a_way(make, turn, speed))
    found = np.concatenate([slides(each) for each in balls(make, figures, len(speed))])
    assert len(found) >= 10
    assert found.mean() < 0.01
    assert np.percentile(found, 99) < 0.03


@pytest.mark.parametrize("aside", sweep([1.3, 3.0, 2.0], usual=2))
@pytest.mark.parametrize("pace", sweep([0.35, 0.8], usual=1))
def test_feet_stand_while_somebody_goes_sideways_or_backwards(make, stage, aside, pace):
    """As people do who turn round, or who are pushed aside in a throng."""
    seconds = np.arange(192) / FPS
    way = on_a_way(make, 0.0 * seconds, pace * (1.0 + 0.4 * np.sin(2.0 * seconds)))
    way.heading[:] += aside
    found = np.concatenate([slides(each) for each in balls(make, stage.bake(way), 192)])
    assert len(found) >= 10
    assert found.mean() < 0.01
    assert np.percentile(found, 99) < 0.03


@pytest.mark.each_blender("actions are evaluated")
@pytest.mark.parametrize(
    ("way", "mode"),
    sweep([("bend, faster and slower", "YXZ"), ("bend", "XYZ"), ("speeding", "ZYX")], usual=2, everywhere=1),
)
def test_planted_feet_of_a_foreign_rig_stay_within_a_centimetre(make, stage, way, mode):
    stage.crowd.characters = make.collection("People", *foreign_rig(make, stage.addon, mode))
    stage.crowd.forward_axis = "POS_X"
    turn, speed = WAYS[way](np.arange(144) / FPS)
    figures = stage.bake(on_a_way(make, turn, speed))
    feet = ("mixamorig:foot_L", "mixamorig:foot_R")
    found = np.concatenate([slides(each) for each in balls(make, figures, len(speed), feet)])
    assert len(found) >= 10
    assert found.mean() < 0.01
    assert np.percentile(found, 99) < 0.03


@pytest.mark.each_blender("actions are evaluated")
@pytest.mark.parametrize("unit", sweep([0.5, 1.0], everywhere=1))
def test_feet_stand_on_a_slope_and_not_in_it(make, stage, unit):
    turn, speed = WAYS["bend"](np.arange(144) / FPS)
    figures = stage.bake(on_a_way(make, turn, speed), ground=Slope(), unit=unit)
    feet, toes = (balls(make, figures, len(speed), names) * unit for names in (FEET, ("toe.L", "toe.R")))
    for places, tips in zip(feet, toes, strict=True):
        above, tip = (each[..., 2] - 0.12 * each[..., 0] for each in (places, tips))
        assert 0.005 < above.min() < 0.03
        assert tip.min() > -0.005
        stands = np.minimum(above, tip) < 0.03
        assert stands.mean() > 0.35
        assert stands.any(axis=1).mean() > 0.85


class Stairs:
    """Treads of 30 cm, each 17 cm higher than the last, along x."""

    def heights(self, xy, near_z):
        return 0.17 * np.floor(xy[:, 0] / 0.3)


class Kerb:
    """A step of 15 cm up, 3 m along x."""

    def heights(self, xy, near_z):
        return np.where(xy[:, 0] > 3.0, 0.15, 0.0)


def along_x(make, ground, speed):
    """Trajectories of two people for five seconds along x over a ground, at a speed [m/s], back where it is below 0."""
    trajectories = on_a_way(make, np.zeros(120), np.full(120, abs(speed)))
    x = speed * np.arange(120) / FPS
    for agent in range(2):
        place = [x, np.full(120, 5.0 * agent), ground.heights(x[:, None], None)]
        trajectories.position[:, agent] = np.stack(place, axis=1)
    trajectories.velocity[:] = (speed, 0.0)
    trajectories.heading[:] = 0.0 if speed > 0.0 else np.pi
    return trajectories


@pytest.mark.parametrize("way", [1.0, -1.0], ids=["up", "down"])
def test_on_stairs_bodies_rise_evenly_and_feet_stand_on_the_treads(make, stage, way):
    figures = stage.bake(along_x(make, Stairs(), 0.6 * way), ground=Stairs())
    looks = (make.all_evaluated(figures, frame) for frame in range(1, 121))
    hips = [[(seen.matrix_world @ seen.pose.bones["hips"].head).z for seen in look] for look in looks]
    inner = slice(24, 96)
    assert np.abs(np.diff(hips, axis=0)[inner]).max() < 0.03  # and not a whole riser
    for both in balls(make, figures, 120, (*FEET, "toe.L", "toe.R")):
        feet, tips = both[:, :2], both[:, 2:]
        above = feet[inner, :, 2] - Stairs().heights(feet[inner].reshape(-1, 3), None).reshape(-1, 2)
        assert above.min() > 0.0
        toes = tips[inner, :, 2] - Stairs().heights(feet[inner].reshape(-1, 3), None).reshape(-1, 2)
        assert (np.minimum(above, toes) < 0.032).any(axis=1).mean() > 0.9  # or on the toes of the leg that pushes off
        assert np.abs(np.diff(feet[inner, :, 2], axis=0)).max() < 0.15
        rests = np.abs(np.diff(feet, axis=0, prepend=feet[:1]))[inner].max(axis=2) < 0.002
        ball, toes = feet[inner][rests], (tips - feet)[inner][rests]
        assert len(ball) > 25
        for part in (1.0, 0.5, -0.6, -1.2):  # from the tip of the toes to the heel: none is in the next step
            assert (Stairs().heights(ball + part * toes, None) <= Stairs().heights(ball, None)).mean() > 0.97


def _knee(bones, side):
    return np.degrees(bones["thigh." + side].vector.angle(bones["shin." + side].vector))


def test_down_stairs_knees_are_bent_as_those_of_people_and_never_snap(make, stage):
    """Down to where a leg of people swings through: some 90 degrees."""
    figures = stage.bake(along_x(make, Stairs(), -0.7), ground=Stairs())
    looks = (make.all_evaluated(figures, frame) for frame in range(25, 97))
    bent = [[_knee(seen.pose.bones, side) for seen in look for side in "LR"] for look in looks]
    snaps = np.abs(np.diff(bent, axis=0))
    assert 75.0 < np.max(bent) < 100.0
    assert np.percentile(snaps, 99) < 20.0
    assert snaps.max() < 35.0


@pytest.mark.parametrize(
    ("ground", "speed", "most"), [(Stairs(), 0.6, 55.0), (Stairs(), 0.8, 55.0), (Kerb(), 1.3, 45.0)]
)
def test_up_steps_one_leg_straightens_while_the_other_swings_without_a_flick(make, stage, ground, speed, most):
    """Both knees were bent by 60 degrees in the middle of a step, and feet went 5 m/s at 0.6 m/s."""
    figures = stage.bake(along_x(make, ground, speed), ground=ground)
    straighter, hips = [], []
    for frame in range(25, 97):
        looks = list(make.all_evaluated(figures, frame))
        straighter.append([min(_knee(seen.pose.bones, side) for side in "LR") for seen in looks])
        hips.append([(seen.matrix_world @ seen.pose.bones["hips"].head).z for seen in looks])
    feet = balls(make, figures, 120)[:, 24:96]
    assert np.max(straighter) < most
    assert (np.array(straighter) > 45.0).mean() < 0.15  # while the foot behind has just left
    assert np.diff(hips, axis=0).min() > -0.01  # it does not sink before it rises
    assert np.linalg.norm(np.diff(feet, axis=1), axis=3).max() * FPS < 5.0 * speed


def test_feet_stand_where_each_person_is_whoever_is_first(make, stage):
    """One keeps the height of a drawn path, and the other is on the ground: each has feet at its own height."""
    stage.crowd.characters = make.collection("People", *foreign_rig(make, stage.addon, "XYZ"))
    stage.crowd.forward_axis = "POS_X"
    turn, speed = WAYS["bend"](np.arange(72) / FPS)
    trajectories = dataclasses.replace(on_a_way(make, turn, speed), keeps_height=np.array([True, False]))
    figures = stage.bake(trajectories, ground=Slope())
    level, sloped = balls(make, figures, len(speed), ("mixamorig:foot_L", "mixamorig:foot_R"))
    assert np.ptp(level[..., 2].min(axis=1)) < 0.02
    assert 0.005 < (sloped[..., 2] - 0.12 * sloped[..., 0]).min() < 0.03


def test_feet_slide_in_a_bend_when_they_are_not_planted(make, stage):
    stage.crowd.motion.plants_feet = False
    turn, speed = WAYS["bend"](np.arange(96) / FPS)
    figures = stage.bake(on_a_way(make, turn, speed))
    assert not any("Footfall feet" in figure.animation_data.nla_tracks for figure in figures)
    assert np.concatenate([slides(each) for each in balls(make, figures, len(speed))]).mean() > 0.03


def test_the_slides_that_are_told_are_those_that_are_seen(make, stage):
    turn, speed = WAYS["bend"](np.arange(144) / FPS)
    for plants, least, most in ((False, 0.03, 0.08), (True, 0.0, 0.005)):
        stage.crowd.motion.plants_feet = plants
        cast = stage.cast(on_a_way(make, turn, speed))
        stage.fill(cast, on_a_way(make, turn, speed))
        told = np.concatenate(list(cast.feet.slides.values()))
        assert len(told) >= 16
        assert least <= told.mean() <= most
        cast.discard()


def test_who_walks_straight_on_at_full_speed_gets_no_keys_for_feet(make, stage):
    turn, speed = WAYS["straight"](np.arange(96) / FPS)
    figures = stage.bake(on_a_way(make, turn, speed + 0.5))
    assert not any("Footfall feet" in figure.animation_data.nla_tracks for figure in figures)
    assert not any("feet" in action.name for action in bpy.data.actions)


def test_legs_that_constraints_move_are_left_alone(make, stage):
    rig, body = foreign_rig(make, stage.addon, "XYZ")
    for side in "LR":
        rig.pose.bones[f"mixamorig:shin_{side}"].constraints.new("LIMIT_ROTATION")
    stage.crowd.characters, stage.crowd.forward_axis = make.collection("People", rig, body), "POS_X"
    turn, speed = WAYS["bend"](np.arange(48) / FPS)
    figures = stage.bake(on_a_way(make, turn, speed))
    assert not any("Footfall feet" in figure.animation_data.nla_tracks for figure in figures)


def knees_at(make, stage, fps):
    """How far the knees of who walks a bend of 1 m radius, faster and slower, are bent each 1/12 s, (T, 2) [rad]."""
    times = np.arange(int(4.0 * fps) + 1) / fps
    speed = 1.0 + 0.25 * np.sin(3.0 * times)
    way = on_a_way(make, speed / 1.0, speed, fps=fps)
    stage.scene.render.fps = int(fps)
    edit = stage.crowd.edits.add()
    edit.name, edit.character = "Walkers 001", "Footfall man"  # of short people a step takes fewer frames
    figure, *_ = stage.bake(way)
    found = []
    for row in range(0, len(times), int(fps) // 12):
        bones = make.evaluated(figure, row + 1).pose.bones
        found.append([bones[f"thigh.{side}"].vector.angle(bones[f"shin.{side}"].vector) for side in "LR"])
    return np.array(found)


def test_legs_bend_alike_at_all_frame_rates(make, stage):
    slow, fast = knees_at(make, stage, 24.0), knees_at(make, stage, 60.0)
    assert np.degrees(np.abs(slow - fast)).max() < 3.0


def test_feet_that_never_stand_are_told_of_with_the_character_and_the_way_out(make, stage):
    stage.crowd.characters = make.collection("People", *foreign_rig(make, stage.addon, "XYZ"))
    stage.crowd.forward_axis = "POS_X"

    def told(stride, plants=True):
        stage.crowd.stride_length, stage.crowd.motion.plants_feet = stride, plants
        stage.bake(on_a_way(make, np.zeros(24), np.ones(24)))
        return [notice for notice in stage.notices if "planted" in notice]

    (sentence,) = told(5.0)
    assert sentence == (
        "'Stranger': its feet are not planted, because none of them stands still on the ground in its "
        "walk 'Stranger walk' with a stride of 5.00 m: set Stride to the distance of one cycle (0: "
        "measured), choose a clip with steps, or turn Planted Feet off"
    )
    assert told(5.0, plants=False) == told(0.0) == []


def test_legs_that_are_too_short_for_their_clip_take_shorter_strides(make, stage):
    """Clips of games let feet swing farther apart than legs reach to the ground."""

    def strides(wider, typed=0.0):
        rig, body = foreign_rig(make, stage.addon, "XYZ")
        for curve in make.actions.curves_of(make.actions.active_clip(rig.animation_data)):
            if "thigh" in curve.data_path and curve.data_path.endswith("euler"):
                for key in curve.keyframe_points:
                    key.co.y *= wider
        stage.crowd.characters, stage.crowd.forward_axis = make.collection("People", rig, body), "POS_X"
        stage.crowd.stride_length = typed
        cast = stage.cast(make.walk())
        return cast.stride_length(stage.casting.Role("Walkers", 0, 1)), cast._templates[0].clips.walk.stride

    taken, measured = strides(1.0)
    assert taken == pytest.approx(measured)
    taken, measured = strides(2.0)
    assert 0.7 * measured < taken < 0.95 * measured
    taken, _ = strides(2.0, typed=measured)
    assert taken == pytest.approx(measured)
