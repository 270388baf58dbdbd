# SPDX-License-Identifier: GPL-3.0-or-later
"""Who stands and turns is said to turn; who walks, does something else or hardly turns is not."""

import numpy as np

from core.motion.acting.turning import TURN, add_turns

FPS = 24.0
NAMES = ("none", "stand", "talk")


def test_only_those_who_stand_and_turn_turn():
    heading = np.concatenate([np.zeros(48), np.linspace(0.0, 1.6, 25)[1:], np.full(48, 1.6)])
    still = np.ones(len(heading), dtype=bool)
    told, names = add_turns(np.zeros(len(heading), dtype=np.int8), (), still, heading, FPS)
    assert names[told[60]] == TURN
    assert {names[each] for each in [*told[:40], *told[80:]]} == {"none"}
    assert 20 <= (told == names.index(TURN)).sum() <= 34
    for activity, stands, way in ((2, still, heading), (0, ~still, heading), (0, still, 0.2 * heading)):
        told, names = add_turns(np.full(len(heading), activity, dtype=np.int8), NAMES, stands, way, FPS)
        assert TURN not in {names[each] for each in told}
