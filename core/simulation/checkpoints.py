# SPDX-License-Identifier: GPL-3.0-or-later
"""States of a simulation to go on from, and where a scene that was changed a little parts from what was simulated.

Soundness comes first: a later simulation takes over only those frames of which it is known that nothing in them can
be another. Whatever is not compared here is taken to differ from the first frame on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..scene import Scene
from .changed_scene import SceneChanges, compare_scenes
from .changed_ways import keeps_its_ways, sets_out_alike, unseen_elsewhere
from .glances import NotSeen
from .ground_map import GroundMap
from .ground_read import Shown
from .recording import Recording
from .surroundings import Surroundings
from .traffic import Traffic
from .walkers import Walkers
from .ways_read import Likeness

EVERY = 4
"""So many frames lie between two states that are kept, at first."""

MOST_BYTES = 256 * 2**20
"""When the states need more memory, every other one is dropped, and they are kept half as often."""

_OTHER_GRID = "what stands reaches farther or less far, or is much more or less, and all distances are others in a bit"
_OTHERWISE = "somebody sets out otherwise"
_AT_ONCE = "somebody looks at what was changed in the first frame already"

_SCENE, _SURROUNDINGS = object(), object()  # stand for what is another when a state is taken up


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """The state after `made` frames: people and vehicles, apart from scene and surroundings; `size` in bytes."""

    made: int
    state: tuple[Walkers, Traffic | None]
    size: int

    def with_unseen(self, unseen: Sequence[NotSeen], first: Walkers) -> Checkpoint:
        """The same, with what people do not see as it lies elsewhere, see `Walkers.with_unseen`."""
        return replace(self, state=(self.state[0].with_unseen(unseen, first), self.state[1]))


class Checkpoints:
    """States of one simulation, the earliest first."""

    def __init__(self, kept: Sequence[Checkpoint] = ()) -> None:
        self._kept = list(kept)
        self._every = EVERY

    def keep(
        self, made: int, state: tuple[Walkers, Traffic | None], scene: Scene, around: Surroundings, *, last: bool
    ) -> None:
        """Keep a state, if its turn has come or it is the last one.

        Args:
            made: how many frames are made.
            state: whose copy is kept.
            scene: whose state it is.
            around: its surroundings.
            last: no frame is left to be made.
        """
        if made != 1 and made % self._every and not last:
            return
        copy, size = _copied(state, {id(scene): _SCENE, id(around): _SURROUNDINGS})
        self._kept.append(Checkpoint(made, copy, size))
        while sum(each.size for each in self._kept) > MOST_BYTES and len(self._kept) > 2:
            self._kept = self._kept[:-1:2] + self._kept[-1:]
            self._every *= 2

    def up_to(self, made: int) -> list[Checkpoint]:
        """Return the states after so many frames at most."""
        return [each for each in self._kept if each.made <= made]


@dataclass(frozen=True, eq=False)
class Past:
    """What is known of a simulation.

    Attributes:
        scene: what was simulated.
        around: what stood and moved there, with the notes of what was looked at.
        recording: all frames that were made.
        checkpoints: states to go on from.
    """

    scene: Scene
    around: Surroundings
    recording: Recording
    checkpoints: Checkpoints


@dataclass(frozen=True, eq=False)
class Beginning:
    """Where a simulation goes on from.

    Attributes:
        around: what stands and moves.
        walkers: people after `made` frames; just begun where there are none.
        traffic: vehicles; None where there are none, and where everything has just begun.
        made: how many frames are taken over.
        earlier: states before.
        why_anew: why none is, in words for the user.
    """

    around: Surroundings
    walkers: Walkers
    traffic: Traffic | None
    made: int
    earlier: list[Checkpoint]
    why_anew: str = ""


def take_up(
    past: Past, scene: Scene, ground_map: GroundMap | None, start: Callable[[Surroundings], Walkers]
) -> Beginning | str:
    """Return the last state of another simulation that is one of this scene, too.

    Args:
        past: the other one; it stays as it is.
        scene: what is to be simulated.
        ground_map: as for `Surroundings`.
        start: places the people of the scene among what stands there, at its first frame.

    Returns:
        The reason where nothing is known of it; otherwise that state, or the first one, if it had to be made to know.
    """
    notes, first, found = past.around.notes, past.checkpoints.up_to(1)[0], None
    assert notes is not None
    changes = compare_scenes(past.scene, scene, notes, first.state[1])
    if isinstance(changes, str):
        return changes
    around = Surroundings(scene, ground_map, notes.copy())
    around.paths = past.around.paths
    if past.around.lattice != around.lattice:
        return _OTHER_GRID
    touched = notes.first_touch(changes.field)
    if not (changes.curves or changes.names) and touched != 0:
        common = _frames_in_common(past, scene, around, changes, touched)
        found = _go_on(past, scene, around, changes, first.state[0], [first], common)
    return _begin_anew(past, scene, ground_map, changes, start) if found is None else found


def _frames_in_common(
    past: Past, scene: Scene, around: Surroundings, changes: SceneChanges, touched: int | None, *, first: int = 0
) -> int:
    """Return how many frames are the same as far as that hangs on the ground, and on what the map is asked.

    Args:
        past: the other simulation.
        scene: what is to be simulated.
        around: its surroundings, with the notes of the other one; its map is led through what was asked there.
        changes: what stands in one of the two only.
        touched: the first frame for which any of that was looked at; None for none.
        first: frames before this are known to be the same.
    """
    notes = around.notes
    assert notes is not None
    most = min(len(range(scene.frames[0], scene.frames[1] + 1)), past.recording.made)
    doubtful = notes.doubtful(changes.on_map, first=first)
    return around.relive(notes.maps, most if touched is None else min(most, touched), doubtful, changes.on_map)


def _begin_anew(
    past: Past,
    scene: Scene,
    ground_map: GroundMap | None,
    changes: SceneChanges,
    start: Callable[[Surroundings], Walkers],
) -> Beginning:
    """Let people set out anew, and go on from the last state before they notice that something is another."""
    assert past.around.notes is not None
    around = Surroundings(scene, ground_map, past.around.notes.blank())
    with around.recalling(past.around, past.around.notes.answers_at_first(changes.on_map)):
        walkers, before = start(around), past.checkpoints.up_to(1)[0]
    begun = Beginning(around, walkers, None, 0, [])
    if not sets_out_alike(before.state[0], walkers, {id(_SCENE): scene, id(_SURROUNDINGS): around}):
        return replace(begun, why_anew=_OTHERWISE)
    (copy, _), size = _copied((walkers, None), {id(scene): _SCENE, id(around): _SURROUNDINGS})
    earlier = [Checkpoint(before.made, (copy, before.state[1]), size)]
    assert around.notes is not None
    if around.notes.lattice_at_first != past.around.notes.lattice_at_first:
        # the map is built of other cells: what was asked of it may be answered otherwise anywhere
        return replace(begun, why_anew=_OTHER_GRID)
    around.notes.follow(past.around.notes)
    touched = around.notes.next_touch(changes.field)
    common = _frames_in_common(past, scene, around, changes, touched, first=1)
    found = _go_on(past, scene, around, changes, walkers, earlier, common)
    if found is not None:
        return found
    around.forget_from(1)
    _lead_the_map(around, 1)
    return replace(begun, why_anew=_AT_ONCE)


def _go_on(
    past: Past,
    scene: Scene,
    around: Surroundings,
    changes: SceneChanges,
    first: Walkers,
    earlier: list[Checkpoint],
    common: int,
) -> Beginning | None:
    """Go on from the last state up to which nothing is another; None where that is none, or the first one anew.

    Args:
        past: the other simulation.
        scene: what is to be simulated.
        around: its surroundings, with the notes of the other one.
        changes: what stands in one of the two only.
        first: people as they set out in the scene.
        earlier: the first state.
        common: so many frames are the same as long as nobody notices that their way is another.
    """
    fit = [*earlier, *(each for each in past.checkpoints.up_to(common) if each.made > earlier[0].made)]
    fit, unseen = _as_long_as_nothing_is_noticed(fit if common else [], first, around, changes)
    if not fit or (fit[-1].made == 1 and first is not earlier[0].state[0]):
        return None  # people at the first frame are there already
    begun = fit[:1] if first is not earlier[0].state[0] else []  # people have just set out there
    fit = [*begun, *(each.with_unseen(unseen, first) for each in fit[len(begun) :])]
    last = fit[-1]
    around.forget_from(last.made)
    _lead_the_map(around, last.made)
    (walkers, traffic), _ = _copied(last.state, {id(_SCENE): scene, id(_SURROUNDINGS): around})
    walkers.take_ways_of(first, unseen)
    return Beginning(around, walkers, traffic, last.made, fit)


def _as_long_as_nothing_is_noticed(
    states: list[Checkpoint], first: Walkers, around: Surroundings, changes: SceneChanges
) -> tuple[list[Checkpoint], list[NotSeen]]:
    """Return the states in which nobody has seen yet that their way is another; and what they have not seen."""
    fit, likeness = list(states), Likeness()
    while fit:
        people = fit[-1].state[0]
        if keeps_its_ways(people, first, likeness):
            unseen, is_all = unseen_elsewhere(people, first, around, changes.lines, likeness)
            if is_all:
                return fit, unseen
            while len(fit) > 1 and fit[-2].state[0].has_not_seen > len(unseen):
                fit.pop()
        fit.pop()
    return [], []


def _lead_the_map(around: Surroundings, until: int) -> None:
    """Let the map show what it had shown before a frame, in that order."""
    assert around.notes is not None
    around.lead([event.resting for event in around.notes.maps if isinstance(event, Shown) and event.frame < until])


def _copied(state: Any, instead: dict[int, object]) -> tuple[Any, int]:
    """Return a deep copy with other objects in the place of some, and how many bytes its arrays have."""
    memo: dict[int, Any] = dict(instead)
    copy = deepcopy(state, memo)
    arrays = [each for key, each in memo.items() if key not in instead and isinstance(each, np.ndarray)]
    return copy, sum(each.nbytes for each in arrays)
