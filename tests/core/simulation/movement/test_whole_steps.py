# SPDX-License-Identifier: GPL-3.0-or-later
"""Who creeps stands and steps: nobody glides below 0.2 m/s for more than a second."""

import numpy as np
import pytest

from core.scene import Crowd, Route, Scene
from core.simulation import simulate
from core.simulation.movement.whole_steps import shift_to_steps
from core.simulation.settings.pedestrian_settings import WholeStepSettings
from tests.scenes.crowd_scenes import block

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


@pytest.mark.once
def test_nobody_creeps_where_two_streams_meet_at_a_door():
    line = np.array([[-10.0, 0.0, 0.0], [10.0, 0.0, 0.0]])
    routes = (Route("There", line, width=2.5), Route("Back", line[::-1].copy(), width=2.5))
    crowds = (Crowd("Out", count=8, route="There"), Crowd("In", count=8, route="Back"))
    walls = (block(-0.1, 0.6, 0.1, 8), block(-0.1, -8, 0.1, -0.6))
    made = simulate(Scene(frames=(1, 480), seed=1, obstacles=walls, routes=routes, crowds=crowds))
    assert longest_creeping(made.position, made.fps) < 1.25
