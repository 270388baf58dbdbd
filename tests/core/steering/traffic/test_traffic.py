# SPDX-License-Identifier: GPL-3.0-or-later
"""Driving on lanes: following, stopping, who is ahead, changing lanes, and right of way; each by itself."""

import numpy as np
import pytest

from core.steering.traffic.car_following import (
    Drivers,
    Leader,
    advance,
    calm_acceleration,
    equilibrium_gap,
    equilibrium_speed,
    following_acceleration,
    passing_times,
    safe_speed,
    without_creeping,
)
from core.steering.traffic.conflict_zones import LaneSamples, Zones, find_crossings, find_meetings, find_zones
from core.steering.traffic.lane_change_model import (
    Neighbour,
    VehicleBody,
    change_length,
    room_to_swing,
    way_across,
    worth_changing,
)
from core.steering.traffic.lane_order import LaneBodies, LaneOrder
from core.steering.traffic.right_of_way import EQUAL, MAIN, STOP, Approaching, RightOfWay
from core.steering.traffic.settings import TrafficSettings

S0 = 2.0


def drivers(count=1, wanted=14.0, headway=1.5):
    return Drivers(*(np.full(count, value) for value in (wanted, 1.5, 2.0, headway)))


def lane_bodies(*rows):
    """Bodies from rows of lane, rear, front, right, left; owned by their numbers."""
    table = np.array(rows, dtype=float).reshape(-1, 5)
    count = np.arange(len(table))
    return LaneBodies(table[:, 0].astype(np.int64), *table[:, 1:].T, np.zeros(len(table)), np.zeros(len(table)), count)


def test_acceleration_at_the_equilibrium_gap_is_zero():
    speed = np.linspace(0.0, 13.5, 28)
    some = drivers(len(speed))
    gap = equilibrium_gap(some, speed, S0)
    np.testing.assert_allclose(following_acceleration(some, speed, gap, speed, S0), 0.0, atol=1e-12)
    np.testing.assert_allclose(equilibrium_speed(some, gap, S0), speed, atol=1e-6)
    assert gap[0] == pytest.approx(S0)


def test_headway_zero_still_keeps_the_standing_gap():
    some = drivers(headway=0.0)
    assert following_acceleration(some, np.zeros(1), np.full(1, S0), np.zeros(1), S0)[0] == pytest.approx(0.0)
    assert following_acceleration(some, np.full(1, 10.0), np.full(1, 10.0), np.zeros(1), S0)[0] < -8.0


def calm(speed, gap, leader_speed, leader_acceleration=0.0):
    """The wish of the model behind somebody, and what a calm driver makes of it [m/s2]."""
    one, v, ahead = drivers(), np.array([speed]), np.array([leader_speed])
    wish = following_acceleration(one, v, np.array([gap]), ahead, S0)
    leader = Leader(np.array([gap]), ahead, np.array([leader_acceleration]))
    return wish[0], calm_acceleration(wish, one, v, leader, TrafficSettings())[0]


def test_a_calm_driver_does_not_brake_hard_for_who_cut_in_and_goes_on():
    wish, calmed = calm(13.0, 4.0, 13.0)
    assert wish < -40.0
    assert -2.3 < calmed < -1.9
    wish, calmed = calm(10.0, 30.0, 10.0)  # nothing to be calm about
    assert calmed == wish
    assert calm(12.0, np.inf, 0.0) == (pytest.approx(1.5 * (1.0 - (12.0 / 14.0) ** 4)),) * 2


@pytest.mark.parametrize(("gap", "leader_speed", "braking"), [(10.0, 0.0, 0.0), (10.0, 5.0, -4.0), (6.0, 8.0, -6.0)])
def test_a_calm_driver_brakes_as_hard_as_it_takes(gap, leader_speed, braking):
    speed = 12.0
    wish, calmed = calm(speed, gap, leader_speed, braking)
    stopped = leader_speed**2 / (-2.0 * braking) if braking else 0.0
    enough = speed**2 / (2.0 * (gap + stopped)) if leader_speed == 0.0 or braking else 0.0
    assert wish <= calmed <= -enough + 1e-9


