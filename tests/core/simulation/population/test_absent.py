# SPDX-License-Identifier: GPL-3.0-or-later
"""People who are asked not to come: nobody sees them, and all others are who they would be with them."""

from dataclasses import replace

import numpy as np
import pytest

from core import SceneError
from core.report import make_report
from core.scene import Agent, Area, Crowd, Hero, Route, Scene, Spawn, Track
from core.simulation import simulate

pytestmark = pytest.mark.once

WAY = Route("Way", np.array([[0.0, 0.0, 0.0], [30.0, 0.0, 0.0]]), width=3.0)


def street(absent=(), mode="at_once", avoidance="none"):
    crowd = Crowd("Walkers", count=6, route="Way", spawn=Spawn(mode, 2.0), absent=absent, avoidance=avoidance)
    return Scene(frames=(1, 96), routes=(WAY,), crowds=(crowd,))


@pytest.mark.parametrize("mode", ["at_once", "spread"])
def test_the_others_are_who_they_are_with_them(mode):
    frames = (1, 60)  # by then all have come in
    all_of_them, without = (simulate(replace(street(absent, mode), frames=frames)) for absent in ((), (0, 4)))
    assert without.present.any(axis=0).tolist() == [False, True, True, True, False, True]
    here = [1, 2, 3, 5]
    for one, other in ((without.position[0], all_of_them.position[0]), (without.radius, all_of_them.radius)):
        assert one[here].tobytes() == other[here].tobytes()
    assert without.unhindered_time[here].tobytes() == all_of_them.unhindered_time[here].tobytes()


@pytest.mark.parametrize("way", ["route", "area", "spread over a route", "spread between areas"])
def test_a_hero_who_stands_where_somebody_does_not_come_moves_nobody(way):
    gates = [
        Area(name, np.array([[x, -3.0], [x + 4, -3], [x + 4, 3], [x, 3]])) for name, x in (("A", 0.0), ("B", 30.0))
    ]
    how = {"route": "Way"} if "route" in way else {"start": "A", "goal": "B"}
    crowd = Crowd("Walkers", count=12, spawn=Spawn("spread" if "spread" in way else "at_once"), **how)
    scene = Scene(frames=(1, 3), routes=(WAY,), areas=tuple(gates), crowds=(crowd,))
    before = simulate(scene)
    (x, y), radius = before.position[0, 4, :2], before.radius[4]
    hero = Hero("Fourth", float(radius), Track(np.ones(1), np.array([x]), np.array([y])))
    after = simulate(replace(scene, crowds=(replace(crowd, absent=(4,)),), heroes=(hero,)))
    others = np.delete(np.arange(12), 4)
    assert after.position[0, others].tobytes() == before.position[0, others].tobytes()
    aside = replace(hero, motion=Track(np.ones(1), before.position[0, 7, :1], before.position[0, 7, 1:2]))  # in the way
    moved = simulate(replace(scene, crowds=(replace(crowd, absent=(4,)),), heroes=(aside,)))
    gaps = np.linalg.norm(moved.position[0, others, :2] - before.position[0, 7, :2], axis=1)
    assert (gaps >= moved.radius[others] + radius - 1e-9).all()


def test_in_a_flow_the_next_comes_at_once():
    made = simulate(street((0,), "flow"))
    assert not made.present[:, 0].any()
    assert made.present[:, 1].any()


def test_they_are_neither_counted_nor_missed():
    scene = street((1, 2))
    made = simulate(scene)
    report = make_report(made, scene)
    assert report["total"]["agents"] == report["crowds"]["Walkers"]["agents"] == 4
    (told,) = made.notices  # the frames are too few for the way
    assert told.startswith("Walkers: 4 of 4 have not arrived")


def test_a_hero_is_in_nobodys_way_while_it_is_not_there():
    crowd = Crowd("One", count=1, agents=(Agent((0.0, 0.0), (9.0, 0.0)),))
    post = Track(np.ones(1), np.array([4.5]), np.zeros(1))
    alone, early, always = (
        simulate(Scene(frames=(1, 200), crowds=(crowd,), heroes=heroes)).position
        for heroes in ((), (Hero("Post", 0.4, post, (1.0, 5.0)),), (Hero("Post", 0.4, post),))
    )
    reach = 0.4 + 0.2
    assert np.nanmin(np.hypot(alone[..., 0] - 4.5, alone[..., 1])) < 0.1
    assert np.nanmin(np.hypot(early[..., 0] - 4.5, early[..., 1])) < 0.1
    assert np.nanmin(np.hypot(always[..., 0] - 4.5, always[..., 1])) > reach


@pytest.mark.parametrize(("absent", "fault"), [((6,), "above 5"), ((-1,), "negative"), ((1.5,), "whole number")])
def test_who_is_not_of_the_crowd_cannot_be_absent(absent, fault):
    with pytest.raises(SceneError, match=fault):
        street(absent)
