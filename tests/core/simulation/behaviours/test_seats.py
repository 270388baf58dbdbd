# SPDX-License-Identifier: GPL-3.0-or-later
"""Seats of any height: who sits on the ground, whose feet are where, and triggers while people are at their seats."""

from __future__ import annotations

import numpy as np
import pytest

from core.scene.file import scene_from_json
from core.simulation.places.seats import floors_under, seat_heights
from core.simulation.settings.stop_settings import SeatSettings
from core.simulation.world.doing import Doing
from core.trajectories import Trajectories
from tests.sweeps import sweep

from ..runs import run
from ..stop_scenes import scene

SEAT = {"name": "Stool", "points": [[6.0, 2.0]], "headings": [-0.5 * np.pi], "heights": [0.4]}
PERSON = {
    "agents": [{"start": [2.0, 0.0], "goal": [12.0, 0.0]}],
    "stops": [{"place": "Stool", "do": "sit", "duration": {"mean": 3.0, "sd": 0.0}}],
}


def shown_sitting(made: Trajectories) -> np.ndarray:
    return np.flatnonzero(np.isfinite(made.seat_height[:, 0]))


def test_a_seat_is_as_high_as_given_but_not_under_the_ground() -> None:
    given, ground = np.array([0.3, 0.05, -0.2, np.nan]), np.array([0.0, 0.0, 0.1, 1.0])
    assert seat_heights(given, ground, SeatSettings()) == pytest.approx([0.3, 0.05, 0.1, 1.45])


@pytest.mark.parametrize(
    ("heights", "ground", "floors"),
    [
        ([0.4, 0.42], 0.0, [0.0, 0.0]),  # a bench on the ground
        ([0.45, 0.85], 0.0, [0.0, 0.4]),  # the first two rows of a stand
        ([0.3, 0.7], 0.0, [0.0, 0.25]),  # no foot under the ground
        ([3.5, 3.5], 0.0, [3.05, 3.05]),  # a gallery
        ([1.4], 1.0, [1.0]),  # a stool on a hill
        ([np.nan], 1.0, [np.nan]),
    ],
)
def test_feet_of_bystanders_are_on_the_ground_or_on_the_stand(heights, ground, floors) -> None:
    found = floors_under(np.array(heights), np.full(len(heights), ground), SeatSettings())
    assert found == pytest.approx(floors, nan_ok=True)


def test_on_a_seat_on_the_ground_people_sit_on_the_ground_and_the_report_says_so() -> None:
    told = "'Stool' is on the ground, and people sit on the ground there. Raise it to the height of a seat."
    made = run(scene(PERSON, [SEAT | {"heights": [0.0]}], frames=120)).result()
    sits = shown_sitting(made)
    assert len(sits)
    assert made.seat_height[sits, 0] == pytest.approx(np.zeros(len(sits)))
    assert f"Walkers: {told}" in made.notices
    crowd = {"name": "Guests", "place": "Stool", "count": 1, "activities": ["sit"]}
    data = {"footfall_scene": 1, "fps": 20, "frames": [1, 2], "places": [SEAT | {"heights": [0.0]}], "crowds": [crowd]}
    guests = run(scene_from_json(data)).result()
    assert (guests.seat_height[0, 0], guests.position[0, 0, 2]) == (0.0, 0.0)
    assert guests.notices == (f"Guests: {told}",)


@pytest.mark.parametrize("height", [0.85, 3.2])
def test_nobody_sits_high_above_the_ground_and_everybody_goes_on(height) -> None:
    people = PERSON | {"agents": [*PERSON["agents"], {"start": [0.0, 0.5], "goal": [12.0, 0.5]}]}
    made = run(scene(people, [SEAT | {"heights": [height]}], frames=440)).result()
    assert np.isfinite(made.seat_height).any() == (height < 1.0)
    assert (made.doing == Doing.SITTING).any() == (height < 1.0), "nor is it said"
    sits = made.activity == made.activity_names.index("sit")
    assert np.isfinite(made.seat_height[sits]).all(), "nobody is shown to sit on no seat"
    told = [each for each in made.notices if "above the ground" in each]
    assert (made.arrived_frame >= 0).all()
    assert len(told) == (height > 1.0)
    assert all("Walkers: seats of 'Stool' are up to 3.2 m" in each and "Lower them" in each for each in told)


