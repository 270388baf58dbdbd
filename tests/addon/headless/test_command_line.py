# SPDX-License-Identifier: GPL-3.0-or-later
"""`--command footfall`: what it does, what it says, and what it leaves alone."""

import hashlib
import json
import shutil
from pathlib import Path

import bpy
import pytest

from ..street import new_path

pytestmark = pytest.mark.each_blender("commands are registered, files opened and saved")


@pytest.fixture
def run(addon):
    return addon.module("blender_addon.command_line").run


@pytest.fixture
def street_file(addon, tmp_path, monkeypatch):
    """A saved file with a crowd of three on a path, opened; the folder is the working one."""
    scene = bpy.context.scene
    scene.frame_end = 5
    path = new_path("Path", scene.collection, [(0, 0, 0), (10, 0, 0)])
    characters = bpy.data.collections.new("Boxes")
    mesh = bpy.data.meshes.new("Box")
    mesh.from_pydata([(0, 0, 0), (0.3, 0, 0), (0, 0, 1.7)], [], [(0, 1, 2)])
    characters.objects.link(bpy.data.objects.new("Box", mesh))
    bpy.ops.footfall.crowd_add()
    crowd = scene.footfall.crowds[0]
    crowd.route, crowd.characters, crowd.count = path, characters, 3
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "street.blend"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "street.blend"


def digest(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def is_baked(path):
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return bool(bpy.context.scene.footfall.crowds[0].baked)


def test_bake_saves_the_opened_file(run, street_file, capsys):
    assert run(["bake"]) == 0
    assert "3" in capsys.readouterr().out
    assert is_baked(street_file)
    assert sum("footfall_crowd" in obj for obj in bpy.context.scene.objects) == 3


def test_with_an_output_the_opened_file_stays_as_it_is(run, street_file):
    before = digest(street_file)
    assert run(["bake", "--output", "baked.blend", "--report", "report.json"]) == 0
    assert digest(street_file) == before
    assert bpy.data.filepath == str(street_file)
    report = json.loads(Path("report.json").read_text(encoding="utf-8"))
    assert report["total"]["agents"] == 3
    assert is_baked(street_file.with_name("baked.blend"))


def test_the_report_is_the_one_in_the_file(run, street_file):
    assert run(["bake", "--report", "report.json"]) == 0
    stored = json.loads(bpy.context.scene.footfall.report)
    assert json.loads(Path("report.json").read_text(encoding="utf-8")) == stored


def test_one_crowd_by_name(run, street_file, capsys):
    bpy.ops.footfall.crowd_add()
    other = bpy.context.scene.footfall.crowds[1]
    other.route, other.count = bpy.data.objects["Path"], 2
    other.spawn.mode = "SPREAD"
    assert run(["bake", "--crowd", "Crowd"]) == 0
    assert is_baked(street_file)
    assert not bpy.context.scene.footfall.crowds[1].baked
    before = digest(street_file)
    assert run(["bake", "--crowd", "Nobody"]) != 0
    assert "Nobody" in capsys.readouterr().err
    assert digest(street_file) == before


def test_export_writes_a_scene_that_the_core_reads(addon, run, street_file):
    before = digest(street_file)
    assert run(["export", "scene.json"]) == 0
    assert addon.core.load_scene("scene.json").crowds[0].count == 3
    assert digest(street_file) == before


def test_faults_are_told_one_line_each_and_nothing_is_touched(run, street_file, capsys):
    bpy.data.objects["Path"].data.splines.clear()
    bpy.ops.footfall.crowd_add()
    before = digest(street_file)
    for words in (["bake", "--output", "baked.blend", "--report", "report.json"], ["bake"], ["export", "scene.json"]):
        assert run(words) == 2
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) >= 2
        assert any("Path" in line for line in lines)
        assert any("Crowd.001" in line for line in lines)
    assert digest(street_file) == before
    assert [path.name for path in street_file.parent.iterdir()] == ["street.blend"]


