# SPDX-License-Identifier: GPL-3.0-or-later
"""Who plays whom: the templates of one crowd, and a copy of one of them for each of its agents."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Hashable, Iterable, Iterator, Sequence
from dataclasses import astuple
from typing import Any, ClassVar

import bpy
import numpy as np

from ....core import Trajectories
from ....core.array_types import Bool, Float64
from ....core.errors import Fault, SceneError
from ....core.motion.blending import Strides
from ...bakes import looks, ownership
from ...bakes.edited_people import note_written, successors_of
from ...bakes.roles import RandomDraws, Role
from ...blender_data.bulk_clips import ClipWriter
from ...blender_data.tags import MADE_AS
from ...characters.acts.acting import act_all
from ...characters.choice import KnownTemplates
from ...characters.performances import Performance, Performances, lean_performances
from ...figures.figure import remove_unused_figures
from ...settings.crowd.crowd import CHARACTERS
from .cast_templates import CastTemplates
from .character_keys import OF_ONE_CHARACTER, Part, Score, animate, in_handfuls, rehearse, write_score
from .crowd_feet import CrowdFeet
from .dressing import Dresser, remove_unworn
from .played_bodies import PlayedBody
from .vehicle_tilt import tilt_vehicles
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
        bodies: of those who are characters with clips, by the core's crowd and the number in it, how they are seen.
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
        self.bodies: dict[tuple[str, int], PlayedBody] = {}
        self._unit = unit
        self._scene = scene
        self._lean: float = 0.0 if crowd.drives else crowd.motion.lean
        self._is_empty = crowd.count == 0
        self._made: list[tuple[bpy.types.ID, str]] = []
        self._called: dict[str, str] = {}  # names of what is known by another
        self._by_hand: dict[str, str] = {}  # and those that the user gave
        self._size_variation: float = 0.0 if crowd.drives else crowd.motion.size_variation
        self._draws = RandomDraws(seed)
        given = {"has_legs": self.has_legs, "frames": frames, "unit": unit, "known": known}
        self._ready = ready = CastTemplates(crowd, scene, self._draws, self._note, **given)
        if earlier is not None:
            ready.recalled, ready.watched = earlier.legs, dict(earlier.watched)
        self._templates, self._repertoires, self.seen = ready.all, ready.repertoires, ready.seen
        self._dresser = Dresser(crowd, self._draws, ready.figures, self._note, again=earlier is not None)
        self._unworn: list[bpy.types.Object] = []
        self._earlier = earlier
        self._left: dict[str, WrittenPerson] = {}
        self._left_objects: list[bpy.types.Object] = []
        self._copies: dict[Role, list[bpy.types.Object]] = {}
        self._writer = ClipWriter(self._note)
        self._has_bake = ownership.is_baked(scene, crowd.uid)
        self._said: list[str] = []
        self._made_clips = False
        self._crowd, self._frames = crowd, frames
        if earlier is None and (ready.figures is None or crowd.makes != CHARACTERS or not self.has_legs):
            for _ in self._make_templates():
                pass

    def _make_templates(self, roles: Iterable[Role] | None = None) -> Iterator[None]:
        try:
            yield from self._ready.make(roles)
        except BaseException:
            self.discard()
            raise

    @property
    def notices(self) -> list[str]:
        """Sentences for the user."""
        if self._earlier is not None and not self._templates:
            return list(self._earlier.notices)
        nobody = [f"'{self.name}' is empty: its count is 0"] if self._is_empty else []
        return [*nobody, *self._ready.notices()]

    @property
    def characters(self) -> int:
        """How many characters there are to choose from."""
        return len(self._templates)

    @property
    def left(self) -> Collection[str]:
        """Names in the bake of those whom `leave` left as they are."""
        return self._left.keys()

    def stride_length(self, role: Role) -> float:
        """Way of one run of the walk of the character that plays a role [m]; 1 for those who have none."""
        return (self._templates[self._ready.number_of(role)].stride or 1.0) * self._size(role)

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
            yield from self._make_templates([role for role, _ in entries])
        for some in in_handfuls(entries):
            numbers = [self._ready.number_of(role) for role, _ in some]
            yield from self.act(performances, some, numbers)

    @property
    def key_of_all_left(self) -> Hashable | None:
        """The key of the inputs of those whom `leave` left as they were, if that is everybody; else None."""
        return self._earlier.key if self._earlier is not None and not self._copies else None

    def leave(
        self, entries: Sequence[tuple[Role, int]], alike: Callable[[Trajectories], Bool]
    ) -> list[tuple[Role, int]]:
        """Leave as they are those characters of the last bake who would be made just the same.

        Args:
            entries: each role, and the place in the trajectories of the agent that plays it.
            alike: which agents, bool (A,), move and do the same in another motion and in that of this bake.

        Returns:
            Those entries that are to be written.
        """
        earlier = self._earlier
        if earlier is None:
            return list(entries)
        as_before = alike(earlier.trajectories)
        made = ownership.owned_alone(self._scene, self.uid)
        untouched = {
            role: [made[name] for name in known.objects]
            for role, agent in entries
            if as_before[agent] and (known := earlier.people.get(role.title)) and known.is_whole(made)
        }
        rest = [entry for entry in entries if entry[0] not in untouched]
        if rest and earlier.makes_clips:
            return list(entries)  # all share them
        for role, objects in untouched.items():
            known = self._left[role.title] = earlier.people[role.title]
            self._left_objects += objects
            self.feet.note_known(role, known.slides, known.worst, known.character, known.faults)
            self.feet.seen |= {name: seen for name, seen in earlier.seen.items() if name == known.character}
            if known.body is not None:
                self.bodies[role[:2]] = known.body
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
                self.bodies.get(role[:2]),
            )
            for role, copies in self._copies.items()
        }
        found = {"legs": self._ready.legs, "seen": self.feet.seen, "watched": self._ready.watched}
        return WrittenCrowd(key, trajectories, self._said, self._made_clips, people, **found)

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
            template, repertoire = self._templates[number], self._repertoires[number]
            lean = self._lean if template.clips is not None else 0.0
            for own in in_handfuls([place for place, each in enumerate(chosen) if each == number], OF_ONE_CHARACTER):
                done = lean_performances([acted[place] for place in own], lean, self._unit)
                if self._crowd.drives:
                    done = tilt_vehicles(done, template.gear.wheels, self._crowd.vehicle, self._unit)
                played |= zip(own, rehearse(template, done, repertoire), strict=True)
                yield
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

    def shown_originals(self) -> list[bpy.types.Object]:
        """Return what moves the user's own characters that are rendered beside their copies."""
        return self._ready.shown_originals()

    def start_phases(self, roles: Sequence[Role]) -> Float64:
        """Phases of the walk at which those who play roles start."""
        return np.array([self.start_phase(role) for role in roles])

    def _add(self, role: Role, number: int, part: Part, score: Score) -> None:
        template = self._templates[number]
        titles, names = (template.names_of_copies(each) for each in (role.title, role.name))
        copies = template.copy()
        self._made += zip(copies, titles, strict=True)
        self._called |= zip(titles, names, strict=True)
        unworn = self._dresser.dress(role, copies, self._ready.originals[number])
        copies[0].scale *= part.performance.size
        animate(copies, template, part, score, self._note)
        self._name(copies, names)
        self._copies[role] = [copy for copy in copies if copy not in unworn]
        self._unworn += unworn
        if self.has_legs and not self._crowd.drives:
            self.feet.note(role, copies, template, part)
            body = PlayedBody.of(part, self._repertoires[number])
            if body is not None:
                self.bodies[role[:2]] = body
        self.size += 1

    def replace_bake(self, unchanged: Container[bpy.types.Object] = ()) -> list[str]:
        """Show the characters in the place of the crowd's old bake, which is removed.

        Args:
            unchanged: objects of the old one that are known to be as it made them.

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
        notices = ownership.remove_objects(self._scene, self.uid, but=self._left_objects, unchanged=unchanged)
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
        self._made = []
        self._templates.clear()
        bpy.data.batch_remove([block for block in blocks if is_in_file(block)])
        self._kept = remove_unused_figures()

    def _size(self, role: Role) -> float:
        """How many times as large as its character somebody is."""
        if not self._size_variation:
            return 1.0
        return 1.0 + self._size_variation * (2.0 * self._draws.draw(role, "size") - 1.0)


def is_in_file(block: bpy.types.ID) -> bool:
    """Whether a data-block was not removed meanwhile, as by Purge: Blender crashes where that is removed again."""
    try:
        return bool(block.session_uid)
    except ReferenceError:
        return False
