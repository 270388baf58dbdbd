# SPDX-License-Identifier: GPL-3.0-or-later
"""The same bake is the same in every Blender: what is evaluated there is compared with numbers that are kept.

The numbers are those of one Blender; the others have to come to them as well. Where a change of the baking is meant to
move somebody, write them anew with FOOTFALL_KEEP_NUMBERS=1 in one Blender, and run the test in all.
"""

import json
import os

import bpy
import numpy as np
import pytest

from ..characters.legs.ways import on_a_way
from ..characters.strangers import foreign_rig
from .instances.test_instance_cast import instances_at

pytestmark = pytest.mark.each_blender("what its name says")

FRAMES = 96
LOOKED_AT = (1, 12, 25.5, 40, 57, 72, 80.25, 96)
NEAR, TURNED = 1e-4, 1e-3  # [m] and [rad]


def bend(make):
    """Two people from standing into a bend of 1 m radius, faster and slower, and to a stand again."""
    times = np.arange(FRAMES) / 24.0
    speed = np.clip(1.6 * np.sin(np.pi * (times - 0.25) / 3.6), 0.0, 1.3)
    return on_a_way(make, speed / 1.0, speed)


def kept(addon, name, found):
    """The numbers that are kept under a name, as an array; with FOOTFALL_KEEP_NUMBERS the ones that were found."""
    path = addon.repository / "tests" / "data" / "evaluated" / f"{name}.json"
    if os.environ.get("FOOTFALL_KEEP_NUMBERS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(np.round(found, 6).tolist()) + "\n", encoding="utf-8")
    return np.array(json.loads(path.read_text(encoding="utf-8")))


def bones_of(make, rig, names):
    """Where the tails of bones are at the moments looked at, and where they point: float64 (T, B, 2, 3)."""
    found = []
    for frame in LOOKED_AT:
        seen = make.evaluated(rig, frame)
        world = seen.matrix_world
        bones = [seen.pose.bones[name] for name in names]
        found.append(
            [(world @ bone.tail, (world.to_3x3() @ bone.matrix.to_3x3().col[2]).normalized()) for bone in bones]
        )
    return np.array(found, dtype=np.float64)


def compare(addon, name, found):
    expected = kept(addon, name, found)
    assert found.shape == expected.shape
    assert np.abs(found[..., 0, :] - expected[..., 0, :]).max() < NEAR
    assert np.abs(found[..., 1, :] - expected[..., 1, :]).max() < TURNED


def test_built_in_figures_are_evaluated_alike(make, stage):
    (figure, *_) = stage.bake(bend(make))
    names = [bone.name for bone in figure.pose.bones if bone.name.split(".")[0] in {"foot", "shin", "hand", "head"}]
    assert len(names) == 7
    compare(stage.addon, "figure", bones_of(make, figure, names))


@pytest.mark.parametrize("mode", ["XYZ"])
def test_a_foreign_rig_is_evaluated_alike(make, stage, mode):
    rig, body = foreign_rig(make, stage.addon, mode)
    stage.crowd.characters = make.collection("People", rig, body)
    (walker, *_) = stage.bake(bend(make))
    names = [f"mixamorig:{name}_{side}" for name in ("foot", "shin") for side in "LR"]
    compare(stage.addon, "foreign_rig", bones_of(make, walker, names))


def test_instances_are_evaluated_alike_and_so_are_their_poses(make, stage):
    shown = stage.bake_instances(bend(make))
    found, poses = [], []
    for frame in LOOKED_AT:
        seen = instances_at(
            make,
            shown,
            frame,
            lambda each: (
                each.matrix_world.translation.copy(),
                each.matrix_world.to_3x3().col[0].copy(),
                each.object.data.name,
            ),
        )
        found.append([(place, ahead) for place, ahead, _ in seen])
        poses.append([int(name.split("pose ")[1][:5]) for _, _, name in seen])
    compare(stage.addon, "instances", np.array(found, dtype=np.float64))
    np.testing.assert_array_equal(poses, kept(stage.addon, "poses", np.array(poses, dtype=np.float64)))
    compare_pose_meshes(stage.addon)


def compare_pose_meshes(addon):
    """The boxes round some of the still poses."""
    poses = sorted((mesh for mesh in bpy.data.meshes if " pose 0" in mesh.name), key=lambda mesh: mesh.name)
    assert len(poses) > 60
    found = []
    for mesh in poses[::7]:
        places = np.empty(3 * len(mesh.vertices), dtype=np.float32)
        mesh.vertices.foreach_get("co", places)
        found.append([places.reshape(-1, 3).min(axis=0), places.reshape(-1, 3).max(axis=0)])
    expected = kept(addon, "pose_boxes", np.array(found, dtype=np.float64))
    assert np.abs(np.array(found) - expected).max() < NEAR
