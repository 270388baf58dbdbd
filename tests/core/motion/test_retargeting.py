# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses carried between skeletons: against a chain that is posed joint by joint."""

import numpy as np
import pytest

from core.motion.quaternions import about, inverse, times, turned
from core.motion.retargeting import limb_alignment, part_of_turn, pose_of, turn_of

AHEAD = np.array([0.0, -1.0, 0.0])


def turns(seed, count):
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=(3, count))
    return about(axis / np.linalg.norm(axis, axis=0), rng.uniform(0.1, 3.0, count))


def test_a_pose_is_the_rotation_from_rest_in_the_bones_own_axes():
    rest, parent_rest, parent, pose = turns(1, 1), turns(2, 1), turns(3, 40), turns(4, 40)
    posed_parent = times(parent, parent_rest)
    posed = times(posed_parent, times(times(inverse(parent_rest), rest), pose))  # as Blender: parent, rest, then pose
    np.testing.assert_allclose(times(turn_of(pose, rest, parent), rest), posed, atol=1e-12)


def test_poses_are_found_again_and_do_not_jump():
    rest, parent = turns(5, 1), turns(6, 40)
    angle = np.linspace(0.0, 4.0 * np.pi, 40)
    pose = about(np.array([[0.0], [0.6], [0.8]]), angle)
    found = pose_of(turn_of(pose, rest, parent) * np.where(np.arange(40) % 3, 1.0, -1.0), rest, parent)
    np.testing.assert_allclose(found, pose, atol=1e-12)


@pytest.mark.parametrize("angle", [0.0, 0.6, 1.2, np.pi / 2.0])
def test_raised_arms_are_lowered_in_the_plane_of_the_body(angle):
    down = np.array([np.sin(0.5), 0.0, -np.cos(0.5)])
    raised = turned(about(np.array([0.0, -1.0, 0.0]), np.array(angle)), down)
    turn = limb_alignment(raised, down, AHEAD)
    np.testing.assert_allclose(turned(turn, raised[:, None])[:, 0], down, atol=1e-12)
    np.testing.assert_allclose(turned(turn, AHEAD[:, None])[:, 0], AHEAD, atol=1e-12)


def test_an_arm_that_points_ahead_is_aligned_by_the_vertical():
    turn = limb_alignment(AHEAD, AHEAD, AHEAD)
    np.testing.assert_allclose(turn[:, 0], [1.0, 0.0, 0.0, 0.0], atol=1e-12)


def test_a_part_of_a_turn_lies_between_also_on_the_other_side_of_the_sphere():
    start, axis = turns(7, 20), np.array([[0.0], [0.0], [1.0]])
    end = times(about(axis, np.full(20, 0.4)), start)
    half = times(about(axis, np.full(20, 0.2)), start)
    np.testing.assert_allclose(part_of_turn(start, -end, 0.5), half, atol=1e-12)
    np.testing.assert_allclose(part_of_turn(start, end, 1.0), end, atol=1e-12)
