# SPDX-License-Identifier: GPL-3.0-or-later
"""Who plays whom: the templates of one crowd, and a copy of one of them for each of its agents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.errors import Fault, SceneError
from ...core.motion.blending import Strides
from ...core.simulation.randomness import uniform
from . import ownership
from .animating import Part, animate, rehearse
from .characters import WEIGHT, Character, find_characters
from .figure import Figure, ensure_figures, remove_unused_figures, shirt_colour
from .figure_materials import VARIATION
from .lottery import Lottery
from .performances import Performance, Performances, leaning
from .planted_feet import Slides
from .templates import Template, TemplateSettings, make_template
from .vehicle_models import make_vehicle, paint

HANDFUL = 24
"""Characters that are worked out at once; more at a time are no faster."""

_SHIRTS = 1000  # more than there are colours


KnownTemplates = dict[tuple[Character, TemplateSettings], Template]
"""Templates that other crowds of the same bake have made, while these are there."""


class Role(NamedTuple):
    """An agent, as its crowd sees it.

    Attributes:
        crowd: name of the core's crowd, by which lots are drawn.
        number: of the agent in that crowd, from 0.
        count: how many agents that crowd has.
    """

    crowd: str
    number: int
    count: int

    @property
    def title(self) -> str:
        """What the character that plays it is called."""
        return ownership.title_of(self.crowd, self.number)


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

    Attributes:
        kind: what is made of each agent, in one word.
        most: so many agents a crowd may have at most.
        has_legs: each agent has legs of its own, that can be bent to keep a foot on the ground.
        uid, name: the crowd's.
        size: how many agents have been written.
        slides: for each of the core's crowds, how far feet slide in each contact [m], one array per agent.
        worst_slides: of who has planted feet, by the core's crowd and the number in it, the largest slide [m] and the
            row of frames at which it is.

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
    ) -> None:
        asked = crowd.count if count is None else count
        if asked > self.most:
            fault = f"{asked:,} {self.kind}s are asked for; at most {self.most:,} can be made"
            raise SceneError([Fault(crowd.name, fault)])
        self.uid: str = crowd.uid
        self.name: str = crowd.name
        self.size = 0
        self.slides: defaultdict[str, list[NDArray[np.float64]]] = defaultdict(list)
        self.worst_slides: dict[tuple[str, int], tuple[float, int]] = {}
        self._unit = unit
        self._scene = scene
        self._seed = seed
        self._lean: float = 0.0 if crowd.drives else crowd.motion.lean
        self._is_empty = crowd.count == 0
        self._is_built_in = crowd.characters is None
        self._vehicle: str | None = crowd.vehicle.kind.lower() if crowd.drives else None
        self._made: list[tuple[bpy.types.ID, str]] = []
        self._templates: list[Template] = []
        self._names: list[str] = []
        self._weights: list[float | None] = []
        self._size_variation: float = 0.0 if crowd.drives else crowd.motion.size_variation
        self._chosen = {edit.name: edit.character for edit in crowd.edits if edit.character}
        self._lots: dict[tuple[str, str], NDArray[np.float64]] = {}
        try:
            plants = crowd.motion.plants_feet if self.has_legs and not crowd.drives else None
            for character, settings in _choose(crowd, scene=scene, frames=frames, unit=unit):
                self._names.append(character.name)
                self._weights.append(character.weight)
                own = replace(settings, plants_feet=plants, keys_ik_feet=crowd.motion.keys_ik_feet, drives=crowd.drives)
                self._add_template(character, own, {} if known is None else known)
            self._lottery = Lottery(range(len(self._templates)), self._weights)
        except BaseException:
            self.discard()
            raise

    @property
    def notices(self) -> list[str]:
        """Sentences for the user."""
        nobody = [f"'{self.name}' has nobody in it: its count is 0"] if self._is_empty else []
        unknown = sorted({name for name in self._chosen.values() if name not in self._names})
        nobody += [f"'{self.name}' has no character '{name}' any more: others play its people" for name in unknown]
        unseen = sorted(
            {n for n in self._chosen.values() if n in self._names and not self._can_play(self._names.index(n))}
        )
        nobody += [
            f"'{self.name}': '{name}' cannot be shown: others play the people whom it was to play" for name in unseen
        ]
        for name, weight in zip(self._names, self._weights, strict=True):
            if weight is None:
                nobody.append(f"'{name}': its custom property '{WEIGHT}' must be a number from 0 on; it counts as 1")
        return [*nobody, *(notice for template in self._templates for notice in template.notices)]

    @property
    def characters(self) -> int:
        """How many characters there are to choose from."""
        return len(self._templates)

    def stride_length(self, role: Role) -> float:
        """Way of one run of the walk of the character that plays a role [m]; 1 for those who have none."""
        return (self._template(role).stride or 1.0) * self._size(role)

    def start_phase(self, role: Role) -> float:
        """Where in the walk a character sets out [runs], drawn by lot so that a crowd is not in step."""
        return self._draw(role, "stride")

    def write(self, performances: Performances, entries: Sequence[tuple[Role, int]]) -> Iterator[None]:
        """Make the characters, with a pause after each.

        Args:
            performances: of all agents.
            entries: each role, and the place in the trajectories of the agent that plays it.
        """
        for some in _in_handfuls(entries):
            yield from self.add([(role, self._performance(performances, role, agent), None) for role, agent in some])

    def add(self, parts: Sequence[tuple[Role, Performance, int | None]]) -> Iterator[None]:
        """Make the characters that play roles, worked out together, with a pause after each.

        Args:
            parts: each role, what its agent does, and the number of the character; None: the one that is drawn by lot.
        """
        chosen = [self._number_of_template(role) if number is None else number for role, _, number in parts]
        played: dict[int, Part] = {}
        for number in dict.fromkeys(chosen):
            own = [place for place, each in enumerate(chosen) if each == number]
            lean = self._lean if self._templates[number].clips is not None else 0.0
            sized = [replace(parts[place][1], size=self._size(parts[place][0])) for place in own]
            done = [leaning(each, lean, self._unit) for each in sized]
            played |= zip(own, rehearse(self._templates[number], done), strict=True)
        for place, (number, (role, _, _)) in enumerate(zip(chosen, parts, strict=True)):
            self._add(role, self._templates[number], played[place])
            yield

    def _performance(self, performances: Performances, role: Role, agent: int) -> Performance:
        template = self._template(role)
        size = self._size(role)
        strides = Strides((template.stride or 1.0) * size, template.run_stride * size, template.idle is not None)
        return performances.of(agent, strides=strides, start_phase=self.start_phase(role))

    def _add(self, role: Role, template: Template, part: Part) -> None:
        name = role.title
        copies = template.copy()
        self._made += zip(copies, template.names_of_copies(name), strict=True)
        if self._is_built_in:
            for copy in copies:
                copy.color = paint(self._vehicle, role.number) if self._vehicle else self._shirt(role)
        for copy in copies:
            copy[VARIATION] = self._draw(role, VARIATION)
        copies[0].scale *= part.performance.size
        animated = animate(copies, template, part, name)
        self._made += animated.actions
        self._note_slides(role, animated.slides)
        self.size += 1

    def replace_bake(self) -> list[str]:
        """Show the characters in the place of the crowd's old bake, which is removed.

        Returns:
            Sentences about what was kept of the old one.

        Raises:
            FootfallError: the old bake cannot be removed, see `ownership.check_removable`; nothing was changed.
        """
        ownership.check_removable(self._scene, self.uid)
        successors = {name: block for block, name in self._made if isinstance(block, bpy.types.Object)}
        ownership.hand_over(self._scene, self.uid, successors)
        notices = ownership.remove_objects(self._scene, self.uid)
        self.join_bake()
        return notices

    def join_bake(self) -> list[bpy.types.Object]:
        """Show what was made beside what there is of the crowd's bake.

        Returns:
            The objects that were made and hang on no other.
        """
        for block, name in self._made:
            block.name = name
        blocks = [block for block, _ in self._made]
        ownership.adopt(self._scene, self.uid, f"Footfall {self.name}", self._made)
        self._made.clear()
        self.discard()
        return [block for block in blocks if isinstance(block, bpy.types.Object) and block.parent is None]

    def discard(self) -> None:
        """Remove all that was made and is not shown: the file is as before."""
        blocks = [block for block, _ in self._made]
        blocks += [part for template in self._templates for part in template.parts]
        self._made, self._templates = [], []
        bpy.data.batch_remove(blocks)
        remove_unused_figures()

    def _note_slides(self, role: Role, slides: Slides) -> None:
        self.slides[role.crowd].append(slides.length * self._unit)
        if len(slides.length):
            worst = int(np.argmax(slides.length))
            self.worst_slides[role.crowd, role.number] = (slides.length[worst] * self._unit, int(slides.row[worst]))

    def _add_template(self, character: Character, settings: TemplateSettings, known: KnownTemplates) -> None:
        alike = known.get((character, settings))
        template = make_template(character, settings) if alike is None else alike.again()
        self._templates.append(template)
        if not template.makes_clips:
            known[character, settings] = template
        for clip in template.clips.all if template.clips is not None else ():
            if clip.is_copy:
                self._made.append((clip.clip.action, f"{self.name} {clip.name}"))

    def _template(self, role: Role) -> Template:
        return self._templates[self._number_of_template(role)]

    def _number_of_template(self, role: Role) -> int:
        chosen = self._chosen.get(role.title)
        if chosen in self._names and self._can_play(self._names.index(chosen)):
            return self._names.index(chosen)
        return self._lottery.draw(self._draw(role, "character"))

    def _can_play(self, number: int) -> bool:
        """Whether something can be made of one of the characters."""
        return 0 <= number < len(self._templates)

    def _size(self, role: Role) -> float:
        """How many times as large as its character somebody is."""
        if not self._size_variation:
            return 1.0
        return 1.0 + self._size_variation * (2.0 * self._draw(role, "size") - 1.0)

    def _shirt(self, role: Role) -> tuple[float, float, float, float]:
        """The colour that somebody wears: within a crowd one after the other, so that neighbours differ."""
        key = (role.crowd, "clothes")
        if key not in self._lots:
            self._lots[key] = uniform(self._seed, *key, 1)
        return shirt_colour(role.number + int(_SHIRTS * self._lots[key][0]))

    def _draw(self, role: Role, attribute: str) -> float:
        key = (role.crowd, attribute)
        known = len(self._lots.get(key, ()))
        if role.number >= known:  # twice as many at a time: those who are made real come one by one
            self._lots[key] = uniform(self._seed, role.crowd, attribute, max(role.count, 2 * known))
        return float(self._lots[key][role.number])


def _in_handfuls(entries: Sequence[tuple[Role, int]]) -> Iterator[Sequence[tuple[Role, int]]]:
    for first in range(0, len(entries), HANDFUL):
        yield entries[first : first + HANDFUL]


def _choose(
    crowd: Any, *, scene: bpy.types.Scene, frames: tuple[int, int], unit: float
) -> Iterator[tuple[Character, TemplateSettings]]:
    """The characters of a crowd: its own, or the built-in ones, which are made in metres and look along -Y."""
    if crowd.characters is not None:
        settings = TemplateSettings(
            scene, frames, unit=unit, forward_axis=crowd.forward_axis, stride_length=crowd.stride_length
        )
        for character in find_characters(crowd.characters):
            yield character, settings
        return
    settings = TemplateSettings(scene, frames, unit=unit, stride_length=crowd.stride_length, scale=1.0 / unit)
    if crowd.drives:
        vehicle = crowd.vehicle
        character, size = make_vehicle(vehicle.kind.lower(), vehicle.length, vehicle.width)
        yield character, replace(settings, scale=size / unit)
        return
    for built_in in ensure_figures():
        yield _played_by(built_in), settings


def _played_by(figure: Figure) -> Character:
    return Character(
        figure.name,
        (figure.armature, *figure.meshes),
        figure.armature,
        figure.walk,
        stride=figure.stride,
        idle=figure.idle,
        run=figure.run,
        run_stride=figure.run_stride,
        run_ahead=figure.run_ahead,
    )
