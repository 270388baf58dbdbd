# SPDX-License-Identifier: GPL-3.0-or-later
"""Where motion is made, nothing may come out otherwise on another processor."""

import ast
import re

import pytest

from .sources import broken_in_sources, walked

ELEMENTARY = "core/geometry/reproducible_math.py"
KEYS_ARE_MADE = tuple(
    f"blender_addon/{part}"
    for part in (
        "baking/",
        "blender_data/",
        "characters/acts/gaze",
        "characters/clips/",
        "characters/legs/",
        "characters/performances",
        "characters/planted_feet",
        "characters/ready/body_width",
        "characters/ready/seen_feet",
        "characters/templates",
        "characters/vehicles/pedals",
        "characters/vehicles/turning_parts",
        "characters/vehicles/wheels",
    )
)
MOTION_IS_MADE = (
    *(f"core/{part}/" for part in ("geometry", "motion", "planning", "routing", "steering", "simulation")),
    "blender_addon/figures/mesh/skeleton",
    "blender_addon/figures/motion/",
    "blender_addon/reading/",
    *KEYS_ARE_MADE,
)
WAVERING = re.compile(
    "(arc)?(sin|cos|tan)(h|c)?|arctan2|exp2?|expm1|log(2|10|1p)?|(float_)?power|cbrt|angle|hypot|v?dot|inner|matmul|tensordot|"
    "convolve|correlate|polyfit|einsum"
)
LIBRARY_OF_C = re.compile("a?(sin|cos|tan)h?|atan2|exp2?|expm1|log(2|10|1p)?|pow|cbrt|hypot")  # of Python's module math


def wavering_calls(place, text):
    """What numpy does in its own way on each processor, or C on each system, may not be used where motion is made.

    The last bit would differ, and with it, some steps later, who goes where. `core/geometry/reproducible_math` has the
    same of additions, products and roots alone. Powers are plain in the second and of written numbers only. Where keys
    are made, most of what is multiplied by @ are matrices of Blender's, which has one way to do it: only numpy's are
    looked for.
    """
    if place == ELEMENTARY or not place.startswith(MOTION_IS_MADE):
        return []
    broken = []
    for node in walked(text):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in {"np", "np.linalg", "np.fft"}:
            if WAVERING.fullmatch(node.attr) or ast.unparse(node.value) != "np":
                broken.append(f"{place}:{node.lineno} uses {ast.unparse(node)}: take it from {ELEMENTARY}")
        elif (
            isinstance(node, ast.Attribute) and ast.unparse(node.value) == "math" and LIBRARY_OF_C.fullmatch(node.attr)
        ):
            broken.append(f"{place}:{node.lineno} uses {ast.unparse(node)}: take it from {ELEMENTARY}")
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and not is_exact_power(node):
            broken.append(f"{place}:{node.lineno} uses a power: take it from {ELEMENTARY}")
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            if place.startswith(KEYS_ARE_MADE) and "np." not in ast.unparse(node):
                continue
            broken.append(f"{place}:{node.lineno} multiplies by @")
    return broken


def is_exact_power(power):
    """Whether a power is a square, or of numbers that are written there."""
    return ast.unparse(power.right) == "2" or not any(
        isinstance(part, ast.Name | ast.Attribute | ast.Call | ast.Subscript) for part in ast.walk(power)
    )


@pytest.mark.parametrize(
    "text",
    [
        "np.sin(x)",
        "np.linalg.solve(a, b)",
        "np.fft.rfft(x)",
        "np.einsum('ij,ij->i', a, b)",
        "a @ b",
        "wave = np.cos",
        "math.tan(x)",
        "x**3",
        "2.0**x",
        "x**0.5",
    ],
)
def test_a_call_that_wavers_between_processors_is_seen(text):
    assert wavering_calls("core/planning/planner.py", text)
    assert wavering_calls(ELEMENTARY, text) == []


def test_squares_roots_and_powers_of_written_numbers_are_exact():
    assert wavering_calls("core/planning/planner.py", "math.sqrt(x**2 + 2.0**-20) + math.ceil(4**8)") == []


def test_only_products_of_blenders_own_matrices_may_be_written_shorter():
    place = "blender_addon/characters/legs/ik_legs.py"
    assert wavering_calls(place, "to_world @ np.array(bone.matrix)[:3, :3]")
    assert wavering_calls(place, "to_world @ bone.matrix @ Vector(place)") == []


def test_no_call_wavers_where_motion_is_made():
    assert broken_in_sources(wavering_calls) == []
