# SPDX-License-Identifier: GPL-3.0-or-later
"""People who walk over steps: bodies rise evenly, feet clear the edges, and steps are shorter."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.motion.feet.uneven_ground import Footholds, carry_bodies, clear_edges, keep_off_risers, smooth_steps
from core.motion.gait import CLIMB, distance_in_steps

TREAD, RISER = 0.3, 0.17


def stairs(x):
    return RISER * np.floor(np.asarray(x, dtype=np.float64) / TREAD)


def test_a_body_on_stairs_rises_evenly_from_foothold_to_foothold():
    frames = 81
    x = np.linspace(0.0, 2.4, frames)
    under = np.arange(5, frames, 10)  # a foot in the middle of each tread
    carried = carry_bodies(stairs(x)[None], Footholds(under, stairs(x[under])), half=1)[0]
    assert np.abs(np.diff(stairs(x))).max() == pytest.approx(RISER)
    middle = carried[20:-20]
    np.testing.assert_allclose(np.diff(middle), RISER / 10, atol=1e-9)
    assert carried[45] == pytest.approx(stairs(x[45]))  # over its foot as high as the foot


def test_on_a_slope_to_one_side_a_body_does_not_sway():
    under = np.arange(4, 80, 8)
    left_and_right = 0.015 * (-1.0) ** np.arange(len(under))
    carried = carry_bodies(np.zeros((1, 80)), Footholds(under, left_and_right), half=1)[0]
    assert np.abs(carried[14:66]).max() < 1e-12


@pytest.mark.parametrize("up", [1.0, -1.0])
def test_over_a_kerb_a_body_is_as_high_as_its_foot_on_either_side(up):
    """It was 4 cm too low on the first foot on the kerb, whose knee was bent by 35 degrees, and as much too high."""
    under = np.arange(4, 80, 8)
    kerb = up * 0.15 * (under > 40)
    carried = carry_bodies(np.zeros((1, 80)), Footholds(under, kerb), half=1)[0]
    np.testing.assert_allclose(carried[under], kerb, atol=0.01)


def test_each_body_has_its_own_footholds_and_who_has_none_keeps_the_ground():
    height = np.array([[1.0] * 20, [5.0] * 20, [2.0] * 20])
    carried = carry_bodies(height, Footholds(np.array([3, 17, 50]), np.array([1.0, 1.0, 2.5])), half=1)
    np.testing.assert_allclose(carried, np.array([[1.0] * 20, [5.0] * 20, [2.5] * 20]))


def test_a_foot_swings_over_edges_and_stands_where_it_stood():
    frames = 15
    planted = np.zeros((1, frames), dtype=bool)
    planted[0, :3] = planted[0, -3:] = True
    x = np.interp(np.arange(frames), [2, 12], [0.15, 0.75])
    places = np.stack([x, np.zeros(frames)], axis=1)[None]
    ground = stairs(x)[None]
    led = clear_edges(ground, places, planted, np.ones_like(planted), least=0.01, half=1)
    np.testing.assert_array_equal(led[planted], ground[planted])
    assert (led[0, 4:-4] >= ground[0, 4:-4] - 0.02).all()
    assert np.abs(np.diff(led[0])).max() < 0.6 * RISER < np.abs(np.diff(ground[0])).max()
    assert (np.diff(led[0]) >= -1e-12).all()  # up and not down again


@given(st.lists(st.floats(0.001, 0.2), min_size=14, max_size=14), st.floats(-0.3, 0.3))
def test_on_even_ground_swings_stay_as_they_are(steps, slope):
    planted = np.zeros((1, 15), dtype=bool)
    planted[0, [0, -1]] = True
    x = np.concatenate([[0.0], np.cumsum(steps)])
    ground = slope * x[None]
    places = np.stack([x, 0.0 * x], axis=1)[None]
    led = clear_edges(ground, places, planted, np.ones_like(planted), least=0.01, half=1)
    np.testing.assert_array_equal(led, ground)


def test_toes_do_not_lift_a_foot_on_to_the_step_after_its_own():
    planted = np.zeros((1, 15), dtype=bool)
    planted[0, :3] = planted[0, -3:] = True
    x = np.interp(np.arange(15), [2, 12], [0.2, 0.5])
    places = np.stack([x, 0.0 * x], axis=1)[None]
    ground, tips = stairs(x)[None], stairs(x + 0.12)[None]
    given = {"least": 0.01, "half": 1}
    bare, shod = (
        clear_edges(ground, places, planted, np.ones_like(planted), **given, tips=own) for own in (None, tips)
    )
    assert shod.max() == pytest.approx(RISER)
    assert shod[0, 4] > bare[0, 4] + 0.05  # toes are over the edge before the ball is


def test_a_foot_whose_heel_is_over_the_edge_until_it_lands_comes_down_in_time():
    planted = np.zeros((1, 15), dtype=bool)
    planted[0, :3] = planted[0, -3:] = True
    x = np.interp(np.arange(15), [2, 12], [0.5, 0.2])
    places = np.stack([x, 0.0 * x], axis=1)[None]
    ground, tips = stairs(x)[None], np.where(planted, 0.0, stairs(0.5))
    led = clear_edges(ground, places, planted, np.ones_like(planted), least=0.01, half=1, tips=tips)
    np.testing.assert_array_equal(led[planted], ground[planted])
    assert np.abs(np.diff(led[0])).max() < 0.5 * RISER


@pytest.mark.parametrize(
    ("ball", "way", "moved"),
    [
        (0.15, 1.0, 0.0),  # in the middle of the tread from 0 to 0.3
        (0.27, 1.0, -0.04),  # toes of 7 cm in the riser ahead
        (0.25, -1.0, 0.10),  # who goes down has a heel of 15 cm in the riser behind
    ],
)
def test_soles_are_kept_out_of_risers(ball, way, moved):
    points = np.append(np.linspace(-0.15, 0.0, 31), np.linspace(0.0, 0.07, 15)[1:])
    ground = stairs(ball + way * points)[None]
    assert keep_off_risers(ground, points, leg=0.9)[0] == pytest.approx(moved, abs=0.015)


def test_feet_of_which_no_toes_are_known_have_heels():
    points = np.append(np.linspace(-0.15, 0.0, 31), np.zeros(14))
    ground = stairs(0.25 - points)[None]
    assert keep_off_risers(ground, points, leg=0.9)[0] == pytest.approx(0.1, abs=0.015)


@pytest.mark.parametrize("slope", [0.0, 0.3, -0.3])
def test_soles_on_ramps_and_low_edges_stay(slope):
    points = np.append(np.linspace(-0.15, 0.0, 31), np.linspace(0.0, 0.07, 15)[1:])
    ground = slope * points + 0.02 * (points > 0.05)
    assert keep_off_risers(ground[None], points, leg=0.9)[0] == 0.0


def test_on_stairs_a_step_is_one_tread():
    """Someone walks 0.6 m/s over treads at a slope of 0.57, where a step on level ground is 0.5 m long."""
    fps = 24.0
    x, ahead = 0.6 * np.arange(240) / fps, np.full((240, 1), 0.6)
    way = distance_in_steps(x[:, None], ahead, stairs(x)[:, None], 0.5, fps)[:, 0]
    tread = 0.5 * (x[200] - x[40]) / (way[200] - way[40])
    assert tread == pytest.approx(TREAD, rel=0.1)
    level = distance_in_steps(x[:, None], ahead, np.zeros((240, 1)), 0.5, fps)[:, 0]
    np.testing.assert_allclose(level, x)
    ramp = distance_in_steps(x[:, None], ahead, 0.1 * x[:, None], 0.5, fps)[:, 0]
    assert ramp[200] == pytest.approx(x[200], rel=0.03)


@pytest.mark.parametrize(("usual", "treads"), [(0.35, 1), (0.7, 1), (1.0, 2)])
def test_each_step_takes_whole_treads_however_long_steps_are_on_level_ground(usual, treads):
    """Feet that took one tread and a half each came up three risers at once."""
    x = 0.7 * np.arange(240) / 24.0
    way = distance_in_steps(x[:, None], np.ones((240, 1)), stairs(x)[:, None], usual, 24.0)[:, 0]
    edges = np.flatnonzero(np.diff(stairs(x)) > 0.0)[1:-1]
    np.testing.assert_allclose(np.diff(way[edges]) / usual, 1.0 / treads, atol=1e-9)


def test_over_a_single_kerb_steps_are_as_usual():
    x = 1.2 * np.arange(120) / 24.0
    kerb = 0.15 * (x > 3.0)
    way = distance_in_steps(x[:, None], np.ones((120, 1)), kerb[:, None], 0.7, 24.0)[:, 0]
    assert way[-1] == pytest.approx(x[-1], rel=0.02)


def test_a_step_is_no_shorter_than_a_tread_on_a_steep_stair():
    """Of 22 over 27 cm and steeper, where steps of 16 cm went, two to a tread."""
    x = np.arange(240) / 24.0 * 0.6
    for slope in (0.8, 1.0, 1.3):
        way = distance_in_steps(x[:, None], np.ones((len(x), 1)), slope * x[:, None], 0.5, 24.0)[:, 0]
        assert 0.5 * (x[200] - x[40]) / (way[200] - way[40]) > 0.27


def test_who_has_no_feet_glides_over_stairs_and_stands_on_them():
    fps = 24.0
    x = 0.7 * np.minimum(np.arange(160), 100) / fps
    walks = (np.arange(160) < 100).astype(np.float64)
    raw = np.stack([stairs(x), 0.3 * x], axis=1)
    done = smooth_steps(raw, np.stack([x, x], axis=1), np.stack([walks, walks], axis=1), fps)
    assert np.abs(np.diff(done[:, 0])).max() < 0.25 * RISER
    assert np.abs(done[:, 0] - raw[:, 0]).max() < RISER
    np.testing.assert_allclose(done[110:, 0], raw[110:, 0])
    np.testing.assert_array_equal(done[:, 1], raw[:, 1])  # a ramp


def test_rough_ground_is_no_stairs():
    """Blocks of 0.3 m that are higher and lower in turn, or slope by half a riser, are taken with usual steps."""
    walked = np.arange(0.0, 6.0, 0.05)[:, None]
    block = (walked / 0.3 + 1e-9).astype(int)
    rough = np.where(block % 2 == 1, 0.12, 0.0)
    ramps = 0.12 * block + 0.2 * (walked - 0.3 * block)
    ahead, none = np.full_like(walked, 1.0), dataclasses.replace(CLIMB, treads=(9.0, 9.0))
    for height in (rough, ramps):
        way, usual = (distance_in_steps(walked, ahead, height, 0.7, 20.0, each) for each in (CLIMB, none))
        np.testing.assert_array_equal(way, usual)
    stairs = distance_in_steps(walked, ahead, 0.12 * block, 0.7, 20.0)
    assert not np.array_equal(stairs, distance_in_steps(walked, ahead, 0.12 * block, 0.7, 20.0, none))
