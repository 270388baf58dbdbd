# SPDX-License-Identifier: GPL-3.0-or-later
"""Oriented boxes against hand-made cases, and against moving them bit by bit."""

import numpy as np
import pytest

from core.geometry.boxes import Boxes, disc_depth, overlap_depth, time_to_contact


def box(x, y, heading=0.0, length=4.0, width=2.0):
    return Boxes.of(np.array([[x, y]], float), np.array([heading]), np.array([length]), np.array([width]))


def random_boxes(rng, count, reach):
    return Boxes.of(
        rng.uniform(-reach, reach, (count, 2)),
        rng.uniform(0, 2 * np.pi, count),
        rng.uniform(1, 6, count),
        rng.uniform(0.5, 3, count),
    )


def shifted(boxes, way):
    return boxes._replace(x=boxes.x + way[:, 0], y=boxes.y + way[:, 1])


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


def test_boxes_touch_when_time_to_contact_says_so():
    rng = np.random.default_rng(11)
    first, second = random_boxes(rng, 2000, 12.0), random_boxes(rng, 2000, 12.0)
    velocity = rng.uniform(-8, 8, (2000, 2))
    time = time_to_contact(first, second, velocity)
    meets = np.isfinite(time) & (time > 0.0)
    contact = np.where(meets, time, 0.0)[:, None]
    assert 100 < meets.sum() < 1900
    at_contact = overlap_depth(shifted(first, velocity * contact), second)
    np.testing.assert_allclose(at_contact[meets], 0.0, atol=1e-9)
    for share in np.linspace(0.0, 0.999, 40):
        before = overlap_depth(shifted(first, velocity * share * contact), second)
        assert np.all(before[meets] < 1e-9)
    np.testing.assert_array_equal(time == 0.0, overlap_depth(first, second) >= 0.0)
    for moment in np.linspace(0.0, 10.0, 200):
        assert np.all(overlap_depth(shifted(first, velocity * moment), second)[np.isinf(time)] < 1e-9)


def test_what_moves_alike_never_touches():
    assert time_to_contact(box(0, 0), box(9, 0), np.zeros((1, 2)))[0] == np.inf
    assert time_to_contact(box(0, 0), box(9, 0), np.array([[2.0, 0.0]]))[0] == pytest.approx(2.5)
    assert time_to_contact(box(0, 0), box(9, 0), np.array([[-2.0, 0.0]]))[0] == np.inf
