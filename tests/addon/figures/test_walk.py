# SPDX-License-Identifier: GPL-3.0-or-later
"""The walk of the built-in figures: feet that stand still, joints like those of people, a skin that holds."""

import math
from itertools import pairwise

import numpy as np
import pytest
from mathutils import Vector

from .test_body import rest_points

MAN, WOMAN = 0, 1


def stride_at_rest(figure):
    """Way of one cycle in the size of the mesh."""
    return figure.stride / figure.armature.scale[0]


def test_the_walk_says_how_far_it_goes(stage):
    strides = [figure.stride for figure in stage.figures]
    for figure in stage.figures:
        size = figure.armature.scale[0]
        assert size * figure.armature[stage.module.STRIDE_PROPERTY] == pytest.approx(figure.stride)
        assert size * figure.walk.action[stage.module.STRIDE_PROPERTY] == pytest.approx(figure.stride)
        assert tuple(figure.walk.action.frame_range) == (0.0, 32.0)
    assert 1.3 < strides[WOMAN] < strides[MAN] < 1.5
    assert stage.figures[MAN].walk.action.name == "Footfall walk"


def test_the_walk_closes_without_a_jerk(stage):
    for figure in stage.figures:
        for curve in stage.actions.curves_of(figure.walk):
            values = np.array([curve.evaluate(frame) for frame in range(33)])
            assert values[32] == pytest.approx(values[0], abs=1e-6)
            around = np.concatenate([values[-2:-1], values])
            steps = np.diff(around)
            bends = np.abs(np.diff(steps))
            assert bends[0] <= bends[1:].max() + 1e-6  # at the seam it bends no more than elsewhere
            assert np.abs(steps).max() < 0.2  # no quaternion changes its sign


def test_planted_feet_stand_still(stage, walker):
    """Each point of the soles while it touches the floor, as the body goes ahead with its stride."""
    figure, _, body = walker
    sole = [name for name, material in enumerate(body.data.materials) if "soles" in material.name]
    edge = sorted({v for face in body.data.polygons if face.material_index in sole for v in face.vertices})
    tracks = []
    for frame in np.arange(-8.0, 40.0, 0.25):
        points = stage.points(body, frame % 32.0)[edge]
        tracks.append(points - (0.0, stride_at_rest(figure) * frame / 32.0, 0.0))
    slides = [contacts(track) for track in np.stack(tracks, axis=1)]
    assert sum(len(each) > 0 for each in slides) >= 30  # of the soles' points, both feet
    everything = np.concatenate(slides)
    assert everything.mean() < 0.002
    assert everything.max() < 0.005


def contacts(track, height=0.001):
    """How far one point moves over the floor during each whole contact, (K,) [m]."""
    low = np.concatenate([[False], track[:, 2] < height, [False]])
    changes = np.flatnonzero(np.diff(low.astype(int)))
    whole = [(a, b) for a, b in zip(changes[::2], changes[1::2], strict=True) if a > 0 and b < len(track) and b - a > 3]
    return np.array([np.linalg.norm(np.ptp(track[a:b, :2], axis=0)) for a, b in whole])


def test_the_ball_of_the_foot_does_not_move_while_it_bears_the_body(stage, walker):
    figure, rig, _ = walker
    for side, strike in (("L", 0.0), ("R", 0.5)):
        phases = np.linspace(0.13, 0.52, 40) + strike
        balls = [
            stage.joint(rig, (32.0 * phase) % 32.0, f"toe.{side}") - (0.0, stride_at_rest(figure) * phase, 0.0)
            for phase in phases
        ]
        assert np.ptp(balls, axis=0).max() < 0.0015


def test_soles_stay_on_the_floor_and_out_of_it(stage, walker):
    _, _, body = walker
    lowest = np.array([stage.points(body, frame)[:, 2].min() for frame in np.arange(0.0, 32.0, 0.5)])
    assert lowest.min() > -0.004
    assert lowest.max() < 0.002  # somebody who walks always has a foot on the floor


def test_knees_and_elbows_bend_as_they_should(stage, walker):
    _, rig, _ = walker
    flexions = {"knee": [], "elbow": []}
    for frame in range(33):
        bones = rig.evaluated_get(stage.at(frame)).pose.bones
        for side in "LR":
            for joint, upper, lower, sign in (("knee", "thigh", "shin", -1.0), ("elbow", "upper_arm", "forearm", 1.0)):
                above, below = bones[f"{upper}.{side}"], bones[f"{lower}.{side}"]
                angle = above.vector.angle(below.vector)
                ahead = below.vector.normalized().dot(above.z_axis) * sign  # z looks forwards
                assert ahead > 0.0 or angle < 0.02, (joint, frame)
                flexions[joint].append(math.degrees(angle))
    assert 2.0 < min(flexions["knee"]) < 12.0  # nearly straight, never locked
    assert 55.0 < max(flexions["knee"]) < 70.0  # in swing
    assert 8.0 < min(flexions["elbow"]) < max(flexions["elbow"]) < 50.0


