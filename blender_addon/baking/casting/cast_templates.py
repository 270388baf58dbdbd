# SPDX-License-Identifier: GPL-3.0-or-later
"""The characters of one crowd made ready to be copied, and which of them plays whom."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import bpy

from ....core.errors import FootfallError
from ...bakes.roles import RandomDraws, Role, WeightedDraw
from ...characters.acts.act_clips import Repertoire
from ...characters.character import WEIGHT, Character
from ...characters.choice import KnownTemplates, choose_characters
from ...characters.chosen_clips import characters_of
from ...characters.clips.shin_ends import keep_shin_ends
from ...characters.legs.find import KnownLegs
from ...characters.ready.cast_table import CastEntry, read_entry
from ...characters.ready.known_as import hint_of
from ...characters.templates import Template, TemplateSettings, make_template
from ...settings.crowd.motion import DEFORM_ONLY
from .figure_choice import FigureChoice

_MANY = 4
"""What holds for so many characters is said once."""

_OF_FIGURES = (("body", ""), ("solid", ""))
"""What is found by watching a figure that is the same in each bake."""

_FASTEST_STEPS = 3.0
"""Legs that go faster than this to keep up are reported [strides/s]; sprinters reach 2.4; chosen."""


class CastTemplates:
    """The templates of a crowd's characters.

    Args:
        crowd: its settings.
        scene: where it is baked.
        draws: its random numbers.
        note: receives each data-block that is made, and its title.
        has_legs: whether the legs of its people can be bent.
        frames: first and last frame.
        unit: metres per Blender unit.
        known: templates that need not be made again; those that are made here are added.

    Attributes:
        all: the templates, in the order in which they were made.
        repertoires: what each can do besides walking.
        originals: the parts of the character of each.
        seen: what was found of each, for the cast table.
        recalled: legs of the characters, from an earlier bake.
        watched: what was found by watching the built-in figures, also from an earlier bake, by their names.
        figures: which of the built-in figures plays whom; None where the crowd has characters.
    """

    def __init__(
        self,
        crowd: Any,
        scene: bpy.types.Scene,
        draws: RandomDraws,
        note: Callable[[bpy.types.ID, str], None],
        *,
        has_legs: bool,
        frames: tuple[int, int],
        unit: float,
        known: KnownTemplates | None = None,
    ) -> None:
        self._crowd, self._scene, self._draws, self._note = crowd, scene, draws, note
        self._has_legs, self._frames, self._unit = has_legs, frames, unit
        self._known = known or KnownTemplates()
        self.recalled: KnownLegs = {}
        self._found: KnownLegs = {}
        self.watched: dict[str, dict[Hashable, Any]] = {}
        self.all, self.repertoires, self.seen = list[Template](), list[Repertoire](), list[CastEntry]()
        self.originals: list[tuple[bpy.types.Object, ...]] = []
        self._chosen = {edit.name: edit.character for edit in crowd.edits if edit.character}
        are_figures = crowd.characters is None and not crowd.drives
        self.figures = FigureChoice(crowd, draws, self._chosen) if are_figures else None
        self._own = [] if crowd.characters is None or crowd.drives else characters_of(crowd)
        self._names, self._weights = ([], []) if self.figures is None else self.figures.all
        self._playable: Sequence[int] = ()
        self._refused: list[FootfallError] = []

    @property
    def legs(self) -> KnownLegs:
        """The legs of the characters, as found here or in the earlier bake."""
        return self._found or self.recalled

    def make(self, roles: Iterable[Role] | None = None) -> Iterator[None]:
        """Make characters ready to be copied, unless they are, with a pause after each.

        Args:
            roles: of the built-in figures, only those that play these are made.
        """
        figures = [] if self.figures is None else self.figures.missing(roles)
        if self.all and not figures:
            return
        crowd = self._crowd
        has_legs = self._has_legs or self.figures is None  # poses of the built-in figures stand as they are
        plants = crowd.motion.plants_feet if has_legs and not crowd.drives else None
        own = {"plants_feet": plants, "keys_ik_feet": crowd.motion.keys_ik_feet, "drives": crowd.drives}
        own["only_deforms"] = self._has_legs and plants is not None and crowd.motion.rig == DEFORM_ONLY
        given = {"scene": self._scene, "frames": self._frames, "unit": self._unit, "figures": figures}
        for character, settings in choose_characters(crowd, self._known, **given):
            try:
                self._add(character, replace(settings, **own))
            except FootfallError as error:
                self._refused.append(error)
            yield
        if self._refused and not self.all:
            raise self._refused[0]
        if self.figures is not None:
            self.figures.note(figures)
        else:
            self.draw_among(range(len(self.all)))

    def draw_among(self, numbers: Sequence[int]) -> None:
        """Let only the templates of these numbers play people."""
        self._playable = numbers
        self._among = WeightedDraw(numbers, [self._weights[number] for number in numbers])

    def number_of(self, role: Role) -> int:
        """Return the number of the template that plays a role."""
        if self.figures is not None:
            return self.figures.place(role)
        chosen = self._chosen.get(role.title)
        if chosen is not None and chosen in self._names and self._names.index(chosen) in self._playable:
            return self._names.index(chosen)
        return self._draws.draw_in_turn(role, "character", self._among)

    def notices(self) -> list[str]:
        """Return sentences for the user."""
        crowd, named = f"'{self._crowd.name}'", self._chosen.values()
        other = "its people use other characters"
        unknown = sorted({name for name in named if name not in self._names})
        said = [f"{crowd} no longer has a character '{name}': {other}" for name in unknown]
        known = named if self.figures is None else ()
        unseen = sorted({n for n in known if n in self._names and self._names.index(n) not in self._playable})
        said += [f"{crowd}: '{name}' cannot be shown: {other}" for name in unseen]
        wrong = [name for name, weight in zip(self._names, self._weights, strict=True) if weight is None]
        must_be = f"its custom property '{WEIGHT}' must be a number of at least 0; 1 is used instead"
        said += [f"'{name}': {must_be}" for name in wrong]
        said += [f"{error}; until then {crowd} has others in its place" for error in self._refused]
        return [*said, *_said_once(self.all)]

    def shown_originals(self) -> list[bpy.types.Object]:
        """Return what moves the user's own characters that are rendered themselves, also where none was made anew."""
        own = [character.parts for character in self._own]
        return [parts[0] for parts in own if any(part.type == "MESH" and not part.hide_render for part in parts)]

    @keep_shin_ends()
    def _add(self, character: Character, settings: TemplateSettings) -> None:
        known = self._known.templates
        alike = known.get((character, settings))
        legs = self._known.legs | self.recalled
        template = make_template(character, settings, legs) if alike is None else alike.again()
        self._found |= template.known_legs
        self._known.legs |= template.known_legs
        if self.figures is not None:  # whose meshes nobody changes
            recalled = self.watched.get(character.name, {})
            template.watched |= {what: recalled[what] for what in _OF_FIGURES if what in recalled}
            self.watched[character.name] = template.watched
        self.all.append(template)
        figure = character.name if self.figures is not None else ""
        self.repertoires.append(Repertoire(template, self._scene, self._unit, figure, self._note, character.acts))
        self.originals.append(character.parts)
        if self.figures is None:
            self._names.append(character.name)
            self._weights.append(character.weight)
        if not template.makes_clips:
            known[character, settings] = replace(template, notices=list(template.notices))  # of any crowd
        if not (self._crowd.characters is None or settings.drives):
            entry = read_entry(character, template, self._scene, self._unit)
            self.seen.append(entry)
            template.notices += _say_steps_are_too_fast(template, entry, self._crowd)
        for clip in template.clips.all if template.clips is not None else ():
            if clip.is_copy:
                self._note(clip.clip.action, f"{self._crowd.name} {clip.name}")
        if template.clips is not None and template.clips.rig is not None:
            self._note(template.clips.rig, f"{self._crowd.name} {template.names[0]} bones")


