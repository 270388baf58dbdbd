# SPDX-License-Identifier: GPL-3.0-or-later
"""How near to others and to obstacles people stand.

Nobody holds an elbow where somebody else or a wall is, or stands as their neighbour does.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..array_types import Bool, Float64, Int64
from ..geometry.ragged import places_in
from ..geometry.reproducible_math import length, length2
from ..motion.acting.cues import NONE, STAND
from ..motion.acting.elbow_room import ELBOW_ROOM, step_of
from ..motion.acting.variants import VARIANTS, Turns, choose_variants, divide_into_turns, told_of
from ..scene import Scene
from ..steering.neighbours import both_ways, close_pairs_at_a_time, moments_together
from ..trajectories import Trajectories
from .walls import distances


def find_elbow_room(t: Trajectories) -> NDArray[np.float32]:
    """How far the nearest other is from everybody who stands; obstacles count as others who touch their surface.

    Returns:
        float32 (S, A), a row for each `step_of(t.fps)` frames: infinity beyond `ELBOW_ROOM.watched`, and for those who
        walk [m].
    """
    some = slice(None, None, step_of(t.fps))
    present, position = t.present[some], t.position[some]
    stands = _stands(t)
    room = np.full(present.shape, np.inf, dtype=np.float32)
    for row, who in moments_together(present, present.shape[1]):
        places = position[row, who]
        first, second = close_pairs_at_a_time(places[:, :2], row, 0.5 * ELBOW_ROOM.watched).T
        apart = places[second] - places[first]
        distance = length(apart[:, :2])
        for each in (first, second):
            met = (np.abs(apart[:, 2]) < ELBOW_ROOM.storey) & stands[row[each], who[each]]
            np.minimum.at(room, (row[each[met]], who[each[met]]), distance[met].astype(np.float32))
    if t.to_obstacles.size:
        beside = t.to_obstacles + np.float32(ELBOW_ROOM.arm)
        room = np.where(beside < ELBOW_ROOM.watched, np.minimum(room, beside), room)
    return room


def find_room_to_obstacles(t: Trajectories, scene: Scene) -> NDArray[np.float32]:
    """How far obstacles are from everybody who stands, but for those on a seat, which may be one.

    Returns:
        float32 (S, A), rows as of `find_elbow_room`: infinity beyond `ELBOW_ROOM.watched`, and for others [m].
    """
    step = step_of(t.fps)
    room = np.full(t.present[::step].shape, np.inf, dtype=np.float32)
    row, who = np.nonzero(_stands(t) & ~t.seated[::step])
    if len(row):
        distance = distances(t, scene, step * row, t.position[step * row, who, :2], ELBOW_ROOM.watched)
        room[row, who] = np.where(distance < ELBOW_ROOM.watched, distance, np.inf)
    return room


def find_variants(t: Trajectories, room: NDArray[np.float32]) -> NDArray[np.int16]:
    """Which variant of what they do people play, so that neighbours who do the same differ.

    Args:
        t: the motion.
        room: of `find_elbow_room`.

    Returns:
        int16 (S, A), a row for each `step_of(t.fps)` frames: see `core.motion.acting.variants`; -1 for those who walk.
    """
    step = step_of(t.fps)
    some = slice(None, None, step)
    names = t.activity_names or (NONE, STAND)
    told = told_of(t.activity[some], names, _stands(t), t.present[some])
    number = np.empty(len(t.crowd), dtype=np.int64)
    order = np.argsort(t.crowd, kind="stable")
    number[order] = places_in(np.bincount(t.crowd))[1]
    turns = divide_into_turns(told, number, t.fps / step)
    nearest = np.array([room[a:b, k].min() for k, a, b in zip(*turns[:3], strict=True)])
    has_room = nearest > ELBOW_ROOM.wide if len(nearest) else np.zeros(0, dtype=bool)
    neighbours = _neighbours(turns, t.position[some], told > 0)
    found = choose_variants(turns, names, number, has_room, neighbours, t.fps / step)
    shown = np.full(told.shape, -1, dtype=np.int16)
    for agent, first, end, variant in zip(*turns[:3], found, strict=True):
        shown[first:end, agent] = variant
    return shown


def _stands(t: Trajectories) -> Bool:
    """Who stands, bool (S, A)."""
    some = slice(None, None, step_of(t.fps))
    return t.present[some] & (length2(t.velocity[some, :, :2]) < ELBOW_ROOM.slow * ELBOW_ROOM.slow)


def _neighbours(turns: Turns, position: Float64, does: Bool) -> Iterator[tuple[Int64, Float64]]:
    """Yield who is near at the start of each turn, int64 (N,), and how far, float64 (N,) [m].

    Args:
        turns: in their order.
        position: float64 (S, A, 3).
        does: bool (S, A), who does anything but walk.
    """
    begins: Bool = np.zeros(does.shape, dtype=bool)
    begins[turns.first, turns.agent] = True
    for row, who in moments_together(does & np.any(begins, axis=1)[:, None], does.shape[1]):
        places = position[row, who]
        pairs = close_pairs_at_a_time(places[:, :2], row, 0.5 * VARIANTS.neighbours)
        first, second = both_ways(*pairs.T)
        apart = places[second] - places[first]
        asked = begins[row, who]
        met = asked[first] & (np.abs(apart[:, 2]) < ELBOW_ROOM.storey)
        first, second, apart = first[met], second[met], length(apart[met, :2])
        order = np.argsort(first, kind="stable")
        edges = np.searchsorted(first[order], np.arange(len(row) + 1))
        for entry in np.flatnonzero(asked).tolist():
            own = order[edges[entry] : edges[entry + 1]]
            yield who[second[own]], apart[own]
