# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with a bake, line by line, kept in the file with it: `scene.footfall.problems`.

Blender evaluates the annotations below: no `from __future__ import annotations` here.
"""

import json
import math
from collections import defaultdict
from typing import Any

import bpy
from bpy.props import FloatProperty, FloatVectorProperty, IntProperty, StringProperty

from ...core.motion.feet.step_faults import CROSSED, HANGING, SCUFFED, SKATING, STATUE
from ...core.report.events import (
    ALOFT,
    BACKWARDS,
    BEHIND,
    CLIPPING,
    CREEPING,
    FACE_OFF,
    FEET,
    FROZEN,
    GLIDE,
    JITTER,
    LIMB,
    OVERLAP,
    REFUSED,
    SPINNING,
    STUCK,
    SUNK,
    WAITS,
    WALL,
)
from ...core.simulation.behaviours.jams import JAM
from ...core.simulation.pedestrians.notices import last_frame_needed

NOTICE = "notice"
HIDE_ORIGINALS = "Hide the originals"
"""With this ends a notice that the panel offers a button for."""
UNLIKELY_SIZE = "if it is a person, type its Height in the cast table, or correct the scene's Unit Scale"
"""In a notice about a size that nobody has, which explains why people clip and scuff."""

NO_FRAME = -(2**31)
_MOST_NAMED = 3
_LONGEST_BEGINNING = 5  # letters of a crowd's name that stand for it
_BETWEEN = " \N{MIDDLE DOT} "


class FootfallProblem(bpy.types.PropertyGroup):
    """One line of the list; its `name` is what the line says, which the list's own search looks in."""

    __slots__ = ()

    kind: StringProperty(name="Kind", description="Kind of the problem", options=set())
    frame: IntProperty(name="Frame", description="Frame at which the problem is worst", default=NO_FRAME, options=set())
    place: FloatVectorProperty(name="Place", description="Place of the problem [m]", size=3, options=set())
    severity: FloatProperty(name="Severity", description="Severity: 1 is just visible", options=set())
    people: StringProperty(
        name="People",
        description="The people concerned, as JSON: for each the identity of the crowd and of the person",
        options=set(),
    )

    @property
    def has_place(self) -> bool:
        """Whether there is a frame and a place to look at."""
        return self.frame != NO_FRAME

    @property
    def who(self) -> str:
        """The part of the line that names people; empty in a notice."""
        return self.name.partition(_BETWEEN)[2].partition(":")[0] if self.has_place else ""

    @property
    def who_in_short(self) -> str:
        """The same with beginnings of the crowds' names, and none where there is one crowd: `E 003 + 007 + W 001`."""
        scene: Any = self.id_data
        return self._who_of(beginnings([crowd.name for crowd in scene.footfall.crowds]))

    @property
    def numbers(self) -> str:
        """The same without names of crowds: `003 + 007 + 001`."""
        return self._who_of(defaultdict(str))

    def _who_of(self, crowds: dict[str, str]) -> str:
        named, several, others = self.who.partition(" and ")
        parts = [each.rpartition(" ") for each in named.split(" + ")]
        return " + ".join(f"{crowds[crowd]} {number}".strip() for crowd, _, number in parts) + several + others

    @property
    def what(self) -> str:
        """The part of the line that says what is wrong, without the figure; empty in a notice."""
        return self.name.partition(_BETWEEN)[0].removesuffix(self.figure).rstrip() if self.has_place else ""

    @property
    def figure(self) -> str:
        """The figure of the line with its unit, `46.8 cm`; empty where it has none."""
        *_, number, unit = self.name.partition(_BETWEEN)[0].split()
        return f"{number} {unit}" if number[0].isdigit() else ""

    @property
    def characters(self) -> list[tuple[str, str]]:
        """Who it is about: the identity of the crowd and what the character is known by, for each."""
        return [(crowd, title) for crowd, title in json.loads(self.people)] if self.people else []


