# SPDX-License-Identifier: GPL-3.0-or-later
"""Who goes round a ring that is drawn as a closed curve, and what makes a closed curve a ring."""

import numpy as np
import pytest

from core.geometry.reproducible_math import heading_vector
from core.steering.traffic.conflict_zones import LaneSamples, find_meetings, find_zones
from core.steering.traffic.lane_joins import find_joins
from core.steering.traffic.right_of_way import EQUAL, MAIN, STOP
from core.steering.traffic.roundabouts import _rings, find_circulating
from core.steering.traffic.settings import TrafficSettings

STEP = 0.5


def arc(radius, begin, end, count=60):
    angle = np.radians(np.linspace(begin, end, count))
    return radius * np.stack((np.cos(angle), np.sin(angle)), axis=1)


def ring(radius=14.0, begins=0, corners=None):
    return arc(radius, begins, begins + 360, (corners or 720) + 1)


def sampled(line):
    """A line at even steps: places and directions."""
    along = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))))
    s = np.arange(0.0, along[-1] - 1e-6, STEP)
    places, ahead = (np.stack([np.interp(at, along, column) for column in line.T], axis=1) for at in (s, s + 1e-3))
    directions = (ahead - places) / np.hypot(*(ahead - places).T)[:, None]
    return s, places, directions, along[-1]


def goes_first(closed, other, ranks=(EQUAL, EQUAL), *, keeps_left=False):
    """Where a closed lane meets another: its directions from the middle [degrees], and which of the two goes round."""
    s, places, directions, length = zip(*(sampled(line) for line in (closed, other)), strict=True)
    lane = np.repeat([0, 1], [len(each) for each in s])
    samples = LaneSamples(
        lane=lane,
        s=np.concatenate(s),
        position=np.concatenate(places),
        height=np.zeros(len(lane)),
        direction=np.concatenate(directions),
        reach=np.full(len(lane), 1.3),
        road=lane,
        road_s=np.concatenate(s),
    )
    lap = np.array([length[0], np.inf])
    meetings = find_meetings(samples, lap)
    joins, crosses = find_joins(samples, meetings, lap)
    zones = find_zones(samples, meetings.take(crosses), lap)
    lanes, settings = (lap, np.array(ranks)), TrafficSettings()
    rounds = find_circulating(samples, zones, joins, lanes, settings, keeps_left=keeps_left)
    x, y = (np.interp(zones.start[zones.lane == 0] % lap[0], s[0], column) for column in places[0].T)
    return np.degrees(np.arctan2(y, x)), rounds[zones.lane == 0], rounds[zones.lane == 1]


ONTO = np.concatenate(([[60.0, 1.75], [30.0, 1.75], [24.0, 1.75]], arc(14.0, 22, 100)))
ACROSS = np.array([[60.0, 0.0], [-60.0, 0.0]])
ACROSS_AND_ONTO = np.concatenate(([[0.0, -40.0], [-1.5, 0.0], [-1.0, 4.0], [1.5, 9.0]], arc(14.0, 70, 160)))


ALL_ROUND = np.concatenate((ONTO[:3], arc(14.0, 22, 380, 240)))


@pytest.mark.parametrize("begins", [0, 15, 60, 200])
@pytest.mark.parametrize(
    ("ranks", "first"),
    [
        ((EQUAL, EQUAL), True),
        ((STOP, STOP), True),
        ((STOP, EQUAL), True),
        ((MAIN, MAIN), True),
        ((EQUAL, MAIN), False),
        ((STOP, MAIN), False),
    ],
)
def test_a_closed_ring_goes_before_whoever_comes_onto_it_but_main_roads(ranks, first, begins):
    _, on_ring, on_arm = goes_first(ring(begins=begins), ONTO, ranks)
    np.testing.assert_array_equal(on_ring, [first])
    np.testing.assert_array_equal(on_arm, [False])


def test_who_comes_onto_a_ring_and_goes_all_round_it_crosses_it_where_they_come_in():
    angle, _, _ = goes_first(ring(), ALL_ROUND)
    np.testing.assert_allclose(angle, 10.0, atol=12.0)
    assert len(angle) == 1


def test_a_ring_shorter_than_the_way_that_is_looked_at_is_a_ring():
    angle, _, _ = goes_first(ring(1.2), ONTO)
    assert not len(angle)
    direction = heading_vector(np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False))
    none = np.zeros(12)
    lap = LaneSamples(none.astype(np.int64), STEP * np.arange(12), direction, none, direction, none, none, none)
    begin, end = _rings(lap, np.arange(12), 6.0, TrafficSettings(), keeps_left=False)
    assert (begin, end) == (-np.inf, np.inf)


def test_a_road_across_a_ring_is_a_crossing_like_any_other():
    _, on_ring, on_road = goes_first(ring(), ACROSS)
    np.testing.assert_array_equal(on_ring, [False, False])
    np.testing.assert_array_equal(on_road, [False, False])


def test_of_a_road_that_crosses_a_ring_and_later_comes_onto_it_only_that_place_is_on_the_ring():
    angle, on_ring, _ = goes_first(ring(), ACROSS_AND_ONTO)
    assert len(angle) == 2
    np.testing.assert_array_equal(on_ring, angle > 0)


@pytest.mark.parametrize("keeps_left", [False, True])
def test_rings_are_gone_round_on_the_side_that_traffic_keeps_to(keeps_left):
    mirrored = np.array([1.0, -1.0])
    for closed, other, runs_left in ((ring(), ONTO, False), (ring() * mirrored, ONTO * mirrored, True)):
        _, on_ring, _ = goes_first(closed, other, keeps_left=keeps_left)
        np.testing.assert_array_equal(on_ring, [keeps_left == runs_left])


@pytest.mark.parametrize(
    ("closed", "is_ring"),
    [
        (ring(corners=12), True),
        (ring(58.0), True),
        (ring(66.0), False),
        (ring() * (1.0, 1.5), True),
        (np.concatenate(([[10.7, 0.0]], arc(14.0, 40, 320), [[10.7, 0.0]])), False),  # begins within the straight piece
        (np.array([[14.0, 0.0], [14.0, 30.0], [-14.0, 30.0], [-14.0, -30.0], [14.0, -30.0], [14.0, 0.0]]), False),
    ],
)
def test_a_closed_curve_is_a_ring_if_it_bends_all_the_way_round(closed, is_ring):
    s, places, directions, _ = sampled(closed)
    beside = directions[20] @ np.array([[0.0, -1.0], [1.0, 0.0]])
    come_from = places[20] + np.array([[30.0], [12.0]]) * beside - np.array([[30.0], [10.0]]) * directions[20]
    _, on_ring, _ = goes_first(closed, np.concatenate((come_from, places[26:60])))
    np.testing.assert_array_equal(on_ring, [is_ring])
    assert len(s) > 60
