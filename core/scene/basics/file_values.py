# SPDX-License-Identifier: GPL-3.0-or-later
"""Readers of the values of a scene file: numbers, points, lists and objects, and what is wrong with them.

What could not be read is replaced by a stand-in and its place remembered, so that the rest can be checked all the same
and nothing is said of what only follows from it.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...array_types import Float64
from ...errors import Fault
from .value_checks import LISTED_POINTS, Checker, is_number, quoted, shown

FORMAT = 1

UNREAD: Any = object()
OPTIONAL: Any = object()


@dataclass(frozen=True)
class Key:
    """A key of a JSON object: how its value is read, and what stands in for it where it is needed but not there."""

    read: Callable[[FileReading, str, Any], Any]
    stand_in: Any = OPTIONAL


class FileReading:
    """One pass over a scene file.

    Attributes:
        faults: what is wrong with its structure.
        unread: places whose value could not be read, or that a misspelled key was meant for.
    """

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.unread: set[str] = set()

    def refuse(self, place: str, message: str) -> Any:
        """Note that a value could not be read, and why; returns what says so to the reader above."""
        self.faults.append(Fault(place, message))
        self.unread.add(place)
        return UNREAD

    def members(self, place: str, value: Any, keys: Mapping[str, Key], what: str) -> dict[str, Any]:
        """Read the values of an object by key: those that are there and readable, and stand-ins for those needed."""
        if not isinstance(value, dict):
            self.refuse(place, f"{what} must be an object {{...}}, got {shown(value)}")
            return {name: key.stand_in for name, key in keys.items() if key.stand_in is not OPTIONAL}
        self._tell_unknown_keys(place, value, keys, what)
        parts = {}
        for name, key in keys.items():
            spot = _join(place, name)
            read = UNREAD
            if name in value:
                read = self._value(spot, value[name], key)
            elif key.stand_in is not OPTIONAL and spot not in self.unread:
                self.refuse(spot, f"is missing; {what} needs one")
            if read is not UNREAD:
                parts[name] = read
            elif key.stand_in is not OPTIONAL:
                parts[name] = key.stand_in
        return parts

    def _value(self, place: str, value: Any, key: Key) -> Any:
        if value is None:
            return self.refuse(place, "must not be null; remove the key")
        return key.read(self, place, value)

    def _tell_unknown_keys(self, place: str, value: dict[Any, Any], keys: Mapping[str, Key], what: str) -> None:
        for name in value:
            if name in keys:
                continue
            missing = [known for known in keys if known not in value]
            meant = difflib.get_close_matches(str(name).lower(), missing, n=1, cutoff=0.5)
            if meant:
                self.unread.add(_join(place, meant[0]))
                way_out = f"did you mean {meant[0]!r}?"
            else:
                way_out = f"there are: {quoted(keys)}"
            self.faults.append(Fault(_join(place, name), f"is not a key of {what}; {way_out}"))
        for name in getattr(value, "repeated", ()):
            self.faults.append(Fault(_join(place, name), "occurs more than once; keep one"))

    def items(self, place: str, value: Any, read: Callable[[FileReading, str, Any], Any]) -> Any:
        """Read a list, item by item; returns a tuple."""
        if not isinstance(value, list):
            return self.refuse(place, f"must be a list [...], got {shown(value)}")
        return tuple(read(self, f"{place}[{i}]", item) for i, item in enumerate(value))

    def points(self, place: str, value: Any, columns: tuple[int, ...]) -> Any:
        """Read a list of points; returns float64 (V, columns[-1]), shorter points filled with zeros."""
        if not isinstance(value, list):
            return self.refuse(place, f"must be a list of points, got {shown(value)}")
        array = np.zeros((len(value), columns[-1]))
        wrong = []
        for i, point in enumerate(value):
            if not isinstance(point, list) or len(point) not in columns:
                numbers = " or ".join(str(count) for count in columns)
                wrong.append(Fault(f"{place}[{i}]", f"must be a point of {numbers} numbers, got {shown(point)}"))
                continue
            for j, number in enumerate(point):
                if is_number(number):
                    array[i, j] = read_number(self, place, number)
                else:
                    wrong.append(Fault(f"{place}[{i}][{j}]", f"must be a number, got {shown(number)}"))
        return array if not wrong else self._refuse_points(place, wrong, array)

    def _refuse_points(self, place: str, wrong: list[Fault], array: Float64) -> Any:
        """Note the faults of a list of points, and what else can be said of the numbers in it."""
        check = Checker()
        check.finite(place, array)
        self.faults += [*wrong[:LISTED_POINTS], *check.faults]
        if len(wrong) > LISTED_POINTS:
            self.faults.append(Fault(place, f"and {len(wrong) - LISTED_POINTS} more points that cannot be read"))
        self.unread.add(place)
        return UNREAD


def _join(place: str, key: object) -> str:
    """Return the place of a key, as one would write it in Python where it is no plain word."""
    if not (isinstance(key, str) and key.isidentifier()):
        return f"{place}[{shown(key)}]"
    return f"{place}.{key}" if place else key


def read_as_it_is(_reading: FileReading, _place: str, value: Any) -> Any:
    """Return a value as it is."""
    return value


def read_number(_reading: FileReading, _place: str, value: Any) -> Any:
    """Return a number as float64; anything else stays what it is, for the check of the scene."""
    if not is_number(value):
        return value
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def read_whole(_reading: FileReading, _place: str, value: Any) -> Any:
    """Return 250.0 as 250: JSON has one kind of number. Anything else stays what it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def read_whole_numbers(reading: FileReading, place: str, value: Any) -> Any:
    """Read a list of whole numbers; anything else stays what it is."""
    return tuple(read_whole(reading, place, frame) for frame in value) if isinstance(value, list) else value


