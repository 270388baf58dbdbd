# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with a scene made in Python, and what is not."""

import math

import numpy as np
import pytest

from core import SceneError
from core.scene import (
    Agent,
    Area,
    Crowd,
    Flocking,
    Following,
    Hero,
    Motion,
    Obstacle,
    PlanWeights,
    Route,
    Scene,
    Spawn,
    Speed,
    Track,
)
from core.scene.goal_checks import lies_in

SQUARE = [[0, 0], [4, 0], [4, 4], [0, 4]]


def points(*rows):
    return np.array(rows, dtype=np.float64)


def outline(rows, *, scale=1.0, shift=(0.0, 0.0)):
    return scale * np.array(rows, dtype=np.float64) + np.array(shift, dtype=np.float64)


def route(name="Path", *, closed=False, ends=((0, 0, 0), (9, 0, 0)), **settings):
    return Route(name, points(*ends), closed, **settings)


def faults(**parts):
    try:
        Scene(**parts)
    except SceneError as error:
        return {fault.place: fault.message for fault in error.faults}
    return {}


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


def motion(frames=(1, 9), x=(0, 5), y=(0, 0), yaw=(0, 0)):
    return Motion(*(np.array(values, dtype=np.float64) for values in (frames, x, y, yaw)))


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


def pair(goal, **obstacle):
    block = Obstacle("Block", outline(SQUARE), **obstacle)
    return faults(obstacles=(block,), crowds=(Crowd("a", agents=(Agent((-5, 0), goal),)),))


def test_a_goal_inside_a_standing_obstacle_is_told():
    assert pair((2, 2)) == {"crowds[0].agents[0].goal": "the goal lies inside the obstacle 'Block' (obstacles[0])"}
    assert pair((0.001, 3.999)) != {}
    assert pair((5, 2)) == {}
    assert pair((4, 2)) == {}  # on the edge
    assert pair((2, 2), motion=motion()) == {}
    hole = outline(SQUARE, scale=0.5, shift=(1, 1))
    assert pair((2, 2), holes=(hole,)) == {}
    assert pair((0.5, 0.5), holes=(hole,)) != {}


def test_a_start_inside_an_obstacle_is_for_the_simulation_to_move():
    assert (
        faults(
            obstacles=(Obstacle("Block", outline(SQUARE)),),
            crowds=(Crowd("a", agents=(Agent((2, 2), (9, 9)),)),),
        )
        == {}
    )


def test_the_end_of_a_route_that_is_followed_must_be_free():
    block = (Obstacle("Block", outline(SQUARE, shift=(7, -2))),)
    ring = ((0, 0, 0), (8, 5, 0), (9, 0, 0))
    assert list(faults(obstacles=block, routes=(route(),), crowds=(Crowd("a", route="Path"),))) == [
        "routes[0].points[1]"
    ]
    assert faults(obstacles=block, routes=(route(),)) == {}
    assert faults(obstacles=block, routes=(route(closed=True, ends=ring),), crowds=(Crowd("a", route="Path"),)) == {}


def test_an_area_must_not_lie_wholly_outside_the_bounds():
    def of(shift, scale=1.0):
        return faults(
            bounds=outline(SQUARE, scale=3.0),
            areas=(Area("Start", outline(SQUARE)), Area("End", outline(SQUARE, scale=scale, shift=shift))),
            crowds=(Crowd("a", start="Start", goal="End"),),
        )

    apart = {"crowds[0].goal": "the area 'End' lies outside the bounds"}
    assert of((90, 0)) == apart
    assert of((0, -90)) == apart
    assert of((1, 1)) == {}
    assert of((0, 0), scale=9.0) == {}