_WORDS = {
    OVERLAP: ("Overlap {:.1f} cm", 100.0),
    CLIPPING: ("Clipping {:.1f} cm", 100.0),
    FROZEN: ("Frozen {:.1f} s", 1.0),
    SPINNING: ("Spinning {:.0f} degrees", math.degrees(1.0)),
    JITTER: ("Jitter {:.1f} s", 1.0),
    CREEPING: ("Creeps {:.1f} s", 1.0),
    BEHIND: ("Crowding Behind {:.1f} s", 1.0),
    WALL: ("In a wall {:.1f} cm", 100.0),
    LIMB: ("Limb in a wall {:.1f} cm", 100.0),
    STUCK: ("Stands {:.1f} s", 1.0),
    WAITS: ("Waits {:.1f} s", 1.0),
    FACE_OFF: ("In each other's way {:.1f} s", 1.0),
    REFUSED: ("No route", 1.0),
    FEET: ("Foot slides {:.1f} cm", 100.0),
    BACKWARDS: ("Walks backwards {:.1f} m", 1.0),
    CROSSED: ("Crossed legs {:.1f} cm", 100.0),
    SCUFFED: ("Scuffed step {:.1f} cm", 100.0),
    SKATING: ("Skating feet {:.0f} cm", 100.0),
    HANGING: ("Hanging foot {:.1f} s", 1.0),
    STATUE: ("Stands like a statue {:.1f} s", 1.0),
    GLIDE: ("Glides, feet stand {:.0f} %", 100.0),
    SUNK: ("Soles in the ground {:.1f} cm", 100.0),
    ALOFT: ("Both feet in the air {:.1f} cm", 100.0),
}


def original_among(name: str) -> str:
    """Compose the notice about an original that stands among its copies."""
    return f"'{name}' itself stands where people walk, and is rendered, too. {HIDE_ORIGINALS}"


def list_problems(problems: Any, report: dict[str, Any]) -> None:
    """Fill a collection of problems with what a report tells, the worst first and notices last.

    Who needs more frames is listed above. A jam explains why people stand in it, and why feet slide there: it is
    told before the first of those lines; an unlikely size, before all.

    Args:
        problems: `scene.footfall.problems`.
        report: as a bake makes it.
    """
    problems.clear()
    sizes = [sentence for sentence in report["notices"] if UNLIKELY_SIZE in sentence]
    _list_notices(problems, sizes)
    jams = [sentence for sentence in report["notices"] if JAM in sentence]
    for event in report["events"]:
        if event["kind"] in (STUCK, WAITS, CREEPING, FACE_OFF, FROZEN, FEET):
            _list_notices(problems, jams)
            jams = []
        line = problems.add()
        words, factor = _WORDS[event["kind"]]
        line.name = _BETWEEN.join([words.format(factor * event["amount"]), _together(event["names"])])
        if "reason" in event:
            line.name += f": {event['reason']}"
        line.kind, line.frame, line.place = event["kind"], event["frame"], event["place"]
        line.severity, line.people = event["severity"], json.dumps(event["people"])
    _list_notices(problems, jams)
    rest = [sentence for sentence in report["notices"] if JAM not in sentence and sentence not in sizes]
    _list_notices(problems, [sentence for sentence in rest if last_frame_needed([sentence]) is None])


def _list_notices(problems: Any, sentences: list[str]) -> None:
    for sentence in sentences:
        line = problems.add()
        line.name, line.kind = sentence, NOTICE


def _together(names: list[str]) -> str:
    """Several of one crowd named once: `Walkers 003 + 007`; of many, the first."""
    first, *others = names
    if len(names) > _MOST_NAMED:
        return f"{first} and {len(others)} others"
    crowd, _, _ = first.rpartition(" ")
    return " + ".join([first, *(other.removeprefix(f"{crowd} ") for other in others)])


def beginnings(names: list[str]) -> defaultdict[str, str]:
    """Return for each name its shortest beginning that no other has, if that is short, else the whole name.

    It is empty where there is one name. Of names that are not there it is `?`.
    """
    found = defaultdict[str, str](lambda: "?")
    for name in names:
        tried = (name[:count] for count in range(1, _LONGEST_BEGINNING + 1))
        others = [other for other in names if other != name]
        own = (each for each in tried if not any(other.startswith(each) for other in others))
        found[name] = next(own, name).rstrip() if others else ""
    found[""] = ""  # another one of the crowd before
    return found


CLASSES = (FootfallProblem,)
