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

from ...scene import Scene
from ..pedestrians.pedestrians import Pedestrians
from ..recording import Recording
from ..vehicles.traffic import Traffic
from ..world.environment import Surroundings
from ..world.ground_journal import Shown
from ..world.shared_map import GroundMap
from .scene_difference import SceneChanges, compare_scenes
from .state_equality import sets_out_alike

EVERY = 4
"""So many frames lie between two states that are kept, at first."""

MOST_BYTES = 256 * 2**20
"""When the states need more memory, every other one is dropped, and they are kept half as often."""

_OTHER_GRID = "the extent of the scene or the number of obstacles changed, which changes the last bits of all distances"
_OTHERWISE = "a start position or a route changed"
_AT_ONCE = "the change affects the first frame"

_SCENE, _SURROUNDINGS = object(), object()  # stand for what is another when a state is taken up


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """The state after `made` frames: people and vehicles, apart from scene and surroundings; `size` in bytes."""

    made: int
    state: tuple[Pedestrians, Traffic | None]
    size: int


class Checkpoints:
    """States of one simulation, the earliest first."""

    def __init__(self, kept: Sequence[Checkpoint] = ()) -> None:
        self._kept = list(kept)
        self._every = EVERY

    def keep(
        self, made: int, state: tuple[Pedestrians, Traffic | None], scene: Scene, around: Surroundings, *, last: bool
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

    @property
    def first(self) -> Checkpoint:
        """The state after the first frame."""
        return self._kept[0]

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
    walkers: Pedestrians
    traffic: Traffic | None
    made: int
    earlier: list[Checkpoint]
    why_anew: str = ""


def take_up(
    past: Past, scene: Scene, ground_map: GroundMap | None, start: Callable[[Surroundings], Pedestrians]
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
    notes, found = past.around.notes, None
    assert notes is not None
    changes = compare_scenes(past.scene, scene, notes, past.checkpoints.first.state[1])
    if isinstance(changes, str):
        return changes
    around = Surroundings(scene, ground_map, notes.copy())
    around.paths = past.around.paths
    if past.around.lattice != around.lattice:
        return _OTHER_GRID
    touched = notes.first_touch(changes.field)
    if not (changes.curves or changes.names) and touched != 0:
        found = _go_on(past, scene, around, _frames_in_common(past, scene, around, touched))
    return _begin_anew(past, scene, ground_map, changes, start) if found is None else found


def _frames_in_common(past: Past, scene: Scene, around: Surroundings, touched: int | None, *, first: int = 0) -> int:
    """Return how many frames are the same as far as that hangs on the ground, and on what the map is asked.

    Args:
        past: the other simulation.
        scene: what is to be simulated.
        around: its surroundings, with the notes of the other one; its map is asked again what was asked there.
        touched: the first frame for which anything that was changed was looked at; None for none.
        first: frames before this are known to be the same.
    """
    assert around.notes is not None
    most = min(len(range(scene.frames[0], scene.frames[1] + 1)), past.recording.made)
    return around.relive(around.notes.maps, first, most if touched is None else min(most, touched))


def _begin_anew(
    past: Past,
    scene: Scene,
    ground_map: GroundMap | None,
    changes: SceneChanges,
    start: Callable[[Surroundings], Pedestrians],
) -> Beginning:
    """Let people set out anew, and where they do so as before go on from the last state that is still the same."""
    assert past.around.notes is not None
    around = Surroundings(scene, ground_map, past.around.notes.blank())
    with around.paths.recalling(past.around.paths):
        walkers, before = start(around), past.checkpoints.first.state[0]
    begun = Beginning(around, walkers, None, 0, [])
    if not sets_out_alike(before, walkers, {id(_SCENE): scene, id(_SURROUNDINGS): around}):
        return replace(begun, why_anew=_OTHERWISE)
    assert around.notes is not None
    if around.notes.lattice_at_first != past.around.notes.lattice_at_first:
        # the map is built of other cells: what was asked of it may be answered otherwise anywhere
        return replace(begun, why_anew=_OTHER_GRID)
    around.notes.follow(past.around.notes)
    common = _frames_in_common(past, scene, around, around.notes.next_touch(changes.field), first=1)
    found = _go_on(past, scene, around, common)
    if found is not None and found.made > 1:
        return found
    around.forget_from(1)
    _lead_the_map(around, 1)
    return replace(begun, why_anew=_AT_ONCE)


def _go_on(past: Past, scene: Scene, around: Surroundings, common: int) -> Beginning | None:
    """Go on from the last state after so many frames at most; None where there is none.

    Args:
        past: the other simulation.
        scene: what is to be simulated.
        around: its surroundings, with the notes of the other one.
        common: so many frames are the same.
    """
    fit = past.checkpoints.up_to(common)
    if not fit:
        return None
    last = fit[-1]
    around.forget_from(last.made)
    _lead_the_map(around, last.made)
    (walkers, traffic), _ = _copied(last.state, {id(_SCENE): scene, id(_SURROUNDINGS): around})
    return Beginning(around, walkers, traffic, last.made, fit)


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