def read_format(reading: FileReading, place: str, value: Any) -> Any:
    """Read the number of the format."""
    if value != FORMAT or isinstance(value, bool):
        return reading.refuse(place, f"must be {FORMAT}, the format of this version, got {shown(value)}")
    return value


def read_points(reading: FileReading, place: str, value: Any) -> Any:
    """Read points of two numbers; returns float64 (V, 2)."""
    return reading.points(place, value, (2,))


def read_wall(reading: FileReading, place: str, value: Any) -> Any:
    """Read points of two numbers, none where they cannot be read; returns float64 (V, 2)."""
    points = reading.points(place, value, (2,))
    return np.zeros((0, 2)) if points is UNREAD else points


def read_route_points(reading: FileReading, place: str, value: Any) -> Any:
    """Read points of two or three numbers; returns float64 (V, 3)."""
    return reading.points(place, value, (2, 3))


def read_column(reading: FileReading, place: str, value: Any) -> Any:
    """Read a list of numbers; returns float64 (M,)."""
    if not isinstance(value, list):
        return reading.refuse(place, f"must be a list of numbers, got {shown(value)}")
    wrong = [i for i, number in enumerate(value) if not is_number(number)]
    for i in wrong[:LISTED_POINTS]:
        reading.refuse(f"{place}[{i}]", f"must be a number, got {shown(value[i])}")
    if wrong:
        reading.unread.add(place)
        return UNREAD
    return np.array([read_number(reading, place, number) for number in value], dtype=np.float64)


def read_grid(reading: FileReading, place: str, value: Any) -> Any:
    """Read rows of numbers, all as long; returns float64 (X, Y)."""
    if not isinstance(value, list) or not value:
        return reading.refuse(place, f"must be a list of rows of numbers, got {shown(value)}")
    rows = [read_column(reading, f"{place}[{i}]", row) for i, row in enumerate(value)]
    if any(row is UNREAD for row in rows):
        reading.unread.add(place)
        return UNREAD
    if len({len(row) for row in rows}) > 1:
        return reading.refuse(place, "must be rows of the same length")
    return np.array(rows, dtype=np.float64).reshape(len(rows), -1)


def read_pair(reading: FileReading, place: str, value: Any) -> Any:
    """Read a list of numbers as a tuple; anything else stays what it is."""
    return tuple(read_number(reading, place, number) for number in value) if isinstance(value, list) else value


def read_radius(reading: FileReading, place: str, value: Any) -> Any:
    """Read a radius: one number, or the least and the largest."""
    if isinstance(value, list):
        return read_pair(reading, place, value)
    number = read_number(reading, place, value)
    return (number, number) if is_number(value) else value


def read_sizes(reading: FileReading, place: str, value: Any) -> Any:
    """Read the least and the largest of something, or one number for both."""
    if isinstance(value, list):
        return tuple(read_whole(reading, place, size) for size in value)
    size = read_whole(reading, place, value)
    return (size, size) if is_number(value) else value


def object_of(what: str, keys: Mapping[str, Key], make: Callable[..., Any]) -> Callable[[FileReading, str, Any], Any]:
    """Return the reader of an object that becomes a dataclass."""

    def read(reading: FileReading, place: str, value: Any) -> Any:
        return make(**reading.members(place, value, keys, what))

    return read


def list_of(read: Callable[[FileReading, str, Any], Any]) -> Key:
    """Return an optional key that holds a list."""
    return Key(lambda reading, place, value: reading.items(place, value, read))
