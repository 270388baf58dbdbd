# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes that failed, so that the report of an older one is not taken for theirs; known until the file is closed."""

from __future__ import annotations

import bpy

_failed: dict[int, str] = {}


def note_failure(scene: bpy.types.Scene, reason: str) -> None:
    """The last bake of a scene has failed."""
    _failed[scene.session_uid] = reason


def note_success(scene: bpy.types.Scene) -> None:
    """What the scene shows is of its last bake."""
    _failed.pop(scene.session_uid, None)


def why_failed(scene: bpy.types.Scene) -> str:
    """Why the last bake of a scene has failed; empty when it has not."""
    return _failed.get(scene.session_uid, "")


def forget() -> None:
    """Of no scene of the file is any failure known any more."""
    _failed.clear()
