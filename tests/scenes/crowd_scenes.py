# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes that crowds are judged by: rings, corridors, crossings, doorways. Benchmark and tests share them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.scene import Agent, Area, Crowd, Obstacle, Route, Scene, Spawn

Float64 = NDArray[np.float64]
Point = tuple[float, float]


@dataclass(frozen=True)
class Gate:
    """A line from `first` to `second` that people pass: where flow is counted [m]."""

    first: Point
    second: Point

    @property
    def width(self) -> float:
        """Its length [m]."""
        return math.dist(self.first, self.second)


@dataclass(frozen=True, eq=False)
class Standard:
    """A scene to judge crowds by, and the gate in it where flow is counted, if any."""

    scene: Scene
    gate: Gate | None = None


def box(x0: float, y0: float, x1: float, y1: float) -> Float64:
    """Return float64 (4, 2), the outline of an upright box [m]."""
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], dtype=np.float64)


def block(x0: float, y0: float, x1: float, y1: float) -> Obstacle:
    """Return a box that nobody enters."""
    return Obstacle(f"Block {x0:g} {y0:g}", box(x0, y0, x1, y1))


def ring(people: int, radius: float | None = None, *, avoidance: str = "orca", seconds: float = 60.0) -> Standard:
    """People on a circle who all cross to the opposite side.

    Args:
        people: how many.
        radius: of the circle [m]; None for 5 m, or so wide that neighbours stand 0.7 m apart.
        avoidance: of all of them.
        seconds: how long they have.
    """
    size = radius or max(5.0, 0.7 * people / (2 * math.pi))
    turns = [2 * math.pi * number / people for number in range(people)]
    agents = tuple(
        Agent((size * math.cos(turn), size * math.sin(turn)), (-size * math.cos(turn), -size * math.sin(turn)))
        for turn in turns
    )
    crowd = Crowd("Ring", count=people, agents=agents, avoidance=avoidance)
    return Standard(Scene(frames=(1, int(24 * seconds)), crowds=(crowd,)))


def two_way_corridor(
    a_side: int = 60, width: float = 4.0, *, length: float = 30.0, avoidance: str = "orca"
) -> Standard:
    """People who walk towards each other between two walls."""
    room = a_side / 60 * 4.0 / width * 14.0
    areas = (
        Area("West", box(-room, 0.1, 0.0, width - 0.1)),
        Area("East", box(length, 0.1, length + room, width - 0.1)),
    )
    walls = (
        np.array([[-room - 2, 0.0], [length + room + 2, 0.0]]),
        np.array([[-room - 2, width], [length + room + 2, width]]),
    )
    crowds = (
        Crowd("Eastward", count=a_side, start="West", goal="East", arrival="leave", avoidance=avoidance),
        Crowd("Westward", count=a_side, start="East", goal="West", arrival="leave", avoidance=avoidance),
    )
    return Standard(Scene(frames=(1, 2400), areas=areas, walls=walls, crowds=crowds))


def crossing(
    people: int = 200, *, turns: Sequence[float] = (0.0, 0.25, 0.5, 0.75), avoidance: str = "orca"
) -> Standard:
    """Streams that cross in the middle of a square.

    Args:
        people: how many in all.
        turns: where each stream comes from, in full turns.
        avoidance: of all of them.
    """
    areas, crowds = [], []
    for number, turn in enumerate(turns):
        for side, along in (("from", -1.0), ("to", 1.0)):
            outline = _turned(box(along * 16.0 - 5.0, -4.0, along * 16.0 + 5.0, 4.0), 2 * math.pi * turn)
            areas.append(Area(f"{side} {number}", outline))
        crowds.append(
            Crowd(
                f"Stream {number}",
                count=people // len(turns),
                start=f"from {number}",
                goal=f"to {number}",
                arrival="leave",
                avoidance=avoidance,
            )
        )
    return Standard(Scene(frames=(1, 2400), areas=tuple(areas), crowds=tuple(crowds)))


def random_goals(people: int = 150, *, seed: int, avoidance: str = "orca") -> Standard:
    """People who walk between random places of a square, one to 2 m2 when they start."""
    random = np.random.default_rng(seed)
    side = math.ceil(math.sqrt(people))
    size = math.sqrt(2.0 * people)
    cells = np.argwhere(np.ones((side, side)))[np.sort(random.permutation(side * side)[:people])]
    starts = random.permutation(cells + random.uniform(0.2, 0.8, (people, 2))) * size / side
    goals, speeds = random.uniform(0.0, size, (people, 2)), np.clip(random.normal(1.34, 0.26, people), 0.7, 2.0)
    agents = tuple(
        Agent((x, y), (to_x, to_y), radius=0.25, speed=speed)
        for (x, y), (to_x, to_y), speed in zip(starts.tolist(), goals.tolist(), speeds.tolist(), strict=True)
    )
    crowd = Crowd("Walkers", count=people, agents=agents, arrival="leave", avoidance=avoidance)
    return Standard(Scene(frames=(1, 24 * 45), seed=seed, bounds=box(-5.0, -5.0, size + 5, size + 5), crowds=(crowd,)))


