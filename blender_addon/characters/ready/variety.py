# SPDX-License-Identifier: GPL-3.0-or-later
"""What may differ in the looks of people of one character: parts and materials of which one is worn, and colours.

Parts and materials are alternatives when their names differ in the last word only: `Shirt_Red` and `Shirt_Blue`.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from ....core.errors import FootfallError
from ...blender_data.tags import TAG, without_number
from ...figures.as_made import digests_of
from ...figures.parts import is_marked
from ..character import WEIGHT
from ..chosen_clips import characters_of
from .skin_pictures import shows_skin

VARIES = "varies"
"""Custom property of a material: how much its colour varies, from 0 to 1, where its name says something else."""

_NAME = re.compile(r"(.*[^\s_.\-])[\s_.\-]+([^\s_.\-]+)")
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
PARTS = re.compile(
    r"(l|r|left|right|top|bottom|upper|lower|up|low|high|front|back|inner|outer|lod\w*|body|head|face|hair|skin|"
    r"eyes?|brows?|eyebrows?|lash(es)?|eyelash(es)?|teeth|tongue|mouth|nails?|beard|neck|arms?|hands?|legs?|foot|feet|"
    r"torso|chest|hips?|pelvis|shoulders?|forearms?|thighs?|shins?|fingers?|thumbs?|palms?|toes?|"
    r"shirts?|pants|trousers|shorts|skirt|dress|coat|jacket|suit|shoes?|boots?|socks?|gloves?|hat|helmet|glasses|bag|"
    r"joints?|surface|layer|mesh|geo|mat|material|proxy|collision|collider|shadow|outline|cage)\d*",
    re.IGNORECASE,
)
"""Last words of the names of parts that are worn together."""
_ANY = re.compile(
    r"(object|mesh|node|geometry|group|part|polygon|cube|plane|material|mat|lambert|phong|blinn|primitive)",
    re.IGNORECASE,
)
"""Names that programs give: their numbers say nothing."""
_OF_BODIES = re.compile(
    r"(skin|face|head|eye|eyeball|iris|cornea|pupil|eyebrow|brow|eyelash|lash|tooth|tongue|gum|mouth|lip|nail|hair|"
    r"beard|moustache|glass)(es|s)?|teeth"
)
"""Words of materials whose colour stays; so does that of a `body` with a texture."""
_LETTER, _DIGITS = re.compile(r"[^\W\d_]"), re.compile(r"(\d+)")
_SHADERS = {"BSDF_PRINCIPLED", "BSDF_DIFFUSE", "BSDF_TOON", "BSDF_SHEEN", "EMISSION"}
_SAME_PLACE = 0.5  # of the smaller of two boxes round alternatives, which both contain


@dataclass(frozen=True, eq=False)
class Alternatives:
    """Things of which each person has one.

    Attributes:
        stem: what their names share.
        things: objects or materials, in the order of their names.
        weights: how often each is drawn.
    """

    stem: str
    things: tuple[Any, ...]
    weights: tuple[float, ...]

    def __str__(self) -> str:
        last = [_stem_of(each.name)[1] for each in self.things]
        if not any(map(_LETTER.search, last)):
            last = _names_inside(self.things, self.stem) or last
        return f"{self.stem}: {', '.join(sorted(last, key=_in_order))}"


@dataclass(frozen=True)
class Variety:
    """What may differ between people of one character.

    Attributes:
        parts: objects of which each wears one.
        materials: materials of which each wears one, by those of the character.
        colours: how much the colour of a material varies, from 0 to 1, of those whose colour may.
    """

    parts: tuple[Alternatives, ...] = ()
    materials: dict[bpy.types.Material, Alternatives] = field(default_factory=dict)
    colours: dict[bpy.types.Material, float] = field(default_factory=dict)

    def __str__(self) -> str:
        several = [*self.parts, *dict.fromkeys(self.materials.values())]
        count = len(self.colours)
        colours = [f"colour{'s' if count > 1 else ''} of {count} material{'s' if count > 1 else ''}"] if count else []
        return "; ".join([*map(str, several), *colours])


def find_variety(parts: Sequence[bpy.types.Object]) -> Variety:
    """Find what may differ between people of the character that has these objects, the first of which moves it."""
    worn = tuple(_alternative_parts(parts[1:]))
    one_of = {part for group in worn for part in group.things}
    used = {part: _used_materials(part) for part in parts}
    everywhere = {material for materials in used.values() for material in materials}
    always = {material for part in parts if part not in one_of for material in used[part]}
    materials = {}
    for material in sorted(everywhere, key=lambda each: each.name):
        others = [each for each in _of_same_stem(material) if each == material or each not in always]
        if (group := _alternatives(others)) is not None:
            known = next((each for each in materials.values() if set(each.things) == set(group.things)), group)
            materials[material] = known
    shown = everywhere | {each for group in materials.values() for each in group.things}
    varying = ((each, _how_much(each, parts)) for each in sorted(shown, key=lambda each: each.name))
    return Variety(worn, materials, {each: amount for each, amount in varying if amount})


def looks_of(crowd: Any) -> list[Any]:
    """Return what of a crowd's characters is copied when looks vary, in values that JSON can hold."""
    try:
        found = [find_variety(character.parts) for character in characters_of(crowd)]
    except FootfallError:
        return []  # which the bake reports
    return [
        [
            [[part.name, group.weights[k]] for group in each.parts for k, part in enumerate(group.things)],
            [[material.name, str(group), group.weights] for material, group in each.materials.items()],
            [[material.name, amount, list(digests_of(material).values())] for material, amount in each.colours.items()],
        ]
        for each in found
    ]


