# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake has come to, in one sentence: how many were made, who was not, and what was simulated for it."""

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
from ..blender_data.tags import title_of
from ..settings.crowd.edits import people_who
from .bake_memory import motion_last, simulated_last

_SAID = ("pinned", "deleted", "hidden")  # what the user says of single people, the one that counts first
_NEVER_COME = "never come in"
_NOTHING_KEPT = "nothing is kept of earlier bakes of this scene, as after opening a file or copying a scene"
_IN_METRES = re.compile(r"\d m\b|\(-?\d+\.\d+, -?\d+\.\d+\)")


def count_left_out(crowds: Iterable[Any], people: Iterable[tuple[str, bool]]) -> Counter[str]:
    """Count those of whom a bake makes no character, by the reason.

    Args:
        crowds: settings of all crowds.
        people: what each person is known by, and whether it is there in any frame.
    """
    known = [(word, {name for crowd in crowds for name in people_who(crowd, word)}) for word in _SAID]
    found: Counter[str] = Counter()
    for person, comes in people:
        reason = next((word for word, names in known if person in names), "" if comes else _NEVER_COME)
        found[reason] += bool(reason)
    return Counter({word: found[word] for word in (*_SAID, _NEVER_COME) if found[word]})


def tell_of_people(made: int, kind: str, left_out: Mapping[str, int]) -> tuple[str, str]:
    """Say how many were made of how many; and who was not, which is empty where all were.

    Args:
        made: how many.
        kind: what they are, in one word.
        left_out: how many were not, by the reason.
    """
    asked = made + sum(left_out.values())
    many = {"person": "people"}.get(kind, f"{kind}s")
    count = f"{made}" if made == asked else f"{made} of {asked}"
    why = ", ".join(f"{number} {reason}" for reason, number in left_out.items())
    return f"{count} {kind if asked == 1 else many}", f" ({why})" if why else ""


def tell_of_unit(notices: Iterable[str], unit: float) -> list[str]:
    """Say what metres are in a scene of another unit, where any notice tells of lengths or places.

    Args:
        notices: sentences of a report.
        unit: metres per Blender unit.
    """
    if unit == 1.0 or not any(map(_IN_METRES.search, notices)):
        return []
    return [f"Lengths and places are told in metres: 1 m is {1.0 / unit:g} units of this scene."]


def tell_of_changes(scene: bpy.types.Scene, simulation: Simulation, trajectories: Trajectories) -> str:
    """Say who is new, who is gone, and how many move otherwise than in the last bake; empty where not known.

    Args:
        scene: that is baked; its report is still that of the last bake.
        simulation: that is done.
        trajectories: what it has come to.
    """
    last = simulated_last(scene)
    settings: Any = scene.footfall  # pyright: ignore[reportAttributeAccessIssue]
    shown = json.loads(settings.report or "{}").get("motion", "")
    if last is None or last is simulation or shown not in {"", motion_last(scene)}:
        return ""  # after an undo the file shows an earlier bake
    pinned = {person for crowd in settings.crowds for person in people_who(crowd, "pinned")}

    def is_pinned(identity: str, number: int) -> bool:
        return title_of(identity, number) in pinned  # does what it did, and is not simulated

    crowds = last.scene.crowds, simulation.scene.crowds
    return str(compare_runs(last.result(), trajectories, crowds=crowds, left_out=is_pinned))


def tell_of_resuming(simulation: Simulation, *, is_first: bool) -> str:
    """Say which frames were taken over from the last bake, or why none was; nothing of a first bake.

    Args:
        simulation: that is done.
        is_first: nothing was baked in the scene before.
    """
    taken, first, last = simulation.taken_over, *simulation.scene.frames
    if taken > last - first:
        return "all frames taken over"
    if taken:
        frames = f"frame {first}" if taken == 1 else f"frames {first}-{first + taken - 1}"
        return f"{frames} taken over, simulated from frame {first + taken}"
    why = simulation.why_anew or ("" if is_first else _NOTHING_KEPT)
    return f"simulated anew from frame {first}, because {why}" if why else ""
