# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be known of a bake, in one word; settings show it without knowing who finds it out."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

import bpy


class Freshness(enum.Enum):
    """What is known of a crowd's bake; of several crowds the last one of these is shown."""

    NOT_BAKED = enum.auto()
    UP_TO_DATE = enum.auto()
    NOT_COMPARED = enum.auto()  # nothing was seen to change, but nobody has compared since the file was opened
    CHANGED = enum.auto()  # something was changed; whether the bake would differ has not been compared
    OUT_OF_DATE = enum.auto()


Judge = Callable[[bpy.types.Scene], Freshness]

ITEMS = (
    (Freshness.NOT_BAKED.name, "Not Baked", "Nothing is baked in this scene", Freshness.NOT_BAKED.value),
    (Freshness.UP_TO_DATE.name, "Up to Date", "A new bake would give the same result", Freshness.UP_TO_DATE.value),
    (
        *(Freshness.NOT_COMPARED.name, "Not Compared"),
        *("Not compared with the scene since the file was opened", Freshness.NOT_COMPARED.value),
    ),
    (
        *(Freshness.CHANGED.name, "Changed"),
        *("Inputs changed since the bake; the result may still be the same", Freshness.CHANGED.value),
    ),
    (
        Freshness.OUT_OF_DATE.name,
        "Out of Date",
        "A new bake would give a different result",
        Freshness.OUT_OF_DATE.value,
    ),
)
"""The items of a property that tells it."""

judges: list[Judge] = []
"""Functions that know the status of bakes: the last one is asked."""


def state_of(settings: Any) -> int:
    """What is known of the bakes of a scene, by its settings, as the number of an item."""
    return (judges[-1](settings.id_data) if judges else Freshness.NOT_BAKED).value
