# SPDX-License-Identifier: GPL-3.0-or-later
"""Failed bakes, so that the report of an older one is not taken for theirs; kept until the file is closed."""

from __future__ import annotations

import bpy

_failed: dict[int, str] = {}


def note_failure(scene: bpy.types.Scene, reason: str) -> None:
    """Note that the last bake of a scene failed."""
    _failed[scene.session_uid] = reason


def note_success(scene: bpy.types.Scene) -> None:
    """Note that the scene shows its last bake."""
    _failed.pop(scene.session_uid, None)


def why_failed(scene: bpy.types.Scene) -> str:
    """Why the last bake of a scene failed; empty when it did not."""
    return _failed.get(scene.session_uid, "")


def forget() -> None:
    """Forget the failures of all scenes."""
    _failed.clear()
