# SPDX-License-Identifier: GPL-3.0-or-later
"""How people start, stop and turn, measured on evaluated bones: a foot is lifted, and set down where it shall stand."""

import numpy as np
import pytest

from tests.sweeps import sweep

from .ways import FPS, balls, on_a_way, slides

HEADING = 0.4  # of `on_a_way`


def starts_and_stops():
    """Standing, walking and standing again: turn rate and speed, float64 (F,)."""
    seconds = np.arange(120) / FPS
    return 0.0 * seconds, np.clip(np.minimum(1.2 * (seconds - 0.5), 1.2 * (4.2 - seconds)), 0.0, 1.2)


def slips_back(places, heading):
    """How far each foot goes back over the ground at once, float64 (2,), of places (F, 2, 3) [m]."""
    ahead = places[..., :2] @ np.array([np.cos(heading), np.sin(heading)])
    return (np.maximum.accumulate(ahead, axis=0) - ahead).max(axis=0)


@pytest.mark.each_blender("actions are evaluated")
def test_no_foot_slips_back_at_the_first_step_or_the_last(make, stage):
    turn, speed = starts_and_stops()
    for places in balls(make, stage.bake(on_a_way(make, turn, speed)), len(speed)):
        assert slips_back(places[:48], HEADING).max() < 0.035
        assert slips_back(places, HEADING).max() < 0.06  # a foot that is about to land


def turns_on_the_spot():
    """A turn to the left, and a faster one back at 120 degrees a second: turn rate and speed, float64 (F,)."""
    seconds = np.arange(150) / FPS
    turn = np.where(np.abs(seconds - 1.75) < 1.25, 1.0, np.where(np.abs(seconds - 4.25) < 0.75, -1.0, 0.0))
    turn = np.convolve(np.pad(turn, 6, mode="edge"), np.full(13, 1 / 13), "valid")
    return 2.1 * turn / turn.max() * np.where(turn > 0.0, 0.6, 1.0), 0.0 * seconds


@pytest.mark.parametrize("pace", [0.0, 0.25])
def test_feet_open_and_close_in_turns_on_the_spot_and_never_cross(make, stage, pace):
    turn, speed = turns_on_the_spot()
    way = on_a_way(make, turn, speed + pace * (np.abs(turn) > 0.5))
    for places in balls(make, stage.bake(way), len(turn)):
        left = np.stack([-np.sin(way.heading[:, 0]), np.cos(way.heading[:, 0])], axis=1)
        apart = ((places[:, 0, :2] - places[:, 1, :2]) * left).sum(axis=1)
        assert apart.min() > 0.03
        assert slides(places).max() < 0.01
        low = places[..., 2].min()
        assert (places[..., 2].min(axis=1) < low + 0.01).all()  # one foot is on the ground
        assert (places[..., 2].max(axis=1) > low + 0.03).mean() > 0.2  # and they step
        assert (places[-12:, :, 2] < low + 0.01).all()


@pytest.mark.parametrize("stops_at", sweep([2.0, 2.3, 2.1, 2.2, 2.4, 2.5, 2.6], usual=2))
def test_both_feet_are_down_soon_after_somebody_stops(make, stage, stops_at):
    seconds = np.arange(96) / FPS
    speed = 1.2 * np.clip((stops_at - seconds) / 0.4, 0.0, 1.0)
    way = on_a_way(make, 0.0 * seconds, speed)
    for places in balls(make, stage.bake(way), len(speed)):
        stands = np.argmax(speed == 0.0)
        low = places[..., 2].min()
        assert (places[stands + 6 :, :, 2] < low + 0.02).mean() > 0.8  # but for one small step
        assert np.abs(np.diff(places[stands:, :, 2], n=2, axis=0)).max() < 0.02  # none pops


def crossed_legs(make, stage):
    """Two people who walk fast to their left and look ahead: how far their feet cross [m], as told and as seen."""
    seconds = np.arange(72) / FPS
    way = on_a_way(make, 0.0 * seconds, 1.2 + 0.0 * seconds)
    way.heading[:] -= 0.8
    cast = stage.cast(way)
    stage.fill(cast, way)
    told = [faults["crossed"][0] for _, faults in sorted(cast.feet.faults.items())]
    cast.discard()
    left = np.array([-np.sin(HEADING - 0.8), np.cos(HEADING - 0.8)])
    seen = [-((each[:, 0] - each[:, 1])[:, :2] @ left).min() for each in balls(make, stage.bake(way), len(seconds))]
    return told, seen


def test_who_walks_sideways_sets_the_feet_apart(make, stage):
    told, seen = crossed_legs(make, stage)
    assert max(seen) < 0.02
    assert told == pytest.approx(np.maximum(seen, 0.0), abs=0.01)


def test_the_faults_that_are_told_are_those_that_are_seen(addon, make, stage, monkeypatch):
    planted_feet = addon.module("blender_addon.characters.planted_feet")
    monkeypatch.setattr(planted_feet, "uncross", lambda motion, balls, feet, *, leg: feet)
    told, seen = crossed_legs(make, stage)
    assert min(seen) > 0.015
    assert told == pytest.approx(np.maximum(seen, 0.0), abs=0.01)


def test_who_enters_on_high_ground_takes_steps_as_long_as_on_low(stage):
    performances = stage.addon.module("blender_addon.characters.performances")
    blending = stage.addon.module("core.motion.blending")
    frames = np.arange(72)
    there = (frames >= 24)[:, None]
    place = np.stack([1.3 * frames / FPS, 0.0 * frames, np.full(72, 5.0)], axis=1)[:, None]
    low, high = (
        performances.find_strides(
            (np.where(there[..., None], place * (1.0, 1.0, rise), np.nan), np.zeros((72, 1)), there),
            FPS,
            blending.Strides(1.4, stands=False),
            np.zeros(1),
        )[0]
        for rise in (0.0, 1.0)
    )
    np.testing.assert_array_equal(high, low)
