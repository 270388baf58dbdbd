# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

from core.motion.heading import GRAVITY, continuous_heading, hold_absent, lean_into_bends


def test_absent_frames_hold_the_last_present_value_and_before_it_the_first():
    values = np.array([[np.nan], [1.0], [2.0], [np.nan], [5.0], [np.nan]])
    held = hold_absent(values, np.isfinite(values))
    assert held[:, 0].tolist() == [1.0, 1.0, 2.0, 2.0, 5.0, 5.0]


def test_places_are_held_as_wholes():
    places = np.full((4, 2, 3), np.nan)
    places[1, 0] = (1, 2, 3)
    places[2, 1] = (4, 5, 6)
    held = hold_absent(places, np.isfinite(places[..., 0]))
    assert (held[:, 0] == (1, 2, 3)).all()
    assert (held[:, 1] == (4, 5, 6)).all()


def test_who_is_never_present_rests_at_zero():
    assert hold_absent(np.full((3, 1), np.nan), np.zeros((3, 1), dtype=bool)).tolist() == [[0.0], [0.0], [0.0]]


def test_values_are_not_changed_in_place():
    values = np.array([[np.nan], [1.0]])
    hold_absent(values, np.isfinite(values))
    assert np.isnan(values[0, 0])


@pytest.mark.parametrize("turn", [0.3, -0.3, 1.5, -2.9])
def test_heading_never_spins_and_keeps_its_direction(turn):
    true = np.cumsum(np.full(60, turn))
    wrapped = np.arctan2(np.sin(true), np.cos(true))[:, None]
    heading = continuous_heading(wrapped, np.ones((60, 1), dtype=bool))
    np.testing.assert_allclose(np.diff(heading[:, 0]), turn)


def test_heading_does_not_spin_over_a_gap():
    heading = np.array([[3.1], [np.nan], [-3.1]])
    turned = continuous_heading(heading, np.isfinite(heading))
    np.testing.assert_allclose(turned[:, 0], [3.1, 3.1, 2 * np.pi - 3.1])


def test_who_walks_round_a_circle_leans_as_balance_wants():
    fps, speed, turning = 24.0, 1.4, 0.9
    frames = np.arange(96)[:, None] / fps
    lean = lean_into_bends(turning * frames, speed * frames, fps, 1.0)
    np.testing.assert_allclose(lean[20:-20], np.arctan(speed * turning / GRAVITY), rtol=1e-9)


def test_who_turns_on_the_spot_and_then_walks_on_stays_upright():
    fps = 24.0
    frames = np.arange(96)[:, None] / fps
    heading = 2.5 * np.clip(frames - 1.0, 0.0, 0.8)
    walked = 1.4 * np.clip(frames - 1.8, 0.0, None)
    assert np.abs(lean_into_bends(heading, walked, fps, 1.0)).max() < 0.01
