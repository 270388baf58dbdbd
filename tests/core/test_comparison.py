# SPDX-License-Identifier: GPL-3.0-or-later
"""Two runs of the same people are told apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core import Scene, simulate
from core.comparison import moved_otherwise
from core.scene import Agent, Crowd

RUN = simulate(
    Scene(
        frames=(3, 12),
        crowds=(Crowd("Two", count=2, agents=(Agent((0.0, 0.0), (5.0, 0.0)), Agent((0.0, 3.0), (5.0, 3.0)))),),
    ),
    backend="numpy",
)


def test_the_same_run_has_no_first_frame() -> None:
    assert moved_otherwise(RUN, replace(RUN, position=RUN.position.copy())) == (0, None)


def test_who_moves_otherwise_is_counted_from_the_first_frame_on() -> None:
    position = RUN.position.copy()
    position[4:, 1, 0] += 1e-12
    assert moved_otherwise(RUN, replace(RUN, position=position)) == (1, 7)


def test_frames_that_only_one_run_has_are_others() -> None:
    names = ("frames", "position", "heading", "velocity", "present")
    short = replace(RUN, **{name: getattr(RUN, name)[:6] for name in names})
    assert moved_otherwise(short, RUN) == (2, 9)


def test_other_crowds_are_not_compared() -> None:
    assert moved_otherwise(RUN, replace(RUN, crowd_names=("Three",))) is None
    assert moved_otherwise(RUN, replace(RUN, crowd=np.array([0]))) is None
