# SPDX-License-Identifier: GPL-3.0-or-later
"""How settings tell that they were changed, knowing nothing of who listens.

Listeners must be quick: they run while the user drags a value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy

setting_listeners: list[Callable[[bpy.types.Scene], None]] = []
"""Called at each change of a setting, with its scene."""

cast_listeners: list[Callable[[bpy.types.Scene], None]] = []
"""Called when characters are chosen, or what is said of one in the cast table is changed, with the scene."""

overlay_listeners: list[Callable[[], None]] = []
"""Called whenever an overlay is switched or is drawn differently."""


def setting_changed(group: Any, _context: bpy.types.Context) -> None:
    """Notify every listener that a property was changed: the bake may be out of date."""
    for listener in setting_listeners:
        listener(group.id_data)


def cast_changed(group: Any, _context: bpy.types.Context) -> None:
    """Notify every listener that the cast table has to be filled again."""
    for listener in cast_listeners:
        listener(group.id_data)


def overlay_switched(_group: Any, _context: bpy.types.Context) -> None:
    """Notify every listener that an overlay was switched or is drawn differently."""
    for listener in overlay_listeners:
        listener()
