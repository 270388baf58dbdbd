# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties whose change may put the bake out of date; none of them can be animated, for a bake reads them once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty, StringProperty

from .change_events import setting_changed
from .identities import free_name

BoolSetting = partial(BoolProperty, options=set(), update=setting_changed)
EnumSetting = partial(EnumProperty, options=set(), update=setting_changed)
FloatSetting = partial(FloatProperty, options=set(), update=setting_changed)
IntSetting = partial(IntProperty, options=set(), update=setting_changed)
PointerSetting = partial(PointerProperty, update=setting_changed)
StringSetting = partial(StringProperty, options=set(), update=setting_changed)
CollectionSetting = partial(PointerSetting, type=bpy.types.Collection)
ObjectSetting = partial(PointerSetting, type=bpy.types.Object)
FactorSetting = partial(FloatSetting, min=0.0, max=1.0, subtype="FACTOR")
TimeSetting = partial(FloatSetting, min=0.0, unit="TIME_ABSOLUTE")


def keeps_apart(siblings: Callable[[Any], Iterable[Any]]) -> Callable[[Any, bpy.types.Context], None]:
    """Return the update of a property `name` that keeps the names of groups apart, as Blender does with its own.

    Args:
        siblings: returns all groups whose names are kept apart from that of one, itself among them.
    """

    def name_changed(group: Any, context: bpy.types.Context) -> None:
        free = free_name(group.name, [other.name for other in siblings(group) if other != group])
        if free != group.name:
            group.name = free  # comes back here once more
            return
        setting_changed(group, context)

    return name_changed