@pytest.mark.parametrize(
    ("speed", "beyond", "leader_speed", "stays"),
    [
        (0.5, 0.7, 0.0, True),  # rolls up to one that stands, and is near enough
        (0.5, 0.9, 0.0, False),
        (0.5, 0.7, 0.5, False),  # who rolls along with the one ahead goes on rolling
        (0.0, 1.9, 0.0, True),  # stands: not worth starting for yet
        (0.0, 1.9, 5.0, True),
        (0.0, 2.1, 0.0, False),
    ],
)
def test_drivers_neither_creep_up_to_who_stands_nor_start_for_every_centimetre(speed, beyond, leader_speed, stays):
    leader = Leader(np.array([S0 + beyond]), np.array([leader_speed]), np.zeros(1))
    wish = without_creeping(np.array([0.4]), drivers(), np.array([speed]), leader, TrafficSettings())
    assert wish[0] == (-2.0 if stays else 0.4)


@pytest.mark.parametrize(
    ("to_front", "head_start", "expected"),
    [
        (2.4, None, (1.4, 4.6)),  # from rest the front is there after 2 s, and the rear past after 4 s
        (2.4, 1.0, (1.4, 3.6)),
        (2.4, 9.0, (1.4, 4.6)),
        (0.0, None, (0.0, 4.0)),
        (0.0, 1.0, (0.0, 1.0)),
    ],
)
def test_a_place_must_be_free_of_people_from_the_front_on_until_they_let_the_vehicle_pass(
    to_front, head_start, expected
):
    places = np.array([to_front]), np.array([9.6])
    found = passing_times(np.zeros(1), *places, TrafficSettings(), head_start)
    np.testing.assert_allclose(np.concatenate(found), expected)


def test_a_fast_vehicle_is_past_people_as_soon_as_it_says():
    begin, end = passing_times(np.array([12.0]), np.array([24.0]), np.array([36.0]), TrafficSettings())
    assert begin[0] == pytest.approx(0.7 * 1.83, abs=0.01)
    assert end[0] == pytest.approx(2.65 + 0.3 * 1.83, abs=0.01)


def test_who_comes_to_rest_within_a_step_rests_at_the_right_place():
    way, speed = advance(np.array([1.0, 1.0, 0.0]), np.array([-4.0, 2.0, -3.0]), 0.5)
    np.testing.assert_allclose(way, [0.125, 0.75, 0.0])
    np.testing.assert_allclose(speed, [0.0, 2.0, 0.0])


@pytest.mark.parametrize("leader_speed", [0.0, 5.0])
def test_a_safe_speed_can_be_kept_to_the_end(leader_speed):
    dt, braking = 0.05, 8.0
    speed, place, leader, ahead = np.array([15.0]), 0.0, 20.0, leader_speed
    for _ in range(400):
        allowed = safe_speed(speed, np.array([leader - place]), np.array([ahead]), braking, dt)
        way, speed = advance(speed, np.clip((allowed - speed) / dt, -braking, 3.0), dt)
        place += way[0]
        stopped = max(ahead - braking * dt, 0.0)
        leader += 0.5 * (ahead + stopped) * dt if ahead > braking * dt else 0.5 * ahead * ahead / braking
        ahead = stopped
        assert place <= leader + 0.01  # the last step may come to rest up to half a step late
    assert speed[0] < 0.05


def test_the_next_ahead_is_on_the_same_lane_and_overlaps_across():
    bodies = lane_bodies((0, 10, 14, -1, 1), (0, 20, 24, 1.5, 2.5), (0, 30, 34, -1, 1), (1, 16, 20, -1, 1))
    order = LaneOrder(bodies, np.array([np.inf, np.inf]))
    ahead, gap = order.ahead(bodies)
    np.testing.assert_array_equal(ahead, [2, -1, -1, -1])
    assert gap[0] == pytest.approx(16.0)
    behind, gap = order.behind(bodies)
    np.testing.assert_array_equal(behind, [-1, -1, 0, -1])
    assert gap[2] == pytest.approx(16.0)


