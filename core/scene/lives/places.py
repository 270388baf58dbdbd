# SPDX-License-Identifier: GPL-3.0-or-later
"""Places where people stop or are, and marks: points that may move, and that people wait for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ...array_types import Float64
from ..basics.value_checks import Checker


@dataclass(frozen=True, eq=False)
class Place:
    """Where people can stop: near points, along lines, inside outlines.

    Attributes:
        name: what the user calls it.
        points: float64 (P, 2) [m]; the first to come stands on it, the next ones around it. Those who sit have their
            hips over it.
        headings: float64 (P,), in which a queue runs away from each point, and to which people on a seat face [rad];
            empty where nobody queues or sits.
        lines: float64 (L, 2) each, open polylines [m]; a queue runs from the first point on.
        outlines: simple polygons, float64 (V, 2) each [m].
        heights: float64 (P,), of the seats at the points [m]; empty: of usual seats above the ground.
        objects: float64 (P, 6), what people look at who `look_at` what is before them, as boxes: x and y of the middle
            [m], the direction of the width [rad], width, depth and height [m]; a width of 0: the wall there. Empty: of
            none it is known.
    """

    name: str
    points: Float64 = field(default_factory=lambda: np.zeros((0, 2)))
    headings: Float64 = field(default_factory=lambda: np.zeros(0))
    lines: tuple[Float64, ...] = ()
    outlines: tuple[Float64, ...] = ()
    heights: Float64 = field(default_factory=lambda: np.zeros(0))
    objects: Float64 = field(default_factory=lambda: np.zeros((0, 6)))


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
        unread = any(check.is_unread(f"{spot}.{key}") for key in ("points", "lines", "outlines"))
        for key, what in (("headings", "heading"), ("heights", "height")):
            values = getattr(place, key)
            if not (check.array(f"{spot}.{key}", values, "(P,)", 1) and check.finite(f"{spot}.{key}", values)):
                continue
            if sound and not unread and len(values) not in (0, len(place.points)):
                count = f"{len(place.points)} points, got {len(values)}"
                check.add(f"{spot}.{key}", f"needs one {what} for each of {count}")
        objects = check.array(f"{spot}.objects", place.objects, "(P, 6)", 2, 6)
        if objects and check.finite(f"{spot}.objects", place.objects):
            _check_objects(check, f"{spot}.objects", place, counted=sound and not unread)
        for j, line in enumerate(place.lines):
            check.points(f"{spot}.lines[{j}]", line, columns=2, what="a line of a place")
        for j, outline in enumerate(place.outlines):
            check.outline(f"{spot}.outlines[{j}]", outline)
        if sound and not unread and not (len(place.points) or place.lines or place.outlines):
            check.add(spot, "is empty; give it points, lines or outlines")


def _check_objects(check: Checker, spot: str, place: Place, *, counted: bool) -> None:
    if counted and len(place.objects) not in (0, len(place.points)):
        check.add(spot, f"needs one row for each of {len(place.points)} points, got {len(place.objects)}")
    if (place.objects[:, 3:] < 0.0).any():
        check.add(spot, "has a width, depth or height below 0")
