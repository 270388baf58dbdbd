# SPDX-License-Identifier: GPL-3.0-or-later
"""The report's figures, against hand-made motion and against loops over every frame and pair."""

import dataclasses
import json
import math

import numpy as np
import pytest

from core import Trajectories
from core.report import make_report, report_lines, report_to_json
from core.scene import Motion, Obstacle, Scene
from core.simulation.world.doing import Doing

FPS = 10.0
KEYS = {
    "agents",
    "arrived",
    "arrived_elsewhere",
    "time_ratio_mean",
    "time_ratio_p95",
    "deepest_overlap",
    "deepest_overlap_at",
    "overlapping_pairs",
    "deepest_wall_penetration",
    "stopped_share",
    "longest_stop",
    "acceleration_mean",
    "acceleration_p99",
    "jerk_p99",
    "turn_rate_p99",
    "slip_mean",
}


def moving(places, *, first=1, radius=0.25, present=None, crowd=None, names=("Walkers",), **more):
    """Trajectories along places (F, A, 2): velocity by differences, heading along it."""
    places = np.asarray(places, dtype=np.float64)
    frames, agents, _ = places.shape
    velocity = np.gradient(places, axis=0) * FPS if frames > 1 else np.zeros_like(places)
    settings = {
        "frames": np.arange(first, first + frames),
        "fps": FPS,
        "position": np.concatenate([places, np.zeros((frames, agents, 1))], axis=2),
        "heading": np.unwrap(np.arctan2(velocity[..., 1], velocity[..., 0]), axis=0),
        "velocity": velocity,
        "present": np.ones((frames, agents), dtype=bool) if present is None else present,
        "arrived_frame": np.full(agents, -1),
        "radius": np.broadcast_to(np.float64(radius), agents).copy(),
        "crowd": np.zeros(agents, dtype=np.int64) if crowd is None else np.asarray(crowd),
        "crowd_names": names,
        "unhindered_time": np.full(agents, np.nan),
    } | more
    return Trajectories(**settings)


def line(start, velocity, frames):
    """Places (F, 2) of one who walks straight."""
    return np.asarray(start) + np.arange(frames)[:, None] / FPS * np.asarray(velocity)


def together(*ways):
    return np.stack(ways, axis=1)


def total(trajectories, scene=None):
    report = make_report(trajectories, scene or Scene())
    assert report["total"].keys() >= KEYS
    json.loads(report_to_json(report), parse_constant=pytest.fail)
    return report["total"]


def test_walking_straight_is_measured_as_such():
    figures = total(moving(together(line((0, 0), (1, 0), 21), line((0, 5), (0, 2), 21))))
    assert figures["agents"] == 2
    assert figures["arrived"] == 0
    assert figures["time_ratio_mean"] is None
    assert figures["deepest_overlap"] == 0.0
    assert figures["deepest_overlap_at"] is None
    assert figures["overlapping_pairs"] == 0
    assert figures["deepest_wall_penetration"] == 0.0
    assert figures["stopped_share"] == 0.0
    assert figures["longest_stop"] == 0.0
    for key in ("acceleration_mean", "acceleration_p99", "jerk_p99", "turn_rate_p99", "slip_mean"):
        assert figures[key] == pytest.approx(0.0, abs=1e-9)


def test_two_who_pass_through_each_other_overlap_deepest_where_they_meet():
    way = together(line((0, 0), (1, 0), 41), line((4, 0.1), (-1, 0), 41))
    figures = total(moving(way, first=100, radius=(0.25, 0.35)))
    assert figures["deepest_overlap"] == pytest.approx(0.6 - 0.1)
    assert figures["deepest_overlap_at"] == {"frame": 120, "agents": [0, 1]}
    assert figures["overlapping_pairs"] == 1


