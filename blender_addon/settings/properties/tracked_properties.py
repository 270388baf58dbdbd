# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties whose change may put the bake out of date; none of them can be animated, for a bake reads them once."""

from __future__ import annotations

from functools import partial

from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty

from .change_events import setting_changed

BoolSetting = partial(BoolProperty, options=set(), update=setting_changed)
EnumSetting = partial(EnumProperty, options=set(), update=setting_changed)
FloatSetting = partial(FloatProperty, options=set(), update=setting_changed)
IntSetting = partial(IntProperty, options=set(), update=setting_changed)
