# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways past what stands on lines: there where something stands, clear of it, and gone when it has gone."""

import numpy as np
import pytest

from core.inspection.live_bypasses import BYPASS, LiveBypasses
from core.routing import CorridorMap
from core.simulation.settings.guidance_settings import DetourSettings

pytestmark = pytest.mark.once

RADIUS = 0.3
BOUNDS = np.array([[-20, -10], [20, -10], [20, 10], [-20, 10]], dtype=np.float64)
FAR = np.array([[-19, 9], [-18, 9], [-18, 9.5], [-19, 9.5]], dtype=np.float64)


def box(x, y, half_width=0.5, half_depth=0.5):
    return np.array([x, y]) + np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (half_width, half_depth)


def straight():
    x = np.arange(-15.0, 15.01, 0.25)
    return np.column_stack([x, np.zeros(len(x)), 0.1 * x])


def ring(radius=6.0):
    angle = np.arange(150) / 150 * 2.0 * np.pi
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), np.zeros(150)])


@pytest.fixture
def ground():
    return CorridorMap([FAR], BOUNDS)


def move(corridors, past, old, new):
    corridors.move(0, new)
    both = np.concatenate([old, new])
    past.note_change(both.min(axis=0), both.max(axis=0))
    assert past.work()


def clearance(way, outline):
    steps = [np.linspace(a, b, 200) for a, b in zip(way[:-1, :2], way[1:, :2], strict=True)]
    low, high = outline.min(axis=0), outline.max(axis=0)
    apart = np.maximum(np.maximum(low - np.concatenate(steps), np.concatenate(steps) - high), 0.0)
    return np.sqrt((apart**2).sum(axis=1)).min()


@pytest.mark.parametrize("place", [(0.0, 0.0), (3.1, 0.4), (-7.0, -0.6)])
def test_a_line_is_left_before_what_stands_on_it_and_taken_up_after(ground, place):
    past = LiveBypasses(ground)
    past.follow(0, straight(), RADIUS, closed=False)
    assert past.work()
    assert past.bypasses == []
    crate = box(*place)
    move(ground, past, FAR, crate)
    (bypass,) = past.bypasses
    assert bypass.route is not None
    assert clearance(bypass.route, crate) >= RADIUS + DetourSettings.least_clearance - 1e-6
    np.testing.assert_allclose(bypass.route[[0, -1]], bypass.ends, atol=1e-9)
    np.testing.assert_allclose(bypass.ends[:, 2], 0.1 * bypass.ends[:, 0], atol=1e-9)
    low, high = place[0] - 0.5, place[0] + 0.5
    assert BYPASS.lead <= low - bypass.ends[0, 0] <= BYPASS.lead + 1.0
    assert BYPASS.lead <= bypass.ends[1, 0] - high <= BYPASS.lead + 1.0
    move(ground, past, crate, FAR)
    assert past.bypasses == []
    assert not past.work(), "nothing has changed"


def test_two_things_on_a_line_are_passed_one_by_one_or_together(ground):
    ground.insert(box(-8.0, 0.0))
    past = LiveBypasses(ground)
    past.follow(0, straight(), RADIUS, closed=False)
    past.work()
    move(ground, past, FAR, box(8.0, 0.0))
    assert len(past.bypasses) == 2
    move(ground, past, box(8.0, 0.0), box(-6.0, 0.0))
    assert len(past.bypasses) == 1


@pytest.mark.parametrize("number", [0, 40, 149])
def test_a_ring_is_left_and_taken_up_wherever_it_begins(ground, number):
    past = LiveBypasses(ground)
    past.follow(0, ring(), RADIUS, closed=True)
    past.work()
    place = ring()[number, :2]
    crate = box(*place)
    move(ground, past, FAR, crate)
    (bypass,) = past.bypasses
    assert bypass.route is not None
    assert clearance(bypass.route, crate) >= RADIUS + DetourSettings.least_clearance - 1e-6
    before, after = (np.arctan2(*(end[1::-1])) - np.arctan2(*place[::-1]) for end in bypass.ends)
    assert np.sin(before) < 0.0 < np.sin(after)


def test_what_closes_the_whole_width_leaves_no_way(ground):
    past = LiveBypasses(ground)
    past.follow(0, straight(), RADIUS, closed=False)
    past.work()
    move(ground, past, FAR, box(2.0, 0.0, 0.5, 11.0))
    (bypass,) = past.bypasses
    assert bypass.route is None


def test_too_long_a_way_round_is_none(ground):
    past = LiveBypasses(ground)
    past.follow(0, straight(), RADIUS, closed=False)
    past.work()
    move(ground, past, FAR, box(2.0, -2.0, 0.2, 8.5))
    assert past.bypasses[0].route is not None
    move(ground, past, box(2.0, -2.0, 0.2, 8.5), box(2.0, -11.0, 0.2, 20.0))
    assert past.bypasses[0].route is None


def test_after_a_drag_ways_past_are_those_of_a_map_of_its_own(ground):
    ground.insert(box(-8.0, 0.3, 1.0, 0.4))
    past = LiveBypasses(ground)
    lines = [straight(), ring(), ring() + np.array([9.0, 1.0, 0.0])]
    for number, line in enumerate(lines):
        past.follow(number, line, RADIUS, closed=number > 0)
    past.work()
    places = [box(x, 1.2 - 0.1 * x) for x in np.linspace(-9.0, 9.0, 30)]
    for old, new in zip([FAR, *places[:-1]], places, strict=True):
        move(ground, past, old, new)
    fresh = LiveBypasses(CorridorMap([places[-1], box(-8.0, 0.3, 1.0, 0.4)], BOUNDS))
    for number, line in enumerate(lines):
        fresh.follow(number, line, RADIUS, closed=number > 0)
    fresh.work()
    assert len(past.bypasses) == len(fresh.bypasses) > 1
    for one, other in zip(past.bypasses, fresh.bypasses, strict=True):
        np.testing.assert_allclose(one.route, other.route, atol=1e-6)


def test_nothing_leads_past_what_stands_on_a_line_that_is_left(ground):
    past = LiveBypasses(ground)
    other = straight() + np.array([0.0, 4.0, 0.0])
    past.follow(0, straight(), RADIUS, closed=False)
    past.follow(1, other, RADIUS, closed=False)
    move(ground, past, FAR, box(0.0, 2.0, 0.5, 2.5))
    assert len(past.bypasses) == 2
    past.leave(0)
    (bypass,) = past.bypasses
    assert bypass.ends[:, 1] == pytest.approx(4.0)
    past.note_change(np.array([-1.0, -1.0]), np.array([1.0, 5.0]))
    assert past.work()
    assert len(past.bypasses) == 1, "it is not looked at again"
    past.follow(0, straight(), RADIUS, closed=False)
    past.leave(0)
    past.leave(0)
    assert not past.work(), "it was left before it was looked at"
