# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of any kind, given as scene files: read, or told what is wrong with them."""

import copy
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import FootfallError, SceneError, load_scene, save_scene
from core.scene.file import scene_from_json

from .full_scene import ALL_PLACES, FULL, faults_of, walk

pytestmark = pytest.mark.once

WRONG_FILES = {
    "empty": (b"", "not JSON"),
    "cut off": (b'{"footfall_scene": 1,', "not JSON: .*line"),
    "trailing comma": (b'{"fps": 24,\n}', "not JSON: .*line"),
    "Latin-1": ('{"name": "Straße"}'.encode("latin-1"), "not UTF-8"),
    "UTF-16": ('{"name": "a"}'.encode("utf-16"), "not UTF-8"),
    "deep": (b"[" * 100_000 + b"]" * 100_000, "nested too deeply"),
    "a list": (b"[1, 2]", "must be an object"),
    "a number": (b"3", "must be an object"),
    "null": (b"null", "must be an object"),
}


@pytest.mark.parametrize("what", WRONG_FILES)
def test_what_is_no_scene_file_is_told(tmp_path, what):
    content, message = WRONG_FILES[what]
    path = tmp_path / "scene.json"
    path.write_bytes(content)
    with pytest.raises(SceneError, match=message) as caught:
        load_scene(path)
    assert len(caught.value.faults) == 1


def test_a_missing_file_and_a_folder_are_told_by_name(tmp_path):
    with pytest.raises(SceneError, match=r"nowhere\.json.*no such file"):
        load_scene(tmp_path / "nowhere.json")
    with pytest.raises(SceneError, match="is a folder"):
        load_scene(tmp_path)
    with pytest.raises(SceneError, match="cannot be read"):
        load_scene("a\0b")


def test_literals_that_json_has_not_and_endless_numbers_are_told_with_their_place(tmp_path):
    text = json.dumps(FULL).replace('"fps": 23.976', '"fps": NaN').replace('"seed": 7', '"seed": ' + "9" * 5000)
    text = text.replace('"headway": 0.25', '"headway": -Infinity').replace('"sd": 0.1', '"sd": 1e999')
    path = tmp_path / "scene.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SceneError) as caught:
        load_scene(path)
    found = {fault.place: fault.message for fault in caught.value.faults}
    assert found == {
        "fps": "must be a finite number, got nan",
        "seed": "must be a whole number, got inf",
        "crowds[0].spawn.headway": "must be a finite number, got -inf",
        "crowds[0].speed.sd": "must be a finite number, got inf",
        "triggers[0].delay.sd": "must be a finite number, got inf",
    }


def test_a_key_that_stands_twice_is_told(tmp_path):
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(FULL).replace('"count": 100', '"count": 100, "count": 10'), encoding="utf-8")
    with pytest.raises(SceneError, match=r"crowds\[0\]\.count: occurs more than once"):
        load_scene(path)


def test_a_byte_order_mark_is_no_fault(tmp_path):
    path = tmp_path / "scene.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(FULL).encode())
    assert load_scene(path).seed == 7


def test_a_scene_that_cannot_be_written_leaves_the_old_one(tmp_path):
    scene = scene_from_json(FULL)
    with pytest.raises(FootfallError, match="no folder"):
        save_scene(scene, tmp_path / "none" / "scene.json")
    with pytest.raises(FootfallError, match="is a folder"):
        save_scene(scene, tmp_path)
    assert list(Path(tmp_path).iterdir()) == []


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["", "Path", "loop", "vehicle", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "mean", "k"]), inner, max_size=2)
    ),
    max_leaves=6,
)


@settings(max_examples=120)
@given(st.lists(st.tuples(st.sampled_from(ALL_PLACES), anything), min_size=1, max_size=4))
def test_whatever_stands_in_a_file_is_read_or_told(changes):
    data = copy.deepcopy(FULL)
    for place, value in changes:
        for spot, holder, key in walk(data):
            if spot == place:
                holder[key] = value
                break
    for place, message in faults_of(data):
        assert place
        assert message
