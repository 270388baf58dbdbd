# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of what is wrong: what stands in it, where a line leads to, and whose report it is."""

import bpy
import pytest


def make_collision(street):
    """Two crowds of heedless people on one straight line, who walk through each other at about frame 70."""
    from ...street import new_path

    street.scene.frame_end = 95
    bpy.ops.footfall.crowd_add()
    back = new_path("Back", street.scene.collection, [(10, 0, 0), (5, 0, 0), (0, 0, 0)])
    for crowd, route in zip(street.settings.crowds, (street.path, back), strict=True):
        crowd.route, crowd.characters, crowd.count, crowd.avoidance = route, street.crowd.characters, 1, "NONE"
        crowd.speed.mean, crowd.speed.sd = 1.9, 0.0
    street.crowd = street.settings.crowds[0]
    return street


@pytest.fixture
def collision(street):
    return make_collision(street)


@pytest.fixture
def collided(addon, kept_streets):
    """The same after a bake."""
    from ...street import Street

    def make():
        make_collision(Street())
        bpy.ops.footfall.bake()

    return kept_streets("collided", make)


def test_two_who_meet_head_on_are_the_first_line(collided):
    first = collided.settings.problems[0]
    assert first.kind == "overlap"
    assert [title for _, title in first.characters] == ["Crowd 001", "Crowd.001 001"]
    assert first.who == "Crowd 001 + Crowd.001 001"
    assert first.figure.endswith(" cm")
    assert first.name == f"Overlap {first.figure} \N{MIDDLE DOT} {first.who}"
    assert first.what == "Overlap"
    assert first.who_in_short == first.who, "no beginning of one crowd's name tells it from the other's"
    for crowd, name in zip(collided.settings.crowds, ("Eastbound", "Westbound"), strict=True):
        crowd.name = name
    first.name = first.name.replace("Crowd.001", "Westbound").replace("Crowd", "Eastbound")
    assert first.who_in_short == "E 001 + W 001"
    collided.settings.crowds.remove(1)
    assert (first.who_in_short, first.numbers) == ("001 + ? 001", "001 + 001"), "a crowd that has been removed since"
    assert first.severity > 1.0
    assert first.place[0] == pytest.approx(5.0, abs=1.0)


def test_choosing_a_line_goes_to_its_frame_and_selects_who_it_is_about(collided):
    first = collided.settings.problems[0]
    collided.settings.active_problem_index = 0
    assert collided.scene.frame_current == first.frame
    assert {obj.name for obj in bpy.context.selected_objects} == {"Crowd 001", "Crowd.001 001"}
    assert bpy.context.view_layer.objects.active.name == "Crowd 001"


def test_a_line_can_be_gone_to_again(collided):
    collided.settings.active_problem_index = 0
    collided.scene.frame_set(1)
    bpy.ops.footfall.go_to_problem()
    assert collided.scene.frame_current == collided.settings.problems[0].frame


def test_a_notice_selects_the_object_that_it_names(street):
    street.kiosk.location.z = 9.0  # over all heads, which is told
    bpy.ops.footfall.bake()
    notices = [index for index, each in enumerate(street.settings.problems) if each.kind == "notice"]
    named = [index for index in notices if street.settings.problems[index].name.startswith("'Kiosk'")]
    assert named
    street.settings.active_problem_index = named[0]
    assert bpy.context.view_layer.objects.active.name == "Kiosk"


def test_characters_that_are_gone_are_told_of(collided):
    for _, name in collided.settings.problems[0].characters:
        bpy.data.objects.remove(bpy.data.objects[name])
    assert bpy.ops.footfall.go_to_problem(index=0) == {"FINISHED"}
    with pytest.raises(RuntimeError, match="has no line 99"):
        bpy.ops.footfall.go_to_problem(index=99)


