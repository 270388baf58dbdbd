# SPDX-License-Identifier: GPL-3.0-or-later
"""Notices of what blocks a path: its name, its place, and the remedy."""

import re
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from core.report import make_report
from core.scene import Crowd, Motion, Obstacle, Route, Scene, Spawn
from core.simulation import Simulation, simulate
from core.simulation.guidance.detours import Detours
from core.simulation.settings import SimulationSettings

from ..runs import differences, run

pytestmark = pytest.mark.once

NEAR = Route("Road", np.array([[5.0, 0, 0], [20, 0, 0]]), width=3.0)
WALL = Obstacle("Wall", np.array([[9.0, -6], [9.5, -6], [9.5, 6], [9, 6]]))


def test_a_blocked_path_is_reported():
    bounds = np.array([[-3.0, -6], [23, -6], [23, 6], [-3, 6]])
    crowd = Crowd("Walkers", count=3, route="Road")
    made = simulate(Scene(frames=(1, 250), routes=(NEAR,), obstacles=(WALL,), bounds=bounds, crowds=(crowd,)))
    told = next(notice for notice in made.notices if "stand still" in notice)
    assert told.startswith(
        "Walkers: 3 of 3 stand still because their path is blocked. The obstacle is 'Wall' at (9.0, "
        "0.0), and there is no route round it to the end of 'Road'. There is no route from ("
    )
    assert told.endswith("Open or move it, remove it from the obstacles, or end the path before it.")


@pytest.mark.parametrize(
    ("bounds", "way_out"),
    [
        (
            [
                (9, -6),
                (9, -0.1),
                (9.5, -0.1),
                (9.5, -6),
                (23, -6),
                (23, 6),
                (9.5, 6),
                (9.5, 0.1),
                (9, 0.1),
                (9, 6),
                (-3, 6),
            ],
            "or end the path before it.",
        ),
        ([(9, -6), (9, 50), (9.5, 50), (9.5, -6), (23, -6), (23, 60), (-3, 60)], "or draw the path round it."),
    ],
)
def test_a_path_that_the_bounds_block_is_reported_with_the_remedy_for_bounds(bounds, way_out):
    ring = np.array([(-3, -6), *bounds], dtype=np.float64)
    crowd = Crowd("Walkers", count=3, route="Road")
    made = simulate(Scene(frames=(1, 150), routes=(NEAR,), bounds=ring, crowds=(crowd,)))
    told = next(notice for notice in made.notices if "stand still" in notice)
    assert "The obstacle is the edge of the bounds at (9.0, " in told
    assert told.endswith(f"Make the bounds wider, {way_out}")


def road_with(*obstacles: Obstacle) -> Scene:
    crowd = Crowd("Walkers", count=4, route="Road", spawn=Spawn("flow", rate=2.0))
    return Scene(frames=(1, 150), routes=(NEAR,), obstacles=obstacles, crowds=(crowd,))


def gap_of(width: float) -> tuple[Obstacle, ...]:
    """Two walls of 50 m each, with a gap between them on the road."""
    halves = (("Left", 1.0), ("Right", -1.0))
    ring = np.array([[9.0, 0.0], [9.5, 0.0], [9.5, 50.0], [9.0, 50.0]])
    return tuple(Obstacle(name, ring * (1.0, side) + (0.0, side * width / 2)) for name, side in halves)


GAPS, SLITS = (0.15, 0.45), (0.07,)
BARS = {
    **{f"Gap {width}": gap_of(width) for width in (*GAPS, *SLITS)},
    "Far": (
        Obstacle("Near", np.array([[9.0, -50.0], [9.5, -50.0], [9.5, 40.0], [9.0, 40.0]])),
        Obstacle("Far", np.array([[9.0, 40.3], [9.5, 40.3], [9.5, 90.0], [9.0, 90.0]])),
    ),
    "Long": (Obstacle("Long", np.array([[9.0, -50.0], [9.5, -50.0], [9.5, 50.0], [9.0, 50.0]])),),
    "Line": (),
}
"""What bars each of some roads."""
ROAD_OF = {name: 150.0 * number for number, name in enumerate(BARS)}
"""How far each road is to the left of the first [m]."""


