# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether people set out the same where something else stands: bit for bit, their whole ways with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from ..pedestrians.pedestrians import Pedestrians


def sets_out_alike(one: Pedestrians, other: Pedestrians, instead: Mapping[int, object]) -> bool:
    """Tell whether people are the same at the first frame, bit for bit.

    Args:
        one: people of a state that was kept.
        other: people who have just set out.
        instead: what stands in the state for things of the others, by its identity.
    """
    other.facing(np.flatnonzero(other.agents.present))  # as when a frame is written down
    return _Comparison(instead).are_alike(one, other)


class _Comparison:
    """Compares two objects with all that they are made of."""

    def __init__(self, instead: Mapping[int, object]) -> None:
        self._instead = instead
        self._known: set[tuple[int, int]] = set()

    def are_alike(self, one: Any, other: Any) -> bool:
        """Tell whether two objects are made of the same, bit for bit."""
        one = self._instead.get(id(one), one)
        if one is other or (id(one), id(other)) in self._known:
            return True
        self._known.add((id(one), id(other)))
        return type(one) is type(other) and self._are_alike(one, other)

    def _are_alike(self, one: Any, other: Any) -> bool:
        """Tell it of two objects of the same type."""
        if isinstance(one, np.ndarray):
            return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
        if isinstance(one, float):
            return one.hex() == other.hex()  # tells 0 from -0
        parts = _parts_of(one), _parts_of(other)
        if parts[0] is None or parts[1] is None:
            return bool(one == other)
        return list(parts[0]) == list(parts[1]) and all(map(self.are_alike, parts[0].values(), parts[1].values()))


def _parts_of(thing: Any) -> dict[Any, Any] | None:
    """What an object is made of; None where it is one piece."""
    if isinstance(thing, dict):
        return thing
    if isinstance(thing, list | tuple):
        return dict(enumerate(thing))
    if callable(thing) or not (is_dataclass(thing) or hasattr(thing, "__dict__")):
        return None
    names = [field.name for field in fields(thing)] if is_dataclass(thing) else list(vars(thing))
    return {name: getattr(thing, name) for name in names}
