# SPDX-License-Identifier: GPL-3.0-or-later
"""How the characters of a crowd move, and how they differ.

Blender evaluates the annotations below: no `from __future__ import annotations` here.
"""

import bpy

from ....core import scene as core
from ..properties.tracked_properties import BoolSetting, EnumSetting, FactorSetting

FULL, DEFORM_ONLY = "FULL", "DEFORM_ONLY"


class FootfallMotion(bpy.types.PropertyGroup):
    """How characters move along their paths."""

    __slots__ = ()

    plants_feet: BoolSetting(
        name="Planted Feet",
        description=(
            "Bend the legs of characters so that feet stay planted in bends and while people start or stop. Off: feet"
            " slide there, and the file is smaller"
        ),
        default=True,
    )
    keys_ik_feet: BoolSetting(
        name="Key IK Feet",
        description=(
            "Plant the feet of rigs whose legs follow IK controls, such as Rigify's foot_ik, by keys on these "
            "controls. Off: such rigs only play their clips, and feet slide in bends"
        ),
        default=True,
    )
    rig: EnumSetting(
        name="Rig",
        description="Bones of the copied characters",
        items=(
            (FULL, "Full", "The whole rig, with its controls, constraints and drivers"),
            (
                DEFORM_ONLY,
                "Deform Only",
                (
                    "Only the bones that deform the body, with the motion of the full rig: a rig with many controls "
                    "plays many times faster"
                ),
            ),
        ),
        default=FULL,
    )
    lean: FactorSetting(
        name="Lean into Bends",
        description="How far characters lean inwards in a turn: 1 is full balance, 0 upright. Instances stay upright",
        default=0.5,
    )
    looks_about: BoolSetting(
        name="Look About",
        description=(
            "Characters turn head, neck and chest towards what they look at: the target of a stop, their companions, "
            "passing heroes, and now and then something beside their path. Off: heads move as in the clips. Instances"
            " always look ahead"
        ),
        default=True,
    )
    size_variation: FactorSetting(
        name="Vary Sizes",
        description=(
            "Random variation of size: at 0.05, people are up to 5 % smaller or larger than their "
            "character. The stride is scaled with the size"
        ),
        default=0.0,
        max=0.5,
    )
    varies_looks: BoolSetting(
        name="Vary Looks",
        description=(
            "Give each person one of several alternatives, which are parts or materials whose names differ only in "
            "the last word (Shirt_Red, Shirt_Blue), and vary the colours of materials. The bake uses copies; your own"
            " materials stay as they are"
        ),
        default=False,
    )
    hue_variation: FactorSetting(
        name="Hue",
        description=(
            "Maximum shift of material colours round the colour wheel: 0.5 gives all hues. Materials of skin, hair, "
            "eyes and the like keep their colours"
        ),
        default=0.15,
        max=0.5,
    )
    brightness_variation: FactorSetting(
        name="Brightness",
        description="Maximum change in the brightness of material colours, as a fraction",
        default=0.25,
        max=0.9,
    )
    slope_effect: FactorSetting(
        name="Slow on Slopes",
        description=(
            "How much people slow down uphill and steeply downhill: 1 is realistic, 0 not at all. The "
            "ground counts, not only the curve"
        ),
        default=core.Crowd.slope_effect,
    )


CLASSES = (FootfallMotion,)