def test_the_list_is_kept_in_the_file_and_goes_with_the_bake(collided, tmp_path):
    lines = [line.name for line in collided.settings.problems]
    path = str(tmp_path / "kept.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    settings = bpy.context.scene.footfall
    assert [line.name for line in settings.problems] == lines
    bpy.ops.footfall.clear()
    assert not len(settings.problems)


def test_a_report_does_not_pass_for_that_of_a_bake_that_failed(collision, addon):
    attempts = addon.module("blender_addon.runtime.failed_bakes")
    bpy.ops.footfall.bake()
    assert attempts.why_failed(collision.scene) == ""
    collision.settings.bounds = bpy.data.objects["Kiosk"]  # far smaller than the way of anybody
    with pytest.raises(RuntimeError):
        bpy.ops.footfall.bake()
    assert attempts.why_failed(collision.scene)
    collision.settings.bounds = None
    bpy.ops.footfall.bake()
    assert attempts.why_failed(collision.scene) == ""


@pytest.fixture
def closed(addon, kept_streets):
    """Four people who come to a thin wall that is far longer than anybody goes round."""
    from ...street import Street, new_wall

    def make():
        street = Street()
        new_wall("Screen", street.obstacles, (4.0, -60.0), (4.0, 60.0))
        new_wall("Fence", street.obstacles, (0.0, 9.0), (2.0, 9.0))
        street.scene.frame_end, street.crowd.count, street.crowd.spawn.mode = 210, 4, "FLOW"
        street.crowd.spawn.rate = 2.0
        bpy.ops.footfall.bake()

    return kept_streets("closed", make)


def test_what_closes_the_way_of_a_crowd_is_named_by_its_object_with_the_place(closed):
    notices = [each.name for each in closed.settings.problems if each.kind == "notice"]
    (told,) = (notice for notice in notices if "itself stands where people walk" not in notice)
    assert told.startswith(
        "Crowd: 4 of 4 stand still because their path is blocked. The obstacle is 'Screen' at (4.0, "
        "0.0). The detour is 1"
    )
    index = [each.name for each in closed.settings.problems].index(told)
    closed.settings.active_problem_index = index
    assert bpy.context.view_layer.objects.active == bpy.data.objects["Screen"]


def test_all_who_have_no_way_for_the_same_reason_are_one_line(closed):
    (line,) = [each for each in closed.settings.problems if each.kind == "refused"]
    first = line.characters[0][1]
    assert line.name.startswith(
        f"No route \N{MIDDLE DOT} {first} and 3 others: 'Screen' blocks the path at (4.0, 0.0)."
    )
    closed.settings.active_problem_index = list(closed.settings.problems).index(line)
    assert closed.scene.frame_current == line.frame > 50
    assert bpy.context.view_layer.objects.active.name == first
    assert len(bpy.context.selected_objects) == 4


def test_who_is_an_instance_is_shown_by_the_crowd(collision):
    for crowd in collision.settings.crowds:
        crowd.output = "INSTANCES"
    bpy.ops.footfall.bake()
    collision.settings.active_problem_index = 0
    assert bpy.context.view_layer.objects.active["footfall_crowd"] == collision.settings.problems[0].characters[0][0]


def test_a_jam_is_told_before_the_lines_of_single_people_whom_it_holds_up(collision, addon):
    event = {"frame": 5, "place": [1.0, 2.0, 0.0], "people": [["a", "b"]], "severity": 9.0, "amount": 0.3}
    kinds = ("overlap", "stuck", "feet")
    report = {
        "events": [event | {"kind": kind, "names": [f"Walkers {kind}"]} for kind in kinds],
        "notices": ["Walkers: 3 of 9 are late.", "9 people block each other at (0.0, 0.4) from frame 241 on. Widen."],
    }
    problems = collision.settings.problems
    addon.module("blender_addon.settings.problems").list_problems(problems, report)
    assert [line.kind for line in problems] == ["overlap", "notice", "stuck", "feet", "notice"]
    assert problems[1].name.startswith("9 people block each other")
    assert [line.what for line in problems] == ["Overlap", "", "Stands", "Foot slides", ""]
    assert problems[2].frame == 5
    assert problems[4].name.startswith("Walkers: 3 of 9")


def test_an_unlikely_size_is_told_before_what_comes_of_it(collision, addon):
    module = addon.module("blender_addon.settings.problems")
    event = {"frame": 5, "place": [1.0, 2.0, 0.0], "people": [["a", "b"]], "severity": 9.0, "amount": 0.3}
    size = f"'Fox' is 76.9 m tall in this scene's units; {module.UNLIKELY_SIZE}. The same holds for 2 more"
    report = {"events": [event | {"kind": "clipping", "names": ["Walkers 001"]}], "notices": ["Walkers: late.", size]}
    problems = collision.settings.problems
    module.list_problems(problems, report)
    assert [line.name for line in problems][::2] == [size, "Walkers: late."]
    assert [line.what for line in problems] == ["", "Clipping", ""]


def test_a_line_names_people_however_narrow_the_sidebar_is(collided, addon):
    name_line = addon.module("blender_addon.interface.panels.report").name_line
    first = collided.settings.problems[0]
    assert name_line(first, 40) == "Crowd 001 + Crowd.001 001: Overlap"
    assert name_line(first, 20) == "001 + 001: Overlap"
    assert name_line(first, 10) == "001 + 001"
