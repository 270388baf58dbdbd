# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether people start the same in a changed scene: bit for bit, with their whole routes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..pedestrians.pedestrians import Pedestrians


def starts_alike(one: Pedestrians, other: Pedestrians, replaced: Mapping[int, object]) -> bool:
    """Return whether people are the same at the first frame, bit for bit.

    Args:
        one: people of a checkpoint.
        other: people at their start positions.
        replaced: what takes the place of each placeholder of the checkpoint, by its identity.
    """
    other.facing(np.flatnonzero(other.agents.present))  # as when a frame is recorded
    return _Comparison(replaced).are_alike(one, other)


class _Comparison:
    """Compares two objects with all their parts."""

    def __init__(self, replaced: Mapping[int, object]) -> None:
        self._replaced = replaced
        self._compared: set[tuple[int, int]] = set()

    def are_alike(self, one: Any, other: Any) -> bool:
        """Return whether two objects have the same parts, bit for bit."""
        one = self._replaced.get(id(one), one)
        if one is other or (id(one), id(other)) in self._compared:
            return True
        self._compared.add((id(one), id(other)))
        return type(one) is type(other) and self._are_alike(one, other)

    def _are_alike(self, one: Any, other: Any) -> bool:
        """As `are_alike`, of two objects of the same type."""
        if isinstance(one, np.ndarray):
            return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
        if isinstance(one, float):
            return one.hex() == other.hex()  # distinguishes 0 and -0
        parts = _parts_of(one), _parts_of(other)
        if parts[0] is None or parts[1] is None:
            return bool(one == other)
        return list(parts[0]) == list(parts[1]) and all(map(self.are_alike, parts[0].values(), parts[1].values()))


def _parts_of(thing: Any) -> dict[Any, Any] | None:
    """Return the parts of an object, without what is made of them when asked for; None where it has none."""
    if isinstance(thing, dict):
        return thing
    if isinstance(thing, list | tuple):
        return dict(enumerate(thing))
    if callable(thing) or not (is_dataclass(thing) or hasattr(thing, "__dict__")):
        return None
    names = [field.name for field in fields(thing)] if is_dataclass(thing) else list(vars(thing))
    names = [name for name in names if not isinstance(getattr(type(thing), name, None), cached_property)]
    return {name: getattr(thing, name) for name in names}
