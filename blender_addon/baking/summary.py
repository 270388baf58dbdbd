# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of a bake in one sentence: how many characters were made, who was left out, which frames were reused."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import bpy

from ...core import Trajectories
from ...core.report.comparison import compare_runs
from ...core.simulation import Simulation
from ...core.simulation.world.shared_map import Adoption
from ..blender_data.tags import title_of
from ..settings.crowd.edits import people_who
from .bake_memory import BakeMemory

_EDITS = ("pinned", "deleted", "hidden")  # edits of single people, in order of precedence
_NEVER_COME = "never enter"
_NOTHING_KEPT = "the last bake is no longer in memory, as after opening a file or copying a scene"
_IN_METRES = re.compile(r"\d m\b|\(-?\d+\.\d+, -?\d+\.\d+\)")


def count_left_out(crowds: Iterable[Any], people: Iterable[tuple[str, bool]]) -> Counter[str]:
    """Count the people for whom a bake makes no character, by the reason.

    Args:
        crowds: settings of all crowds.
        people: identity of each person, and whether it is present in any frame.
    """
    known = [(word, {name for crowd in crowds for name in people_who(crowd, word)}) for word in _EDITS]
    found: Counter[str] = Counter()
    for person, comes in people:
        reason = next((word for word, names in known if person in names), "" if comes else _NEVER_COME)
        found[reason] += bool(reason)
    return Counter({word: found[word] for word in (*_EDITS, _NEVER_COME) if found[word]})


def describe_people(made: int, kind: str, left_out: Mapping[str, int]) -> tuple[str, str]:
    """Say how many characters were made; and how many were left out and why, empty where none was.

    Args:
        made: number of characters.
        kind: what they are, in one word.
        left_out: number of people without a character, by the reason.
    """
    asked = made + sum(left_out.values())
    many = {"person": "people"}.get(kind, f"{kind}s")
    count = f"{made}" if made == asked else f"{made} of {asked}"
    why = ", ".join(f"{number} {reason}" for reason, number in left_out.items())
    return f"{count} {kind if asked == 1 else many}", f" ({why})" if why else ""


def describe_unit(notices: Iterable[str], unit: float) -> list[str]:
    """Say how long a metre is in a scene of another unit, where a notice contains lengths or places.

    Args:
        notices: sentences of a report.
        unit: metres per Blender unit.
    """
    if unit == 1.0 or not any(map(_IN_METRES.search, notices)):
        return []
    return [f"Lengths and places are in metres: 1 m is {1.0 / unit:g} units of this scene."]


def describe_changes(
    scene: bpy.types.Scene, memory: BakeMemory, simulation: Simulation, trajectories: Trajectories
) -> str:
    """Say how many people are new, are gone, or move differently than in the last bake; empty where not known.

    Args:
        scene: that is baked; its report is still that of the last bake.
        memory: of the last bake.
        simulation: that is finished.
        trajectories: its result.
    """
    last, before = memory.simulation, memory.trajectories
    settings: Any = scene.footfall  # ty: ignore[missing-attribute]
    shown = json.loads(settings.report or "{}").get("motion", "")
    if last is None or before is None or last is simulation or shown not in {"", memory.motion}:
        return ""  # after an undo the file shows an earlier bake
    pinned = {person for crowd in settings.crowds for person in people_who(crowd, "pinned")}

    def is_pinned(identity: str, number: int) -> bool:
        return title_of(identity, number) in pinned  # keeps its animation and is not simulated

    crowds = last.scene.crowds, simulation.scene.crowds
    return str(compare_runs(before, trajectories, crowds=crowds, left_out=is_pinned))


def describe_reuse(simulation: Simulation, *, is_first: bool) -> str:
    """Say which frames of the last bake were reused, or why none; empty for a first bake.

    Args:
        simulation: that is finished.
        is_first: nothing was baked in the scene before.
    """
    taken, first, last = simulation.taken_over, *simulation.scene.frames
    if taken > last - first:
        return "all frames reused"
    if taken:
        frames = f"frame {first}" if taken == 1 else f"frames {first}-{first + taken - 1}"
        return f"{frames} reused, simulated from frame {first + taken}"
    why = simulation.why_anew or ("" if is_first else _NOTHING_KEPT)
    return f"simulated again from frame {first}, because {why}" if why else ""


def describe_map(adoption: Adoption) -> str:
    """Say whether the corridor map was built, corrected or reused, and in what time."""
    if adoption.is_new:
        return f"corridor map built in {_duration(adoption.seconds)}"
    if not adoption.changes:
        return "corridor map reused from the last bake"
    places = "1 obstacle" if adoption.changes == 1 else f"{adoption.changes} obstacles"
    return f"corridor map corrected for {places} in {_duration(adoption.seconds)}"


def _duration(seconds: float) -> str:
    return f"{1000.0 * seconds:.1f} ms" if seconds < 1.0 else f"{seconds:.1f} s"
