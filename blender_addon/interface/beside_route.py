# SPDX-License-Identifier: GPL-3.0-or-later
"""What is made beside a route: where it is nearest, and the line of a queue that would stand across it."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Vector

from ...core.array_types import Float64
from ...core.geometry.reproducible_math import dot, length
from ...core.geometry.segments import lengths_along, nearest_on_segments
from ...core.scene import Stop
from ...core.simulation.settings.stop_settings import QueueSettings
from ..blender_data.evaluation import metres_per_unit
from ..reading.lives.marks import middle_of
from ..reading.objects.curves import read_lines
from ..reading.objects.findings import Findings
from ..settings.crowd.crowd import FootfallCrowd


@dataclass(frozen=True)
class QueueLineSettings:
    """How a queue lies; chosen.

    Attributes:
        most: people for whom a line is long enough.
        out: so far the first one faces the counter; the line goes along the path from there [m].
        step: between the points of the line [m].
        beside: straight queues end this far before the path [m].
    """

    most: int = 20
    out: float = 0.3
    step: float = 0.5
    beside: float = 0.5


_SETTINGS = QueueLineSettings()


def nearest_on_way(scene: bpy.types.Scene, crowd: FootfallCrowd, place: Vector) -> list[float] | None:
    """Return x and y of the nearest point of a crowd's way as it is evaluated now; None where it cannot be read."""
    way = way_near(scene, crowd, place)
    return None if way is None else nearest_on_segments(place[:2], way[:-1], way[1:])[1][0].tolist()


def way_near(scene: bpy.types.Scene, crowd: FootfallCrowd, place: Vector) -> Float64 | None:
    """Return the nearest line of a crowd's way as it is evaluated now, float64 (P, 2); None where it cannot be read.

    That of people who go from place to place is taken as straight: nobody knows yet how they will go.
    """
    if crowd.has_curve:
        return _path_near(scene, crowd.route, place)
    ends = [middle_of(end, np.array(end.matrix_world))[:2] for end in (crowd.start, crowd.goal) if end is not None]
    return np.array(ends) if len(ends) == 2 else None


def queue_line(scene: bpy.types.Scene, crowd: FootfallCrowd, place: Vector) -> Float64 | None:
    """Return the line of a queue before a counter, in Blender units, by `line_beside`; None: it goes straight."""
    path, metre = _path_near(scene, crowd.route, place), metres_per_unit(scene)
    if path is None:
        return None
    room, half_width = Stop(place="").room, 0.5 * crowd.path_width
    line = line_beside(metre * path, metre * np.array(place[:2]), half_width=half_width, room=room)
    return None if line is None else line / metre


def _path_near(scene: bpy.types.Scene, route: bpy.types.Object | None, place: Vector) -> Float64 | None:
    """Return the nearest line of a route as it is evaluated now, float64 (P, 2); None where it cannot be read."""
    if route is None:
        return None
    lines = read_lines(scene, [route], scene.frame_current, 1.0, Findings()).get(route, [])
    rings = [(np.vstack([line.points, line.points[:1]]) if line.closed else line.points)[:, :2] for line in lines]
    return min(rings, key=lambda ring: nearest_on_segments(place[:2], ring[:-1], ring[1:])[0][0], default=None)


def line_beside(path: Float64, place: Float64, *, half_width: float, room: int) -> Float64 | None:
    """Return the line of a queue that lies beside a path, towards those who come.

    Args:
        path: float64 (P, 2), P >= 2, in the direction in which people walk; of a closed one the first point is the
            last again [m].
        place: float64 (2,), where people are served [m].
        half_width: of the path [m].
        room: the most people in the queue.

    Returns:
        float64 (Q, 2) from where people are served on [m]; None where a straight queue ends before the path, or people
        are served in the middle of it.
    """
    distance, nearest, segment = nearest_on_segments(place, path[:-1], path[1:])
    spacing, apart = QueueSettings().spacing, float(distance[0])
    if apart <= _SETTINGS.out or apart > half_width + _SETTINGS.beside + (room - 1) * spacing:
        return None
    out = (nearest[0] - place) / apart
    back = np.concatenate([nearest, path[: segment[0] + 1][::-1]])
    back = back[np.concatenate([[True], length(np.diff(back, axis=0)) > 0.0])]
    if len(back) < 2:  # people are served where the path begins
        back = np.stack([nearest[0], nearest[0] - (path[1] - path[0])])
    side = np.sign(dot(out[::-1] * (-1.0, 1.0), back[1] - back[0]))
    s = np.arange(_SETTINGS.step, _SETTINGS.most * spacing, _SETTINGS.step)
    along, after = lengths_along(back), np.diff(back, axis=0)
    piece = np.clip(np.searchsorted(along, s, side="right") - 1, 0, len(after) - 1)
    heading = after[piece] / length(after[piece])[:, None]
    beside = back[piece] + (s - along[piece])[:, None] * heading  # beyond the start of the path straight on
    beside += (apart - _SETTINGS.out) * side * heading[:, ::-1] * (-1.0, 1.0)
    return np.concatenate([[place, place + _SETTINGS.out * out], beside])
