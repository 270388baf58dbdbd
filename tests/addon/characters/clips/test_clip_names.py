# SPDX-License-Identifier: GPL-3.0-or-later
"""What the names of clips say, as exporters and animators write them."""

import pytest


@pytest.fixture
def names(addon):
    return addon.module("blender_addon.characters.clips.clip_names")


@pytest.mark.parametrize(
    ("name", "kind", "doubt"),
    [
        ("Walk", "WALKS", 0),
        ("walking", "WALKS", 0),
        ("Armature|Armature|walk_Armature", "WALKS", 0),
        ("Armature|Walking|Layer0", "WALKS", 0),
        ("Zombie|Zombie|Walk", "WALKS", 0),
        ("Walker|Walker|Dance", None, 1),
        ("Walk|Walk|BaseLayer", "WALKS", 0),
        ("Idle|Idle|Base Layer", "STANDS", 0),
        ("Run|Run|Layer0", "RUNS", 0),
        ("Dance|Dance|BaseLayer", None, 1),
        ("Walk_Cycle.001", "WALKS", 0),
        ("HumanM@Walk01_Forward", "WALKS", 0),
        ("WalkJump", "WALKS", 1),
        ("StartWalking", "WALKS", 1),
        ("walk_left_turn", "WALKS", 2),
        ("sleepwalk", "WALKS", 0),
        ("forward", "WALKS", 0),
        ("2_move", "WALKS", 0),
        ("move_attack", None, 2),
        ("head_movement", None, 2),
        ("running_forward", "RUNS", 0),
        ("sneak_forward", None, 1),
        ("backward", None, 1),
        ("Running", "RUNS", 0),
        ("slow_jog", "RUNS", 1),
        ("SPRINT", "RUNS", 1),
        ("Idle", "STANDS", 0),
        ("Breathing Idle", "STANDS", 0),
        ("Standing", "STANDS", 1),
        ("Sitting Idle", None, 2),
        ("Stand To Sit", None, 3),
        ("trunk", None, 1),
        ("crunch", None, 1),
        ("agree", None, 1),
        ("mixamo.com", None, 0),
        ("Walker|mixamo.com|Layer0", None, 0),
        ("ThumbsUp", None, 2),
        ("Armature|Action.001", None, 0),
        ("Take 1", None, 0),
        ("", None, 0),
    ],
)
def test_what_a_name_says(names, name, kind, doubt):
    found = names.read_name(name)
    assert (found.kind and found.kind.name, found.doubt) == (kind, doubt)


@pytest.mark.parametrize(
    "name", ["Frog_Jump", "hopping", "Swimming", "Armature|Swim", "Flies", "Flying_Idle", "Slithers"]
)
def test_how_bodies_go_on_that_do_not_walk(names, name):
    assert names.leaps(name)


@pytest.mark.parametrize("name", ["Walk", "butterflies", "Swimmer", "Attack", "Flight"])
def test_other_names_are_no_leaps(names, name):
    assert not names.leaps(name)
