# SPDX-License-Identifier: GPL-3.0-or-later
"""Geometry nodes that show a mesh of samples as people: at the scene's time, each in the pose of their stride.

The nodes are in the file and need no add-on. Between two frames people are where a straight line between the two puts
them, as keyframes do it.
"""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from ...bakes import sampled_crowd
from ...blender_data.node_builder import NodeBuilder, Socket, enabled
from ...figures.materials import COLOUR, INSTANCED, VARIATION
from .foot_nodes import nearest_pose, stand_on_feet

_AHEAD = 1e-3
"""So far time runs ahead under Time Remapping, so that a rounded frame is not the one before [frames]."""

AGENT = "agent"
"""Attribute of instances: their place in the mesh of samples. Colour, variation, heading and phase are others."""
_SAMPLE = "sample"
"""Another: the number of their sample at the whole frame, stored so that it is not added up again for each value."""


def make_playback_nodes(
    name: str,
    *,
    agents: int,
    frames: tuple[int, int],
    poses: bpy.types.Object,
    key_rate: float = 1.0,
    acts: bool = False,
) -> list[tuple[bpy.types.NodeTree, str]]:
    """Make the node tree of one crowd, and that of the group which does all.

    Args:
        name: of the tree.
        agents: how many people its mesh of samples has.
        frames: first and last frame of the samples.
        poses: an object that `make_pose_nodes` lets have the poses as instances.
        key_rate: frames of keys in a frame, see `key_frames_per_frame`.
        acts: some people do more than walk.

    Returns:
        Both trees, each with its name.
    """
    build = NodeBuilder(f"{name}, played")
    time = _frames_since(build, frames, key_rate)
    last = frames[1] - frames[0]
    row = build.math("FLOOR", time)
    between = build.math("SUBTRACT", time, row)
    person = build.add("InputIndex").outputs[0]
    points = build.add("Points", {"Count": agents}).outputs[0]
    points = build.add("SetID", {"Geometry": points, "ID": person}).outputs[0]
    points = build.store(points, _SAMPLE, number_in_row(build, row, person), "INT")
    now = build.named(_SAMPLE, "INT")
    then = number_in_row(build, build.math("MINIMUM", build.math("ADD", row, 1.0), float(last)), person)

    def sampled(field: Socket, data_type: str, mixed: str) -> Socket:
        ends = [build.sample(field, index, data_type) for index in (now, then)]
        moved = build.mix(between, *ends, data_type=mixed)
        # At a whole frame Blender then looks up only one sample of each person.
        only = build.add("Switch", {"Switch": between, "False": ends[0], "True": moved}, input_type=mixed)
        return enabled(only.outputs, "Output")

    def own(key: str, data_type: str) -> Socket:
        return build.sample(build.named(key, data_type), person, data_type, "EDGE")

    heading = sampled(build.named(sampled_crowd.HEADING, "FLOAT"), "FLOAT", "FLOAT")
    phase = sampled(build.named(sampled_crowd.PHASE, "FLOAT"), "FLOAT", "FLOAT")
    gait = sampled(build.named(sampled_crowd.GAIT, "FLOAT"), "FLOAT", "FLOAT")
    place = sampled(build.add("InputPosition").outputs[0], "FLOAT_VECTOR", "VECTOR")
    points = build.add("SetPosition", {"Geometry": points, "Position": place}).outputs[0]
    for key, value, data_type in (
        (AGENT, person, "INT"),
        (INSTANCED, 1.0, "FLOAT"),
        (sampled_crowd.HEADING, heading, "FLOAT"),
        (sampled_crowd.PHASE, phase, "FLOAT"),
        (sampled_crowd.GAIT, gait, "FLOAT"),
        (COLOUR, own(COLOUR, "FLOAT_COLOR"), "FLOAT_COLOR"),
        (VARIATION, own(VARIATION, "FLOAT"), "FLOAT"),
    ):
        points = build.store(points, key, value, data_type)
    there = build.sample(build.named(sampled_crowd.PRESENT, "BOOLEAN"), now, "BOOLEAN")
    shown = build.add("FunctionNodeBooleanMath", operation="NIMPLY")  # there, and not made real
    build.tree.links.new(there, shown.inputs[0])
    build.tree.links.new(own(sampled_crowd.IS_REAL, "BOOLEAN"), shown.inputs[1])
    heading, phase, gait = (
        build.named(key, "FLOAT") for key in (sampled_crowd.HEADING, sampled_crowd.PHASE, sampled_crowd.GAIT)
    )
    pose, ahead = nearest_pose(build, own, gait, phase)
    if acts:
        act = build.sample(build.named(sampled_crowd.ACT, "INT"), now, "INT")
        acting = build.math("GREATER_THAN", act, -0.5)
        pose, ahead = (build.mix(acting, *each, "FLOAT") for each in ((pose, act), (ahead, 0.0)))
    points, rotation = stand_on_feet(build, points, ahead, heading, own)
    instances = build.add(
        "InstanceOnPoints",
        {
            "Points": points,
            "Selection": shown.outputs[0],
            "Instance": _geometry_of(build, poses),
            "Pick Instance": True,
            "Instance Index": pose,
            "Rotation": rotation,
            "Scale": own(sampled_crowd.SCALE, "FLOAT"),
        },
    )
    shows = NodeBuilder(name)  # a tree of which the group of the other is all, as Blender logs what is in no group
    group = shows.add("Group", node_tree=build.finish(instances.outputs[0]))
    shows.tree.links.new(shows.geometry, group.inputs[0])
    return [(shows.finish(group.outputs[0]), name), (build.tree, f"{name}, played")]


