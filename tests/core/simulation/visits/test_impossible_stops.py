# SPDX-License-Identifier: GPL-3.0-or-later
"""The report names stops that cannot be made, with a way out, and people walk on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.trajectories import Trajectories

from ..runs import run
from ..stop_scenes import scene

pytestmark = pytest.mark.once

SHOP = {"name": "Shop", "outline": [[8, 3.5], [12, 3.5], [12, 5], [8, 5]]}
SPOT = {"name": "Spot", "points": [[9.0, 2.0]]}
SEAT = SPOT | {"headings": [-1.6]}
YARD = {"name": "Yard", "outline": SHOP["outline"], "holes": [[[9, 4], [11, 4], [11, 4.8], [9, 4.8]]]}
GATHER = {"name": "Meet", "when": {"what": "frame", "frames": [21]}, "then": "gather", "to": "Spot"}
ENTER = GATHER | {"name": "Enter", "then": "leave", "to": "Shop"}
HALL = {"name": "Spot", "outlines": [SHOP["outline"]]}


WRONG: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"places": [SPOT | {"points": [[9, 4]]}]}, {}, "'Spot' lies in an obstacle or outside the bounds, and nobody"),
    (
        {"places": [SPOT | {"points": [[30, 2]]}]},
        {},
        "'Spot' lies in an obstacle or outside the bounds, and nobody",
    ),
    (
        {"places": [{"name": "Spot", "lines": [[[9, 2], [10, 2]]]}]},
        {"do": "queue", "duration": {"mean": 60}},
        "found the queue at the stop 'Spot' full and walked on. It has room for 2, as its line ends or meets an",
    ),
    (
        {"places": [SPOT | {"headings": [1.57]}]},
        {"do": "queue", "duration": {"mean": 60}},
        "found the queue at the stop 'Spot' full and walked on. It has room for 2, as its line ends or meets an",
    ),
    (
        {"places": [SPOT | {"headings": [0.0]}]},
        {"do": "queue", "room": 2, "duration": {"mean": 60}},
        "2 of 4 found the queue at the stop 'Spot' full and walked on. Give it more room, or shorten the time.",
    ),
    (
        {"places": [SPOT | {"points": [[10, 4.5]]}], "obstacles": [YARD]},
        {},
        "have no route to the stop 'Spot' and walked on. ",
    ),
    (
        {"places": [SEAT | {"points": [[10, 4.8]]}], "obstacles": [YARD]},
        {"do": "sit"},
        "have no route to the stop 'Spot' and walked on. ",
    ),
    (
        {"places": [SEAT | {"points": [[10, 4.2]]}]},
        {"do": "sit"},
        "'Spot' has no free ground before or beside its seats",
    ),
    (
        {"places": [SEAT]},
        {"do": "sit", "duration": {"mean": 60, "sd": 0}},
        "3 of 4 found no room at the stop 'Spot' and walked on. Add seats, leave free ground before or beside those",
    ),
    (
        {"places": [HALL], "crowds": [{"name": "Guests", "place": "Spot", "count": 3}]},
        {},
        "Guests: 3 of 3 are not there: 'Spot' has room for 0 people beside obstacles. Lower Count, or enlarge it",
    ),
    (
        {"places": [SEAT], "crowds": [{"name": "Sitters", "place": "Spot", "count": 2, "activities": ["sit"]}]},
        {"do": "sit"},
        "Sitters: 1 of 2 are not there: 'Spot' has 1 seat. Lower Count, or give it more of them.",
    ),
    ({"places": [SPOT | {"points": [[9, 4]]}]}, {"known_as": "Kiosk"}, "the stop 'Kiosk' lies in an obstacle"),
    ({"places": [SPOT | {"points": [[9, 4]]}], "triggers": [GATHER]}, {"share": 0.0}, "Meet: the stop 'Spot' lies"),
    ({"places": [SPOT], "areas": [SHOP], "triggers": [ENTER]}, {"share": 0}, "Enter: its place 'Shop' lies in"),
]
STREETS_APART = 40.0  # [m]
SHAPES = ("points", "lines", "outline", "outlines", "holes")


def aside(shape: list[Any], number: int) -> list[Any]:
    """Places, or lists of them, of one of several streets beside each other."""
    if isinstance(shape[0], list):
        return [aside(each, number) for each in shape]
    return [shape[0], shape[1] + STREETS_APART * number]


def of_street(thing: dict[str, Any], number: int) -> dict[str, Any]:
    """A place, an obstacle or an area of a street, with a name of its own."""
    shapes = {key: aside(thing[key], number) for key in SHAPES if key in thing}
    return {**thing, **shapes, "name": f"{thing['name']} {number}"}


@pytest.fixture(scope="module")
def streets() -> Trajectories:
    """All that is wrong, each on a street of its own, so that nobody sees anybody of another one."""
    kinds = ("places", "obstacles", "areas", "routes", "crowds", "triggers")
    data: dict[str, list[dict[str, Any]]] = {kind: [] for kind in kinds}
    for number, (others, stop, _) in enumerate(WRONG):
        for kind in ("places", "obstacles", "areas"):
            data[kind] += [of_street(each, number) for each in others.get(kind, [SHOP] if kind == "obstacles" else [])]
        data["routes"].append({"name": f"Path {number}", "points": aside([[0, 0], [20, 0]], number), "width": 2.0})
        walkers = {"name": f"Walkers {number}", "route": f"Path {number}", "count": 4, "arrival": "leave"}
        walkers |= {"stops": [{"place": f"Spot {number}"} | stop], "spawn": {"mode": "flow", "rate": 2.0}}
        data["crowds"] += [walkers, *({**each, "place": f"Spot {number}"} for each in others.get("crowds", []))]
        for each in others.get("triggers", []):
            data["triggers"].append({**each, "to": f"{each['to']} {number}", "crowds": [walkers["name"]]})
    top = STREETS_APART * len(WRONG)
    bounds = [[-3, -8], [24, -8], [24, top], [-3, top]]
    return run(scene({}, data.pop("places"), frames=290, bounds=bounds, **data)).result()


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_what_cannot_be_done_is_told_with_its_name_and_a_way_out_and_people_walk_on(streets, number) -> None:
    message = WRONG[number][2]
    for name in ("Spot", "Shop"):
        message = message.replace(f"'{name}'", f"'{name} {number}'")
    told = [notice for notice in streets.notices if message in notice]
    assert told, streets.notices
    assert told[0].count(". ") >= 1
    walkers = np.flatnonzero(streets.crowd == streets.crowd_names.index(f"Walkers {number}"))
    assert np.sort(np.nanmax(streets.position[:, walkers, 0], axis=0))[-2] > 10.0  # others stay where they are served


@pytest.mark.parametrize(("spawn", "is_told"), [("at_once", True), ("spread", False)])
def test_those_who_start_beyond_a_stop_are_reported_unless_they_are_spread_along_the_path(spawn, is_told) -> None:
    crowd = {"count": 12, "spawn": {"mode": spawn}, "stops": [{"place": "Spot"}]}
    made = run(scene(crowd, [{"name": "Spot", "points": [[2.0, 2.0]]}], frames=2)).result()
    beyond = int((made.position[0, :, 0] > 2.5).sum())
    assert beyond >= 3
    told = f"Walkers: {beyond} of 12 start beyond the stop 'Spot' and do not visit it. Move it farther along the path."
    assert (told in made.notices) == is_told, made.notices
