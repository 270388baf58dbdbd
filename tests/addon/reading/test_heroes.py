# SPDX-License-Identifier: GPL-3.0-or-later
"""Heroes: what the user animates by hand is read as discs that move, and the people of a bake make way for it."""

import math

import bpy
import numpy as np
import pytest

from ..bench import key

ops = bpy.ops


@pytest.fixture
def street(bench):
    bench.scene.frame_start, bench.scene.frame_end = 1, 120
    bench.crowd(bench.curve("Path", [(0, 0, 0), (8, 0, 0)]), count=4, path_width=1.5)
    bench.settings.heroes = bench.collection("Heroes")
    return bench


def hero_of(bench, **attributes):
    return bench.box("Hero", bench.settings.heroes, (0.2, 0.3, 0.9), **attributes)


def test_a_hero_goes_where_its_object_is_animated_to(street):
    hero = hero_of(street)
    key(hero, "location", (1, (9, 0, 0)), (121, (-1, 0, 0)))
    (read,) = street.read().scene.heroes
    assert (read.name, street.read().scene.obstacles) == ("Hero", ())
    np.testing.assert_allclose(read.radius, math.sqrt(0.4 * 0.6 / math.pi), atol=1e-6)
    street.scene.frame_set(40)
    at = [np.interp(40, read.motion.frames, way) for way in (read.motion.x, read.motion.y)]
    np.testing.assert_allclose(at, hero.matrix_world.translation[:2], atol=1e-3)


def test_an_armature_is_one_hero_with_its_meshes(street):
    rig = street.link(bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig")), street.settings.heroes)
    body = street.box("Body", size=(0.2, 0.3, 0.9), location=(0.5, 0, 0))
    body.parent = rig
    deformed = hero_of(street, location=(0.5, 0, 0))
    deformed.modifiers.new("Armature", "ARMATURE").object = rig
    key(rig, "rotation_euler", (1, (0, 0, 0)), (120, (0, 0, math.pi)))
    (read,) = street.read().scene.heroes
    assert read.name == "Rig"
    ends = np.stack([read.motion.x, read.motion.y], axis=1)[[0, -1]]
    np.testing.assert_allclose(ends, [(0.5, 0), (-0.5, 0)], atol=1e-3)  # the body goes round the armature's origin


def test_an_empty_counts_as_a_person_if_it_moves(street):
    empty = street.link(bpy.data.objects.new("Ghost", None), street.settings.heroes)
    assert street.read().scene.heroes == ()
    key(empty, "location", (1, (0, 0, 0)), (120, (5, 0, 0)))
    (read,) = street.read().scene.heroes
    assert (read.radius, read.motion.x[-1]) == (0.3, pytest.approx(5.0, abs=1e-3))


def test_people_of_a_bake_go_round_a_hero_and_the_bake_depends_on_it(street, two_figures):
    street.scene.frame_end = 72
    reading = street.read()
    hero = hero_of(street)
    key(hero, "location", (1, (9, 0, 0)), (72, (-1, 0, 0)))
    with_hero = street.read()
    assert with_hero.fingerprint != reading.fingerprint
    assert ops.footfall.bake() == {"FINISHED"}
    agents = [obj for obj in street.scene.objects if "footfall_crowd" in obj and obj.type == "ARMATURE"]
    assert len(agents) == 4
    gaps = []
    for frame in range(1, 73, 2):
        street.scene.frame_set(frame)
        place = np.array(hero.matrix_world.translation[:2])
        gaps += [np.linalg.norm(np.array(each.matrix_world.translation[:2]) - place) for each in agents]
    (read,) = with_hero.scene.heroes
    assert min(gaps) >= read.radius + with_hero.scene.crowds[0].radius[0] - 0.01


def test_marking_and_unmarking_a_hero(street):
    bpy.data.collections.remove(street.settings.heroes)
    box = street.box("Hero")
    for obj in street.scene.objects:
        obj.select_set(obj is box)
    ops.footfall.mark_hero()
    assert [obj.name for obj in street.settings.heroes.objects] == ["Hero"]
    ops.footfall.unmark_hero()
    assert not len(street.settings.heroes.objects)
    with pytest.raises(RuntimeError, match="among the heroes"):
        ops.footfall.unmark_hero()