def _frames_since(build: NodeBuilder, frames: tuple[int, int], key_rate: float) -> Socket:
    """Frames since the first, fractions too; before it 0, after the last held."""
    now = build.add("InputSceneTime").outputs["Frame"]
    if key_rate != 1.0:
        now = build.math("ADD", build.math("DIVIDE", now, key_rate), _AHEAD)
    since = build.math("SUBTRACT", now, float(frames[0]))
    return build.math("MAXIMUM", build.math("MINIMUM", since, float(frames[1] - frames[0])), 0.0)


def number_in_row(build: NodeBuilder, row: Socket, person: Socket) -> Socket:
    """The number of everybody's sample in a row of samples, as a field over the people.

    Row times people plus person, in whole numbers: floats are exact only to 2**24, and up to Blender 4.2 no node
    multiplies integers. So the row is added up over all people, which gives the number of the row's first sample, and
    then ones are added up from there.
    """
    total = build.add("AccumulateField", {"Value": row}, data_type="INT")
    is_first = build.add("FunctionNodeCompare", data_type="INT", operation="EQUAL")
    build.tree.links.new(person, enabled(is_first.inputs, "A"))
    enabled(is_first.inputs, "B").default_value = 0
    steps = {"Switch": is_first.outputs[0], "False": 1, "True": enabled(total.outputs, "Total")}
    step = build.add("Switch", steps, input_type="INT").outputs
    summed = build.add("AccumulateField", {"Value": enabled(step, "Output")}, data_type="INT")
    return enabled(summed.outputs, "Leading")


def make_pose_nodes(
    name: str, poses: Sequence[bpy.types.Object], *, together: int
) -> list[tuple[bpy.types.NodeTree, str]]:
    """Make the node tree of an object that has poses as its instances, to pick from.

    Each is an instance of geometry and not of its object: an instance of an object would be another thing to shaders
    with every pose, and its random number (Object Info) would change as somebody walks. The tree is apart from that of
    the crowd as nothing in it changes with time: hundreds of poses are then gathered once, and not at every frame.
    Blender looks through a whole tree whenever something is added to it; so some poses at a time are gathered by a
    group, which is small and the same for all of them.

    Args:
        name: of the tree.
        poses: the poses as objects, in the order in which they count.
        together: how many a group gathers at most.

    Returns:
        The tree and those of its groups, each with its name.
    """
    build = NodeBuilder(name)
    join = build.add("JoinGeometry")
    groups: dict[int, tuple[bpy.types.NodeTree, str]] = {}
    for first in reversed(range(0, len(poses), together)):  # what is linked last counts first
        some = poses[first : first + together]
        if len(some) not in groups:
            own = f"{name}, {len(some)} at a time"
            groups[len(some)] = _make_gathering_nodes(own, len(some)), own
        group = build.add("Group", node_tree=groups[len(some)][0])
        for socket, pose in zip(list(group.inputs)[1:], some, strict=True):
            socket.default_value = pose
        build.tree.links.new(group.outputs[0], join.inputs[0])
    return [(build.finish(join.outputs[0]), name), *groups.values()]


def _make_gathering_nodes(name: str, count: int) -> bpy.types.NodeTree:
    """Make the tree of a group that has some objects, which it is given after a geometry, as instances."""
    build = NodeBuilder(name)
    for number in range(count):
        build.tree.interface.new_socket(f"Pose {number + 1}", in_out="INPUT", socket_type="NodeSocketObject")
    join = build.add("GeometryToInstance")
    for pose in list(build.geometry.node.outputs)[count:0:-1]:
        build.tree.links.new(_geometry_of(build, pose), join.inputs[0])
    return build.finish(join.outputs[0])


def _geometry_of(build: NodeBuilder, body: bpy.types.Object | Socket) -> Socket:
    info = build.add("ObjectInfo", {"Object": body, "As Instance": False}, transform_space="ORIGINAL")
    return enabled(info.outputs, "Geometry")
