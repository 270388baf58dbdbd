# SPDX-License-Identifier: GPL-3.0-or-later
"""What people do because of others and of doors is the same bits, compiled and not."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from core.simulation.behaviours.density_speed import crowd_ahead
from core.simulation.behaviours.overtaking import lean_past
from core.simulation.behaviours.precedence import find_leads
from core.simulation.guidance.doors import Openings, shares_through_near
from core.simulation.pedestrians.avoidance_reasons import record_avoidance
from core.simulation.pedestrians.headway import keep_headway
from core.simulation.settings.behaviour_settings import DensitySpeedSettings, OvertakingSettings, PrecedenceSettings
from core.simulation.settings.pedestrian_settings import AvoidanceReasonSettings, HeadwaySettings
from core.simulation.world.agents import ARRIVED, WALKING
from core.simulation.world.doing import Doing
from core.simulation.world.heroes import HeroBodies
from core.steering.neighbours import NearPairs, order_along_strips

from .answers import both

pytest.importorskip("numba")


@pytest.mark.parametrize("count", [1, 90, 700])
def test_what_people_do_because_of_others_nearby_is_the_same_bits(rng, count):
    """Speeds in a crowd and leaning past slower people, with groups, and others who stand among them."""
    place = rng.uniform(0.0, 20.0, (count, 2))
    place[: count // 3] = np.round(place[: count // 3])
    people, others = count - count // 5, rng.integers(-1, 9, count)
    turned = rng.uniform(0.0, 2.0 * np.pi, people)
    forward = np.stack((np.cos(turned), np.sin(turned)), axis=1) * (rng.random(people) < 0.9)[:, None]
    pace = (
        rng.uniform(0.2, 0.4, people),
        *rng.uniform(0.5, 1.8, (2, people)),
        rng.uniform(0.0, 0.5, people),
        *rng.uniform(-0.5, 5.0, (2, people)),
    )

    def ask():
        near = NearPairs(place, people, 5.0)
        found = [*near.searched(5.0), *near.within(reaches), *near.within(1.0, others=True)]
        found += crowd_ahead(place[:people], near, forward, others[:people], DensitySpeedSettings())
        found.append(find_leads(agents, np.arange(people), near, forward * pace[1][:, None], PrecedenceSettings()))
        return [
            *found,
            *lean_past(place[:people], near, forward, np.stack(pace), others[:people], OvertakingSettings()),
        ]

    reaches = rng.uniform(0.0, 2.0, count)
    agents: Any = SimpleNamespace(
        position=place, radius=pace[0], status=np.where(rng.random(people) < 0.9, WALKING, ARRIVED)
    )
    for expected, found in zip(*both(ask), strict=True):
        assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("count", [1, 90, 700])
def test_the_order_along_strips_is_the_same_bits(rng, count):
    """Of people on a lattice, too, in one place, and in so tall a place that strips have to be higher."""
    place = rng.uniform(-20.0, 20.0, (count, 2))
    scenes = place, np.round(place), np.zeros((count, 2)), place * (1.0, 1e8)
    for position, reach in product(scenes, (0.0, 3.0, 8.0)):
        (order, strips), (found, others) = both(lambda at=position, far=reach: order_along_strips(at, far, far))
        np.testing.assert_array_equal(found, order)
        for one, other in zip(strips, others, strict=True):
            np.testing.assert_array_equal(other, one)


@pytest.mark.parametrize(("count", "doors"), [(1, 1), (90, 7)])
def test_which_doors_lines_lead_through_is_the_same_bits(rng, count, doors):
    """Along axes of coordinates, too, and for people who stand in a door or have no way ahead."""
    begin, end = np.round(rng.uniform(0.0, 8.0, (2, count, 2)))
    end[::5] = begin[::5]
    angle = rng.uniform(0.0, 2.0 * np.pi, doors)
    axis = np.stack((np.cos(angle), np.sin(angle)), axis=1)
    axis[::2] = (1.0, 0.0)
    openings = Openings(np.round(rng.uniform(0.0, 8.0, (doors, 2))), axis, rng.uniform(0.7, 3.0, doors))
    expected, found = both(lambda: shares_through_near(begin, end, openings))
    assert found.tobytes() == expected.tobytes()
    assert doors == 1 or np.isfinite(found).sum() > 10


@pytest.mark.parametrize("count", [2, 90, 400])
def test_behind_whom_people_slow_down_and_whom_they_avoid_is_the_same_bits(rng, count):
    """With groups, people on a lattice at equal distances, heroes among them, and who is as slow as nobody slows."""
    place = rng.uniform(0.0, 0.8 * np.sqrt(count), (count, 2))
    place[: count // 2] = np.round(2.0 * place[: count // 2]) / 2.0
    given, people = count // 8, count - count // 8
    velocity, wish = rng.normal(0.0, 0.8, (2, count, 2))
    velocity[::3], wish[::3] = (1.0, 0.0), (1.0, 0.0)
    wish[::10] = 0.0
    agents = SimpleNamespace(
        position=place[:people],
        velocity=velocity[:people],
        radius=np.where(rng.random(people) < 0.5, 0.25, rng.uniform(0.2, 0.4, people)),
        group=rng.integers(-1, 5, people),
        status=np.where(rng.random(people) < 0.9, WALKING, ARRIVED),
        avoids=rng.random(people) < 0.9,
        time_gap=np.where(rng.random(people) < 0.1, 0.0, 0.7),
        wanted_speed=np.full(people, 1.3),
    )
    chosen = velocity[:people] * rng.uniform(0.2, 1.2, (people, 1))
    exempt, in_line = rng.random(people) < 0.1, rng.random(people) < 0.5

    def ask():
        recorded = []
        bodies = HeroBodies(place[people:], velocity[people:], np.full(given, 0.5))
        step: Any = SimpleNamespace(
            agents=agents,
            rows=np.arange(people),
            preferred=wish[:people],
            doing=np.full(people, Doing.WALKING),
            around=SimpleNamespace(
                near=NearPairs(place, people, 3.0), given=bodies, in_heroes_path=np.zeros(people, dtype=bool)
            ),
            record=lambda who, _, *others: recorded.extend((np.asarray(who), *others)),
        )
        slowed = keep_headway(step, chosen, exempt, in_line, HeadwaySettings())
        record_avoidance(step, slowed, AvoidanceReasonSettings(), 4.0)
        return [slowed, *recorded]

    expected, found = both(ask)
    assert len(found) == len(expected)
    for one, other in zip(expected, found, strict=True):
        assert other.tobytes() == one.tobytes()
    if count > 2:
        assert (expected[0] != chosen).any()
        assert len(expected[-1]) + len(expected[-3]) > count // 8
