# SPDX-License-Identifier: GPL-3.0-or-later
"""A crowd that gets another name stays the same people if the scene says what it is known as."""

from dataclasses import fields, replace

import numpy as np
import pytest

from core import SceneError
from core.scene import VEHICLE, Crowd, Route, Scene, Spawn, Speed
from core.scene.file import scene_from_json, scene_to_json
from core.simulation import simulate

from ..runs import differences, run

pytestmark = pytest.mark.once

WAY = Route("Way", np.array([[0.0, 0.0, 0.0], [40.0, 0.0, 0.0]]), width=3.0)
ROAD = Route("Road", np.array([[0.0, 9.0, 0.0], [90.0, 9.0, 0.0]]), lanes=1)


def street(name: str, known_as: str = "") -> Scene:
    people = Crowd(
        name, count=6, route="Way", spawn=Spawn("flow", 1.5), speed=Speed(sd=0.2), groups=(1, 3), known_as=known_as
    )
    cars = Crowd(f"{name} cars", VEHICLE, count=3, route="Road", known_as=known_as and f"{known_as} cars")
    return Scene(frames=(1, 60), routes=(WAY, ROAD), crowds=(people, cars))


def test_its_people_and_vehicles_move_as_before() -> None:
    first, renamed, others = (simulate(scene) for scene in (street("A"), street("B", "A"), street("B")))
    assert renamed.crowd_names == ("B", "B cars")
    arrays = [field.name for field in fields(first) if isinstance(getattr(first, field.name), np.ndarray)]
    for name in arrays:
        assert getattr(first, name).tobytes() == getattr(renamed, name).tobytes(), name
    assert others.position.tobytes() != first.position.tobytes()


def test_they_are_not_simulated_again() -> None:
    first = run(street("A"), remembers=True)
    renamed = run(street("B", "A"), earlier=first)
    assert renamed.taken_over == 60
    assert differences(renamed, run(street("B", "A"))) == []
    assert renamed.result().digest() == first.result().digest()
    assert run(street("B"), earlier=first).taken_over == 0


def test_the_scene_file_says_so_where_it_matters() -> None:
    scene = street("B", "A")
    told = scene_to_json(scene)
    assert scene_from_json(told).crowds[0].identity == "A"
    assert "known_as" not in scene_to_json(street("A"))["crowds"][0]


@pytest.mark.parametrize("known_as", [0, 3, "\ud800"])
def test_what_no_file_can_keep_is_refused(known_as: str) -> None:
    scene = street("B")
    with pytest.raises(SceneError, match="known_as"):
        replace(scene, crowds=(replace(scene.crowds[0], known_as=known_as),))


def test_no_two_crowds_draw_the_same_lots() -> None:
    scene = street("B")
    with pytest.raises(SceneError, match=r"crowds\[1\].known_as: 'B' is what crowds\[0\] is known as already"):
        replace(scene, crowds=(scene.crowds[0], replace(scene.crowds[1], known_as="B")))
