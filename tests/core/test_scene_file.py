# SPDX-License-Identifier: GPL-3.0-or-later
"""Scene files: what is read is what was written, and every fault is told once, with its place."""

import copy
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from core import FootfallError, SceneError, load_scene, save_scene
from core.scene import (
    Agent,
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
from core.scene_file import scene_from_json, scene_to_json

# Every key that format 1 knows, each with a value that is not its default where it has one.
FULL = {
    "footfall_scene": 1,
    "fps": 23.976,
    "frames": [1, 250],
    "seed": 7,
    "bounds": [[0, 0], [40, 0], [40, 20], [0, 20]],
    "obstacles": [
        {
            "name": "Kiosk",
            "outline": [[8, 8], [14, 8], [14, 14], [8, 14]],
            "holes": [[[9, 9], [11, 9], [11, 11]]],
        },
        {
            "name": "Tram",
            "outline": [[-1, -4], [1, -4], [1, 4], [-1, 4]],
            "motion": {"frames": [1, 120], "x": [5, 35], "y": [12, 12], "yaw": [0, 0.5]},
        },
    ],
    "walls": [[[0, 5], [6, 5]]],
    "routes": [
        {
            "name": "Path",
            "points": [[0, 0, 0], [20, 4, 0.5]],
            "closed": True,
            "width": 2.5,
            "lanes": 2,
            "lane_width": 3.25,
            "two_way": True,
        },
        {"name": "Road", "points": [[0, 1], [20, 2], [30, 1]]},
    ],
    "areas": [
        {"name": "West gate", "outline": [[0, 0], [2, 0], [2, 8], [0, 8]]},
        {"name": "East gate", "outline": [[38, 0], [40, 0], [40, 8], [38, 8]]},
    ],
    "crowds": [
        {
            "name": "Walkers",
            "kind": "pedestrian",
            "count": 100,
            "route": "Path",
            "spawn": {"mode": "flow", "rate": 2.0, "headway": 0.25},
            "arrival": "loop",
            "radius": [0.2, 0.3],
            "speed": {"mean": 1.2, "sd": 0.1},
            "avoidance": "human_like",
            "flocking": {"separation": 1.0, "alignment": 0.5, "cohesion": 0.25, "distance": 2.0},
            "following": {
                "keep_to_line": 0.75,
                "comfort": 0.25,
                "spread": 0.5,
                "side": "right",
                "weights": dict.fromkeys(PlanWeights.__dataclass_fields__, 2.0),
            },
        },
        {"name": "Commuters", "count": 50, "start": "West gate", "goal": "East gate", "radius": 0.25},
        {"name": "Pair", "agents": [{"start": [1, 1], "goal": [9, 1], "radius": 0.25, "speed": 1.3}]},
        {
            "name": "Cars",
            "kind": "vehicle",
            "count": 30,
            "route": "Road",
            "avoidance": "traffic",
            "length": 4.0,
            "width": 1.7,
            "max_acceleration": 1.25,
            "max_deceleration": 2.5,
            "time_headway": 1.0,
        },
    ],
    "heroes": [
        {"name": "Hero", "radius": 0.4, "motion": {"frames": [1, 90], "x": [3, 9], "y": [2, 2.5]}, "frames": [10, 80.5]}
    ],
}

REQUIRED = {
    "footfall_scene",
    "obstacles[0].name",
    "obstacles[0].outline",
    "obstacles[1].name",
    "obstacles[1].outline",
    "obstacles[1].motion.frames",
    "obstacles[1].motion.x",
    "obstacles[1].motion.y",
    "obstacles[1].motion.yaw",
    "routes[0].name",
    "routes[0].points",
    "routes[1].name",
    "routes[1].points",
    "areas[0].name",
    "areas[0].outline",
    "areas[1].name",
    "areas[1].outline",
    "crowds[0].name",
    "crowds[1].name",
    "crowds[1].start",
    "crowds[1].goal",
    "crowds[2].name",
    "crowds[2].agents[0].start",
    "crowds[2].agents[0].goal",
    "crowds[3].name",
    "heroes[0].name",
    "heroes[0].radius",
    "heroes[0].motion",
    "heroes[0].motion.frames",
    "heroes[0].motion.x",
    "heroes[0].motion.y",
}

# What is left out of these is asked for elsewhere, and that is told instead, or as well.
WAYS = {"crowds[0].route": "crowds[0]", "crowds[2].agents": "crowds[2]", "crowds[3].route": "crowds[3]"}


def faults_of(data):
    """The faults as pairs of place and message; nothing may be told twice in the same words."""
    try:
        scene_from_json(data)
    except SceneError as error:
        found = [(fault.place, fault.message) for fault in error.faults]
    else:
        found = []
    assert len(set(found)) == len(found)
    return found


def places(data):
    return [place for place, _ in faults_of(data)]


def walk(value, place=""):
    """Every value in the file below the top, with its place, its holder and its key."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in pairs:
        spot = f"{place}[{key}]" if isinstance(value, list) else f"{place}.{key}".lstrip(".")
        yield spot, value, key
        yield from walk(item, spot)


ALL_PLACES = [place for place, _, _ in walk(FULL)]
KEYS = [place for place, holder, _ in walk(FULL) if isinstance(holder, dict)]


def corrupted(place, change):
    """The full scene with `change(holder, key)` done at one place."""
    data = copy.deepcopy(FULL)
    for spot, holder, key in walk(data):
        if spot == place:
            change(holder, key)
            return data
    raise AssertionError(place)


def put(value):
    def change(holder, key):
        holder[key] = value

    return change


def rename(holder, key):
    holder[f"{key}_x"] = holder.pop(key)


def test_the_full_scene_is_sound():
    assert faults_of(FULL) == []


def test_the_contracts_example_tells_exactly_its_two_unknown_names():
    data = copy.deepcopy(FULL)
    del data["areas"][1], data["routes"][1]
    assert faults_of(data) == [
        ("crowds[1].goal", "no area is named 'East gate'; there are: 'West gate'"),
        ("crowds[3].route", "no route is named 'Road'; there are: 'Path'"),
    ]


@pytest.mark.parametrize("place", KEYS)
def test_a_misspelled_key_is_the_one_fault_and_the_right_key_is_named(place):
    (fault,) = faults_of(corrupted(place, rename))
    assert fault[0] == f"{place}_x"
    assert f"did you mean {place.rpartition('.')[2]!r}?" in fault[1]


@pytest.mark.parametrize("place", KEYS)
def test_a_missing_key_is_told_if_it_is_needed(place):
    found = places(corrupted(place, lambda holder, key: holder.pop(key)))
    if place in REQUIRED:
        assert found == [place]
    elif place in WAYS:
        assert found == [WAYS[place]]
    elif place in {"routes", "areas"}:
        assert found
        assert all(spot.startswith("crowds") for spot in found)
    elif place == "routes[0].closed":
        assert found == ["crowds[0].arrival"]  # which goes round a closed route
    elif place == "crowds[3].kind":
        assert found == ["crowds[3].avoidance"]  # which is of vehicles
    else:
        assert found == []


@pytest.mark.parametrize("wrong", ["7", True, None, math.nan, math.inf, 1e300, -(10**400), {}, [], [[]], {"a": 1}])
def test_a_value_of_the_wrong_kind_is_the_one_fault(wrong):
    for place in ALL_PLACES:
        data = corrupted(place, put(wrong))
        holder_is_list = place.endswith("]")
        if _suits(place, wrong):
            continue
        found = places(data)
        if place == "crowds[2].agents" and wrong == []:
            assert found == [place]
            continue
        assert found, (place, wrong)
        inside = [spot for spot in found if spot == place or spot.startswith((place + ".", place + "["))]
        if inside:
            assert found == inside, (place, wrong)
            assert wrong == {} or len(inside) == 1 or isinstance(wrong, dict | list), (place, wrong, found)
        else:  # too short a list is told of the list
            assert holder_is_list, (place, wrong, found)
            assert found == [place.rpartition("[")[0]], (place, wrong, found)


def _suits(place, value):
    """Whether a value that looks wrong is right at a place."""
    word = place.rpartition(".")[2]
    if isinstance(value, bool):
        return word in {"closed", "two_way"}
    if isinstance(value, str):
        return word == "name"  # those of routes and areas are missed elsewhere then
    if value in ([], {}):
        lists, objects = {"obstacles", "walls", "holes", "crowds", "routes", "areas"}, {"spawn", "speed", "flocking"}
        return word in lists | objects | {"following", "weights"} or (word == "heroes" and value == [])
    if value == [[]]:
        return word in {"routes", "areas"}
    if value == 1e300:  # no place on Earth, but as good a weight, rate or speed as any
        return not word.startswith(("x[", "y[", "yaw[", "frames", "points", "outline", "holes", "walls", "bounds"))
    return False


@given(st.sampled_from(KEYS), st.sampled_from(KEYS))
def test_two_faults_are_both_told(one, other):
    if one.startswith(other) or other.startswith(one):
        return
    data = corrupted(one, rename)
    for spot, holder, key in walk(data):
        if spot == other:
            rename(holder, key)
            break
    assert set(places(data)) == {f"{one}_x", f"{other}_x"}


def test_faults_of_structure_and_of_meaning_are_told_together_in_the_order_of_the_file():
    data = copy.deepcopy(FULL)
    data["fps"] = -1
    data["obstacles"][0]["outline"] = [[8, 8], [10, 10], [10, 8], [8, 10]]
    data["obstacles"][1]["colour"] = "red"
    data["walls"].append([[1, 1], ["a", math.nan], [math.nan, 2]])
    data["routes"][0]["points"] = [[0, 0]]
    data["crowds"][0]["route"] = "Pth"
    data["crowds"][1]["count"] = -5
    data["crowds"][2]["agents"][0]["goal"] = "there"
    data["crowds"][3]["name"] = "Walkers"
    assert places(data) == [
        "fps",
        "obstacles[0].outline",
        "obstacles[1].colour",
        "walls[1][1][0]",
        "walls[1][1][1]",
        "walls[1][2][0]",
        "routes[0].points",
        "crowds[0].route",
        "crowds[1].count",
        "crowds[2].agents[0].goal",
        "crowds[3].name",
    ]


def test_messages_are_one_line_and_short_whatever_is_in_the_file():
    deep = value = []
    for _ in range(200):
        value.append([])
        value = value[0]
    for wrong in (deep, "x\n" * 5000, {"k\n" * 50: deep}, list(range(300)), 10**300):
        for place in ALL_PLACES:
            for spot, message in faults_of(corrupted(place, put(wrong))):
                assert "\n" not in spot + message
                assert len(message) < 600


def test_a_thousand_bad_points_are_counted_not_listed():
    data = corrupted("routes[1].points", put([["x", 0]] * 1000))
    found = faults_of(data)
    assert len(found) == 11
    assert found[-1] == ("routes[1].points", "and 990 more points that cannot be read")
    found = faults_of(corrupted("routes[1].points", put([[math.nan, 0]] * 1000)))
    assert len(found) == 11
    assert "990 more" in found[-1][1]


def test_agents_give_the_count():
    data = copy.deepcopy(FULL)
    assert scene_from_json(data).crowds[2].count == 1
    data["crowds"][2]["count"] = 1
    assert faults_of(data) == []
    data["crowds"][2]["count"] = 3
    assert places(data) == ["crowds[2].count"]


def test_numbers_are_read_as_json_means_them():
    data = copy.deepcopy(FULL)
    data["frames"] = [1.0, 250.0]
    data["crowds"][0]["count"] = 3.0
    scene = scene_from_json(data)
    assert scene.frames == (1, 250)
    assert isinstance(scene.crowds[0].count, int)
    data["crowds"][0]["count"] = 3.5
    assert faults_of(data) == [("crowds[0].count", "must be a whole number, got 3.5")]


def test_points_may_be_given_without_height():
    points = scene_from_json(FULL).routes[1].points
    np.testing.assert_array_equal(points, [[0, 1, 0], [20, 2, 0], [30, 1, 0]])


def test_coordinates_of_a_map_projection_are_sound():
    data = copy.deepcopy(FULL)
    del data["bounds"]
    for section in ("routes", "areas"):
        for thing in data[section]:
            for point in thing.get("points", thing.get("outline")):
                point[0] += 1e6
                point[1] -= 1e6
    assert faults_of(data) == []


# ---------------------------------------------------------------------------------------------------- round trip

finite = st.floats(-9e7, 9e7, allow_nan=False)
positive = st.floats(1e-6, 1e6, exclude_min=True)
text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8)


@st.composite
def outlines(draw):
    """Convex, hence simple: points on a circle, in either direction."""
    count = draw(st.integers(3, 8))
    angles = np.arange(count) * (2 * np.pi / count) + draw(st.floats(0, 6))
    ring = draw(finite) / 2 + draw(st.floats(1.0, 1e6)) * np.stack((np.cos(angles), np.sin(angles)), axis=1)
    return ring[:: draw(st.sampled_from([1, -1]))]


@st.composite
def motions(draw):
    frames = sorted(draw(st.sets(st.integers(-1000, 1000), min_size=1, max_size=5)))
    x, y, yaw = (draw(arrays.arrays(np.float64, len(frames), elements=finite)) for _ in range(3))
    return Motion(np.array(frames, dtype=np.float64), x, y, yaw)


@st.composite
def heroes(draw, name):
    motion = draw(motions())
    return Hero(name, draw(positive), Track(motion.frames, motion.x, motion.y))


@st.composite
def lines(draw, columns):
    points = draw(arrays.arrays(np.float64, (draw(st.integers(1, 5)), columns), elements=finite))
    return np.concatenate([points, -points[:1] + 0.5])


spawns = st.builds(Spawn, st.sampled_from(["at_once", "spread", "flow"]), positive, st.floats(0, 10))
speeds = st.builds(Speed, positive, st.floats(0, 1))
flockings = st.builds(Flocking, *[st.floats(0, 10)] * 3, positive)
shares, factors = st.floats(0, 1), st.floats(0.01, 100)
weights = st.builds(PlanWeights, *[factors] * 6)
followings = st.builds(Following, shares, shares, shares, st.sampled_from(["left", "right", "none"]), weights)
pairs = st.tuples(finite, finite)
agents = st.builds(Agent, pairs, pairs, st.none() | positive, st.none() | positive)
radii = st.tuples(positive, positive).map(sorted).map(tuple)


@st.composite
def crowds(draw, name, routes):
    common = {
        "name": name,
        "spawn": draw(spawns),
        "radius": draw(radii),
        "speed": draw(speeds),
        "flocking": draw(st.none() | flockings),
        "groups": draw(st.sampled_from([(1, 1), (1, 3), (2, 2)])),
        "following": draw(st.just(Following()) | followings),
        "arrival": draw(st.sampled_from([None, "stop", "leave"])),
    }
    if routes and draw(st.booleans()):
        kind = draw(st.sampled_from(["pedestrian", "vehicle"]))
        own = {"length": draw(positive), "time_headway": draw(st.floats(0, 9))} if kind == "vehicle" else {}
        return Crowd(kind=kind, count=draw(st.integers(0, 1000)), route=draw(st.sampled_from(routes)), **own, **common)
    people = tuple(draw(st.lists(agents, min_size=1, max_size=3)))
    return Crowd(agents=people, count=len(people), **common)


@st.composite
def scenes(draw):
    def named(make):
        return tuple(make(name) for name in draw(st.lists(text, max_size=3, unique=True)))

    first, length = draw(st.integers(-1000, 1000)), draw(st.integers(0, 1000))
    routes = named(lambda name: Route(name, draw(lines(3)), draw(st.booleans()), draw(positive)))
    moving = named(lambda name: Obstacle(name, draw(outlines()), (), draw(motions())))
    names = [route.name for route in routes]
    return Scene(
        fps=draw(st.floats(0.1, 1e4)),
        frames=(first, first + length),
        seed=draw(st.integers(0, 2**64)),
        bounds=draw(st.none() | outlines()),
        obstacles=moving,
        walls=tuple(draw(st.lists(lines(2), max_size=2))),
        routes=routes,
        crowds=named(lambda name: draw(crowds(name, names))),
        heroes=named(lambda name: draw(heroes(name))),
    )


def assert_same(one, other):
    """Equal to the last bit, whatever is nested in what."""
    assert type(one) is type(other)
    if isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        assert one.tobytes() == other.tobytes()
    elif isinstance(one, tuple):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            assert_same(a, b)
    elif hasattr(one, "__dataclass_fields__"):
        for name in one.__dataclass_fields__:
            assert_same(getattr(one, name), getattr(other, name))
    else:
        assert one == other


@given(scenes())
def test_what_is_written_is_read_again_to_the_last_bit(scene):
    data = scene_to_json(scene)
    assert_same(scene, scene_from_json(json.loads(json.dumps(data))))


@settings(max_examples=30)
@given(scenes())
def test_a_scene_through_a_file_stays_the_same_and_gives_the_same_bytes(tmp_path_factory, scene):
    folder = tmp_path_factory.mktemp("scene")
    save_scene(scene, folder / "one.json")
    again = load_scene(folder / "one.json")
    assert_same(scene, again)
    save_scene(again, folder / "two.json")
    assert (folder / "one.json").read_bytes() == (folder / "two.json").read_bytes()


def test_the_full_scene_comes_back_from_a_file(tmp_path):
    scene = scene_from_json(FULL)
    save_scene(scene, tmp_path / "scene.json")
    assert_same(scene, load_scene(tmp_path / "scene.json"))
    written = json.loads((tmp_path / "scene.json").read_text())
    assert "length" not in written["crowds"][0]
    assert written["crowds"][3]["length"] == 4.0


def test_numpy_numbers_in_a_scene_can_be_written():
    crowd = Crowd(
        "a",
        radius=(np.float32(0.25), np.float32(0.5)),
        agents=(Agent((np.float32(0.5), np.int64(1)), (np.float64(2), 3)),),
    )
    data = json.loads(json.dumps(scene_to_json(Scene(crowds=(crowd,)))))
    assert data["crowds"][0]["agents"][0]["start"] == [0.5, 1]
    assert data["crowds"][0]["radius"] == [0.25, 0.5]


# ---------------------------------------------------------------------------------------------------- files

WRONG_FILES = {
    "empty": (b"", "not JSON"),
    "cut off": (b'{"footfall_scene": 1,', "not JSON: .*line"),
    "trailing comma": (b'{"fps": 24,\n}', "not JSON: .*line"),
    "Latin-1": ('{"name": "Straße"}'.encode("latin-1"), "not UTF-8"),
    "UTF-16": ('{"name": "a"}'.encode("utf-16"), "not UTF-8"),
    "deep": (b"[" * 100_000 + b"]" * 100_000, "nested too deeply"),
    "a list": (b"[1, 2]", "must be an object"),
    "a number": (b"3", "must be an object"),
    "null": (b"null", "must be an object"),
}


@pytest.mark.parametrize("what", WRONG_FILES)
def test_what_is_no_scene_file_is_told(tmp_path, what):
    content, message = WRONG_FILES[what]
    path = tmp_path / "scene.json"
    path.write_bytes(content)
    with pytest.raises(SceneError, match=message) as caught:
        load_scene(path)
    assert len(caught.value.faults) == 1


def test_a_missing_file_and_a_folder_are_told_by_name(tmp_path):
    with pytest.raises(SceneError, match=r"nowhere\.json.*no such file"):
        load_scene(tmp_path / "nowhere.json")
    with pytest.raises(SceneError, match="is a folder"):
        load_scene(tmp_path)
    with pytest.raises(SceneError, match="cannot be read"):
        load_scene("a\0b")


def test_literals_that_json_has_not_and_endless_numbers_are_told_with_their_place(tmp_path):
    text = json.dumps(FULL).replace('"fps": 23.976', '"fps": NaN').replace('"seed": 7', '"seed": ' + "9" * 5000)
    text = text.replace('"headway": 0.25', '"headway": -Infinity').replace('"sd": 0.1', '"sd": 1e999')
    path = tmp_path / "scene.json"
    path.write_text(text)
    with pytest.raises(SceneError) as caught:
        load_scene(path)
    found = {fault.place: fault.message for fault in caught.value.faults}
    assert found == {
        "fps": "must be a finite number, got nan",
        "seed": "must be a whole number, got inf",
        "crowds[0].spawn.headway": "must be a finite number, got -inf",
        "crowds[0].speed.sd": "must be a finite number, got inf",
    }


def test_a_key_that_stands_twice_is_told(tmp_path):
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(FULL).replace('"count": 100', '"count": 100, "count": 10'))
    with pytest.raises(SceneError, match=r"crowds\[0\]\.count: stands there more than once"):
        load_scene(path)


def test_a_byte_order_mark_is_no_fault(tmp_path):
    path = tmp_path / "scene.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(FULL).encode())
    assert load_scene(path).seed == 7


def test_a_scene_that_cannot_be_written_leaves_the_old_one(tmp_path):
    scene = scene_from_json(FULL)
    with pytest.raises(FootfallError, match="no folder"):
        save_scene(scene, tmp_path / "none" / "scene.json")
    with pytest.raises(FootfallError, match="is a folder"):
        save_scene(scene, tmp_path)
    assert list(Path(tmp_path).iterdir()) == []


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["", "Path", "loop", "vehicle", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "mean", "k"]), inner, max_size=2)
    ),
    max_leaves=6,
)


@settings(max_examples=300)
@given(st.lists(st.tuples(st.sampled_from(ALL_PLACES), anything), min_size=1, max_size=4))
def test_whatever_stands_in_a_file_is_read_or_told(changes):
    data = copy.deepcopy(FULL)
    for place, value in changes:
        for spot, holder, key in walk(data):
            if spot == place:
                holder[key] = value
                break
    for place, message in faults_of(data):
        assert place
        assert message