def test_who_turns_to_something_before_or_on_a_seat_sits_as_the_seat_faces() -> None:
    calm = run(scene(PERSON, [SEAT], frames=200)).result()
    before = np.flatnonzero((calm.doing[:, 0] == Doing.SITTING) & np.isnan(calm.seat_height[:, 0]))
    first = int(shown_sitting(calm)[0])
    assert len(before)
    mark = {"name": "Bang", "motion": {"frames": [1], "x": [6.0], "y": [9.0]}}  # behind the seat
    trigger = {"name": "T", "then": "turn_to", "mark": "Bang", "duration": {"mean": 1.0, "sd": 0.0}}
    for frame in (int(before[0]) + 1, first + 40):  # while they turn their back to the seat, and while they sit
        when = {"what": "frame", "frames": [frame]}
        made = run(scene(PERSON, [SEAT], frames=260, marks=[mark], triggers=[trigger | {"when": when}])).result()
        sits = shown_sitting(made)
        assert (made.gaze[:, 0, 1] == 9.0).any()
        off = made.heading[sits[20:-20], 0] + 0.5 * np.pi
        assert len(off)
        assert np.abs(np.arctan2(np.sin(off), np.cos(off))).max() < np.radians(4.0)


@pytest.mark.thorough
def test_who_steps_to_their_seat_is_not_taken_along_by_who_comes_behind() -> None:
    """Three come to one bench within four seconds, two of them past the seats of others."""
    places = [
        {"name": "Window", "points": [[11.56, 3.9]]},
        {
            "name": "Bench",
            "points": [[16.257 + 0.55 * k, -2.851] for k in range(4)],
            "headings": [0.5 * np.pi] * 4,
            "heights": [0.45] * 4,
        },
    ]
    stops = [
        {"place": "Window", "do": "look_at", "duration": {"mean": 6.0, "sd": 2.0}, "share": 0.4},
        {"place": "Bench", "do": "sit", "duration": {"mean": 20.0, "sd": 8.0}, "share": 0.2},
    ]
    glass = {"name": "Shop", "outline": [[10, 3.9], [14, 3.9], [14, 4.1], [10, 4.1]]}
    bench = {"name": "Seat", "outline": [[15.8, -3.25], [18.2, -3.25], [18.2, -2.75], [15.8, -2.75]]}
    crowd = {"name": "Crowd", "count": 20, "route": "Path", "stops": stops}
    data = {"footfall_scene": 1, "fps": 24, "frames": [1, 600], "places": places, "obstacles": [glass, bench]}
    data |= {"routes": [{"name": "Path", "points": [[0, 0], [24, 0]], "width": 2.0}], "crowds": [crowd]}
    made = run(scene_from_json(data)).result()
    sitters = np.flatnonzero(np.isfinite(made.seat_height[-1]))
    assert len(sitters) == 4
    for agent in sitters:
        first = int(np.flatnonzero(made.doing[:, agent] == Doing.SITTING)[0])
        off = np.hypot(*(made.position[first:, agent, :2] - made.position[-1, agent, :2]).T)
        assert (off - np.minimum.accumulate(off)).max() < 0.1


def test_who_wants_to_sit_waits_until_nobody_stands_before_the_seat() -> None:
    """The first has stopped there for 12 s; the other comes from the same side, and waits beside them."""
    stops = [{"place": "Spot", "duration": {"mean": 12.0, "sd": 0.0}}]
    first = {"name": "First", "agents": [{"start": [6.0, 1.0], "goal": [14.0, 0.0]}], "stops": stops}
    bench = {"name": "Bench", "outline": [[5.0, 1.8], [7.0, 1.8], [7.0, 2.2], [5.0, 2.2]]}
    places = [SEAT, {"name": "Spot", "points": [[6.0, 1.45]]}]
    made = run(scene({}, places, frames=500, crowds=[first, {"name": "Second", **PERSON}], obstacles=[bench])).result()
    apart = np.hypot(*(made.position[:, 0, :2] - made.position[:, 1, :2]).T)
    assert (made.radius.sum() - np.nanmin(apart)) < 0.12
    sits = np.flatnonzero(np.isfinite(made.seat_height[:, 1]))
    stands = np.flatnonzero(made.doing[:, 0] == Doing.AT_STOP)
    assert len(stands) > 200
    assert stands[-1] < sits[0] < stands[-1] + 80


