# SPDX-License-Identifier: GPL-3.0-or-later
"""How a crowd follows its path: what an animator says about it, and the weights behind that.

Blender evaluates the annotations below: no `from __future__ import annotations` here.
"""

from dataclasses import fields
from typing import Any

import bpy
from bpy.props import PointerProperty

from ....core import scene as core
from ....core.scene.crowd_checks import WEIGHT_RANGE
from ..properties.tracked_properties import EnumSetting, FactorSetting, FloatSetting

_FOLLOWING = core.Following()
_WEIGHTS = core.PlanWeights()
_LEAST_WEIGHT, _LARGEST_WEIGHT = WEIGHT_RANGE


def _weight(name: str, label: str, description: str) -> Any:
    """A multiple of a usual weight of planning."""
    return FloatSetting(
        name=label,
        description=f"{description}. 1: default; 2: twice the weight",
        default=getattr(_WEIGHTS, name),
        min=_LEAST_WEIGHT,
        max=_LARGEST_WEIGHT,
        soft_min=0.1,
        soft_max=10.0,
    )


class FootfallPlanWeights(bpy.types.PropertyGroup):
    """What planning weighs, as multiples; mirrors `core.scene.PlanWeights`."""

    __slots__ = ()

    k_jerk: _weight(
        "k_jerk", "Jerk", "Cost of sudden changes of speed and direction: higher values give smoother motion"
    )
    k_speed: _weight(
        "k_speed", "Speed", "Cost of walking slower than the preferred speed: higher values keep people moving"
    )
    k_offset: _weight("k_offset", "Offset", "Cost of being off their line: higher values bring people back sooner")
    k_lateral: _weight("k_lateral", "Across", "Weight of everything across the path: jerk and offset together")
    k_longitudinal: _weight("k_longitudinal", "Along", "Weight of everything along the path: jerk and speed together")
    k_obstacle: _weight(
        "k_obstacle", "Obstacles", "Cost of passing close to obstacles: higher values leave more clearance"
    )

    def to_settings(self) -> core.PlanWeights:
        """The core's settings that say the same."""
        names = [field.name for field in fields(core.PlanWeights)]
        # Blender is float32: its least weight is a little less than the least that the core takes.
        return core.PlanWeights(**{name: max(getattr(self, name), _LEAST_WEIGHT) for name in names})


class FootfallFollowing(bpy.types.PropertyGroup):
    """How a crowd follows its path; mirrors `core.scene.Following`."""

    __slots__ = ()

    keep_to_line: FactorSetting(
        name="Keep to the Line",
        description=(
            "How closely people keep to their own line. 0: loosely, they return slowly after an obstacle; "
            "1: tightly, they return at once"
        ),
        default=_FOLLOWING.keep_to_line,
    )
    comfort: FactorSetting(
        name="Comfort",
        description=(
            "How gently people turn and brake. 0: hurried, they slow down little in bends and brake late; "
            "1: gentle, they slow down before bends and brake early"
        ),
        default=_FOLLOWING.comfort,
    )
    spread: FactorSetting(
        name="Spread",
        description=(
            "How much of the path's width people use. 0: in single file, on the line; 1: side by side over the whole "
            "width"
        ),
        default=_FOLLOWING.spread,
    )
    side: EnumSetting(
        name="Side",
        description="The side of the line on which people walk and prefer to pass obstacles",
        items=(
            ("NONE", "Either", "People use both sides and pass obstacles on the shorter side"),
            ("LEFT", "Left", "People walk on the left half of the path and prefer to pass obstacles on the left"),
            ("RIGHT", "Right", "People walk on the right half of the path and prefer to pass obstacles on the right"),
        ),
        default=_FOLLOWING.side.upper(),
    )
    weights: PointerProperty(type=FootfallPlanWeights)

    def to_settings(self) -> core.Following:
        """The core's settings that say the same."""
        return core.Following(
            keep_to_line=self.keep_to_line,
            comfort=self.comfort,
            spread=self.spread,
            side=self.side.lower(),
            weights=self.weights.to_settings(),
        )


CLASSES = (FootfallPlanWeights, FootfallFollowing)