def test_an_area_must_not_lie_wholly_in_an_obstacle():
    def of(area, holes=(), start=None):
        start = outline(SQUARE, shift=(-9, 0)) if start is None else start
        return faults(
            obstacles=(Obstacle("Block", outline(SQUARE), holes),),
            areas=(Area("Start", start), Area("End", area)),
            crowds=(Crowd("a", start="Start", goal="End"),),
        )

    assert of(outline(SQUARE, scale=0.5)) == {
        "crowds[0].goal": "the area 'End' lies inside the obstacle 'Block' (obstacles[0])"
    }
    assert of(outline(SQUARE)) != {}
    assert of(outline(SQUARE), start=outline(SQUARE, scale=0.5))["crowds[0].start"].startswith("the area 'Start' lies")
    assert of(outline(SQUARE, shift=(0.1, 0))) == {}
    assert of(outline(SQUARE, scale=2)) == {}
    assert of(outline(SQUARE, scale=0.5, shift=(1, 1)), (outline(SQUARE, scale=0.1, shift=(2, 2)),)) == {}


def _star(rng, spread):
    count = rng.integers(4, 12)
    angles = (np.arange(count) + rng.uniform(0, 0.8, count)) * (2 * np.pi / count)
    reach = rng.uniform(0.3, 1.0, len(angles)) * spread
    return np.stack((np.cos(angles), np.sin(angles)), axis=1) * reach[:, None]


def _inside(ring, x, y):
    """Even-odd rule, one edge at a time."""
    inside = np.zeros(x.shape, dtype=bool)
    for (x0, y0), (x1, y1) in zip(ring, np.roll(ring, -1, axis=0), strict=True):
        if y0 != y1:
            inside ^= ((y0 > y) != (y1 > y)) & (x < x0 + (y - y0) / (y1 - y0) * (x1 - x0))
    return inside


def _all_inside(inner, outer, hole):
    x, y = np.meshgrid(*(np.linspace(*ends, 80) for ends in np.stack((inner.min(axis=0), inner.max(axis=0))).T))
    there = _inside(inner, x, y)
    return there.any() and bool(np.all(_inside(outer, x, y)[there] & ~_inside(hole, x, y)[there]))


def test_lying_in_a_polygon_with_a_hole_agrees_with_a_fine_raster():
    rng = np.random.default_rng(7)
    answers = []
    for _ in range(400):
        inner = _star(rng, 0.5) + rng.uniform(-0.9, 0.9, 2)
        outer, hole = _star(rng, 2.5), _star(rng, 0.2) + rng.uniform(-0.5, 0.5, 2)
        middle = inner.mean(axis=0)
        truth = {_all_inside(middle + grow * (inner - middle), outer, hole) for grow in (0.9, 1.0, 1.1)}
        if len(truth) == 1:  # not so close that the raster could not tell
            answers.append(truth.pop())
            assert lies_in(inner, outer, (hole,)) == answers[-1]
    assert 40 < sum(answers) < len(answers) - 40


def test_an_area_that_bridges_a_notch_does_not_lie_in_the_obstacle():
    horseshoe = points((0, 0), (6, 0), (6, 4), (4, 4), (4, 1), (2, 1), (2, 4), (0, 4))
    assert not lies_in(points((0, 3), (6, 3), (6, 4), (0, 4)), horseshoe, ())
    assert not lies_in(points((2, 1), (4, 1), (4, 4), (2, 4)), horseshoe, ())
    assert lies_in(points((0, 0), (6, 0), (6, 1), (0, 1)), horseshoe, ())
    assert lies_in(horseshoe, horseshoe, ())


def test_many_obstacles_and_long_outlines_are_no_trouble():
    angles = np.linspace(0, 2 * np.pi, 1000, endpoint=False)
    ring = np.stack((np.cos(angles), np.sin(angles)), axis=1)
    many = tuple(Obstacle(f"o{k}", outline(SQUARE, scale=0.1, shift=(k, 5))) for k in range(1000))
    people = tuple(Agent((0, 0), (k + 0.2, 5.2)) for k in range(500))
    found = faults(bounds=1e4 * ring, obstacles=many, crowds=(Crowd("a", count=500, agents=people),))
    assert len(found) == 500


def test_a_route_whose_points_stand_above_each_other_leads_nowhere():
    found = faults(routes=(route(ends=((0, 0, 0), (0, 0, 5))),))
    assert list(found) == ["routes[0].points"]
    assert "differ in x or y" in found["routes[0].points"]
