# SPDX-License-Identifier: GPL-3.0-or-later
"""Whoever follows a curve with nobody near does so gently, in whole simulations: judged by the places of the frames."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.geometry.distance_field import ObstacleField
from core.planning import ReferenceSet
from core.scene import Crowd, Following, Obstacle, Route, Scene, Spawn, Speed
from core.simulation import simulate
from tests.core.planning.conftest import random_polylines
from tests.core.planning.paths.other_curves import other_curves
from tests.scenes.whole_walks import walk_to_the_end
from tests.sweeps import sweep

pytestmark = pytest.mark.once

BORNE = 3.0 * 1.04  # [m/s2]; smoothing may overshoot
APART = 60.0  # [m] between curves: nobody sees anybody
FEW = ("hairpin_r.3", "corner90", "cusp_bezier", "small zigzag", "30 cm with a corner", "hairpins", "spiral stairs")


def curves():
    """name -> (points, closed)."""
    file = Path(__file__).parents[3] / "data" / "curves.json"
    found = json.loads(file.read_text(encoding="utf-8"))["curves"]
    return {each["name"]: (np.array(each["points"], dtype=float), each["closed"]) for each in found} | other_curves()


def drawn_curves():
    """The trial curves alone."""
    return {name: each for name, each in curves().items() if name not in other_curves()}


def one_on_each(names, *, seconds, fps, speed, **crowd):
    """One person on each of these curves, side by side in one scene."""
    scene = scene_of(names, seconds=seconds, fps=fps, speed=speed, **crowd)
    return simulate(scene)


def scene_of(names, *, seconds, fps, speed, **crowd):
    routes, crowds, every = [], [], curves()
    for number, name in enumerate(names):
        points, closed = every[name]
        line = np.full((len(points), 3), (APART * number, 0.0, 0.0))
        line[:, : points.shape[1]] += points
        routes.append(Route(name, line, closed))
        crowds.append(Crowd(name, count=1, route=name, speed=Speed(speed, 0.0), **crowd))
    frames = (1, round(seconds * fps))
    return Scene(fps=fps, frames=frames, routes=tuple(routes), crowds=tuple(crowds))


@pytest.mark.parametrize(
    ("fps", "speed", "crowd"),
    sweep(
        [
            (30, 1.34, {"avoidance": "human_like"}),
            (24, 2.5, {"following": Following(comfort=0.0)}),  # hurried people come to what soles hold
            (60, 1.34, {}),
        ],
        usual=2,
    ),
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


def passed_in_order(places, stations, reach=0.6):
    """Whether all stations were come near to, one after another."""
    tick = 0
    for station in stations:
        near = np.linalg.norm(places[tick:] - station, axis=1) < reach
        if not near.any():
            return False
        tick += int(near.argmax())
    return True


# line 95 begins with three points in one place, and its drum stands between two legs that come back
@pytest.mark.parametrize("numbers", sweep([[*range(5), 95], [*range(5, 20)]], usual=1), ids=["six", "more"])
def test_a_drum_on_random_polylines_is_passed_without_a_touch_and_their_ends_are_reached(numbers):
    (lines, closed), angle = random_polylines(7, 100), np.linspace(0.0, 2.0 * np.pi, 16, endpoint=False)
    apart = [lines[k][:, :2] + (APART * place, 0.0) for place, k in enumerate(numbers)]
    references = ReferenceSet.from_polylines(apart, [closed[k] for k in numbers])
    share = np.array([np.random.default_rng([7, k]).uniform((-0.1, -0.3), (0.1, 0.3)) for k in numbers])
    path = np.arange(len(numbers))
    middle = references.to_cartesian(path, references.lengths * (0.5 + share[:, 0]), share[:, 1])
    rings = middle[:, None] + 0.25 * np.stack((np.cos(angle), np.sin(angle)), axis=1)
    ends = [references.to_cartesian(path, s, 0.0 * s) for s in (0.0 * references.lengths, references.lengths)]
    clear = np.minimum(*(np.linalg.norm(end - middle, axis=1) for end in ends)) > 0.25 + 0.24 + 0.05
    routes, crowds = [], []
    for k in np.flatnonzero(clear):
        line = np.column_stack((apart[k], np.zeros(len(apart[k]))))
        routes.append(Route(f"Line {k}", line, closed[numbers[k]]))
        crowds.append(Crowd(f"Walker {k}", count=1, route=f"Line {k}", speed=Speed(1.34, 0.0), radius=(0.24, 0.24)))
    drums = tuple(Obstacle(f"Drum {k}", rings[k]) for k in np.flatnonzero(clear))
    frames = (1, 50 * 24)
    scene = Scene(fps=24, frames=frames, routes=tuple(routes), crowds=tuple(crowds), obstacles=drums)
    made = walk_to_the_end(scene)
    place, field = made.position[..., :2], ObstacleField([(drum.outline, ()) for drum in drums])
    acceleration = np.linalg.norm(np.diff(place, 2, axis=0), axis=-1) * 24**2
    assert field.signed_distance(place.reshape(-1, 2)).min() > 0.24
    assert acceleration.max() < BORNE + 1e-6
    assert (made.arrived_frame > 0).all(), np.flatnonzero(made.arrived_frame <= 0)


@pytest.mark.thorough
def test_two_drums_on_every_curve_are_passed_without_a_touch():
    names, rng = list(drawn_curves()), np.random.default_rng(0)
    scene = scene_of(names, seconds=48, fps=24, speed=1.34, radius=(0.24, 0.24))
    references = ReferenceSet.from_polylines([r.points for r in scene.routes], [r.closed for r in scene.routes])
    path, angle = np.repeat(np.arange(len(names)), 2), np.linspace(0.0, 2.0 * np.pi, 16, endpoint=False)
    s = references.lengths[path] * (np.tile([0.35, 0.7], len(names)) + rng.uniform(-0.1, 0.1, len(path)))
    middle = references.to_cartesian(path, s, rng.uniform(-0.3, 0.3, len(path)))
    ring = 0.25 * np.stack((np.cos(angle), np.sin(angle)), axis=1)
    drums = tuple(Obstacle(f"Drum {number}", place + ring) for number, place in enumerate(middle))
    made = walk_to_the_end(replace(scene, obstacles=drums))
    place, field = made.position[..., :2], ObstacleField([(drum.outline, ()) for drum in drums])
    acceleration = np.linalg.norm(np.diff(place, 2, axis=0), axis=-1) * 24**2
    assert field.signed_distance(place.reshape(-1, 2)).min() > 0.24
    assert acceleration.max() < BORNE + 1e-6
    assert (made.arrived_frame > 0).all(), made.notices
    for number in range(len(names)):
        along = np.arange(0.0, references.lengths[number], 0.5)
        stations = references.to_cartesian(np.full(len(along), number), along, np.zeros(len(along)))
        free = np.linalg.norm(stations[:, None] - middle, axis=2).min(axis=1) > 2.5  # elsewhere they are led round
        assert passed_in_order(place[:, number], stations[free]), names[number]


STAIRS = [(0, 0), (2, 0), (2, 1), (3, 1), (3, 2), (4, 2), (4, 3), (5, 3), (5, 4), (8, 4)]
TO_AND_FRO = [(0, 0), (5.73, -1.49), (2.94, -0.76), (8.82, -0.18), (8.51, -0.21), (0, 9)]
NOOK = [(0, 0), (2.09, 0.41), (2.17, 2.05), (1.65, 1.1), (1.46, 1.04), (1.49, 1.05), (0, 9)]
HOOK = [(0, 0), (0.29, -1.1), (2.66, -5.88), (2.35, -6.19), (1.77, -5.7), (1.76, -4.72), (1.77, -5.76), (3.14, -5.77)]
LOOP = [(0, 0), (2, 0), (2, 1), (1.4, 1), (1.4, 2), (0, 2)]


def test_a_drum_between_turns_to_both_sides_is_passed_and_the_end_reached():
    cases = [
        (STAIRS, (2.63, 1.0)),
        (STAIRS, (4.37, 3.23)),
        (TO_AND_FRO, (8.27, -0.1)),
        (NOOK, (1.51, 1.81)),
        (HOOK, (2.17, -5.04)),  # the way round it would lead across the centre of a bend, and from there nowhere
        (HOOK, (2.22, -5.04)),
        (LOOP, (1.5, 0.9)),
        (LOOP, (1.5, 1.2)),
        ([*STAIRS[:5], (3.5, 2.0)], (2.8, 1.6)),  # the last of it alone is free
    ]
    angle, routes, crowds, drums = np.linspace(0.0, 2.0 * np.pi, 16, endpoint=False), [], [], []
    ring = 0.25 * np.stack((np.cos(angle), np.sin(angle)), axis=1)
    for number, (line, drum) in enumerate(cases):
        points = np.array([(APART * number + x, y, 0.0) for x, y in line])
        routes.append(Route(f"Line {number}", points, closed=line is LOOP))
        crowds.append(Crowd(f"{number}", count=1, route=f"Line {number}", speed=Speed(1.34, 0.0), radius=(0.24, 0.24)))
        drums.append(Obstacle(f"Drum {number}", ring + np.array((APART * number + drum[0], drum[1]))))
    scene = Scene(fps=20, frames=(1, 660), routes=tuple(routes), crowds=tuple(crowds), obstacles=tuple(drums))
    made = walk_to_the_end(scene)
    place, field = made.position[..., :2], ObstacleField([(drum.outline, ()) for drum in drums])
    assert (made.arrived_frame > 0).all(), made.notices
    assert field.signed_distance(place.reshape(-1, 2)).min() > 0.24
    assert np.linalg.norm(np.diff(place, 2, axis=0), axis=-1).max() * 20**2 < BORNE + 1e-6
    for number, (line, _) in enumerate(cases):
        end = line[0] if line is LOOP else line[-1]
        assert np.linalg.norm(place[:, number] - (APART * number, 0.0) - end, axis=1).min() < 0.3


@pytest.mark.parametrize("seed", sweep([51, 9, 52], usual=1))
def test_five_people_stay_on_a_zigzag_of_one_metre(seed):
    """Others push some out of the sharp turns, where a metre of the line is many metres of walking."""
    points = sharp_zigzag(seed)
    route = Route("Path", np.column_stack((points, np.zeros(len(points)))), width=1.0)
    crowd = Crowd("Walkers", count=5, route="Path", arrival="leave")
    made = walk_to_the_end(Scene(frames=(1, 400), routes=(route,), crowds=(crowd,)))
    ends = points[:1] + 6.0 * unit(points[0] - points[1]), points[-1:] + 6.0 * unit(points[-1] - points[-2])
    away = distance_to_line(made.position[made.present][:, :2], np.concatenate((ends[0], points, ends[1])))
    assert away.max() < 0.5 + 0.65


def sharp_zigzag(seed):
    """A line of 5 to 10 m with turns of 60 to 170 degrees; float64 (P, 2) [m]."""
    rng = np.random.default_rng(seed)
    length, count = rng.uniform(5.0, 10.0), rng.integers(4, 11)
    pieces = rng.uniform(0.5, 1.5, count)
    turns = rng.uniform(60.0, 170.0, count - 1) * rng.choice([-1.0, 1.0], count - 1)
    angle = np.radians(np.cumsum(np.append(0.0, turns)))
    steps = (pieces * length / pieces.sum())[:, None] * np.stack((np.cos(angle), np.sin(angle)), axis=1)
    return np.concatenate((np.zeros((1, 2)), np.cumsum(steps, axis=0)))


def unit(vector):
    return vector / np.sqrt(vector @ vector)


def distance_to_line(points, line):
    """Distances of places from a polyline; float64 (N,) [m]."""
    start, piece = line[:-1], np.diff(line, axis=0)
    away = points[:, None] - start
    share = np.clip((away * piece).sum(axis=2) / (piece * piece).sum(axis=1), 0.0, 1.0)
    return np.linalg.norm(away - share[..., None] * piece, axis=2).min(axis=1)


@pytest.mark.parametrize(("degrees", "least", "usual"), [(20, 0.97, 0.98), (35, 0.95, 0.97), (60, 0.4, 0.78)])
def test_nobody_nearly_stops_on_the_inner_side_of_a_gentle_bend(degrees, least, usual):
    """On a street of 8 m, where others walk at full speed on the outer side."""
    turn, corner = np.radians(degrees), np.array([16.0, 0.0, 0.0])
    end = corner + 16.0 * np.array([np.cos(turn), np.sin(turn), 0.0])
    street = Route("Street", np.array([np.zeros(3), corner, end]), width=8.0)
    crowd = Crowd("People", count=24, route="Street", spawn=Spawn("flow", rate=2.0), arrival="leave", avoidance="none")
    made = simulate(Scene(frames=(1, 640), routes=(street,), crowds=(crowd,)))
    place, speed = made.position[..., :2], np.linalg.norm(made.velocity[..., :2], axis=2)
    kept = []
    for agent in range(24):
        ahead = (place[:, agent, 0] > 5.0) & (place[:, agent, 0] < 9.0)
        near = np.linalg.norm(place[:, agent] - corner[:2], axis=1) < 5.0
        if near.any() and np.mean(place[ahead, agent, 1]) > 0.0:
            kept.append(np.min(speed[near, agent]) / np.mean(speed[ahead, agent]))
    assert len(kept) >= 8
    assert np.min(kept) >= least
    assert np.mean(kept) >= usual
