# SPDX-License-Identifier: GPL-3.0-or-later
"""Controls of feet: where they go is checked against matrices, put together one by one."""

import numpy as np
import pytest

from core.motion.feet.foot_controls import ControlTable, move_control
from core.motion.legs import Move, soften_reach

HIP, KNEE, ANKLE, BALL, HEAD, ORIGIN = np.array(
    [[0.02, 0.1, 0.9], [0.06, 0.1, 0.48], [0.0, 0.1, 0.1], [0.12, 0.1, 0.02], [-0.05, 0.12, 0.1], [0.01, 0.09, 0.07]]
)
LENGTH, SCALE = np.linalg.norm(KNEE - HIP) + np.linalg.norm(ANKLE - KNEE), 2.5


def turn(axis, angle):
    """A rotation 3 x 3 about a coordinate axis."""
    cos, sin = np.cos(angle), np.sin(angle)
    x, y = (axis + 1) % 3, (axis + 2) % 3
    matrix = np.eye(3)
    matrix[x, x] = matrix[y, y] = cos
    matrix[y, x], matrix[x, y] = sin, -sin
    return matrix


CONTROL, LOCATION_AXES, TURN = turn(2, 0.4) @ turn(0, 0.7), turn(2, -1.1), turn(1, 0.5) @ turn(2, 0.3)


def matrix_of(quaternion):
    w, x, y, z = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def moved(shift, lift, twist, lean):
    """Location, rotation and miss of the control of a leg that stands."""
    joints = np.tile([HIP, KNEE, ANKLE, BALL, HEAD, ORIGIN], (1, 2, 1, 1))
    turns = np.tile([CONTROL, LOCATION_AXES, TURN], (1, 2, 1, 1, 1))
    table = ControlTable(np.ones(1), joints, turns, None, LENGTH, SCALE)
    posture = table.posture(np.ones(1), np.zeros(1), np.zeros(1))
    move = Move(np.array([shift]), np.array([lift]), np.array([twist]), np.array([lean]))
    location, rotation, miss = move_control(table, posture, move)
    return location[:, 0], matrix_of(rotation[:, 0]), miss[0]


@pytest.mark.parametrize("lean", [0.0, 0.15])
@pytest.mark.parametrize("twist", [0.0, -0.3])
def test_the_foot_goes_as_it_was_sent_whatever_the_axes_of_the_control(twist, lean):
    shift, lift = (0.04, -0.06), 0.03
    location, rotation, miss = moved(shift, lift, twist, lean)
    assert miss == pytest.approx(0.0, abs=1e-12)
    body = turn(0, -lean)  # a body that leans to its left
    head = body @ (ORIGIN + SCALE * LOCATION_AXES @ location)
    held = body @ TURN @ rotation  # how the control then is turned
    carried = held @ CONTROL.T  # and how it carries the foot that hangs on it
    ball = head + carried @ (BALL - HEAD)
    np.testing.assert_allclose(ball, BALL + np.array([*shift, lift]), atol=1e-12)
    np.testing.assert_allclose(carried, turn(2, twist), atol=1e-12)


def test_a_foot_out_of_reach_is_reached_for_and_misses_by_what_the_leg_is_too_short():
    shift = (0.6, 0.0)
    location, _, miss = moved(shift, 0.0, 0.0, 0.0)
    ankle = ANKLE + np.array([*shift, 0.0])
    assert miss == pytest.approx(np.linalg.norm(ankle - HIP) - 0.9995 * LENGTH, abs=1e-12)
    reached = ORIGIN + SCALE * LOCATION_AXES @ location - HEAD + ANKLE
    assert np.linalg.norm(reached - HIP) == pytest.approx(0.9995 * LENGTH, abs=1e-12)
    np.testing.assert_allclose(np.cross(reached - HIP, ankle - HIP), 0.0, atol=1e-12)


def knee_angles(soft):
    """Angle of a knee [rad] while its foot is sent from 0.9 to 1.1 of the leg's length, both bones half as long."""
    distance = np.linspace(0.9, 1.1, 81)
    reached = np.minimum(soften_reach(distance, np.full(81, 0.9), 1.0, soft), 1.0)
    assert (np.diff(reached) >= -1e-12).all()
    assert (reached <= distance + 1e-12).all()
    return np.pi - 2.0 * np.arccos(reached)  # between two bones of 1/2: sin of half of it is the reach


def test_a_leg_that_yields_does_not_snap_straight():
    assert np.abs(np.diff(knee_angles(0.0))).max() > 0.1
    assert np.abs(np.diff(knee_angles(0.05))).max() < 0.03
    assert np.abs(np.diff(knee_angles(0.05), 2)).max() < np.abs(np.diff(knee_angles(0.0), 2)).max() / 20.0


def test_a_leg_never_yields_further_than_its_clip_has_it():
    distance = np.linspace(0.9, 0.999, 50)
    np.testing.assert_array_equal(soften_reach(distance, distance, 1.0, 0.05), distance)
    np.testing.assert_array_equal(soften_reach(distance, np.zeros(50), 1.0, 0.0), distance)
