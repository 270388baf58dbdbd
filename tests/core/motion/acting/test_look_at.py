# SPDX-License-Identifier: GPL-3.0-or-later
"""Heads turn to what is looked at: within limits, a little late, with few keys."""

import numpy as np
import pytest

from core.motion.acting.look_at import LOOK, glance_about, look_towards, needed_keys, places_of
from core.scene import Hero, Track

FPS = 24.0


def looked(target, frames=96):
    """Yaw and pitch [degrees] of somebody at the origin who faces +X and from frame 24 on looks at a point."""
    eyes = np.broadcast_to((0.0, 0.0, 1.6), (1, frames, 3))
    points = np.full((1, frames, 3), np.nan)
    points[0, 24:] = target
    return np.degrees(look_towards(eyes, np.zeros((1, frames)), points, FPS)[0])


def test_a_head_turns_to_the_point_and_is_there_within_a_second():
    yaw, pitch = looked((3.0, 3.0, 1.6)).T
    assert yaw[:24].max() == 0.0
    assert yaw[48] == pytest.approx(45.0, abs=1.5)
    assert np.abs(pitch).max() < 1e-9
    assert np.diff(yaw).min() > -1e-9  # it does not swing past
    assert yaw[25] < 6.0  # nor jump


@pytest.mark.parametrize(
    ("target", "angles"),
    [
        ((0.5, 3.0, 1.6), (75.0, 0.0)),  # at the limit of the neck
        ((-3.0, 0.5, 1.6), (0.0, 0.0)),  # behind: nobody looks there
        ((1.0, 0.0, 9.0), (0.0, 35.0)),
        ((1.0, -1.0, 0.0), (-45.0, -35.0)),
    ],
)
def test_heads_have_limits(target, angles):
    np.testing.assert_allclose(looked(target)[-1], angles, atol=0.5)


def test_keys_are_few_and_near():
    angles = np.radians(looked((3.0, 3.0, 1.2)))
    rows = needed_keys(angles)
    assert len(rows) <= 10
    between = np.column_stack([np.interp(np.arange(96), rows, angles[rows, k]) for k in range(2)])
    assert np.abs(between - angles).max() <= LOOK.tolerance
    assert needed_keys(np.zeros((96, 2))).tolist() == [0]


def test_people_glance_about_now_and_then_and_mostly_at_companions():
    people, frames = 40, 1200
    eyes, heading = np.zeros((people, frames, 3)), np.zeros((people, frames))
    friends = np.broadcast_to((0.5, 1.0, 0.0), eyes.shape)
    idle = np.ones((people, frames), dtype=bool)
    idle[:5] = False
    lot = np.random.default_rng(7).random(people)
    found = glance_about(idle, friends, eyes, heading, fps=FPS, lot=lot)
    looks = np.isfinite(found[..., 0])
    assert not looks[:5].any()
    assert 0.08 < looks[5:].mean() < 0.3
    assert 0.5 < (found[looks] == friends[looks]).all(axis=-1).mean() < 0.9
    assert (looks[5:].any(axis=1)).all()
    begun = np.diff(looks[5:].astype(int), axis=1) > 0
    assert begun.sum(axis=0).max() <= 6  # not all at once


def test_nobody_glances_at_a_companion_behind_but_aside_instead():
    eyes, heading = np.zeros((40, 1200, 3)), np.full((40, 1200), np.pi)
    lot, idle = np.random.default_rng(7).random(40), np.ones((40, 1200), dtype=bool)
    ahead, behind = (
        glance_about(idle, np.broadcast_to((x, 0.3, 0.0), eyes.shape), eyes, heading, fps=FPS, lot=lot)
        for x in (-0.5, 0.5)
    )
    np.testing.assert_array_equal(np.isfinite(ahead), np.isfinite(behind))
    assert (ahead[..., 0] == -0.5).any()
    looks = behind[np.isfinite(behind[..., 0])]
    assert (looks[:, 0] < 0.0).all(), "where they walk to"
    yaw = look_towards(eyes, heading, behind, FPS)[..., 0]
    turned = (np.abs(yaw) > np.radians(5.0)).astype(int)
    begun = np.diff(turned, axis=1) > 0
    assert 6.0 < 1200 / FPS * 40 / begun.sum() < 8.0, "one in about seven seconds, and each is seen"
    waits = np.concatenate([np.diff(each.nonzero()[0]) for each in begun]) / FPS
    assert 4.0 < waits.min() < waits.max() < 11.0


def test_heroes_are_where_their_track_has_them():
    track = Track(np.array([1.0, 11.0]), np.array([0.0, 10.0]), np.array([2.0, 2.0]))
    found = places_of([Hero("Dog", 0.3, track, (3.0, 20.0))], np.arange(1, 13))
    assert np.isnan(found[0, :2]).all()
    np.testing.assert_allclose(found[0, 5, :2], (5.0, 2.0))
    np.testing.assert_allclose(found[0, 11, :2], (10.0, 2.0))