def test_on_a_lap_the_next_ahead_may_be_past_its_end():
    bodies = lane_bodies((0, 10, 14, -1, 1), (0, 90, 94, -1, 1))
    order = LaneOrder(bodies, np.array([100.0]))
    ahead, gap = order.ahead(bodies)
    np.testing.assert_array_equal(ahead, [1, 0])
    np.testing.assert_allclose(gap, [76.0, 16.0])
    behind, gap = order.behind(bodies)
    np.testing.assert_array_equal(behind, [1, 0])
    np.testing.assert_allclose(gap, [16.0, 76.0])
    alone = LaneOrder(bodies.take(np.array([0])), np.array([100.0]))
    assert alone.ahead(bodies.take(np.array([0])))[0][0] == -1


@pytest.mark.parametrize("lap", [np.inf, 30.0])
def test_who_gives_way_is_ahead_only_until_their_middle_is_beside(lap):
    bodies = lane_bodies((0, 10, 14, -1, 1), (0, 12, 13, 0.5, 1.5), (0, 13.6, 14.6, 0.5, 1.5), (0, 20, 24, -1, 1))
    shifted = bodies._replace(
        rear=(bodies.rear + 17.5) % lap, front=(bodies.rear + 17.5) % lap + bodies.front - bodies.rear
    )
    gives_way, passes = np.array([False, True, True, False]), np.array([True])
    for each in (bodies, shifted):  # across the end of the lap, too
        order, own = LaneOrder(each, np.array([lap]), gives_way), each.take(np.array([0]))
        assert order.ahead(own)[0][0] == 1
        ahead, gap = order.ahead(own, passes)
        assert ahead[0] == 2
        assert gap[0] == pytest.approx(-0.4)
        ahead, gap = order.ahead(own._replace(front=own.front + 0.5), passes)
        assert ahead[0] == 3
        assert gap[0] == pytest.approx(5.5)


@pytest.mark.parametrize(
    ("right", "sideways", "meets"), [(3.0, -1.0, True), (3.0, -0.5, False), (0.4, 1.0, False), (0.4, 0.1, True)]
)
def test_who_walks_across_is_ahead_only_if_on_the_lane_while_the_vehicle_passes(right, sideways, meets):
    """From 10 m/s on it is there after 1.80 s and past after 2.17 s, give or take 0.54 s."""
    bodies = lane_bodies((0, 0, 4, -1, 1), (0, 24, 24.5, right, right + 0.5))
    bodies = bodies._replace(speed=np.array([10.0, 0.0]), sideways=np.array([0.0, sideways]))
    ahead, _ = LaneOrder(bodies, np.array([np.inf])).ahead(bodies.take(np.array([0])))
    assert (ahead[0] == 1) is np.bool_(meets)


def test_the_order_agrees_with_looking_at_everybody():
    rng = np.random.default_rng(5)
    count, lap = 300, np.array([200.0, np.inf, 150.0])
    lane = rng.integers(0, 3, count)
    rear = rng.uniform(0, 150, count)
    right = rng.uniform(-2, 1, count)
    bodies = LaneBodies(
        lane,
        rear,
        rear + rng.uniform(1, 9, count),
        right,
        right + 1.5,
        np.zeros(count),
        np.zeros(count),
        np.arange(count),
    )
    found, gap = LaneOrder(bodies, lap).ahead(bodies)
    for row in range(count):
        same = (lane == lane[row]) & (right < right[row] + 1.5) & (right + 1.5 > right[row])
        same[row] = False
        way = rear - rear[row]
        way = np.where(way > 0, way, way + lap[lane[row]])
        way = np.where(same, way, np.inf)
        best = int(np.argmin(way))
        assert found[row] == (best if np.isfinite(way[best]) else -1)
        if np.isfinite(way[best]):
            assert gap[row] == pytest.approx(way[best] + rear[row] - bodies.front[row])


def test_a_lane_change_is_worth_it_only_where_nobody_must_brake_for_it():
    one, settings = drivers(), TrafficSettings()
    slow = following_acceleration(one, np.array([10.0]), np.array([12.0]), np.array([3.0]), S0)

    def worth(behind):
        free = Neighbour(np.array([np.inf]), np.zeros(1))
        follower = Neighbour(np.array([behind]), np.array([13.0]))
        others = slow, free, follower, (one, np.zeros(1))
        return worth_changing(one, np.array([10.0]), *others, settings, np.zeros(1))[0][0]

    assert worth(60.0)
    assert worth(np.inf)
    assert not worth(8.0)
    assert not worth(1.0)