@pytest.mark.parametrize(("height", "pairs"), [(3.4, 1), (3.6, 0)])
def test_who_passes_on_a_bridge_overlaps_nobody_beneath(height, pairs):
    way = moving(together(line((0, 0), (1, 0), 41), line((4, 0.1), (-1, 0), 41)))
    way.position[:, 1, 2] = height
    assert total(way)["overlapping_pairs"] == pairs


def test_bodies_that_only_touch_do_not_overlap():
    figures = total(moving(together(line((0, 0), (1, 0), 5), line((0, 0.5), (1, 0), 5))))
    assert figures["deepest_overlap"] == 0.0
    assert figures["overlapping_pairs"] == 0


def test_the_absent_overlap_nobody():
    way = together(line((0, 0), (1, 0), 4), line((0, 0), (1, 0), 4))
    present = np.array([[True, False], [False, True], [True, False], [False, False]])
    t = moving(way, present=present)
    t.position[~present] = np.nan
    assert total(t)["deepest_overlap"] == 0.0


def test_a_pair_of_two_crowds_counts_in_both_and_once_in_total():
    way = together(line((0, 0), (1, 0), 3), line((0, 0.4), (1, 0), 3), line((9, 9), (1, 0), 3))
    report = make_report(moving(way, crowd=[0, 1, 2], names=("a", "b", "c")), Scene())
    assert [report["crowds"][name]["overlapping_pairs"] for name in "abc"] == [1, 1, 0]
    assert report["crowds"]["a"]["deepest_overlap"] == pytest.approx(0.1)
    assert report["crowds"]["c"]["deepest_overlap"] == 0.0
    assert report["total"]["overlapping_pairs"] == 1


def wandering(seed, frames=30, agents=25, side=4.0):
    rng = np.random.default_rng(seed)
    steps = rng.normal(0, 0.08, (frames, agents, 2))
    places = rng.uniform(0, side, (agents, 2)) + np.cumsum(steps, axis=0)
    present = rng.random((frames, agents)) < 0.8
    t = moving(
        places,
        present=present,
        radius=rng.uniform(0.1, 0.4, agents),
        crowd=rng.integers(0, 3, agents),
        names=("a", "b", "c"),
        arrived_frame=np.where(rng.random(agents) < 0.5, rng.integers(1, 31, agents), -1),
        unhindered_time=np.where(rng.random(agents) < 0.8, rng.uniform(0.5, 3, agents), np.nan),
    )
    for array in (t.position, t.heading, t.velocity):
        array[~present] = np.nan
    return t


@pytest.mark.parametrize("seed", range(4))
def test_overlaps_agree_with_a_loop_over_all_pairs(seed):
    t = wandering(seed)
    report = make_report(t, Scene())
    for number, name in [*enumerate(t.crowd_names), (None, "total")]:
        pairs, deepest, where = set(), 0.0, None
        for row, frame in enumerate(t.frames):
            for i in range(len(t.radius)):
                for j in range(i):
                    concerned = number is None or number in (t.crowd[i], t.crowd[j])
                    if concerned and t.present[row, i] and t.present[row, j]:
                        depth = t.radius[i] + t.radius[j] - math.dist(t.position[row, i, :2], t.position[row, j, :2])
                        if depth > 0:
                            pairs.add((i, j))
                        if depth > deepest:
                            deepest, where = depth, {"frame": frame, "agents": [j, i]}
        figures = report["total"] if number is None else report["crowds"][name]
        assert figures["overlapping_pairs"] == len(pairs)
        assert figures["deepest_overlap"] == pytest.approx(deepest, abs=1e-12)
        assert figures["deepest_overlap_at"] == where


