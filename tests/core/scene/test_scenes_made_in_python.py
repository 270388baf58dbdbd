# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with a scene made in Python, and what is not."""

import math

import numpy as np
import pytest

from core.scene import (
    Agent,
    Area,
    Crowd,
    Flocking,
    Following,
    Hero,
    Obstacle,
    PlanWeights,
    Route,
    Spawn,
    Speed,
    Track,
)

from .made_scenes import SQUARE, faults, motion, outline, points, route


def crowd_faults(**settings):
    found = faults(routes=(route(),), crowds=(Crowd("a", **{"route": "Path"} | settings),))
    return {place.removeprefix("crowds[0]."): message for place, message in found.items()}


def test_an_empty_scene_is_sound():
    assert faults() == {}


@pytest.mark.parametrize("fps", [0, -24.0, math.nan, math.inf, 1e-300, 1e300, True, "24", None])
def test_frames_per_second_must_be_positive_and_of_this_world(fps):
    assert list(faults(fps=fps)) == ["fps"]


@pytest.mark.parametrize("fps", [24, 23.976, 0.1, 120, np.float32(25)])
def test_any_real_frame_rate_is_sound(fps):
    assert faults(fps=fps) == {}


@pytest.mark.parametrize(
    ("frames", "place"),
    [
        ((250, 1), "frames"),
        ((1,), "frames"),
        (5, "frames"),
        ((1.5, 9), "frames[0]"),
        ((1, 10**12), "frames[1]"),
        ((True, 9), "frames[0]"),
    ],
)
def test_frames_must_be_first_and_last(frames, place):
    assert list(faults(frames=frames)) == [place]


def test_one_frame_and_negative_frames_are_sound():
    assert faults(frames=(5, 5)) == {}
    assert faults(frames=(-100, -50)) == {}


@pytest.mark.parametrize("seed", [-1, 1.5, "0", False])
def test_a_seed_is_a_whole_number_from_0(seed):
    assert list(faults(seed=seed)) == ["seed"]


BAD_OUTLINES = {
    "empty": np.zeros((0, 2)),
    "one point": points((1, 1)),
    "two points": points((0, 0), (1, 1)),
    "three in two places": points((0, 0), (1, 1), (0, 0)),
    "one place": points((2, 2), (2, 2), (2, 2), (2, 2)),
    "a line": points((0, 0), (1, 1), (2, 2), (3, 3)),
    "a far line": points((1e6, 1e6), (1e6 + 1, 1e6), (1e6 + 2, 1e6)),
    "bow tie": points((0, 0), (4, 4), (4, 0), (0, 4)),
    "pentagram": points(*[(math.cos(a), math.sin(a)) for a in np.arange(5) * 0.8 * math.pi]),
    "NaN": points((0, 0), (math.nan, 0), (1, 1)),
    "infinite": points((0, 0), (1, 0), (1, -math.inf)),
    "beyond": points((0, 0), (1e9, 0), (0, 1)),
    "3D": np.zeros((4, 3)),
    "flat": np.arange(6.0),
    "integers": np.array(SQUARE),
    "list": SQUARE,
    "None": None,
}


@pytest.mark.parametrize("what", BAD_OUTLINES)
def test_an_outline_that_is_none_is_told_wherever_it_stands(what):
    bad = BAD_OUTLINES[what]
    found = faults(
        bounds=bad if bad is not None else np.zeros((0, 2)),
        obstacles=(Obstacle("o", bad), Obstacle("p", outline(SQUARE), (bad,))),
        areas=(Area("a", bad),),
    )
    heads = {place.partition("[")[0] if "holes" not in place else "holes" for place in found}
    assert heads == {"bounds", "obstacles", "holes", "areas"}
    assert len(found) == 4


@pytest.mark.parametrize("reverse", [1, -1])
@pytest.mark.parametrize(("scale", "shift"), [(1, (0, 0)), (1e-3, (0, 0)), (1, (1e6, -1e6)), (1e5, (3, 4))])
def test_simple_outlines_are_sound_in_either_direction_at_any_size_and_place(reverse, scale, shift):
    star = [((1 + k % 2) * math.cos(math.pi * k / 7), (1 + k % 2) * math.sin(math.pi * k / 7)) for k in range(14)]
    for rows in (SQUARE, star, [*SQUARE, SQUARE[0]], [[0, 0], [4, 0], [4, 4], [2, 1e-3], [0, 4]]):
        assert faults(bounds=outline(rows, scale=scale, shift=shift)[::reverse]) == {}


