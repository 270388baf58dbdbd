# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet held on the ground: when they stand, how they have to be moved, and the leg that follows."""

from dataclasses import replace

import numpy as np
import pytest

from core.motion.feet.body_motion import BodyMotion
from core.motion.feet.foot_contacts import Stance, Window
from core.motion.feet.foot_planting import FootCorrection, plant
from core.motion.legs import ANKLE, BALL, HIP, KNEE, LegTable, Move, bend

FPS = 24.0
STRIDE = 1.4
STANCE = Stance((Window(0.0, 0.5),), floor=(0.02, 0.02))


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
    return together([(position, heading, walked / STRIDE + 0.1, np.full(frames, share), there)])


def together(ways):
    return BodyMotion(*(np.stack(each) for each in zip(*ways, strict=True)), FPS)


def planted(ways, ball):
    """The correction of the only agent: without the axis of agents."""
    done = plant(ways, ball, STANCE, leg=0.9, order=0)
    return FootCorrection(*(each[0] for each in vars(done).values()))


def on_ground(way, points):
    cos, sin = np.cos(way.heading[0]), np.sin(way.heading[0])
    return way.position[0] + np.stack(
        [cos * points[:, 0] - sin * points[:, 1], sin * points[:, 0] + cos * points[:, 1]], 1
    )


def test_walking_straight_on_needs_no_correction():
    way = walk()
    done = planted(way, clip_ball(way.phase))
    assert np.abs(done.shift).max() < 1e-9
    assert not done.twist.any()
    assert np.abs(done.lift).max() < 1e-12


@pytest.mark.parametrize("radius", [1.0, -1.5, 8.0])
def test_in_a_bend_the_foot_stays_and_keeps_its_direction(radius):
    way = walk(radius)
    ball = clip_ball(way.phase)
    done = planted(way, ball)
    places, direction = on_ground(way, ball[0, :, :2] + done.shift), way.heading[0] + done.twist
    assert done.contact.max() >= 3
    for number in range(done.contact.max() + 1):
        during = done.contact == number
        assert np.ptp(places[during], axis=0).max() < 1e-9
        assert np.ptp(direction[during]) < 1e-9


def test_the_correction_never_leaps():
    way = walk(1.0)
    done = planted(way, clip_ball(way.phase))
    assert np.abs(np.diff(done.shift, axis=0)).max() < 0.04
    assert np.abs(np.diff(done.twist)).max() < 0.2


def test_who_stands_with_a_foot_astray_takes_one_small_step():
    moving = walk(frames=240)
    share = np.clip((108 - np.arange(240)) / 12.0, 0.0, 1.0)
    position = moving.position[0, np.minimum(np.arange(240), 108)]
    phase = moving.phase[0, np.minimum(np.arange(240), 108)]
    way = together([(position, moving.heading[0], phase, share, moving.present[0])])
    ball = (share[:, None] * clip_ball(phase) + (1.0 - share[:, None]) * np.array([0.0, 0.1, 0.02]))[None]
    done = planted(way, ball)
    aloft = np.flatnonzero(~done.planted & (np.arange(240) > 108))
    assert 5 <= len(aloft) <= 15
    assert np.ptp(aloft) == len(aloft) - 1
    assert done.lift[aloft].max() > 0.04
    assert np.abs(np.diff(done.lift, n=2)).max() < 0.02  # neither leaves nor lands with a jerk
    assert np.abs(done.shift[aloft[-1] + 1 :]).max() < 1e-9


def turning_back(away, frames=48, turn=24):
    """Somebody who walks to `turn`, so far from the edge of a contact in its phase, and back the same way."""
    rows = np.arange(frames)
    phase = 3.5 + away - 0.05 * np.abs(rows - turn)
    position = 0.01 * rows[:, None] * (0.0, 1.0)
    return together([(position, np.zeros(frames), phase, np.full(frames, 0.5), np.ones(frames, dtype=bool))])


