# SPDX-License-Identifier: GPL-3.0-or-later
"""How bodies walk that were given a gait: their joints as they are seen, held against everybody's or another's."""

import bpy
import numpy as np
from mathutils import Vector

from ..statues import PARTS

FRAMES = 60
UP = Vector((0.0, 0.0, 1.0))
LIMBS = [
    (f"{upper}.{side}", f"{lower}.{side}")
    for side in "LR"
    for upper, lower in (("thigh", "shin"), ("shin", "foot"), ("upper_arm", "forearm"), ("forearm", "hand"))
]


def walked(make, stage, statue, speed=1.2):
    """Bake one person; returns the joints by the figure's names, float64 (FRAMES, 3), and the place of the body."""
    stage.crowd.characters = make.collection("Statues", statue.rig, statue.body)
    stage.crowd.forward_axis = "AUTO"
    (mover,) = stage.bake(make.walk(agents=1, frames=(1, FRAMES), speed=speed))
    for each in bpy.context.scene.objects:
        each.hide_viewport = each.type == "MESH"  # nobody looks at bodies here
    joints = {old: np.zeros((FRAMES, 3)) for old in statue.names}
    place = np.zeros((FRAMES, 3))
    for frame in range(FRAMES):
        seen = make.evaluated(mover, frame + 1)
        place[frame] = seen.matrix_world.translation
        for old, new in statue.names.items():
            joints[old][frame] = seen.matrix_world @ seen.pose.bones[new].head - seen.matrix_world.translation.z * UP
    return joints, place


def check_walk(joints, place, leg=0.839):
    """Hold a walk against what everybody's walk is like."""
    step = np.diff(place, axis=0)
    speed = np.linalg.norm(step, axis=1)
    ahead = step[0] / speed[0]
    hip_height = (joints["thigh.L"] + joints["thigh.R"])[:, 2] / 2.0
    assert 0.94 * leg < hip_height.mean() - 0.086 < leg
    stance = []
    for side in (".L", ".R"):
        thigh, shin, foot, toe = (joints[part + side] for part in PARTS[:4])
        moved = np.linalg.norm(np.diff(np.stack([foot, toe]), axis=1), axis=2)
        stance.append((moved < 0.15 * speed).any(axis=0).mean())
        assert 0.5 * leg < np.ptp((foot - place) @ ahead) < 1.1 * leg
        knee_ahead = (shin - (thigh + foot) / 2.0) @ ahead
        assert knee_ahead.min() > -0.01
        assert knee_ahead.max() > 0.08 * leg
        assert (((toe - foot) @ ahead) > 0.03).mean() > 0.75
        shoulder, elbow, hand = (joints[part + side] for part in ("upper_arm", "forearm", "hand"))
        assert (hand[:, 2] < elbow[:, 2]).all()
        assert (elbow[:, 2] < shoulder[:, 2] - 0.2).all()
        assert np.ptp((hand - place) @ ahead) > 0.2
        assert (((hand - elbow) @ ahead) > ((elbow - shoulder) @ ahead)).all()
    assert np.mean(stance) > 0.4
    lowest = min(joints[part + side][:, 2].min() for part in ("foot", "toe") for side in (".L", ".R"))
    assert -0.03 < lowest < 0.03
    across = (joints["thigh.L"] - joints["thigh.R"]) @ np.array([-ahead[1], ahead[0], 0.0])
    assert across.min() > 0.1


def joints(make, rig, names, frames):
    """The joints of an armature in the world at frames, by the figure's names, float64 (N, 3)."""
    found = {old: [] for old in names}
    for frame in frames:
        seen = make.evaluated(rig, frame)
        for old, new in names.items():
            found[old].append(seen.matrix_world @ seen.pose.bones[new].head)
    return {old: np.array(points) for old, points in found.items()}


def angles(one, other):
    """Largest angle between the limbs of two bodies over the frames [degrees], by limb."""
    found = {}
    for upper, lower in LIMBS:
        a, b = (each[lower] - each[upper] for each in (one, other))
        cosine = (a * b).sum(axis=1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
        found[upper] = float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))).max())
    return found
