# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulation that goes on from an earlier one ends with the bytes of one that begins anew, whatever was changed."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from core.scene import Area, Crowd, Motion, Obstacle, Route, Scene, Spawn
from core.simulation import SharedMap, Simulation
from core.simulation.resuming.checkpoints import Checkpoints, CheckpointSettings
from tests.sweeps import sweep

from ..runs import box, differences, run

pytestmark = pytest.mark.once

FRAMES = (1, 48)


def _post(x: float, y: float, half: float = 0.35) -> Obstacle:
    return Obstacle("Post", box(x, y, half))


def _hall() -> Scene:
    """A hall with a wall across it, a gap, a door that shuts, and people both on a route and on ways of their own."""
    shuts = Motion(
        frames=np.array([1.0, 10.0, 20.0]), x=np.array([9.0, 9.0, 9.0]), y=np.array([12.0, 12.0, 7.0]), yaw=np.zeros(3)
    )
    return Scene(
        fps=12.0,
        frames=FRAMES,
        seed=5,
        bounds=np.array([[0.0, 0.0], [24.0, 0.0], [24.0, 14.0], [0.0, 14.0]]),
        obstacles=(
            Obstacle("Wall", np.array([[8.8, 0.0], [9.2, 0.0], [9.2, 2.6], [8.8, 2.6]])),
            Obstacle("Middle", np.array([[8.8, 4.2], [9.2, 4.2], [9.2, 6.0], [8.8, 6.0]])),
            Obstacle("Door", box(0.0, 0.0, 0.9), motion=shuts),
            _post(4.0, 5.0),
            _post(14.0, 4.0),
            _post(1.0, 12.9),
        ),
        walls=(np.array([[9.0, 8.0], [9.0, 14.0]]),),
        routes=(Route("Lane", np.array([[11.0, 10.0, 0.0], [22.0, 10.0, 0.0]])),),
        areas=(Area("West", box(2.0, 6.0, 1.5)), Area("East", box(17.0, 6.0, 1.5))),
        crowds=(
            Crowd("Through", count=5, start="West", goal="East"),
            Crowd("Later", count=4, start="East", goal="West", spawn=Spawn("flow", rate=1.5)),
            Crowd("Lane", count=4, route="Lane", avoidance="human_like"),
        ),
    )


def _edited(scene: Scene, rng: np.random.Generator) -> Scene:
    """The scene with one post moved, added or taken away, near or far, or with a wall put elsewhere."""
    posts = [number for number, obstacle in enumerate(scene.obstacles) if obstacle.name == "Post"]
    things = list(scene.obstacles)
    kind = rng.integers(4)
    free = [(12.0, 2.0), (22.5, 1.5), (23.0, 13.0), (1.0, 1.0), (1.2, 12.6), (5.0, 11.0), (14.0, 7.5), (20.0, 3.0)]
    x, y = np.array(free[rng.integers(len(free))]) + rng.uniform(-0.5, 0.5, 2)
    if kind == 0 or not posts:
        things.insert(int(rng.integers(len(things) + 1)), _post(x, y, rng.uniform(0.1, 0.4)))
    elif kind == 1:
        del things[posts[rng.integers(len(posts))]]
    elif kind == 2:
        return replace(scene, walls=(scene.walls[0], np.array([[x, y], [x + 0.3, y + 0.4]])))
    else:
        things[posts[rng.integers(len(posts))]] = _post(x, y)
    return replace(scene, obstacles=tuple(things))


@pytest.fixture(scope="module")
def remembered() -> Simulation:
    return run(_hall(), remembers=True)


def test_remembering_changes_nothing(remembered: Simulation) -> None:
    assert differences(remembered, run(_hall())) == []


def test_a_scene_that_is_the_same_is_taken_over_whole(remembered: Simulation) -> None:
    again = run(_hall(), remembers=True, earlier=remembered)
    assert (again.taken_over, again.why_anew) == (len(remembered.frames), "")
    assert differences(again, remembered) == []


