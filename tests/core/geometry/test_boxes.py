# SPDX-License-Identifier: GPL-3.0-or-later
"""Oriented boxes against hand-made cases."""

import numpy as np
import pytest

from core.geometry.boxes import Boxes, disc_depth, overlap_depth


def box(x, y, heading=0.0, length=4.0, width=2.0):
    return Boxes.of(np.array([[x, y]], float), np.array([heading]), np.array([length]), np.array([width]))


def test_corners_go_counter_clockwise_from_the_front_left():
    np.testing.assert_allclose(box(1, 0).corners()[0], [[3, 1], [-1, 1], [-1, -1], [3, -1]])
    np.testing.assert_allclose(box(0, 0, np.pi / 2).corners()[0][0], [-1, 2], atol=1e-12)


@pytest.mark.parametrize(
    ("other", "depth"),
    [
        (box(3.5, 0), 0.5),
        (box(0, 1.75), 0.25),
        (box(0, 0), 2.0),
        (box(5, 0), -1.0),
        (box(0, 2.5, np.pi / 2), 0.5),
    ],
)
def test_overlap_is_the_least_shift_that_parts_two(other, depth):
    assert overlap_depth(box(0, 0), other)[0] == pytest.approx(depth)


def test_a_disc_beside_a_box_and_at_its_corner():
    centres = np.array([[0.0, 1.5], [3.0, 2.0], [0.0, 0.0]])
    boxes = box(0, 0).take(np.array([0, 0, 0]))
    np.testing.assert_allclose(disc_depth(boxes, centres, np.full(3, 0.75)), [0.25, 0.75 - np.sqrt(2), 1.75])
