# SPDX-License-Identifier: GPL-3.0-or-later
"""Continue an earlier run in a scene that was changed a little.

Soundness comes first: only those frames are reused of which it is known that nothing in them can differ. Whatever is
not compared here counts as different from the first frame on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ...scene import Scene
from ..pedestrians.pedestrians import Pedestrians
from ..vehicles.traffic import Traffic
from ..world.environment import Environment
from ..world.ground_journal import GroundJournal, Shown
from .checkpoints import Checkpoint, Past, replacements
from .map_replay import first_changed_answer, show_states
from .scene_difference import SceneChanges, compare_scenes
from .state_equality import starts_alike

Reason = str
"""Why no frame is reused, in words for the user."""

_OTHER_GRID = "the extent of the scene or the number of obstacles changed, which changes the last bits of all distances"
_OTHER_START = "somebody starts elsewhere or takes another route"
_FIRST_FRAME = "the change affects the first frame"


@dataclass(frozen=True, eq=False)
class Resumed:
    """Where a run continues.

    Attributes:
        environment: of the changed scene.
        pedestrians: people after `made` frames; at their start positions where that is 0.
        traffic: vehicles; None where there are none, and where `made` is 0.
        made: number of frames reused.
        earlier: the checkpoints of these frames.
        why_anew: why none is reused.
        is_same_ground: no obstacle and no wall differs.
    """

    environment: Environment
    pedestrians: Pedestrians
    traffic: Traffic | None
    made: int
    earlier: list[Checkpoint]
    why_anew: Reason = ""
    is_same_ground: bool = False


def resume(
    past: Past,
    scene: Scene,
    surround: Callable[[GroundJournal], Environment],
    start: Callable[[Environment], Pedestrians],
) -> Resumed | Reason:
    """Return the last state of an earlier run that is also one of this scene.

    Args:
        past: the earlier run; it is not changed.
        scene: what is to be simulated.
        surround: makes the environment of the scene, with a journal.
        start: places the people of the scene in its environment, at its first frame.

    Returns:
        That state, or the first one if it had to be made for the comparison; the reason where nothing is known.
    """
    journal, found = _journal_of(past.environment), None
    changes = compare_scenes(past.scene, scene, past.environment, past.checkpoints.first.state[1])
    if isinstance(changes, str):
        return changes
    environment = surround(journal.copy())
    environment.paths = past.environment.paths
    if past.environment.ground.lattice != environment.ground.lattice:
        return _OTHER_GRID
    touched = journal.first_touched(changes.field)
    if not (changes.curves or changes.names) and touched != 0:
        found = _continued(past, changes, environment, _common_frames(past, changes, environment, touched))
    return _started_again(past, changes, surround(journal.blank()), start) if found is None else found


def _common_frames(
    past: Past, changes: SceneChanges, environment: Environment, touched: int | None, *, first: int = 0
) -> int:
    """Return the number of frames in which all queries of ground and map have the same answers.

    Args:
        past: the earlier run.
        changes: what differs in the scene that is to be simulated.
        environment: of this scene, with the journal of the earlier run; its map is asked the same questions again.
        touched: the first frame of which a query touches a changed obstacle; None for none.
        first: frames before this one are known to be the same.
    """
    most = min(changes.frames, past.recording.made)
    until = most if touched is None else min(most, touched)
    if changes.field.empty:
        return until
    return first_changed_answer(environment.ground, _journal_of(environment).map_events, first, until)


def _started_again(
    past: Past, changes: SceneChanges, environment: Environment, start: Callable[[Environment], Pedestrians]
) -> Resumed:
    """Place people again, and where they start as before continue from the last state that is still the same."""
    before, journal = _journal_of(past.environment), _journal_of(environment)
    with environment.paths.recalling(past.environment.paths):
        pedestrians = start(environment)
    begun = Resumed(environment, pedestrians, None, 0, [])
    if not starts_alike(past.checkpoints.first.state[0], pedestrians, replacements(environment)):
        return replace(begun, why_anew=_OTHER_START)
    if journal.lattice_at_first != before.lattice_at_first:
        # the map is built of other cells: any answer may differ
        return replace(begun, why_anew=_OTHER_GRID)
    journal.append_later(before)
    common = _common_frames(past, changes, environment, journal.first_touched_later(changes.field), first=1)
    found = _continued(past, changes, environment, common)
    if found is not None and found.made > 1:
        return found
    _rewind(environment, 1)
    return replace(begun, why_anew=_FIRST_FRAME)


def _continued(past: Past, changes: SceneChanges, environment: Environment, common: int) -> Resumed | None:
    """Continue from the last checkpoint after so many frames at most; None where there is none.

    Args:
        past: the earlier run.
        changes: what differs in the scene that is to be simulated.
        environment: of the scene that is to be simulated, with the journal of the earlier run.
        common: number of frames that are the same.
    """
    earlier = past.checkpoints.up_to(common)
    if not earlier:
        return None
    last = earlier[-1]
    _rewind(environment, last.made)
    pedestrians, traffic = last.restored(environment)
    return Resumed(environment, pedestrians, traffic, last.made, earlier, is_same_ground=changes.field.empty)


def _rewind(environment: Environment, frame: int) -> None:
    """Drop what was noted in a frame and later, and let the map show again what it showed before it."""
    journal = _journal_of(environment)
    journal.forget_from(frame)
    show_states(environment.ground, [event.resting for event in journal.map_events if isinstance(event, Shown)])


def _journal_of(environment: Environment) -> GroundJournal:
    assert environment.journal is not None, "only a run that remembers can be resumed"
    return environment.journal
