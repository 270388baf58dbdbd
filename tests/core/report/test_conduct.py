# SPDX-License-Identifier: GPL-3.0-or-later
"""What no person does, on motion made by hand: each kind is found where it happens, and not where it does not."""

import math

import numpy as np
import pytest

from core.report import make_report, report_lines
from core.report.bodies import BodyShapes
from core.report.capsules import Capsules
from core.report.conduct import longest_runs
from core.report.contacts import MetPairs
from core.report.events import clipping_events
from core.report.report_settings import REPORT
from core.scene import Obstacle, Scene
from core.simulation.world.doing import Doing

from .test_measure import FPS, line, moving, together

FRAMES = 101


def events(t, *kinds, scene=None):
    listed = make_report(t, scene or Scene())["events"]
    return [each for each in listed if each["kind"] in kinds] if kinds else listed


def wishing(places, wish, **more):
    places = np.asarray(places, dtype=np.float64)
    return moving(places, wish=np.broadcast_to(np.float16(wish), places.shape).copy(), **more)


def test_longest_runs_are_those_of_a_loop():
    rng = np.random.default_rng(5)
    flags = rng.random((40, 60)) < np.linspace(0.0, 1.0, 60)
    length, begin = longest_runs(flags)
    for column, found, row in zip(flags.T, length, begin, strict=True):
        runs = [(end - start, -start) for start in range(40) for end in range(start, 41) if column[start:end].all()]
        longest, first = max(runs)
        assert found == longest
        assert row == (-first if longest else 0)


def test_capsules_are_as_deep_in_each_other_as_many_points_on_their_axes_say():
    rng = np.random.default_rng(2)
    t = moving(rng.uniform(-0.4, 0.4, (3, 40, 2)), heading=rng.uniform(-3.0, 3.0, (3, 40)))
    row, agents = np.ones(40, dtype=np.int64), np.arange(40)
    capsules = Capsules.of(BodyShapes.at(t, row, agents), rng.uniform(0.0, 1.6, 40), REPORT.body)
    first, second = np.triu_indices(40, 1)
    shares = np.linspace(0.0, 1.0, 41)
    along = -capsules.back[:, None] + shares * (capsules.back + capsules.front)[:, None]
    axes = capsules.position[:, None] + along[..., None] * capsules.ahead[:, None]
    apart = np.linalg.norm(axes[first][:, :, None] - axes[second][:, None], axis=3).min(axis=(1, 2))
    depth = capsules.radius[first] + capsules.radius[second] - apart
    np.testing.assert_allclose(capsules.depth(first, second), depth, atol=0.13)  # crossing axes
    open_axes = apart > 0.02
    np.testing.assert_allclose(capsules.depth(first, second)[open_axes], depth[open_axes], atol=0.005)


def test_two_in_step_front_to_back_clip_and_two_side_by_side_do_not():
    gap = 0.51  # more than both radii
    for offset, pairs in (((gap, 0.0), 1), ((0.0, gap), 0)):
        t = moving(together(line((0.0, 0.0), (1.3, 0.0), FRAMES), line(offset, (1.3, 0.0), FRAMES)))
        total = make_report(t, Scene())["total"]
        assert (total["overlapping_pairs"], total["clipping_pairs"]) == (0, pairs)
        assert total["clipping_frames"] == pairs * FRAMES
        assert len(events(t, "clipping")) == pairs
        said = "1 pair of people is seen to intersect, in 101 frames in all."
        assert (said in report_lines(make_report(t, Scene()))) == bool(pairs)
    brief = np.tile([[0.0, 0.0], [9.0, 0.0]], (FRAMES, 1, 1))
    brief[50:52, 1] = (0.57, 0.0)
    strides = moving(brief, velocity=np.broadcast_to((1.3, 0.0), brief.shape), heading=np.zeros((FRAMES, 2)))
    (brushed,) = events(strides, "clipping")  # whatever is counted has a line
    assert make_report(strides, Scene())["total"]["clipping_pairs"] == 1
    assert (brushed["agents"], brushed["frame"], brushed["reason"]) == ([0, 1], 51, "for 2 frames")
    assert brushed["amount"] == pytest.approx(2 * 0.8 * 0.25 + 0.15 + 0.06 - 0.57)
    standing = moving(np.tile([[0.0, 0.0], [gap, 0.0]], (FRAMES, 1, 1)))
    assert make_report(standing, Scene())["total"]["clipping_pairs"] == 0  # no stride, no reach


