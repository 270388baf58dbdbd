# SPDX-License-Identifier: GPL-3.0-or-later
"""How settings tell that they were changed, knowing nothing of who listens.

Listeners must be quick: they run while the user drags a value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy

_listeners: list[Callable[[bpy.types.Scene], None]] = []
_overlay_listeners: list[Callable[[], None]] = []


def setting_changed(group: Any, _context: bpy.types.Context) -> None:
    """Tell every listener that a property was changed: the bake may be out of date."""
    for listener in _listeners:
        listener(group.id_data)


def overlay_switched(_group: Any, _context: bpy.types.Context) -> None:
    """Tell every listener that an overlay was switched or is drawn differently."""
    for listener in _overlay_listeners:
        listener()


def listen(listener: Callable[[bpy.types.Scene], None]) -> None:
    """Have `listener` called at each change of a setting."""
    _listeners.append(listener)


def stop_listening(listener: Callable[[bpy.types.Scene], None]) -> None:
    """Call `listener` no more."""
    _listeners.remove(listener)


def listen_to_overlays(listener: Callable[[], None]) -> None:
    """Have `listener` called whenever an overlay is switched."""
    _overlay_listeners.append(listener)


def stop_listening_to_overlays(listener: Callable[[], None]) -> None:
    """Call `listener` no more when overlays are switched."""
    _overlay_listeners.remove(listener)
