# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

from core.motion.blending import Strides, blended_phase, find_gait, smooth_speed
from core.motion.gait import distance_ahead, distance_in_steps, distance_walked, find_standing, fit_steps


def test_distance_on_a_circle_is_its_arc():
    angle = np.linspace(0.0, 3.0 * np.pi, 20_001)
    circle = np.stack([2.0 * np.cos(angle), 2.0 * np.sin(angle), np.zeros_like(angle)], axis=-1)[:, None]
    walked = distance_walked(circle, np.ones(circle.shape[:2], dtype=bool))
    np.testing.assert_allclose(walked[:, 0], 2.0 * angle, atol=1e-6)


def test_height_is_no_way():
    rising = np.zeros((5, 1, 3))
    rising[:, 0, 2] = np.arange(5)
    assert np.all(distance_walked(rising, np.ones((5, 1), dtype=bool)) == 0.0)
    climbed = distance_walked(rising, np.ones((5, 1), dtype=bool), counts_climbs=True)
    np.testing.assert_allclose(climbed, np.abs(rising[..., 2] - rising[0, :, 2]))


def test_distance_rests_while_absent_and_skips_the_gap():
    x = np.array([np.nan, 1.0, 2.0, np.nan, np.nan, 12.0, 12.5])
    position = np.stack([x, np.zeros(7)], axis=-1)[:, None]
    walked = distance_walked(position, np.isfinite(x)[:, None])
    np.testing.assert_array_equal(walked[:, 0], [0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.5])


def test_agents_are_added_up_apart():
    rng = np.random.default_rng(3)
    position = rng.normal(size=(40, 7, 2))
    walked = distance_walked(position, np.ones((40, 7), dtype=bool))
    for agent in range(7):
        way = sum(np.linalg.norm(position[f, agent] - position[f - 1, agent]) for f in range(1, 40))
        assert np.isclose(walked[-1, agent], way)


def test_no_frames_but_one():
    assert distance_walked(np.zeros((1, 3, 3)), np.ones((1, 3), dtype=bool)).tolist() == [[0.0, 0.0, 0.0]]


def test_sideways_is_no_way_ahead_and_backwards_is_less_than_none():
    position = np.zeros((11, 4, 3))
    position[:, :, 0] = 0.1 * np.arange(11)[:, None]
    position[:5, 3] = np.nan
    present = np.isfinite(position[..., 0])
    heading = np.tile([0.0, 0.5 * np.pi, np.pi, 0.0], (11, 1))
    ahead = distance_ahead(position, heading, present)
    np.testing.assert_allclose(ahead[-1], [1.0, 0.0, -1.0, 0.5], atol=1e-12)
    np.testing.assert_allclose(ahead[:, 0], distance_walked(position, present)[:, 0], atol=1e-12)


FPS = 24.0


def straight(gait):
    """Headings and presence of people who do not turn."""
    return np.zeros(gait.shape), gait >= 0.0


def from_speeds(speed, strides, start_phase):
    """Phase and gait of people at speeds (F, A) ahead; negative: they walk backwards."""
    walked = np.cumsum(np.abs(speed), axis=0) / FPS
    way = distance_in_steps(walked, speed, np.zeros_like(walked), 0.6, FPS)
    gait = find_gait(smooth_speed(walked, FPS), strides, FPS)
    return blended_phase(way, gait, strides, start_phase), gait


@pytest.mark.parametrize("start_phase", [0.0, 0.2, 0.5, 0.83])
@pytest.mark.parametrize("steps", [2, 6])
@pytest.mark.parametrize("way", [1.0, -1.0])
def test_walks_begin_and_end_while_one_foot_passes_the_other(start_phase, steps, way):
    """Three walks of different lengths between pauses: two of a few metres, and one of half a step; backwards, too."""
    seconds = [(1.0, 0.0), (4.3, 1.3), (2.0, 0.0), (0.6, 0.4), (2.0, 0.0), (7.1, 1.2), (1.0, 0.0)]
    speed = np.concatenate([np.full(round(s * FPS), v) for s, v in seconds])
    speed = np.convolve(np.pad(speed, 8, mode="edge"), np.full(17, 1 / 17), "valid")[:, None]
    strides = Strides(1.4 * steps / 2, passing=0.31 * 2 / steps, steps=steps)
    phase, gait = from_speeds(way * speed, strides, start_phase)
    fitted = fit_steps(phase, gait, straight(gait), strides, FPS)[:, 0]
    edges = np.flatnonzero(np.diff(gait[:, 0] >= 0.1))
    begins, ends = (np.mod((fitted[each] - strides.passing) * steps, 1.0) for each in (edges[::2] + 1, edges[1::2]))
    np.testing.assert_allclose(np.minimum(ends, 1.0 - ends), 0.0, atol=1e-9)
    assert (np.mod(way * begins + 1e-9, 1.0) <= 0.1 + 2e-9).all()  # or a little later: no two people begin alike
    for first, last in edges.reshape(-1, 2).tolist():
        own = way * fitted[first + 1 : last + 1]
        assert own[-1] - own[0] > 0.85 / steps  # one step at least
        assert (np.diff(own) >= 0.0).all()
    assert fitted.min() >= 0.0
    away = np.abs(fitted - phase[:, 0])[edges[0] + 1 : edges[1] - 80]
    assert np.ptp(away) < 1e-9  # in the middle of a walk the stride is what it was