def test_a_pair_that_overlaps_is_not_listed_twice():
    met = moving(together(line((0.0, 0.0), (1.0, 0.0), FRAMES), line((0.2, 0.0), (1.0, 0.0), FRAMES)))
    assert [each["kind"] for each in events(met, "overlap", "clipping")] == ["overlap"]
    assert make_report(met, Scene())["total"]["clipping_pairs"] == 1


def test_who_stands_and_wants_to_go_before_an_open_way_is_frozen_and_not_stuck_as_well():
    (found,) = events(wishing(np.zeros((FRAMES, 1, 2)), (1.0, 0.0)))
    assert (found["kind"], found["agents"], found["frame"]) == ("frozen", [0], 51)
    assert found["amount"] == pytest.approx(FRAMES / FPS)
    assert found["severity"] == pytest.approx(FRAMES / FPS / REPORT.visible.frozen)


@pytest.mark.parametrize("why", ["no wish", "a wall", "somebody", "not recorded", "a crossing"])
def test_who_has_a_reason_to_stand_is_not_frozen_and_waits_where_it_is_recorded(why):
    places, scene, wish, more = np.zeros((FRAMES, 1, 2)), Scene(), (1.0, 0.0), {}
    if why == "a crossing":
        more = {"doing": np.full((FRAMES, 1), Doing.STOPPING_FOR_PEOPLE, dtype=np.int8)}
    elif why == "no wish":
        wish = (0.0, 0.0)
    elif why == "not recorded":
        wish = (np.nan, np.nan)
    elif why == "a wall":
        scene = Scene(walls=(np.array([[0.6, -2.0], [0.6, 2.0]]),))
    else:
        places = np.tile([[0.0, 0.0], [0.6, 0.1]], (FRAMES, 1, 1))
    kinds = [each["kind"] for each in events(wishing(places, wish, **more), scene=scene) if each["agents"] == [0]]
    assert kinds == ["waits" if why == "a crossing" else "stuck"]


def test_each_halt_has_a_line_as_long_as_somebody_is_held_up():
    speed = np.full(FRAMES, 1.3)
    speed[5:20] = 0.05  # 1.5 s, of which ...
    speed[20:30] = 0.2  # ... a step or two
    speed[30:36] = 1.0  # makes room for 0.6 s
    speed[36:45] = 0.05
    speed[80:95] = 0.02
    x = np.cumsum(speed) / FPS
    t = moving(np.stack((x, 0.0 * x), axis=1)[:, None], velocity=np.stack((speed, 0.0 * speed), axis=1)[:, None])
    first, second = sorted(events(t, "stuck"), key=lambda each: each["frame"])
    assert (first["frame"], first["amount"]) == (6, pytest.approx(4.0))
    assert (second["frame"], second["amount"]) == (81, pytest.approx(1.5))
    assert make_report(t, Scene())["total"]["longest_stop"] == pytest.approx(4.0)


CASES = ["creeps", "in a throng", "a runner walks", "no faster ever", "waits", "at a stop", "stands as well"]
CASES += ["a moment", "refused", "runs", "flees", "runs for a while", "flees for a while", "a brisk walker"]
CASES += ["a vehicle", "up stairs", "runs up stairs", "was hurried"]
PACES = {  # the fastest, the slowest, and what they want then
    "a runner walks": (2.1, 0.95, 1.4),  # behind others, as measured
    "a brisk walker": (1.95, 0.9, 1.4),
    "runs up stairs": (2.6, 1.16, 1.16),
    "was hurried": (2.7, 1.1, 1.35),
    "runs for a while": (2.8, 1.2, 2.0),
    "flees for a while": (2.8, 1.2, 2.0),
}


