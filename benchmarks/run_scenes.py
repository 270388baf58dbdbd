# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes of any number of people for `benchmarks.simulation`: more people have more ground, and walk as densely."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from core.scene import Agent, Area, Crowd, Obstacle, Route, Scene, Spawn

Float64 = NDArray[np.float64]

DENSITY = 0.25  # of people where they walk freely [1/m2]
BLOCK, STREET = 6.0, 6.0  # side of a block, and of the streets between blocks [m]
WIDTH = 8.0  # of the avenue [m]
ROOM = 12.0  # side of a room that is left through a door [m]
DOOR = 1.4  # its width [m]
IN_ROOM = 50
ARM = 15.0  # of a crossing, from its middle [m]
AT_CROSSING = 100
AT_STATION_DOOR = 50
STATION_DOOR = 9.0  # from door to door [m]


def box(x: float, y: float, wide: float, high: float) -> Float64:
    """Return float64 (4, 2), an upright box from its lower left corner [m]."""
    return np.array([[x, y], [x + wide, y], [x + wide, y + high], [x, y + high]])


def grid(x: Float64, y: Float64) -> Float64:
    """Return float64 (N, 2), places in rows and columns [m]."""
    return np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)


def solid(number: int, *place: float) -> Obstacle:
    """Return a box that nobody enters."""
    return Obstacle(f"Block {number}", box(*place))


