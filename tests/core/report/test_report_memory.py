# SPDX-License-Identifier: GPL-3.0-or-later
"""A report that remembers the last one says the same as one from the beginning."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core import SceneError, Trajectories
from core.report import ReportMemory, make_report, report_to_json, walls
from core.scene import Agent, Crowd, Motion, Obstacle, Scene
from tests.sweeps import sweep

pytestmark = pytest.mark.once

FRAMES, PEOPLE = 40, 12


def square(x: float, y: float, half: float) -> np.ndarray:
    return np.array([(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)])


def solid(name: str, x: float, y: float, half: float, **more: Any) -> Obstacle:
    return Obstacle(name, square(x, y, half), **more)


def crowd(**more: Any) -> Crowd:
    return Crowd("Some", agents=tuple(Agent((-5.0, 3.0), (-5.5, 3.0)) for _ in range(PEOPLE)), **more)


def people(rng: np.random.Generator, **more: Any) -> Trajectories:
    """People who stray over the whole ground, through whatever stands there."""
    steps = rng.normal(0.0, 0.4, (FRAMES, PEOPLE, 2))
    position = np.zeros((FRAMES, PEOPLE, 3))
    position[..., :2] = rng.uniform(-6.0, 6.0, (PEOPLE, 2)) + np.cumsum(steps, axis=0)
    given: dict[str, Any] = {
        "frames": np.arange(1, FRAMES + 1),
        "fps": 10.0,
        "position": position,
        "heading": rng.uniform(-3.0, 3.0, (FRAMES, PEOPLE)),
        "velocity": 10.0 * steps,
        "present": rng.random((FRAMES, PEOPLE)) < 0.9,
        "arrived_frame": np.full(PEOPLE, -1),
        "radius": rng.uniform(0.2, 0.3, PEOPLE),
        "crowd": np.zeros(PEOPLE, dtype=np.int64),
        "crowd_names": ("Some",),
        "unhindered_time": np.full(PEOPLE, np.nan),
    }
    return Trajectories(**(given | more))


def place() -> Scene:
    """Ground on which obstacles overlap, one has a court, and one moves."""
    tram = solid(
        "Tram",
        0.0,
        0.0,
        0.8,
        motion=Motion(*(np.array(each) for each in ((1.0, 40.0), (-5.0, 5.0), (3.0, 3.0), (0.0, 1.0)))),
    )
    court = Obstacle("Court", square(-3.0, -3.0, 2.0), (square(-3.0, -3.0, 1.2),))
    return Scene(
        frames=(1, FRAMES),
        bounds=square(0.0, 0.0, 8.0),
        obstacles=(solid("Hall", 3.0, 2.0, 2.5), solid("Annexe", 4.5, 0.0, 1.0), court, tram),
        walls=(np.array([(-6.0, 5.0), (0.0, 6.0)]),),
        crowds=(crowd(),),
    )


def moved(rng: np.random.Generator, scene: Scene) -> Scene:
    """Something stands elsewhere."""
    what = rng.integers(len(scene.obstacles))
    off = rng.uniform(-0.5, 0.5, 2)
    outlines = (replace(each, outline=each.outline + off) for each in scene.obstacles[what : what + 1])
    return replace(scene, obstacles=(*scene.obstacles[:what], *outlines, *scene.obstacles[what + 1 :]))


def another(rng: np.random.Generator, t: Trajectories, scene: Scene) -> tuple[Trajectories, Scene]:
    """Anything of a run changed a little."""
    position, present = t.position.copy(), t.present.copy()
    what = rng.integers(9)
    if what < 3:
        return t, moved(rng, scene)
    if what == 3:
        position[rng.integers(FRAMES) :, rng.integers(PEOPLE), :2] += 0.1
    elif what == 4:
        present[rng.integers(FRAMES) :, rng.integers(PEOPLE)] ^= True
    elif what == 5:
        return t, replace(scene, bounds=scene.bounds * rng.uniform(0.8, 1.1))
    elif what == 6:
        return t, replace(scene, walls=(scene.walls[0] + 0.1,))
    elif what == 7:
        return t, replace(scene, crowds=(crowd(absent=(int(rng.integers(PEOPLE)),)),))
    else:
        return t, replace(scene, obstacles=(*scene.obstacles, solid("More", *rng.uniform(-5.0, 5.0, 2), 0.3)))
    return replace(t, position=position, present=present), scene


@pytest.mark.parametrize("seed", sweep(range(5), usual=1))
@pytest.mark.parametrize("boxes", [0, 2])
def test_a_report_is_the_same_whatever_is_remembered(seed: int, boxes: int) -> None:
    rng = np.random.default_rng(seed)
    box = np.zeros((PEOPLE, 2))
    box[:boxes] = 2.0, 1.0
    t, scene, memory = people(rng, box=box), place(), ReportMemory()
    for _ in range(25):
        again = make_report(t, scene, refused={0: "no way"}, memory=memory)
        assert report_to_json(again) == report_to_json(make_report(t, scene, refused={0: "no way"}))
        with suppress(SceneError):  # a goal may be covered
            t, scene = another(rng, t, scene)


def test_what_nobody_comes_near_is_not_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    t, memory = people(rng), ReportMemory()
    scene = Scene(obstacles=(solid("Hall", 30.0, 2.0, 2.5), solid("Far", -40.0, 0.0, 1.0)), frames=(1, FRAMES))
    before = make_report(t, scene, memory=memory)
    monkeypatch.setattr(walls, "ObstacleField", None)
    far = replace(scene, obstacles=(scene.obstacles[0], solid("Far", -41.0, 0.0, 1.0)))
    assert make_report(t, far, memory=memory) == before
    near = replace(scene, obstacles=(scene.obstacles[0], solid("Far", *t.position[3, 1, :2], 1.0)))
    with pytest.raises(TypeError):
        make_report(t, near, memory=memory)
