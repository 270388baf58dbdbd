# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual's page on scripting says what is registered, to the letter, and its examples run."""

import json
import re
import sys
from textwrap import dedent

import bpy
import pytest

from tests.sweeps import sweep

from ..street import new_box

SETTINGS = {
    "scene.footfall": "FootfallScene",
    "scene.footfall.overlays": "FootfallOverlays",
    "scene.footfall.cast[i]": "FootfallCastRow",
    "scene.footfall.cast[i].walk": "FootfallCastClip",
    "scene.footfall.triggers[i]": "FootfallTrigger",
    "crowd": "FootfallCrowd",
    "crowd.speed": "FootfallSpeed",
    "crowd.spawn": "FootfallSpawn",
    "crowd.following": "FootfallFollowing",
    "crowd.following.weights": "FootfallPlanWeights",
    "crowd.flocking": "FootfallFlocking",
    "crowd.groups": "FootfallGroups",
    "crowd.vehicle": "FootfallVehicle",
    "crowd.motion": "FootfallMotion",
    "crowd.edits[i]": "FootfallEdit",
    "crowd.stops[i]": "FootfallStop",
    "crowd.presence": "FootfallPresence",
}
"""What the page tells of, and its class; the lines of the report are told of apart."""


@pytest.fixture
def page(addon):
    return (addon.repository / "docs" / "manual" / "scripting.md").read_text(encoding="utf-8")


@pytest.fixture
def section(page):
    """The text below a heading, up to the next of any level."""

    def of(heading):
        found = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#|\Z)", page, flags=re.MULTILINE | re.DOTALL)
        assert found, heading
        return found[1]

    return of


def rows(text):
    return [line for line in text.splitlines() if line.startswith("| `")]


def code(text):
    """The code in a section, as it stands."""
    return dedent("\n".join(line for line in text.splitlines() if line.startswith("    ") or not line))


def shown(value):
    return f'"{value}"' if isinstance(value, str) else f"{value:g}" if isinstance(value, float) else str(value)


def choices(prop):
    default = [] if getattr(prop, "is_enum_flag", False) else [prop.default]
    values = [*default, *(item.identifier for item in prop.enum_items if item.identifier != prop.default)]
    return ", ".join(f"`{value}`" for value in values)


def row_of_operator(name):
    rna = getattr(bpy.ops.footfall, name).get_rna_type()
    arguments = [each for each in rna.properties if each.identifier != "rna_type" and not each.is_hidden]
    call = f"{name}({', '.join(f'{each.identifier}={shown(each.default)}' for each in arguments)})"
    enums = [f"`{each.identifier}`: {choices(each)}" for each in arguments if each.type == "ENUM"]
    return f"| `{call}` | {'; '.join(enums)} | {rna.description} |"


def row_of_setting(prop):
    if prop.type == "ENUM":
        default = choices(prop)
    elif prop.type == "POINTER":
        default = f"`{prop.fixed_type.identifier}` or `None`"
    else:
        default = f"`{shown(prop.default)}`"
    return f"| `{prop.identifier}` | {default} | *{prop.name}*. {prop.description} |"


def is_ours(prop):
    return prop.type in {"POINTER", "COLLECTION"} and prop.fixed_type.identifier.startswith("Footfall")


def classes():
    """The classes of settings, by their names."""
    module = sys.modules["bl_ext.user_default.footfall.blender_addon.settings.scene_settings"]
    return {each.__name__: each for each in module.CLASSES}


def own_properties(class_name):
    group = classes()[class_name]
    known = {each.identifier: each for each in group.bl_rna.properties}  # a name of ours comes after Blender's own
    return [known[name] for name in group.__annotations__]


def test_every_operator_stands_there_with_its_arguments_and_nothing_else(addon, section):
    assert rows(section("Operators")) == [row_of_operator(name) for name in sorted(dir(bpy.ops.footfall))]


@pytest.mark.parametrize("place", SETTINGS)
def test_every_setting_stands_there_with_its_values_and_nothing_else(addon, section, place):
    wanted = [row_of_setting(each) for each in own_properties(SETTINGS[place]) if not is_ours(each)]
    assert rows(section(f"`{place}`")) == wanted


def test_no_group_of_settings_is_left_out(addon):
    assert set(classes()) == {*SETTINGS.values(), "FootfallProblem", "FootfallHandwork"}
    for place, name in SETTINGS.items():
        for prop in filter(is_ours, own_properties(name)):
            inside = {"crowds": "crowd", "problems": None, "handwork": None}
            inside |= {each.name: None for each in addon.module("blender_addon.settings.cast_rows").CLIP_ROLES[1:]}
            suffix = "[i]" if prop.type == "COLLECTION" else ""
            assert inside.get(prop.identifier, f"{place}.{prop.identifier}{suffix}") in {*SETTINGS, None}


