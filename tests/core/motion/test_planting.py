# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet held on the ground: when they stand, how they have to be moved, and the leg that follows."""

import numpy as np
import pytest

from core.motion.legs import ANKLE, BALL, HIP, KNEE, LegTable, Posture, bend, quaternions, rotation
from core.motion.planting import Way, Window, plant, stance_window

FPS = 24.0
STRIDE = 1.4
WINDOW = Window(0.0, 0.5)


def clip_ball(phase):
    """A foot that goes back with the ground over half a run and comes forward through the air in the other half."""
    phase = np.mod(phase, 1.0)
    swing = np.clip(2.0 * phase - 1.0, 0.0, 1.0)
    ahead = np.where(phase < 0.5, STRIDE / 4 - STRIDE * phase, -STRIDE / 4 + STRIDE / 2 * swing)
    return np.stack([ahead, 0.1 + 0.0 * phase, 0.02 + 0.2 * np.sin(np.pi * swing)], axis=-1)


def walk(radius=np.inf, frames=120, speed=1.3, share=1.0):
    walked = speed * np.arange(frames) / FPS
    heading = walked / radius
    velocity = speed / FPS * np.stack([np.cos(heading), np.sin(heading)], axis=1)
    position = np.concatenate([[[0.0, 0.0]], np.cumsum((velocity[1:] + velocity[:-1]) / 2, axis=0)])
    there = np.ones(frames, dtype=bool)
    return Way(position, heading, walked / STRIDE + 0.1, np.full(frames, share), there, FPS)


def on_ground(way, points):
    cos, sin = np.cos(way.heading), np.sin(way.heading)
    return way.position + np.stack(
        [cos * points[:, 0] - sin * points[:, 1], sin * points[:, 0] + cos * points[:, 1]], 1
    )


def test_the_stance_of_a_clip_is_found():
    window = stance_window(clip_ball(np.linspace(0.3, 1.3, 49)), STRIDE)
    assert window.start == pytest.approx(0.7, abs=0.03)  # as the clip begins at 0.3
    assert window.length == pytest.approx(0.5, abs=0.05)


def test_a_foot_that_never_stands_has_no_stance():
    still = np.tile([0.1, 0.1, 0.02], (25, 1))
    assert stance_window(still, STRIDE) is None


def test_walking_straight_on_needs_no_correction():
    way = walk()
    done = plant(way, clip_ball(way.phase), WINDOW, floor=0.02, leg=0.9, order=0)
    assert np.abs(done.shift).max() < 1e-9
    assert not done.twist.any()
    assert np.abs(done.lift).max() < 1e-12


@pytest.mark.parametrize("radius", [1.0, -1.5, 8.0])
def test_in_a_bend_the_foot_stays_and_keeps_its_direction(radius):
    way = walk(radius)
    ball = clip_ball(way.phase)
    done = plant(way, ball, WINDOW, floor=0.02, leg=0.9, order=0)
    places, direction = on_ground(way, ball[:, :2] + done.shift), way.heading + done.twist
    assert done.contact.max() >= 3
    for number in range(done.contact.max() + 1):
        during = done.contact == number
        assert np.ptp(places[during], axis=0).max() < 1e-9
        assert np.ptp(direction[during]) < 1e-9


def test_the_correction_never_leaps():
    way = walk(1.0)
    done = plant(way, clip_ball(way.phase), WINDOW, floor=0.02, leg=0.9, order=0)
    assert np.abs(np.diff(done.shift, axis=0)).max() < 0.04
    assert np.abs(np.diff(done.twist)).max() < 0.2


def test_who_stands_with_a_foot_astray_takes_one_small_step():
    moving = walk(frames=240)
    share = np.clip((108 - np.arange(240)) / 12.0, 0.0, 1.0)
    position = moving.position[np.minimum(np.arange(240), 108)]
    phase = moving.phase[np.minimum(np.arange(240), 108)]
    way = Way(position, moving.heading, phase, share, moving.present, FPS)
    ball = share[:, None] * clip_ball(phase) + (1.0 - share[:, None]) * np.array([0.0, 0.1, 0.02])
    done = plant(way, ball, WINDOW, floor=0.02, leg=0.9, order=0)
    aloft = np.flatnonzero(~done.planted & (np.arange(240) > 108))
    assert 5 <= len(aloft) <= 15
    assert np.ptp(aloft) == len(aloft) - 1
    assert done.lift[aloft].max() > 0.04
    assert np.abs(done.shift[aloft[-1] + 1 :]).max() < 1e-9


