# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials of the built-in figures: shared by all, yet every copy is dressed in its own colours.

The shirt takes the colour of its object (`Object.color`), and where many people are instances in one object the colour
that each instance carries; trousers, shoes, skin and hair are drawn from small palettes by the object's or instance's
own random number. Colours are linear.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from typing import Any, NamedTuple

import bpy

from ..blender_data.node_builder import by_identifier, new_material

COLOUR, INSTANCED = "colour", "footfall_instance"
"""Attributes of a crowd's instances: the colour of each, and 1, by which instances are distinguished from objects."""

VARIATION = "variation"
"""Attribute of instances, and custom property of every object of a character: a number from 0 to 1 by lot, for
materials to vary by."""

Colour = tuple[float, float, float]
Rgba = tuple[float, float, float, float]


class _Look(NamedTuple):
    """One material: how it shines and what it chooses its colour from."""

    roughness: float
    palette: tuple[tuple[float, Colour], ...]  # up to which random number, colour; empty: the object's own
    spread: float  # the random number is multiplied by this, so that two palettes do not go together


_LOOKS = {
    "Shirt": _Look(0.85, (), 1.0),
    "Trousers": _Look(
        0.85,
        (
            (0.30, (0.020, 0.028, 0.050)),
            (0.50, (0.016, 0.016, 0.018)),
            (0.66, (0.075, 0.080, 0.090)),
            (0.80, (0.240, 0.185, 0.120)),
            (0.90, (0.055, 0.085, 0.140)),
            (1.00, (0.070, 0.066, 0.042)),
        ),
        13.7,
    ),
    "Skin": _Look(
        0.55,
        (
            (0.30, (0.640, 0.390, 0.285)),
            (0.55, (0.530, 0.300, 0.200)),
            (0.72, (0.380, 0.205, 0.125)),
            (0.87, (0.190, 0.092, 0.052)),
            (1.00, (0.075, 0.036, 0.022)),
        ),
        1.0,
    ),
    "Hair": _Look(
        0.60,
        (
            (0.07, (0.360, 0.215, 0.090)),
            (0.15, (0.280, 0.270, 0.260)),
            (0.30, (0.085, 0.040, 0.018)),
            (0.37, (0.120, 0.036, 0.014)),
            (0.47, (0.150, 0.145, 0.140)),
            (0.66, (0.030, 0.015, 0.009)),
            (1.00, (0.009, 0.007, 0.006)),
        ),
        1.0,
    ),
    "Shoes": _Look(
        0.60,
        (
            (0.35, (0.018, 0.016, 0.016)),
            (0.60, (0.150, 0.018, 0.020)),
            (0.80, (0.520, 0.510, 0.490)),
            (1.00, (0.040, 0.052, 0.080)),
        ),
        29.3,
    ),
    "Eyes": _Look(0.90, ((1.0, (0.012, 0.009, 0.008)),), 1.0),
    "Lips": _Look(
        0.50,
        (
            (0.30, (0.480, 0.190, 0.150)),
            (0.55, (0.390, 0.150, 0.110)),
            (0.72, (0.260, 0.100, 0.070)),
            (0.87, (0.130, 0.050, 0.034)),
            (1.00, (0.052, 0.022, 0.017)),
        ),
        1.0,
    ),
    "Soles": _Look(0.80, ((1.0, (0.560, 0.550, 0.520)),), 1.0),
    "Whites": _Look(0.35, ((1.0, (0.580, 0.565, 0.545)),), 1.0),
    "Grey hair": _Look(
        0.60,
        (
            (0.35, (0.420, 0.410, 0.395)),
            (0.70, (0.230, 0.225, 0.220)),
            (1.00, (0.640, 0.630, 0.610)),
        ),
        5.3,
    ),
    "Young hair": _Look(
        0.60,
        (
            (0.07, (0.360, 0.215, 0.090)),
            (0.30, (0.085, 0.040, 0.018)),
            (0.37, (0.120, 0.036, 0.014)),
            (0.66, (0.030, 0.015, 0.009)),
            (1.00, (0.009, 0.007, 0.006)),
        ),
        1.0,
    ),
    "Inner": _Look(
        0.85,
        (
            (0.40, (0.700, 0.690, 0.660)),
            (0.70, (0.045, 0.050, 0.060)),
            (1.00, (0.330, 0.400, 0.480)),
        ),
        7.9,
    ),
    "Bag": _Look(
        0.70,
        (
            (0.30, (0.030, 0.034, 0.042)),
            (0.50, (0.110, 0.046, 0.022)),
            (0.65, (0.250, 0.030, 0.030)),
            (0.80, (0.030, 0.095, 0.085)),
            (1.00, (0.140, 0.125, 0.090)),
        ),
        17.9,
    ),
}

