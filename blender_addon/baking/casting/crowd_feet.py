# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of the feet of a crowd: how far planted ones slide, and how each character is seen to walk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np

from ....core.array_types import Float64
from ....core.motion.feet.footwork import Footwork
from ....core.motion.feet.step_faults import LENGTHS
from ....core.report.events import ALOFT, SUNK
from ....core.report.report_settings import REPORT
from ...bakes.roles import Role
from ...characters.legs.bone_legs import RestPose, leg_bones
from ...characters.legs.slides import Slides
from ...characters.performances import Performance
from ...characters.ready.held_feet import HeldPoses
from ...characters.ready.known_as import hint_of
from ...characters.ready.seen_feet import frames_to_look_at, look_at_feet, look_at_poses
from ...characters.ready.seen_soles import SeenSoles
from ...characters.retargeting.humanoids import find_humanoid
from ...characters.retargeting.made_clips import AHEAD_PROPERTY
from ...characters.templates import Template
from ...figures.parts import is_marked
from ...settings.cast_rows import USUAL_HEIGHT
from .character_keys import Part

SEEN_SLIDE = 0.03
"""A planted foot that slides so far is seen to [m]."""

_WALKS_WELL = "walks well"
"""What is noted of a character whose walk has no line: other crowds of the same bake need not look at it again."""


class SeenCharacter(NamedTuple):
    """How one character walks.

    Attributes:
        footwork: lengths in metres.
        row: of the frame at which it was begun to look.
        walk: name of its walk; empty where it has none.
        height: of the character [m]; 0: not known.
        may_walk_as_ours: its body is like that of people, so that Footfall's own walk fits it.
        walks_as_ours: its walk is Footfall's own already.
        is_figure: it is one of Footfall's own figures, for which no other clip is chosen.
        hint: whom the name of the character means, as " (Beach)"; empty where it says so itself.
        has_legs: legs were found in it that can be bent.
        soles: where its soles are [m]; None: no mesh is on its feet, or it has no walk.
        plants_feet: its feet are planted.
        role: of whom was looked at; None: not known.
    """

    footwork: Footwork
    row: int
    walk: str
    height: float = 0.0
    may_walk_as_ours: bool = True
    walks_as_ours: bool = False
    is_figure: bool = False
    hint: str = ""
    has_legs: bool = True
    soles: SeenSoles | None = None
    plants_feet: bool = True
    role: Role | None = None

    @classmethod
    def of(
        cls, template: Template, footwork: Footwork, row: int, unit: float, soles: SeenSoles | None = None
    ) -> SeenCharacter:
        """Describe the character of a template, whose feet and soles were looked at, with its Blender unit [m]."""
        footwork, soles = footwork._replace(slides=footwork.slides * unit), soles and soles.scaled(unit)
        walk = template.walk.name if template.walk is not None else ""
        number, parts = template.walker, template.parts
        may = number is not None and find_humanoid(parts[number], parts[0]) is not None
        action = None if template.walk is None else template.walk.clip.action
        is_figure = action is not None and is_marked(action)
        is_ours = is_figure or (action is not None and AHEAD_PROPERTY in action)
        hint, has_legs = hint_of(template.names, parts), _has_legs(template)
        given: dict[str, Any] = {
            "is_figure": is_figure,
            "hint": hint,
            "has_legs": has_legs,
            "soles": soles if walk else None,
        }
        return cls(footwork, row, walk, template.height, may, is_ours, plants_feet=template.plants_feet, **given)

    @property
    def stance(self) -> float:
        """Share of the time of walking that each foot stands, mean of all feet."""
        return float(np.mean(self.footwork.stance))

    @property
    def slide(self) -> float:
        """How far its feet slide in a contact, the median of the contacts [m]: of their points that are slowest."""
        return float(np.median(self.footwork.slides)) if len(self.footwork.slides) else 0.0

    @property
    def slide_severity(self) -> float:
        """The same over what is seen."""
        return self.slide / SEEN_SLIDE / visible_size(self.height)

    def off_the_ground(self) -> list[tuple[str, float, float, int]]:
        """Return how far its soles are in the ground, and over it: kind, amount [m], severity and row of frames."""
        if self.soles is None:
            return []
        soles, visible, size = self.soles, REPORT.visible, visible_size(self.height)
        return [
            (SUNK, soles.sunk, soles.sunk / visible.sunk / size, soles.sunk_row),
            (ALOFT, soles.aloft, soles.aloft / visible.aloft / size, soles.aloft_row),
        ]

    def walks_well(self) -> bool:
        """Whether no line of the report is about it."""
        severities = [self.slide_severity, *(severity for _, _, severity, _ in self.off_the_ground())]
        return self.stance >= REPORT.visible.stance and max(severities) < REPORT.least_conduct