def avenue(people: int, frames: int) -> Scene:
    """Half of the people walk each way along a drawn avenue between two walls."""
    length = people / (DENSITY * WIDTH)
    middle = np.array([[0.0, 0.0, 0.0], [length, 0.0, 0.0]])
    routes = (Route("East", middle, width=WIDTH), Route("West", middle[::-1], width=WIDTH))
    walls = tuple(np.array([[-20.0, y], [length + 20.0, y]]) for y in (-0.5 * WIDTH - 0.3, 0.5 * WIDTH + 0.3))
    crowds = tuple(
        Crowd(route.name, count=people // 2, route=route.name, spawn=Spawn("spread"), arrival="leave")
        for route in routes
    )
    return Scene(frames=(1, frames), routes=routes, walls=walls, crowds=crowds)


def place_to_place(people: int, frames: int) -> Scene:
    """Everybody walks from a place of their own to another, anywhere on a square ground with blocks of houses."""
    rng = np.random.default_rng(5)
    side = math.sqrt(people / DENSITY)
    count = max(1, round(side / (BLOCK + STREET)))
    side = count * (BLOCK + STREET)
    corner = 0.5 * STREET + (BLOCK + STREET) * np.arange(count, dtype=np.float64)
    corners = grid(corner, corner)
    blocks = tuple(solid(number, *corner, BLOCK, BLOCK) for number, corner in enumerate(corners.tolist()))
    starts, goals = (_free_places(people, side, rng) for _ in range(2))
    return _of_agents(starts, goals, blocks, box(0.0, 0.0, side, side), frames)


def _free_places(people: int, side: float, rng: np.random.Generator) -> Float64:
    """Return float64 (N, 2), places in the streets, at least 0.8 m apart [m]."""
    spots = grid(np.arange(0.6, side - 0.5, 1.2), np.arange(0.6, side - 0.5, 1.2))
    within = np.mod(spots, BLOCK + STREET) - 0.5 * STREET
    free = spots[((within < -0.5) | (within > BLOCK + 0.5)).any(axis=1)]
    chosen = free[rng.permutation(len(free))[:people]]
    return chosen + rng.uniform(-0.2, 0.2, chosen.shape)


def _of_agents(starts: Float64, goals: Float64, blocks: tuple[Obstacle, ...], bounds: Float64, frames: int) -> Scene:
    agents = tuple(
        Agent(tuple(start), tuple(goal)) for start, goal in zip(starts.tolist(), goals.tolist(), strict=True)
    )
    crowd = Crowd("People", count=len(agents), agents=agents, arrival="leave")
    return Scene(frames=(1, frames), bounds=bounds, obstacles=blocks, crowds=(crowd,))


def crossing(people: int, frames: int) -> Scene:
    """Four streams of 25 people cross in the middle of each of many squares, houses at their corners."""
    rng = np.random.default_rng(6)
    across, count = 2.0 * ARM, max(1, people // AT_CROSSING)
    columns = math.ceil(math.sqrt(count))
    starts, goals, blocks = [], [], []
    spots = grid(np.arange(-ARM + 1.0, -ARM + 9.0, 1.5), np.arange(-3.0, 3.1, 1.5))
    for number in range(count):
        middle = np.array([number % columns, number // columns]) * (across + 1.0) + ARM
        for turn in range(4):
            cos, sin = ((1, 0), (0, 1), (-1, 0), (0, -1))[turn]
            for own, sign in ((starts, 1.0), (goals, -1.0)):
                placed = spots[rng.permutation(len(spots))[: people // count // 4]] * (sign, 1.0)
                own.append(middle + placed @ np.array([[cos, sin], [-sin, cos]]))
        corner = ARM - 4.0
        for x, y in ((-ARM, -ARM), (4.0, -ARM), (-ARM, 4.0), (4.0, 4.0)):
            blocks.append(solid(len(blocks), middle[0] + x, middle[1] + y, corner, corner))
    rows = -(-count // columns)
    bounds = box(0.0, 0.0, columns * (across + 1.0), rows * (across + 1.0))
    return _of_agents(np.concatenate(starts), np.concatenate(goals), tuple(blocks), bounds, frames)


def doors(people: int, frames: int) -> Scene:
    """Fifty people leave each of many rooms through a door."""
    rng = np.random.default_rng(7)
    count = max(1, people // IN_ROOM)
    columns, deep = math.ceil(math.sqrt(count)), ROOM + 10.0
    spots = grid(np.arange(1.0, 11.1, 1.25), np.arange(1.0, 11.1, 1.25))
    beyond = grid(np.arange(ROOM + 3.0, ROOM + 9.0, 0.7), np.arange(1.0, 11.1, 0.9))
    starts, goals, blocks = [], [], []
    low = 0.5 * (ROOM - DOOR)
    for number in range(count):
        corner = np.array([number % columns * deep, number // columns * (ROOM + 0.3)])
        starts.append(corner + spots[rng.permutation(len(spots))[: people // count]])
        goals.append(corner + beyond[rng.permutation(len(beyond))[: people // count]])
        x, y = corner
        for place in ((x + ROOM, y, 0.3, low), (x + ROOM, y + low + DOOR, 0.3, low), (x, y + ROOM, deep, 0.3)):
            blocks.append(solid(len(blocks), *place))
        blocks.append(solid(len(blocks), x + deep - 0.3, y, 0.3, ROOM))
    bounds = box(0.0, 0.0, columns * deep, -(-count // columns) * (ROOM + 0.3))
    return _of_agents(np.concatenate(starts), np.concatenate(goals), tuple(blocks), bounds, frames)


def station(people: int, frames: int) -> Scene:
    """People cross a hall between trains and street, walking at first or entering one by one."""
    count = max(2, people // AT_STATION_DOOR)
    length, deep = count * STATION_DOOR, 24.0
    blocks, wall = [], 0.4
    for y, gap in ((0.0, 4.0), (deep, 2.8)):
        for number in range(count):
            place = (number * STATION_DOOR + 0.5 * gap, y, STATION_DOOR - gap, wall)
            blocks.append(solid(len(blocks), *place))
    for number in range(count):
        blocks.append(solid(len(blocks), (number + 0.5) * STATION_DOOR - 1.2, 8.0, 2.4, 2.4))
        blocks.append(solid(len(blocks), (number + 0.5) * STATION_DOOR - 0.4, 16.0, 0.8, 0.8))
    areas = (
        Area("Street", box(1.0, -5.0, length - 2.0, 3.5)),
        Area("Platform", box(1.0, deep + 2.0, length - 2.0, 3.5)),
    )
    flow = Spawn("flow", rate=people / 100.0, headway=0.2)
    crowds = tuple(
        Crowd(f"{start} {spawn.mode}", count=people // 4, start=start, goal=goal, spawn=spawn, arrival="leave")
        for start, goal in (("Street", "Platform"), ("Platform", "Street"))
        for spawn in (Spawn("spread"), flow)
    )
    bounds = box(0.0, -6.0, length, deep + 12.4)
    return Scene(frames=(1, frames), bounds=bounds, obstacles=tuple(blocks), areas=areas, crowds=crowds)


SCENES: dict[str, Callable[[int, int], Scene]] = {
    "avenue": avenue,
    "station": station,
    "crossing": crossing,
    "doors": doors,
    "place to place": place_to_place,
}