_SHIRTS = (
    "2F4B6E", "C8643C", "E9E4D8", "7A9A7E", "7A2E3A", "D9A441", "3B3F46", "8FB8D8", "C98B8B", "2F7F86", "B9BDC2",
    "6B6B3A", "E07A5F", "9A8FB8",
)  # fmt: skip
"""Shirts' colours as a picture shows them (sRGB)."""

_STEP = 5
"""Neighbours in number are this far apart in the palette; it shares no factor with the palette's size."""


def shirt_colour(number: int) -> Rgba:
    """A colour for the shirt of one of many people (linear, with alpha), the same for the same number."""
    return _shirts()[number * _STEP % len(_SHIRTS)]


@cache
def _shirts() -> list[Rgba]:
    """The palette of shirts (linear, with alpha)."""
    parts = [[_linear(int(code[k : k + 2], 16) / 255.0) for k in (0, 2, 4)] for code in _SHIRTS]
    return [(red, green, blue, 1.0) for red, green, blue in parts]


def colours_of(slot: str) -> list[Rgba]:
    """The colours that the material of a slot may have."""
    return [(*colour, 1.0) for _, colour in _LOOKS[slot].palette] or _shirts()


def number_of(slot: str, shirt: Rgba, variation: float) -> int:
    """Which of its colours a slot has on somebody, as the nodes of its material choose it.

    Args:
        slot: name of the slot.
        shirt: colour of the object.
        variation: from 0 to 1, that of the object.
    """
    look = _LOOKS[slot]
    if not look.palette:
        return _shirts().index(shirt)
    return bisect_right([end for end, _ in look.palette[:-1]], look.spread * variation % 1.0)


def make_material(slot: str, number: int) -> bpy.types.Material:
    """Make the material of one slot; where only one colour can be shown, it is that of a number."""
    look, typical = _LOOKS[slot], colours_of(slot)[number][:3]
    name = f"Footfall {slot.lower()}" + (f" {number + 1}" if len(colours_of(slot)) > 1 else "")
    material, colour = new_material(name, typical, look.roughness)
    if len(look.palette) != 1:
        tree = material.node_tree
        tree.links.new(_colour_of_object(tree, look), colour)
    return material


def _colour_of_object(tree: Any, look: _Look) -> Any:
    """The socket that gives each object its colour."""
    if not look.palette:
        info = tree.nodes.new("ShaderNodeObjectInfo")
        info.location = (-760.0, 200.0)
        return _colour_of_instance(tree, info.outputs["Color"])
    own = _instance_attribute(tree, VARIATION)  # of who is no instance, Blender takes the custom property
    spread = _math(tree, "MULTIPLY", own.outputs["Fac"], (-580.0, 200.0))
    spread.inputs[1].default_value = look.spread
    fraction = _math(tree, "FRACT", spread.outputs[0], (-420.0, 200.0))
    ramp = tree.nodes.new("ShaderNodeValToRGB")
    ramp.location = (-260.0, 200.0)
    ramp.color_ramp.interpolation = "CONSTANT"
    tree.links.new(fraction.outputs[0], ramp.inputs["Fac"])
    elements = ramp.color_ramp.elements
    elements[0].color = (*look.palette[0][1], 1.0)
    elements.remove(elements[1])
    for (start, _), (_, colour) in zip(look.palette[:-1], look.palette[1:], strict=True):
        elements.new(start).color = (*colour, 1.0)
    return ramp.outputs["Color"]


def _colour_of_instance(tree: Any, otherwise: Any) -> Any:
    """The socket that gives each instance its colour, and `otherwise` to what is no instance of a crowd."""
    mix = tree.nodes.new("ShaderNodeMix")
    mix.data_type = "RGBA"
    mix.location = (-260.0, 200.0)
    colour, is_instance = (_instance_attribute(tree, name) for name in (COLOUR, INSTANCED))
    tree.links.new(is_instance.outputs["Fac"], by_identifier(mix.inputs, "Factor_Float"))
    tree.links.new(otherwise, by_identifier(mix.inputs, "A_Color"))
    tree.links.new(colour.outputs["Color"], by_identifier(mix.inputs, "B_Color"))
    return by_identifier(mix.outputs, "Result_Color")


def _instance_attribute(tree: Any, name: str) -> Any:
    """A node that reads an attribute of an instance; all zeros where there is none."""
    node = tree.nodes.new("ShaderNodeAttribute")
    node.attribute_type = "INSTANCER"
    node.attribute_name = name
    node.location = (-760.0, 0.0 if name == COLOUR else -180.0)
    return node


def _math(tree: Any, operation: str, value: Any, location: tuple[float, float]) -> Any:
    node = tree.nodes.new("ShaderNodeMath")
    node.operation = operation
    node.location = location
    tree.links.new(value, node.inputs[0])
    return node


def _linear(value: float) -> float:
    """Linear light of an sRGB component (IEC 61966-2-1)."""
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
