# SPDX-License-Identifier: GPL-3.0-or-later
"""The trial curves, random polylines, and people who do exactly what the planner planned."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
import pytest

from core.planning import FrenetPlanner, PlannerInput
from core.planning.paths.frenet import FrenetState

TICK = 0.05  # [s]
REPLANNING = 6  # ticks between plans: 0.3 s


@dataclass(frozen=True, eq=False)
class Followed:
    """Where A people were at T ticks: arrays (T, A, ...). `peak` (A,) is the largest acceleration within plans."""

    position: np.ndarray
    s: np.ndarray
    d: np.ndarray
    collides: np.ndarray
    peak: np.ndarray


def follow(references, path, *, seconds, obstacles=None, settings=None, noise=0.0, enough=np.inf, **wishes):
    """Let agents follow their plans to the letter, planning again every 0.3 s from where that brings them."""
    path = np.asarray(path)
    count, rng = len(path), np.random.default_rng(11)
    given = dict.fromkeys(("s", "s_dot", "s_ddot", "d", "d_prime", "d_second", "wanted_offset"), 0.0)
    given |= {"wanted_speed": 1.34, "radius": 0.24} | wishes
    stops = np.broadcast_to(given.pop("stop_at_end", True), count)
    given = {
        name: np.array(np.broadcast_to(np.asarray(value, dtype=np.float64), count)) for name, value in given.items()
    }
    planner, agents = FrenetPlanner(references, settings), PlannerInput(path=path, stop_at_end=stops, **given)
    names = [field.name for field in fields(FrenetState)]
    enough = np.broadcast_to(enough, count)  # whoever has come that far along their path is followed no more [m]
    moving, peak, collides = np.arange(count), np.zeros(count), np.zeros(count, dtype=bool)
    now, made = [np.zeros((REPLANNING, count, *size)) for size in ((2,), (), ())], []
    for _ in range(round(seconds / (TICK * REPLANNING))):
        some = agents.rows(moving)
        plans, rows = planner.plan(some, obstacles), np.arange(len(moving))
        within = [plans.at(rows, np.full(len(rows), tick * TICK)) for tick in range(REPLANNING + 1)]
        velocity = np.stack([each[1] for each in within])
        peak[moving] = np.maximum(peak[moving], np.max(np.hypot(*np.diff(velocity, axis=0).T).T / TICK, axis=0))
        for kept, number in zip(now, (0, 2, 3), strict=True):
            kept[:, moving] = np.stack([each[number] for each in within[:-1]])
        collides[moving] = plans.collides
        made.append((*(kept.copy() for kept in now), collides.copy()))
        state = plans.state(rows, np.full(len(rows), TICK * REPLANNING))
        rests = np.all([getattr(state, name) == getattr(some, name) for name in names], axis=0)
        if noise:
            drawn = noise * rng.normal(size=(2, count))[:, moving]
            state, rests = replace(state, s=state.s + drawn[0], d=state.d + drawn[1]), np.zeros(len(moving), dtype=bool)
        for name in names:
            getattr(agents, name)[moving] = getattr(state, name)
        there = now[1][-1, moving] >= enough[moving]
        for kept in now:
            kept[:, moving[there]] = kept[-1, moving[there]]
        moving = moving[~rests & ~there]  # who ends a plan as it began would do the same for ever
    position, s, d = (np.concatenate(part) for part in list(zip(*made, strict=True))[:3])
    return Followed(position, s, d, np.stack([each[3] for each in made]), peak)


def farthest_from_line(places, points, closed):
    """Largest distance from places (N, 2) to a drawn line, and from the line to the places."""
    ring = np.concatenate((points, points[:1])) if closed else points
    corners = ring[:, 0] + 1j * ring[:, 1]
    along = np.concatenate(([0.0], np.cumsum(np.abs(np.diff(corners)))))
    line = np.interp(np.arange(0.0, along[-1] + 0.01, 0.02), along, corners)
    apart = np.abs((places[:, 0] + 1j * places[:, 1])[:, None] - line[None])
    return float(apart.min(axis=1).max()), float(apart.min(axis=0).max())


def random_polylines(seed, count):
    """Polylines with sharp turns, tiny steps, steps of no length, reversals and repeats; and which are closed."""
    rng, lines = np.random.default_rng(seed), []
    while len(lines) < count:
        points, heading = [np.zeros(2)], rng.uniform(0.0, 2.0 * np.pi)
        for _ in range(rng.integers(3, 12)):
            kind = rng.random()
            if kind < 0.15:
                points.append(points[-1].copy())
                continue
            heading += np.pi if kind < 0.3 else rng.normal(0.0, 1.2)
            step = rng.choice([0.05, 0.3, 1.0, 2.0, 4.0], p=[0.1, 0.15, 0.3, 0.3, 0.15]) * rng.uniform(0.5, 1.5)
            points.append(points[-1] + step * np.array([np.cos(heading), np.sin(heading)]))
            if rng.random() < 0.1:
                points.append(points[-2].copy())
        line = np.array(points)
        if np.abs(np.diff(line, axis=0)).sum() > 0.5:
            lines.append(line)
    return lines, [number % 5 == 4 for number in range(count)]


@pytest.fixture(scope="session")
def curves():
    """name -> (points, closed)."""
    file = Path(__file__).parents[2] / "data" / "curves.json"
    found = json.loads(file.read_text(encoding="utf-8"))["curves"]
    return {curve["name"]: (np.array(curve["points"]), curve["closed"]) for curve in found}


@pytest.fixture(name="follow", scope="session")
def follow_fixture():
    return follow


@pytest.fixture(name="farthest_from_line", scope="session")
def farthest_fixture():
    return farthest_from_line


@pytest.fixture(name="random_polylines", scope="session")
def random_polylines_fixture():
    return random_polylines