def test_the_way_across_is_no_sharper_than_the_vehicle_turns():
    settings, radius, offset = TrafficSettings(), 6.0, 3.5
    body = VehicleBody(np.array([1.0]), np.array([0.6]), np.array([radius]))
    length = float(change_length(np.zeros(1), np.array([offset]), body, np.array([3.5]), settings)[0])
    s = np.linspace(0, length, 2001)
    d = offset * way_across(s / length)[0]
    first, second = np.gradient(d, s), np.gradient(np.gradient(d, s), s)
    bend = np.abs(second[2:-2]) / (1 + first[2:-2] ** 2) ** 1.5
    assert bend.max() <= 1.01 / radius
    half = room_to_swing(np.array([length]), np.array([offset]), np.array([offset / 2]))[0]
    assert half == pytest.approx(0.5 * length, rel=1e-3)


@pytest.mark.parametrize(("size", "wide"), [((4.5, 1.8), 3.5), ((12.0, 2.5), 3.5), ((12.0, 2.5), 3.2)])
def test_nobody_swings_out_of_the_lanes_in_a_slow_change(size, wide):
    body = VehicleBody(np.array([size[0]]), np.array([size[1]]), np.array([6.0]))
    length = float(change_length(np.zeros(1), np.array([wide]), body, np.array([wide]), TrafficSettings())[0])
    share, slope = way_across(np.linspace(0.0, 1.0, 400))
    turn = np.arctan(wide * slope / length)
    rear_corner = -wide * share + 0.5 * size[0] * np.sin(turn) + 0.5 * size[1] * np.cos(turn)
    assert rear_corner.max() <= 0.5 * wide
    assert length < 36.0


def crossing_lanes(ranks):
    """Lane 0 goes east, lane 1 north; they cross at s = 50 of both."""
    s = np.arange(0.0, 100.25, 0.5)
    east, north = np.stack((s, np.full(len(s), 50.0)), axis=1), np.stack((np.full(len(s), 50.0), s), axis=1)
    lane = np.repeat([0, 1], len(s))
    samples = LaneSamples(
        lane=lane,
        s=np.tile(s, 2),
        position=np.concatenate((east, north)),
        height=np.zeros(2 * len(s)),
        direction=np.repeat([[1.0, 0.0], [0.0, 1.0]], len(s), axis=0),
        reach=np.full(2 * len(s), 1.2),
        road=lane,
        road_s=np.tile(s, 2),
    )
    endless = np.full(2, np.inf)
    zones = find_zones(samples, find_meetings(samples, endless), endless)
    nobody = np.zeros(len(zones.lane), dtype=bool)  # goes round a roundabout
    stretches, conflicts = find_crossings(samples, zones, nobody, endless, np.full(2, 9.0))
    return stretches, conflicts, RightOfWay(stretches, conflicts, np.array(ranks), endless, TrafficSettings())


def test_zones_without_room_to_wait_between_them_are_one_stretch_round_the_end_of_a_lap_too():
    s = np.arange(0.0, 100.0, 0.5)
    lane, none = np.repeat([0, 1], len(s)), np.zeros((2 * len(s), 2))
    samples = LaneSamples(lane, np.tile(s, 2), none, none[:, 0], none, none[:, 0], lane, np.tile(s, 2))
    starts, ends = [2.0, 16.0, 60.0, 95.0], [4.0, 18.0, 62.0, 110.0]
    zones = Zones(np.repeat([0, 1], 4), np.array(starts + starts), np.array(ends + ends))
    nobody, laps = np.zeros(8, dtype=bool), np.array([100.0, np.inf])
    stretches, _ = find_crossings(samples, zones, nobody, laps, np.full(2, 9.0))
    np.testing.assert_array_equal(stretches.lane, [0, 0, 1, 1, 1, 1])
    np.testing.assert_array_equal(stretches.start, [60.0, 95.0, *starts])
    np.testing.assert_array_equal(stretches.end, [62.0, 118.0, *ends])