def visible_size(height: float) -> float:
    """Return how many times as large as a person a character is that is taller [m]: it is seen from farther away."""
    return max(1.0, height / USUAL_HEIGHT)


def _has_legs(template: Template) -> bool:
    """Whether legs of thigh and shin were found in a character, in its clips or at rest."""
    number, parts = template.walker, template.parts
    return bool(template.legs) or number is None or bool(leg_bones(parts[number], RestPose.of(parts[number], parts[0])))


class CrowdFeet:
    """The feet of one crowd.

    Attributes:
        slides: by the core's crowd and the number in it, how far feet slide in each contact [m].
        worst: of who has planted feet, by the same, the largest slide [m] and the row of frames at which it is.
        faults: by the same, the worst of each kind and the row of frames [m, s]; see `step_faults`.
        plays: by the same, the name of the character, if it has an armature.
        seen: by the name of the character, how it walks.
    """

    def __init__(self, scene: bpy.types.Scene, unit: float) -> None:
        self.slides: dict[tuple[str, int], Float64] = {}
        self.worst: dict[tuple[str, int], tuple[float, int]] = {}
        self.faults: dict[tuple[str, int], dict[str, tuple[float, int]]] = {}
        self.plays: dict[tuple[str, int], str] = {}
        self.seen: dict[str, SeenCharacter] = {}
        self._scene, self._unit = scene, unit

    def note(self, role: Role, copies: Sequence[bpy.types.Object], template: Template, part: Part) -> None:
        """Take note of somebody who was just made, and look at the first of each character who walks for a while."""
        slid = part.steps.slides if part.steps is not None else Slides.joined([])
        slides = slid.length * self._unit
        worst = int(np.argmax(slides)) if len(slides) else None
        found = None if worst is None else (float(slides[worst]), int(slid.row[worst]))
        character = template.names[0] if any(copy.type == "ARMATURE" for copy in copies) else ""
        known = part.steps.faults if part.steps is not None else {}
        faults = {
            kind: (amount * (self._unit if kind in LENGTHS else 1.0), row) for kind, (amount, row) in known.items()
        }
        self.note_known(role, slides, found, character, faults)
        rows = frames_to_look_at(part.performance, self._unit) if character and character not in self.seen else None
        if rows is None:
            return
        seen: SeenCharacter | None = template.watched.get(_WALKS_WELL)
        looked = None if seen else look_at_feet(copies, template, part.performance, rows, self._scene)
        if looked is not None:
            footwork, soles = looked
            seen = SeenCharacter.of(template, footwork, rows.start, self._unit, soles)
            if seen.walks_well():
                template.watched[_WALKS_WELL] = seen
        if seen is not None:
            self.seen[character] = seen._replace(role=role)

    def note_shown(self, role: Role, template: Template, held: HeldPoses, performance: Performance) -> bool:
        """Look at the feet of somebody who is shown in still poses; return whether there was something to see."""
        rows = frames_to_look_at(performance, self._unit)
        footwork = None if rows is None else look_at_poses(template, held, performance, rows)
        if footwork is None or rows is None or template.walk is None:
            return False
        seen = SeenCharacter.of(template, footwork, rows.start, self._unit)._replace(role=role)
        self.seen[template.names[0]], self.slides[role[:2]] = seen, seen.footwork.slides
        return True

    def note_known(
        self,
        role: Role,
        slides: Float64,
        worst: tuple[float, int] | None,
        character: str,
        faults: dict[str, tuple[float, int]],
    ) -> None:
        """Take note of somebody of whom all is known."""
        self.slides[role[:2]] = slides
        self.faults[role[:2]] = faults
        if character:
            self.plays[role[:2]] = character
        if worst is not None:
            self.worst[role[:2]] = worst