@pytest.mark.parametrize(("away", "lifted"), [(0.01, False), (0.05, False), (0.16, True)])
def test_a_foot_is_not_lifted_for_a_moment_where_a_walk_turns_back(away, lifted):
    way = turning_back(away)
    done = planted(way, clip_ball(way.phase))
    assert bool(done.planted[20:29].all()) is not lifted
    if not lifted:
        assert len(np.unique(done.contact[16:33])) == 1
        assert np.abs(done.shift[16:33, 1]).max() == pytest.approx(0.08, abs=0.011)  # it stands half way


@pytest.mark.parametrize("swing", [1, 3, 8])
def test_a_foot_that_leaves_as_somebody_stops_has_the_time_of_a_step(swing):
    """A foot that is lifted for one frame between walking and standing is seen as a jump of the knee."""
    moving = walk(frames=120)
    begins = np.flatnonzero(np.diff(STANCE.holds(moving.phase[0], moving.gait[0]).astype(int)) < 0)
    leaves = int(begins[begins > 40][0]) + 1
    stops = leaves + swing - 1
    rows = np.minimum(np.arange(120), stops)
    share = np.where(np.arange(120) > stops, 0.0, 1.0)
    way = together([(moving.position[0, rows], moving.heading[0], moving.phase[0, rows], share, moving.present[0])])
    done = planted(way, clip_ball(way.phase))
    lands = leaves + int(np.flatnonzero(done.planted[leaves:])[0])
    assert 5 <= lands - leaves <= 10
    assert lands >= stops
    assert np.abs(done.shift[lands]).max() < 1e-9  # where it stands
    assert done.planted[lands:].all()


def test_who_walks_on_in_a_clip_without_steps_lifts_the_feet_as_in_a_step():
    """Up a queue with crossed arms a foot went 74 cm, and 2 cm above the floor."""
    way = walk(speed=0.6, share=0.6)
    ball = np.zeros((1, way.phase.size, 3))
    lift = [planted(replace(way, acted=acted), ball).lift.max() for acted in (0.0, 1.0)]
    assert lift[1] >= 0.05
    assert lift[0] <= 0.6 * lift[1]


def test_a_foot_that_blending_puts_below_the_ground_is_lifted():
    way = walk(share=0.5)
    ball = clip_ball(way.phase) - (0.0, 0.0, 0.015)
    done = planted(way, ball)
    assert (ball[0, :, 2] + done.lift).min() >= 0.02 - 1e-12


def test_agents_together_are_planted_as_each_alone():
    rng = np.random.default_rng(4)
    ways = []
    for radius in (1.0, -2.0, 40.0, 3.0):
        alone = walk(radius)
        share = np.clip(rng.uniform(-0.3, 1.3) + 0.02 * rng.normal(size=120).cumsum(), 0.0, 1.0)
        there = np.arange(120) >= rng.integers(-60, 60)
        ways.append((alone.position[0], alone.heading[0], alone.phase[0] + rng.uniform(), share, there))
    both = together(ways)
    ball = clip_ball(both.phase)
    done = plant(both, ball, STANCE, leg=0.9, order=1)
    for agent, way in enumerate(ways):
        alone = plant(together([way]), ball[[agent]], STANCE, leg=0.9, order=1)
        for key in ("shift", "lift", "twist", "planted"):
            np.testing.assert_array_equal(getattr(done, key)[agent], getattr(alone, key)[0])
        begun = np.flatnonzero(done.contact[agent] >= 0)
        first = done.contact[agent, begun[0]] if len(begun) else 0
        np.testing.assert_array_equal(done.contact[agent, begun] - first, alone.contact[0, begun])


def leg(frames=1):
    joints = np.array([[0.0, 0.1, 0.9], [0.02, 0.1, 0.47], [0.0, 0.1, 0.08], [0.14, 0.1, 0.02]])
    turns = np.broadcast_to(np.eye(3), (4, 3, 3))
    table = LegTable(np.ones(1), joints[None, None], turns[None, None], None, np.tile(np.eye(3), (3, 1, 1)))
    twice = LegTable(
        table.gaits, *(np.repeat(each, 2, axis=1) for each in (table.joints, table.turns)), None, table.rest
    )
    return table, twice.posture(np.ones(frames), np.zeros(frames), np.zeros(frames))