def approaching(fronts, *, speed=0.0, waited=0.5, clear_to=-np.inf, lanes=(0, 1), room=np.inf, flows=False):
    front = np.array(fronts, dtype=float)

    def each(value):
        return np.broadcast_to(np.float64(value), front.shape).copy()

    return Approaching(
        np.array(lanes),
        front - 4.5,
        front,
        each(speed),
        each(1.5),
        each(2.0),
        each(13.0),
        each(clear_to),
        each(waited),
        each(room),
        each(flows) > 0.0,
        each(np.inf),
    )


def test_a_crossing_is_found_where_corridors_meet():
    stretches, conflicts, _ = crossing_lanes([EQUAL, EQUAL])
    np.testing.assert_array_equal(stretches.lane, [0, 1])
    np.testing.assert_allclose(stretches.start, 48.0, atol=0.6)
    np.testing.assert_allclose(stretches.end, 52.0, atol=0.6)
    assert sorted(zip(conflicts.own.tolist(), conflicts.other.tolist(), strict=True)) == [(0, 1), (1, 0)]


@pytest.mark.parametrize(
    ("ranks", "waited", "goes"),
    [
        ((EQUAL, EQUAL), 0.5, 1),  # east has north's vehicle on its right
        ((MAIN, EQUAL), 0.5, 0),
        ((EQUAL, MAIN), 0.5, 1),
        ((STOP, STOP), [2.0, 1.0], 0),
        ((STOP, STOP), [1.0, 2.0], 1),
        ((MAIN, EQUAL), [0.5, 25.0], 1),  # nobody waits for ever
    ],
)
def test_who_has_right_of_way_goes_alone(ranks, waited, goes):
    stretches, _, crossings = crossing_lanes(ranks)
    clear_to = crossings.grant(approaching([46.5, 46.5], waited=waited))
    assert np.isfinite(clear_to[goes])
    assert clear_to[goes] == pytest.approx(stretches.end[goes])
    assert not np.isfinite(clear_to[1 - goes])


def test_nobody_enters_a_crossing_that_another_has_not_left():
    stretches, _, crossings = crossing_lanes([EQUAL, EQUAL])
    inside = approaching([50.0, 46.5], clear_to=[stretches.end[0], -np.inf])
    assert not np.isfinite(crossings.grant(inside)[1])
    left = approaching([57.5, 46.5], clear_to=[stretches.end[0], -np.inf])
    assert np.isfinite(crossings.grant(left)[1])


def test_nobody_enters_a_crossing_without_room_beyond_it():
    _, _, crossings = crossing_lanes([MAIN, EQUAL])
    clear_to = crossings.grant(approaching([46.5, 46.5], room=[7.0, np.inf]))
    assert not np.isfinite(clear_to[0])
    assert np.isfinite(clear_to[1])


@pytest.mark.parametrize(
    ("east", "waited", "flows", "goes"),
    [(MAIN, 25.0, True, False), (MAIN, 25.0, False, True), (MAIN, 15.0, True, True), (EQUAL, 15.0, True, True)],
)
def test_who_waited_too_long_is_let_in_as_soon_as_those_ahead_of_them_make_room(east, waited, flows, goes):
    _, _, crossings = crossing_lanes([east, EQUAL])
    clear_to = crossings.grant(approaching([46.5, 46.5], waited=[0.0, waited], room=[np.inf, 7.0], flows=[0, flows]))
    assert np.isfinite(clear_to[0]) == goes
    assert not np.isfinite(clear_to[1])  # not before there is room


@pytest.mark.parametrize(("ahead", "goes"), [(3.0, False), (4.15, False), (5.2, True)])
def test_who_gives_way_leaves_the_crossing_a_second_before_the_other_comes(ahead, goes):
    """From rest at 1.5 m/s2, the 10 m to the end of the crossing take 3.7 s; the other comes at 13 m/s."""
    _, _, crossings = crossing_lanes([MAIN, EQUAL])
    both = approaching([47.0 - 13.0 * ahead, 46.5], speed=[13.0, 0.0], waited=[0.0, 0.5])
    assert np.isfinite(crossings.grant(both)[1]) == goes