def test_a_hole_must_lie_in_its_outline():
    hole = outline(SQUARE, scale=0.5, shift=(1, 1))
    assert faults(obstacles=(Obstacle("o", outline(SQUARE), (hole,)),)) == {}
    assert faults(obstacles=(Obstacle("o", outline(SQUARE), (hole + 1.5,)),)) == {
        "obstacles[0].holes[0]": "must lie inside the outline"
    }
    assert list(faults(obstacles=(Obstacle("o", hole, (outline(SQUARE),)),))) == ["obstacles[0].holes[0]"]


def test_every_fault_is_told_in_one_pass():
    found = faults(
        fps=0,
        frames=(9, 1),
        bounds=BAD_OUTLINES["bow tie"],
        walls=(points((1, 1), (1, 1)), points((0, 0), (math.nan, 1))),
        routes=(route(width=-1), route(closed="no")),
        crowds=(Crowd("a", count=-1, route="Pth"), Crowd("", start="A"), Crowd("c")),
    )
    assert list(found) == [
        "fps",
        "frames",
        "bounds",
        "walls[0]",
        "walls[1][1][0]",
        "routes[0].width",
        "routes[1].name",
        "routes[1].closed",
        "crowds[0].count",
        "crowds[0].route",
        "crowds[1].name",
        "crowds[1].goal",
        "crowds[1].start",
        "crowds[2]",
    ]
    assert found["crowds[0].route"] == "no route is named 'Pth'; there are: 'Path'"
    assert found["crowds[1].start"] == "no area is named 'A'; there are none"


def test_routes_need_two_distinct_points():
    for rows, count in ([(1, 2, 3)], "1"), ([(1, 2, 3)] * 3, "3 in one place"):
        found = faults(routes=(Route("Path", points(*rows)),))
        assert found == {"routes[0].points": f"a route needs at least 2 distinct points, got {count}"}
    assert faults(routes=(Route("Path", points((0, 0, 0), (0, 0, 0), (1, 0, 0))),)) == {}
    assert list(faults(routes=(Route("Path", points((0, 0), (1, 0))),))) == ["routes[0].points"]


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("closed", 1),
        ("width", 0),
        ("width", math.nan),
        ("lanes", 0),
        ("lanes", 1.5),
        ("lane_width", -2),
        ("two_way", "yes"),
    ],
)
def test_settings_of_routes_are_checked(setting, value):
    assert list(faults(routes=(route(**{setting: value}),))) == [f"routes[0].{setting}"]


@pytest.mark.parametrize(
    ("settings", "place"),
    [
        ({"kind": "dog"}, "kind"),
        ({"kind": ["pedestrian"]}, "kind"),
        ({"count": -1}, "count"),
        ({"count": 2.0}, "count"),
        ({"count": 10**9}, "count"),
        ({"route": 5}, "route"),
        ({"route": ["Path"]}, "route"),
        ({"arrival": "fly"}, "arrival"),
        ({"arrival": "loop"}, "arrival"),
        ({"avoidance": "traffic"}, "avoidance"),
        ({"kind": "vehicle", "avoidance": "orca"}, "avoidance"),
        ({"spawn": Spawn("sometimes")}, "spawn.mode"),
        ({"spawn": Spawn(rate=0)}, "spawn.rate"),
        ({"spawn": Spawn(headway=-1)}, "spawn.headway"),
        ({"spawn": Spawn(sets_off_within=-1)}, "spawn.sets_off_within"),
        ({"radius": (0.3, 0.2)}, "radius"),
        ({"radius": (0.0, 0.2)}, "radius[0]"),
        ({"radius": 0.3}, "radius"),
        ({"radius": (math.nan, math.nan)}, "radius"),
        ({"speed": Speed(mean=0)}, "speed.mean"),
        ({"speed": Speed(sd=-0.1)}, "speed.sd"),
        ({"flocking": Flocking(cohesion=-1)}, "flocking.cohesion"),
        ({"flocking": Flocking(distance=0)}, "flocking.distance"),
        ({"groups": (0, 2)}, "groups[0]"),
        ({"groups": (2, 99)}, "groups[1]"),
        ({"groups": (3, 2)}, "groups"),
        ({"groups": 2}, "groups"),
        ({"length": 0}, "length"),
        ({"time_headway": -1}, "time_headway"),
        ({"following": Following(keep_to_line=1.2)}, "following.keep_to_line"),
        ({"following": Following(comfort=-0.1)}, "following.comfort"),
        ({"following": Following(spread="wide")}, "following.spread"),
        ({"following": Following(side="both")}, "following.side"),
        ({"following": Following(weights=PlanWeights(k_jerk=0.0))}, "following.weights.k_jerk"),
    ],
)
def test_settings_of_crowds_are_checked(settings, place):
    assert list(crowd_faults(**settings)) == [place]


