# SPDX-License-Identifier: GPL-3.0-or-later
"""`footfall_bpy.py`: the command line where Blender is a Python module, as a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import bpy
import pytest

from tests.sweeps import sweep

from ..street import new_path

pytestmark = [
    pytest.mark.each_blender("a process of its own with this bpy"),
    pytest.mark.skipif(bool(bpy.app.binary_path), reason="Blender itself has a command line"),
]


@pytest.fixture
def street_file(addon, tmp_path):
    """A saved file with a crowd of three on a path."""
    scene = bpy.context.scene
    scene.frame_end = 5
    path = new_path("Path", scene.collection, [(0, 0, 0), (10, 0, 0)])
    bpy.ops.footfall.crowd_add()
    crowd = scene.footfall.crowds[0]
    crowd.route, crowd.count, crowd.output = path, 3, "INSTANCES"
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "street.blend"))
    return tmp_path / "street.blend"


@pytest.fixture
def program(addon, tmp_path):
    """Runs the program, copied to a folder of its own; returns its exit code and both outputs."""
    copy = tmp_path / "program.py"
    copy.write_bytes((addon.repository / "blender_addon" / "farm" / "footfall_bpy.py").read_bytes())

    def run(*words, **variables):
        done = subprocess.run(
            [sys.executable, str(copy), *map(str, words)],
            cwd=tmp_path,
            env=os.environ | variables,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=900,
            check=False,
            encoding="utf-8",
        )
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.mark.once
def test_it_bakes_as_the_command_line_does(street_file, program, addon, tmp_path, monkeypatch, capsys):
    words = ["bake", "--output", "baked.blend", "--report", "report.json", "--seed", "4"]
    code, out, _ = program("street.blend", *words)
    assert code == 0
    report = json.loads((tmp_path / "report.json").read_bytes())
    assert f"Motion {report['motion']}" in out
    monkeypatch.chdir(tmp_path)
    assert addon.module("blender_addon.command_line").run(words) == 0
    assert f"Motion {report['motion']}" in capsys.readouterr().out


@pytest.mark.once
def test_the_exit_code_is_that_of_the_command_line(street_file, program):
    code, _, err = program("street.blend", "bake", "--crowd", "Nobody")
    assert (code, err.splitlines()[-1]) == (2, "no crowd is named 'Nobody'; there are: 'Crowd'")


@pytest.mark.once
@pytest.mark.parametrize(
    ("words", "variables", "told"),
    sweep(
        [
            (["street.blend"], {}, "usage: footfall_bpy.py FILE.blend bake|export"),
            (["other.blend", "bake"], {}, "other.blend"),
            (["street.blend", "bake"], {"BLENDER_USER_RESOURCES": "none"}, "Footfall is not installed for this bpy"),
            ([], {}, "usage: footfall_bpy.py FILE.blend bake|export"),
            (["--help", "bake"], {}, "usage: footfall_bpy.py FILE.blend bake|export"),
        ],
        usual=3,
    ),
)
def test_what_is_missing_is_told(street_file, program, words, variables, told):
    code, _, err = program(*words, **variables)
    assert code == 2
    assert told in err


def test_the_page_on_farms_shows_words_that_it_takes(addon):
    page = (addon.repository / "docs" / "farm.md").read_text(encoding="utf-8")
    [line] = [line for line in page.splitlines() if line.startswith("    python footfall_bpy.py")]
    parser = addon.module("blender_addon.command_line")._parser()
    options = parser.parse_args(line.split()[3:])
    assert (options.output, options.report) == (Path("baked.blend"), Path("report.json"))
