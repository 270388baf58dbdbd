# SPDX-License-Identifier: GPL-3.0-or-later
"""Everybody's way from start to goal, the paths along curves and the ways past what stands on them, during a drag."""

from __future__ import annotations

from collections.abc import Hashable

import bpy
import numpy as np

from ....runtime import live_routes
from ....settings.scene_settings import scene_of
from .. import marks
from ..marks import Mark
from ..overlay import Overlay, View
from .corridors import Lift

_LED: marks.Colour = (0.2, 0.9, 1.0, 0.8)
_WAITING: marks.Colour = (0.6, 0.6, 0.6, 0.5)
_REFUSED: marks.Colour = (1.0, 0.15, 0.1, 1.0)
_PATH: marks.Colour = (1.0, 0.85, 0.2, 1.0)


def draw(view: View) -> list[Mark]:
    """A line for each way, grey as long as it is to be looked for again, red to the goal where there is none.

    Where something stands on a curve that people follow, the way past it, red where nothing leads past.
    """
    live = live_routes.routes_of(scene_of(bpy.context), view.reading)
    people, lift = live.people, Lift(view.reading)
    waiting = people.waiting
    pieces: dict[marks.Colour, list[np.ndarray]] = {_LED: [], _WAITING: [], _REFUSED: []}
    for person, way in enumerate(people.ways):
        if person in waiting:
            if way is not None:
                pieces[_WAITING].append(way)
        elif way is None:
            pieces[_REFUSED].append(np.stack([people.journeys.starts[person], people.journeys.goals[person]]))
        else:
            pieces[_LED].append(way)
    drawn: list[Mark] = []
    for colour, lines in pieces.items():
        if lines:
            starts, ends = (np.concatenate([line[cut] for line in lines]) for cut in (np.s_[:-1], np.s_[1:]))
            drawn.append(marks.segments(lift(starts), lift(ends), colour, width=1.5))
    up = np.array([0.0, 0.0, lift.above])
    drawn += [marks.chains(line + up, _PATH, width=3.0) for line in live.lines]
    for bypass in people.past.bypasses:
        line, colour = (bypass.ends, _REFUSED) if bypass.way is None else (bypass.way, _LED)
        drawn.append(marks.chains(line + up, colour, width=3.0))
    return drawn


def _version() -> Hashable:
    return live_routes.version_of(scene_of(bpy.context))


OVERLAY = Overlay(
    draw,
    legend=((_LED, "way"), (_WAITING, "way, to be looked for again"), (_REFUSED, "no way"), (_PATH, "path of a curve")),
    each_frame=False,
    version=_version,
)