@pytest.fixture(scope="module")
def barred() -> Simulation:
    """Four people on each of the roads, simulated until they stand before what bars it."""
    routes, crowds, obstacles = [], [], []
    for name, bars in BARS.items():
        aside = np.array([0.0, ROAD_OF[name]])
        routes.append(Route(name, NEAR.points + np.append(aside, 0.0), width=3.0))
        crowds.append(Crowd(name, count=4, route=name, spawn=Spawn("flow", rate=2.0)))
        obstacles += [Obstacle(bar.name, bar.outline + aside) for bar in bars]
    walls = (np.array([[6.0, 3.0], [7.0, 3.0]]), np.array([[9.0, -50.0], [9.0, 50.0]]))
    walls = tuple(wall + np.array([0.0, ROAD_OF["Line"]]) for wall in walls)
    scene = Scene(frames=(1, 230), routes=tuple(routes), obstacles=tuple(obstacles), walls=walls, crowds=tuple(crowds))
    return run(scene)


def stopped(barred: Simulation, name: str, why: str = "") -> str:
    """The notice about people who have stopped on a road, for a reason."""
    told = [each for each in barred.result().notices if each.startswith(f"{name}: ") and "stand still" in each]
    (found,) = [each for each in told if why in each]
    return found


def refused(barred: Simulation, name: str, why: str = "") -> dict:
    """The line of the report about people who have stopped on a road, for a reason."""
    events = make_report(barred.result(), barred.scene, refused=barred.refused)["events"]
    number, crowd = list(BARS).index(name), barred.agents.crowd
    told = [each for each in events if each["kind"] == "refused" and (crowd[each["agents"]] == number).all()]
    (found,) = [each for each in told if why in each["reason"]]
    return found


def test_a_long_wall_that_people_do_not_walk_round_is_named_with_the_place_and_the_length_of_the_detour(barred):
    told = stopped(barred, "Line")
    assert told.startswith(
        "Line: 4 of 4 stand still because their path is blocked. "
        f"The obstacle is walls[1] at (9.0, {ROAD_OF['Line']:.1f})"
    )
    length = re.search(r"detour is (\d+) m long", told)
    assert length
    assert 100.0 < float(length[1]) < 106.0
    assert told.endswith("Open or move it, remove it from the obstacles, or draw the path round it.")


@pytest.mark.parametrize("width", GAPS)
def test_a_gap_on_a_drawn_path_that_is_too_narrow_is_reported_with_its_width_and_the_obstacles_beside_it(barred, width):
    name = f"Gap {width}"
    gap = re.search(
        rf"path is blocked\. The gap between 'Left' and 'Right' at \(9\.\d, {ROAD_OF[name]:.1f}\) is too narrow: "
        r"gap (.+) m, needs (.+) m\. The detour is (\d+) m long, .+\. Widen the gap, remove an obstacle beside it ",
        stopped(barred, name, "The gap"),  # people beside it get a notice about the wall
    )
    assert gap
    assert float(gap[1]) == pytest.approx(width, abs=1e-9)
    assert 2 * 0.22 + 0.06 - 0.005 <= float(gap[2]) <= 2 * 0.25 + 0.06 + 0.005  # and the least room at both sides
    reason = refused(barred, name, "The gap")["reason"]
    assert reason.startswith("The gap between 'Left' and 'Right' at (9.")
    assert set(re.findall(r"\d+ m long", reason)) == {f"{gap[3]} m long"}  # one figure for one length


@pytest.mark.thorough
def test_a_gap_that_is_a_little_wider_in_a_later_simulation_is_reported_with_its_new_width():
    before, wider = (road_with(*gap_of(width)) for width in (0.30, 0.34))
    again = run(wider, remembers=True, earlier=run(before, remembers=True))
    assert differences(again, run(wider)) == []
    assert any("gap 0.34 m, needs" in notice for notice in again.result().notices)


