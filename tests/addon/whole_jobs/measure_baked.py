# SPDX-License-Identifier: GPL-3.0-or-later
"""Run alone, in a Blender without the add-on: where everybody in a baked file is, and where their feet are.

python measure_baked.py BAKED.blend OUT.npz
"""

import os
import sys

import bpy
import numpy as np

FEET = ("foot.L", "foot.R")


def main(source, target):
    bpy.ops.wm.open_mainfile(filepath=source)
    assert not hasattr(bpy.types.Scene, "footfall"), "the add-on is here; this must be measured without it"
    scene = bpy.context.scene
    rigs = sorted((thing for thing in scene.objects if thing.type == "ARMATURE"), key=lambda rig: rig.name)
    for thing in scene.objects:
        thing.hide_viewport = thing.type == "MESH"  # nobody looks at bodies here
    frames = range(scene.frame_start, scene.frame_end + 1)
    root = np.zeros((len(frames), len(rigs), 3))
    yaw = np.zeros((len(frames), len(rigs)))
    feet = np.zeros((len(frames), len(rigs), 2, 3))
    for number, frame in enumerate(frames):
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        for column, rig in enumerate(rigs):
            evaluated = rig.evaluated_get(graph)
            root[number, column] = evaluated.matrix_world.translation
            yaw[number, column] = evaluated.matrix_world.to_euler().z
            for side, name in enumerate(FEET):
                feet[number, column, side] = evaluated.matrix_world @ evaluated.pose.bones[name].tail
    shown = np.array([sum(child.type == "MESH" for child in rig.children) for rig in rigs])
    np.savez(target, root=root, yaw=yaw, feet=feet, shown=shown)


main(*sys.argv[1:])
sys.stdout.flush()
os._exit(0)