def longest_halt(t, i):
    """The most frames for which somebody is held up, by a loop."""
    began = last_slow = held = -99
    longest, has_stopped = 0, False
    for row, frame in enumerate(t.frames):
        on_the_way = t.present[row, i] and (t.arrived_frame[i] < 0 or frame < t.arrived_frame[i])
        speed = math.hypot(*t.velocity[row, i])
        if on_the_way and speed < 0.25:
            if last_slow != row - 1:  # slow again
                slow_since, has_stopped = row, False
            last_slow, has_stopped = row, has_stopped or speed < 0.1
            if has_stopped:
                began = began if slow_since - held <= 1.5 * FPS else slow_since
                held = row
                longest = max(longest, held - began + 1)
    return longest


@pytest.mark.parametrize("seed", range(3))
def test_comfort_and_stops_agree_with_a_loop_over_all_frames(seed):
    t = wandering(seed)
    report = make_report(t, Scene())
    for number, name in [*enumerate(t.crowd_names), (None, "total")]:
        acceleration, jerk, turn, slip, ratios = [], [], [], [], []
        going = stopped = longest = 0
        for i in np.flatnonzero(np.ones(len(t.radius), bool) if number is None else t.crowd == number):
            longest = max(longest, longest_halt(t, i))
            for row, frame in enumerate(t.frames):
                here = t.present[row, i]
                speed = math.hypot(*t.velocity[row, i])
                if here and (t.arrived_frame[i] < 0 or frame < t.arrived_frame[i]):
                    going += 1
                    stopped += speed < 0.1
                if here and speed > 0.2:
                    off = t.heading[row, i] - math.atan2(t.velocity[row, i, 1], t.velocity[row, i, 0])
                    slip.append(abs(math.remainder(off, math.tau)))
                if row >= 1 and t.present[row - 1 : row + 1, i].all():
                    acceleration.append(math.hypot(*(t.velocity[row, i] - t.velocity[row - 1, i])) * FPS)
                    turn.append(abs(math.remainder(t.heading[row, i] - t.heading[row - 1, i], math.tau)) * FPS)
                if row >= 2 and t.present[row - 2 : row + 1, i].all():
                    change = t.velocity[row, i] - 2 * t.velocity[row - 1, i] + t.velocity[row - 2, i]
                    jerk.append(math.hypot(*change) * FPS**2)
            if t.arrived_frame[i] >= 0 and t.unhindered_time[i] > 0:
                first = t.frames[np.flatnonzero(t.present[:, i])[0]]
                ratios.append((t.arrived_frame[i] - first) / FPS / t.unhindered_time[i])
        figures = report["total"] if number is None else report["crowds"][name]
        assert figures["stopped_share"] == pytest.approx(stopped / going)
        assert figures["longest_stop"] == pytest.approx(longest / FPS)
        assert figures["slip_mean"] == pytest.approx(np.mean(slip), abs=1e-12)
        assert figures["acceleration_mean"] == pytest.approx(np.mean(acceleration))
        assert figures["acceleration_p99"] == pytest.approx(np.percentile(acceleration, 99))
        assert figures["jerk_p99"] == pytest.approx(np.percentile(jerk, 99))
        assert figures["turn_rate_p99"] == pytest.approx(np.percentile(turn, 99))
        assert figures["time_ratio_mean"] == pytest.approx(np.mean(ratios))
        assert figures["time_ratio_p95"] == pytest.approx(np.percentile(ratios, 95))


def test_time_ratio_is_travel_over_the_time_alone_from_the_first_frame_there():
    way = together(line((0, 0), (1, 0), 31), line((0, 5), (1, 0), 31))
    present = np.ones((31, 2), dtype=bool)
    present[:10, 0] = False
    t = moving(way, first=0, present=present, arrived_frame=np.array([30, -1]), unhindered_time=np.array([1.6, 1.0]))
    figures = total(t)
    assert figures["arrived"] == 1
    assert figures["time_ratio_mean"] == pytest.approx((30 - 10) / FPS / 1.6)


