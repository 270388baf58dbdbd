# SPDX-License-Identifier: GPL-3.0-or-later
"""Which scenes may differ from their bake: noted at once and at no cost, judged later and elsewhere."""

from __future__ import annotations

from collections.abc import Callable

import bpy

_touched: set[int] = set()
_listeners: list[Callable[[], None]] = []


def note_change(scene: bpy.types.Scene) -> None:
    """Remember that something which a bake of this scene depends on was changed."""
    _touched.add(scene.session_uid)
    for listener in _listeners:
        listener()


def take_changed() -> set[int]:
    """The `session_uid` of each scene changed since the last call; they count as unchanged from now on."""
    changed = set(_touched)
    _touched.clear()
    return changed


def listen(listener: Callable[[], None]) -> None:
    """Have `listener` called at each change; it must be quick, as it runs while the user drags."""
    if listener not in _listeners:
        _listeners.append(listener)


def forget_all() -> None:
    """Drop every note and every listener."""
    _touched.clear()
    _listeners.clear()
