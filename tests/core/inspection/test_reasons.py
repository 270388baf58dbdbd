# SPDX-License-Identifier: GPL-3.0-or-later
"""Why somebody does what it does, at moments whose reason is plain."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from core.inspection.reasons import Doing, explain
from core.inspection.replay import Replay
from core.scene import Agent, Crowd, Motion, Obstacle, Route, Scene, Speed
from core.simulation import simulate

pytestmark = pytest.mark.once

BOX = np.array([[-0.2, -4.0], [0.2, -4.0], [0.2, 4.0], [-0.2, 4.0]])
ROOM = np.array([[-1.0, -4.0], [11.0, -4.0], [11.0, 4.0], [-1.0, 4.0]])


def replayed(scene):
    made = simulate(scene)
    return Replay(scene, made.position, made.reasons_of_people())


def why(scene, agent, frame):
    replay = replayed(scene)
    return explain(replay, agent, replay.moment(frame))


def alone(goal, frames, **more):
    crowd = Crowd("One", count=1, agents=(Agent((0.0, 0.0), goal),), speed=Speed(1.3, 0.0))
    return Scene(frames=(1, frames), crowds=(crowd,), **more)


def test_who_is_alone_walks_and_has_a_way_left():
    found = why(alone((9.0, 0.0), 48), 0, 40)
    assert (found.doing, found.because_of, found.no_way) == (Doing.WALKING, None, "")
    assert found.speed == pytest.approx(1.3, abs=0.05)
    assert 6.0 < found.way_left < 8.5
    assert found.wish == pytest.approx([1.3, 0.0], abs=0.05)


def test_who_is_there_has_arrived():
    assert why(alone((2.0, 0.0), 96), 0, 96).doing is Doing.ARRIVED


def test_who_stands_before_a_closed_door_waits_for_it_and_is_told_where_it_is():
    shut = Motion(np.array([1.0, 150.0, 170.0]), np.full(3, 5.0), np.array([0.0, 0.0, 20.0]), np.zeros(3))
    scene = alone((10.0, 0.0), 200, bounds=ROOM, obstacles=(Obstacle("Door", BOX, (), shut),))
    found = why(scene, 0, 130)
    assert found.doing is Doing.WAITING
    assert found.place == pytest.approx([4.8, 0.0], abs=0.4)


def test_who_has_no_way_is_told_why():
    found = why(alone((10.0, 0.0), 150, bounds=ROOM, obstacles=(Obstacle("Wall", BOX + np.array([5.0, 0.0])),)), 0, 140)
    assert found.doing is Doing.NO_ROUTE
    assert found.no_way


def test_two_who_cross_make_way_for_each_other():
    crowd = Crowd("Two", count=2, agents=(Agent((0, 0), (9, 0)), Agent((4.5, -4.5), (4.5, 4.5))), speed=Speed(1.3, 0.0))
    scene = Scene(frames=(1, 140), crowds=(crowd,))
    replay = replayed(scene)
    seen = [explain(replay, 0, replay.moment(frame)) for frame in range(4, 100, 4)]
    making_way = [each for each in seen if each.doing is Doing.MAKING_WAY]
    assert making_way
    assert all(each.because_of == 1 for each in making_way)


def test_where_nothing_is_recorded_nothing_is_guessed():
    scene = alone((9.0, 0.0), 48)
    replay = Replay(scene, simulate(scene).position)
    found = explain(replay, 0, replay.moment(40))
    assert (found.doing, found.because_of, found.wish) == (None, None, None)
    assert 6.0 < found.way_left < 8.5


def test_what_is_explained_is_what_is_recorded():
    agents = tuple(Agent((x, y), (10.0 - x, 0.0)) for x in (0.0, 1.0, 9.0, 10.0) for y in (-0.6, 0.0, 0.6))
    scene = Scene(frames=(1, 72), crowds=(Crowd("Meeting", count=12, agents=agents),))
    made = simulate(scene)
    replay = Replay(scene, made.position, made.reasons_of_people())
    for frame in (1, 20, 40, 72):
        for agent in range(0, 12, 3):
            found = explain(replay, agent, replay.moment(frame))
            assert found.doing == made.doing[frame - 1, agent]
            assert (-1 if found.because_of is None else found.because_of) == made.because_of[frame - 1, agent]
            assert made.doing_names[found.doing]


def test_reasons_of_people_are_numbered_without_vehicles():
    road = Route("Road", np.array([[0.0, 30.0, 0.0], [60.0, 30.0, 0.0]]), lanes=1)
    pair = (Agent((0.0, 0.0), (9.0, 0.0)), Agent((9.0, 0.1), (0.0, 0.1)))
    crowds = (Crowd("Cars", kind="vehicle", count=2, route="Road"), Crowd("Pair", count=2, agents=pair))
    made = simulate(Scene(frames=(1, 100), routes=(road,), crowds=crowds))
    of_people = made.reasons_of_people()
    assert set(made.because_of[:, 2:].ravel().tolist()) == {-1, 2, 3}
    np.testing.assert_array_equal(
        of_people.because_of, np.where(made.because_of[:, 2:] < 0, -1, made.because_of[:, 2:] - 2)
    )
    np.testing.assert_array_equal(of_people.doing, made.doing[:, 2:])


def test_the_page_on_scene_files_shows_how_it_is_asked(tmp_path, monkeypatch, capsys):
    page = (Path(__file__).parents[3] / "docs" / "scene_file.md").read_text(encoding="utf-8")
    [code] = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    road = {"name": "Road", "points": [[0, 30], [60, 30]], "lanes": 1}
    cars = {"name": "Cars", "kind": "vehicle", "count": 2, "route": "Road"}
    path = {"name": "Path", "points": [[0, 0], [20, 0]], "width": 1.0}
    walkers = {"name": "Walkers", "count": 4, "route": "Path", "speed": {"mean": 1.3, "sd": 0.0}}
    told = {"footfall_scene": 1, "frames": [1, 60], "routes": [road, path], "crowds": [cars, walkers]}
    (tmp_path / "scene.json").write_text(json.dumps(told), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(code, names)
    assert names["found"].speed == pytest.approx(1.3, abs=0.1)
    assert capsys.readouterr().out == "WALKING None \n"
