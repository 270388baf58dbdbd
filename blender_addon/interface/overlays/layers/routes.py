# SPDX-License-Identifier: GPL-3.0-or-later
"""Everybody's route from start to goal, the paths along curves and the bypasses of obstacles on them, during a drag."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import bpy
import numpy as np

from ....runtime import live_routes
from ....settings.scene_settings import scene_of
from . import marks
from .corridors import Lift
from .marks import Colour, Mark
from .overlay import Overlay, View


@dataclass(frozen=True)
class RoutesStyle:
    """How routes are drawn; chosen for legibility.

    Attributes:
        route, waiting, refused, path: colours of routes, of outdated and of missing ones, and of paths of curves.
        route_width, path_width: of lines [pixels].
    """

    route: Colour = (0.2, 0.9, 1.0, 0.8)
    waiting: Colour = (0.6, 0.6, 0.6, 0.5)
    refused: Colour = (1.0, 0.15, 0.1, 1.0)
    path: Colour = (1.0, 0.85, 0.2, 1.0)
    route_width: float = 1.5
    path_width: float = 3.0


STYLE = RoutesStyle()


def draw(view: View) -> list[Mark]:
    """A line for each route, grey until it is updated, a red line to the goal where there is none.

    Where an obstacle blocks a curve that people follow, its bypass, red where there is none.
    """
    live = live_routes.routes_of(scene_of(bpy.context), view.reading)
    people, lift = live.people, Lift(view.reading)
    waiting = people.waiting
    pieces: dict[Colour, list[np.ndarray]] = {STYLE.route: [], STYLE.waiting: [], STYLE.refused: []}
    for person, route in enumerate(people.routes):
        if person in waiting:
            if route is not None:
                pieces[STYLE.waiting].append(route)
        elif route is None:
            pieces[STYLE.refused].append(np.stack([people.journeys.starts[person], people.journeys.goals[person]]))
        else:
            pieces[STYLE.route].append(route)
    drawn: list[Mark] = []
    for colour, lines in pieces.items():
        if lines:
            starts, ends = (np.concatenate([line[cut] for line in lines]) for cut in (np.s_[:-1], np.s_[1:]))
            drawn.append(marks.segments(lift(starts), lift(ends), colour, width=STYLE.route_width))
    up = np.array([0.0, 0.0, lift.above])
    drawn += [marks.chains(line + up, STYLE.path, width=STYLE.path_width) for line in live.lines]
    for bypass in people.past.bypasses:
        line, colour = (bypass.ends, STYLE.refused) if bypass.route is None else (bypass.route, STYLE.route)
        drawn.append(marks.chains(line + up, colour, width=STYLE.path_width))
    return drawn


def _version() -> Hashable:
    return live_routes.version_of(scene_of(bpy.context))


OVERLAY = Overlay(
    draw,
    legend=(
        (STYLE.route, "route"),
        (STYLE.waiting, "route, not updated yet"),
        (STYLE.refused, "no route"),
        (STYLE.path, "path of a curve"),
    ),
    each_frame=False,
    version=_version,
)