def test_who_fled_has_arrived_elsewhere_and_who_only_fled_has_not_arrived():
    way = together(*(line((0, y), (1, 0), 31) for y in (0, 5, 10)))
    doing = np.zeros((31, 3), dtype=np.int8)
    doing[10:20, :2] = Doing.FLEEING
    figures = total(moving(way, arrived_frame=np.array([20, -1, 30]), doing=doing))
    assert (figures["arrived"], figures["arrived_elsewhere"]) == (2, 1)


def test_who_has_been_at_each_stop_is_counted_and_who_only_walks_to_it_is_not():
    way = together(*(line((0, y), (1, 0), 31) for y in (0, 5, 10, 15)))
    stop, doing = np.full((31, 4), -1, dtype=np.int16), np.zeros((31, 4), dtype=np.int8)
    stop[5:, 0], stop[5:, 1], stop[5:, 2] = 0, 1, 2  # two crowds stop at the bench, each by a stop of its own
    doing[10:, 0] = doing[15:, 2] = Doing.SITTING
    t = moving(
        way, stop=stop, stop_names=("Bench", "Window", "Bench"), doing=doing, crowd=[0, 0, 1, 1], names=("A", "B")
    )
    figures = make_report(t, Scene())
    assert figures["total"]["stopped_at"] == {"Bench": 2, "Window": 0}
    assert [figures["crowds"][name]["stopped_at"]["Bench"] for name in ("A", "B")] == [1, 1]


def test_standing_after_arrival_is_no_stop():
    way = np.concatenate([line((0, 0), (1, 0), 11), np.tile([[1.0, 0.0]], (20, 1))])[:, None]
    assert total(moving(way, arrived_frame=np.array([11])))["stopped_share"] == 0.0
    waiting = total(moving(way))
    assert waiting["longest_stop"] == pytest.approx(2.0)
    assert waiting["stopped_share"] == pytest.approx(20 / 31)


def test_circling_turns_and_accelerates_as_a_circle_does():
    angle = np.arange(0, 200) / FPS * 0.5
    way = 4.0 * np.stack((np.cos(angle), np.sin(angle)), axis=1)
    velocity = 2.0 * np.stack((-np.sin(angle), np.cos(angle)), axis=1)
    t = moving(way[:, None], velocity=velocity[:, None], heading=(angle + np.pi / 2)[:, None])
    figures = total(t)
    assert figures["turn_rate_p99"] == pytest.approx(0.5)
    assert figures["acceleration_mean"] == pytest.approx(2.0 * 0.5, rel=1e-3)
    assert figures["jerk_p99"] == pytest.approx(2.0 * 0.5**2, rel=1e-3)
    assert figures["slip_mean"] == pytest.approx(0.0, abs=1e-9)
    sideways = total(dataclasses.replace(t, heading=t.heading - 0.3 + 20 * np.pi))
    assert sideways["slip_mean"] == pytest.approx(0.3)


SQUARE = np.array([[0, 0], [4, 0], [4, 4], [0, 4]], dtype=np.float64)


@pytest.mark.parametrize(
    ("scene", "depth"),
    [
        (Scene(obstacles=(Obstacle("o", np.add(SQUARE, (0, 0.2))),)), 0.05),
        (Scene(obstacles=(Obstacle("o", np.add(SQUARE[::-1], (0, 0.3))),)), 0.0),
        (Scene(obstacles=(Obstacle("o", np.add(SQUARE, (0, -1))),)), 1.25),
        (Scene(obstacles=(Obstacle("o", 3 * SQUARE - 6, (SQUARE - (0, 0.5),)),)), 2.25),
        (Scene(walls=(np.array([[-5, 0.1], [9, 0.1]]),)), 0.15),
        (Scene(bounds=10 * SQUARE - (20, 0.0)), 0.25),
        (Scene(bounds=10 * SQUARE - (20, -3.0)), 3.25),
        (Scene(bounds=10 * SQUARE - (20, 20)), 0.0),
    ],
)
def test_how_deep_a_body_reaches_into_what_stands_there(scene, depth):
    figures = total(moving(line((-2, 0), (1, 0), 61)[:, None]), scene)
    assert figures["deepest_wall_penetration"] == pytest.approx(depth, abs=1e-9)


