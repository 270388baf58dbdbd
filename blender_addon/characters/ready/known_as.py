# SPDX-License-Identifier: GPL-3.0-or-later
"""Whom a character is known as where importers have named what moves it: RootNode, Armature, Rig."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import takewhile
from typing import Any

import bpy

from .variety import PARTS, WORD

_MEANS_NOBODY = re.compile(
    r"(root|node|scene|main|character|human|armature|metarig|rig|skeleton|body|mesh|geometry|cube|plane|sphere"
    r"|cylinder|object|group|[ ._#-])+[0-9 ._-]*",
    re.IGNORECASE,
)
_ARMATURE = re.compile(r"\w*armature[0-9 ._-]*", re.IGNORECASE)  # as in RobotArmature, of whatever name the robot has
_SHORTEST = 3  # name of somebody [letters]; chosen
_SEPARATORS = re.compile(r"[ ._:-]")


def known_as(names: Sequence[str], parts: Sequence[bpy.types.Object]) -> str:
    """Return whom the name of a character means, if it says nothing itself; else nothing.

    It is what the names of its meshes begin with, as importers keep these: of those with the most vertices, as weapons
    and hats have names of their own. Failing that, it is the name of another of its parts, such as its armature.

    Args:
        names: of its objects; the first moves the others.
        parts: its objects, or copies of them, in the same order.
    """
    if not (_MEANS_NOBODY.fullmatch(names[0]) or _ARMATURE.fullmatch(names[0])):
        return ""
    alike: defaultdict[str, list[str]] = defaultdict(list)
    vertices: defaultdict[str, int] = defaultdict(int)
    for name, part in zip(names, parts, strict=True):
        if part.type == "MESH":
            word = _SEPARATORS.split(name, maxsplit=1)[0]
            alike[word].append(name)
            mesh: Any = part.data
            vertices[word] += len(mesh.vertices)
    stems = [_stem(alike[word]) for word in sorted(alike, key=lambda word: -vertices[word])]
    others = [name for name, part in zip(names[1:], parts[1:], strict=True) if part.type == "ARMATURE"]
    return next((name for name in (*stems, *others) if _says_something(name)), "")


def hint_of(names: Sequence[str], parts: Sequence[bpy.types.Object]) -> str:
    """Return what a sentence adds to the name of a character, as " (Beach)"; see `known_as`."""
    known = known_as(names, parts)
    return f" ({known})" if known else ""


def _stem(names: Sequence[str]) -> str:
    shared = takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    return "".join(letter for letter, *_ in shared).rstrip("0123456789 ._-")


def _says_something(name: str) -> bool:
    words = WORD.findall(_SEPARATORS.split(name, maxsplit=1)[0])
    is_part = words and all(PARTS.fullmatch(word) for word in words)  # LowerLeg, ArmLeft; other alphabets have none
    return len(name) >= _SHORTEST and not is_part and not _MEANS_NOBODY.fullmatch(name)
