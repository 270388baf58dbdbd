# SPDX-License-Identifier: GPL-3.0-or-later
"""What an overlay draws from: the scene as read, all people at the current frame as baked, and the selected person."""

from __future__ import annotations

import bpy
import numpy as np

from ...bakes.copies import copy_message, original_of
from ...runtime import bake_records, freshness
from ...settings.overlays import options_of
from ...settings.scene_settings import has_bake, settings_of
from .layers.overlay import BakedPeople, Need, View


def look(scene: bpy.types.Scene, active: bpy.types.Object | None, needs: Need) -> View | str:
    """Return what an overlay draws from, or a sentence that says what is missing.

    Args:
        scene: the scene.
        active: its active object.
        needs: what the overlay needs.

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
    record = bake_records.record_of(scene, baked)
    options = settings_of(scene).overlays
    shown, motion, moment = _shown(scene, active), record.motion, record.replay.moment(scene.frame_current)
    selected = None if original_of(scene, shown) else motion.agent_of(shown, options.person)
    people = BakedPeople(baked, record.replay, moment, selected, motion.titles, motion.known_as)
    if needs is Need.SELECTED:
        if people.selected is None:
            return _why_nobody(scene, shown)
        if not people.moment.present[people.selected]:
            return _when_there(people)
    return View(scene.frame_current, reading or baked, people, options_of(options))


def _why_nobody(scene: bpy.types.Scene, active: bpy.types.Object | None) -> str:
    original = original_of(scene, active)
    if active is not None and original is not None:
        return copy_message(active, original)
    return "Select a baked character"


def _when_there(people: BakedPeople) -> str:
    """Say at which frames an absent person is present."""
    assert people.selected is not None
    name, scene = people.titles[people.selected], people.replay.scene
    rows = np.flatnonzero(np.isfinite(people.replay.position[:, people.selected, 0]))
    if not len(rows):
        return f"'{name}' is not present at any frame from {scene.frames[0]} to {scene.frames[1]}"
    first, last = (int(row) + scene.frames[0] for row in (rows[0], rows[-1]))
    return f"'{name}' is not present at frame {people.moment.frame}, only from frame {first} to {last}"


def _shown(scene: bpy.types.Scene, active: bpy.types.Object | None) -> bpy.types.Object | None:
    return active if active is not None and active.name in scene.objects else None


def _why_unread(scene: bpy.types.Scene) -> str:
    if freshness.is_slow(scene):
        return "The scene has not been read: press Read Scene Again"
    return "Reading the scene"
