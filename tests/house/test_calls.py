# SPDX-License-Identifier: GPL-3.0-or-later
"""What is called in one place alone, or never: curves of Actions, removal of scenes, texts without an encoding."""

import ast
import re

import pytest

from .sources import ALL_PYTHON, broken_in_sources, place_of, walked

CURVE_WORDS = {"channelbag", "channelbags", "action_slot", "keyframe_points", "nla_tracks"}
CURVE_DOOR = "blender_addon/blender_data/"


def curve_words(place, text):
    """Where an action's F-curves live differs between Blender's versions: only one folder may know."""
    if place.startswith(CURVE_DOOR):
        return []
    return [
        f"{place}:{node.lineno} touches {ast.unparse(node)}"
        for node in walked(text)
        if isinstance(node, ast.Attribute)
        and (node.attr in CURVE_WORDS or (node.attr == "fcurves" and "action" in ast.unparse(node.value).lower()))
    ]


def crashing_calls(place, text):
    """`bpy.data.scenes.remove` crashes Blender up to 4.3 where there is no window; `batch_remove` does not."""
    return [
        f"{place}:{node.lineno} removes a scene by itself: use bpy.data.batch_remove"
        for node in walked(text)
        if isinstance(node, ast.Attribute) and ast.unparse(node).endswith("data.scenes.remove")
    ]


def unencoded_texts(place, text):
    """Files and pipes of text without a named encoding: on Windows that is not UTF-8."""
    broken = []
    for node in walked(text):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name, words = node.func.attr, {keyword.arg for keyword in node.keywords}
            plain = (name == "read_text" and not node.args) or (name == "write_text" and len(node.args) < 2)
            plain |= name in {"run", "Popen", "check_output"} and "text" in words
            if plain and "encoding" not in words:
                broken.append(f"{place}:{node.lineno} names no encoding")
    return broken


@pytest.mark.parametrize(
    "text",
    ["walk_action.fcurves.new('location')", "rig.animation_data.action_slot = slot", "rig.animation_data.nla_tracks"],
)
def test_a_word_about_curves_outside_its_door_is_seen(text):
    assert curve_words("blender_addon/baking/bake.py", text)


def test_the_curves_of_a_strip_are_the_same_in_every_blender():
    assert curve_words("blender_addon/baking/bake.py", "strip.fcurves.find('strip_time')") == []


def test_a_scene_that_is_removed_by_itself_is_seen():
    assert crashing_calls("blender_addon/blender_data/evaluation.py", "bpy.data.scenes.remove(scene)")
    assert crashing_calls("blender_addon/blender_data/evaluation.py", "bpy.data.batch_remove([scene])") == []


def test_curves_of_actions_are_touched_behind_their_door_alone():
    assert broken_in_sources(curve_words) == []


def test_no_scene_is_removed_by_itself():
    assert broken_in_sources(crashing_calls) == []


@pytest.mark.parametrize(
    "text", ["path.read_text()", "path.write_text('a')", "subprocess.run(['a'], text=True, check=True)"]
)
def test_a_text_without_an_encoding_is_seen(text):
    assert unencoded_texts("tests/house/test_calls.py", text)
    assert unencoded_texts("tests/house/test_calls.py", f"{text[:-1]}, encoding='utf-8')".replace("(, ", "(")) == []


def test_every_text_names_its_encoding():
    texts = {place_of(path): path.read_text(encoding="utf-8") for path in ALL_PYTHON}
    candidates = {place: text for place, text in texts.items() if re.search(r"(read|write)_text\(|text=True", text)}
    assert len(candidates) > 20
    assert [each for place, text in candidates.items() for each in unencoded_texts(place, text)] == []