def test_knee_angles_are_those_of_people(stage, walker):
    """Winter 1991, natural cadence: the mean curve of the knee, within two standard deviations (5 to 6 degrees)."""
    _, rig, _ = walker
    phase = np.arange(0.0, 1.0, 0.1)
    winter = np.array([4.0, 16.0, 18.5, 12.0, 6.5, 11.5, 34.0, 60.0, 52.0, 18.0])
    flexion = []
    for each in phase:
        bones = rig.evaluated_get(stage.at(32.0 * each)).pose.bones
        flexion.append(math.degrees(bones["thigh.L"].vector.angle(bones["shin.L"].vector)))
    assert np.abs(np.array(flexion) - winter).max() < 11.0
    assert np.corrcoef(flexion, winter)[0, 1] > 0.98


def test_arms_swing_against_the_legs(stage, walker):
    _, rig, _ = walker
    forward = {
        bone: np.array([-stage.joint(rig, frame, bone, "tail")[1] for frame in range(32)])
        for bone in ("hand.L", "hand.R", "foot.L", "foot.R")
    }
    for side in "LR":
        assert np.ptp(forward[f"hand.{side}"]) > 0.25
        assert np.corrcoef(forward[f"hand.{side}"], forward[f"foot.{side}"])[0, 1] < -0.8
    np.testing.assert_allclose(forward["hand.L"], np.roll(forward["hand.R"], 16), atol=1e-4)


def test_hips_bob_twice_a_cycle_and_the_head_stays_level(stage, walker):
    _, rig, _ = walker
    hips = np.array([stage.joint(rig, frame, "hips")[2] for frame in range(32)])
    spectrum = np.abs(np.fft.rfft(hips - hips.mean()))
    assert spectrum.argmax() == 2
    assert 0.02 < np.ptp(hips) < 0.05
    gaze = [rig.evaluated_get(stage.at(frame)).pose.bones["head"].z_axis.copy() for frame in range(32)]
    assert max(a.angle(Vector((0.0, -1.0, 0.0))) for a in gaze) < math.radians(5.0)
    turns = [rig.evaluated_get(stage.at(frame)).pose.bones["hips"].z_axis.copy() for frame in range(32)]
    assert max(a.angle(b) for a, b in pairwise(turns)) < math.radians(3.0)


def test_the_skin_is_neither_torn_nor_pinched(stage, walker):
    """Edges keep their length within bounds, and the body its volume, in every pose."""
    _, _, body = walker
    edges = np.array([edge.vertices for edge in body.data.edges])
    triangles = np.array(
        [
            (f.vertices[0], f.vertices[k], f.vertices[k + 1])
            for f in body.data.polygons
            for k in range(1, len(f.vertices) - 1)
        ]
    )

    def lengths(points):
        return np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1)

    def volume(points):
        a, b, c = (points[triangles[:, k]] for k in range(3))
        return np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0

    rest = rest_points(body.data)
    for frame in range(0, 32, 2):
        points = stage.points(body, frame)
        ratio = lengths(points) / lengths(rest)
        assert np.percentile(ratio, 99.5) < 1.9
        assert np.percentile(ratio, 0.5) > 0.35
        assert volume(points) == pytest.approx(volume(rest), rel=0.12)  # skirts are open, and swing


def test_feet_pass_where_it_is_said(stage, addon):
    gait = addon.module("blender_addon.figures.motion.gait")
    body = addon.module("blender_addon.figures.mesh.people").PEOPLE[MAN].body
    swinging = gait.trace_foot(body, gait.Gait(), gait.FEET_PASS - 0.5 + np.array([-0.02, 0.02])).ankle_forward
    assert swinging[0] < 0.0 < swinging[1]  # under the hip, where the foot of who stands is


@pytest.mark.parametrize("name", ["woman in a coat", "old man"])
def test_a_coat_lies_on_the_legs_of_who_sits(stage, name):
    """Its hem lies round thighs and knees, and does not stand off as a stiff tube."""
    figure = stage.figure(name)
    rig, body = stage.show(figure)
    rest = rest_points(body.data)
    hip, knee = (figure.armature.data.bones[f"{part}.L"].head_local.z for part in ("thigh", "shin"))
    top = [k for k, each in enumerate(body.data.materials) if "shirt" in each.name]
    used = {v for face in body.data.polygons if face.material_index in top for v in face.vertices}
    middle = np.abs(rest[:, 0]) < 1.2 * figure.armature.data.bones["upper_arm.L"].head_local.x
    hem = np.array([v for v in sorted(used) if middle[v] and knee - 0.1 < rest[v, 2] < hip - 0.16])
    assert len(hem) > 20
    stage.actions.assign_clip(rig, stage.module.ensure_act(figure.name, "sit_1", 0.45))
    points = stage.points(body, 10.0)[hem]
    ends = [[stage.joint(rig, 10.0, f"{part}.{side}") for part in ("thigh", "shin")] for side in "LR"]
    apart = []
    for start, end in ends:
        share = np.clip((points - start) @ (end - start) / ((end - start) @ (end - start)), 0.0, 1.0)
        apart.append(np.linalg.norm(points - start - share[:, None] * (end - start), axis=1))
    assert np.min(apart, axis=0).max() < 0.2
