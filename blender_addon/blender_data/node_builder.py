# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes by script: materials, and trees of geometry nodes.

Each call of a `NodeBuilder` adds a node, joins it to what it needs, and gives back its socket. Sockets
are found by name among those that a node's settings have left enabled, as their order differs between Blender versions.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import bpy

Socket = Any
"""A socket to link from, or a plain value."""

_COLUMN, _ROW = 190.0, 170.0  # distances between nodes [pixels]


class NodeBuilder:
    """A new geometry node tree, with geometry in and geometry out.

    Args:
        name: of the tree.

    Attributes:
        tree: the tree.
        geometry: the input of the modifier.
    """

    def __init__(self, name: str) -> None:
        self.tree: Any = bpy.data.node_groups.new(name, "GeometryNodeTree")
        for in_out in ("INPUT", "OUTPUT"):
            self.tree.interface.new_socket("Geometry", in_out=in_out, socket_type="NodeSocketGeometry")
        self.geometry: Socket = self.tree.nodes.new("NodeGroupInput").outputs[0]

    def finish(self, geometry: Socket) -> bpy.types.NodeTree:
        """Set the output geometry, and arrange the nodes in columns."""
        self.tree.links.new(geometry, self.tree.nodes.new("NodeGroupOutput").inputs[0])
        _lay_out(self.tree)
        return self.tree

    def add(self, kind: str, inputs: dict[str, Socket] | None = None, **settings: Any) -> Any:
        """Add a node.

        Args:
            kind: its type, without `GeometryNode` before it where that is part of it.
            inputs: sockets or values of its inputs, by their names in Blender.
            settings: its properties.
        """
        known = kind if kind.startswith(("ShaderNode", "FunctionNode")) else f"GeometryNode{kind}"
        node = self.tree.nodes.new(known)
        for key, value in settings.items():
            if getattr(node, key) != value:  # setting a property makes Blender search the whole tree
                setattr(node, key, value)
        for name, value in (inputs or {}).items():
            self._feed(enabled(node.inputs, name), value)
        return node

    def math(self, operation: str, first: Socket, second: Socket = 0.0, third: Socket = 0.0) -> Socket:
        """Add a math node, and return its result."""
        node = self.add("ShaderNodeMath", operation=operation)
        for socket, value in zip(node.inputs, (first, second, third), strict=False):
            self._feed(socket, value)
        return node.outputs[0]

    def named(self, name: str, data_type: str) -> Socket:
        """Add a named attribute, and return its field."""
        return enabled(self.add("InputNamedAttribute", {"Name": name}, data_type=data_type).outputs, "Attribute")

    def sample(self, field: Socket, index: Socket, data_type: str, domain: str = "POINT") -> Socket:
        """Sample a field of the modifier's geometry at an index."""
        inputs = {"Geometry": self.geometry, "Value": field, "Index": index}
        return enabled(self.add("SampleIndex", inputs, data_type=data_type, domain=domain).outputs, "Value")

    def mix(self, factor: Socket, first: Socket, second: Socket, data_type: str) -> Socket:
        """Interpolate between two values: `first` where the factor is 0, `second` where it is 1."""
        inputs = {"Factor": factor, "A": first, "B": second}
        return enabled(self.add("ShaderNodeMix", inputs, data_type=data_type).outputs, "Result")

    def store(self, geometry: Socket, name: str, value: Socket, data_type: str) -> Socket:
        """Store an attribute of a geometry's points."""
        inputs = {"Geometry": geometry, "Name": name, "Value": value}
        return self.add("StoreNamedAttribute", inputs, data_type=data_type, domain="POINT").outputs[0]

    def _feed(self, socket: Any, value: Socket) -> None:
        if isinstance(value, bpy.types.NodeSocket):
            self.tree.links.new(value, socket)
        elif socket.default_value != value:
            socket.default_value = value


def enabled(sockets: Any, name: str) -> Any:
    """Return the enabled socket of a name."""
    return next(socket for socket in sockets if socket.name == name and socket.enabled)


def by_identifier(sockets: Any, identifier: str) -> Any:
    """Return a socket by identifier, where several have the same name."""
    return next(socket for socket in sockets if socket.identifier == identifier)


def new_material(name: str, colour: tuple[float, float, float], roughness: float) -> tuple[Any, Socket]:
    """Make a material with a principled shader.

    Args:
        name: of the material.
        colour: linear.
        roughness: from 0 to 1.

    Returns:
        The material, and the shader's colour socket.
    """
    material: Any = bpy.data.materials.new(name)
    material.diffuse_color = (*colour, 1.0)
    material.roughness = roughness
    if material.node_tree is None:  # from 5.0 on it is there
        material.use_nodes = True
    shader = next(node for node in material.node_tree.nodes if node.bl_idname == "ShaderNodeBsdfPrincipled")
    shader.inputs["Roughness"].default_value = roughness
    shader.inputs["Base Color"].default_value = material.diffuse_color
    return material, shader.inputs["Base Color"]


def _lay_out(tree: Any) -> None:
    """Place each node in a column right of its inputs."""
    column: dict[str, int] = {}
    feeders: defaultdict[str, set[str]] = defaultdict(set)
    for link in tree.links:
        feeders[link.to_node.name].add(link.from_node.name)

    def depth(node: str) -> int:
        if node not in column:
            column[node] = 1 + max(map(depth, feeders[node]), default=-1)
        return column[node]

    filled: defaultdict[int, int] = defaultdict(int)
    locations: list[float] = []
    for node in tree.nodes:
        level = depth(node.name)
        locations += (_COLUMN * level, -_ROW * filled[level])
        filled[level] += 1
    tree.nodes.foreach_set("location", locations)
