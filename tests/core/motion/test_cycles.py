# SPDX-License-Identifier: GPL-3.0-or-later
"""How many strides a clip has, and how two clips are brought in step."""

import numpy as np
import pytest

from core.motion.cycles import find_cycle, in_step

AHEAD = np.array([0.0, -1.0])


def clip(strides, late, drift=0.0):
    """Two feet and a hand that go to and fro along AHEAD, with some harmonics, over a clip that may go on."""
    phase = np.linspace(0.0, strides, 24 * strides + 1) - late
    feet = [np.cos(2 * np.pi * (phase + lag)) + 0.3 * np.cos(4 * np.pi * (phase + lag)) for lag in (0.0, 0.5)]
    forth = np.stack([*feet, 0.2 * feet[1]], axis=1) + drift * np.linspace(0.0, 1.0, len(phase))[:, None]
    points = np.zeros((*forth.shape, 3))
    points[..., :2] = forth[..., None] * AHEAD
    return points


@pytest.mark.parametrize("drift", [0.0, 7.0])
@pytest.mark.parametrize("strides", [1, 2, 4])
def test_strides_are_counted_also_while_the_body_goes_on(strides, drift):
    assert find_cycle(clip(strides, 0.1, drift), AHEAD).strides == strides


def test_two_clips_are_brought_in_step():
    walk = find_cycle(clip(1, 0.1), AHEAD)
    for strides, late, ahead in ((1, 0.1, 0.0), (1, 0.35, 0.25), (2, 0.9, -0.2)):
        assert in_step(walk, find_cycle(clip(strides, late), AHEAD)) == pytest.approx(ahead, abs=1e-9)


def test_a_clip_in_which_nothing_goes_ahead_has_no_strides():
    assert find_cycle(np.ones((25, 4, 3)), AHEAD) is None


@pytest.mark.parametrize("late", [0.0, 0.1, 0.3, 0.7])
@pytest.mark.parametrize("strides", [1, 3])
@pytest.mark.parametrize("right", [0, 1])
def test_the_right_foot_passes_the_left_where_the_clip_has_them_side_by_side(strides, late, right):
    """A foot that goes ahead as a cosine passes the body a quarter of a stride before it is furthest ahead."""
    points = clip(strides, late)
    points[:, right, 0], points[:, 1 - right, 0] = -0.1, 0.1  # who walks along -Y has the right at -X
    points[:, 2] += (-1.0, 0.0, 1.0)  # a hand swings against the foot below it
    passing = find_cycle(points, AHEAD).passing
    assert 0.0 <= passing < 1.0 / strides
    expected = (late - 0.25 - 0.5 * right) % 1.0
    assert (passing * strides - expected + 0.5) % 1.0 - 0.5 == pytest.approx(0.0, abs=1e-9)
