# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose body radius is that of their character, because it is wider than people are."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class WideBodies:
    """Whose body radius follows the mesh; all chosen by trial on 30 characters of twelve sources.

    Attributes:
        usual: half the width of people while they walk, with their arms, is less [m]; their radius is the crowd's.
        arms: part of it that gives way in a crowd, as a share of the height: arms and hands.
        largest: a radius at most, as a share of the height: who is as tall as people still goes through a door.
        reach: how far arms and hands at most reach beyond a radius, where people keep them off obstacles [m].
        of_path: a radius at most, as a share of the width of a path: two pass.
    """

    usual: float = 0.4
    arms: float = 0.06
    largest: float = 0.25
    reach: float = 0.5
    of_path: float = 0.22


WIDE_BODIES = WideBodies()


def half_width_of(row: Any) -> float:
    """Half the width of a character of the cast table, as tall as it is in a bake, while it walks [m]; 0: not known."""
    return row.natural_half_width * (row.own_scale or row.seen_scale)
