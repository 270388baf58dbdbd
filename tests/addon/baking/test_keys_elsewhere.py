# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake keys the same on another machine, to the last bit: from the built-in figures' own walk to their planted feet.

Keys are in single precision. A last bit of double precision would show in one of some hundred million, and then in
somebody's file: what is rounded to keys is compared, too.
"""

import json
import os
import subprocess
import sys

import bpy
import pytest

from tests.elsewhere import can_be_older, on_each

PROGRAM = """
import sys, bpy, addon_utils, importlib, json, os, numpy
addon_utils.enable(sys.argv[1], default_set=True)
bpy.ops.wm.open_mainfile(filepath=sys.argv[2])
animation, fcurves = (importlib.import_module(f"{sys.argv[1]}.blender_addon.blender_data.{name}")
                      for name in ("animation", "fcurves"))
as_written, keys = fcurves.as_written, {}
def noted(frames, values):
    keys[f"calculated {len(keys)}"] = numpy.array([*frames, *values], dtype=numpy.float64).tobytes().hex()
    return as_written(frames, values)
animation.as_written = fcurves.as_written = noted
bpy.ops.footfall.bake()
for action in bpy.data.actions:
    for clip in animation.clips_of_action(action):
        for curve, kept in animation.keys_of(clip):
            keys[f"{action.name} {curve.data_path}[{curve.array_index}]"] = kept.tobytes().hex()
with open(sys.argv[3], "w", encoding="utf-8") as file:
    json.dump(keys, file)
os._exit(0)
"""
TIME_LIMIT = 300  # [s]


@pytest.fixture
def street_file(bench, tmp_path):
    """Three people who turn and walk up and down, in a file that was not baked yet."""
    bench.scene.frame_start, bench.scene.frame_end = 1, 40
    path = bench.curve("Path", [(0, 0, 0), (2, 0.7, 0.1), (4, -0.8, 0.3), (5.3, -0.1, 0.2)])
    bench.crowd(path, count=3).spawn.mode = "SPREAD"
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "street.blend"))
    return tmp_path / "street.blend"


@pytest.fixture
def bakes(addon, street_file):
    """Bakes the file in processes of their own, all at once, each with environment variables; returns their keys."""

    def keys_with(*changes):
        kept = [street_file.with_name(f"{number}.json") for number in range(len(changes))]
        command = [sys.executable, "-W", "ignore", "-c", PROGRAM, addon.package.__name__, street_file]
        running = [
            subprocess.Popen([*command, path], env=os.environ | variables, stdout=subprocess.DEVNULL)
            for path, variables in zip(kept, changes, strict=True)
        ]
        try:
            assert [process.wait(TIME_LIMIT) for process in running] == [0] * len(running)
        finally:
            for process in running:
                process.kill()
                process.wait()
        return [json.loads(path.read_text(encoding="utf-8")) for path in kept]

    return keys_with


@can_be_older
@on_each
def test_another_machine_keys_the_same(bakes, changes):
    here, there = bakes({}, changes)
    assert all(any(name.startswith(f"Walkers 00{person} feet") for name in here) for person in (1, 2, 3))
    assert [name for name in here.keys() | there.keys() if here.get(name) != there.get(name)] == []
