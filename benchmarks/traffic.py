# SPDX-License-Identifier: GPL-3.0-or-later
"""Vehicles on lanes: how fast, how well a dense ring flows, and what it is like without the rule of lanes.

    python -m benchmarks.traffic [--minutes 10]

Without the rule, everybody brakes for the most imminent contact of boxes that go straight on, whatever lane they are
on: the rule of the article that this part of Footfall answers. Wanted speeds differ, so the slowest of a lane set the
pace of a thin ring; the equilibrium is that of the mean. Times are CPU time, the best of five.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from core.geometry.boxes import overlap_depth, time_to_contact
from core.scene import Crowd, Route, Scene, Spawn, Speed
from core.simulation.crosswalks import People
from core.simulation.traffic import Traffic, start_traffic
from core.steering.neighbours import close_pairs
from core.steering.traffic.following import advance, equilibrium_speed, free_acceleration
from core.steering.traffic.settings import TrafficSettings

DT = 0.05
LENGTH, STANDING_GAP = 4.5, 2.0
LANES, RADIUS = 3, 60.0
NOBODY = People(np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0), np.zeros(0))
SOON = 3.0
"""Without the rule of lanes, a contact within so long is braked for [s]."""


def ring_of(count: int, radius: float) -> Traffic:
    """Cars evenly on a ring of three lanes."""
    angle = np.linspace(0, 2 * np.pi, 512, endpoint=False)
    points = np.stack((radius * np.cos(angle), radius * np.sin(angle), 0 * angle), axis=1)
    crowd = Crowd("Cars", "vehicle", count, "Ring", spawn=Spawn("spread"), arrival="loop", speed=Speed(13.0, 1.5))
    scene = Scene(routes=(Route("Ring", points, closed=True, lanes=LANES),), crowds=(crowd,))
    traffic = start_traffic(scene, NOBODY, TrafficSettings())
    assert traffic is not None
    return traffic


def contacts(traffic: Traffic) -> int:
    """How many pairs of cars overlap now."""
    boxes = traffic.vehicles.boxes(np.arange(len(traffic)), traffic.roads)
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


def step_without_lanes(traffic: Traffic, _step: int) -> int:
    """One step by the most imminent contact; how many brake for somebody on another lane."""
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
    urgency = np.clip(1.0 - soonest / SOON, 0.0, 1.0)
    wish = np.where(urgency > 0.0, -8.0 * urgency, free_acceleration(vehicles.drivers, vehicles.speed))
    way, vehicles.speed = advance(vehicles.speed, wish, DT)
    vehicles.s = np.mod(vehicles.s + way, traffic.roads.length[vehicles.lane])
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
    print("\ndensity   rule      overlapping pair-steps   brakings for other lanes   mean speed   of equilibrium")
    steps = round(minutes * 60 / DT)
    jam = LANES * 2 * np.pi * RADIUS / (LENGTH + STANDING_GAP)
    for density in (0.3, 0.6, 0.9, 0.97):
        for name, move in (("lanes", step_with_lanes), ("without", step_without_lanes)):
            traffic = ring_of(int(density * jam), RADIUS)
            traffic.vehicles.speed[::7] *= 0.3
            gap = traffic.roads.length.sum() / len(traffic) - LENGTH
            one = traffic.vehicles.drivers.take(np.array([0]))._replace(wanted_speed=np.full(1, 13.0))
            expected = float(equilibrium_speed(one, np.array([gap]), STANDING_GAP)[0])
            overlaps = braking = 0
            speeds = []
            for step in range(steps):
                braking += move(traffic, step)
                if step % 20 == 0:
                    overlaps += 20 * contacts(traffic)
                speeds.append(float(traffic.vehicles.speed.mean()))
            mean = float(np.mean(speeds[steps // 2 :]))
            print(f"{density:7.2f}   {name:8s}{overlaps:24d}{braking:27d}{mean:13.3f}{mean / expected:17.3f}")


def main() -> None:
    """Measure both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0, help="of simulated time on each ring")
    options = parser.parse_args()
    measure_speed()
    measure_rings(options.minutes)


if __name__ == "__main__":
    main()
