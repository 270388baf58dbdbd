# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of single values of a scene: numbers, names, choices, points, outlines. Each fault is noted with its place."""

from __future__ import annotations

import math
import numbers
import reprlib
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np

from ...errors import Fault
from ...geometry.segments import crosses_itself, signed_area

FARTHEST_FRAME = 1_048_574
"""Blender's own limit of frame numbers."""

LARGEST_COORDINATE = 1e8
"""Largest valid coordinate [m]: beyond it float64 no longer resolves hundredths of a millimetre."""

LISTED_POINTS = 10
"""Faults of one list of points that are listed singly."""

_LISTED_NAMES = 20
_LEAST_AREA_SHARE = 1e-12
"""An outline whose area is smaller than this share of its extent squared is a line."""


_SHORT = reprlib.Repr()
_SHORT.maxstring = 80  # Blender's names have 63 letters at most


def shown(value: object) -> str:
    """Return a value as a message quotes it: short, on one line, numbers of numpy as plain ones."""
    if value is None or isinstance(value, bool | np.bool_):
        return {None: "null", True: "true", False: "false"}[value if value is None else bool(value)]
    if isinstance(value, numbers.Real):
        return repr(float(value)) if not isinstance(value, numbers.Integral) else _SHORT.repr(int(value))
    if isinstance(value, dict):
        return "an object {...}"
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} {value.shape}"
    if isinstance(value, list | tuple) and len(value) > 3:
        return f"a list of {len(value)}"
    return _SHORT.repr(value)


def quoted(names: Iterable[str]) -> str:
    """Return names as a message lists them: `'Path', 'Road'`, the first 20 of many."""
    every = list(names)
    more = f" and {len(every) - _LISTED_NAMES} more" if len(every) > _LISTED_NAMES else ""
    return ", ".join(shown(name) for name in every[:_LISTED_NAMES]) + more


