# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether people do the same where something else stands, as long as they have not looked far along their ways.

When something is moved that people come near to only later, their ways are others from there on. They set out alike
then, and do the same until the first of them looks at what is another; up to there a simulation can be taken over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..planning import ReferenceSet
from .glances import NotSeen, sights_elsewhere
from .surroundings import Surroundings
from .walkers import Walkers
from .ways_read import Likeness, WaysRead

Float64 = NDArray[np.float64]

_MAY_DIFFER = {"Agents": {"end", "unhindered_time"}, "Walkers": {"_notices"}}
"""What of a state tells of ways as wholes; everything else is compared."""


def sets_out_alike(one: Walkers, other: Walkers, instead: Mapping[int, object]) -> bool:
    """Tell whether people are the same at the first frame, bit for bit, but for the ways ahead of them.

    Args:
        one: people of a state that was kept.
        other: people who have just set out.
        instead: what stands in the state for things of the others, by its identity.
    """
    other.facing(np.flatnonzero(other.agents.present))  # as when a frame is written down
    return _Comparison(instead).are_alike(one, other)


def keeps_its_ways(walkers: Walkers, first: Walkers, likeness: Likeness) -> bool:
    """Tell whether nobody has looked farther along their way by now than it is the one they have elsewhere.

    Args:
        walkers: people in the middle of a simulation.
        first: the same people as they set out elsewhere, alike but for the ways ahead of them.
        likeness: of ways here and there.
    """
    read, others = walkers.guidance.read, first.guidance.read
    if read is None or others is None or len(read.tables) != len(others.tables):
        return False
    if not read.keeps_within(others, likeness):
        return False
    alike = likeness.of(read.tables, others.tables)
    agents, path = walkers.agents, first.agents.path
    rows = np.flatnonzero(np.isfinite(alike[path]))
    path = path[rows]
    now = walkers.guidance.references.tables
    on_it = all(now[number] is read.tables[number] for number in path.tolist()) and (agents.path[rows] == path).all()
    old, new = (np.array([each.tables[number].length for number in path.tolist()]) for each in (read, others))
    far = read.reach[path] + walkers.guidance.brakes_within(rows) < np.minimum(old, new)
    return bool(on_it and (agents.end[rows] == old).all() and far.all())


def unseen_elsewhere(
    walkers: Walkers, first: Walkers, around: Surroundings, lines: Sequence[Float64], likeness: Likeness
) -> tuple[list[NotSeen], bool]:
    """Return what people have looked for and do not see elsewhere, either; and whether that is all that they did not.

    Args:
        walkers: people in the middle of a simulation.
        first: as for `keeps_its_ways`, which holds.
        around: what stands there.
        lines: float64 (V, 2) each, the corners of what stands in one of the two places only [m].
        likeness: of ways here and there.
    """
    read, others, horizon = walkers.guidance.read, first.guidance.read, walkers.settings.planning_horizon
    assert read is not None
    assert others is not None
    assert around.notes is not None
    references = first.guidance.references
    with references.unwatched(), around.notes.unnoted():
        found = sights_elsewhere(
            read.unseen,
            lines,
            references,
            likeness.of(read.unseen_on, others.tables),
            lambda time: around.still_at(time, horizon).field,
        )
    return found, len(found) == len(read.unseen)


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
        if isinstance(one, ReferenceSet | WaysRead):
            return True  # these are compared path by path
        if isinstance(one, np.ndarray):
            return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
        if isinstance(one, float):
            return one.hex() == other.hex()  # tells 0 from -0
        parts = _parts_of(one), _parts_of(other)
        if parts[0] is None or parts[1] is None:
            return bool(one == other)
        return list(parts[0]) == list(parts[1]) and all(map(self.are_alike, parts[0].values(), parts[1].values()))


def _parts_of(thing: Any) -> dict[Any, Any] | None:
    """What an object is made of, but for what may differ; None where it is one piece."""
    if isinstance(thing, dict):
        return thing
    if isinstance(thing, list | tuple):
        return dict(enumerate(thing))
    if callable(thing) or not (is_dataclass(thing) or hasattr(thing, "__dict__")):
        return None
    names = [field.name for field in fields(thing)] if is_dataclass(thing) else list(vars(thing))
    left_out = _MAY_DIFFER.get(type(thing).__name__, set())
    return {name: getattr(thing, name) for name in names if name not in left_out}
