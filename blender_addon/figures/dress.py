# SPDX-License-Identifier: GPL-3.0-or-later
"""The materials that one person wears, for shading that shows a single colour of each material.

In a render a material takes its colour from the object that wears it. Blender's Solid mode knows no nodes: there each
material has one colour. So there is a material for each colour of a palette, alike but for that colour.
"""

from __future__ import annotations

from typing import Any

import bpy

from .materials import Rgba, colours_of, make_material, number_of
from .parts import found, part_of, tagged


class Wardrobe:
    """Materials that were found or made, by slot and number."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], bpy.types.Material] = {}

    def material(self, slot: str, number: int) -> bpy.types.Material:
        """The material of a slot in one of its colours."""
        number %= len(colours_of(slot))
        known = self._known.get((slot, number))
        if known is None:
            part = f"{slot} {number + 1}"
            known = found(bpy.data.materials, part) or tagged(make_material(slot, number), part)
            self._known[slot, number] = known
        return known

    def dress(self, body: bpy.types.Object, shirt: Rgba, variation: float) -> None:
        """Give an object that is a copy of a figure's body the materials of somebody.

        Args:
            body: the object; its mesh, which others share, keeps its own.
            shirt: colour of the object.
            variation: from 0 to 1, what the materials vary by.
        """
        for place in body.material_slots:
            slot: Any = place
            part = part_of(slot.material).rpartition(" ")[0] if slot.material is not None else ""
            if part and len(colours_of(part)) > 1:
                material = self.material(part, number_of(part, shirt, variation))
                slot.link = "OBJECT"
                slot.material = material
