# SPDX-License-Identifier: GPL-3.0-or-later
"""What an overlay is shown: the scene as read, everybody at the current frame as baked, and who is selected."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from ....core.inspection.replay import Replay
from ...bakes.copies import copy_message, original_of
from ...baking.baked_motion import Walked, read_walked
from ...reading import Reading
from ...runtime import freshness
from ...settings.overlays import options_of
from ...settings.scene_settings import has_bake, settings_of
from .overlay import BakedPeople, Need, View


@dataclass(frozen=True, eq=False)
class _Record:
    """A bake read back, kept until another bake or another file."""

    fingerprint: str
    crowds: tuple[tuple[str, str], ...]
    walked: Walked
    replay: Replay


_records: dict[int, _Record] = {}


def forget(scene: bpy.types.Scene | None = None) -> None:
    """Read bakes back anew when they are next asked for: of one scene, or of all."""
    if scene is None:
        _records.clear()
    else:
        _records.pop(scene.session_uid, None)


def look(scene: bpy.types.Scene, active: bpy.types.Object | None, needs: Need) -> View | str:
    """What an overlay is shown, or a sentence that says what is missing.

    Args:
        scene: the scene.
        active: its active object.
        needs: what is asked for.

    Raises:
        FootfallError: the scene that was baked cannot be set up again.
    """
    reading = freshness.latest_reading(scene)
    if needs is Need.SCENE:
        return View(scene.frame_current, reading, None) if reading else _why_unread(scene)
    if not has_bake(scene):
        return "Nothing is baked yet: press Bake"
    baked = freshness.baked_reading(scene)
    if baked is None:
        return "The bake is out of date: press Re-bake" if reading else _why_unread(scene)
    record = _record(scene, baked)
    options = settings_of(scene).overlays
    seen, walked, moment = _seen(scene, active), record.walked, record.replay.moment(scene.frame_current)
    selected = None if original_of(scene, seen) else walked.agent_of(seen, options.person)
    people = BakedPeople(baked, record.replay, moment, selected, walked.titles, walked.known_as)
    if needs is Need.SELECTED:
        if people.selected is None:
            return _why_nobody(scene, seen)
        if not people.moment.present[people.selected]:
            return _when_there(people)
    return View(scene.frame_current, reading or baked, people, options_of(options))


def _why_nobody(scene: bpy.types.Scene, active: bpy.types.Object | None) -> str:
    original = original_of(scene, active)
    if active is not None and original is not None:
        return copy_message(active, original)
    return "Select a baked character"


def _when_there(people: BakedPeople) -> str:
    """Say at which frames somebody is there who is not there now."""
    assert people.selected is not None
    name, scene = people.titles[people.selected], people.replay.scene
    rows = np.flatnonzero(np.isfinite(people.replay.position[:, people.selected, 0]))
    if not len(rows):
        return f"'{name}' is not present at any frame from {scene.frames[0]} to {scene.frames[1]}"
    first, last = (int(row) + scene.frames[0] for row in (rows[0], rows[-1]))
    return f"'{name}' is not present at frame {people.moment.frame}, only from frame {first} to {last}"


def _seen(scene: bpy.types.Scene, active: bpy.types.Object | None) -> bpy.types.Object | None:
    return active if active is not None and active.name in scene.objects else None


def _record(scene: bpy.types.Scene, reading: Reading) -> _Record:
    """The bake read back, once."""
    crowds = tuple((crowd.uid, crowd.baked) for crowd in settings_of(scene).crowds)
    known = _records.get(scene.session_uid)
    if known is None or (known.fingerprint, known.crowds) != (reading.fingerprint, crowds):
        walked = read_walked(scene, reading)
        known = _Record(reading.fingerprint, crowds, walked, Replay(reading.scene, walked.position))
        _records[scene.session_uid] = known
    return known


def _why_unread(scene: bpy.types.Scene) -> str:
    if freshness.is_slow(scene):
        return "The scene has not been read: press Read Scene Again"
    return "Reading the scene"