def bent_corridor(people: int = 60, width: float = 3.0, *, avoidance: str = "orca") -> Standard:
    """People who walk round the corner of an L-shaped corridor, half of them each way."""
    areas = (Area("South", box(0.2, 0.2, width - 0.2, 10.0)), Area("East", box(14.0, 20.2, 24.0, 20.0 + width - 0.2)))
    walls = (
        np.array([[0.0, 0.0], [0.0, 20.0 + width], [24.5, 20.0 + width]]),
        np.array([[width, 0.0], [width, 20.0], [24.5, 20.0]]),
    )
    crowds = (
        Crowd("There", count=people // 2, start="South", goal="East", arrival="leave", avoidance=avoidance),
        Crowd("Back", count=people // 2, start="East", goal="South", arrival="leave", avoidance=avoidance),
    )
    return Standard(Scene(frames=(1, 2400), areas=areas, walls=walls, crowds=crowds))


def doorway(width: float, people: int = 120, *, depth: float = 0.3, avoidance: str = "orca") -> Standard:
    """People who leave a room through one door.

    Args:
        width: of the door [m].
        people: in the room.
        depth: of its wall [m].
        avoidance: of all of them.
    """
    low, high = 5.0 - width / 2, 5.0 + width / 2
    room = (
        block(10.0, -0.5, 10.0 + depth, low),
        block(10.0, high, 10.0 + depth, 10.5),
        block(-0.5, -0.5, 10.0, 0.0),
        block(-0.5, 10.0, 10.0, 10.5),
    )
    areas = (Area("Room", box(1.0, 0.5, 9.0, 9.5)), Area("Outside", box(16.0, 2.0, 20.0, 8.0)))
    crowd = Crowd("Guests", count=people, start="Room", goal="Outside", arrival="leave", avoidance=avoidance)
    middle = 10.0 + depth / 2
    scene = Scene(
        frames=(1, 24 * 200), bounds=box(-1.0, -2.0, 22.0, 12.0), obstacles=room, areas=areas, crowds=(crowd,)
    )
    return Standard(scene, Gate((middle, low), (middle, high)))


def dense_exit(people: int = 108, *, avoidance: str = "orca") -> Standard:
    """A packed room, three people to the square metre, that empties through a door of 1.2 m."""
    standard = doorway(1.2, people, avoidance=avoidance)
    crowded = (Area("Room", box(3.6, 2.0, 9.6, 8.0)), standard.scene.areas[1])
    return replace(standard, scene=replace(standard.scene, areas=crowded))


def closed_loop(density: float, width: float = 2.0, length: float = 40.0, *, seconds: float = 30.0) -> Standard:
    """People who walk round a closed corridor for ever, so many to the square metre.

    Args:
        density: [1/m2].
        width: of the corridor [m].
        length: of its middle line [m].
        seconds: how long.
    """
    size = length / (2 * math.pi)
    turns = np.linspace(0.0, 2 * math.pi, 72, endpoint=False)
    circle = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    points = np.column_stack([size * circle, np.zeros(len(turns))])
    walls = tuple(np.concatenate([edge * circle, edge * circle[:1]]) for edge in (size - width / 2, size + width / 2))
    people = round(density * width * length)
    route = Route("Loop", points, closed=True, width=width - 0.1)
    # As slender as people in a throng make themselves: broader ones would not find room at 2.5 to the square metre.
    crowd = Crowd("Walkers", count=people, route="Loop", spawn=Spawn("spread"), arrival="loop", radius=(0.2, 0.2))
    return Standard(Scene(frames=(1, int(24 * seconds)), routes=(route,), walls=walls, crowds=(crowd,)))


def standard_scenes(avoidance: str = "orca") -> dict[str, Callable[[], Standard]]:
    """Return the standard scenes by name, each made when it is called."""
    scenes: dict[str, Callable[[], Standard]] = {
        f"ring {people}": lambda people=people: ring(people, avoidance=avoidance) for people in (8, 16, 32, 64, 100)
    }
    scenes["two-way corridor"] = lambda: two_way_corridor(avoidance=avoidance)
    scenes["crossing 200"] = lambda: crossing(avoidance=avoidance)
    scenes["L corridor"] = lambda: bent_corridor(avoidance=avoidance)
    for width in (0.8, 1.0, 1.2, 1.6, 2.0):
        scenes[f"door {width} m"] = lambda width=width: doorway(width, avoidance=avoidance)
    scenes["dense exit"] = lambda: dense_exit(avoidance=avoidance)
    return scenes


def _turned(points: Float64, angle: float) -> Float64:
    cos, sin = math.cos(angle), math.sin(angle)
    return points @ np.array([[cos, sin], [-sin, cos]])