def posed(posture, turns, lean=0.0):
    """Where the ball of the foot comes to be, by turning each bone in its parent's axes, and how the foot is turned."""
    hip, knee, ankle, ball = np.moveaxis(posture.joints, -1, 1)
    cos, sin, none = np.cos(lean) + 0.0 * hip[:, 0], np.sin(lean) + 0.0 * hip[:, 0], 0.0 * hip[:, 0]
    turn = np.stack([none + 1.0, none, none, none, cos, sin, none, -sin, cos], axis=1).reshape(-1, 3, 3)  # about -x
    place = np.einsum("nij,nj->ni", turn, hip)
    for k, bone in enumerate((knee - hip, ankle - knee, ball - ankle)):
        turn = turn @ matrices(turns[k])
        place = place + np.einsum("nij,nj->ni", turn, bone)
    return place, turn


def matrices(turns):
    """Rotations float64 (N, 3, 3) of quaternions (4, N)."""
    w, x, y, z = turns
    return np.stack(
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
         2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
         2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        axis=1,
    ).reshape(-1, 3, 3)  # fmt: skip


def test_a_bent_leg_puts_its_foot_where_it_is_wanted():
    rng = np.random.default_rng(3)
    table, posture = leg(200)
    shift, lift, twist = rng.uniform(-0.15, 0.15, (200, 2)), rng.uniform(0.05, 0.2, 200), rng.uniform(-0.7, 0.7, 200)
    turns, miss = bend(table, posture, Move(shift, lift, twist, np.zeros(200)))
    place, turn = posed(posture, turns)
    assert miss.max() < 1e-12
    assert np.abs(place - posture.joints[BALL].T - np.column_stack([shift, lift])).max() < 1e-9
    assert np.abs(np.arctan2(turn[:, 1, 0], turn[:, 0, 0]) - twist).max() < 1e-9


def test_a_foot_lies_on_the_slope_wherever_it_is_turned():
    rng = np.random.default_rng(5)
    table, posture = leg(200)
    twist, slope = rng.uniform(-0.7, 0.7, 200), rng.uniform(-0.4, 0.4, (200, 2))
    lift = np.full(200, 0.1)
    turns, miss = bend(table, posture, Move(np.zeros((200, 2)), lift, twist, np.zeros(200), tilt=slope))
    place, turn = posed(posture, turns)
    assert miss.max() < 1e-12
    assert np.abs(place - posture.joints[BALL].T - [0.0, 0.0, 0.1]).max() < 1e-9
    normal = turn[:, :, 2]
    assert np.abs(normal[:, :2] / normal[:, 2:] + slope).max() < 1e-9


def test_a_foot_out_of_reach_is_reached_for_and_told():
    table, posture = leg()
    far = np.array([[0.8, 0.0]])
    turns, miss = bend(table, posture, Move(far, *np.zeros((3, 1))))
    place, _ = posed(posture, turns)
    assert miss[0] > 0.1
    assert np.linalg.norm(place - posture.joints[BALL].T - [[0.8, 0.0, 0.0]]) == pytest.approx(miss[0], abs=1e-6)


def test_a_leg_left_alone_is_not_bent():
    table, posture = leg()
    turns, _ = bend(table, posture, Move(np.zeros((1, 2)), *np.zeros((3, 1))))
    assert turns[..., 0] == pytest.approx(np.tile([1.0, 0.0, 0.0, 0.0], (3, 1)), abs=1e-9)


