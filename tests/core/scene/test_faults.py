# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults of scene files: every one is told, once, with its place."""

import copy
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.scene.file import scene_from_json
from tests.sweeps import sweep

from .full_scene import ALL_PLACES, FULL, KEYS, REQUIRED, WAYS, corrupted, faults_of, places, put, rename, walk

pytestmark = pytest.mark.once


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
    elif place in {"routes", "areas", "places", "marks", "crowds"}:
        assert found
        assert all(spot.startswith(("crowds", "triggers")) for spot in found)
    elif place == "places[1].points":
        assert found == ["places[1].headings", "places[1].heights", "places[1].objects", "places[1]"]
    elif place == "places[1].headings":
        assert found == ["crowds[1].stops[1].do"]  # which is to queue
    elif place == "routes[0].closed":
        assert found == ["crowds[0].arrival"]  # which goes round a closed route
    elif place == "crowds[3].kind":
        assert found == ["crowds[3].avoidance"]  # which is of vehicles
    else:
        assert found == []


@pytest.mark.parametrize(
    ("place", "absurd", "most"),
    [
        ("routes[0].width", 5000.0, "1000"),
        ("routes[0].lanes", 17, "16"),
        ("routes[0].lane_width", 2000.0, "1000"),
        ("crowds[0].count", 2_000_000, "1000000"),
        ("crowds[0].radius", 150.0, "100"),
        ("crowds[0].speed.mean", 3e4, "300"),
        ("crowds[0].spawn.rate", 1e6, "1000"),
        ("crowds[3].length", 5000.0, "1000"),
        ("crowds[3].turning_radius", 1e7, "100"),
    ],
)
def test_a_number_that_no_scene_needs_is_refused_with_the_most_that_may_be(place, absurd, most):
    assert faults_of(corrupted(place, put(absurd))) == [(place, f"must not be above {most}, got {absurd}")]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (-0.5, "must not be negative, got -0.5"),
        (math.nan, "must be a finite number, got nan"),
        (math.inf, "must be a finite number, got inf"),
        ("later", "must be a number, got 'later'"),
        ([1], "must be a number, got [1]"),
        (None, "must not be null; remove the key"),
    ],
)
def test_a_time_of_entry_that_is_none_is_refused(wrong, message):
    place = "crowds[2].agents[0].enters"
    assert faults_of(corrupted(place, put(wrong))) == [(place, message)]


WRONG = ["7", True, None, math.nan, math.inf, 1e300, -(10**400), {}, [], [[]], {"a": 1}]
SOME = [(wrong, ALL_PLACES[number :: len(WRONG)]) for number, wrong in enumerate(WRONG)]


# Every value, and every place once; each at every place in a thorough run.
@pytest.mark.parametrize(
    ("wrong", "tried"), sweep([*SOME, *((wrong, ALL_PLACES) for wrong in WRONG)], usual=len(WRONG))
)
def test_a_value_of_the_wrong_kind_is_the_one_fault(wrong, tried):
    for place in tried:
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
        return word in {"name", "clip", "known_as"}  # those of routes and areas are missed elsewhere then
    if value in ([], {}):
        lists, objects = {"obstacles", "walls", "holes", "crowds", "routes", "areas"}, {"spawn", "speed", "flocking"}
        lists |= {"stops", "places", "activities", "marks", "triggers"}
        lists |= {"lines", "outlines", "points", "headings", "heights"} if place[:6] == "places" else set()
        objects |= {"following", "weights", "duration", "awaits", "when", "delay"}
        lists |= {"frames"} if place.startswith("triggers") else set()
        return word in lists | objects or (word == "heroes" and value == [])
    if value == [[]]:
        return place in {"routes", "areas", "places", "marks", "crowds"}
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


@pytest.mark.parametrize("apart", sweep([10, 2], usual=1))
def test_messages_are_one_line_and_short_whatever_is_in_the_file(apart):
    """Half the places of a file hold one of five wrong values; in a thorough run, each holds two or three of them."""
    deep = value = []
    for _ in range(200):
        value.append([])
        value = value[0]
    for number, wrong in enumerate((deep, "x\n" * 5000, {"k\n" * 50: deep}, list(range(300)), 10**300)):
        for place in ALL_PLACES[number % apart :: apart]:
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
