# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes files anew in a Blender that knows nothing of them: run as a process, told paths, answers in JSON.

For each line on standard input, the path of a .blend file, one line comes back: the hash of all motion and a digest of
what was written; or why nothing was baked.
"""

import hashlib
import importlib
import json
import subprocess
import sys
from pathlib import Path

import bpy
import numpy as np

NAME = "bl_ext.user_default.footfall"
ANSWER = "answer: "  # Blender, too, writes to standard output


class FreshBlender:
    """The other process, as seen by tests."""

    def __init__(self):
        command = [sys.executable, "-W", "ignore", __file__]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def bake(self, path):
        """Open a file there and bake it; returns what `baked` returns, or a dict with an error."""
        self._process.stdin.write(f"{path}\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            if line.startswith(ANSWER):
                return json.loads(line.removeprefix(ANSWER))
        raise AssertionError("the other Blender has ended")

    def end(self):
        """End the process."""
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.kill()
        self._process.wait()


def baked(scene):
    """What the last bake of a scene has come to: a hash of the motion, and digests of what was written, by person."""
    last = importlib.import_module(f"{NAME}.blender_addon.runtime.last_bakes").memory_of(scene).simulation
    uids = {crowd.uid for crowd in scene.footfall.crowds}
    return {"motion": last.result().digest(), "written": {
        f"{obj['footfall_made_as']} {'pinned' if 'footfall_pinned' in obj else ''}": written(obj)
        for obj in scene.objects
        if obj.get("footfall_crowd") in uids and "mine" not in obj
    }}  # fmt: skip


def written(obj):
    """A digest of all that an object plays, and of what it shows."""
    told = hashlib.sha256(f"{obj.type} {obj.scale[:]} {obj.color[:]} {obj.get('variation')}".encode())
    actions = importlib.import_module(f"{NAME}.blender_addon.blender_data.animation")
    active = actions.active_clip(obj.animation_data)
    for clip in [*([active] if active else []), *actions.clips_in_strips(obj.animation_data)]:
        for curve, keys in sorted(actions.keys_of(clip), key=lambda each: (each[0].data_path, each[0].array_index)):
            told.update(f"{curve.data_path}[{curve.array_index}]".encode() + keys.tobytes())
    if "footfall_people" in obj:
        samples = importlib.import_module(f"{NAME}.blender_addon.bakes.sampled_crowd")
        for array in vars(samples.read_samples(obj.data, np.arange(len(obj.data.edges)))).values():
            told.update(np.ascontiguousarray(array).tobytes())
    return told.hexdigest()


def main():
    """Answer until nobody asks any more."""
    import addon_utils

    addon_utils.enable(NAME, default_set=True)
    for line in sys.stdin:
        path = Path(line.strip())
        try:
            bpy.ops.wm.open_mainfile(filepath=str(path))
            bpy.ops.footfall.bake()
            answer = baked(bpy.context.scene)
        except RuntimeError as refused:
            answer = {"error": str(refused)}
        print(f"\n{ANSWER}{json.dumps(answer)}", flush=True)


if __name__ == "__main__":
    main()
