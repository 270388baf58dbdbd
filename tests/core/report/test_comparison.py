# SPDX-License-Identifier: GPL-3.0-or-later
"""Two runs of the same people are told apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core import Scene, Trajectories, simulate
from core.report.comparison import RunChanges, compare_runs, moved_alike
from core.scene import Agent, Crowd

RUN = simulate(
    Scene(
        frames=(3, 12),
        crowds=(Crowd("Two", count=2, agents=(Agent((0.0, 0.0), (5.0, 0.0)), Agent((0.0, 3.0), (5.0, 3.0)))),),
    ),
    backend="numpy",
)


TWO, A, B = (Crowd(name, count=count) for name, count in (("Two", 2), ("A", 1), ("B", 1)))
ALONE = ((TWO,), (TWO,))
ARRAYS = ("position", "heading", "velocity", "present")


def members(crowd: list[int], rows: list[int], run: Trajectories = RUN) -> Trajectories:
    """Some of a run, in other crowds."""
    return replace(run, crowd=np.array(crowd), **{name: getattr(run, name)[:, rows] for name in ARRAYS})


def test_the_same_run_has_no_first_frame() -> None:
    found = compare_runs(RUN, replace(RUN, position=RUN.position.copy()), crowds=ALONE)
    assert found == RunChanges(people=2, moved=0, frame=None, hardly=None, came=0, went=0, new_frames=None)
    assert str(found) == "everybody moves as before"


def test_who_moves_otherwise_is_counted_from_the_first_frame_on() -> None:
    position = RUN.position.copy()
    position[4:, 1, 0] += 2e-3
    found = compare_runs(RUN, replace(RUN, position=position), crowds=ALONE)
    assert str(found) == "1 of 2 move differently, from frame 7"


def test_what_nobody_sees_is_told_apart() -> None:
    position = RUN.position.copy()
    position[2:, 1, 0] += 1e-12
    found = compare_runs(RUN, replace(RUN, position=position), crowds=ALONE)
    assert str(found) == "everybody moves as before (less than 1 mm apart from frame 5)"
    position[4:, 0, 1] -= 2e-3
    found = compare_runs(RUN, replace(RUN, position=position), crowds=ALONE)
    assert str(found) == "1 of 2 move differently, from frame 7 (less than 1 mm from frame 5)"


def test_who_looks_elsewhere_moves_otherwise() -> None:
    once_round = replace(RUN, heading=RUN.heading + 2.0 * np.pi)
    assert compare_runs(RUN, once_round, crowds=ALONE).moved == 0
    assert compare_runs(RUN, replace(RUN, heading=RUN.heading + 0.1), crowds=ALONE).moved == 2


def test_frames_that_only_one_run_has_are_told_apart_from_changes() -> None:
    short = replace(RUN, **{name: getattr(RUN, name)[:6] for name in ("frames", *ARRAYS)})
    assert str(compare_runs(short, RUN, crowds=ALONE)) == "everybody moves as before, frames 9-12 are new"
    assert str(compare_runs(RUN, short, crowds=ALONE)) == "everybody moves as before"
    ends = short.position.copy()
    ends[-1, 0, 0] += 0.1
    ended = replace(short, position=ends)
    assert str(compare_runs(ended, RUN, crowds=ALONE)) == "1 of 2 walk on after frame 8, frames 9-12 are new"


def test_a_crowd_that_is_called_otherwise_is_the_same_people() -> None:
    assert str(compare_runs(RUN, replace(RUN, crowd_names=("Three",)), crowds=ALONE)) == ("everybody moves as before")
    assert str(compare_runs(RUN, RUN, crowds=((TWO,), (Crowd("Three", count=2),)))) == "2 are new, 2 are gone"


def test_of_a_crowd_that_grows_or_shrinks_the_others_are_compared() -> None:
    one = members([0], [0])
    assert str(compare_runs(RUN, one, crowds=ALONE)) == "1 is gone, the others move as before"
    assert str(compare_runs(one, RUN, crowds=ALONE)) == "1 is new, the others move as before"
    other = replace(one, position=one.position + 0.1)
    assert str(compare_runs(other, RUN, crowds=ALONE)) == "1 is new, 1 of the other 1 move differently, from frame 3"


def test_crowds_in_another_order_are_the_same_people() -> None:
    before, after = members([0, 1], [0, 1]), members([0, 1], [1, 0])
    assert str(compare_runs(before, after, crowds=((A, B), (B, A)))) == "everybody moves as before"


def test_another_frame_rate_is_another_motion() -> None:
    assert str(compare_runs(RUN, replace(RUN, fps=30.0), crowds=ALONE)) == "2 of 2 move differently, from frame 3"


def test_who_does_not_come_any_more_is_gone_unless_nobody_is_to_speak_of_it() -> None:
    fewer = (TWO,), (replace(TWO, absent=(1,)),)
    present = RUN.present.copy()
    present[:, 1] = False
    without = replace(RUN, present=present)
    assert str(compare_runs(RUN, without, crowds=fewer)) == "1 is gone, the others move as before"
    pinned = {("Two", 1)}
    told = compare_runs(RUN, without, crowds=fewer, left_out=lambda *person: person in pinned)
    assert str(told) == "everybody moves as before"


def test_a_crowd_is_known_by_its_identity() -> None:
    renamed = replace(TWO, name="Three", known_as="Two")
    assert str(compare_runs(RUN, RUN, crowds=((TWO,), (renamed,)))) == "everybody moves as before"


def test_who_of_some_does_each_bit_the_same() -> None:
    position = RUN.position.copy()
    position[2, 1, 0] += 1e-12
    other = replace(RUN, position=position)
    assert moved_alike(RUN, other, [0, 1]).tolist() == [True, False]
    assert moved_alike(RUN, other, [1]).tolist() == [False]
    assert moved_alike(RUN, RUN, [1, 0]).tolist() == [True, True]
    assert moved_alike(RUN, RUN, []).tolist() == []


def test_nobody_does_the_same_at_another_frame_rate_or_in_another_crowd() -> None:
    for other in (replace(RUN, fps=25.0), replace(RUN, frames=RUN.frames + 1), members([0, 1], [0, 1])):
        assert not moved_alike(RUN, other, [0, 1]).any()


def test_who_does_or_looks_at_something_else_is_not_alike() -> None:
    names = ("none", "stand", "talk")
    activity, gaze = np.zeros((10, 2), dtype=np.int8), np.full((10, 2, 3), np.nan, dtype=np.float32)
    before = replace(RUN, activity=activity, gaze=gaze, activity_names=names)
    assert moved_alike(before, replace(before, gaze=gaze.copy()), [0, 1]).all()
    activity, gaze = activity.copy(), gaze.copy()
    activity[5, 1], gaze[2, 0] = 2, 1.0
    assert moved_alike(before, replace(before, activity=activity), [0, 1]).tolist() == [True, False]
    assert moved_alike(before, replace(before, gaze=gaze), [0, 1]).tolist() == [False, True]


def test_whose_companion_moves_otherwise_is_not_alike() -> None:
    position = RUN.position.copy()
    position[4:, 1, 0] += 0.1
    together = np.zeros(2, dtype=np.int64)
    one, other = (replace(run, group=together) for run in (RUN, replace(RUN, position=position)))
    assert moved_alike(one, other, [0, 1]).tolist() == [False, False]
    assert moved_alike(one, one, [0, 1]).all()


def test_who_stands_is_not_alike_where_somebody_comes_near() -> None:
    """How arms are held depends on the room there is."""
    velocity, position = RUN.velocity.copy(), RUN.position.copy()
    velocity[:, 0], position[:, 0] = 0.0, position[0, 0]
    before = replace(RUN, velocity=velocity, position=position)
    near = position.copy()
    near[:, 1, :2] = position[:, 0, :2] + (0.0, 0.7)
    assert moved_alike(before, replace(before, position=near), [0, 1]).tolist() == [False, False]
    assert moved_alike(before, before, [0, 1]).all()
