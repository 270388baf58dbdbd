# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np

from core.motion.gait import distance_ahead, distance_walked


def test_distance_on_a_circle_is_its_arc():
    angle = np.linspace(0.0, 3.0 * np.pi, 20_001)
    circle = np.stack([2.0 * np.cos(angle), 2.0 * np.sin(angle), np.zeros_like(angle)], axis=-1)[:, None]
    walked = distance_walked(circle, np.ones(circle.shape[:2], dtype=bool))
    np.testing.assert_allclose(walked[:, 0], 2.0 * angle, atol=1e-6)


def test_height_is_no_way():
    rising = np.zeros((5, 1, 3))
    rising[:, 0, 2] = np.arange(5)
    assert np.all(distance_walked(rising, np.ones((5, 1), dtype=bool)) == 0.0)


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
