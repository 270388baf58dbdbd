# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults of feet, each made by hand: it is found where it happens, and in nobody else."""

import numpy as np
import pytest

from core.motion.feet.body_motion import BodyMotion
from core.motion.feet.step_faults import CROSSED, HANGING, SCUFFED, SKATING, STATUE, SeenFoot, find_step_faults

FPS, FRAMES, LEG = 24.0, 96, 0.9
KINDS = (CROSSED, SCUFFED, SKATING, HANGING, STATUE)
NOBODY = np.zeros((2, FRAMES), dtype=bool)


def standing(agents=2):
    """People who stand, breathe and shift their weight, and their feet as (motion, left, right)."""
    shape = agents, FRAMES
    there = np.ones(shape, dtype=bool)
    motion = BodyMotion(np.zeros((*shape, 2)), np.full(shape, 0.7), np.zeros(shape), np.zeros(shape), there, FPS)
    hip = np.zeros((*shape, 3))
    hip[..., 1] = 0.02 * np.sin(np.arange(FRAMES) * 2.0 * np.pi / 60.0)
    hip[..., 2] = LEG
    feet = []
    for side in (0.1, -0.1):
        ball = np.zeros((*shape, 2))
        ball[:] = 0.1, side
        feet.append(SeenFoot(ball, np.zeros(shape), hip, np.ones(shape, dtype=bool)))
    return motion, *feet


def amounts(motion, *feet, seated=NOBODY):
    found = find_step_faults(motion, feet, leg=LEG, seated=seated)
    return {kind: found[kind].amount for kind in KINDS}, {kind: found[kind].row for kind in KINDS}


def test_who_stands_and_shifts_the_weight_does_nothing():
    found, _ = amounts(*standing())
    for kind in KINDS:
        assert (found[kind] < 0.2 * (kind == STATUE) + 1e-9).all()


def test_feet_that_cross_are_found_whichever_comes_first():
    motion, left, right = standing()
    right.ball[1, 40, 1] = 0.25
    for feet in ((left, right), (right, left)):
        found, row = amounts(motion, *feet)
        assert found[CROSSED] == pytest.approx([0.0, 0.15])
        assert row[CROSSED][1] == 40


def test_a_free_foot_that_slides_back_before_its_body_has_passed_is_scuffed():
    motion, left, right = standing()
    gait, position = motion.gait.copy(), motion.position.copy()
    gait[0, 30:] = 1.0
    position[0, 30:] = 0.02 * np.arange(FRAMES - 30)[:, None] * (np.cos(0.7), np.sin(0.7))
    motion = BodyMotion(position, motion.heading, motion.phase, gait, motion.present, FPS)
    left.ball[0, 30:, 0] -= 0.02 * np.arange(FRAMES - 30)  # stays where it is
    left.ball[0, 30:36, 0] -= 0.03 * np.arange(6)
    left.ball[0, 36:, 0] -= 0.15
    left.planted[0, 30:] = False
    found, row = amounts(motion, left, right)
    assert found[SCUFFED] == pytest.approx([0.15, 0.0])
    assert row[SCUFFED][0] == 35
    left.height[0, 30:] = 0.2  # far above the ground it swings
    assert amounts(motion, left, right)[0][SCUFFED] == pytest.approx([0.0, 0.0])


def gliding(gait=0.0):
    """Two people who go over the ground for 20 frames while both feet stay under them."""
    motion, left, right = standing()
    position = motion.position.copy()
    position[:, 30:50] = 0.05 * np.arange(20)[:, None] * (np.cos(0.7), np.sin(0.7))
    position[:, 50:] = position[:, 49:50]
    return BodyMotion(position, motion.heading, motion.phase, motion.gait + gait, motion.present, FPS), left, right


def keep_down(foot, agent):
    """Let a foot stay where it is while its body goes on."""
    foot.ball[agent, 30:50, 0] -= 0.05 * np.arange(20)
    foot.ball[agent, 50:, 0] -= 0.95


def test_who_glides_on_both_feet_skates_and_who_keeps_one_down_does_not():
    motion, left, right = gliding()
    keep_down(left, 1)
    right.height[1, 30:50] = 0.03
    found, row = amounts(motion, left, right)
    assert found[SKATING] == pytest.approx([0.95, 0.0])
    assert row[SKATING][0] == 49


def test_a_flat_foot_that_drags_while_the_other_one_steps_or_stands_skates():
    motion, left, right = gliding(gait=1.5)
    keep_down(right, 1)
    right.height[0, 30:50] = 0.1
    assert amounts(motion, left, right)[0][SKATING] == pytest.approx([0.95, 0.95])
    on_toes = left._replace(heel=np.where(np.arange(FRAMES) < 40, 0.0, 0.1) * np.ones((2, 1)))
    assert amounts(motion, on_toes, right)[0][SKATING] == pytest.approx([0.45, 0.45])


def test_who_hovers_over_the_ground_with_both_feet_skates_unless_they_run():
    for gait, hovers in ((0.9, 0.95), (1.5, 0.0)):
        motion, left, right = gliding(gait)
        left.height[:, 30:50] = right.height[:, 30:50] = 0.05
        assert amounts(motion, left, right)[0][SKATING] == pytest.approx([hovers, hovers])


def test_a_foot_that_hangs_over_the_ground_is_found_unless_its_body_sits():
    motion, left, right = standing()
    right.height[:, 20:44] = 0.07
    left.hip[1, :, 2] = 0.4 * LEG  # of both feet
    found, row = amounts(motion, left, right)
    assert found[HANGING] == pytest.approx([1.0, 0.0])
    assert row[HANGING][0] == 43


def test_who_is_known_to_sit_may_cross_the_legs_and_have_feet_in_the_air():
    """As children do on seats that are higher than their knees, whose hips are no lower than standing."""
    motion, left, right = standing()
    left.hip[..., :2] = 0.0
    right.height[:, 20:44] = 0.07
    right.ball[:, 40, 1] = 0.25
    seated = NOBODY.copy()
    seated[1] = True
    found, _ = amounts(motion, left, right, seated=seated)
    for kind in (CROSSED, HANGING, STATUE):
        assert found[kind][0] > 0.1
        assert found[kind][1] == 0.0


def test_a_statue_does_not_move_its_hips():
    motion, left, right = standing()
    left.hip[1, 12:84, 1] = 0.01
    found, _ = amounts(motion, left, right)
    assert found[STATUE][1] == pytest.approx(71 / FPS)
    assert found[STATUE][0] < 0.3


def test_of_other_than_two_legs_nothing_is_said():
    motion, left, _ = standing()
    assert find_step_faults(motion, [left], leg=LEG, seated=NOBODY) == {}