def test_a_moving_obstacle_counts_where_it_is_at_each_frame():
    moved = Motion(*(np.array(values, dtype=np.float64) for values in ([1, 101], [10, 0], [0, 0], [0, math.pi / 2])))
    bar = Obstacle("bar", np.array([[-3, -0.1], [3, -0.1], [3, 0.1], [-3, 0.1]]), motion=moved)
    place = np.array([5.0, 2.0])
    t = moving(np.tile(place, (101, 1, 1)))
    expected = 0.0
    for frame in t.frames:
        share = (frame - 1) / 100
        turn = share * math.pi / 2
        dx, dy = place - (10 - 10 * share, 0)
        x, y = abs(dx * math.cos(turn) + dy * math.sin(turn)), abs(dy * math.cos(turn) - dx * math.sin(turn))
        outside = math.hypot(max(x - 3, 0), max(y - 0.1, 0))
        expected = max(expected, 0.25 - (outside or -min(3 - x, 0.1 - y)))
    figures = total(t, Scene(obstacles=(bar,)))
    assert expected > 0.1
    assert figures["deepest_wall_penetration"] == pytest.approx(expected, abs=1e-9)
    assert figures["deepest_wall_penetration_at"]["agent"] == 0


def test_who_sits_on_a_bench_is_in_no_wall():
    seat_height = np.full((3, 2), np.nan, dtype=np.float32)
    seat_height[:, 0] = 0.44
    t = moving(np.tile([[2.0, 2.0], [3.9, 2.0]], (3, 1, 1)), seat_height=seat_height)
    figures = total(t, Scene(obstacles=(Obstacle("o", SQUARE),)))
    assert figures["deepest_wall_penetration"] == pytest.approx(0.35)
    assert figures["deepest_wall_penetration_at"]["agent"] == 1


def test_nobody_and_no_time_have_no_figures_but_a_report():
    for shape in ((5, 0, 2), (0, 3, 2), (1, 1, 2)):
        figures = total(moving(np.zeros(shape)), Scene(obstacles=(Obstacle("o", SQUARE + 9),)))
        assert figures["time_ratio_mean"] is None
        assert figures["acceleration_p99"] is None
        assert figures["deepest_overlap"] == 0.0


def test_an_agent_who_never_comes_is_counted_and_not_measured():
    t = moving(np.full((4, 2, 2), np.nan), present=np.zeros((4, 2), dtype=bool))
    report = make_report(t, Scene(bounds=SQUARE))
    assert report["total"]["agents"] == 2
    assert report["total"]["stopped_share"] is None


def test_lines_for_people_tell_the_worst_first_and_the_notices_last():
    way = together(line((0, 0), (1, 0), 41), line((4, 0.1), (-1, 0), 41))
    deep = moving(way, arrived_frame=np.array([40, 41]), notices=("Slowed by bends.",))
    lines = report_lines(make_report(deep, Scene()))
    assert lines[0] == "1 pair overlaps, by 40.0 cm at most (agents 0 and 1 at frame 21)."
    assert lines[-1] == "Slowed by bends."
    assert "2 of 2 arrived." in lines
    into = moving(line((0, 2), (1, 0), 11)[:, None])
    assert report_lines(make_report(into, Scene(obstacles=(Obstacle("o", SQUARE),))))[0].startswith("A body reaches")
    assert report_lines(make_report(moving(np.zeros((5, 0, 2))), Scene())) == ["Nobody was simulated."]


def test_the_same_report_is_the_same_bytes_and_plain_json():
    t = wandering(1)
    one, two = (report_to_json(make_report(t, Scene())) for _ in range(2))
    assert one == two
    assert set(json.loads(one)) == {"total", "crowds", "notices", "motion", "events", "events_left_out"}
