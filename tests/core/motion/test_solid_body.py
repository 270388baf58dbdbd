# SPDX-License-Identifier: GPL-3.0-or-later
"""Boxes round people hold all of their balls, and meet where boxes do."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.motion.pose_tables import PoseTable
from core.motion.solid_body import SOLID, Balls, BodyBoxes, MeshSurface, SolidPoses, fill_with_balls, in_world

BALLS, MOMENTS = 12, 200


def clips(rng, gaits):
    """Balls that fly about in as many clips; the idle one begins with the pose of gait 0."""
    phases, idle = 9, rng.normal(size=(7, BALLS, 3))
    joints = rng.normal(size=(len(gaits), phases, BALLS, 3))
    joints[0] = idle[0]
    none = [np.zeros((*each.shape[:-2], 0, 3, 3)) for each in (joints, idle)]
    return PoseTable(np.array(gaits, dtype=np.float64), joints, none[0], (idle, none[1]))


@settings(max_examples=40)
@given(st.integers(0, 10_000))
def test_no_ball_leaves_the_box_round_its_body(seed):
    rng = np.random.default_rng(seed)
    radius = rng.uniform(0.01, 0.5, BALLS)
    body, act = (SolidPoses.of(clips(rng, gaits), radius) for gaits in ((0, 1, 2), (0, 1)))
    gait, phase, breath = rng.uniform(0.0, 2.0, MOMENTS), *rng.uniform(-3.0, 3.0, (2, MOMENTS))
    place, heading, lean = rng.normal(size=(MOMENTS, 3)), *rng.normal(size=(2, MOMENTS))
    some, weight = np.flatnonzero(rng.random(MOMENTS) < 0.5), rng.random(MOMENTS)

    def posed(body, act):
        posture = body.posture(gait, phase, breath)
        posture.blend(act.posture(np.ones(len(some)), phase[some], breath[some]), some, weight[some])
        return posture.joints

    balls = in_world(posed(body.balls, act.balls), heading, lean) + place
    boxes = BodyBoxes.of(posed(body.box, act.box), place, heading, lean)
    ahead = np.stack([np.cos(heading), np.sin(heading)], axis=-1)
    assert np.allclose(boxes.ahead, ahead)
    off = balls - boxes.middle
    reach = off[..., 0] * ahead[:, 0] + off[..., 1] * ahead[:, 1]
    side = off[..., 1] * ahead[:, 0] - off[..., 0] * ahead[:, 1]
    for way, half in zip((reach, side, off[..., 2]), boxes.half.T, strict=True):
        assert (np.abs(way) + radius[:, None] <= half).all()


def nearest_in(boxes, points):
    """The points of boxes that are nearest to some points, each to its own."""
    (cos, sin), off = boxes.ahead.T, points - boxes.middle
    own = np.stack([cos * off[:, 0] + sin * off[:, 1], cos * off[:, 1] - sin * off[:, 0], off[:, 2]], axis=-1)
    x, y, z = np.clip(own, -boxes.half, boxes.half).T
    return boxes.middle + np.stack([cos * x - sin * y, sin * x + cos * y, z], axis=-1)


@pytest.mark.once
@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_boxes_meet_where_no_room_is_between_them(seed):
    """Going from one to the nearest point of the other and back ends at the room between them (von Neumann 1933)."""
    rng = np.random.default_rng(seed)
    low = rng.uniform(-0.6, 0.0, (3, MOMENTS))
    corners, place = np.stack([low, low + rng.uniform(0.05, 1.0, (3, MOMENTS))]), rng.uniform(-1.5, 1.5, (MOMENTS, 3))
    boxes = BodyBoxes.of(corners, place, rng.uniform(-4.0, 4.0, MOMENTS), np.zeros(MOMENTS))
    first, second = np.arange(MOMENTS), rng.permutation(MOMENTS)
    others = BodyBoxes(*(each[second] for each in boxes))
    here = boxes.middle
    for _ in range(400):
        there = nearest_in(others, here)
        here = nearest_in(boxes, there)
    room = np.linalg.norm(here - there, axis=1)
    told = boxes.meet(first, second)
    assert (room[told] < 0.01).all()
    assert (room[~told] > 1e-9).all()
    assert 0 < told.sum() < MOMENTS


@pytest.mark.parametrize("far", [0.0, 500.0, 3000.0])
def test_bodies_are_as_deep_in_each_other_far_from_the_origin(far):
    rng = np.random.default_rng(3)
    centre = rng.normal(size=(MOMENTS, BALLS, 3)) * 0.3 + (far, -far, 0.0)
    radius = rng.uniform(0.02, 0.15, (MOMENTS, BALLS))
    ends = [(centre - radius[..., None]).min(axis=1), (centre + radius[..., None]).max(axis=1)]
    balls = Balls(*(each.astype(np.float32) for each in (centre, radius, *ends)))
    first, second = np.arange(MOMENTS), rng.permutation(MOMENTS)
    apart = np.linalg.norm(centre[first][:, :, None] - centre[second][:, None], axis=-1)
    true = (radius[first][:, :, None] + radius[second][:, None] - apart).max(axis=(1, 2))
    told = balls.depth(first, second)
    known = (true > 0.0) & (first != second)
    assert known.sum() > 50
    np.testing.assert_allclose(told[known], true[known], atol=0.002)


def test_balls_are_as_large_as_the_faces_of_the_whole_body_let_them_be():
    """Of an upright ellipsoid with another beside it: no face is deep in a ball, and most are near some."""
    rng = np.random.default_rng(3)
    normals = rng.normal(size=(4000, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    half = np.where(np.arange(4000)[:, None] < 2800, (0.2, 0.12, 0.9), (0.05, 0.06, 0.4))
    points = normals * half + np.where(np.arange(4000)[:, None] < 2800, 0.0, (0.3, 0.0, -0.5))
    normals = normals / half
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    surface = MeshSurface(points, normals, np.full(4000, 1e-3))
    centre, radius, touched = fill_with_balls(surface)
    height, away = np.ptp(points[:, 2]), np.linalg.norm(points - centre[:, None], axis=-1)
    assert len(radius) > 20
    assert np.allclose(away[np.arange(len(radius)), touched], radius)
    assert (radius[:-1] >= radius[1:]).all()
    assert radius.max() <= SOLID.largest * height
    assert (away.min(axis=1) > radius - 2.0 * SOLID.within * height).all()
    off = (away - radius[:, None]).min(axis=0)
    assert np.quantile(off, 0.95) < SOLID.slack * height + SOLID.spacing * height
