# SPDX-License-Identifier: GPL-3.0-or-later
"""All that turns on a vehicle while it drives: its wheels, and the pedals of bicycles with the legs on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import bpy

from ...blender_data import animation
from ...blender_data.bulk_clips import ClipWriter, Grouped
from .pedals import Pedals, find_pedals, turn_pedals
from .wheels import Drive, DrivenWheel, find_wheels, turn_wheels

_WHEELS, _PEDALS = "Wheels", "Pedals"  # groups of channels


class RunningGear(NamedTuple):
    """What turns on a vehicle.

    Attributes:
        wheels: its wheels.
        pedals: of a bicycle; None where it has none.
    """

    wheels: Sequence[DrivenWheel] = ()
    pedals: Pedals | None = None


def find_running_gear(names: list[str], parts: list[bpy.types.Object], facing: float) -> RunningGear:
    """Find what turns on a vehicle, and prepare it to be turned.

    Args:
        names: the user's names of the objects.
        parts: the objects; the first moves all others.
        facing: direction of the vehicle in the axes of the first object [rad].
    """
    wheels = find_wheels(names, parts, facing)
    return RunningGear(wheels, find_pedals(names, parts, facing, wheels))


def write_running_gear(
    gear: RunningGear, drive: Drive, facing: float, *, name: str, also: Grouped, writer: ClipWriter
) -> Iterator[tuple[animation.Clip, str, list[int]]]:
    """Make the Actions that turn what turns on one vehicle.

    Args:
        gear: of its template, with one wheel at least.
        drive: of the vehicle.
        facing: as in `find_running_gear`.
        name: of the Actions.
        also: more channels of each Action.
        writer: that makes them.

    Yields:
        Each Action, its name, and numbers of the objects that share it.
    """
    turning = [(_WHEELS, each) for each in turn_wheels(gear.wheels, drive, facing)]
    if gear.pedals is not None:
        turning += [(_PEDALS, each) for each in turn_pedals(gear.pedals, drive, facing)]
    for group, (title, channels, numbers) in turning:
        if channels:
            yield writer.new_clip(f"{name} {title}", [Grouped(group, channels), also]), f"{name} {title}", numbers
