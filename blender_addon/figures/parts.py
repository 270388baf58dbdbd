# SPDX-License-Identifier: GPL-3.0-or-later
"""The data-blocks that the built-in figures are made of: how they are marked, and found again in a file."""

from __future__ import annotations

from typing import Any

import bpy

from .as_made import note_as_made

FIGURE_TAG = "footfall_figure"
"""Custom property of every data-block that is part of the figures: which part, and of which edition."""

_EDITION = 5
"""Grows when the figures change, so that an older file's data are not taken for the present ones."""

_MADE_HERE = "Made by Footfall, which finds its figures by it"
"""Description of the property. Files of other formats may bring the property back, in other axes, but not this."""


def tagged(block: Any, part: str) -> Any:
    """Mark a new data-block as a part of the figures."""
    mark(block, _tag(part))
    if isinstance(block, (bpy.types.Armature, bpy.types.Material, bpy.types.Action)):  # meshes are still empty
        note_as_made(block)
    return block


def mark(block: bpy.types.ID, tag: str) -> None:
    """Mark a data-block as made by Footfall for all bakes."""
    block[FIGURE_TAG] = tag
    shown: Any = block.id_properties_ui(FIGURE_TAG)
    shown.update(description=_MADE_HERE)


def is_marked(block: bpy.types.ID) -> bool:
    """Whether a data-block was made by Footfall for all bakes; not one that was exported and imported again."""
    if FIGURE_TAG not in block:
        return False
    shown: Any = block.id_properties_ui(FIGURE_TAG)
    return shown.as_dict().get("description") == _MADE_HERE


def found(blocks: Any, part: str) -> Any:
    """A data-block of this file that was made as a part of the figures, or None."""
    return find_marked(blocks, _tag(part))


def find_marked(blocks: Any, tag: str) -> Any:
    """A data-block of this file with a mark, or None."""
    alike = (each for each in blocks if each.get(FIGURE_TAG) == tag and each.library is None)
    return next((each for each in alike if is_marked(each)), None)


def part_of(block: bpy.types.ID) -> str:
    """Which part of the figures a data-block is; empty where it is none of this edition."""
    part, _, edition = str(block.get(FIGURE_TAG, "")).rpartition(" ")
    return part if edition == str(_EDITION) and is_marked(block) else ""


def _tag(part: str) -> str:
    return f"{part} {_EDITION}"