@pytest.mark.parametrize("width", SLITS)
def test_a_slit_is_no_gap(barred, width):
    told = stopped(barred, f"Gap {width}")
    assert re.search(r"The obstacle is '(Left|Right)' at \(9\.0, ", told)
    assert "too narrow" not in told


def test_a_gap_far_beside_the_path_is_none_that_people_would_go_through(barred):
    assert f"The obstacle is 'Near' at (9.0, {ROAD_OF['Far']:.1f}). The detour is " in stopped(barred, "Far")


def test_all_who_stand_before_the_same_are_one_line_with_the_first_who_came(barred):
    told, made = refused(barred, "Long"), barred.result()
    assert np.count_nonzero(barred.agents.crowd == list(BARS).index("Long")) == len(told["agents"]) == 4
    assert told["reason"].startswith(f"'Long' blocks the path at (9.0, {ROAD_OF['Long']:.1f}).")
    assert 7.5 < told["place"][0] < 9.0
    still = np.hypot(made.velocity[..., 0], made.velocity[..., 1])[told["frame"] :, told["agents"][0]] < 0.1
    assert still.mean() > 0.8


def test_a_door_that_stays_shut_across_a_drawn_route_is_named():
    key, still = np.array([0.0, 60.0, 75.0]), np.zeros(3)
    leaf = np.array([[0.0, -50], [0.5, -50], [0.5, 50], [0, 50]])
    door = Obstacle("Door", leaf, motion=Motion(key, still + 9.0, np.array([70.0, 70, 0]), still))
    notices = run(road_with(door)).result().notices
    assert any("The obstacle is 'Door' at (9.0, 0.0)" in notice for notice in notices)


@pytest.mark.parametrize("gap", [0.0, 0.3])
def test_a_route_that_ends_in_a_closed_room_is_reported_with_the_room_and_its_widest_gap(gap: float):
    inner, outer = [(15, -3), (23, -3), (23, 3), (15, 3)], [(14, 4), (24, 4), (24, -4), (14, -4)]
    if gap:  # one outline, out along one side of the gap and back along the other
        room = Obstacle("Room", np.array([(14, gap), *outer, (14, 0), (15, 0), *inner, (15, gap)], dtype=float))
    else:
        room = Obstacle("Room", np.array(outer, dtype=float), holes=(np.array(inner, dtype=float),))
    crowd = Crowd("Walkers", count=2, route="Road", radius=(0.24, 0.24))
    road = Route("Road", np.array([[10.0, 0, 0], [20, 0, 0]]), width=3.0)
    made = simulate(Scene(frames=(1, 185), routes=(road,), obstacles=(room,), crowds=(crowd,)))
    told = next(notice for notice in made.notices if "stand still" in notice)
    assert "The obstacle is 'Room' at (14.0, 0.0), and there is no route round it to the end of 'Road'." in told
    widest = re.search(r"gap (\d\.\d+) m, needs", told)
    assert (float(widest[1]) if widest else 0.0) == pytest.approx(gap, abs=0.011)
    assert (made.arrived_frame < 0).all()


def test_a_missing_package_ends_no_simulation_of_drawn_routes(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "pyvoronoi", None)
    crowd = Crowd("Walkers", count=2, route="Road")
    made = simulate(Scene(frames=(1, 185), routes=(NEAR,), obstacles=(WALL,), crowds=(crowd,)))
    assert (made.position[..., 0] < 9.0).all()
    assert any("pyvoronoi is missing" in notice for notice in made.notices)


def test_why_there_is_no_route_is_no_longer_reported_when_there_is_no_map_any_more():
    settings = SimulationSettings()
    detours = Detours(2, settings.guidance.detours, settings.population.routes, settings.guidance.bypasses)
    mapless = SimpleNamespace(corridors=None, missing="obstacles cover all the ground")
    detours.no_route = {0: "There is no route.", 1: "There is no route."}
    for time in (0.0, settings.guidance.detours.patience):
        detours.start_detours(range(2), (np.zeros(0, dtype=int), np.array([0])), time, None, mapless, None)
    assert detours.without_detour.tolist() == [True, False]
    assert detours.no_route == {1: "There is no route."}
    assert detours.map_error == mapless.missing
