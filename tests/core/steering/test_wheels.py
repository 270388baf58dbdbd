# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies on two wheels, and what their delay does to whom does not predict it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.errors import GeometryError
from core.steering import human_like
from core.steering.wheels import TwoWheels

BODY = {"axle": 0.1, "max_wheel_speed": 0.3, "delay": 0.2, "dt": 0.05}


def test_the_prediction_comes_true():
    rng = np.random.default_rng(2)
    bodies = TwoWheels(rng.normal(size=(5, 2)), rng.uniform(0.0, 6.0, 5), **BODY)
    foretold = []
    for _ in range(40):
        foretold.append(bodies.predicted())
        bodies.command(rng.normal(0.0, 0.3, (5, 2)))
        if len(foretold) > 4:
            for now, before in zip(bodies.motion, foretold[-4], strict=True):
                np.testing.assert_array_equal(now, before)


def test_they_go_only_where_they_face_and_turn_no_faster_than_their_wheels():
    bodies = TwoWheels([[0.0, 0.0]], [0.0], **{**BODY, "delay": 0.0})
    turned = bodies.command(np.array([[0.0, 0.3]]))
    assert turned.heading[0] == pytest.approx(2.0 * 0.3 / 0.1 * 0.05)
    np.testing.assert_allclose(turned.velocity, 0.0, atol=1e-12)
    for _ in range(100):
        bodies.command(np.array([[0.0, 0.3]]))
    assert bodies.motion.heading[0] == pytest.approx(math.pi / 2.0)
    np.testing.assert_allclose(bodies.motion.velocity, [[0.0, 0.3]], atol=1e-9)
    np.testing.assert_array_equal(bodies.command(np.zeros((1, 2))).velocity, [[0.0, 0.0]])


def test_a_step_follows_the_arc_of_its_wheels():
    bodies = TwoWheels([[0.0, 0.0]], [0.0], **{**BODY, "delay": 0.0})
    moved = bodies._rolled(bodies.motion, np.array([[0.1], [0.2]]))
    radius, turn = 0.15, 0.05  # of the middle of the axle
    np.testing.assert_allclose(moved.position, [[radius * math.sin(turn), radius * (1.0 - math.cos(turn))]], atol=1e-15)


def test_two_who_predict_themselves_pass_each_other():
    start, goal = np.array([[-1.0, 0.02], [1.0, 0.0]]), np.array([[1.0, 0.0], [-1.0, 0.0]])
    bodies, least = TwoWheels(start, [0.0, math.pi], **BODY), np.inf
    for _ in range(400):
        ahead = bodies.predicted()
        gap = goal - ahead.position
        wish = gap * np.minimum(0.3 / np.maximum(np.linalg.norm(gap, axis=1), 1e-9), 1.0)[:, None]
        wanted = human_like.new_velocity(
            *ahead[::2],
            wish,
            0.1,
            0.3,
            heading=ahead.heading,
            time_horizon=4.0,
            neighbour_distance=3.0,
            max_neighbours=5,
            max_turn_rate=6.0,
            backend="numpy",
        )
        bodies.command(wanted)
        least = min(least, float(np.linalg.norm(bodies.motion.position[0] - bodies.motion.position[1])))
    assert least > 0.2
    np.testing.assert_allclose(bodies.motion.position, goal, atol=0.05)


@pytest.mark.parametrize("wrong", [{"axle": 0.0}, {"delay": -1.0}, {"dt": math.nan}, {"max_wheel_speed": math.inf}])
def test_what_makes_no_sense_is_refused(wrong):
    with pytest.raises(GeometryError, match=next(iter(wrong))):
        TwoWheels([[0.0, 0.0]], [0.0], **{**BODY, **wrong})


def test_positions_and_headings_must_match():
    with pytest.raises(GeometryError, match="position and heading"):
        TwoWheels([[0.0, 0.0]], [0.0, 1.0], **BODY)
