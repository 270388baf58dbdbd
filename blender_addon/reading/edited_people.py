# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user has said of single people: who does not come, and pinned characters as heroes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import bpy
import numpy as np

from ...core.scene import PEDESTRIAN, Crowd, Hero, Track
from ..bakes.edited_people import pinned_movers
from ..blender_data.curve_keys import keyed_places
from ..blender_data.tags import title_of
from ..settings.crowd.edits import people_who
from ..settings.identities import name_of
from .crowds import ReadCrowds
from .findings import Findings
from .shapes.simplify import needed_samples

_STILL = 1e-3  # [m]: less is no motion


def apply_edits(
    scene: bpy.types.Scene, crowds: ReadCrowds, frames: range, unit: float, findings: Findings
) -> list[Hero]:
    """Leave out of the crowds who does not come, and return those whose characters are pinned as heroes.

    Args:
        scene: with the crowds' settings.
        crowds: as read; crowds of whom somebody does not come are replaced.
        frames: of the scene.
        unit: metres per Blender unit.
        findings: takes up whose character is gone.
    """
    settings: Any = scene.footfall  # pyright: ignore[reportAttributeAccessIssue]
    heroes: list[Hero] = []
    for index, crowd in enumerate(settings.crowds):
        if not len(crowd.edits):
            continue
        pinned = pinned_movers(scene, crowd.uid)
        lost = sorted(people_who(crowd, "pinned") - set(pinned))
        if lost:
            findings.notice(f"'{name_of(crowd, lost[0])}' was pinned, but its character is gone: it is made anew.")
        absent = people_who(crowd, "deleted") | set(pinned)
        own = [number for number, read in enumerate(crowds.read) if read.index == index]
        for number in own:
            crowds.crowds[number] = _without(crowds.crowds[number], absent)
        largest = max((crowds.crowds[number].radius[1] for number in own), default=Crowd(crowd.name).radius[1])
        named = [(name_of(crowd, person), mover) for person, mover in sorted(pinned.items())]
        found = [_hero(name, mover, frames, unit, largest) for name, mover in named]
        heroes += [hero for hero in found if hero is not None]
    return heroes


def _without(crowd: Crowd, people: set[str]) -> Crowd:
    if crowd.kind != PEDESTRIAN:
        return crowd
    absent = tuple(number for number in range(crowd.count) if title_of(crowd.identity, number) in people)
    return replace(crowd, absent=absent)


def _hero(name: str, mover: bpy.types.Object, frames: range, unit: float, radius: float) -> Hero | None:
    """A pinned character, as its keys say; None when they show it at no frame."""
    numbers = np.array(frames)
    places = keyed_places(mover, numbers) * unit
    rows = np.flatnonzero(np.isfinite(places[:, 0]))
    if not len(rows):
        return None
    first, last = int(rows[0]), int(rows[-1])
    at, places = numbers[rows].astype(np.float64), places[rows, :2]
    kept = needed_samples(at, places, _STILL)
    is_always_there = (first, last) == (0, len(numbers) - 1)
    span = None if is_always_there else (float(numbers[first]), float(numbers[last]))
    return Hero(name, radius, Track(at[kept], *places[kept].T.copy()), span)
