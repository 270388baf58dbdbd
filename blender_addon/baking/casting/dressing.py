# SPDX-License-Identifier: GPL-3.0-or-later
"""What each person wears: the colours of built-in figures, and by choice parts, materials and colours of the user's.

The user's objects and materials stay as they are. A material in another colour is a copy that belongs to the bake, one
of a few that all people share.
"""

from __future__ import annotations

import colorsys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import bpy
import numpy as np

from ....core.geometry.reproducible_math import real_power
from ...bakes.ownership import untag
from ...bakes.roles import RandomDraws, Role, WeightedDraw
from ...blender_data.tags import MADE_AS, TAG
from ...characters.ready.variety import Alternatives, Variety, colour_sockets, find_variety, picture_before
from ...characters.vehicles.models import PAINT_DRAWS, paint
from ...figures.figure import DRAWS_COLOUR, FIGURE_TAG
from ...figures.materials import VARIATION
from .figure_choice import FigureChoice

COLOURS = 8
"""Copies of one material in other colours, at most; chosen."""

_COLOUR_DRAWS = WeightedDraw(range(COLOURS), [None] * COLOURS)

_APART = 3  # neighbours in brightness are so far apart in hue; shares no factor with the number of colours
_GREY = 0.05  # saturation
_LARGE, _SMALL = 512**2, 16  # of a picture with more pixels, so many of a side are read


class Dresser:
    """Dresses copies of characters.

    Args:
        crowd: its settings.
        draws: its random numbers.
        figures: the built-in figures, where they are its characters.
        note: receives each material that is made, and by which title.
        again: people of the last bake may be left as they are: its materials are worn again.
    """

    def __init__(
        self,
        crowd: Any,
        draws: RandomDraws,
        figures: FigureChoice | None,
        note: Callable[[bpy.types.ID, str], None],
        *,
        again: bool,
    ) -> None:
        self._draws, self._figures, self._note = draws, figures, note
        self._vehicle: str | None = crowd.vehicle.kind.lower() if crowd.drives else None
        self._is_built_in = crowd.characters is None
        self._varies: bool = crowd.varies_looks
        self._ranges = crowd.motion.hue_variation, crowd.motion.brightness_variation
        self._varieties: dict[tuple[bpy.types.Object, ...], Variety] = {}
        worn = [each for each in bpy.data.materials if again and each.get(TAG) == crowd.uid]
        self._coloured = {each[MADE_AS]: each for each in worn}

    def dress(
        self, role: Role, copies: Sequence[bpy.types.Object], originals: tuple[bpy.types.Object, ...]
    ) -> set[bpy.types.Object]:
        """Dress the copies of a character for who plays a role.

        Args:
            role: the role.
            copies: what was copied.
            originals: what it was copied from, in the same order; bones that a bake makes come last.

        Returns:
            Those of the copies that are not worn, with all that hangs on them.
        """
        for copy in copies:
            if self._vehicle is not None and self._is_built_in:
                paint(copy, self._draws.draw_in_turn(role, "paint", PAINT_DRAWS[self._vehicle]))
            elif self._is_built_in or DRAWS_COLOUR in copy:
                copy.color = self._draws.shirt(role)
            copy[VARIATION] = self._draws.draw(role, VARIATION)
            if self._figures is not None:
                self._figures.dress(copy, role)
        if not self._varies:
            return set()
        if originals not in self._varieties:
            self._varieties[originals] = find_variety(originals)
        variety, copy_of = self._varieties[originals], dict(zip(originals, copies, strict=False))
        unworn = {copy_of[part] for group in variety.parts for part in group.things}
        for group in variety.parts:
            chosen = copy_of[self._one_of(group, role)]
            unworn.discard(chosen)
            chosen.hide_render = chosen.hide_viewport = False
        for copy in copies:
            if not unworn.isdisjoint(_carriers(copy)):
                unworn.add(copy)
            else:
                self._change_materials(copy, variety, role)
        return unworn

    def _one_of(self, group: Alternatives, role: Role) -> Any:
        among = WeightedDraw(range(len(group.things)), group.weights)
        return group.things[among.draw(self._draws.draw(role, f"wears {group.stem}"))]

    def _change_materials(self, copy: bpy.types.Object, variety: Variety, role: Role) -> None:
        for place in copy.material_slots:
            slot: Any = place
            material = slot.material
            if material in variety.materials:
                material = self._one_of(variety.materials[material], role)
            if material in variety.colours and any(self._ranges):
                number = self._draws.draw_in_turn(role, f"colour of {material.name}", _COLOUR_DRAWS)
                material = self._in_colour(material, number, variety.colours[material])
            if material != slot.material:
                slot.link = "OBJECT"
                slot.material = material

    def _in_colour(self, material: bpy.types.Material, number: int, amount: float) -> bpy.types.Material:
        """Return the copy of a material that has one of its other colours."""
        title = f"{material.name} look {number + 1}"
        if title not in self._coloured:
            copy = self._coloured[title] = _local_copy(material)
            self._note(copy, title)
            places = _spread(number), _spread(_APART * number)
            _change_colour(copy, *(amount * way * place for way, place in zip(self._ranges, places, strict=True)))
            copy.name = title
        return self._coloured[title]