@pytest.mark.parametrize(
    "words",
    [
        ["bake", "--output", "nowhere/baked.blend"],
        ["bake", "--report", "nowhere/report.json"],
        ["export", "nowhere/scene.json"],
    ],
)
def test_a_missing_folder_is_named_before_the_work(run, street_file, capsys, words):
    before = digest(street_file)
    assert run(words) == 2
    assert "there is no folder 'nowhere'" in capsys.readouterr().err
    assert digest(street_file) == before


def test_a_folder_or_the_blend_file_cannot_take_a_report(run, street_file, capsys):
    Path("folder").mkdir()
    before = digest(street_file)
    assert run(["bake", "--report", "folder"]) == 2
    assert run(["bake", "--report", "street.blend"]) == 2
    assert run(["bake", "--report", "out.blend", "--output", "./out.blend"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 3
    assert digest(street_file) == before


@pytest.mark.parametrize("name", ["street.blend", "copy.json", "STREET.BLEND"])
@pytest.mark.parametrize(
    "words",
    [
        ["export"],
        ["bake", "--report"],
        ["bake", "--picture"],
        ["bake", "--seed", "1..2", "--contact-sheet"],
        ["bake", "--seed", "1..2", "--report"],
    ],
    ids=" ".join,
)
def test_no_output_but_a_blend_file_takes_the_place_of_one(run, street_file, capsys, words, name):
    shutil.copy(street_file, "copy.json")  # a Blender file all the same
    before = {path.name: digest(path) for path in street_file.parent.iterdir()}
    assert run([*words, name]) == 2
    told = capsys.readouterr().err.strip()
    assert name in told
    assert "Blender file" in told
    assert {path.name: digest(path) for path in street_file.parent.iterdir()} == before


@pytest.mark.parametrize("name", ["street.blend", "copy.json"])
def test_the_exporter_of_the_menu_leaves_blender_files_alone(street_file, name):
    shutil.copy(street_file, "copy.json")
    before = digest(street_file.with_name(name))
    with pytest.raises(RuntimeError, match="Blender file"):
        bpy.ops.footfall.export_scene(filepath=str(street_file.with_name(name)))
    assert digest(street_file.with_name(name)) == before


def test_when_the_blend_file_cannot_be_saved_no_report_is_left(run, street_file, capsys, monkeypatch, addon):
    module = addon.module("blender_addon.command_line")

    def fail(_output):
        raise addon.errors.FootfallError("cannot save 'out.blend': the disk is full")

    monkeypatch.setattr(module, "_save_blend", fail)
    Path("report.json").write_text("old", encoding="utf-8")
    assert run(["bake", "--output", "out.blend", "--report", "report.json"]) == 1
    assert "the disk is full" in capsys.readouterr().err
    assert Path("report.json").read_text(encoding="utf-8") == "old"
    assert sorted(path.name for path in street_file.parent.iterdir()) == ["report.json", "street.blend"]


def test_a_place_that_blender_cannot_write_is_told(run, street_file, capsys):
    shutil.copy(street_file, "fixed.blend")
    assert run(["bake", "--output", "a" * 300 + ".blend"]) == 1
    assert capsys.readouterr().err.startswith("cannot ")


def test_without_a_file_it_asks_where_to_save(addon, run, capsys):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    assert run(["bake"]) == 2
    assert run(["bake", "--seed", "1..2", "--report", "report.json"]) == 2
    assert "--output" in capsys.readouterr().err


def test_a_crowd_that_is_not_there_is_a_fault_of_the_command_line(run, street_file, capsys):
    before = digest(street_file)
    assert run(["bake", "--crowd", "Nobody"]) == 2
    assert capsys.readouterr().err.startswith("no crowd is named 'Nobody'; there are: ")
    assert digest(street_file) == before


@pytest.mark.parametrize("words", [[], ["dance"], ["bake", "--wrong"], ["export"], ["bake", "--crowd"]])
def test_a_wrong_command_is_explained(run, words, capsys):
    assert run(words) == 2
    assert "usage: blender -b FILE.blend --command footfall" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--help"], ["bake", "--help"], ["export", "-h"]])
def test_help_is_no_failure(run, words, capsys):
    assert run(words) == 0
    assert "usage:" in capsys.readouterr().out