def test_the_motion_of_a_scene_that_is_the_same_is_not_smoothed_again(
    remembered: Simulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, longer = remembered.result(), replace(_hall(), frames=(1, 60))
    shorter = run(replace(_hall(), frames=(1, 40)), remembers=True, earlier=remembered)
    assert differences(shorter, run(shorter.scene)) == []
    monkeypatch.setattr(Simulation, "_smoothed", lambda _: pytest.fail("it is smoothed again"))
    assert run(_hall(), remembers=True, earlier=remembered).result().position is before.position
    with pytest.raises(pytest.fail.Exception, match="smoothed again"):
        run(longer, remembers=True, earlier=remembered).result()


@pytest.mark.parametrize(("seed", "rounds"), sweep([(0, 2), (0, 4), (1, 4), (2, 4)], usual=1))
def test_whatever_was_changed_the_result_is_that_of_a_new_simulation(
    remembered: Simulation, seed: int, rounds: int
) -> None:
    rng = np.random.default_rng(seed)
    scene, before, shared_map = remembered.scene, remembered, SharedMap()
    for _ in range(rounds):
        scene = _edited(scene, rng)
        before = run(scene, remembers=True, earlier=before, shared_map=shared_map)
        assert differences(before, run(scene)) == [], [obstacle.outline[0] for obstacle in scene.obstacles]


def test_what_nobody_comes_near_costs_no_frame(remembered: Simulation) -> None:
    obstacles = remembered.scene.obstacles
    scene = replace(remembered.scene, obstacles=(*obstacles[:-1], _post(1.3, 12.8)))
    again = run(scene, remembers=True, earlier=remembered)
    assert again.taken_over == len(remembered.frames)
    assert differences(again, run(scene)) == []


def test_an_obstacle_ahead_on_a_route_is_met_when_people_come_near() -> None:
    route = Route("Lane", np.array([[0.0, 0.0, 0.0], [40.0, 0.0, 0.0]]))
    before = Scene(
        fps=12.0,
        frames=(1, 150),
        bounds=np.array([[-3.0, -5.0], [43.0, -5.0], [43.0, 5.0], [-3.0, 5.0]]),
        obstacles=(_post(2.0, 3.5), _post(20.0, 0.2)),
        routes=(route,),
        crowds=(Crowd("Line", count=3, route="Lane"),),
    )
    after = replace(before, obstacles=(before.obstacles[0], _post(20.0, -0.3)))
    again = run(after, remembers=True, earlier=run(before, remembers=True))
    new = run(after)
    assert differences(again, new) == []
    assert 48 <= again.taken_over < 150
    walked = new.result().position[again.taken_over - 1, :, 0]
    assert np.nanmax(walked) > 4.0


def test_without_bounds_what_is_moved_a_little_at_the_rim_costs_no_frame() -> None:
    route = Route("Lane", np.array([[0.0, 0.0, 0.0], [12.0, 0.0, 0.0]]))
    before = Scene(
        fps=12.0,
        frames=(1, 60),
        obstacles=(_post(31.0, 2.0), _post(5.0, 4.0)),
        routes=(route,),
        crowds=(Crowd("Line", count=3, route="Lane"),),
    )
    first = run(before, remembers=True)
    after = replace(before, obstacles=(_post(31.6, 2.3), before.obstacles[1]))
    again = run(after, remembers=True, earlier=first)
    assert again.taken_over == 60
    assert differences(again, run(after)) == []
    far = replace(before, obstacles=(_post(44.0, 2.0), before.obstacles[1]))
    anew = run(far, remembers=True, earlier=first)
    assert anew.why_anew.startswith("the extent of the scene changed, and the bounds with it")
    assert differences(anew, run(far)) == []


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"seed": 6}, "the seed changed"),
        ({"fps": 13.0}, "the frame rate changed"),
        ({"frames": (2, 48)}, "the first frame changed"),
        ({"frames": (1, 40)}, "the last frame changed, and obstacles move"),
        ({"bounds": box(12.0, 7.0, 14.0)}, "the bounds changed"),
    ],
)
def test_settings_that_may_matter_to_everybody_are_simulated_anew(
    remembered: Simulation, change: dict, why: str
) -> None:
    scene = replace(remembered.scene, **change)
    again = Simulation(scene, backend="numpy", earlier=remembered)
    assert (again.taken_over, again.why_anew) == (0, why)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda crowds: (replace(crowds[0], count=6), *crowds[1:]), "the crowd 'Through' changed"),
        (lambda crowds: (replace(crowds[0], name="Over"), *crowds[1:]), "the crowd 'Through' was renamed to 'Over'"),
        (lambda crowds: crowds[:2], "the crowd 'Lane' was removed"),
        (lambda crowds: (*crowds, replace(crowds[2], name="More")), "the crowd 'More' is new"),
        (lambda crowds: (crowds[1], crowds[0], crowds[2]), "the crowd 'Through' was replaced by 'Later'"),
    ],
)
def test_the_crowd_for_which_all_is_simulated_anew_is_named(remembered: Simulation, change, why: str) -> None:
    scene = replace(remembered.scene, crowds=change(remembered.scene.crowds))
    again = Simulation(scene, backend="numpy", earlier=remembered)
    assert (again.taken_over, again.why_anew) == (0, why)


@pytest.mark.parametrize("also_moved", sweep([True, False], usual=1))
def test_crowds_that_are_called_otherwise_are_simulated_no_more(remembered: Simulation, also_moved: bool) -> None:
    crowds = tuple(replace(crowd, name=f"New {crowd.name}", known_as=crowd.name) for crowd in remembered.scene.crowds)
    scene = replace(remembered.scene, crowds=crowds)
    if also_moved:
        scene = replace(scene, obstacles=(*scene.obstacles[:-1], _post(1.3, 12.8)))
    again = run(scene, remembers=True, earlier=remembered)
    assert (again.taken_over, again.why_anew) == (len(remembered.frames), "")
    assert differences(again, run(scene)) == []
    assert any(notice.startswith("New ") for notice in again.result().notices)
    assert again.result().digest() == remembered.result().digest()
    back = run(remembered.scene, remembers=True, earlier=again)
    assert back.taken_over == len(remembered.frames)
    assert differences(back, remembered) == []