SHORTER = {"path, 12": "path, 4", "(6, 0, 0), (12, 4, 0)": "(3, 0, 0), (5, 1, 0)"}
"""What the first example reads with fewer people on a shorter path."""


@pytest.mark.parametrize("count", sweep([4, 12], usual=1))
def test_the_examples_run_one_after_another_and_all_that_they_speak_of_is_told(
    addon, section, two_figures, tmp_path, monkeypatch, capsys, count
):
    """All on the bake of the first of them, which one of them makes anew; the last pins somebody."""
    monkeypatch.chdir(tmp_path)
    names, first = {}, code(section("A crowd from a script"))
    for words, fewer in SHORTER.items():
        assert words in first
        first = first.replace(words, fewer) if count < 12 else first
    exec(first, names)
    assert (tmp_path / "baked.blend").is_file()
    assert sum("footfall_made_as" in each and each.parent is None for each in bpy.context.scene.objects) == count
    assert f"{count} of {count} arrived" in capsys.readouterr().out
    a_report_is_told_whole(section, names, capsys, count)
    it_says_why_somebody_does_what_it_does(addon, section, names, capsys)
    it_says_whether_the_bake_is_up_to_date(section, names)
    exec(code(section("Who is who")), names)
    assert sorted(names["people"]) == [f"Walkers {number:03d}" for number in range(1, count + 1)]
    an_event_is_told_whole(section)


def an_event_is_told_whole(section):
    """Of boxes whose path ends at a wall that nobody can walk round."""
    scene = bpy.context.scene
    scene.frame_end, crowd = 160, scene.footfall.crowds[0]
    boxes = bpy.data.collections.new("Boxes")
    new_box("Box", boxes, height=1.7)
    crowd.count, crowd.characters = 3, boxes
    bpy.ops.mesh.primitive_cube_add(location=(2.5, 2.0, 1.0))
    bpy.context.object.scale = (0.3, 60.0, 1.0)
    bpy.ops.footfall.mark_obstacle()
    bpy.ops.footfall.bake(edited="KEEP")
    told, events = section("The report in Python"), json.loads(scene.footfall.report)["events"]
    assert any("reason" in event for event in events)
    assert {key for event in events for key in event if f"`{key}`" not in told} == set()


def a_report_is_told_whole(section, names, capsys, count):
    told = section("The report in Python")
    exec(code(told), names)
    assert f"Walkers: {count} of {count}" in capsys.readouterr().out
    report = json.loads(bpy.context.scene.footfall.report)
    keys = {*report, "corridor_map", *report["total"]}
    assert {key for key in keys if f"`{key}`" not in told} == set()
    lines = {each.identifier for each in own_properties("FootfallProblem")}
    assert {name for name in lines if f"`{name}`" not in told} == set()


def it_says_whether_the_bake_is_up_to_date(section, names):
    settings, told = names["settings"], section("Is the bake up to date?")
    before = json.loads(settings.report)["motion"]
    assert settings.bake_state == "UP_TO_DATE"
    settings.crowds[0].speed.mean, bpy.context.scene.frame_end = 1.2, 24
    assert settings.bake_state == "CHANGED"
    exec(code(told), names)
    assert settings.bake_state == "UP_TO_DATE"
    assert json.loads(settings.report)["motion"] != before
    assert {state for state in ("NOT_COMPARED", "CHANGED", "OUT_OF_DATE") if f"`{state}`" not in told} == set()


def it_says_why_somebody_does_what_it_does(addon, section, names, capsys):
    told = section("Why a person moves as they do")
    exec(code(told), names)
    found = json.loads(names["settings"].explanation)
    assert f"Walkers 003 60 {found['sentence']}" in capsys.readouterr().out
    assert {key for key in found if f"`{key}`" not in told} == set()
    doing = {each.name.lower() for each in addon.module("core.inspection.reasons").Doing if each < each.DRIVING}
    assert {word for word in doing if f"`{word}`" not in told} == set()


def test_every_option_of_the_command_line_stands_there(addon, section, capsys):
    command_line = addon.module("blender_addon.command_line")
    assert command_line.run(["bake", "--help"]) == 0
    options = set(re.findall(r"--[a-z-]+", capsys.readouterr().out)) - {"--help", "--command"}
    told = section("Without Python")
    assert len(options) >= 10
    assert {option for option in options if f"`{option}" not in told} == set()
