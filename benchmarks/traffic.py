# SPDX-License-Identifier: GPL-3.0-or-later
"""Vehicles on lanes: how fast, how well dense rings and crossings flow, and what rings are like without lanes.

    python -m benchmarks.traffic [--minutes 10]

Without the rule of lanes, everybody brakes for the most imminent contact of boxes that go straight on, whatever lane
they are on, the harder the sooner it is: the rule of the article that this part of Footfall answers, and at three
sensitivities, as its author tried them. Wanted speeds differ, so the slowest of a lane set the pace of a thin ring; the
equilibrium is that of the mean. Times are CPU time, the best of six.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from core.geometry.boxes import Boxes, overlap_depth, separating_axes
from core.scene import Crowd, Obstacle, Route, Scene, Spawn, Speed
from core.simulation.vehicles.traffic import Traffic, start_traffic
from core.simulation.world.agents import GONE, OUTSIDE, PeopleOnFoot
from core.simulation.world.environment import Environment
from core.steering.neighbours import close_pairs
from core.steering.traffic.car_following import advance, equilibrium_speed, free_acceleration
from core.steering.traffic.settings import TrafficSettings

DT = 0.05
LENGTH, STANDING_GAP = 4.5, 2.0
LANES, RADIUS = 3, 60.0
NOBODY = PeopleOnFoot(np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0), np.zeros(0))
SOON = (3.0, 1.0, 0.4)
"""Without the rule of lanes, a contact within so long is braked for: from sensitive to not [s]."""

LOOK = 5
"""Steps from one look for overlaps to the next."""


def ring_of(count: int, radius: float) -> Traffic:
    """Cars evenly on a ring of three lanes."""
    angle = np.linspace(0, 2 * np.pi, 512, endpoint=False)
    points = np.stack((radius * np.cos(angle), radius * np.sin(angle), 0 * angle), axis=1)
    crowd = Crowd("Cars", "vehicle", count, "Ring", spawn=Spawn("spread"), arrival="loop", speed=Speed(13.0, 1.5))
    scene = Scene(routes=(Route("Ring", points, closed=True, lanes=LANES),), crowds=(crowd,))
    traffic = start_traffic(scene, Environment(scene), NOBODY, TrafficSettings())
    assert traffic is not None
    return traffic


def contacts(traffic: Traffic) -> int:
    """How many pairs of cars overlap now."""
    here = np.flatnonzero(traffic.vehicles.present)
    if len(here) < 2:
        return 0
    boxes = traffic.vehicles.boxes(here, traffic.roads)
    reach = np.hypot(boxes.half_length, boxes.half_width)
    first, second = close_pairs(np.stack((boxes.x, boxes.y), axis=1), reach).T
    return int(np.count_nonzero(overlap_depth(boxes.take(first), boxes.take(second)) > 1e-6))


def step_with_lanes(traffic: Traffic, step: int) -> int:
    """One step as Footfall drives; how many brake for somebody who stays on another lane."""
    traffic.advance(step * DT, DT, NOBODY)
    vehicles = traffic.vehicles
    rows = np.flatnonzero((vehicles.leader >= 0) & (vehicles.acceleration < -0.05))
    own, other = vehicles.lane[rows], vehicles.lane[vehicles.leader[rows]]
    moving = (vehicles.from_lane[rows] == other) | (vehicles.from_lane[vehicles.leader[rows]] == own)
    return int(np.count_nonzero((own != other) & ~moving))


def time_to_contact(first: Boxes, second: Boxes, velocity: np.ndarray) -> np.ndarray:
    """Return the time until boxes that move without turning touch, pair by pair, exactly.

    Along each axis the two overlap during one interval of time; they touch when the last of the four intervals begins,
    if none has ended by then.

    Args:
        first: N boxes.
        second: N boxes.
        velocity: float64 (N, 2), of the first less that of the second [m/s].

    Returns:
        float64 (N,), 0 where they overlap now, inf where they never touch [s].
    """
    apart_x, apart_y = second.x - first.x, second.y - first.y
    begin, end = np.zeros(len(first.x)), np.full(len(first.x), np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        for x, y in separating_axes(first, second):
            reach = first.support(x, y) + second.support(x, y)
            apart, closing = apart_x * x + apart_y * y, velocity[:, 0] * x + velocity[:, 1] * y
            one, other = (apart - reach) / closing, (apart + reach) / closing
            still = closing == 0.0
            within = np.abs(apart) <= reach
            begin = np.maximum(begin, np.where(still, np.where(within, 0.0, np.inf), np.minimum(one, other)))
            end = np.minimum(end, np.where(still, np.inf, np.maximum(one, other)))
    return np.where(begin <= end, begin, np.inf)


def step_without_lanes(traffic: Traffic, _step: int, soon: float) -> int:
    """One step by the most imminent contact within so long [s]; how many brake for somebody on another lane."""
    vehicles, rows = traffic.vehicles, np.arange(len(traffic))
    boxes = vehicles.boxes(rows, traffic.roads)
    pairs = close_pairs(np.stack((boxes.x, boxes.y), axis=1), 15.0)
    who, by = np.concatenate((pairs, pairs[:, ::-1])).T
    velocity = vehicles.speed[:, None] * np.stack((boxes.cos, boxes.sin), axis=1)
    ahead = (boxes.x[by] - boxes.x[who]) * boxes.cos[who] + (boxes.y[by] - boxes.y[who]) * boxes.sin[who] > 0.0
    contact = time_to_contact(boxes.take(who), boxes.take(by), velocity[who] - velocity[by])
    contact = np.where(ahead, contact, np.inf)
    soonest = np.full(len(rows), np.inf)
    np.minimum.at(soonest, who, contact)
    urgency = np.clip(1.0 - soonest / soon, 0.0, 1.0)
    wish = np.where(urgency > 0.0, -8.0 * urgency, free_acceleration(vehicles.drivers, vehicles.speed))
    distance, vehicles.speed = advance(vehicles.speed, wish, DT)
    vehicles.s = np.mod(vehicles.s + distance, traffic.roads.length[vehicles.lane])
    decisive = (contact == soonest[who]) & (urgency[who] > 0.0)
    return int(np.count_nonzero(vehicles.lane[who[decisive]] != vehicles.lane[by[decisive]]))


def measure_speed() -> None:
    """Print microseconds per vehicle and step."""
    print("vehicles   us per vehicle-step")
    for count, radius in ((100, 100.0), (1000, 1000.0), (10_000, 4000.0)):
        traffic = ring_of(count, radius)
        best = np.inf
        for run in range(6):
            begin = time.process_time()
            for step in range(20):
                traffic.advance((20 * run + step) * DT, DT, NOBODY)
            best = min(best, time.process_time() - begin)
        print(f"{count:8d}   {1e6 * best / 20 / count:.2f}")


def measure_rings(minutes: float) -> None:
    """Print how rings of several densities flow, with the rule of lanes and without."""
    print("\ndensity   rule             overlapping car-steps   brakings for other lanes   mean speed   of equilibrium")
    rules: list[tuple[str, Callable[[Traffic, int], int]]] = [("lanes", step_with_lanes)]
    rules += [(f"contact in {soon:g} s", partial(step_without_lanes, soon=soon)) for soon in SOON]
    steps = round(minutes * 60 / DT)
    jam = LANES * 2 * np.pi * RADIUS / (LENGTH + STANDING_GAP)
    for density in (0.3, 0.6, 0.9, 0.97):
        for name, move in rules:
            traffic = ring_of(int(density * jam), RADIUS)
            traffic.vehicles.speed[::7] *= 0.3
            gap = traffic.roads.length.sum() / len(traffic) - LENGTH
            one = traffic.vehicles.drivers.take(np.array([0]))._replace(wanted_speed=np.full(1, 13.0))
            expected = float(equilibrium_speed(one, np.array([gap]), STANDING_GAP)[0])
            overlaps = braking = 0
            speeds = []
            for step in range(steps):
                braking += move(traffic, step)
                if step % LOOK == 0:
                    overlaps += LOOK * contacts(traffic)
                speeds.append(float(traffic.vehicles.speed.mean()))
            mean = float(np.mean(speeds[steps // 2 :]))
            print(f"{density:7.2f}   {name:16s}{overlaps:22d}{braking:27d}{mean:13.3f}{mean / expected:17.3f}")


def street(name: str, points: list[tuple[float, float]], rate: float, **more: Any) -> tuple[Route, Crowd]:
    """A road with cars that come in one by one, as many as can in 20 minutes."""
    route = Route(name, np.array([(*point, 0.0) for point in points]), **more)
    spawn = Spawn("flow", rate=rate, headway=1.0)
    return route, Crowd(name, "vehicle", int(1200 * rate), name, spawn=spawn, speed=Speed(12.0, 1.2))


def measure_places(minutes: float) -> None:
    """Print how crossings, an on-ramp and an open road over capacity with a van on it flow."""
    print("\nplace                        came   left   wait outside   overlapping car-steps   longest wait [s]")
    east, north = [(-120.0, 0.0), (120.0, 0.0)], [(0.0, -120.0), (0.0, 120.0)]
    ramp = [(-120.0, -40.0), (-60.0, -20.0), (-20.0, -4.0), (-5.0, -0.5), (5.0, 0.0), (120.0, 0.0)]
    van = Obstacle("Van", np.array([(0.0, -3.0), (6.0, -3.0), (6.0, -0.6), (0.0, -0.6)]))
    ranks = (("equal", "equal"), ("main", "equal"), ("stop", "stop"))
    places: list[tuple[str, list[tuple[Route, Crowd]], tuple[Obstacle, ...], float]] = [
        (
            f"crossing, {one} and {other}",
            [
                street("Avenue", east, 0.25, lanes=2, two_way=True, priority=one),
                street("Street", north, 0.1, two_way=True, priority=other),
            ],
            (),
            minutes,
        )
        for one, other in ranks
    ]
    places.append(("on-ramp", [street("Road", east, 0.3), street("Ramp", ramp, 0.15)], (), minutes))
    places.append(("2 vehicles/s past a van", [street("Road", east, 2.0, lanes=2)], (van,), 2.0 * minutes))
    for name, streets, obstacles, duration in places:
        routes, crowds = zip(*streets, strict=True)
        scene = Scene(routes=routes, crowds=crowds, obstacles=obstacles)
        traffic = start_traffic(scene, Environment(scene), NOBODY, TrafficSettings())
        assert traffic is not None
        overlaps, waited = 0, 0.0
        steps = round(duration * 60 / DT)
        for step in range(steps):
            traffic.advance(step * DT, DT, NOBODY)
            waited = max(waited, float(traffic.vehicles.waited.max()))
            if step % LOOK == 0:
                overlaps += LOOK * contacts(traffic)
        status, due = traffic.vehicles.status, traffic.vehicles.entry_time <= steps * DT
        outside = int(np.count_nonzero((status == OUTSIDE) & due))
        came, left = int(np.count_nonzero(status != OUTSIDE)), int(np.count_nonzero(status == GONE))
        print(f"{name:27s}{came:6d}{left:7d}{outside:15d}{overlaps:24d}{waited:19.1f}")


def main() -> None:
    """Measure all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--minutes",
        type=float,
        default=10.0,
        help="of simulated time on each ring and crossing; the open road takes twice as long",
    )
    options = parser.parse_args()
    measure_speed()
    measure_rings(options.minutes)
    measure_places(options.minutes)


if __name__ == "__main__":
    main()
