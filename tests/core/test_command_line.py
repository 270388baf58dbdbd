# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line as a user meets it: exit codes, what stands on standard error, and which files are left."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from core import Trajectories
from core.__main__ import main

ROOT = Path(__file__).parents[2]
SCENE = {
    "footfall_scene": 1,
    "frames": [1, 60],
    "routes": [{"name": "Path", "points": [[0, 0], [6, 1], [12, 0]]}],
    "crowds": [{"name": "Walkers", "count": 4, "route": "Path"}],
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "scene.json").write_text(json.dumps(SCENE), encoding="utf-8")
    return tmp_path


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def simulate(folder, *more, scene="scene.json", output="out.npz"):
    return main(["simulate", str(folder / scene), "-o", str(folder / output), *more])


def test_a_scene_becomes_trajectories_and_a_report(folder, capsys):
    assert simulate(folder, "--report", str(folder / "report.json")) == 0
    assert files(folder) == ["out.npz", "report.json", "scene.json"]
    trajectories = Trajectories.load(folder / "out.npz")
    assert trajectories.position.shape == (60, 4, 3)
    np.testing.assert_array_equal(trajectories.frames, np.arange(1, 61))
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert report["total"]["agents"] == report["crowds"]["Walkers"]["agents"] == 4
    told = capsys.readouterr()
    assert "of 4 arrived" in told.out
    assert told.err == ""


@pytest.mark.once
def test_the_same_scene_gives_the_same_bytes(folder):
    assert simulate(folder, "--backend", "numpy") == 0
    assert simulate(folder, "--backend", "numpy", output="again.npz") == 0
    assert (folder / "out.npz").read_bytes() == (folder / "again.npz").read_bytes()


def test_faults_are_told_one_a_line_with_exit_code_2_and_nothing_written(folder, capsys):
    bad = SCENE | {"fps": -1, "crowds": [{"name": "Walkers", "count": -4, "route": "Pth"}]}
    (folder / "scene.json").write_text(json.dumps(bad), encoding="utf-8")
    assert simulate(folder, "--report", str(folder / "report.json")) == 2
    assert capsys.readouterr().err.splitlines() == [
        "fps: must be above 0, got -1.0",
        "crowds[0].count: must not be negative, got -4",
        "crowds[0].route: no route is named 'Pth'; there are: 'Path'",
    ]
    assert files(folder) == ["scene.json"]


def test_a_scene_that_is_not_there_is_a_fault(folder, capsys):
    assert simulate(folder, scene="none.json") == 2
    assert "there is no such file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("output", "report", "message"),
    [
        ("none/out.npz", "report.json", "there is no folder"),
        ("out.npz", "none/report.json", "there is no folder"),
        (".", "report.json", "is a folder"),
        ("scene.json", "report.json", "it is the file of the scene;"),
        ("out.npz", "out.npz", "it is the file of the trajectories;"),
    ],
)
def test_places_that_cannot_be_written_are_told_before_the_simulation(
    folder, capsys, monkeypatch, output, report, message
):
    monkeypatch.setattr("core.__main__.simulate", pytest.fail)
    assert simulate(folder, "--report", str(folder / report), output=output) == 2
    assert message in capsys.readouterr().err
    assert files(folder) == ["scene.json"]


@pytest.mark.once
def test_a_disk_that_is_full_at_the_end_leaves_neither_file(folder, capsys, monkeypatch):
    def refuse(_):
        raise OSError(28, "No space left on device")

    (folder / "out.npz").write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", refuse)
    assert simulate(folder, "--report", str(folder / "report.json")) == 1
    assert "out.npz': No space left on device" in capsys.readouterr().err
    assert files(folder) == ["out.npz", "scene.json"]
    assert (folder / "out.npz").read_bytes() == b"old"


def test_wrong_words_on_the_command_line_are_told_with_exit_code_2(folder, capsys):
    for words in ([], ["simulate"], ["simulate", "scene.json"], ["fly"]):
        with pytest.raises(SystemExit) as caught:
            main(words)
        assert caught.value.code == 2
    with pytest.raises(SystemExit):
        simulate(folder, "--backend", "abacus")
    assert "abacus" in capsys.readouterr().err


@pytest.mark.once
def test_a_terminal_sees_how_far_it_is(folder, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert simulate(folder) == 0
    told = capsys.readouterr().err
    assert told.endswith("frame 60 of 60\n")
    assert told.count("\r") > 10
    assert "\n" not in told[:-1]


@pytest.mark.once
def test_a_name_that_the_console_cannot_show_stops_nothing(folder, monkeypatch):
    scene = SCENE | {"crowds": [SCENE["crowds"][0] | {"name": "\u041f\u0435\u0448\u0435\u0445\u043e\u0434\u044b"}]}
    (folder / "scene.json").write_text(json.dumps(scene), encoding="utf-8")
    console = io.TextIOWrapper(io.BytesIO(), encoding="cp1252")
    monkeypatch.setattr(sys, "stdout", console)
    assert simulate(folder) == 0
    console.flush()
    assert rb"\u041f\u0435" in console.buffer.getvalue()


def test_as_a_program_it_runs_without_a_word_on_standard_error(folder):
    words = ["simulate", str(folder / "scene.json"), "-o", str(folder / "out.npz")]
    done = subprocess.run(
        [sys.executable, "-m", "core", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
        encoding="utf-8",
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert files(folder) == ["out.npz", "scene.json"]


INTERRUPTED = """
import os, runpy, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
loading = sys.argv.pop(1)
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == loading:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupt())
runpy.run_module("core", run_name="__main__", alter_sys=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="a process cannot be interrupted alone there")
@pytest.mark.parametrize("loading", ["core.errors", "argparse", "numpy", "core.simulation.guidance.aiming"])
def test_ctrl_c_while_modules_are_loaded_is_told_in_a_word(folder, loading):
    words = [sys.executable, "-c", INTERRUPTED, loading, "simulate"]
    words += [str(folder / "scene.json"), "-o", str(folder / "out.npz")]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=900, check=False, encoding="utf-8")
    assert (done.returncode, done.stderr) == (130, "stopped\n")
    assert files(folder) == ["scene.json"]


def test_ctrl_c_leaves_nothing_half_written(folder, capsys, monkeypatch):
    def stop_at_frame_5(done, _):
        if done == 5:
            raise KeyboardInterrupt

    monkeypatch.setattr("core.__main__._progress_on", lambda _: stop_at_frame_5)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert simulate(folder, "--report", str(folder / "report.json")) == 130
    assert capsys.readouterr().err.strip() == "stopped"
    assert files(folder) == ["scene.json"]