def _say_steps_are_too_fast(template: Template, entry: CastEntry, crowd: Any) -> list[str]:
    """Compose the notice about a character whose stride is far too short for the speed of its crowd."""
    walk, speed = template.walk, crowd.speed.mean
    if walk is None or not walk.steps:
        return []
    stride = max(entry.clips["walk"].stride / walk.strides, entry.clips["run"].stride)
    if not 0.0 < _FASTEST_STEPS * stride < speed:
        return []
    takes = f"takes {speed / stride:.2g} strides a second to keep up, as one is {stride:.2f} m long in '{walk.name}'"
    way_out = f"set Speed of '{crowd.name}' to {_FASTEST_STEPS * stride:.1f} m/s, or choose a clip with longer strides"
    return [f"'{template.names[0]}' {takes}: {way_out}"]


def _said_once(templates: Iterable[Template]) -> list[str]:
    """Return the sentences about characters: what holds for many is said of the first, with how many others."""
    about: dict[str, list[str]] = {}
    for template in templates:
        name = f"'{template.names[0]}'"
        told = name + hint_of(template.names, template.parts)
        for notice in template.notices:
            about.setdefault(notice.removeprefix(name), []).append(notice.replace(name, told, 1))
    return [
        sentence
        for same in about.values()
        for sentence in (same if len(same) < _MANY else [f"{same[0]}. The same holds for {len(same) - 1} more"])
    ]
