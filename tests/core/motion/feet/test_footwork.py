# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of somebody's feet, against walks of which all is known."""

import numpy as np
import pytest

from core.motion.feet.footwork import judge_footwork

FRAMES, SPEED = 96, 0.05  # [m] in a frame


def body(stance, *, slide=0.0, heading=0.0):
    """Joints of somebody who walks: hips, head, and two ankles that stand for a share of each cycle of 24 frames.

    While it stands, a foot moves on by `slide` of the way of the body.
    """
    frame = np.arange(FRAMES)
    root = np.stack([SPEED * frame, 0.0 * frame, 0.0 * frame], axis=-1)
    points = [root + np.array([0.0, 0.0, height]) for height in (1.0, 1.7)]
    for side, start in ((0.1, 0.0), (-0.1, 0.5)):
        phase = (frame / 24 + start) % 1.0
        cycle = np.floor(frame / 24 + start) - start
        stands = phase < stance
        set_down = 24 * SPEED * (cycle + stance / 2)
        moves = np.where(stands, slide * phase, slide * stance + (phase - stance) / (1 - stance) * (1 - slide * stance))
        lift = np.where(stands, 0.0, 0.15 * np.sin(np.pi * (phase - stance) / (1 - stance)))
        points.append(np.stack([set_down + 24 * SPEED * moves, side + 0.0 * frame, 0.08 + lift], axis=-1))
    points = np.stack(points, axis=1)
    turn = np.array([[np.cos(heading), -np.sin(heading), 0], [np.sin(heading), np.cos(heading), 0], [0, 0, 1]])
    return points @ turn.T, root @ turn.T, np.full(FRAMES, heading)


@pytest.mark.parametrize("stance", [0.5, 0.6])
@pytest.mark.parametrize("heading", [0.0, 2.2])
def test_the_share_of_time_that_feet_stand(stance, heading):
    found = judge_footwork(*body(stance, heading=heading))
    assert found.stance == pytest.approx((stance, stance), abs=0.05)
    assert found.supported == pytest.approx(1.0, abs=0.1)
    assert len(found.slides) >= 6
    assert found.slides.max() < 1e-9
    assert found.swing == pytest.approx(2 * 24 * SPEED * stance / 1.62, rel=0.35)


def test_who_glides_has_no_foot_that_stands():
    points, root, heading = body(0.6)
    carried = root[:, None] + (points - root[:, None])[:1]
    found = judge_footwork(carried, root, heading)
    assert found.stance == (0.0, 0.0)
    assert found.supported == 0.0
    assert found.swing == pytest.approx(0.0, abs=1e-9)


def test_feet_that_drift_slowly_stand_and_slide():
    found = judge_footwork(*body(0.5, slide=0.1))
    assert found.supported > 0.8
    assert found.slides.max() == pytest.approx(0.1 * 24 * SPEED * 0.5, rel=0.1)


@pytest.mark.parametrize("slides", [(0.0, 0.6), (0.36, 0.6), (0.0, 0.24)])
def test_slides_are_judged_over_the_whole_contact(slides):
    """Also of a foot that stands still for six tenths of it, and slides in the last four; or in the first."""
    points, root, heading = body(0.6)
    first, last = slides
    for foot, start in ((2, 0.0), (3, 0.5)):
        phase = (np.arange(FRAMES) / 24 + start) % 1.0
        slid = np.clip(phase, first, last) - first
        back = np.clip((phase - 0.6) / 0.4, 0.0, 1.0) * (last - first)
        points[:, foot, 0] += 0.12 * 24 * SPEED * (slid - back)
    found = judge_footwork(points, root, heading)
    assert found.stance == pytest.approx((0.6, 0.6), abs=0.05)
    assert np.median(found.slides) == pytest.approx(0.12 * 24 * SPEED * (last - first), rel=0.15)


def test_a_foot_that_still_moves_as_it_lands_and_lifts_does_not_slide():
    points, root, heading = body(0.6)
    for foot, start in ((2, 0.0), (3, 0.5)):
        phase = (np.arange(FRAMES) / 24 + start) % 1.0
        points[:, foot, 0] -= 0.1 * SPEED * ((phase < 0.5 / 24) - 1.0 * ((phase > 13.5 / 24) & (phase < 14.5 / 24)))
    found = judge_footwork(points, root, heading)
    assert found.stance == pytest.approx((0.6, 0.6), abs=0.05)
    assert np.median(found.slides) < 1e-9


def test_a_body_without_feet_is_not_judged():
    points, root, heading = body(0.5)
    assert judge_footwork(points[:, :2], root, heading) is None
    assert judge_footwork(points[:, :3], root, heading) is None


def test_each_of_four_feet_is_judged_by_itself():
    """Two feet on one side, of which one stands after the other, are on the ground for longer than each of them."""
    points, root, heading = body(0.5)
    behind = body(0.5)[0][:, 2:] - root[:, None]
    behind = np.roll(behind, 12, axis=0) + root[:, None] - [1.5, 0.0, 0.0]
    points = np.concatenate([points, behind], axis=1)
    foot_of = np.array([-1, -1, 0, 1, 2, 3])
    found = judge_footwork(points, root, heading, foot_of=foot_of)
    assert found.stance == pytest.approx((0.5, 0.5), abs=0.06)
    assert found.swing == pytest.approx(judge_footwork(points[:, :4], root, heading).swing, rel=0.1)
    assert judge_footwork(points, root, heading).stance[0] > 0.9


def test_feet_that_are_both_beside_the_root_are_left_and_right():
    points, root, heading = body(0.6)
    found = judge_footwork(points + np.array([0.0, 0.5, 0.0]), root, heading, foot_of=np.array([-1, -1, 0, 1]))
    assert found.stance == pytest.approx((0.6, 0.6), abs=0.05)
