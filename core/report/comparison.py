# SPDX-License-Identifier: GPL-3.0-or-later
"""Two runs of the same people compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..array_types import Bool, Int64
from ..scene import Crowd
from ..trajectories import Trajectories
from .nearest_others import find_elbow_room, find_variants
from .report_settings import VISIBLE_CHANGE, VisibleChange


@dataclass(frozen=True)
class RunChanges:
    """Differences of the later of two runs.

    Attributes:
        people: how many are in both runs.
        moved: how many of these visibly move differently in frames that both runs have.
        frame: the first in which somebody does; None where nobody does.
        hardly: an earlier frame, from which on somebody moves differently by less than is visible; None without one.
        came, went: how many are in the later run only, and in the earlier one only.
        new_frames: the first and the last of those at the end that only the later run has; None where there are none.
        walks_on: only the last moments of the earlier run differ, since people walk on after them.
    """

    people: int
    moved: int
    frame: int | None
    hardly: int | None
    came: int
    went: int
    new_frames: tuple[int, int] | None
    walks_on: bool = False

    def __str__(self) -> str:
        others = "the others" if self.came or self.went else "everybody"
        said = [
            f"{number} {'is' if number == 1 else 'are'} {what}"
            for number, what in ((self.came, "new"), (self.went, "gone"))
            if number
        ]
        if self.people and self.moved and self.walks_on and self.new_frames is not None:
            said.append(f"{self.moved} of {self.people} walk on after frame {self.new_frames[0] - 1}")
        elif self.people and self.moved:
            of = f"of the other {self.people}" if said else f"of {self.people}"
            hardly = "" if self.hardly is None else f" (less than 1 mm from frame {self.hardly})"
            said.append(f"{self.moved} {of} move differently, from frame {self.frame}{hardly}")
        elif self.people:
            within = "" if self.hardly is None else f" (less than 1 mm apart from frame {self.hardly})"
            said.append(f"{others} move{'' if said else 's'} as before{within}")
        if self.new_frames is not None:
            first, last = self.new_frames
            said.append(f"frame {first} is new" if first == last else f"frames {first}-{last} are new")
        return ", ".join(said)


def compare_runs(
    before: Trajectories,
    after: Trajectories,
    *,
    crowds: tuple[Sequence[Crowd], Sequence[Crowd]],
    left_out: Callable[[str, int], bool] = lambda _identity, _number: False,
    visible: VisibleChange = VISIBLE_CHANGE,
) -> RunChanges:
    """Return how many are new, gone, or move differently in two runs.

    Args:
        before: one run.
        after: another.
        crowds: of the one and of the other, matched by their identities, not their names.
        left_out: tells by the identity of the crowd and the number in it who is not counted.
        visible: how large a change must be to count.
    """
    earlier, later = (_people(run, own, left_out) for run, own in zip((before, after), crowds, strict=True))
    both = [person for person in later if person in earlier]
    rows = tuple(np.array([run[person] for person in both], dtype=np.int64) for run in (earlier, later))
    came, went = len(later) - len(both), len(earlier) - len(both)
    if before.frames[0] != after.frames[0] or before.fps != after.fps:
        return RunChanges(len(both), len(both), int(after.frames[0]), None, came, went, None)
    frames = min(len(before.frames), len(after.frames))
    is_longer = len(after.frames) > frames
    differs = exactly = _differs(before, after, frames, *rows)
    if exactly.any():
        differs = _differs(before, after, frames, *rows, visible=visible)
    when, any_bit = (np.flatnonzero(each.any(axis=1)) for each in (differs, exactly))
    hardly = len(any_bit) > 0 and (not len(when) or any_bit[0] < when[0])
    return RunChanges(
        people=len(both),
        moved=int(differs.any(axis=0).sum()),
        frame=int(after.frames[when[0]]) if len(when) else None,
        hardly=int(after.frames[any_bit[0]]) if hardly else None,
        came=came,
        went=went,
        new_frames=(int(after.frames[frames]), int(after.frames[-1])) if is_longer else None,
        walks_on=is_longer and len(when) > 0 and int(when[0]) >= frames - visible.last_moments * after.fps,
    )


def moved_alike(before: Trajectories, after: Trajectories, who: Sequence[int]) -> Bool:
    """Return bool (W,), which agents and their groups move and do the same in all frames of two runs.

    None does where crowds or frames differ.

    Args:
        before: one run.
        after: another.
        who: W array indices.
    """
    if not _are_the_same(before, after) or before.fps != after.fps or not np.array_equal(before.frames, after.frames):
        return np.zeros(len(who), dtype=bool)
    everybody = np.arange(len(after.radius))
    alike = np.asarray(~_differs(before, after, len(after.frames), everybody, everybody).any(axis=0))
    if before.activity_names or after.activity_names:
        for name in ("activity", "gaze", "seat_height"):
            one, other = getattr(before, name), getattr(after, name)
            same = (one == other) | ((one != one) & (other != other))  # noqa: PLR0124 - nowhere is the same in both
            alike &= same.reshape(*same.shape[:2], -1).all(axis=(0, 2)) & (
                before.activity_names == after.activity_names
            )
    before_room, after_room = find_elbow_room(before), find_elbow_room(after)
    alike &= (before_room == after_room).all(axis=0)  # who stands holds the arms as there is room
    alike &= (find_variants(before, before_room) == find_variants(after, after_room)).all(axis=0)
    grouped = np.flatnonzero(after.group >= 0)
    changed = np.unique(after.group[grouped[~alike[grouped]]])  # people look at their companions
    alike &= ~np.isin(after.group, changed) | (after.group < 0)
    return np.asarray(alike[np.array(who, dtype=np.int64)])


def _are_the_same(before: Trajectories, after: Trajectories) -> bool:
    """Whether two runs have the same crowds of as many people."""
    return before.crowd_names == after.crowd_names and np.array_equal(before.crowd, after.crowd)


def _people(
    run: Trajectories, crowds: Sequence[Crowd], left_out: Callable[[str, int], bool]
) -> dict[tuple[str, int], int]:
    """Return the array index of each present agent, by the identity of the crowd and the number in it."""
    return {
        (crowd.identity, number): row
        for place, crowd in enumerate(crowds)
        for number, row in enumerate(np.flatnonzero(run.crowd == place).tolist())
        if number not in crowd.absent and not left_out(crowd.identity, number)
    }


def _differs(
    before: Trajectories,
    after: Trajectories,
    frames: int,
    rows: Int64,
    others: Int64,
    *,
    visible: VisibleChange | None = None,
) -> Bool:
    """Return bool (F, R), in which of the first frames each agent differs between two runs.

    Args:
        before: one run.
        after: another.
        frames: number of frames that are compared.
        rows: int64 (R,), agents of the one.
        others: int64 (R,), the same agents in the other.
        visible: changes smaller than this do not count; None: every bit counts.
    """
    differs = np.zeros((frames, len(rows)), dtype=bool)
    least_change = {} if visible is None else {"position": visible.distance, "heading": visible.turn}
    for name in ("position", "heading", "present"):
        one, other = getattr(before, name)[:frames, rows], getattr(after, name)[:frames, others]
        same = (one == other) | ((one != one) & (other != other))  # noqa: PLR0124 - what is not a number is so in both
        if name in least_change:
            apart, least = np.abs(one - other), least_change[name]
            same |= np.minimum(apart, np.abs(2.0 * np.pi - apart)) < least if name == "heading" else apart < least
        differs |= ~same.reshape(*differs.shape, -1).all(axis=2) if same.size else False
    return differs
