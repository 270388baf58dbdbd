# SPDX-License-Identifier: GPL-3.0-or-later
"""Places where people stop on their way, and what each crowd does there."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..array_types import Float64
from .value_checks import Checker, is_number, shown

STAND, LOOK_AT, QUEUE = "stand", "look_at", "queue"
ACTIVITIES = (STAND, LOOK_AT, QUEUE)
IN_ORDER, RANDOM_ORDER = "in_order", "random"
STOP_ORDERS = (IN_ORDER, RANDOM_ORDER)

MOST_STOPS = 100
"""Of one crowd."""

LONGEST_QUEUE = 1000
"""Most people in one queue."""


@dataclass(frozen=True, eq=False)
class Place:
    """Where people can stop: near points, along lines, inside outlines.

    Attributes:
        name: what the user calls it.
        points: float64 (P, 2) [m]; the first who comes stands on it, the next ones around it.
        headings: float64 (P,), in which a queue runs away from each point [rad]; empty where nobody queues.
        lines: float64 (L, 2) each, open polylines [m]; a queue runs from the first point on.
        outlines: simple polygons, float64 (V, 2) each [m].
    """

    name: str
    points: Float64 = field(default_factory=lambda: np.zeros((0, 2)))
    headings: Float64 = field(default_factory=lambda: np.zeros(0))
    lines: tuple[Float64, ...] = ()
    outlines: tuple[Float64, ...] = ()


@dataclass(frozen=True)
class StopDuration:
    """How long people stay, normally distributed: `mean` and `sd` [s]."""

    mean: float = 10.0
    sd: float = 3.0


@dataclass(frozen=True)
class Stop:
    """What some people of a crowd do at a place before they go on.

    Attributes:
        place: the name of a place.
        do: `stand`, `look_at` or `queue`.
        look_at: the point that people face, with or without its height [m]; None: the middle of the place. Only for
            `look_at`.
        duration: how long they stay; in a queue, how long each is served.
        share: the share of people who stop there, 0 to 1.
        room: the most people in a queue, at each of its points or lines.
        known_as: identity that survives renaming and seeds its random numbers; empty: the name of the place.
    """

    place: str
    do: str = STAND
    look_at: tuple[float, float] | tuple[float, float, float] | None = None
    duration: StopDuration = field(default_factory=StopDuration)
    share: float = 1.0
    room: int = 10
    known_as: str = ""


def check_places(check: Checker, places: Sequence[Place]) -> None:
    """Find the faults of places, except those of their names.

    Args:
        check: collects the faults.
        places: of a scene.
    """
    for i, place in enumerate(places):
        spot = f"places[{i}]"
        sound = check.array(f"{spot}.points", place.points, "(P, 2)", 2, 2) and check.finite(
            f"{spot}.points", place.points
        )
        turned = check.array(f"{spot}.headings", place.headings, "(P,)", 1) and check.finite(
            f"{spot}.headings", place.headings
        )
        unread = any(check.is_unread(f"{spot}.{key}") for key in ("points", "lines", "outlines"))
        if sound and turned and not unread and len(place.headings) not in (0, len(place.points)):
            count = f"{len(place.points)} points, got {len(place.headings)}"
            check.add(f"{spot}.headings", f"needs one heading for each of {count}")
        for j, line in enumerate(place.lines):
            check.points(f"{spot}.lines[{j}]", line, columns=2, what="a line of a place")
        for j, outline in enumerate(place.outlines):
            check.outline(f"{spot}.outlines[{j}]", outline)
        if sound and not unread and not (len(place.points) or place.lines or place.outlines):
            check.add(spot, "is empty; give it points, lines or outlines")


def check_stops(check: Checker, place: str, stops: Any, order: Any, without_line: Collection[str]) -> None:
    """Find the faults of a crowd's stops, except names of places that are not there.

    Args:
        check: collects the faults.
        place: of the crowd in the scene file.
        stops: of the crowd.
        order: in which they are visited.
        without_line: names of the places at which nobody can queue.
    """
    check.choice(f"{place}.stop_order", order, STOP_ORDERS)
    if len(stops) > MOST_STOPS:
        check.add(f"{place}.stops", f"must not be more than {MOST_STOPS}, got {len(stops)}")
    for k, stop in enumerate(stops[:MOST_STOPS]):
        _check_stop(check, f"{place}.stops[{k}]", stop, without_line)


def places_without_line(check: Checker, places: Sequence[Place]) -> set[str]:
    """Return the names of the places at which nobody can queue, as far as they could be read.

    Args:
        check: knows what could not be read.
        places: of a scene.
    """
    found = set()
    for i, place in enumerate(places):
        unread = any(check.is_unread(f"places[{i}].{key}") for key in ("points", "headings", "lines"))
        if isinstance(place.name, str) and not (unread or place.lines or len(place.headings)):
            found.add(place.name)
    return found


def _check_stop(check: Checker, spot: str, stop: Stop, without_line: Collection[str]) -> None:
    has_none = isinstance(stop.place, str) and stop.place in without_line
    if check.choice(f"{spot}.do", stop.do, ACTIVITIES) and stop.do == QUEUE and has_none:
        check.add(f"{spot}.do", f"a queue needs a line or points with headings, and {shown(stop.place)} has none")
    if stop.look_at is not None:
        _check_point(check, f"{spot}.look_at", stop.look_at)
    check.number(f"{spot}.duration.mean", stop.duration.mean, least=0.0)
    check.number(f"{spot}.duration.sd", stop.duration.sd, least=0.0)
    check.number(f"{spot}.share", stop.share, least=0.0, most=1.0)
    check.whole_number(f"{spot}.room", stop.room, least=1, most=LONGEST_QUEUE)
    if stop.known_as != "":
        check.name(f"{spot}.known_as", stop.known_as)


def _check_point(check: Checker, spot: str, value: Any) -> None:
    if not isinstance(value, list | tuple) or len(value) not in (2, 3) or not all(map(is_number, value)):
        check.add(spot, f"must be a point of 2 or 3 numbers, got {shown(value)}")
        return
    for i, number in enumerate(value):
        check.number(f"{spot}[{i}]", number, least=-1e8, most=1e8)
