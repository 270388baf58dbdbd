# SPDX-License-Identifier: GPL-3.0-or-later
"""Who plays whom: the templates of one crowd, and a copy of one of them for each of its agents."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import astuple, replace
from typing import Any, ClassVar

import bpy
import numpy as np

from ....core import Trajectories
from ....core.array_types import Float64
from ....core.errors import Fault, SceneError
from ....core.motion.blending import Strides
from ....core.report.comparison import moved_alike
from ...bakes import looks, ownership
from ...bakes.edited_people import note_written, successors_of
from ...bakes.roles import RandomDraws, Role, WeightedDraw
from ...blender_data.bulk_clips import ClipWriter
from ...blender_data.tags import MADE_AS
from ...characters.acts.act_clips import Repertoire
from ...characters.acts.acting import act_all
from ...characters.character import WEIGHT, Character
from ...characters.choice import KnownTemplates, choose_characters
from ...characters.legs.find import KnownLegs
from ...characters.performances import Performance, Performances, lean_performances
from ...characters.ready.cast_table import CastEntry, read_entry
from ...characters.templates import Template, TemplateSettings, make_template
from ...figures.figure import remove_unused_figures
from ...settings.crowd.crowd import CHARACTERS
from ...settings.crowd.motion import DEFORM_ONLY
from .character_keys import Part, Score, animate, in_handfuls, rehearse, write_score
from .crowd_feet import CrowdFeet
from .dressing import Dresser, remove_unworn
from .figure_choice import FigureChoice
from .written_people import WrittenCrowd, WrittenPerson


class Cast:
    """The characters of one crowd: made aside, in no scene, until `replace_bake` shows them all at once.

    Args:
        crowd: the crowd's settings, one of `scene.footfall.crowds`.
        scene: where it is baked.
        frames: first and last frame.
        unit: metres per Blender unit.
        seed: of the draws.
        count: how many are made, where it is not the whole crowd.
        known: templates that need not be made again; those that are made here are added.
        earlier: the last bake of the crowd, if it was made from the same characters in the same way: templates are
            then made when somebody has to be written.

    Attributes:
        kind: what is made of each agent, in one word.
        most: so many agents a crowd may have at most.
        has_legs: each agent has legs of its own, that can be bent to keep a foot on the ground.
        uid, name: the crowd's.
        size: how many agents have been written, or left as they were.
        feet: what is known of the feet of its people.
        seen: what was found of its characters, for the cast table.

    Raises:
        SceneError: its characters cannot be used, or there would be too many.
    """

    kind: ClassVar[str] = "character"
    most: ClassVar[int] = 20_000
    has_legs: ClassVar[bool] = True

    def __init__(
        self,
        crowd: Any,
        *,
        scene: bpy.types.Scene,
        frames: tuple[int, int],
        unit: float,
        seed: int,
        count: int | None = None,
        known: KnownTemplates | None = None,
        earlier: WrittenCrowd | None = None,
    ) -> None:
        asked = crowd.count if count is None else count
        if asked > self.most:
            fault = f"{asked:,} {self.kind}s are requested; at most {self.most:,} can be baked"
            raise SceneError([Fault(crowd.name, fault)])
        self.uid: str = crowd.uid
        self.name: str = crowd.name
        self.size = 0
        self.feet = CrowdFeet(scene, unit)
        self._unit = unit
        self._scene = scene
        self._lean: float = 0.0 if crowd.drives else crowd.motion.lean
        self._is_empty = crowd.count == 0
        self._is_built_in = crowd.characters is None
        self._made: list[tuple[bpy.types.ID, str]] = []
        self._called: dict[str, str] = {}  # names of what is known by another
        self._by_hand: dict[str, str] = {}  # and those that the user gave
        self._templates, self._repertoires = list[Template](), list[Repertoire]()
        self.seen: list[CastEntry] = []
        self._size_variation: float = 0.0 if crowd.drives else crowd.motion.size_variation
        self._chosen = {edit.name: edit.character for edit in crowd.edits if edit.character}
        self._draws = RandomDraws(seed)
        are_figures = self._is_built_in and not crowd.drives
        self._figures = FigureChoice(crowd, self._draws, self._chosen) if are_figures else None
        self._dresser = Dresser(crowd, self._draws, self._figures, self._note, again=earlier is not None)
        self._originals: list[tuple[bpy.types.Object, ...]] = []
        self._unworn: list[bpy.types.Object] = []
        self._names, self._weights = ([], []) if self._figures is None else self._figures.all
        self._earlier = earlier
        self._recalled: KnownLegs = {} if earlier is None else earlier.legs
        self._known_legs: KnownLegs = {}
        self._left: dict[str, WrittenPerson] = {}
        self._left_objects: list[bpy.types.Object] = []
        self._copies: dict[Role, list[bpy.types.Object]] = {}
        self._writer = ClipWriter(self._note)
        self._has_bake = ownership.is_baked(scene, crowd.uid)
        self._said: list[str] = []
        self._made_clips = False
        self._crowd, self._frames, self._known = crowd, frames, known or KnownTemplates()
        if earlier is None and (self._figures is None or crowd.makes != CHARACTERS or not self.has_legs):
            self._make_templates()

    def _make_templates(self, roles: Iterable[Role] | None = None) -> None:
        """Make characters ready to be copied, unless they are: all, but of the built-in figures those of the roles."""
        figures = [] if self._figures is None else self._figures.missing(roles)
        if self._templates and not figures:
            return
        crowd = self._crowd
        plants = crowd.motion.plants_feet if self.has_legs and not crowd.drives else None
        own = {"plants_feet": plants, "keys_ik_feet": crowd.motion.keys_ik_feet, "drives": crowd.drives}
        own["only_deforms"] = plants is not None and crowd.motion.rig == DEFORM_ONLY
        try:
            given = {"scene": self._scene, "frames": self._frames, "unit": self._unit, "figures": figures}
            for character, settings in choose_characters(crowd, self._known, **given):
                self._add_template(character, replace(settings, **own))
            if self._figures is not None:
                self._figures.note(figures)
            else:
                self._weighted_draw = WeightedDraw(range(len(self._templates)), self._weights)
        except BaseException:
            self.discard()
            raise

    @property
    def notices(self) -> list[str]:
        """Sentences for the user."""
        if self._earlier is not None and not self._templates:
            return list(self._earlier.notices)
        nobody = [f"'{self.name}' is empty: its count is 0"] if self._is_empty else []
        unknown = sorted({name for name in self._chosen.values() if name not in self._names})
        nobody += [f"'{self.name}' no longer has a character '{n}': its people use other characters" for n in unknown]
        known = self._chosen.values() if self._figures is None else ()
        unseen = sorted({n for n in known if n in self._names and not self._can_play(self._names.index(n))})
        nobody += [f"'{self.name}': '{name}' cannot be shown: its people use other characters" for name in unseen]
        wrong = [name for name, weight in zip(self._names, self._weights, strict=True) if weight is None]
        must_be = f"its custom property '{WEIGHT}' must be a number of at least 0; 1 is used instead"
        nobody += [f"'{name}': {must_be}" for name in wrong]
        return [*nobody, *(notice for template in self._templates for notice in template.notices)]

    @property
    def characters(self) -> int:
        """How many characters there are to choose from."""
        return len(self._templates)

    def stride_length(self, role: Role) -> float:
        """Way of one run of the walk of the character that plays a role [m]; 1 for those who have none."""
        return (self._templates[self._number_of_template(role)].stride or 1.0) * self._size(role)

    def start_phase(self, role: Role) -> float:
        """Where in the walk a character starts [runs], drawn by lot so that a crowd is not in step."""
        return self._draws.draw(role, "stride")

    def write(self, performances: Performances, entries: Sequence[tuple[Role, int]]) -> Iterator[None]:
        """Make the characters, with a pause after each.

        Args:
            performances: of all agents.
            entries: each role, and the place in the trajectories of the agent that plays it.
        """
        if entries:
            self._make_templates([role for role, _ in entries])
        for some in in_handfuls(entries):
            numbers = [self._number_of_template(role) for role, _ in some]
            yield from self.act(performances, some, numbers)

    def leave(self, entries: Sequence[tuple[Role, int]], trajectories: Trajectories) -> list[tuple[Role, int]]:
        """Leave as they are those characters of the last bake who would be made just the same.

        Args:
            entries: each role, and the place in the trajectories of the agent that plays it.
            trajectories: the motion.

        Returns:
            Those entries that are to be written.
        """
        earlier = self._earlier
        if earlier is None:
            return list(entries)
        alike = moved_alike(earlier.trajectories, trajectories, [agent for _, agent in entries])
        made = ownership.owned_alone(self._scene, self.uid)
        untouched = {
            role: [made[name] for name in known.objects]
            for (role, _), does_the_same in zip(entries, alike.tolist(), strict=True)
            if does_the_same and (known := earlier.people.get(role.title)) and known.is_whole(made)
        }
        rest = [entry for entry in entries if entry[0] not in untouched]
        if rest and earlier.makes_clips:
            return list(entries)  # all share them
        for role, objects in untouched.items():
            known = self._left[role.title] = earlier.people[role.title]
            self._left_objects += objects
            self.feet.note_known(role, known.slides, known.worst, known.character, known.faults)
            self.feet.seen |= {name: seen for name, seen in earlier.seen.items() if name == known.character}
            self.size += 1
        return rest

    def written(self, key: Hashable, trajectories: Trajectories) -> WrittenCrowd:
        """What there is of the crowd's bake, once it is shown; see `written_people`."""
        people = self._left | {
            role.title: WrittenPerson(
                tuple([copy[MADE_AS] for copy in copies]),
                self.feet.slides.get(role[:2], np.empty(0)),
                self.feet.worst.get(role[:2]),
                self.feet.plays.get(role[:2], ""),
                self.feet.faults.get(role[:2], {}),
            )
            for role, copies in self._copies.items()
        }
        legs = self._known_legs or self._recalled
        return WrittenCrowd(key, trajectories, self._said, self._made_clips, people, legs, self.feet.seen)

    def act(
        self, performances: Performances, entries: Sequence[tuple[Role, int]], numbers: Sequence[int]
    ) -> Iterator[None]:
        """Make the characters of some agents, worked out together, with a pause after each.

        Args:
            performances: of all agents.
            entries: each role, and the place in the trajectories of the agent that plays it.
            numbers: of the characters that play them.
        """
        roles = [role for role, _ in entries]
        agents = np.array([agent for _, agent in entries])
        starts, looks = self.start_phases(roles), self._crowd.motion.looks_about
        done = performances.of(agents, strides=self.strides_of(roles, numbers), start_phases=starts, looks=looks)
        yield from self.add(list(zip(roles, done, numbers, strict=True)))

    def add(self, parts: Sequence[tuple[Role, Performance, int]]) -> Iterator[None]:
        """Make the characters that play roles, worked out together, with a pause after each.

        Args:
            parts: each role, what its agent does, and the number of the character.
        """
        acted = act_all(self._repertoires, parts, self._draws, self._size)
        chosen = [number for _, _, number in parts]
        played: dict[int, Part] = {}
        for number in dict.fromkeys(chosen):
            own = [place for place, each in enumerate(chosen) if each == number]
            lean = self._lean if self._templates[number].clips is not None else 0.0
            done = lean_performances([acted[place] for place in own], lean, self._unit)
            played |= zip(own, rehearse(self._templates[number], done, self._repertoires[number]), strict=True)
        scores = []
        for place, (number, (role, _, _)) in enumerate(zip(chosen, parts, strict=True)):
            scores.append(write_score(self._templates[number], played[place], role.name, self._writer))
            self._name(*zip(*scores[place].actions, strict=True))
            yield
        self._writer.name_slots()
        for place, (number, (role, _, _)) in enumerate(zip(chosen, parts, strict=True)):
            self._add(role, number, played[place], scores[place])
            yield

    def _note(self, block: bpy.types.ID, title: str) -> None:
        """Know of what was just made, and by which title: it is removed when the bake is given up."""
        self._made.append((block, title))

    def _name(self, blocks: Iterable[bpy.types.ID], names: Iterable[str]) -> None:
        """Name what was just made, unless the bake that it replaces has those names: later it would take longer."""
        if not self._has_bake:
            for block, name in zip(blocks, names, strict=True):
                block.name = name

    def strides_of(self, roles: Sequence[Role], numbers: Sequence[int]) -> Strides:
        """Of the clips of the characters of these numbers that play roles."""
        sizes = np.array([self._size(role) for role in roles])
        each = [self._templates[number].strides for number in numbers]
        walk, run, *others = (np.array(column) for column in zip(*map(astuple, each), strict=True))
        return Strides(walk * sizes, run * sizes, *others)

    def start_phases(self, roles: Sequence[Role]) -> Float64:
        """Phases of the walk at which those who play roles start."""
        return np.array([self.start_phase(role) for role in roles])

    def _add(self, role: Role, number: int, part: Part, score: Score) -> None:
        template = self._templates[number]
        titles, names = (template.names_of_copies(each) for each in (role.title, role.name))
        copies = template.copy()
        self._made += zip(copies, titles, strict=True)
        self._called |= zip(titles, names, strict=True)
        unworn = self._dresser.dress(role, copies, self._originals[number])
        copies[0].scale *= part.performance.size
        animate(copies, template, part, score, self._note)
        self._name(copies, names)
        self._copies[role] = [copy for copy in copies if copy not in unworn]
        self._unworn += unworn
        if self.has_legs and not self._crowd.drives:
            self.feet.note(role, copies, template, part)
        self.size += 1

    def replace_bake(self) -> list[str]:
        """Show the characters in the place of the crowd's old bake, which is removed.

        Returns:
            Sentences about what was kept of the old one.

        Raises:
            FootfallError: the old bake cannot be removed, see `ownership.check_removable`; nothing was changed.
        """
        ownership.check_removable(self._scene, self.uid)
        self._made, self._unworn = remove_unworn(self._unworn, self._made), []
        successors = {name: block for block, name in self._made if isinstance(block, bpy.types.Object)}
        self._by_hand = ownership.names_by_hand(self._scene, self.uid)
        shown = looks.remember(self._scene, self.uid)
        ownership.hand_over(self._scene, self.uid, successors_of(self._scene, self.uid, successors))
        notices = ownership.remove_objects(self._scene, self.uid, but=self._left_objects)
        self._said = self.notices
        self._made_clips = any(repertoire.makes_clips for repertoire in self._repertoires)
        if self._earlier is not None and not self._templates:
            self._made_clips = self._earlier.makes_clips
        self.join_bake()
        looks.restore(self._scene, successors, shown)
        return [*notices, *self._kept]

    def join_bake(self) -> list[bpy.types.Object]:
        """Show what was made beside what there is of the crowd's bake.

        Returns:
            The objects that were made and hang on no other.
        """
        self._made, self._unworn = remove_unworn(self._unworn, self._made), []
        blocks = [block for block, _ in self._made]
        called, name = self._called, f"Footfall {self.name}"
        ownership.adopt(self._scene, self.uid, name, self._made, called=called, by_hand=self._by_hand)
        self._made.clear()
        self.discard()
        objects = [block for block in blocks if isinstance(block, bpy.types.Object)]
        note_written(self._scene, self.uid, objects)
        return [block for block in objects if block.parent is None]

    def discard(self) -> None:
        """Remove all that was made and is not shown: the file is as before."""
        blocks = [block for block, _ in self._made]
        blocks += [part for template in self._templates for part in template.parts]
        self._made, self._templates = [], []
        bpy.data.batch_remove(blocks)
        self._kept = remove_unused_figures()

    def _add_template(self, character: Character, settings: TemplateSettings) -> None:
        known = self._known.templates
        alike = known.get((character, settings))
        template = make_template(character, settings, self._recalled) if alike is None else alike.again()
        self._known_legs |= template.known_legs
        self._templates.append(template)
        figure = character.name if self._figures is not None else ""
        self._repertoires.append(Repertoire(template, self._scene, self._unit, figure, self._note, character.acts))
        self._originals.append(character.parts)
        if self._figures is None:
            self._names.append(character.name)
            self._weights.append(character.weight)
        if not (self._is_built_in or settings.drives):
            self.seen.append(read_entry(character, template, self._unit))
        if not template.makes_clips:
            known[character, settings] = template
        for clip in template.clips.all if template.clips is not None else ():
            if clip.is_copy:
                self._made.append((clip.clip.action, f"{self.name} {clip.name}"))
        if template.clips is not None and template.clips.rig is not None:
            self._made.append((template.clips.rig, f"{self.name} {template.names[0]} bones"))

    def _number_of_template(self, role: Role) -> int:
        if self._figures is not None:
            return self._figures.place(role)
        chosen = self._chosen.get(role.title)
        if chosen in self._names and self._can_play(self._names.index(chosen)):
            return self._names.index(chosen)
        return self._weighted_draw.draw(self._draws.draw(role, "character"))

    def _can_play(self, number: int) -> bool:
        """Whether something can be made of one of the characters."""
        return 0 <= number < len(self._templates)

    def _size(self, role: Role) -> float:
        """How many times as large as its character somebody is."""
        if not self._size_variation:
            return 1.0
        return 1.0 + self._size_variation * (2.0 * self._draws.draw(role, "size") - 1.0)
