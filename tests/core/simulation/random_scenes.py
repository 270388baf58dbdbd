# SPDX-License-Identifier: GPL-3.0-or-later
"""Random scenes of people on curves and between areas, with obstacles, doors and carts, that always leave a way out.

    python -m tests.core.simulation.random_scenes FIRST COUNT

simulates scenes and lists those in which anybody overlaps with others or with an obstacle by more than 2 cm.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import SceneError
from core.scene import Agent, Area, Crowd, Motion, Obstacle, Route, Scene, Spawn
from core.scene.entities import Following
from core.simulation import simulate
from tests.scenes.crowd_scenes import box

from .overlaps import Overlap, deepest_between_people, deepest_in_obstacles

Float64 = NDArray[np.float64]
Draw = np.random.Generator

DEEPEST = 0.02  # [m]
WIDE, TALL = 18.0, 12.0  # the hall that most scenes lie in [m]
LAST = 140  # frame


def random_scene(seed: int) -> Scene:
    """Return a scene, the same for the same number."""
    draw = np.random.default_rng([seed, 20])
    kinds = (curves, crossing_crowds, door_in_wall, listed_people, cart_through_hall)
    return kinds[seed % len(kinds)](draw)


def curves(draw: Draw) -> Scene:
    """Return crowds on one or two random curves, with or without a pillar on them and a cart across."""
    routes, crowds = [], []
    for number in range(int(draw.integers(1, 3))):
        count = int(draw.integers(3, 6))
        x = np.sort(draw.uniform(0, WIDE, count)) + 2.0 * np.arange(count)
        points = np.stack([x, draw.uniform(0, TALL, count), np.zeros(count)], axis=1)
        if number and draw.random() < 0.5:  # the same line, towards those on the first
            points = routes[0].points[::-1].copy()
        routes.append(Route(f"Line {number}", points, width=float(draw.uniform(1.2, 5.0))))
        crowds.append(_crowd(draw, f"People {number}", (3, 14), route=f"Line {number}"))
    middle = routes[0].points[1, :2]
    obstacles = [Obstacle("Pillar", _turned(draw, middle + draw.uniform(-1, 1, 2)))] if draw.random() < 0.5 else []
    if draw.random() < 0.4:
        obstacles.append(_cart(draw, (float(middle[0]) + 3.0, -6.0), (float(middle[0]) + 3.0, TALL + 6.0)))
    bounds = box(-8, -10, WIDE + 18, TALL + 10)
    return _scene(draw, routes=tuple(routes), crowds=tuple(crowds), obstacles=tuple(obstacles), bounds=bounds)


def crossing_crowds(draw: Draw) -> Scene:
    """Return two crowds that cross in a hall with some pillars."""
    areas, ends = _areas(draw)
    obstacles = tuple(
        Obstacle(f"Pillar {n}", _turned(draw, (draw.uniform(6, WIDE - 6), draw.uniform(3.5, TALL - 3.5))))
        for n in range(int(draw.integers(0, 4)))
    )
    crowds = tuple(_crowd(draw, f"From {a}", (3, 14), start=a, goal=b) for a, b in ends)
    return _scene(draw, areas=areas, crowds=crowds, obstacles=obstacles, bounds=box(-1, -1, WIDE + 1, TALL + 1))


def door_in_wall(draw: Draw) -> Scene:
    """Return crowds on both sides of a wall with a door that swings or slides open and shut, and a second gap."""
    areas, _ = _areas(draw)
    middle, y, width = WIDE / 2, float(draw.uniform(2, 5)), float(draw.uniform(0.9, 1.8))
    gap = float(draw.uniform(7, 9))
    walls = [
        Obstacle("Low", box(middle - 0.1, -1, middle + 0.1, y)),
        Obstacle("Between", box(middle - 0.1, y + width, middle + 0.1, gap)),
        Obstacle("High", box(middle - 0.1, gap + draw.uniform(1, 2), middle + 0.1, TALL + 1)),
    ]
    opens = float(draw.integers(20, 50))
    times = [1.0, opens, opens + draw.uniform(12, 40), opens + 60, opens + 60 + draw.uniform(12, 40)]
    swings = draw.random() < 0.6
    turn = draw.choice([-1, 1]) * np.pi / 2
    # A leaf that shuts may find people in the door: it stops short, so that they have a way out.
    if swings:
        leaf, x = box(-0.03, 0, 0.03, width - 0.02), middle
        slide, yaw = np.zeros(5), turn * np.array([0, 0, 1, 1, 0.6])
    else:
        leaf, x = box(-0.03, 0, 0.03, width), middle - 0.14
        slide, yaw = -width * np.array([0, 0, 1, 1, 0.5 if width > 1.5 else 1.0]), np.zeros(5)
    motion = Motion(np.array(times), np.full(5, x), y + slide, yaw)
    crowds = tuple(_crowd(draw, f"From {a}", (2, 10), start=a, goal=b) for a, b in (("West", "East"), ("East", "West")))
    return _scene(
        draw,
        areas=areas,
        crowds=crowds,
        obstacles=(*walls, Obstacle("Door", leaf, motion=motion)),
        bounds=box(-1, -1, WIDE + 1, TALL + 1),
    )


def listed_people(draw: Draw) -> Scene:
    """Return people placed one by one who change places across a ring, or anywhere, some of them close together."""
    count = int(draw.integers(4, 16))
    radius = draw.uniform(0.16, 0.35, count)
    spots: list[Float64] = []
    while len(spots) < count:
        spot = draw.uniform((2, 2), (WIDE - 2, TALL - 2))
        if all(np.hypot(*(spot - other)) > radius[len(spots)] + radius[k] + 0.02 for k, other in enumerate(spots)):
            spots.append(spot)
    if draw.random() < 0.4:
        angle = 2 * np.pi * np.arange(count) / count
        spots = list(np.stack([9 + 5 * np.cos(angle), 6 + 5 * np.sin(angle)], axis=1))
        goals = [np.array([18.0, 12.0]) - spot for spot in spots]
    else:
        goals = [draw.uniform((2, 2), (WIDE - 2, TALL - 2)) for _ in spots]
    pairs = zip(spots, goals, radius.tolist(), strict=True)
    agents = tuple(Agent((s[0], s[1]), (g[0], g[1]), size, float(draw.uniform(0.9, 1.6))) for s, g, size in pairs)
    crowd = Crowd("Listed", count=count, agents=agents, avoidance=_model(draw))
    cart = (_cart(draw, (-6.0, 6.0), (WIDE + 6.0, 6.0)),) if draw.random() < 0.5 else ()
    return _scene(draw, crowds=(crowd,), obstacles=cart, bounds=box(-8, -3, WIDE + 8, TALL + 3))


def cart_through_hall(draw: Draw) -> Scene:
    """Return people who stand in the middle of a hall, and a cart through them."""
    hall = Area("Hall", box(6, 3.5, 12, 8.5))
    crowd = _crowd(draw, "Idlers", (6, 26), start="Hall", goal="Hall", spawn=Spawn())
    cart = _cart(draw, (-4.0, 6.0), (WIDE + 4.0, 6.0))
    if draw.random() < 0.4:
        cart = _cart(draw, (9.0, TALL + 4.0), (9.0, -4.0))
    return _scene(draw, areas=(hall,), crowds=(crowd,), obstacles=(cart,), bounds=box(-8, -6, 26, 18))


def _scene(draw: Draw, **parts: Any) -> Scene:
    return Scene(frames=(1, LAST), seed=int(draw.integers(1000)), **parts)


def _crowd(draw: Draw, name: str, most: tuple[int, int], **way: Any) -> Crowd:
    least = float(draw.uniform(0.16, 0.3))
    modes = (Spawn(), Spawn("spread"), Spawn("flow", rate=float(draw.uniform(0.5, 3.0))))
    return Crowd(
        name,
        count=int(draw.integers(*most)),
        radius=(least, least + float(draw.choice([0.0, 0.03, 0.1]))),
        avoidance=_model(draw),
        **{"spawn": modes[int(draw.integers(3))]} | way,
        groups=(1, int(draw.choice([1, 1, 3]))),
        following=Following(spread=float(draw.uniform(0.3, 1.0)), comfort=float(draw.uniform(0, 1))),
    )


def _model(draw: Draw) -> str:
    return str(draw.choice(["orca", "human_like"]))


def _areas(draw: Draw) -> tuple[tuple[Area, ...], tuple[tuple[str, str], tuple[str, str]]]:
    areas = (
        Area("West", box(0, 1, 4, 11)),
        Area("East", box(WIDE - 4, 1, WIDE, 11)),
        Area("South", box(5, 0, 13, 2.5)),
        Area("North", box(5, 9.5, 13, TALL)),
    )
    other = ("East", "West") if draw.random() < 0.5 else ("South", "North")
    return areas, (("West", "East"), other)


def _turned(draw: Draw, middle: Any) -> Float64:
    """Return the corners of a box about a place, turned at random."""
    half, angle = draw.uniform(0.2, 0.9, 2), draw.uniform(0, np.pi)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return box(-half[0], -half[1], half[0], half[1]) @ turn + np.asarray(middle)


def _cart(draw: Draw, start: tuple[float, float], end: tuple[float, float]) -> Obstacle:
    """Return a cart that drives from one place to another, on from a random frame."""
    half = draw.uniform(0.3, 0.9, 2)
    way = np.subtract(end, start)
    begin, seconds = float(draw.integers(2, 40)), float(np.hypot(*way) / draw.uniform(0.5, 3.0))
    frames = np.array([1.0, begin, begin + 24 * seconds])
    along = np.array([0.0, 0.0, 1.0])
    yaw = np.full(3, np.arctan2(way[1], way[0]))
    motion = Motion(frames, start[0] + way[0] * along, start[1] + way[1] * along, yaw)
    return Obstacle("Cart", box(-half[0], -half[1], half[0], half[1]), motion=motion)


def judge(scene: Scene) -> tuple[Overlap, Overlap]:
    """Return the deepest overlap of people with each other, and with obstacles, of a scene."""
    made = simulate(scene)
    return deepest_between_people(made), deepest_in_obstacles(made, scene)


def main(first: int, count: int) -> None:
    """Simulate scenes, and print those with overlaps."""
    refused, found = 0, 0
    for seed in range(first, first + count):
        try:
            between, within = judge(random_scene(seed))
        except SceneError as error:  # a crowd for which its area or route has no room
            refused += 1
            print(f"{seed}: refused: {str(error)[:150]}", flush=True)
            continue
        if max(between.depth, within.depth) > DEEPEST:
            found += 1
            print(f"{seed}: {100 * between.depth:.1f} cm {between}, {100 * within.depth:.1f} cm {within}", flush=True)
    print(f"{count} scenes, {refused} refused, {found} with overlaps of more than {100 * DEEPEST:.0f} cm")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
