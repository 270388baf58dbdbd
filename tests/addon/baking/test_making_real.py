# SPDX-License-Identifier: GPL-3.0-or-later
"""Instances made characters: the same people at the same places, and each of them only once."""

import bpy
import numpy as np
import pytest


@pytest.fixture
def crowd(make, stage):
    """Six people as instances, and the trajectories that they are of."""
    stage.trajectories = make.walk(agents=6, speed=1.3, turn=0.5)
    stage.shown = stage.bake_instances(stage.trajectories)
    bpy.context.view_layer.objects.active = stage.shown
    return stage


def instances(shown):
    graph = bpy.context.evaluated_depsgraph_get()
    return sum(each.is_instance and each.parent.original == shown for each in graph.object_instances)


@pytest.mark.parametrize("frame", [1, 20.5, 50])
def test_characters_stand_where_the_instances_stood(make, crowd, frame):
    bpy.ops.footfall.make_real(agents="2-3, 6")
    made = [bpy.data.objects[f"Walkers 00{number}"] for number in (2, 3, 6)]
    row, part = int(frame) - 1, frame % 1
    after = min(row + 1, 49)
    position = (1 - part) * crowd.trajectories.position[row] + part * crowd.trajectories.position[after]
    for agent, character in zip((1, 2, 5), made, strict=True):
        assert np.abs(make.matrix(character, frame)[:3, 3] - position[agent]).max() < 1e-4
    assert instances(crowd.shown) == 3


def test_a_real_person_is_who_a_bake_of_characters_would_have_made(make, crowd):
    bpy.ops.footfall.make_real(agents="1-6")
    seen = [
        make.evaluated(bpy.data.objects[f"Walkers 00{n}"], 30).pose.bones["foot.L"].head.copy() for n in range(1, 7)
    ]
    colours = [tuple(bpy.data.objects[f"Walkers 00{n}"].color) for n in range(1, 7)]
    figures = crowd.bake(crowd.trajectories)
    assert [tuple(child.color) for each in figures for child in each.children] == colours
    for figure, foot in zip(figures, seen, strict=True):
        assert (make.evaluated(figure, 30).pose.bones["foot.L"].head - foot).length < 1e-4


def test_who_is_near_the_cursor_is_made_real(make, crowd):
    crowd.scene.frame_set(10)
    crowd.scene.cursor.location = crowd.trajectories.position[9, 4]
    bpy.ops.footfall.make_real(reach=0.4)
    assert [each.name for each in crowd.scene.objects if each.type == "ARMATURE"] == ["Walkers 005"]


def test_who_is_selected_is_made_real(crowd):
    chosen = np.zeros(len(crowd.shown.data.vertices), dtype=bool)
    chosen[[6 * 20 + 1, 6 * 30 + 3]] = True
    crowd.shown.data.vertices.foreach_set("select", chosen)
    bpy.ops.footfall.make_real()
    names = sorted(each.name for each in crowd.scene.objects if each.type == "ARMATURE")
    assert names == ["Walkers 002", "Walkers 004"]


def test_nobody_is_made_real_twice(crowd):
    bpy.ops.footfall.make_real(agents="2")
    with pytest.raises(RuntimeError, match="nobody of 'Walkers' is meant"):
        bpy.ops.footfall.make_real(agents="2")


@pytest.mark.parametrize(("agents", "message"), [("7", "has 6 people"), ("two", "no number"), ("0", "has 6 people")])
def test_wrong_numbers_are_refused(crowd, agents, message):
    with pytest.raises(RuntimeError, match=message):
        bpy.ops.footfall.make_real(agents=agents)


def test_what_was_made_real_is_cleared_with_the_bake(make, crowd):
    crowd.clear()
    before = make.data_blocks()
    bpy.context.view_layer.objects.active = crowd.bake_instances(crowd.trajectories)
    bpy.ops.footfall.make_real(agents="1, 4")
    crowd.clear()
    assert make.data_blocks() == before


def test_only_crowds_of_instances_can_be_made_real(make, crowd):
    cube = make.cube("Cube")
    make.link(cube)
    bpy.context.view_layer.objects.active = cube
    assert not bpy.ops.footfall.make_real.poll()