def is_number(value: object) -> bool:
    """Whether a value is a plain real number, finite or not; true and false are none."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


class Checker:
    """Collects the faults of a scene.

    Attributes:
        faults: in the order of the checks.
    """

    def __init__(self, unread: Collection[str] = ()) -> None:
        """Begin.

        Args:
            unread: places whose value could not be read. Their faults are already reported; no others are.
        """
        self.faults: list[Fault] = []
        self._unread = frozenset(unread)

    def is_unread(self, place: str) -> bool:
        """Whether this place, or one that holds it, could not be read."""
        if place in self._unread:
            return True
        end = max(place.rfind("."), place.rfind("["))
        return end > 0 and self.is_unread(place[:end])

    def add(self, place: str, message: str) -> None:
        """Note a fault, unless its place could not be read anyway."""
        if not self.is_unread(place):
            self.faults.append(Fault(place, message))

    def number(
        self,
        place: str,
        value: Any,
        *,
        above: float | None = None,
        least: float | None = None,
        most: float | None = None,
    ) -> bool:
        """Check for a finite number in a range: `above` itself is outside, `least` and `most` are inside."""
        if not is_number(value):
            self.add(place, f"must be a number, got {shown(value)}")
        elif not math.isfinite(value):
            self.add(place, f"must be a finite number, got {shown(value)}")
        else:
            return self._in_range(place, value, above, least, most)
        return False

    def whole_number(self, place: str, value: Any, *, least: int | None = None, most: int | None = None) -> bool:
        """Check for a whole number in a range, both ends included."""
        if not isinstance(value, int | np.integer) or isinstance(value, bool):
            self.add(place, f"must be a whole number, got {shown(value)}")
            return False
        return self._in_range(place, int(value), None, least, most)

    def _in_range(self, place: str, value: float, above: float | None, least: float | None, most: float | None) -> bool:
        if above is not None and not value > above:
            self.add(place, f"must be above {above:.10g}, got {shown(value)}")
        elif least is not None and value < least:
            self.add(place, f"must not be {'negative' if least == 0 else f'below {least:.10g}'}, got {shown(value)}")
        elif most is not None and value > most:
            self.add(place, f"must not be above {most:.10g}, got {shown(value)}")
        else:
            return True
        return False

    def true_or_false(self, place: str, value: Any) -> bool:
        """Check for true or false; 0 and 1 are numbers."""
        if not isinstance(value, bool):
            self.add(place, f"must be true or false, got {shown(value)}")
        return isinstance(value, bool)

    def name(self, place: str, value: Any) -> bool:
        """Check for a name: text that is not empty and that a file can hold."""
        if not isinstance(value, str):
            self.add(place, f"must be a name (text), got {shown(value)}")
        elif not value:
            self.add(place, "must not be empty")
        elif "\0" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
            self.add(place, f"contains characters that cannot be stored: {shown(value)}")
        else:
            return True
        return False

    def choice(self, place: str, value: Any, choices: Sequence[str]) -> bool:
        """Check for one of some words."""
        if not isinstance(value, str) or value not in choices:
            self.add(place, f"must be one of {quoted(choices)}, got {shown(value)}")
            return False
        return True

    def array(self, place: str, value: Any, shape: str, ndim: int, columns: int | None = None) -> bool:
        """Check for a float64 array of `ndim` axes, the last of them `columns` long; `shape` says it in the message."""
        fits = (
            isinstance(value, np.ndarray)
            and value.dtype == np.float64
            and value.ndim == ndim
            and (columns is None or value.shape[-1] == columns)
        )
        if not fits:
            self.add(place, f"must be a float64 array {shape}, got {shown(value)}")
        return fits

    def finite(self, place: str, values: np.ndarray) -> bool:
        """Check each element of an array for a finite number within reach; the first few faults are listed singly."""
        wrong = np.argwhere(~(np.abs(values) <= LARGEST_COORDINATE))
        for index in wrong[:LISTED_POINTS]:
            value = values[tuple(index)]
            spot = place + "".join(f"[{i}]" for i in index)
            if np.isfinite(value):
                self.add(spot, f"lies beyond {LARGEST_COORDINATE:g}, got {shown(value)}")
            else:
                self.add(spot, f"must be a finite number, got {shown(value)}")
        if len(wrong) > LISTED_POINTS:
            self.add(place, f"and {len(wrong) - LISTED_POINTS} more numbers that are not finite or out of range")
        return len(wrong) == 0

    def points(self, place: str, value: Any, *, columns: int, what: str) -> bool:
        """Check for finite points (V, columns), two of them distinct at least."""
        if not (self.array(place, value, f"(V, {columns})", 2, columns) and self.finite(place, value)):
            return False
        if len(np.unique(value, axis=0)) < 2:
            self.add(place, f"{what} needs at least 2 distinct points, got {_count(value)}")
            return False
        return True

    def ground_plan(self, place: str, points: np.ndarray) -> None:
        """Check that points (V, 3) are not all in one vertical line."""
        if len(np.unique(points[:, :2], axis=0)) < 2:
            self.add(place, "a route needs at least 2 points that differ in x or y; these lie above each other")

    def outline(self, place: str, value: Any) -> bool:
        """Check for a simple polygon: finite points (V, 2), at least 3 of them distinct, some area, no crossing."""
        if not (self.array(place, value, "(V, 2)", 2, 2) and self.finite(place, value)):
            return False
        if len(np.unique(value, axis=0)) < 3:
            self.add(place, f"an outline needs at least 3 distinct points, got {_count(value)}")
        elif crosses_itself(value):
            self.add(place, "the outline crosses itself; give its points in order, once around")
        elif abs(signed_area(value)) <= _LEAST_AREA_SHARE * float(np.max(np.ptp(value, axis=0))) ** 2:
            self.add(place, "the outline has no area: its points lie on one line")
        else:
            return True
        return False


def _count(points: np.ndarray) -> str:
    """Return `1`, or `4 in one place` where that is what is wrong."""
    distinct = len(np.unique(points, axis=0))
    if distinct == len(points):
        return str(distinct)
    return f"{len(points)} in one place" if distinct == 1 else f"{len(points)} in {distinct} places"
