# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands that go behind the back go round the hips: which arms swing aside, and when."""

import numpy as np
import pytest

from core.motion.acting.cue_planning import Actor, plan_cues
from core.motion.acting.cues import ACTING
from core.motion.acting.elbow_room import step_of
from core.motion.acting.round_hips import swing_round_hips

NAMES, FPS = ("none", "stand", "listen"), 24.0
BEHIND = {"stand_2": "LR", "listen_1": "R"}
SECONDS = {"stand_1": 10.0, "stand_2": 10.0, "listen_1": 8.0, "listen_2": 8.0}


def planned(told, variants, behind=BEHIND):
    """Cues of somebody who does what is told for so many frames each, each time in one of the variants."""
    activity = np.repeat([NAMES.index(name) for name, _ in told], [count for _, count in told]).astype(np.int8)
    shown = np.repeat(variants, [count for _, count in told])[:: step_of(FPS)].astype(np.int16)
    person = Actor(FPS, SECONDS, 0.3, variants=shown, behind=behind)
    return plan_cues(activity, NAMES, activity > 0, np.ones(len(activity), dtype=bool), person)


@pytest.mark.parametrize("stands", [80, 200])
def test_arms_swing_aside_on_the_way_behind_the_back_and_from_there(stands):
    """Hands went straight through the hips, in half a second."""
    (cue,) = planned([("none", 30), ("stand", stands), ("none", 40)], [1, 1, 1])
    assert cue.act == "stand_2"
    assert cue.most == 1.0  # a hand does not stay half the way, in the hip
    there, back = swing_round_hips([cue], BEHIND)
    assert {there.act, back.act} == {"arms_aside_LR"}
    assert (there.first, there.last) == (cue.first, cue.first + cue.fade_in)
    assert (back.first, back.last) == (cue.last - cue.fade_out, cue.last)
    for swing in (there, back):
        assert swing.weight[[0, -1]].tolist() == [0.0, 0.0]
        middle = len(swing.weight) // 2
        assert swing.weight[middle - 1 : middle + 1].max() == pytest.approx(ACTING.aside)
    if stands == 200:
        assert cue.fade_in >= ACTING.fade_behind * FPS


def test_only_the_arm_swings_whose_hand_goes_behind_the_back_or_comes_from_there():
    cues = planned([("stand", 200), ("listen", 200), ("stand", 200)], [1, 0, 0])
    assert [cue.act for cue in cues] == ["stand_2", "listen_1", "stand_1"]
    one, other = swing_round_hips(cues, BEHIND)
    assert (one.act, other.act) == ("arms_aside_L", "arms_aside_R")
    assert (one.first, one.last) == (cues[1].first, cues[0].last)
    assert (other.first, other.last) == (cues[2].first, cues[1].last)


def test_nobody_else_swings_their_arms():
    cues = planned([("none", 30), ("stand", 200), ("listen", 200)], [0, 0, 1])
    assert swing_round_hips(cues, BEHIND) == ()
    plain = planned([("none", 30), ("stand", 200), ("none", 30)], [1, 1, 1], behind={})  # it is a clip of the user's
    assert plain[0].fade_in == round(ACTING.fade * FPS)
    assert swing_round_hips(plain, {}) == ()