def square(x: float, y: float, half: float, name: str) -> dict[str, object]:
    corners = [[x - half, y - half], [x + half, y - half], [x + half, y + half], [x - half, y + half]]
    return {"name": name, "outline": corners}


@pytest.mark.parametrize(("apart", "seed"), sweep([(1.2, 0), (0.75, 1), (0.65, 0), (1.2, 3)], usual=2))
def test_on_a_terrace_who_sits_stays_as_they_are_and_others_find_another_way(apart, seed) -> None:
    """Also where chairs stand so close to their tables that people step in from beside them, and out again."""
    tables = [(x, y) for x in (0.0, 4.5, 9.0) for y in (1.0, 4.2)]
    angles = 0.5 * np.pi * np.arange(4)
    ways = np.column_stack((np.cos(angles), np.sin(angles)))
    hips = np.concatenate([np.array(table) + apart * ways for table in tables])
    chairs = {
        "name": "Chairs",
        "points": hips.tolist(),
        "headings": np.tile(angles + np.pi, len(tables)).tolist(),
        "heights": [0.45] * len(hips),
    }
    areas = [square(-6.0, -3.5, 1.2, "West"), square(14.0, -3.5, 1.2, "East")]
    guests = {
        "start": "West",
        "goal": "East",
        "count": 14,
        "spawn": {"mode": "flow", "rate": 0.7},
        "stops": [{"place": "Chairs", "do": "sit", "duration": {"mean": 14.0, "sd": 8.0}}],
    }
    obstacles = [square(*table, 0.4, f"Table {k}") for k, table in enumerate(tables)]
    obstacles += [square(*chair, 0.21, f"Chair {k}") for k, chair in enumerate(hips.tolist())]
    made = run(scene(guests, [chairs], frames=800, seed=seed, obstacles=obstacles, areas=areas)).result()
    sits = made.activity == made.activity_names.index("sit")
    assert sits.any(axis=0).sum() >= 12, "nobody is kept from their chair"
    for person in range(14):
        whole = np.flatnonzero(sits[:, person])[30:-30]
        if len(whole):
            assert np.ptp(np.unwrap(made.heading[whole, person])) < np.radians(3.0)
            off = np.hypot(*(made.position[whole, person, :2][:, None] - hips).T)
            assert off.min(axis=0).max() < 0.01, "on their chair"
    steps = np.linalg.norm(np.diff(made.position[..., :2], axis=0), axis=-1)
    assert np.nanmax(steps) * made.fps < 2.0, "nobody is moved out of a table at once"


def wall(x: float, name: str) -> dict[str, object]:
    return {"name": name, "outline": [[x - 0.02, 1.0], [x + 0.02, 1.0], [x + 0.02, 2.8], [x - 0.02, 2.8]]}


@pytest.mark.parametrize("screens", [False, True])
def test_nobody_steps_to_their_seat_through_a_screen_beside_it(screens) -> None:
    seat = SEAT | {"points": [[6.0, 2.0]], "headings": [-0.5 * np.pi]}
    obstacles = [square(6.0, 1.3, 0.35, "Desk"), square(6.0, 2.0, 0.2, "Chair")]
    obstacles += [wall(5.74, "Left"), wall(6.26, "Right")] if screens else []
    made = run(scene(PERSON, [seat], frames=300, obstacles=obstacles)).result()
    assert len(shown_sitting(made)) == 0 if screens else len(shown_sitting(made)) > 0
    assert any("no free ground before or beside its seats" in each for each in made.notices) == screens


def test_two_seats_side_by_side_have_sides_of_their_own() -> None:
    """Between walls there is one place for both: the second one stays free."""
    seats = SEAT | {"points": [[6.0, 2.0], [7.0, 2.0]], "headings": [-0.5 * np.pi] * 2, "heights": [0.4] * 2}
    obstacles = [square(6.0, 1.3, 0.35, "Desk"), square(7.0, 1.3, 0.35, "Other"), wall(5.7, "Left"), wall(7.3, "Right")]
    people = PERSON | {"agents": [{"start": [2.0 - k, 0.5 * k], "goal": [12.0, 0.0]} for k in range(2)]}
    for between in (False, True):
        some = obstacles if between else obstacles[:2]
        made = run(scene(people, [seats], frames=200, obstacles=some)).result()
        assert np.isfinite(made.seat_height).any(axis=0).sum() == (1 if between else 2)
