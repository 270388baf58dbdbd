# SPDX-License-Identifier: GPL-3.0-or-later
"""What people of a crowd of instances do, kept with its samples: who is made a character later goes on with it.

One custom property of the samples' mesh, an array of whole numbers that holds compressed bytes.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ....core.motion.acting.seats import Seat
from ..performances import Acting, Performance

_PROPERTY = "footfall_acts"


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
    packed = zlib.compress(header + b"\n" + activity.tobytes())
    mesh[_PROPERTY] = np.frombuffer(packed + bytes(-len(packed) % 4), dtype=np.int32)


def kept_acts(mesh: bpy.types.Mesh, frames: int) -> dict[int, tuple[Acting, NDArray[np.float64]]]:
    """Return what people do, by their places in the mesh, and the height on which each stands before their seats.

    Args:
        mesh: the samples of a crowd.
        frames: how many there are.

    Returns:
        Nothing where nobody does more than walk, or what is kept is damaged.
    """
    packed: Any = mesh.get(_PROPERTY)
    if packed is None:
        return {}
    try:
        header, _, body = zlib.decompressobj().decompress(np.array(packed, dtype=np.int32).tobytes()).partition(b"\n")
        known = json.loads(header)
        activity = np.frombuffer(body, dtype=np.int8).reshape(-1, frames)
        return {
            int(place): (_read(own, known["names"], seats), np.array([seat["floor"] for seat in seats]))
            for own, (place, seats) in zip(activity, known["seats"].items(), strict=True)
        }
    except (zlib.error, KeyError, TypeError, ValueError):
        return {}


def _written(seat: Seat, performance: Performance) -> dict[str, Any]:
    values = vars(seat) | {"place": seat.place.tolist(), "floor": float(performance.location[seat.first, 2])}
    return {key: values[key] for key in (*Seat.__dataclass_fields__, "floor")}


def _read(activity: NDArray[np.int8], names: list[str], seats: list[dict[str, Any]]) -> Acting:
    fields = Seat.__dataclass_fields__
    own = [{key: seat[key] for key in fields} | {"place": np.array(seat["place"])} for seat in seats]
    return Acting(activity, tuple(names), tuple(Seat(**each) for each in own))
