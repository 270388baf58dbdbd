# SPDX-License-Identifier: GPL-3.0-or-later
"""How settings tell that they were changed, knowing nothing of who listens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy

_listeners: list[Callable[[bpy.types.Scene], None]] = []


def note_change(scene: bpy.types.Scene) -> None:
    """Tell every listener that a setting of this scene was changed."""
    for listener in _listeners:
        listener(scene)


def setting_changed(group: Any, _context: bpy.types.Context) -> None:
    """A setting was changed, as Blender tells it of a property: the bake may be out of date."""
    note_change(group.id_data)


def listen(listener: Callable[[bpy.types.Scene], None]) -> None:
    """Have `listener` called at each change; it must be quick, as it runs while the user drags a value."""
    _listeners.append(listener)


def stop_listening(listener: Callable[[bpy.types.Scene], None]) -> None:
    """Call `listener` no more."""
    _listeners.remove(listener)