@pytest.mark.parametrize("start_phase", [0.0, 0.3, 0.55, 0.8])
def test_who_turns_as_they_start_steps_first_with_the_inner_foot(start_phase):
    """At the phase `passing` the right foot swings past the left; half a run later the left one does."""
    speed = np.repeat([[0.0], [1.2]], [30, 60], axis=0) * np.ones(2)
    strides = Strides(np.full(2, 1.4), passing=np.full(2, 0.31))
    phase, gait = from_speeds(speed, strides, start_phase)
    heading = np.clip((np.arange(90)[:, None] - 26) / 24.0, 0.0, 1.0) * (1.2, -1.2)
    fitted = fit_steps(phase, gait, (heading, gait >= 0.0), strides, FPS)
    first = int(np.flatnonzero(gait[:, 0] >= 0.1)[0])
    late = np.mod(fitted[first] - (0.31 + 0.5, 0.31) + 1e-9, 1.0)
    assert (late <= 0.05 + 2e-9).all()


def test_nobody_stands_or_walks_for_a_moment_only():
    gait = np.ones((4, 100))
    gait[3, 30:33], gait[3, 36:39] = 0.0, 0.0  # both in turn
    gait[0, 40:45], gait[0, 60:90] = 0.0, 0.0
    gait[1] = 0.0
    gait[1, 40:45], gait[1, 60:] = 1.0, 1.0
    gait[2, :4], gait[2, 97:] = 0.0, 0.0  # at the ends it is not known for how long
    there = np.ones(gait.shape, dtype=bool)
    there[0, 88:] = False
    stands = find_standing(gait, there, FPS)
    assert np.flatnonzero(stands[0]).tolist() == list(range(60, 88))
    assert np.flatnonzero(stands[1]).tolist() == list(range(60))
    assert np.flatnonzero(stands[2]).tolist() == [0, 1, 2, 3, 97, 98, 99]
    assert not stands[3].any()


def test_who_enters_walking_or_has_an_unknown_walk_keeps_the_phase():
    speed = np.full((60, 2), 1.3)
    strides = Strides(np.full(2, 1.4), passing=np.array([0.31, np.nan]))
    phase, gait = from_speeds(speed, strides, np.array([0.7, 0.7]))
    np.testing.assert_array_equal(fit_steps(phase, gait, straight(gait), strides, FPS), phase)
    unknown = Strides(1.4)
    stops = np.concatenate([speed, np.zeros((30, 2)), speed])
    phase, gait = from_speeds(stops, unknown, 0.7)
    np.testing.assert_array_equal(fit_steps(phase, gait, straight(gait), unknown, FPS), phase)


def test_everybody_alone_begins_as_among_others():
    rng = np.random.default_rng(4)
    speed = np.repeat(rng.choice([0.0, 0.0, 0.6, 1.3], size=(12, 5)), 20, axis=0)
    strides = Strides(np.linspace(1.2, 1.6, 5), passing=np.linspace(0.0, 0.4, 5))
    phase, gait = from_speeds(speed, strides, np.linspace(0.0, 0.9, 5))
    together = fit_steps(phase, gait, straight(gait), strides, FPS)
    for agent in range(5):
        own = slice(agent, agent + 1)
        alone = fit_steps(phase[:, own], gait[:, own], straight(gait[:, own]), strides.take(own, 5), FPS)
        np.testing.assert_array_equal(together[:, own], alone)
