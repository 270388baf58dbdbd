# SPDX-License-Identifier: GPL-3.0-or-later
"""Whoever follows a curve with nobody near does so gently, in whole simulations: judged by the places of the frames."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from core.scene import Crowd, Following, Route, Scene, Speed
from core.simulation import simulate
from tests.core.planning.other_curves import other_curves

BORNE = 3.0  # [m/s2]
APART = 60.0  # [m] between curves: nobody sees anybody
FEW = ("hairpin_r.3", "corner90", "cusp_bezier", "small zigzag", "30 cm with a corner", "hairpins", "spiral stairs")


def curves():
    """name -> (points, closed)."""
    file = Path(__file__).parents[2] / "data" / "curves.json"
    found = json.loads(file.read_text(encoding="utf-8"))["curves"]
    return {each["name"]: (np.array(each["points"], dtype=float), each["closed"]) for each in found} | other_curves()


def one_on_each(names, *, seconds, fps, speed, **crowd):
    """One person on each of these curves, side by side in one scene."""
    routes, crowds, every = [], [], curves()
    for number, name in enumerate(names):
        points, closed = every[name]
        line = np.full((len(points), 3), (APART * number, 0.0, 0.0))
        line[:, : points.shape[1]] += points
        routes.append(Route(name, line, closed))
        crowds.append(Crowd(name, count=1, route=name, speed=Speed(speed, 0.0), **crowd))
    frames = (1, round(seconds * fps))
    return simulate(Scene(fps=fps, frames=frames, routes=tuple(routes), crowds=tuple(crowds)))


@pytest.mark.parametrize(
    ("fps", "speed", "crowd"),
    [
        (60, 1.34, {}),
        (30, 1.34, {"avoidance": "human_like"}),
        (24, 2.5, {"following": Following(comfort=0.0)}),  # hurried people come to what soles hold
    ],
)
def test_nobody_is_torn_about_on_any_curve(fps, speed, crowd):
    made = one_on_each(FEW, seconds=9, fps=fps, speed=speed, **crowd)
    place = made.position[..., :2]
    acceleration = np.linalg.norm(np.diff(place, 2, axis=0), axis=-1) * fps**2
    assert acceleration.max() < BORNE + 1e-6
    walked = np.linalg.norm(np.diff(place, axis=0), axis=-1).sum(axis=0)
    assert (walked > 0.25).all()


def test_the_last_of_ones_speed_is_not_lost_in_a_single_frame():
    made = one_on_each(["30 cm", "30 cm with a corner"], seconds=5, fps=60, speed=1.34)
    speed = np.linalg.norm(np.diff(made.position[..., :2], axis=0), axis=-1) * 60
    assert (made.arrived_frame > 0).all()
    assert speed[-1].max() < 1e-6
    for number in range(2):
        last = np.flatnonzero(speed[:, number] > 0.0)[-8:]
        assert (np.diff(speed[last, number]) * 60 > -2.0).all()
