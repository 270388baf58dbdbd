# SPDX-License-Identifier: GPL-3.0-or-later
"""Removing the bakes of crowds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy

from ..bakes import ownership
from ..bakes.edited_people import list_handwork


def clear_crowds(scene: bpy.types.Scene, crowds: Sequence[Any]) -> list[str]:
    """Remove the bakes of crowds from a scene: all of them, or none when one cannot be removed.

    Args:
        scene: the scene.
        crowds: the crowds' settings, of `scene.footfall.crowds`.

    Returns:
        Sentences about what was kept.

    Raises:
        FootfallError: one is being edited, or is in a collection that another scene shows too; nothing was removed.
    """
    for crowd in crowds:
        ownership.check_removable(scene, crowd.uid)
    notices = []
    list_handwork(scene, (), [crowd.uid for crowd in crowds])
    for crowd in crowds:
        notices += ownership.clear(scene, crowd.uid)
        crowd.baked = ""
    return notices