@pytest.mark.parametrize("case", CASES)
def test_who_creeps_has_a_line_unless_they_never_go_faster_wait_or_stand_for_most_of_it(case):
    fast, brisk = (0.4, 0.4) if case == "no faster ever" else (1.3, 0.9)
    speed, wish = np.full(FRAMES, fast), np.full(FRAMES, np.nan)
    speed[20:45], speed[45:55], speed[55:70] = 0.4, brisk, 0.3  # a second of walking on is no end of it
    if case in PACES:
        speed[:], speed[20:70], wish[:] = PACES[case]
    doing = np.full((FRAMES, 1), Doing.WALKING, dtype=np.int8)
    does = {"waits": Doing.QUEUEING, "at a stop": Doing.IN_QUEUE, "runs": Doing.RUNNING, "flees": Doing.FLEEING}
    if case in does:
        doing[20:70] = does[case]
    elif case in ("runs for a while", "flees for a while"):
        doing[:20] = doing[70:] = does[case.split()[0]]
    elif case == "stands as well":
        speed[25:65] = 0.0
    elif case == "a moment":
        speed[45:] = 1.3
    elif case in ("in a throng", "up stairs"):
        wish = speed * (1.4 if case == "in a throng" else 1.02)
    x = np.cumsum(speed) / FPS
    motion = np.stack((x, 0.0 * x), axis=1)[:, None], np.stack((speed, 0.0 * speed), axis=1)[:, None]
    box = np.array([[4.0, 1.8] if case == "a vehicle" else [0.0, 0.0]])
    wishes = np.float16(np.stack((0.6 * wish, 0.8 * wish), axis=1)[:, None])
    t = moving(motion[0], velocity=motion[1], doing=doing, box=box, wish=wishes)
    report = make_report(t, Scene(), refused={0: "no route"} if case == "refused" else None)
    found = [each for each in report["events"] if each["kind"] in ("creeping", "stuck")]
    said = [(each["kind"], each["frame"], each["amount"]) for each in found]
    expected = {"creeps": [("creeping", 21, 5.0)], "stands as well": [("stuck", 26, 4.0)]}
    expected["in a throng"] = expected["a runner walks"] = expected["creeps"]
    assert said == expected.get(case, [])
    if case == "creeps":
        assert found[0]["severity"] == pytest.approx(5.0 / REPORT.visible.creep)


def test_a_slow_walker_who_stands_is_stuck_and_does_not_creep_as_well():
    speed = np.full(FRAMES, 0.4)
    speed[40:43], speed[43:90] = 0.22, 0.0
    x = np.cumsum(speed) / FPS
    t = moving(np.stack((x, 0.0 * x), axis=1)[:, None], velocity=np.stack((speed, 0.0 * speed), axis=1)[:, None])
    assert [each["kind"] for each in events(t, "creeping", "stuck")] == ["stuck"]


def test_of_several_who_stand_and_creep_each_line_explains_its_own_time_only():
    rng = np.random.default_rng(3)
    speed = np.repeat(rng.choice([0.0, 0.4, 1.3], (20, 6), p=[0.2, 0.5, 0.3]), 10, axis=0)
    speed[0] = 1.3
    places = np.stack((np.cumsum(speed, axis=0) / FPS, np.broadcast_to(5.0 * np.arange(6), speed.shape)), axis=2)
    t = moving(places, velocity=np.stack((speed, 0.0 * speed), axis=2))
    found = events(t, "creeping", "stuck", "frozen")
    expected = []
    for agent in range(6):
        slow = np.flatnonzero(speed[:, agent] < 0.5)
        for spell in np.split(slow, np.flatnonzero(np.diff(slow) > 15) + 1):
            first, seconds = spell[0], (spell[-1] + 1 - spell[0]) / FPS
            others = (each for each in found if each["agents"] == [agent] and each["kind"] != "creeping")
            stood = sum(each["amount"] for each in others if first <= each["frame"] - 1 <= spell[-1])
            if seconds >= 3.0 and stood < 0.5 * seconds:
                expected.append((agent, first + 1, pytest.approx(seconds)))
    creeps = [each for each in found if each["kind"] == "creeping"]
    assert sorted((each["agents"][0], each["frame"], each["amount"]) for each in creeps) == expected
    assert 0 < len(expected) < len(found)


def test_two_who_want_to_go_where_the_other_stands_are_a_face_off_with_both():
    places = np.tile([[0.0, 0.0], [0.5, 0.0], [9.0, 0.0]], (FRAMES, 1, 1))
    ahead, back = (1.2, 0.0), (-1.2, 0.0)
    slowly = ((0.05, 0.01), (-0.03, 0.0), ahead)  # held back by each other
    alone, apart = (ahead, (0.0, 0.0), back), (ahead, ahead, back)
    for wishes, pairs in (((ahead, back, ahead), [[0, 1]]), (slowly, [[0, 1]]), (apart, []), (alone, [])):
        wish = np.broadcast_to(np.float16(wishes), places.shape).copy()
        found = events(moving(places, wish=wish), "face-off", "stuck")
        faced = [each for each in found if each["kind"] == "face-off"]
        assert [each["agents"] for each in faced] == pairs
        assert all(each["amount"] == pytest.approx(FRAMES / FPS) for each in faced)
        assert not any(each["agents"] in ([0], [1]) for each in found if pairs)  # said once


