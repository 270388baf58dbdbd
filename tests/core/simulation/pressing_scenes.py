# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes in which something that moves drives into people who stand close together, with a way out for all of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.scene import Agent, Area, Crowd, Motion, Obstacle, Scene
from tests.scenes.crowd_scenes import box

RADIUS = 0.23
PITCH = 2 * RADIUS + 0.02  # of people who stand close together
QUARTER = np.pi / 2


def moving(name: str, outline: NDArray[np.float64], *keys: tuple[float, float, float, float]) -> Obstacle:
    """Return an obstacle that moves over keys (frame, x, y, yaw)."""
    return Obstacle(name, outline, motion=Motion(*np.array(keys, dtype=float).T))


def door_leaf(seconds: float) -> Obstacle:
    """Return a leaf 1 m wide, hinged at (0, 0), that swings open towards +y from frame 24 on."""
    return moving("Door", box(0, -0.02, 1, 0.02), (1, 0, 0, 0), (24, 0, 0, 0), (24 + 24 * seconds, 0, 0, QUARTER))


def standing(count: int, abreast: int, first: tuple[float, float], avoidance: str) -> Crowd:
    """Return people who stand in rows across x, the middle of the first row at a place, and want nothing else."""
    spots = [
        (first[0] + (n % abreast - (abreast - 1) / 2) * PITCH, first[1] + n // abreast * PITCH) for n in range(count)
    ]
    return Crowd("Queue", agents=tuple(Agent(spot, spot, RADIUS, 1.3) for spot in spots), avoidance=avoidance)


def door_into_queue(avoidance: str, count: int = 8, abreast: int = 2, seconds: float = 1.0) -> Scene:
    """Return a door that opens into a queue on open ground."""
    walls = (Obstacle("Left", box(-6, -0.1, -0.02, 0.1)), Obstacle("Right", box(1.02, -0.1, 6, 0.1)))
    queue = standing(count, abreast, (0.55, 0.42), avoidance)
    return Scene(frames=(1, 84), obstacles=(door_leaf(seconds), *walls), crowds=(queue,))


def door_into_corridor(
    avoidance: str, count: int = 8, abreast: int = 2, seconds: float = 1.0, width: float = 1.4
) -> Scene:
    """Return a door that opens into a full corridor, along which people can give way."""
    walls = (Obstacle("Left", box(-0.3, 0.05, -0.1, 8)), Obstacle("Right", box(width - 0.1, 0.05, width + 0.2, 8)))
    queue = standing(count, abreast, (width / 2, 0.42), avoidance)
    bounds = box(-3, -3, 5, 12)
    return Scene(frames=(1, 84), obstacles=(door_leaf(seconds), *walls), bounds=bounds, crowds=(queue,))


def door_into_people_who_walk(avoidance: str, count: int = 6) -> Scene:
    """Return a door that opens towards people on their way through it."""
    walls = (Obstacle("Left", box(-6, -0.1, -0.02, 0.1)), Obstacle("Right", box(1.02, -0.1, 6, 0.1)))
    agents = tuple(Agent((0.55, 0.4 + n * 0.51), (0.5, -4 - 0.5 * n), RADIUS, 1.3) for n in range(count))
    queue = Crowd("Queue", agents=agents, avoidance=avoidance)
    return Scene(frames=(1, 160), obstacles=(door_leaf(1.0), *walls), crowds=(queue,))


def door_into_area(avoidance: str, count: int = 16, seconds: float = 0.5) -> Scene:
    """Return a door that opens into an area full of people who have arrived."""
    walls = (Obstacle("Left", box(-6, -0.1, -0.02, 0.1)), Obstacle("Right", box(1.02, -0.1, 6, 0.1)))
    hall = Area("Hall", box(-1.2, 0.2, 2.2, 2.4))
    crowd = Crowd("Queue", count=count, start="Hall", goal="Hall", avoidance=avoidance)
    return Scene(frames=(1, 84), areas=(hall,), obstacles=(door_leaf(seconds), *walls), crowds=(crowd,))


def gate_into_people(avoidance: str, speed: float = 0.5) -> Scene:
    """Return a gate that slides into people who stand in its opening."""
    end = 24 + 24 * 1.5 / speed
    gate = moving("Gate", box(-2, -0.05, 0, 0.05), (1, 0, 0, 0), (24, 0, 0, 0), (end, 1.5, 0, 0))
    queue = standing(6, 2, (0.3 + RADIUS + PITCH / 2, -0.72), avoidance)
    return Scene(frames=(1, int(end) + 24), obstacles=(gate,), crowds=(queue,))


def cart_into_group(avoidance: str, speed: float = 1.0, count: int = 16) -> Scene:
    """Return a cart that drives into a group of people."""
    end = 12 + 24 * 6 / speed
    cart = moving("Cart", box(-0.9, -0.5, 0.9, 0.5), (1, 0, 0, 0), (12, 0, 0, 0), (end, 6, 0, 0))
    group = standing(count, 4, (3.5, -0.7), avoidance)
    return Scene(frames=(1, int(end) + 12), obstacles=(cart,), crowds=(group,))