def test_what_later_versions_will_simulate_is_sound_already():
    assert crowd_faults(kind="vehicle", avoidance="traffic") == {}
    assert crowd_faults(avoidance="human_like", flocking=Flocking(1, 1, 1, 2)) == {}
    assert crowd_faults(count=0) == {}


@pytest.mark.parametrize(
    ("way", "named"),
    [
        ({"route": None}, "none"),
        ({"start": "A", "goal": "A"}, "route and start and goal"),
        ({"agents": (Agent((0, 0), (1, 1)),)}, "route and agents"),
    ],
)
def test_a_crowd_goes_exactly_one_way(way, named):
    found = faults(
        routes=(route(),), areas=(Area("A", outline(SQUARE)),), crowds=(Crowd("a", **{"route": "Path"} | way),)
    )
    assert found == {
        "crowds[0]": f"must have exactly one of route, start with goal, agents, or place; it has {named}",
    }


def test_a_start_needs_a_goal_and_a_goal_a_start():
    areas = (Area("A", outline(SQUARE)),)
    assert list(faults(areas=areas, crowds=(Crowd("a", start="A"),))) == ["crowds[0].goal"]
    assert list(faults(areas=areas, crowds=(Crowd("a", goal="A"),))) == ["crowds[0].start"]


def test_names_must_differ_but_those_of_obstacles():
    same = Obstacle("Bench", outline(SQUARE))
    found = faults(
        obstacles=(same, same),
        routes=(route("Way"), route("Way"), route("Way")),
        areas=(Area("Way", outline(SQUARE)),),
        crowds=(Crowd("Way", route="Way"),),
    )
    assert found == {
        "routes[1].name": "'Way' is already the name of routes[0]; names must differ",
        "routes[2].name": "'Way' is already the name of routes[0]; names must differ",
    }


@pytest.mark.parametrize("name", ["", 5, None, "a\0", "\ud800", ["a"]])
def test_names_must_be_text_that_a_file_can_hold(name):
    assert list(faults(routes=(route(name),))) == ["routes[0].name"]
    assert list(faults(obstacles=(Obstacle(name, outline(SQUARE)),))) == ["obstacles[0].name"]


def test_many_names_are_not_all_listed():
    found = faults(routes=tuple(route(f"R{k}") for k in range(50)), crowds=(Crowd("a", route="Path"),))
    assert found["crowds[0].route"].endswith("'R19' and 30 more")


@pytest.mark.parametrize(
    ("planned", "place"),
    [
        (motion(frames=(9, 1)), "frames[1]"),
        (motion(frames=(1, 1)), "frames[1]"),
        (motion(x=(0,)), "x"),
        (motion(yaw=(0, math.nan)), "yaw[1]"),
        (motion(frames=(), x=(), y=(), yaw=()), "frames"),
    ],
)
def test_a_motion_has_a_pose_at_each_of_its_growing_frames(planned, place):
    found = faults(obstacles=(Obstacle("Tram", outline(SQUARE), motion=planned),))
    assert list(found) == [f"obstacles[0].motion.{place}"]


def test_heroes_have_a_body_and_a_track():
    track = Track(*(np.array(values, dtype=np.float64) for values in ((1, 9), (0, 5), (0,))))
    assert list(faults(heroes=(Hero("", 0.0, track),))) == [
        f"heroes[0].{key}" for key in ("name", "radius", "motion.y")
    ]
    planet = Hero("Planet", 101.0, Track(np.array([1.0]), np.array([0.0]), np.array([0.0])))
    assert list(faults(heroes=(planet,))) == ["heroes[0].radius"]


def test_a_route_whose_points_stand_above_each_other_leads_nowhere():
    found = faults(routes=(route(ends=((0, 0, 0), (0, 0, 5))),))
    assert list(found) == ["routes[0].points"]
    assert "differ in x or y" in found["routes[0].points"]
