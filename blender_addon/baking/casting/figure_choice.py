# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of the built-in figures plays whom, in a crowd that has no characters of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import bpy

from ...bakes.roles import RandomDraws, Role, WeightedDraw
from ...characters.choice import figures_for
from ...figures.dress import Wardrobe
from ...figures.materials import VARIATION
from ...figures.mesh.people import PEOPLE


class FigureChoice:
    """Figures by lot, made only when somebody needs them; one more changes nobody.

    Neighbours differ, but for instances, which are of fewer figures.

    Args:
        crowd: its settings.
        draws: its random numbers.
        chosen: names of figures that the user chose, by person.

    Attributes:
        all: names of all figures, and how often each is drawn.
    """

    def __init__(self, crowd: Any, draws: RandomDraws, chosen: Mapping[str, str]) -> None:
        figures = figures_for(crowd)
        self._names = [figure.name for figure in figures]
        weights: list[float | None] = [figure.weight for figure in figures]
        self.all = self._names, weights
        self._among = WeightedDraw(range(len(PEOPLE)), [figure.weight for figure in PEOPLE])
        self._wardrobe = Wardrobe()
        self._draws, self._chosen = draws, chosen
        self._places: dict[int, int] = {}

    def missing(self, roles: Iterable[Role] | None) -> list[int]:
        """Numbers of the figures that roles need and that have no place yet; without roles of all."""
        wanted = range(len(self._names)) if roles is None else dict.fromkeys(map(self._number, roles))
        return [number for number in wanted if number not in self._places]

    def note(self, numbers: Iterable[int]) -> None:
        """Give figures the next places, in this order."""
        for number in numbers:
            self._places[number] = len(self._places)

    def place(self, role: Role) -> int:
        """The place of the figure that plays a role."""
        return self._places[self._number(role)]

    def dress(self, copy: bpy.types.Object, role: Role) -> None:
        """Give a copy of a figure's body the colours of who plays a role."""
        self._wardrobe.dress(copy, self._draws.shirt(role), self._draws.draw(role, VARIATION))

    def _number(self, role: Role) -> int:
        chosen = self._chosen.get(role.title)
        if chosen in self._names:
            return self._names.index(chosen)
        drawn = self._draws.draw_in_turn(role, "character", self._among)
        return drawn % len(self._names)  # whoever is among the few figures of instances is the same as a character