def turning(turn, seconds, places=None, **more):
    """Somebody who turns evenly by an angle over a time, from the third second on."""
    heading = np.interp(np.arange(FRAMES) / FPS, (3.0, 3.0 + seconds), (0.0, turn))[:, None]
    places = np.zeros((FRAMES, 1, 2)) if places is None else places
    return moving(places, heading=heading, arrived_frame=np.array([1]), **more)


def test_a_turn_on_the_spot_of_more_than_half_a_circle_is_spinning():
    (found,) = events(turning(np.radians(370.0), 3.0))
    assert (found["kind"], found["agents"]) == ("spinning", [0])
    assert found["amount"] == pytest.approx(np.radians(370.0), abs=0.01)
    assert found["severity"] > 1.0
    assert 31 <= found["frame"] <= 62
    assert events(turning(np.pi, 3.0)) == []  # turns round
    walks_off = np.zeros((FRAMES, 1, 2))
    walks_off[60:, 0] = np.linspace(0.0, 4.0, FRAMES - 60)[:, None] * (math.cos(3.7), math.sin(3.7))
    assert events(turning(3.7, 2.9, walks_off), "spinning") == []  # to a goal behind
    assert len(events(turning(3.7, 2.9, -walks_off), "spinning")) == 1
    angle = np.radians(370.0) * np.arange(FRAMES) / FRAMES
    circle = 2.0 * np.stack((np.sin(angle), 1.0 - np.cos(angle)), axis=1)[:, None]
    assert events(turning(np.radians(370.0), 3.0, circle), "spinning") == []  # on a bend


def test_who_turns_to_look_at_something_and_on_does_not_spin():
    doing = np.full((FRAMES, 1), Doing.WALKING, dtype=np.int8)
    doing[round(3.0 * FPS) : round(5.0 * FPS)] = Doing.LOOKING
    assert events(turning(np.radians(370.0), 3.0, doing=doing), "spinning") == []
    assert len(events(turning(np.radians(370.0), 3.0, doing=0 * doing), "spinning")) == 1


@pytest.mark.parametrize("what", ["velocity", "heading"])
def test_what_swings_several_times_a_second_is_jitter_and_one_turn_is_not(what):
    fps = 24.0
    time = np.arange(121) / fps
    shake = np.where((time > 2.0) & (time < 4.0), np.sin(2.0 * np.pi * 4.0 * time), 0.0)
    walk = np.stack((1.3 * time, 0.0 * time), axis=1)[:, None]
    steady = np.tile((1.3, 0.0), (121, 1, 1))
    heading = np.zeros((121, 1))
    shaking = {"velocity": steady + np.stack((0.2 * shake, 0.0 * shake), axis=1)[:, None]}
    if what == "heading":
        shaking = {"heading": heading + 0.2 * shake[:, None]}
    given = {"fps": fps, "velocity": steady, "heading": heading}
    (found,) = events(moving(walk, **(given | shaking)))
    assert (found["kind"], found["agents"]) == ("jitter", [0])
    assert found["amount"] == pytest.approx(2.0, abs=0.8)
    assert 2.0 < (found["frame"] - 1) / fps < 4.0
    stops = steady * np.interp(time, (2.0, 2.5, 3.0, 3.5), (1.0, 0.0, 0.0, 1.0))[:, None, None]  # stop and go
    assert events(moving(walk, **(given | {"velocity": stops})), "jitter") == []


def follow(*offsets, speed=1.3, scene=None, **more):
    t = moving(together(*(line(offset, (speed, 0.0), FRAMES) for offset in offsets)), **more)
    return events(t, "behind", scene=scene)


def test_who_walks_long_on_somebodys_heels_crowds_behind():
    (found,) = follow((0.0, 0.0), (0.7, 0.05))
    assert found["agents"] == [0, 1]
    assert found["frame"] == 51
    assert found["amount"] == pytest.approx(FRAMES / FPS)
    assert found["severity"] > 1.0


