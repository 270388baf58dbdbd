# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes through files: what is read is what was written, to the last bit."""

import json

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from core import load_scene, save_scene
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
from core.scene.file import scene_from_json, scene_to_json

from .full_scene import FULL

finite = st.floats(-9e7, 9e7, allow_nan=False)
positive = st.floats(1e-6, 100.0, exclude_min=True)
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


spawns = st.builds(Spawn, st.sampled_from(["at_once", "spread", "flow"]), positive, st.floats(0, 10), st.floats(0, 10))
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


@settings(max_examples=50)
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
    written = json.loads((tmp_path / "scene.json").read_text(encoding="utf-8"))
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
