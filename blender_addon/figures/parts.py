# SPDX-License-Identifier: GPL-3.0-or-later
"""The data-blocks that the built-in figures are made of: how they are marked, and found again in a file."""

from __future__ import annotations

from typing import Any

import bpy

from .as_made import note_as_made

FIGURE_TAG = "footfall_figure"
"""Custom property of every data-block that is part of the figures: which part, and of which edition."""

_EDITION = 4
"""Grows when the figures change, so that an older file's data are not taken for the present ones."""


def tagged(block: Any, part: str) -> Any:
    """Mark a new data-block as a part of the figures."""
    block[FIGURE_TAG] = _tag(part)
    if isinstance(block, (bpy.types.Armature, bpy.types.Material, bpy.types.Action)):  # meshes are still empty
        note_as_made(block)
    return block


def found(blocks: Any, part: str) -> Any:
    """A data-block of this file that was made as a part of the figures, or None."""
    return next((each for each in blocks if each.get(FIGURE_TAG) == _tag(part) and each.library is None), None)


def part_of(block: bpy.types.ID) -> str:
    """Which part of the figures a data-block is; empty where it is none of this edition."""
    part, _, edition = str(block.get(FIGURE_TAG, "")).rpartition(" ")
    return part if edition == str(_EDITION) else ""


def _tag(part: str) -> str:
    return f"{part} {_EDITION}"
