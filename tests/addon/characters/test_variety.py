# SPDX-License-Identifier: GPL-3.0-or-later
"""How the people of one crowd differ: in who they are and in how large they are."""

from collections import Counter
from itertools import pairwise

import bpy
import numpy as np
import pytest

from .legs.ways import FPS, WAYS, Slope, balls, on_a_way, slides
from .strangers import foreign_rig


def kinds(baked):
    return Counter(each.data.name for each in baked)


def test_weights_say_how_often_a_character_is_seen(make, stage):
    boxes = [make.cube(name) for name in ("Rare", "Often", "Never")]
    boxes[0]["weight"], boxes[2]["weight"] = 0.25, 0
    often = make.collection("Often ones", boxes[1])
    often["weight"] = 1
    people = make.collection("People", boxes[0], boxes[2])
    people.children.link(often)
    stage.crowd.characters = people
    found = kinds(stage.bake(make.walk(agents=200, frames=(1, 2))))
    assert found["Often"] + found["Rare"] == 200
    assert found["Rare"] == pytest.approx(40, abs=1)
    shown = stage.bake_instances(make.walk(agents=200, frames=(1, 2)))
    characters = Counter(each.value for each in shown.data.attributes["character"].data)
    assert sorted(characters.values()) == sorted(found.values())


@pytest.mark.parametrize("agents", [11, 12, 33])
def test_all_characters_are_seen_before_one_is_seen_again(make, stage, agents):
    stage.crowd.characters = make.collection("People", *(make.cube(name) for name in "ABCDEFGHIJK"))
    names = [each.data.name for each in stage.bake(make.walk(agents=agents, frames=(1, 2)))]
    often = Counter(names).values()
    assert len(often) == 11
    assert max(often) - min(often) <= 1
    assert all(one != next_one for one, next_one in pairwise(names))
    assert agents < 22 or names[11:22] != names[:11]


def test_a_rare_character_is_not_among_the_first_in_every_scene(make, stage):
    roles = stage.addon.module("blender_addon.bakes.roles")
    among = roles.WeightedDraw([0, 1, 2], [1.0, 0.1, 0.7])
    first, counts = Counter(), Counter()
    for seed in range(60):
        lots = roles.RandomDraws(seed)
        dealt = [lots.draw_in_turn(roles.Role("People", number, 90), "character", among) for number in range(90)]
        first[dealt[:9].count(1)] += 1
        counts.update(dealt)
        assert dealt.count(1) in {4, 5, 6}  # of 90 people, 50 are the first, 5 the second and 35 the third
        assert dealt.count(2) == pytest.approx(35, abs=1)
    assert counts[1] == pytest.approx(300, abs=15)
    assert min(first[0], first[1]) >= 15


@pytest.mark.parametrize("weight", [-1.0, float("nan"), "many"])
def test_what_is_no_weight_counts_as_one_and_is_told_of(make, stage, weight):
    boxes = [make.cube(name) for name in ("A", "B")]
    boxes[0]["weight"] = weight
    stage.crowd.characters = make.collection("People", *boxes)
    found = kinds(stage.bake(make.walk(agents=40, frames=(1, 2))))
    assert min(found["A"], found["B"]) >= 8
    assert any("'A'" in notice and "'weight'" in notice for notice in stage.notices)


def test_when_nobody_has_a_weight_all_are_as_likely(make, stage):
    boxes = [make.cube(name) for name in ("A", "B")]
    boxes[0]["weight"] = boxes[1]["weight"] = 0.0
    stage.crowd.characters = make.collection("People", *boxes)
    found = kinds(stage.bake(make.walk(agents=40, frames=(1, 2))))
    assert min(found["A"], found["B"]) >= 8


def test_a_weight_is_a_trait(make, addon):
    traits = addon.module("blender_addon.characters.fingerprint")
    box = make.cube("A")
    crowd = bpy.context.scene.footfall.crowds.add()
    crowd.characters = make.collection("People", box)
    before = traits.fingerprint_of(crowd)
    box["weight"] = 2.0
    assert traits.fingerprint_of(crowd) != before


@pytest.mark.parametrize("ground", [None, Slope()])
def test_larger_people_take_longer_strides_and_their_feet_stand_as_still(make, stage, ground):
    rig, body = foreign_rig(make, stage.addon, "XYZ")
    stage.crowd.characters = make.collection("People", rig, body)
    stage.crowd.forward_axis, stage.crowd.motion.size_variation = "POS_X", 0.3
    row = bpy.context.scene.footfall.cast.add()
    row.mover, row.idle.locked = rig, True  # no idle
    turn, speed = WAYS["bend"](np.arange(96) / FPS)
    trajectories = on_a_way(make, turn, speed)
    figures = stage.bake(trajectories, ground=ground)
    sizes = np.array([figure.scale.x for figure in figures]) / rig.scale.x
    assert np.abs(sizes - 1.0).max() <= 0.3 + 1e-6
    assert np.ptp(sizes) > 0.05
    feet = ("mixamorig:foot_L", "mixamorig:foot_R")
    places = balls(make, figures, len(speed), feet)
    if ground is not None:
        tips = balls(make, figures, len(speed), ("mixamorig:toe_L", "mixamorig:toe_R"))
        for above, tip in zip(*(each[..., 2] - 0.12 * each[..., 0] for each in (places, tips)), strict=True):
            assert 0.005 < above.min() < 0.03
            assert (np.minimum(above, tip) < 0.03).any(axis=1).mean() > 0.85
    else:
        found = np.concatenate([slides(each) for each in places])
        assert len(found) >= 6
        assert found.mean() < 0.01
        assert found.max() < 0.03
    shown = stage.bake_instances(trajectories, ground=ground)
    scales = np.array([each.value for each in shown.data.attributes["scale"].data])
    np.testing.assert_allclose(scales, sizes, rtol=1e-6)
    phase = np.array([each.value for each in shown.data.attributes["phase"].data]).reshape(-1, 2)
    runs = np.ptp(phase, axis=0)
    np.testing.assert_allclose(runs * sizes, (runs * sizes).mean(), rtol=1e-4)  # no idle: the whole stride is walked


def test_who_is_made_real_is_as_large_as_before(make, stage, one_figure):
    stage.crowd.motion.size_variation = 0.1
    shown = stage.bake_instances(make.walk(agents=3))
    scales = [each.value for each in shown.data.attributes["scale"].data]
    bpy.context.view_layer.objects.active = shown
    bpy.ops.footfall.make_real(agents="1-3")
    made = [bpy.data.objects[f"Walkers 00{number}"] for number in (1, 2, 3)]
    assert [each.scale.x for each in made] == pytest.approx(scales)
    assert len(set(scales)) == 3
