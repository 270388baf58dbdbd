# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user sets for how a crowd enters the scene, and how fast it walks.

Blender evaluates the annotations below: no `from __future__ import annotations` here.
"""

import bpy

from ....core import scene as core
from ....core.scene.crowd_checks import FASTEST, HIGHEST_RATE
from ..properties.tracked_properties import EnumSetting, FloatSetting, TimeSetting

_SPAWN_DEFAULTS = core.Spawn()
_SPEED_DEFAULTS = core.Speed()


class FootfallSpawn(bpy.types.PropertyGroup):
    """How a crowd comes into the scene; mirrors `core.scene.Spawn`."""

    __slots__ = ()

    mode: EnumSetting(
        name="Enter",
        description="How people enter the scene",
        items=(
            ("AT_ONCE", "At Once", "Everybody stands at the start at the first frame and sets off"),
            ("SPREAD", "Spread Out", "Everybody is on the way at the first frame, spread over the whole route"),
            ("FLOW", "One by One", "People enter at the start, one after the other"),
        ),
        default=_SPAWN_DEFAULTS.mode.upper(),
    )
    rate: FloatSetting(
        name="Rate (1/s)",
        description="Number of people who enter per second: higher values give a denser stream [1/s]",
        default=_SPAWN_DEFAULTS.rate,
        min=0.001,
        soft_max=10.0,
        max=HIGHEST_RATE,
    )
    headway: TimeSetting(
        name="Minimum Gap",
        description="Minimum time between two people who enter [s]: higher values keep them further apart",
        default=_SPAWN_DEFAULTS.headway,
        soft_max=10.0,
    )
    sets_off_within: TimeSetting(
        name="Set Off Within",
        description=(
            "Everybody sets off at a time of their own within this time [s], a group together: at 0 all take their "
            "first step in the same frame"
        ),
        default=_SPAWN_DEFAULTS.sets_off_within,
        soft_max=10.0,
    )

    def to_settings(self) -> core.Spawn:
        """The core's settings that say the same."""
        mode = self.mode.lower()
        return core.Spawn(mode=mode, rate=self.rate, headway=self.headway, sets_off_within=self.sets_off_within)


class FootfallSpeed(bpy.types.PropertyGroup):
    """Wanted walking speeds; mirrors `core.scene.Speed`."""

    __slots__ = ()

    mean: FloatSetting(
        name="Speed (m/s)",
        description="Mean preferred walking speed [m/s]: 0.8 is a stroll, 1.34 a normal walk, 2 a hurry",
        default=_SPEED_DEFAULTS.mean,
        min=0.1,
        soft_max=4.0,
        max=FASTEST,
    )
    sd: FloatSetting(
        name="Variation (m/s)",
        description=(
            "Standard deviation of the speed [m/s]: at 0 everybody walks at the same speed; with higher values some "
            "overtake others"
        ),
        default=_SPEED_DEFAULTS.sd,
        min=0.0,
        soft_max=1.0,
        max=FASTEST,
    )

    def to_settings(self) -> core.Speed:
        """The core's settings that say the same."""
        return core.Speed(mean=self.mean, sd=self.sd)


CLASSES = (FootfallSpawn, FootfallSpeed)
