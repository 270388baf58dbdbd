# SPDX-License-Identifier: GPL-3.0-or-later
"""Where bystanders of a crowd are, and what they do."""

from __future__ import annotations

import bpy

from ...settings.crowd.presence import FootfallPresence
from ...settings.crowd.stops import SIT, activities_in_words


def draw_presence(column: bpy.types.UILayout, presence: FootfallPresence) -> None:
    """Draw the settings of a crowd of bystanders."""
    if presence.places is None or presence.place is not None:
        column.prop(presence, "place")
    if presence.place is None:
        column.prop(presence, "places")
    if SIT not in presence.activities:
        column.prop(presence, "spots")
        column.prop(presence, "look_at")
    column.prop_menu_enum(presence, "activities", text=activities_in_words(presence.activities))
