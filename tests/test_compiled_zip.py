# SPDX-License-Identifier: GPL-3.0-or-later
"""The zips with a compiler: their wheels, which Blenders they allow, and the same motion from compiled kernels."""

import json
import tomllib

import pytest

from build_tools import packaging
from build_tools.blender import BLENDERS, ensure_blender, install_zip, profile_variables
from build_tools.environments import BuildError, run

PLATFORM = packaging.running_platform()
SCRIPT = """
import hashlib, importlib, os, sys
import bpy
import addon_utils  # can be found once bpy is there
bpy.ops.wm.read_factory_settings(use_empty=True)
name = "bl_ext.user_default.footfall"
addon_utils.enable(name, default_set=True)
core = importlib.import_module(name + ".core")
for backend in ("numpy", "numba"):
    moved = core.simulate(core.load_scene(sys.argv[1]), backend=backend)
    print("MOTION", hashlib.sha256(moved.position.tobytes()).hexdigest(), flush=True)
folder = importlib.import_module(name + ".core.steering.backends").cache_folder()
print("KEPT", len(list(folder.rglob("*.nbi"))), folder, flush=True)
os._exit(0)  # bpy can hang while Python takes it down
"""
SCENE = {
    "footfall_scene": 1,
    "fps": 24,
    "frames": [1, 60],
    "areas": [
        {"name": name, "outline": [[x, 0], [x + 8, 0], [x + 8, 20], [x, 20]]} for name, x in (("west", 0), ("east", 20))
    ],
    "crowds": [
        {"name": "out", "count": 10, "start": "west", "goal": "east"},
        {"name": "back", "count": 10, "start": "east", "goal": "west", "avoidance": "human_like"},
    ],
}


@pytest.mark.parametrize("platform", packaging.platforms())
def test_the_compiler_has_a_wheel_for_every_python_of_blenders_own_builds(platform):
    wheels = [wheel for wheel in packaging.read_lock(packaging.COMPILER_LOCK) if wheel.platform == platform]
    found = {(wheel.file.partition("-")[0], wheel.python) for wheel in wheels}
    assert found == {(name, python) for name in ("numba", "llvmlite") for python in packaging.COMPILED}
    assert len(wheels) == len(found)


def test_every_blender_that_is_tested_is_allowed_by_one_zip():
    for blender in BLENDERS.values():
        allowed = []
        for python in packaging.COMPILED:
            manifest = tomllib.loads(packaging.make_manifest(PLATFORM, ["numba.whl"], python))
            numbers = [int(part) for part in blender.version.split(".")]
            lowest = [int(part) for part in manifest["blender_version_min"].split(".")]
            highest = [int(part) for part in manifest.get("blender_version_max", "99").split(".")]
            allowed += [python] if lowest <= numbers < highest else []
        assert allowed == [blender.python]


def test_the_manifest_says_nothing_else():
    plain, compiled = (tomllib.loads(packaging.make_manifest(PLATFORM, [], python)) for python in ("", "3.11"))
    limits = {"blender_version_min", "blender_version_max"}
    assert {name for name in compiled if compiled[name] != plain.get(name)} <= limits
    assert set(plain) <= set(compiled)


@pytest.mark.thorough
@pytest.mark.parametrize("version", sorted(BLENDERS))
def test_compiled_kernels_move_people_as_numpy_does(version, tmp_path):
    blender = BLENDERS[version]
    try:
        python = ensure_blender(blender)
    except BuildError as error:
        pytest.skip(str(error))
    install_zip(python, packaging.build_zip(PLATFORM, tmp_path, blender.python), tmp_path / "profile")
    scene = tmp_path / "scene.json"
    scene.write_text(json.dumps(SCENE), encoding="utf-8")
    variables = profile_variables(tmp_path / "profile")
    finished = run([python, "-c", SCRIPT, scene], seconds=600, variables=variables, catch=True)
    told = [line.split() for line in finished.output.splitlines() if line.startswith(("MOTION", "KEPT"))]
    assert finished.succeeded, finished.output
    (_, by_numpy), (_, by_numba), (_, kept, folder) = told
    assert by_numpy == by_numba
    assert int(kept) > 0
    assert str(tmp_path / "profile" / "extensions" / ".user") in folder