def test_crowds_that_change_names_with_each_other_are_told_apart(remembered: Simulation) -> None:
    first, second, third = remembered.scene.crowds
    names = replace(first, name="Later", known_as="Through"), replace(second, name="Through", known_as="Later")
    scene = replace(remembered.scene, crowds=(*names, third))
    again = run(scene, remembers=True, earlier=remembered)
    assert again.taken_over == len(remembered.frames)
    assert differences(again, run(scene)) == []
    changed = replace(scene, crowds=(replace(names[0], count=6), *scene.crowds[1:]))
    assert Simulation(changed, backend="numpy", earlier=again).why_anew == "the crowd 'Later' changed"


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ((2.0, 6.0), "somebody starts elsewhere or takes another route"),
        ((0.0, 30.0), "an obstacle is outside the extent of the last bake"),
    ],
)
def test_what_matters_at_once_is_said_to_be_why_all_is_simulated_anew(
    remembered: Simulation, place: tuple[float, float], why: str
) -> None:
    *others, _ = remembered.scene.obstacles
    scene = replace(remembered.scene, obstacles=(*others, _post(*place)))
    again = Simulation(scene, backend="numpy", earlier=remembered)
    assert (again.taken_over, again.why_anew) == (0, why)


def test_another_door_is_simulated_anew(remembered: Simulation) -> None:
    obstacles = list(remembered.scene.obstacles)
    obstacles[2] = replace(obstacles[2], outline=box(0.0, 0.0, 0.8))
    again = Simulation(replace(remembered.scene, obstacles=tuple(obstacles)), backend="numpy", earlier=remembered)
    assert (again.taken_over, again.why_anew) == (0, "the moving obstacle 'Door' changed")


def test_an_obstacle_that_does_not_move_any_more_is_not_said_to_be_gone(remembered: Simulation) -> None:
    scene = remembered.scene
    obstacles = list(scene.obstacles)
    obstacles[2] = Obstacle("Door", box(9.0, 12.0, 0.9))
    rests = replace(scene, obstacles=tuple(obstacles))
    again = run(rests, remembers=True, earlier=remembered)
    assert (again.taken_over, again.why_anew) == (0, "the obstacle 'Door' no longer moves")
    back = Simulation(scene, backend="numpy", earlier=again)
    assert (back.taken_over, back.why_anew) == (0, "the obstacle 'Door' now moves")
    del obstacles[2]
    without = Simulation(replace(scene, obstacles=tuple(obstacles)), backend="numpy", earlier=remembered)
    assert without.why_anew == "the moving obstacle 'Door' was removed"


def test_of_a_route_that_is_wider_the_width_is_told(remembered: Simulation) -> None:
    (lane,) = remembered.scene.routes
    told = [
        Simulation(replace(remembered.scene, routes=(route,)), backend="numpy", earlier=remembered).why_anew
        for route in (replace(lane, width=3.0), replace(lane, width=3.0, closed=True))
    ]
    assert told == ["the width of the route 'Lane' changed", "the route 'Lane' changed"]


def test_a_place_that_no_crowd_asks_for_is_not_said_to_be_gone(remembered: Simulation) -> None:
    scene = remembered.scene
    on_lane = tuple(replace(crowd, route="Lane", start=None, goal=None) for crowd in scene.crowds[:2])
    no_places = replace(scene, areas=(), crowds=(*on_lane, scene.crowds[2]))
    without = Simulation(no_places, backend="numpy", remembers=True, earlier=remembered)
    assert without.why_anew == "the place 'West' is no longer used"
    assert Simulation(scene, backend="numpy", earlier=without).why_anew == "the place 'West' is used now"


def test_more_frames_go_on_from_the_last_where_no_door_moves(remembered: Simulation) -> None:
    scene = replace(remembered.scene, obstacles=tuple(o for o in remembered.scene.obstacles if o.motion is None))
    short = run(replace(scene, frames=(1, 32)), remembers=True)
    longer = run(scene, earlier=short)
    assert longer.taken_over == 32
    assert differences(longer, run(scene)) == []


def test_who_does_not_remember_cannot_be_gone_on_from() -> None:
    forgetful = Simulation(replace(_hall(), frames=(1, 2)), backend="numpy")
    with pytest.raises(ValueError, match="remember"):
        Simulation(forgetful.scene, backend="numpy", earlier=forgetful)


def test_where_checkpoints_need_too_much_memory_fewer_are_kept_evenly_over_the_run() -> None:
    state: Any = (SimpleNamespace(position=np.zeros(1000)), None)
    known = Checkpoints((), SimpleNamespace(), CheckpointSettings(interval=1, memory_limit=10 * 8000))
    for made in range(1, 101):
        known.keep(made, state, cast("Any", object()), last=made == 100)
    kept = [each.made for each in known.up_to(100)]
    assert sum(each.size for each in known.up_to(100)) <= 10 * 8000
    assert (kept[0], kept[-1]) == (1, 100)
    assert max(np.diff(kept)) <= 16  # 100 frames among 6 to 10 checkpoints
    assert kept[5] > 40