def test_between_its_moments_a_table_is_a_line():
    rng = np.random.default_rng(1)
    joints = rng.normal(size=(3, 5, 4, 3))
    turns = np.tile(np.eye(3), (3, 5, 4, 1, 1))
    table = LegTable(np.array([0.0, 0.5, 1.0]), joints, turns, None, np.tile(np.eye(3), (3, 1, 1)))
    seen = table.posture(np.array([0.25, 1.0]), np.array([2.125, 0.5]), np.zeros(2)).joints
    assert seen[..., 0] == pytest.approx(joints[:2, :2].mean(axis=(0, 1)))
    assert seen[..., 1] == pytest.approx(joints[2, 2])
    assert {HIP, KNEE, ANKLE, BALL} == set(range(4))


def test_a_table_mixes_turns_whatever_the_sign_of_their_quaternions():
    """Between turns of 170 and 190 degrees lies one of 180, though their quaternions with w >= 0 are opposite."""
    half = np.radians([85.0, 95.0])
    about_x = matrices(np.stack([np.cos(half), np.sin(half), 0.0 * half, 0.0 * half]))
    turns = np.tile(about_x[None, :, None], (1, 1, 4, 1, 1))
    table = LegTable(np.ones(1), np.zeros((1, 2, 4, 3)), turns, None, np.tile(np.eye(3), (3, 1, 1)))
    seen = table.posture(np.ones(1), np.array([0.5]), np.zeros(1)).turns[0]
    np.testing.assert_allclose(matrices(seen)[0], np.diag([1.0, -1.0, -1.0]), atol=1e-12)


def test_who_turns_on_the_spot_takes_steps_one_foot_after_the_other():
    frames = 120
    heading = np.radians(150.0) * np.clip((np.arange(frames) - 24) / 48.0, 0.0, 1.0)
    nowhere, there = np.zeros((frames, 2)), np.ones(frames, dtype=bool)
    ways = together([(nowhere, heading, np.full(frames, 0.3), np.zeros(frames), there)])
    done = []
    for order, side in enumerate((0.1, -0.1)):
        ball = np.tile([0.12, side, 0.02], (1, frames, 1))
        found = plant(ways, ball, STANCE, leg=0.9, order=order)
        place = on_ground(ways, ball[0, :, :2] + found.shift[0])
        direction = heading + found.twist[0]
        for number in range(found.contact.max() + 1):
            during = found.contact[0] == number
            assert np.ptp(place[during], axis=0).max() < 1e-9
            assert np.ptp(direction[during]) < 1e-9
        assert np.abs(found.twist).max() < np.radians(65.0)
        assert abs(found.twist[0, -1]) < np.radians(8.0)
        assert found.lift[0, ~found.planted[0]].max() > 0.04
        assert found.contact.max() >= 2  # at least two steps
        done.append((found.planted[0], ball[0, :, 1] + found.shift[0, :, 1]))
    (left, left_aside), (right, right_aside) = done
    assert (left | right).all()
    assert (left_aside - right_aside).min() > 0.1  # feet open and close, and do not cross
    assert np.argmin(left) < np.argmin(right)  # to the left the left foot opens


def test_who_leans_keeps_the_feet_where_they_are():
    table, posture = leg(50)
    lean = np.linspace(-0.15, 0.15, 50)
    turns, miss = bend(table, posture, Move(np.zeros((50, 2)), np.full(50, 0.05), np.zeros(50), lean))
    place, turn = posed(posture, turns, lean)
    assert miss.max() < 1e-12
    assert np.abs(place - posture.joints[BALL].T - [0.0, 0.0, 0.05]).max() < 1e-9
    assert np.abs(turn - np.eye(3)).max() < 1e-9


def with_a_pause(steps, rest, turn=0.0):
    """Somebody who walks, rests half way through a contact, turning meanwhile, and walks on."""
    share = np.repeat([1.0, 0.0, 1.0], [steps, rest, 60])
    walked = np.cumsum(1.3 / FPS * share)
    heading = turn * np.clip((np.arange(len(share)) - steps) / rest, 0.0, 1.0)
    ahead = np.stack([np.cos(heading), np.sin(heading)], axis=1)
    position = np.cumsum(1.3 / FPS * share[:, None] * ahead, axis=0)
    return together([(position, heading, walked / STRIDE + 0.1, share, np.ones(len(share), dtype=bool))])


