# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake made for each person of a crowd, so that the next bake can leave those who are the same."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import bpy

from ....core import Trajectories
from ....core.array_types import Float64
from ...bakes.handwork import is_let_go
from ...characters.legs.find import KnownLegs
from .crowd_feet import SeenCharacter
from .played_bodies import PlayedBody


@dataclass(frozen=True, eq=False)
class WrittenPerson:
    """What was made for one person.

    Attributes:
        objects: name given by the bake to each object.
        slides: float64 (C,), slide of the feet in each contact [m].
        worst: the largest of these and its row of frames; None where no feet are known.
        character: name of the character.
        faults: of its feet, see `Steps` [m, s].
        body: how it is seen, see `Cast.bodies`.
    """

    objects: tuple[str, ...]
    slides: Float64
    worst: tuple[float, int] | None
    character: str
    faults: dict[str, tuple[float, int]]
    body: PlayedBody | None

    def is_whole(self, made: Mapping[str, bpy.types.Object]) -> bool:
        """Return whether all objects of the person are among those of the bake, by name, and none was let go."""
        return all(name in made and not is_let_go(made[name]) for name in self.objects)


@dataclass(eq=False)
class WrittenCrowd:
    """The last bake of a crowd.

    Attributes:
        key: its inputs beside the motion; see `key_of`.
        trajectories: the motion.
        notices: about its characters.
        makes_clips: clips were made for it, which all its characters share.
        people: by the names of the characters.
        legs: those found in its characters; they hold as long as the key does.
        seen: by the name of the character, how it walks.
        watched: by the name of the built-in figure, see `CastTemplates`.
    """

    key: Hashable
    trajectories: Trajectories
    notices: list[str]
    makes_clips: bool
    people: dict[str, WrittenPerson] = field(default_factory=dict)
    legs: KnownLegs = field(default_factory=dict)
    seen: dict[str, SeenCharacter] = field(default_factory=dict)
    watched: dict[str, dict[Hashable, Any]] = field(default_factory=dict)
