# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is in a bake: the role of each agent, who of them gets a character, and who is left out and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import bpy
import numpy as np

from ...core import Trajectories
from ..bakes import ownership
from ..bakes.roles import Role
from ..reading import Reading
from ..settings.crowd.edits import people_who
from .casting.cast import Cast
from .reporting import Person
from .summary import count_left_out

Entry = tuple[Cast, Role, int]
"""Who plays an agent: the cast of its crowd, its role, and its number."""


class PeopleOfBake:
    """The people of a bake.

    Args:
        scene: what is baked.
        reading: of the scene.
        trajectories: of everybody, crowd by crowd.
        casts: of the crowds that are written, by their number in the panel.

    Attributes:
        entries: of those who get a character: who are present at some frame and not hidden.
    """

    def __init__(
        self, scene: bpy.types.Scene, reading: Reading, trajectories: Trajectories, casts: Mapping[int, Cast]
    ) -> None:
        self._scene = scene
        self._comes: list[bool] = np.any(trajectories.present, axis=0).tolist()
        counts = np.bincount(trajectories.crowd, minlength=len(reading.crowds)).tolist()
        self._roles = [
            (read.index, Role(read.known_as, number, count, read.name))
            for read, count in zip(reading.crowds, counts, strict=True)
            for number in range(count)
        ]
        self._asked: list[Entry] = [
            (casts[index], role, agent) for agent, (index, role) in enumerate(self._roles) if index in casts
        ]
        hidden = {name for crowd in self._crowds for name in people_who(crowd, "hidden")}
        self.entries = [entry for entry in self._asked if self._comes[entry[2]] and entry[1].title not in hidden]

    @property
    def _crowds(self) -> Any:
        return self._scene.footfall.crowds  # ty: ignore[missing-attribute]

    @property
    def roles(self) -> list[Role]:
        """The role of each agent."""
        return [role for _, role in self._roles]

    def count_left_out(self) -> Counter[str]:
        """Count the people without a character in the crowds that are written, by the reason."""
        return count_left_out(self._crowds, ((role.title, self._comes[agent]) for _, role, agent in self._asked))

    def named(self) -> list[Person]:
        """Return each agent by the names that its character has now."""
        by_hand = {crowd.uid: ownership.names_by_hand(self._scene, crowd.uid) for crowd in self._crowds}
        found = ((self._crowds[index].uid, role) for index, role in self._roles)
        return [Person(uid, role, by_hand[uid].get(role.title, role.name)) for uid, role in found]