@pytest.mark.parametrize("rest", [9, 11, 14])
def test_a_foot_that_stands_over_a_pause_is_where_the_walk_before_it_set_it_down(rest):
    way = with_a_pause(27, rest, turn=1.0)
    ball = clip_ball(way.phase)
    resting = (way.gait == 0.0)[0]
    done = planted(way, ball)
    during = done.contact == done.contact[np.flatnonzero(resting)[0]]
    before = np.flatnonzero(during & (np.arange(len(during)) < 27))
    assert len(before) > 3
    assert np.abs(done.twist[before]).max() < 1e-9  # the walk before it was straight, that after it is not
    assert np.abs(done.shift[before]).max() < 0.05


def test_the_foot_that_bears_may_step_until_the_other_one_is_lifted():
    """Who turns in a short pause would otherwise stand on a foot that is twisted behind them."""
    other = Stance((Window(0.5, 0.5),), floor=(0.02, 0.02))
    way = with_a_pause(27, 16, turn=1.6)
    ball = clip_ball(way.phase)
    alone, both = (plant(way, ball, STANCE, leg=0.9, order=0, other=each) for each in (None, other))
    resting = way.gait[0] == 0.0
    assert alone.planted[0, resting].all()
    assert not both.planted[0, resting].all()
    second = plant(way, ball * (1.0, -1.0, 1.0), other, leg=0.9, order=1, other=STANCE)
    assert (both.planted | second.planted)[0, resting].all()
    twist = [np.abs(each.twist[each.planted]).max() for each in (both, alone)]
    assert twist[0] < 0.75 * twist[1]


@pytest.mark.parametrize("begins", [0, 20])
@pytest.mark.parametrize("stands", [0, 3, 12])
def test_a_foot_about_to_leave_when_somebody_is_first_seen_leaves_in_time(begins, stands):
    """A contact of a few frames before a step would be a twitch of who walks; who stands lifts the foot in time."""
    frames = np.arange(120)
    walked = 1.3 / FPS * np.maximum(frames - begins - stands, 0)
    position = np.stack([walked, 0.0 * walked], axis=1)
    gait, there = np.where(frames < begins + stands, 0.0, 1.0), frames >= begins
    phase = 0.8 if stands else 0.45
    way = together([(position, 0.0 * walked, walked / STRIDE + phase, gait, there)])
    done = planted(way, clip_ball(way.phase))
    strikes = begins + stands + round((1.0 - phase) * STRIDE / 1.3 * FPS)
    leaves = int(np.flatnonzero(~done.planted[begins:])[0]) + begins
    assert strikes - leaves >= 5
    assert leaves - begins == 0 if stands < 3 else leaves - begins >= min(stands, 5) - 2
    assert not done.planted[leaves:strikes].any()
    assert done.planted[strikes + 1 : strikes + 9].all()
    assert (np.diff(done.contact[done.contact >= 0]) >= 0).all()
    if not stands:  # as the next contact wants it, from the first frame on
        assert np.abs(done.shift[begins : strikes + 2] - done.shift[strikes + 1]).max() < 1e-9


def test_the_foot_that_bears_somebody_at_first_stays_though_it_leaves_soon():
    """With the other one in the air, too, people who enter would float until it lands."""
    walked = 1.3 / FPS * np.arange(60)
    way = together([(np.stack([walked, 0.0 * walked], axis=1), 0.0 * walked, walked / STRIDE + 0.45, np.ones(60),
                     np.ones(60, dtype=bool))])  # fmt: skip
    ball, later = clip_ball(way.phase), Stance((Window(0.5, 0.5),), floor=STANCE.floor)
    sooner = Stance((Window(0.4, 0.5),), floor=STANCE.floor)
    alone, with_other = (plant(way, ball, STANCE, leg=0.9, order=0, other=other) for other in (sooner, later))
    assert not alone.planted[0, 0]
    assert with_other.planted[0, :2].all()
