# SPDX-License-Identifier: GPL-3.0-or-later
"""Who creeps stands and steps: nobody glides below 0.2 m/s for more than a second."""

import numpy as np
import pytest

from core.scene import Crowd, Occasion, Route, Scene, StopDuration, Trigger
from core.simulation import simulate
from core.simulation.movement.whole_steps import shift_to_steps
from core.simulation.settings.pedestrian_settings import WholeStepSettings
from tests.scenes.crowd_scenes import block
from tests.sweeps import sweep

FPS = 24.0
SETTINGS = WholeStepSettings()


def along_x(speed):
    """Motion of one person at speeds, one a frame: float64 (F, 1, 4), x, y, z and heading."""
    motion = np.zeros((len(speed), 1, 4))
    motion[:, 0, 0] = np.cumsum(speed) / FPS
    return motion


def creep(pace, seconds):
    """Walk, creep at a pace [m/s] for so many seconds, and walk on."""
    slows = np.linspace(1.0, pace, 24)
    return along_x(np.concatenate((np.ones(24), slows, np.full(int(seconds * FPS), pace), slows[::-1], np.ones(24))))


def stepped(motion, walks=True, settings=SETTINGS):
    return motion + shift_to_steps(motion, np.full(motion.shape[:2], walks), FPS, settings)


def longest_creeping(position, fps=FPS):
    """Longest time for which somebody moves, but more slowly than 0.2 m/s [s]."""
    speed = np.nan_to_num(np.linalg.norm(np.diff(position[..., :2], axis=0), axis=2)) * fps
    creeps = (speed > 0.03) & (speed < 0.2)
    count = longest = np.zeros(creeps.shape[1], dtype=int)
    for now in creeps:
        count = np.where(now, count + 1, 0)
        longest = np.maximum(longest, count)
    return longest.max() / fps


@pytest.mark.parametrize(("pace", "seconds"), [(0.05, 8.0), (0.1, 1.2), (0.1, 5.0), (0.17, 6.0)])
def test_who_creeps_stands_and_steps_and_gets_as_far(pace, seconds):
    motion = creep(pace, seconds)
    found = stepped(motion)
    assert longest_creeping(motion) > 1.0
    assert longest_creeping(found) < 1.0
    shift = np.abs(found - motion)
    assert 0.02 < shift[..., 0].max() < 0.1
    assert shift[..., 1:].max() == 0.0
    np.testing.assert_array_equal(found[:24], motion[:24])
    np.testing.assert_array_equal(found[-24:], motion[-24:])
    speed = np.diff(found[:, 0, 0]) * FPS
    assert speed.min() > -0.02
    assert np.abs(np.diff(speed, 2)).max() * FPS**2 < 25.0  # jerk [m/s3]


def test_who_walks_or_stands_or_does_not_want_to_walk_is_not_moved():
    walk, stand = along_x(np.full(96, 0.4)), along_x(np.zeros(96))
    slow = creep(0.1, 5.0)
    for motion, walks in ((walk, True), (stand, True), (slow, False)):
        np.testing.assert_array_equal(stepped(motion, walks), motion)


def test_who_is_not_there_all_the_time_is_moved_only_where_they_are():
    motion = creep(0.1, 5.0)
    motion[:30] = motion[-30:] = np.nan
    found = stepped(motion)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(motion))
    assert longest_creeping(found) < 1.0


@pytest.mark.parametrize("fps", [1.0, 2.0, 5.0])
def test_with_few_frames_a_second_steps_are_whole_frames(fps):
    motion = creep(0.1, 5.0)[:: round(FPS / fps)]
    found = motion + shift_to_steps(motion, np.full(motion.shape[:2], True), fps, SETTINGS)
    assert np.abs(found - motion).max() < 0.1


def test_what_comes_later_changes_nothing_before_the_next_step():
    """A stretch of creeping is laid from its beginning, whatever follows it."""
    long = creep(0.06, 9.0)
    stops, turns = long.copy(), long.copy()
    stops[168:] = stops[168]
    turns[168:, 0, 1] = np.arange(len(turns) - 168) * 0.1 / FPS
    found = [stepped(motion) for motion in (long, stops, turns)]
    assert np.abs(found[0] - long)[72:120].max() > 0.02
    kept = 168 - int(2.0 * SETTINGS.step_time * FPS)
    for other in found[1:]:
        np.testing.assert_array_equal(other[:kept], found[0][:kept])


def two_streams(seed=1, **more):
    """Eight people each way on one line through a door of 1.2 m."""
    line = np.array([[-10.0, 0.0, 0.0], [10.0, 0.0, 0.0]])
    routes = (Route("There", line, width=2.5), Route("Back", line[::-1].copy(), width=2.5))
    crowds = (Crowd("Out", count=8, route="There"), Crowd("In", count=8, route="Back"))
    walls = (block(-0.1, 0.6, 0.1, 8), block(-0.1, -8, 0.1, -0.6))
    return Scene(seed=seed, obstacles=walls, routes=routes, crowds=crowds, **more)


@pytest.fixture(scope="module")
def met():
    """The two streams for 20 s."""
    return simulate(two_streams(frames=(1, 480)))


@pytest.mark.once
def test_nobody_creeps_where_two_streams_meet_at_a_door(met):
    assert longest_creeping(met.position, met.fps) < 1.25


@pytest.mark.once
@pytest.mark.parametrize("seed", sweep([1, 2], usual=1))
def test_an_event_changes_recorded_motion_only_from_shortly_before_it(seed, met):
    """People are told to crawl: what they did 3.25 seconds before, also their steps, stays the same bytes."""
    at_once = StopDuration(0.0, 0.0)
    crawl = Trigger("Crawl", Occasion(frames=(300,)), then="run", pace=0.1, delay=at_once)
    slow = simulate(two_streams(seed, frames=(1, 312), triggers=(crawl,)))
    usual = met if seed == 1 else simulate(two_streams(seed, frames=(1, 312)))
    for name in ("position", "heading", "velocity"):
        np.testing.assert_array_equal(getattr(slow, name)[:222], getattr(usual, name)[:222])
    assert not np.array_equal(slow.position[300:], usual.position[300:312], equal_nan=True)