def remove_unworn(unworn: Iterable[bpy.types.Object], made: Sequence[tuple[bpy.types.ID, str]]) -> list[Any]:
    """Remove objects that nobody wears, and the Actions that were made for them alone; return what is left of `made`.

    Args:
        unworn: the objects.
        made: data-blocks with their titles.
    """
    gone = set(unworn)
    if not gone:
        return list(made)
    actions = {each.animation_data.action for each in gone if each.animation_data is not None}
    kept = [(block, title) for block, title in made if block not in gone]
    bpy.data.batch_remove(list(gone))
    unused = {block for block, _ in kept if block in actions and block.users == 0}
    left = [(block, title) for block, title in kept if block not in unused]
    bpy.data.batch_remove(list(unused))
    return left


def _carriers(part: bpy.types.Object) -> list[bpy.types.Object]:
    found = [part]
    while found[-1].parent is not None:
        found.append(found[-1].parent)
    return found


def _local_copy(material: bpy.types.Material) -> bpy.types.Material:
    copy = material.copy()
    if copy.override_library is not None:
        copy = copy.make_local(clear_liboverride=True)
    untag(copy)
    copy.pop(FIGURE_TAG, None)
    copy.use_fake_user = False
    copy.asset_clear()
    return copy


def _spread(number: int) -> float:
    """Where one of the colours is in its range, from -1 to 1."""
    return (2 * (number % COLOURS) + 1) / COLOURS - 1.0


def _change_colour(material: Any, hue: float, brightness: float) -> None:
    """Turn the hue of a material [turns], and change its brightness by a share; in every shading."""
    tree = material.node_tree
    seen = list(material.diffuse_color[:3])
    for socket in colour_sockets(material):
        if not socket.is_linked:
            socket.default_value[:3] = _changed(socket.default_value[:3], hue, brightness)
            continue
        if max(seen) - min(seen) <= _GREY * max(seen):  # in Solid mode a material has one colour and no picture
            picture = picture_before(socket.links[0].from_node)
            seen = (picture is not None and _mean_of(picture)) or seen
        node = tree.nodes.new("ShaderNodeHueSaturation")
        node.location = (socket.node.location.x - 180.0, socket.node.location.y + 180.0)
        node.inputs["Hue"].default_value, node.inputs["Value"].default_value = 0.5 + hue, 1.0 + brightness
        tree.links.new(socket.links[0].from_socket, node.inputs["Color"])
        tree.links.new(node.outputs["Color"], socket)
    material.diffuse_color[:3] = _changed(seen, hue, brightness)


def _changed(colour: Sequence[float], hue: float, brightness: float) -> tuple[float, float, float]:
    h, s, v = colorsys.rgb_to_hsv(*colour)
    return colorsys.hsv_to_rgb((h + hue) % 1.0, s, v * (1.0 + brightness))


def _mean_of(image: bpy.types.Image) -> list[float] | None:
    """Return the mean colour (linear) of a picture, or None where it cannot be read."""
    if image.source not in {"FILE", "GENERATED"} or not all(image.size) or image.channels < 3:
        return None
    is_large = image.size[0] * image.size[1] > _LARGE
    seen: Any = image.copy() if is_large else image
    try:
        if is_large:
            seen.scale(_SMALL, _SMALL)
        pixels = np.empty((seen.size[0] * seen.size[1], seen.channels), dtype=np.float32)
        seen.pixels.foreach_get(pixels.ravel())
    finally:
        if is_large:
            bpy.data.images.remove(seen)
    mean = pixels[:, :3].mean(axis=0)
    return np.where(mean <= 0.04045, mean / 12.92, real_power((mean + 0.055) / 1.055, 2.4)).tolist()