def test_who_keeps_away_walks_beside_belongs_together_or_has_no_room_does_not():
    assert follow((0.0, 0.0), (0.8, 0.0)) == []
    assert follow((0.0, 0.0), (0.4, 0.55)) == []
    assert follow((0.0, 0.0), (0.7, 0.0), group=np.zeros(2, dtype=np.int64)) == []
    assert follow((0.0, 0.0), (0.7, 0.0), speed=0.3) == []
    assert follow((0.0, 0.0), (0.7, 0.0), (0.1, 0.6)) == []  # somebody beside the one behind
    sides = tuple(Obstacle(f"Side {y}", np.array([[-9.0, y], [99, y], [99, y + 1], [-9, y + 1]])) for y in (0.4, -1.4))
    assert follow((0.0, 0.0), (0.7, 0.0), scene=Scene(obstacles=sides)) == []


def test_vehicles_do_none_of_this():
    box = np.tile((4.0, 1.8), (2, 1))
    t = moving(together(line((0.0, 0.0), (1.3, 0.0), FRAMES), line((4.2, 0.0), (1.3, 0.0), FRAMES)), box=box)
    assert events(t) == []
    assert make_report(t, Scene())["total"]["clipping_pairs"] == 0


def test_who_walks_with_the_back_ahead_walks_backwards():
    speeds = (0.8, 0.8, 0.1, 0.8, 0.15)
    places = together(*(line((0.0, 3.0 * k), (speed, 0.0), FRAMES) for k, speed in enumerate(speeds)))
    off = np.zeros((FRAMES, 5))
    off[20:60, 0] = 3.0  # [rad] off the motion
    off[20:60, 1] = 1.3  # sideways
    off[20:60, 2] = 3.0  # a step back
    seat_height = np.full((FRAMES, 5), np.nan, dtype=np.float32)
    seat_height[40:80, 3], off[38:, 3] = 0.45, 3.0  # goes back onto a seat for most of the time
    off[82:, 3] = 0.0
    off[:, 4] = math.pi  # drifts, for as long as the scene lasts
    off[60:66, 4] = 0.0  # but for a moment, in which it makes up for less than it has gone
    swift, slow = events(moving(places, heading=off, seat_height=seat_height), "backwards")
    assert [swift["agents"], slow["agents"]] == [[0], [4]]
    assert swift["amount"] == pytest.approx(0.8 * 40 / FPS * math.cos(math.pi - 3.0), abs=0.03)
    assert 20 <= swift["frame"] <= 60
    assert slow["amount"] == pytest.approx(0.15 * (FRAMES - 12) / FPS, abs=0.02)


@pytest.mark.parametrize(
    ("depth", "frames", "is_red"), [(0.07, 60, False), (0.09, 2, False), (0.09, 4, True), (0.16, 1, True)]
)
def test_a_touch_that_is_shallow_or_brief_is_nothing_to_fix(depth, frames, is_red):
    met = MetPairs(np.array([[0, 1]]), np.array([depth]), np.array([1]), np.array([frames]))
    (found,) = clipping_events(moving(np.zeros((FRAMES, 2, 2))), met, (), REPORT)
    assert (found["severity"] >= 1.0) == is_red
    for_frames, _, way_out = found["reason"].partition("; ")
    assert (found["amount"], for_frames) == (depth, "for 1 frame" if frames == 1 else f"for {frames} frames")
    assert ("a wider path" in way_out) == (found["severity"] >= 1.0)


@pytest.mark.parametrize(
    ("apart", "depth", "says"), [(0.9, 0.3, "body radius"), (0.4, 0.3, "wider path"), (0.9, 0.1, "wider path")]
)
def test_bodies_wider_than_their_radius_are_named_as_the_cause(apart, depth, says):
    places = np.zeros((FRAMES, 2, 2))
    places[:, 1, 0] = apart
    met = MetPairs(np.array([[0, 1]]), np.array([depth]), np.array([1]), np.array([20]))
    (found,) = clipping_events(moving(places), met, (), REPORT)
    assert says in found["reason"]


@pytest.mark.parametrize("is_queue", [True, False])
def test_who_stands_behind_those_who_queue_waits_and_two_who_hold_each_other_up_do_not(is_queue):
    first = Doing.QUEUEING if is_queue else Doing.HELD_UP
    doing = np.tile(np.array([first, Doing.HELD_UP], dtype=np.int8), (FRAMES, 1))
    because_of = np.tile(np.array([-1 if is_queue else 1, 0], dtype=np.int32), (FRAMES, 1))
    places = np.tile([[0.0, 0.0], [-2.0, 0.0]], (FRAMES, 1, 1))
    found = events(wishing(places, (1.0, 0.0), doing=doing, because_of=because_of))
    assert {(each["kind"], each["severity"] >= 1.0) for each in found} == {
        ("waits" if is_queue else "frozen", not is_queue)
    }
