# SPDX-License-Identifier: GPL-3.0-or-later
"""A street with stops: a window to look into and a kiosk to queue at; and chairs that geometry nodes scatter."""

import math

import bpy
import pytest

FRAMES = 260


def empty(name, x, y, turn=0.0):
    found = bpy.data.objects.new(name, None)
    found.location, found.rotation_euler = (x, y, 0.0), (0.0, 0.0, turn)
    bpy.context.scene.collection.objects.link(found)
    return found


def add_stop(crowd, place, **values):
    stop = crowd.stops.add()
    stop.name, stop.place, stop.stay_variation = place.name if place else "Stop", place, 0.0
    for name, value in values.items():
        setattr(stop, name, value)
    return stop


@pytest.fixture
def market(street, make):
    """A straight path of 16 m with a window to look into on the left, and a kiosk to queue at on the right."""
    points = street.path.data.splines[0].points
    for point, x in zip(points, (0.0, 8.0, 16.0), strict=True):
        point.co = (x, 0.0, 0.0, 1.0)
    street.scene.frame_start, street.scene.frame_end = 1, FRAMES
    street.crowd.count, street.crowd.spawn.mode, street.crowd.arrival = 4, "SPREAD", "LEAVE"
    street.crowd.speed.sd = 0.0
    street.crowd.characters, street.crowd.forward_axis = make.collection("Props", make.cube("Box", 0.4)), "POS_X"
    street.window = make.cube("Window", 1.0)
    street.window.location = (12.0, 4.0, 0.0)
    make.link(street.window)
    street.spot = empty("Spot", 12.0, 2.5)
    street.stall = empty("Stall", 13.0, -2.5, -math.pi / 2.0)  # its Y axis along +X
    add_stop(street.crowd, street.spot, do="LOOK_AT", look_at=street.window, stay=3.0)
    add_stop(street.crowd, street.stall, do="QUEUE", stay=1.5, room=3)
    bpy.context.view_layer.update()
    return street


@pytest.fixture
def node_points(make):
    """A mesh without vertices whose geometry nodes make three instances in a line."""
    source = bpy.data.objects.new("Scatter", bpy.data.meshes.new("Scatter"))
    source.location = (0.0, 5.0, 1.0)
    make.link(source)
    tree = bpy.data.node_groups.new("Scatter", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    line, chair, instances, out = (
        tree.nodes.new(kind)
        for kind in ("GeometryNodeMeshLine", "GeometryNodeMeshCube", "GeometryNodeInstanceOnPoints", "NodeGroupOutput")
    )
    line.inputs["Count"].default_value = 3
    line.inputs["Offset"].default_value = (2.0, 0.0, 0.0)
    tree.links.new(line.outputs["Mesh"], instances.inputs["Points"])
    tree.links.new(chair.outputs["Mesh"], instances.inputs["Instance"])
    tree.links.new(instances.outputs["Instances"], out.inputs[0])
    source.modifiers.new("Scatter", "NODES").node_group = tree
    return source
