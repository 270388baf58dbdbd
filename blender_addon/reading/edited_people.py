# SPDX-License-Identifier: GPL-3.0-or-later
"""Applies the user's edits of single people: deleted people are left out, pinned characters become heroes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import bpy
import numpy as np

from ...core.scene import PEDESTRIAN, Crowd, Hero, Track
from ..bakes.edited_people import pinned_movers
from ..blender_data.curve_keys import keyed_places
from ..blender_data.evaluation import key_frames_per_frame
from ..blender_data.tags import title_of
from ..settings.crowd.edits import people_who
from ..settings.properties.identities import name_of
from .crowds import ReadCrowds
from .objects.findings import Findings
from .objects.moving_obstacles import MOTION_SETTINGS
from .shapes.simplify import needed_samples


def apply_edits(
    scene: bpy.types.Scene, crowds: ReadCrowds, frames: range, unit: float, findings: Findings
) -> list[Hero]:
    """Leave deleted and pinned people out of the crowds, and return the pinned characters as heroes.

    Args:
        scene: with the crowds' settings.
        crowds: as read; crowds with deleted or pinned people are replaced.
        frames: of the scene.
        unit: metres per Blender unit.
        findings: collects notices about pinned characters that were deleted.
    """
    settings: Any = scene.footfall  # ty: ignore[missing-attribute]
    heroes: list[Hero] = []
    for index, crowd in enumerate(settings.crowds):
        if not len(crowd.edits):
            continue
        pinned = pinned_movers(scene, crowd.uid)
        lost = sorted(people_who(crowd, "pinned") - set(pinned))
        if lost:
            findings.notice(
                f"'{name_of(crowd, lost[0])}' was pinned, but its character was deleted: the bake makes it again."
            )
        absent = people_who(crowd, "deleted") | set(pinned)
        own = [number for number, read in enumerate(crowds.read) if read.index == index]
        for number in own:
            crowds.crowds[number] = _without(crowds.crowds[number], absent)
        largest = max((crowds.crowds[number].radius[1] for number in own), default=Crowd(crowd.name).radius[1])
        named = [(name_of(crowd, person), mover) for person, mover in sorted(pinned.items())]
        found = [_hero(name, mover, frames, unit, largest, key_frames_per_frame(scene)) for name, mover in named]
        heroes += [hero for hero in found if hero is not None]
    return heroes


def _without(crowd: Crowd, people: set[str]) -> Crowd:
    if crowd.kind != PEDESTRIAN:
        return crowd
    absent = tuple(number for number in range(crowd.count) if title_of(crowd.identity, number) in people)
    return replace(crowd, absent=absent)


def _hero(
    name: str, mover: bpy.types.Object, frames: range, unit: float, radius: float, key_rate: float
) -> Hero | None:
    """Make a hero from the keys of a pinned character; None where they hide it at every frame."""
    numbers = np.array(frames)
    places = keyed_places(mover, numbers * key_rate) * unit
    rows = np.flatnonzero(np.isfinite(places[:, 0]))
    if not len(rows):
        return None
    first, last = int(rows[0]), int(rows[-1])
    at, places = numbers[rows].astype(np.float64), places[rows, :2]
    kept = needed_samples(at, places, MOTION_SETTINGS.pinned_tolerance)
    is_always_there = (first, last) == (0, len(numbers) - 1)
    span = None if is_always_there else (float(numbers[first]), float(numbers[last]))
    return Hero(name, radius, Track(at[kept], *places[kept].T.copy()), span)
