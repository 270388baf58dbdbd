# SPDX-License-Identifier: GPL-3.0-or-later
"""How vehicles come to rest in a queue, stand in it, and start again."""

import numpy as np
import pytest

from core.scene import Route, Speed

from .test_vehicles import DT, cars, drive, line, start

pytestmark = pytest.mark.once


def queue(count, first, gap, speed=0.0):
    """Cars one behind another, and their rows from the first to the last one."""
    traffic = start((Route("Road", line((0, 0), (400, 0))),), (cars(count=count, speed=Speed(12.0, 0.0)),))
    vehicles = traffic.vehicles
    vehicles.s[:], vehicles.speed[:] = first - (gap + 4.5) * np.arange(count), speed
    return traffic, np.argsort(-vehicles.s)


def hold(traffic, row):
    """Let one stay where it is."""
    traffic.vehicles.drivers.wanted_speed[row] = 0.0
    traffic.vehicles.drivers.acceleration[row] = 1e-9


def test_drivers_who_come_up_to_a_queue_stop_without_rolling_on():
    """The model alone rolls for four seconds, slower than a walk."""
    traffic, rows = queue(4, 300.0, 30.0, 10.0)
    traffic.vehicles.speed[rows[0]] = 0.0
    hold(traffic, rows[0])
    speeds, braking = [], []

    def look(traffic, step):
        speeds.append(traffic.vehicles.speed[rows].copy())

    drive(traffic, 30.0, look)
    rolls = [np.count_nonzero((speed > 0.0) & (speed < 0.8)) * DT for speed in np.array(speeds).T[1:]]
    assert max(rolls) < 1.3
    braking = -np.diff(speeds, axis=0) / DT
    assert braking.max() < 3.0
    gaps = -np.diff(traffic.vehicles.s[rows]) - 4.5
    assert np.all((gaps > 2.0) & (gaps < 3.0))


def test_a_queue_starts_from_the_front_as_fast_as_measured():
    """The start moves back at 15 to 20 km/h."""
    traffic, rows = queue(10, 300.0, 2.7)
    starts = np.full(len(rows), np.nan)

    def look(traffic, step):
        moves = traffic.vehicles.speed[rows] > 0.2
        starts[moves & np.isnan(starts)] = step * DT

    drive(traffic, 25.0, look)
    wave = 9 * 7.2 / (starts[-1] - starts[0])
    assert 15.0 / 3.6 < wave < 22.0 / 3.6


@pytest.mark.parametrize(("by", "starts"), [(0.6, False), (2.0, True)])
def test_who_stands_starts_only_where_the_one_ahead_has_left_enough_room(by, starts):
    traffic, rows = queue(2, 300.0, 2.7)
    hold(traffic, rows[0])
    drive(traffic, 2.0)
    traffic.vehicles.s[rows[0]] += by
    drive(traffic, 5.0)
    moved = traffic.vehicles.s[rows[1]] - (300.0 - 7.2)
    assert moved == pytest.approx(by if starts else 0.0, abs=0.4 if starts else 1e-9)
