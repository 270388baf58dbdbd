# SPDX-License-Identifier: GPL-3.0-or-later
"""Maps of other kinds than the paper's: turned blocks, thin walls, discs, mazes, rooms with doors, coasts."""

import numpy as np
import pytest

from core.routing import CorridorMap, NoRoute
from tests.sweeps import sweep

from .conftest import box, clearance_of, edges_of_all, regular
from .test_changes import assert_same

pytestmark = pytest.mark.once

RADIUS = 0.25


def turned_blocks(rng, large):
    """Blocks in a grid, each turned a little, some of them into each other."""
    count = 30 if large else 8
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * 3.4
    shapes = []
    for x in range(count):
        for y in range(count):
            angle = rng.uniform(0.0, np.pi)
            turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
            shapes.append(corners * rng.uniform(0.4, 1.0, 2) @ turn + 10.0 * np.array([x, y]) + 5.0)
    return shapes, box(0, 0, 10.0 * count, 10.0 * count)


def thin_walls(rng, large):
    """Walls of no width, many times as long as they are apart, in all directions."""
    count, size = (400, 200.0) if large else (40, 60.0)
    starts = rng.random((count, 2)) * size
    angle = rng.uniform(0.0, 2.0 * np.pi, count)
    runs = rng.uniform(5.0, 25.0, count)[:, None] * np.stack((np.cos(angle), np.sin(angle)), axis=1)
    return [np.stack((a, a + run)) for a, run in zip(starts, runs, strict=True)], box(0, 0, size, size)


def discs(rng, large):
    """Discs of sixteen corners on a grid of whole metres: many corners on common circles and lines."""
    count = 71 if large else 12
    spots = np.stack(np.meshgrid(np.arange(count), np.arange(count)), axis=-1).reshape(-1, 2) * 3.0 + 2.0
    radius = np.where(rng.random(len(spots)) < 0.8, 0.5, 1.0)
    return [regular(spot, r, 16) for spot, r in zip(spots, radius, strict=True)], box(0, 0, 3.0 * count, 3.0 * count)


def maze(rng, large):
    """A maze of walls between cells of two metres, with one way from each cell to each other."""
    side = 40 if large else 10
    closed = {(x, y, d) for x in range(side) for y in range(side) for d in "EN"}
    seen, stack = {(0, 0)}, [(0, 0)]
    while stack:
        x, y = stack[-1]
        steps = [
            (x + 1, y, (x, y, "E")),
            (x - 1, y, (x - 1, y, "E")),
            (x, y + 1, (x, y, "N")),
            (x, y - 1, (x, y - 1, "N")),
        ]
        ways = [s for s in steps if 0 <= s[0] < side and 0 <= s[1] < side and s[:2] not in seen]
        if not ways:
            stack.pop()
            continue
        *cell, wall = ways[rng.integers(len(ways))]
        closed.discard(wall)
        seen.add(tuple(cell))
        stack.append(tuple(cell))
    walls = []
    for x, y, d in sorted(closed):
        a = (2.0 * x + 2.0, 2.0 * y) if d == "E" else (2.0 * x, 2.0 * y + 2.0)
        walls.append(np.array([a, (a[0] + 2.0 * (d == "N"), a[1] + 2.0 * (d == "E"))]))
    return walls, box(0, 0, 2.0 * side, 2.0 * side)


def rooms(rng, large):
    """Rooms of five metres in rows, each wall with a door somewhere in it, and a table in each room."""
    count = 20 if large else 6
    shapes = []
    for x in range(count):
        for y in range(count):
            low = 5.0 * np.array([x, y])
            door = rng.uniform(0.5, 3.5, 2)
            shapes += [
                box(low[0] + 4.9, low[1], 0.2, door[0]),
                box(low[0] + 4.9, low[1] + door[0] + 1.0, 0.2, 4.0 - door[0]),
            ]
            shapes += [
                box(low[0], low[1] + 4.9, door[1], 0.2),
                box(low[0] + door[1] + 1.0, low[1] + 4.9, 4.0 - door[1], 0.2),
            ]
            shapes.append(box(*(low + rng.uniform(1.0, 3.0, 2)), 0.8, 0.8))
    return shapes, box(0, 0, 5.0 * count, 5.0 * count)


def coast(rng, large):
    """Bounds that are no box: a round bay with islands."""
    angle = 2.0 * np.pi * np.arange(200) / 200
    reach = 50.0 + 8.0 * np.sin(5 * angle) + 3.0 * np.sin(17 * angle)
    islands = [
        regular(rng.uniform(-30, 30, 2), rng.uniform(0.5, 4.0), int(rng.integers(3, 20)), rng.random())
        for _ in range(30)
    ]
    return islands, np.stack((reach * np.cos(angle), reach * np.sin(angle)), axis=1)


@pytest.mark.parametrize("large", sweep([False, True], usual=1))
@pytest.mark.parametrize("make", [turned_blocks, thin_walls, discs, maze, rooms, coast])
def test_a_map_is_built_led_through_and_changed(make, large):
    rng = np.random.default_rng(7)
    shapes, bounds = make(rng, large)
    corridors = CorridorMap(shapes, bounds)
    starts, ends = edges_of_all([*shapes, bounds])
    low, high = bounds.min(axis=0), bounds.max(axis=0)
    found = 0
    for start, goal in rng.uniform(low, high, (40, 2, 2)):
        try:
            way = corridors.path(start, goal, RADIUS)
        except NoRoute:
            continue
        found += 1
        assert clearance_of(way, starts, ends) >= RADIUS - 1e-6
    assert found >= 4
    standing = dict(enumerate(shapes))
    for _ in range(6):
        shape = regular(rng.uniform(low, high), rng.uniform(0.3, 4.0), int(rng.integers(3, 7)), rng.random())
        standing[corridors.insert(shape)] = shape
        chosen = int(rng.choice(list(standing)))
        corridors.remove(chosen)
        del standing[chosen]
    assert_same(corridors, CorridorMap([standing[number] for number in corridors.ids], bounds))
