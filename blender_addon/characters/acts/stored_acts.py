# SPDX-License-Identifier: GPL-3.0-or-later
"""What people of a crowd of instances do, kept with its samples: a person made a character later goes on with it.

One custom property of the samples' mesh, an array of whole numbers that holds compressed bytes.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Any, cast

import bpy
import numpy as np
from numpy.typing import NDArray

from ....core.motion.acting.seats import Seat
from ..performances import Acting, Performance

_PROPERTY = "footfall_acts"
_MOST_OF_SEAT = 256  # bytes that one seat is written in, at most
_FEWEST_OF_SEAT = 16  # frames that somebody sits, at the fewest
_MOST_OF_NAMES = 65_536  # bytes of the names of activities, at most
_FARTHEST = 1e9  # number in a seat [Blender units]: no scene is as large


def keep_acts(mesh: bpy.types.Mesh, performances: Mapping[int, Performance]) -> None:
    """Keep what some people do, and where they sit.

    Args:
        mesh: the samples of the crowd.
        performances: of the people, before they act, by their places in the mesh.
    """
    acting = {place: each.acting for place, each in performances.items() if each.acting is not None}
    if not acting:
        return
    names = next(iter(acting.values())).names
    seats = {place: [_written(seat, performances[place]) for seat in each.seats] for place, each in acting.items()}
    header = json.dumps({"names": names, "seats": seats}).encode()
    activity = np.stack([each.activity for each in acting.values()])
    variants = np.stack([performances[place].variants for place in acting])
    packed = zlib.compress(header + b"\n" + activity.tobytes() + variants.astype("<i2").tobytes())
    mesh[_PROPERTY] = np.frombuffer(packed + bytes(-len(packed) % 4), dtype=np.int32)


def kept_acts(mesh: bpy.types.Mesh, frames: int) -> dict[int, tuple[Acting, NDArray[np.float64], NDArray[np.int16]]]:
    """Return what people do, by their places in the mesh, on which height each stands before seats, and which variants.

    Args:
        mesh: the samples of a crowd.
        frames: how many there are.

    Returns:
        Nothing where nobody does more than walk, or what is kept is damaged: people then walk, stand, and do no more.
    """
    packed: Any = mesh.get(_PROPERTY)
    if packed is None:
        return {}
    people = len(mesh.edges)
    try:
        # others wrote the file: a few bytes can decompress to any amount
        most = people * (3 * frames + _MOST_OF_SEAT * (2 + frames // _FEWEST_OF_SEAT)) + _MOST_OF_NAMES
        unpacker = zlib.decompressobj()
        content = unpacker.decompress(np.array(packed, dtype=np.int32).tobytes(), most)
        if not unpacker.eof:
            return {}
        header, _, body = content.partition(b"\n")
        known = json.loads(header)
        names, count = tuple(known["names"]), len(known["seats"])
        activity = np.frombuffer(body[: count * frames], dtype=np.int8).reshape(count, frames)
        variants = np.frombuffer(body[count * frames :], dtype="<i2").astype(np.int16)
        variants = variants.reshape(count, len(variants) // max(count, 1))
        _require(all(isinstance(name, str) for name in names))
        _require(bool(((activity >= 0) & (activity < len(names))).all()))
        found: dict[int, tuple[Acting, NDArray[np.float64], NDArray[np.int16]]] = {}
        for own, shown, (place, seats) in zip(activity, variants, known["seats"].items(), strict=True):
            _require(0 <= int(place) < people)
            floors = np.array([_number(seat["floor"]) for seat in seats], dtype=np.float64)
            found[int(place)] = Acting(own, names, _read_seats(seats, frames)), floors, shown
    except (zlib.error, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        return {}
    return found


def _written(seat: Seat, performance: Performance) -> dict[str, Any]:
    values = vars(seat) | {"place": seat.place.tolist(), "floor": float(performance.location[seat.first, 2])}
    return {key: values[key] for key in (*Seat.__dataclass_fields__, "floor")}


def _read_seats(seats: list[dict[str, Any]], frames: int) -> tuple[Seat, ...]:
    """Return the seats of one person, in the order of their frames."""
    found: list[Seat] = []
    for seat in seats:
        first, last, place = seat["first"], seat["last"], seat["place"]
        ends = seat["from_start"], seat["to_end"]
        _require(type(first) is int and type(last) is int and all(isinstance(end, bool) for end in ends))
        _require((found[-1].last if found else -1) < first <= last < frames and len(place) == 3)
        found.append(Seat(first, last, np.array([_number(x) for x in place]), _number(seat["heading"]), *ends))
    return tuple(found)


def _number(value: object) -> float:
    _require(type(value) in (int, float))
    number = float(cast("float", value))
    _require(abs(number) <= _FARTHEST)  # NaN is not
    return number


def _require(holds: bool) -> None:
    if not holds:
        raise ValueError("what people do is damaged")