def test_a_foot_that_blending_puts_below_the_ground_is_lifted():
    way = walk(share=0.5)
    ball = clip_ball(way.phase) - (0.0, 0.0, 0.015)
    done = plant(way, ball, WINDOW, floor=0.02, leg=0.9, order=0)
    assert (ball[:, 2] + done.lift).min() >= 0.02 - 1e-12


def leg(frames=1):
    joints = np.array([[0.0, 0.1, 0.9], [0.02, 0.1, 0.47], [0.0, 0.1, 0.08], [0.14, 0.1, 0.02]])
    turns = np.broadcast_to(np.eye(3), (4, 3, 3))
    posture = Posture(np.tile(joints, (frames, 1, 1)), np.tile(turns, (frames, 1, 1, 1)))
    return LegTable(Posture(joints[None, None], turns[None, None]), None, np.tile(np.eye(3), (3, 1, 1))), posture


def posed(posture, turns):
    """Where the ball of the foot comes to be, by turning each bone in its parent's axes, and how the foot is turned."""
    hip, knee, ankle, ball = np.moveaxis(posture.joints, 1, 0)
    place, turn = hip, np.broadcast_to(np.eye(3), (len(hip), 3, 3))
    for k, bone in enumerate((knee - hip, ankle - knee, ball - ankle)):
        w, x, y, z = turns[:, k].T
        own = np.stack(
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
             2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
             2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            axis=1,
        ).reshape(-1, 3, 3)  # fmt: skip
        turn = turn @ own
        place = place + np.einsum("nij,nj->ni", turn, bone)
    return place, turn


def test_a_bent_leg_puts_its_foot_where_it_is_wanted():
    rng = np.random.default_rng(3)
    table, posture = leg(200)
    shift, lift, twist = rng.uniform(-0.15, 0.15, (200, 2)), rng.uniform(0.05, 0.2, 200), rng.uniform(-0.7, 0.7, 200)
    turns, miss = bend(table, posture, shift, lift, twist)
    place, turn = posed(posture, turns)
    assert miss.max() < 1e-12
    assert np.abs(place - posture.joints[:, BALL] - np.column_stack([shift, lift])).max() < 1e-9
    assert np.abs(np.arctan2(turn[:, 1, 0], turn[:, 0, 0]) - twist).max() < 1e-9


def test_a_foot_out_of_reach_is_reached_for_and_told():
    table, posture = leg()
    far = np.array([[0.8, 0.0]])
    turns, miss = bend(table, posture, far, np.zeros(1), np.zeros(1))
    place, _ = posed(posture, turns)
    assert miss[0] > 0.1
    assert np.linalg.norm(place - posture.joints[:, BALL] - [[0.8, 0.0, 0.0]]) == pytest.approx(miss[0], abs=1e-6)


def test_a_leg_left_alone_is_not_bent():
    table, posture = leg()
    turns, _ = bend(table, posture, np.zeros((1, 2)), np.zeros(1), np.zeros(1))
    assert turns == pytest.approx(np.tile([1.0, 0.0, 0.0, 0.0], (1, 3, 1)), abs=1e-9)


def test_quaternions_say_the_rotation_also_near_half_turns():
    rng = np.random.default_rng(5)
    axis = rng.normal(size=(500, 3))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    angle = rng.uniform(0.0, np.pi, 500)
    found = quaternions(rotation(axis, angle))
    expected = np.column_stack([np.cos(angle / 2), np.sin(angle / 2)[:, None] * axis])
    assert np.abs(found - expected).max() < 1e-7


def test_between_its_moments_a_table_is_a_line():
    rng = np.random.default_rng(1)
    joints = rng.normal(size=(3, 5, 4, 3))
    turns = np.tile(np.eye(3), (3, 5, 4, 1, 1))
    table = LegTable(Posture(joints, turns), None, np.tile(np.eye(3), (3, 1, 1)))
    seen = table.posture(np.array([0.25, 1.0]), np.array([2.125, 0.5]), np.zeros(2)).joints
    assert seen[0] == pytest.approx(joints[:2, :2].mean(axis=(0, 1)))
    assert seen[1] == pytest.approx(joints[2, 2])
    assert {HIP, KNEE, ANKLE, BALL} == set(range(4))
