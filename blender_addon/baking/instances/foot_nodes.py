# SPDX-License-Identifier: GPL-3.0-or-later
"""Geometry nodes that choose the pose of everybody's stride, and hold the foot that is on the ground.

A pose is only the nearest of a few. So the place on the ground is moved to where the foot has to be, and the body is
tilted: what is as high as the chest goes on evenly with the person. That is 1.3 degrees for half the way between two
poses, by which feet rise or sink less than a centimetre.
"""

from __future__ import annotations

from collections.abc import Callable

from ....core.motion.blending import GAIT, WALKS
from ....core.motion.whole_steps import STEPPING
from ...bakes import sampled_crowd
from ...blender_data.node_builder import NodeBuilder, Socket
from ...figures.materials import VARIATION

Own = Callable[[str, str], Socket]
"""Gives what is constant of everybody as a field, by the name and type of the attribute."""


def nearest_pose(build: NodeBuilder, own: Own, gait: Socket, phase: Socket) -> tuple[Socket, Socket]:
    """Choose the pose of the cycle of everybody's gait at the nearest phase.

    Who stands breathes by the time and not by the way; the last pose of a cycle is followed by the first.

    Returns:
        The number of the pose, and how far ahead its feet are moved to where they are at the exact phase, in the size
        of the poses.
    """
    count = own(sampled_crowd.POSES, "INT")
    cycle = _rounded(build, build.math("DIVIDE", gait, STEPPING.gait_step))
    stands = build.math("LESS_THAN", cycle, 0.5)
    frame = build.add("InputSceneTime").outputs["Frame"]
    breath = build.math("DIVIDE", frame, own(sampled_crowd.IDLE_CYCLE, "FLOAT"))
    breath = build.math("ADD", breath, own(VARIATION, "FLOAT"))
    along = build.math("MULTIPLY", build.math("FRACT", build.mix(stands, phase, breath, "FLOAT")), count)
    rounded = _rounded(build, along)
    pose = build.math("MULTIPLY_ADD", cycle, count, build.math("FLOORED_MODULO", rounded, count))
    shown = build.math("MULTIPLY", cycle, STEPPING.gait_step)
    runs = build.math("MAXIMUM", build.math("SUBTRACT", shown, WALKS), 0.0)
    shortened = build.math("MAXIMUM", build.math("MINIMUM", shown, WALKS), GAIT.shortest_stride)
    walk = build.math("MULTIPLY", shortened, own(sampled_crowd.WALK_WAY, "FLOAT"))
    way = build.mix(runs, walk, own(sampled_crowd.RUN_WAY, "FLOAT"), "FLOAT")
    early = build.math("DIVIDE", build.math("SUBTRACT", rounded, along), count)
    shift = build.mix(stands, build.math("MULTIPLY", early, way), 0.0, "FLOAT")
    return build.math("ADD", own(sampled_crowd.FIRST_POSE, "INT"), pose), shift


def stand_on_feet(
    build: NodeBuilder, points: Socket, ahead: Socket, heading: Socket, own: Own
) -> tuple[Socket, Socket]:
    """Move the points on which people stand ahead; return them, and the rotation that leaves bodies where they were."""
    shift = build.math("MULTIPLY", ahead, own(sampled_crowd.SCALE, "FLOAT"))
    level = build.add("ShaderNodeCombineXYZ", {"X": shift}).outputs[0]
    turned = build.add("ShaderNodeVectorRotate", {"Vector": level, "Angle": heading}, rotation_type="Z_AXIS").outputs[0]
    points = build.add("SetPosition", {"Geometry": points, "Offset": turned}).outputs[0]
    pitch = build.math("DIVIDE", ahead, build.math("MULTIPLY", own(sampled_crowd.STILL_HEIGHT, "FLOAT"), -1.0))
    turns = build.add("ShaderNodeCombineXYZ", {"Y": pitch, "Z": heading}).outputs[0]
    return points, build.add("FunctionNodeEulerToRotation", {"Euler": turns}).outputs[0]


def _rounded(build: NodeBuilder, value: Socket) -> Socket:
    return build.math("FLOOR", build.math("ADD", value, 0.5))
