# SPDX-License-Identifier: GPL-3.0-or-later
"""People on seats as they are baked: no jump on the way there and back, and children on seats made for adults."""

import numpy as np
import pytest

from tests.sweeps import sweep

from .acting import FIRST, LAST, NAMES, SEAT, acting, points_of

FPS, FRAMES = 24, 248
DEPTH = 0.2  # half of it, of a stool [m]
JOINTS = ("hips", "thigh.L", "shin.L")
ALL_SIT = ("sit",) * 10  # as many as there are figures, and one of them is rare
SOME, ALL = ((0, 1, 8), 6), (range(10), 10)  # figures, the last of the first three a boy, and how many people there are


@pytest.fixture
def come_and_go(addon):
    """Trajectories of three who walk up to seats, sit for two seconds and go on."""
    seats = {"name": "Seats", "points": [[1.2 + 0.8 * k, 1.4] for k in range(3)], "headings": [-0.5 * np.pi] * 3}
    stop = {"place": "Seats", "do": "sit", "duration": {"mean": 2.0, "sd": 0.0}}
    route = {"name": "Path", "points": [[0, 0], [12, 0]], "width": 2.0}
    crowd = {"name": "Walkers", "count": 3, "route": "Path", "spawn": {"mode": "at_once"}, "stops": [stop]}
    scene = {"footfall_scene": 1, "fps": FPS, "frames": [1, FRAMES], "places": [seats], "routes": [route]}
    read = addon.module("core.scene.file").scene_from_json(scene | {"crowds": [crowd]})
    return addon.module("core.simulation").simulate(read)


def joints_at(make, movers, frames, names=JOINTS):
    """Where some bones begin in the world, float64 (F, A, B, 3)."""
    found = []
    for frame in frames:
        seen = make.all_evaluated(movers, frame)
        found.append([[(each.matrix_world @ each.pose.bones[name].head)[:] for name in names] for each in seen])
    return np.array(found)


def test_hips_are_no_faster_where_people_begin_and_end_to_sit_than_while_they_do(come_and_go, make, stage):
    """Where they stand before the seat and where they are recorded on it is not the same place."""
    stage.crowd.motion.looks_about = False
    movers = stage.bake(come_and_go)
    seated = come_and_go.seated
    assert seated.any(axis=0).all()
    for each in stage.scene.objects:
        each.hide_viewport = each.type == "MESH"  # nobody looks at bodies here
    places = joints_at(make, movers, range(1, FRAMES + 1))[:, :, 0]
    for agent in range(len(movers)):
        first, last = np.flatnonzero(seated[:, agent])[[0, -1]]
        assert last < FRAMES - 12
        ends = np.concatenate([np.arange(first - 8, first + 6), np.arange(last - 6, last + 8)])
        hips = places[first - 8 : last + 9, agent]
        speed = np.linalg.norm(np.diff(hips, axis=0), axis=1) * FPS
        at_ends = np.isin(np.arange(first - 8, first - 8 + len(speed)), ends)
        assert speed[at_ends].max() < 1.5 * speed[~at_ends].max()
        assert np.abs(np.diff(speed)).max() * FPS < 8.0  # [m/s2], as people rise


@pytest.mark.each_blender("NLA strips are blended, bodies are deformed")
@pytest.mark.parametrize(("figures", "count"), sweep([SOME, ALL], usual=1), ids=["some", "all"])
def test_children_sit_on_seats_that_are_higher_than_their_knees(make, stage, only_figures, figures, count):
    """The thighs lie on the seat, and the feet hang before it; feet of adults stand on the floor."""
    only_figures(*figures)
    movers = stage.bake(acting(make, ALL_SIT[:count]))
    frame = (FIRST + LAST) // 2
    joints = joints_at(make, movers, [frame])[0]
    children = 0
    for agent, mover in enumerate(movers):
        (body,) = [each for each in mover.children_recursive if each.type == "MESH"]
        seen = make.evaluated(body, frame)
        points = points_of(seen.to_mesh()) @ np.array(seen.matrix_world)[:3, :3].T + np.array(seen.matrix_world)[:3, 3]
        seen.to_mesh_clear()
        over_stool = (np.abs(points[:, :2] - (-0.4, 1.2 * agent)) < DEPTH).all(axis=1)
        sunk = over_stool & (points[:, 2] < SEAT - 0.02)
        _, hip, knee = joints[agent]
        is_child = mover.scale[0] < 0.8
        children += is_child
        assert sunk.mean() < 0.01
        assert 0.0 < (hip - knee)[2] < 0.1
        assert points[:, 2].min() > (0.08 if is_child else -0.01)
        assert knee[0] > -0.4 + DEPTH + 0.04
    assert children


@pytest.mark.parametrize(
    ("before", "figures", "count"),
    sweep([("talk", *SOME), ("talk", *ALL), ("none", *ALL)], usual=1),
    ids=["some after talking", "all after talking", "all after standing"],
)
def test_feet_stay_while_bodies_of_any_size_sit_down_and_rise(make, stage, only_figures, before, figures, count):
    """Where feet are held, legs are bent for the hips of each moment, also while arms come down that talked; those of
    children leave the floor.
    """
    only_figures(*figures)
    there = acting(make, ALL_SIT[:count])
    there.activity[:FIRST] = NAMES.index(before)
    movers = stage.bake(there)
    assert len({mover.children_recursive[0].data.name for mover in movers}) >= len(figures) - 1
    adults = [mover for mover in movers if mover.scale[0] > 0.8]
    for each in stage.scene.objects:
        each.hide_viewport = each.type == "MESH"  # nobody looks at bodies here
    balls = joints_at(make, adults, range(FIRST + 1, LAST, 4), ("toe.L", "toe.R"))
    assert np.ptp(balls[..., :2], axis=0).max() < 0.01
    assert np.ptp(balls[..., 2], axis=0).max() < 0.015
