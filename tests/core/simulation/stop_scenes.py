# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes in which people stop on their way, and how long each of them does what there."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.scene import Scene
from core.scene.file import scene_from_json
from core.simulation.world.doing import Doing
from core.trajectories import Trajectories

STANDS = (Doing.AT_STOP, Doing.LOOKING, Doing.IN_QUEUE, Doing.SERVED)
STANDS += (Doing.REACTING, Doing.TALKING, Doing.SITTING, Doing.WAITING_FOR_EVENT, Doing.PLAYING_CLIP)


def scene(crowd: dict[str, Any], places: list[dict[str, Any]], *, frames: int, **others: Any) -> Scene:
    """A crowd on a straight route of 20 m, at 20 frames a second, with places."""
    route = {"name": "Path", "points": [[0, 0], [20, 0]], "width": 2.0}
    walkers = {"name": "Walkers", "route": "Path", "arrival": "leave", "speed": {"mean": 1.34, "sd": 0.0}} | crowd
    if "agents" in walkers or "start" in walkers:
        del walkers["route"]
    data = {"footfall_scene": 1, "fps": 20, "frames": [1, frames], "places": places, "routes": [route]}
    return scene_from_json(data | {"crowds": [walkers]} | others)


def time_of(made: Trajectories, *doing: Doing) -> np.ndarray:
    """How long each has done something, float64 (A,) [s]."""
    return np.isin(made.doing, doing).sum(axis=0) / made.fps


def longest_halt(made: Trajectories) -> float:
    """The longest time that anybody stays within half a metre elsewhere than at a stop or at the goal [s].

    Or that no queue moves on.
    """
    has_arrived = (made.arrived_frame > 0) & (made.frames[:, None] >= made.arrived_frame)
    makes_room = has_arrived & (made.doing == Doing.MAKING_WAY)
    stuck = made.present & ~np.isin(made.doing, (*STANDS, Doing.ARRIVED)) & ~makes_room
    stuck |= made.present & (made.doing == Doing.IN_QUEUE) & ~(made.doing == Doing.SERVED).any(axis=1)[:, None]
    place, since, longest = made.position[0, :, :2].copy(), np.zeros(stuck.shape[1], dtype=int), 0
    for frame, (stays, here) in enumerate(zip(stuck, made.position[..., :2], strict=True)):
        off = here - place
        moves = ~stays | ~(np.hypot(off[:, 0], off[:, 1]) < 0.5)
        place[moves], since[moves] = here[moves], frame
        longest = max([longest, *(frame - since).tolist()])
    return longest / made.fps


def random_scene(seed: int) -> Scene:
    """A few people, boxes and stops of all kinds on 20 by 20 m, from anywhere to anywhere or along a bent route."""
    rng = np.random.default_rng(seed)
    corners = [(x, y, x + w, y + h) for x, y, w, h in rng.uniform((3, 3, 0.4, 0.4), (17, 17, 2.5, 2.5), (4, 4))]
    corners = corners[: rng.integers(0, 5)]

    def free() -> list[float]:
        while True:
            x, y = rng.uniform(2.0, 18.0, 2)
            if not any(a - 0.4 < x < c + 0.4 and b - 0.4 < y < d + 0.4 for a, b, c, d in corners):
                return [float(x), float(y)]

    places, stops = [], []
    for number in range(int(rng.integers(1, 4))):
        do = ("stand", "look_at", "queue", "talk", "sit", "wait_until")[rng.integers(6)]
        place = {"name": f"Place {number}", "points": [free()]}
        places.append(place | ({"headings": [float(rng.uniform(-3, 3))]} if do in {"queue", "sit"} else {}))
        stop = {"place": f"Place {number}", "do": do, "duration": {"mean": float(rng.uniform(0.5, 3)), "sd": 0.5}}
        stop |= {"awaits": {"frame": int(rng.integers(100, 500))}} if do == "wait_until" else {}
        stop["then"] = ("on", "on", "on", "back", "leave")[rng.integers(5)]
        stops.append(stop | {"share": float(rng.uniform(0.3, 1))})
    crowd: dict[str, Any] = {"stops": stops, "stop_order": ("in_order", "random")[rng.integers(2)]}
    crowd |= {"count": int(rng.integers(1, 8)), "avoidance": ("orca", "human_like")[rng.integers(2)]}
    others: dict[str, Any] = {"bounds": [[0, 0], [20, 0], [20, 20], [0, 20]]}
    others["obstacles"] = [
        {"name": f"Box {k}", "outline": [[a, b], [c, b], [c, d], [a, d]]} for k, (a, b, c, d) in enumerate(corners)
    ]
    if rng.random() < 0.3:
        then = ("run", "flee", "stop", "leave", "perform")[rng.integers(5)]
        trigger = {"name": "Trigger", "when": {"what": "frame", "frames": [int(rng.integers(50, 400))]}, "then": then}
        others["triggers"] = [trigger | {"mark": "Bang", "activity": "wave", "share": float(rng.uniform(0.3, 1))}]
        x, y = free()
        others["marks"] = [{"name": "Bang", "motion": {"frames": [1], "x": [x], "y": [y]}}]
    if rng.random() < 0.5:
        others["routes"] = [{"name": "Path", "points": [free(), free(), free()], "width": 2.0}]
        crowd["spawn"] = {"mode": ("flow", "at_once", "spread")[rng.integers(3)]}
    else:
        crowd["agents"] = [{"start": free(), "goal": free()} for _ in range(crowd["count"])]
    return scene(crowd, places, frames=1000, **others)