def colour_sockets(material: Any) -> Iterator[Any]:
    """Yield the inputs of shaders that give a material its colour."""
    nodes = material.node_tree.nodes if material.node_tree is not None else ()
    for node in nodes:
        if node.type in _SHADERS:
            yield node.inputs["Base Color" if "Base Color" in node.inputs else "Color"]


def _stem_of(name: str) -> tuple[str, str]:
    """Return what a name shares with its alternatives, and its last word; both empty where it has none."""
    found = _NAME.fullmatch(without_number(name))
    if found is None or PARTS.fullmatch(found[2]) or (found[2].isdecimal() and _ANY.fullmatch(found[1])):
        return "", ""
    return found[1], found[2]


def _names_inside(things: Sequence[Any], stem: str) -> list[str]:
    """Return the names of meshes or pictures of numbered alternatives; none unless each says something of its own."""
    inside = [each.data if isinstance(each, bpy.types.Object) else _picture_of(each) for each in things]
    names = [Path(without_number(each.name)).stem for each in inside if each is not None]
    told = {name for name in names if _LETTER.search(name.replace(stem, ""))}
    return names if len(told) == len(things) else []


def picture_before(node: Any) -> bpy.types.Image | None:
    """Return the picture that a node or one before it shows, or None."""
    waiting, known = [node], set()
    while waiting:
        each = waiting.pop()
        known.add(each)
        if each.type == "TEX_IMAGE" and each.image is not None:
            return each.image
        waiting += [link.from_node for put in each.inputs for link in put.links if link.from_node not in known]
    return None


def _picture_of(material: bpy.types.Material) -> bpy.types.Image | None:
    nodes = (link.from_node for socket in colour_sockets(material) for link in socket.links)
    return next((picture for node in nodes if (picture := picture_before(node)) is not None), None)


def _in_order(name: str) -> list[tuple[bool, int, str]]:
    """Return by what names are sorted as people do: 2 comes before 12."""
    parts = _DIGITS.split(name.casefold())
    return [(not part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts if part]


def _alternative_parts(parts: Iterable[bpy.types.Object]) -> Iterator[Alternatives]:
    """Yield parts that can take each other's place: of one stem, on one carrier, in one place."""
    groups = defaultdict(list)
    for part in parts:
        stem, _ = _stem_of(part.name)
        if stem and (part.type == "MESH" or (part.type == "EMPTY" and not part.children)):
            groups[stem, part.parent].append(part)
    for alike in groups.values():
        first = next((part for part in alike if part.type == "MESH"), None)
        if first is not None:
            there = [part for part in alike if part.type == "EMPTY" or _are_in_one_place(first, part)]
            if (group := _alternatives(there)) is not None:
                yield group


def _of_same_stem(material: bpy.types.Material) -> list[bpy.types.Material]:
    stem, _ = _stem_of(material.name)
    own = [each for each in bpy.data.materials if TAG not in each and not is_marked(each)]
    return [each for each in own if _stem_of(each.name)[0] == stem] if stem else []


def _alternatives(things: Iterable[Any]) -> Alternatives | None:
    """Return those of them that may be drawn, if they are several."""
    weighted = [(each, _weight(each)) for each in sorted(things, key=lambda each: each.name)]
    drawn = [(each, weight) for each, weight in weighted if weight > 0.0]
    if len({_stem_of(each.name)[1] for each, _ in drawn}) < 2:
        return None
    return Alternatives(_stem_of(drawn[0][0].name)[0], *zip(*drawn, strict=True))


def _weight(thing: bpy.types.ID) -> float:
    return _number(thing.get(WEIGHT, 1.0), 1.0)


def _number(given: Any, otherwise: float) -> float:
    return float(given) if isinstance(given, (int, float)) and math.isfinite(given) and given >= 0.0 else otherwise


def _are_in_one_place(one: bpy.types.Object, other: bpy.types.Object) -> bool:
    boxes = []
    for each in (one, other):
        corners = np.array([each.matrix_world @ Vector(corner) for corner in each.bound_box])
        boxes.append((corners.min(axis=0), corners.max(axis=0)))
    (low, high), (its_low, its_high) = boxes
    thin = 1e-3 * float(np.max([high - low, its_high - its_low]))  # of a flat part
    shared = np.clip(np.minimum(high, its_high) - np.maximum(low, its_low) + thin, 0.0, None)
    sizes = [float(np.prod(end - begin + thin)) for begin, end in boxes]
    return float(np.prod(shared)) >= _SAME_PLACE * min(sizes)


def _used_materials(part: bpy.types.Object) -> list[bpy.types.Material]:
    """Return the materials of the slots of a mesh that faces have."""
    mesh: Any = part.data
    slots: list[Any] = list(part.material_slots)
    if part.type == "MESH" and len(slots) > 1:
        of_faces = np.empty(len(mesh.polygons), dtype=np.int32)
        mesh.polygons.foreach_get("material_index", of_faces)
        slots = [slots[place] for place in np.unique(np.clip(of_faces, 0, len(slots) - 1)).tolist()]
    return [slot.material for slot in slots if slot.material is not None]


def _how_much(material: Any, parts: Sequence[bpy.types.Object]) -> float:
    """Return how much the colour of a material varies, from 0 to 1: not at all where it is that of bodies."""
    if VARIES in material:
        return min(_number(material[VARIES], 1.0), 1.0)
    words = {word.lower() for word in WORD.findall(material.name)}
    sockets = list(colour_sockets(material))
    if any(map(_OF_BODIES.fullmatch, words)) or ("body" in words and any(socket.is_linked for socket in sockets)):
        return 0.0
    picture = _picture_of(material)
    if picture is not None and shows_skin(material, picture, parts):
        return 0.0
    return 1.0 if sockets or material.node_tree is None else 0.0
