# SPDX-License-Identifier: GPL-3.0-or-later
"""Crowds with no room, people, size or speed: each bakes what it can, or says what is wrong and the way out."""

import bpy
import numpy as np
import pytest


@pytest.fixture
def bake(addon):
    return addon.module("blender_addon.baking.bake")


@pytest.fixture
def crossing(make, stage):
    """From one square to another, 8 m off, as plain boxes; a wall stands far away."""
    stage.scene.frame_start, stage.scene.frame_end = 1, 30
    crowd = stage.crowd
    crowd.mode = "AREAS"
    crowd.characters, crowd.forward_axis = make.collection("Props", make.cube("Box", 0.4)), "POS_X"
    crowd.start, crowd.goal, stage.wall = make.cube("Start", 1.0), make.cube("Goal", 3.0), make.cube("Wall", 3.0)
    crowd.goal.location.x, stage.wall.location.x = 8.0, 30.0
    make.link(crowd.start, crowd.goal)
    stage.scene.footfall.obstacles = make.collection("Obstacles", stage.wall)
    stage.scene.collection.children.link(stage.scene.footfall.obstacles)
    return stage


def test_people_of_no_size_and_no_speed_are_as_small_and_slow_as_can_be(crossing, bake):
    crossing.crowd.count, crossing.crowd.radius, crossing.crowd.speed.mean = 3, 0.0, 0.0
    crossing.crowd.speed.sd = 0.0
    moved = bake.bake(crossing.scene).trajectories
    assert len(crossing.baked()) == 3
    assert np.isfinite(moved.position).all()
    np.testing.assert_allclose(np.diff(moved.position[:, :, 0].mean(axis=1))[-1] * moved.fps, 0.1, atol=0.02)


def test_one_person_is_a_crowd_and_none_is_asked_about(crossing, bake, addon):
    crossing.crowd.count = 1
    bake.bake(crossing.scene)
    assert len(crossing.baked()) == 1
    crossing.crowd.count = 0
    with pytest.raises(addon.errors.FootfallError, match="Walkers: there is nobody to bake: set its count"):
        bake.bake(crossing.scene)
    assert len(crossing.baked()) == 1


def test_a_start_inside_an_obstacle_is_told_by_both_names(crossing, bake, addon):
    crossing.wall.location.x = 0.0
    with pytest.raises(addon.errors.FootfallError, match="'Start' lies inside the obstacle 'Wall'"):
        bake.bake(crossing.scene)
    assert crossing.baked() == []


def test_more_than_there_is_room_for_are_refused_with_the_ways_out(crossing, bake, addon):
    crossing.crowd.count = 40
    with pytest.raises(addon.errors.FootfallError, match=r"40 people .* room for 4 at once; use fewer people"):
        bake.bake(crossing.scene)


def test_who_starts_partly_in_a_wall_starts_beside_it(crossing, bake):
    crossing.wall.location.x = -1.6  # over the left part of the start
    crossing.crowd.count = 1
    moved = bake.bake(crossing.scene).trajectories
    assert moved.position[0, 0, 0] >= -0.1 + moved.radius[0] - 1e-6


@pytest.mark.each_blender("Blender crashes where what was removed is removed again")
@pytest.mark.parametrize(("output", "pauses"), [("CHARACTERS", 6), ("INSTANCES", 1)])
def test_a_purge_while_people_are_written_ends_the_bake_with_a_sentence(
    crossing, bake, addon, two_figures, output, pauses
):
    crossing.crowd.count, crossing.crowd.characters, crossing.crowd.output = 3, None, output
    bpy.data.orphans_purge(do_recursive=True)
    objects = set(bpy.data.objects)
    job = bake.BakeJob(crossing.scene)
    while job.stage != "Writing":
        job.run_for(0.0)
    for _ in range(pauses):
        job.run_for(0.0)
    assert set(bpy.data.objects) - objects
    bpy.data.orphans_purge(do_recursive=True)
    with pytest.raises(addon.errors.FootfallError, match="removed from the file while it ran"):
        job.run_for(60.0)
    assert set(bpy.data.objects) == objects
