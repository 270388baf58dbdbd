# SPDX-License-Identifier: GPL-3.0-or-later
"""What is remembered of the last bake of each scene while Blender runs, so that a re-bake can reuse it."""

from __future__ import annotations

import bpy

from ..baking.bake_memory import BakeMemory

_memories: dict[int, BakeMemory] = {}


def memory_of(scene: bpy.types.Scene) -> BakeMemory:
    """Return the memory of a scene's last bake, empty before the first; those of removed scenes are dropped."""
    existing = {each.session_uid for each in bpy.data.scenes}
    for uid in [uid for uid in _memories if uid not in existing]:
        del _memories[uid]
    return _memories.setdefault(scene.session_uid, BakeMemory())


def forget() -> None:
    """Forget the bakes of all scenes."""
    _memories.clear()
