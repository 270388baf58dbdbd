# SPDX-License-Identifier: GPL-3.0-or-later
"""What reading finds wrong or worth a word, all in one pass, each with the name that the user knows it by."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import bpy

from ...core.errors import Fault, SceneError
from ..settings.crowd.crowd import FootfallCrowd


class Findings:
    """Faults, which stop a bake, and notices, which do not.

    A fault's place is the name of the Blender object or crowd at fault, so that it can be found and selected.
    """

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.notices: list[str] = []

    def fault(self, place: str, message: str) -> None:
        """Note something that must be put right before anything can be simulated."""
        self.faults.append(Fault(place, message))

    def notice(self, text: str) -> None:
        """Note something that the user should know, once."""
        if text not in self.notices:
            self.notices.append(text)

    def raise_faults(self) -> None:
        """Stop here if there is any fault.

        Raises:
            SceneError: with all of them.
        """
        if self.faults:
            raise SceneError(list(dict.fromkeys(self.faults)))

    def hidden_by_animation(self, source: bpy.types.Object, frame: int) -> None:
        """Note that Blender does not evaluate an object, as an F-curve or a driver disables it."""
        collections = ", ".join(f"'{collection.name}'" for collection in source.users_collection) or "no collection"
        self.fault(
            source.name,
            f"its animation or a driver disables it in viewports at frame {frame}, so it cannot be read (it is in "
            f"{collections}). Hide it another way, or begin the animation at a frame where it is shown.",
        )


_NUMBER_IN_FILE = re.compile(r" \((?:obstacles|walls|routes|areas|crowds)\[\d+\]\)")
_WALL = re.compile(r"\bwalls\[(\d+)\]")
_PLACE = re.compile(r"(\w+)\[(\d+)\]\.?(.*)")


def in_the_users_words(error: SceneError, names: Mapping[str, list[str]]) -> SceneError:
    """The same faults, told by the names of objects and crowds instead of places in a scene file.

    Args:
        error: what the core found.
        names: for `obstacles`, `walls`, `routes`, `areas` and `crowds` the Blender name of each entry, for `bounds`
            that of the one object, or none.

    Returns:
        The error to raise instead; a place that belongs to none of them stays as it is.
    """
    faults = []
    for fault in error.faults:
        match = _PLACE.match(fault.place)
        known = names.get(match[1], []) if match else []
        message = _by_the_panels_names(_NUMBER_IN_FILE.sub("", fault.message), names)
        if match and int(match[2]) < len(known):
            setting = (
                f"{_label(match[3])}: " if match[1] == "crowds" and match[3] else ""
            )  # a shape is known by its object
            faults.append(Fault(known[int(match[2])], setting + message))
        else:
            faults.append(Fault(fault.place, message))
    return SceneError(list(dict.fromkeys(faults)))


def _label(setting: str) -> str:
    """What the panel calls a setting of a crowd in a scene file, `spawn.rate`; what it does not know stays as it is."""
    group: Any = FootfallCrowd.bl_rna
    label = setting
    for name in setting.split("."):
        found = group.properties.get(name)
        if found is None:
            return setting
        label = found.name or label
        group = found.fixed_type if found.type == "POINTER" else group
    return label


def _by_the_panels_names(message: str, names: Mapping[str, list[str]]) -> str:
    """The core's advice with the choices of the panel, and with the bounds that there are."""
    message = message.replace("enter one by one ('flow')", "come in one by one (Enter: One by One)")
    if "bounds" in names:
        outside = f" outside the bounds '{names['bounds'][0]}'" if names["bounds"] else ""
        message = message.replace(" or outside the bounds", outside and f" or{outside}")
        if outside:
            message = message.replace(" lies outside the bounds", f" lies{outside}")
    return message


def by_the_objects_names(text: str, names: Mapping[str, str], walls: Sequence[str]) -> str:
    """A sentence of the core by the names of objects, instead of those that it knows them by.

    Args:
        text: the sentence.
        names: what of a scene of the core has another name than the object behind it, and the object's name.
        walls: the name of the object behind each wall.
    """
    if names:  # looked for as they are, as there may be apostrophes in them
        known = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
        text = re.sub(f"'({known})'", lambda quoted: f"'{names[quoted[1]]}'", text)
    return _WALL.sub(lambda wall: f"'{walls[int(wall[1])]}'" if int(wall[1]) < len(walls) else wall[0], text)


class Names:
    """Gives out names: `Path`, then `Path.2`, `Path.3`.

    Args:
        reserved: names of others still to come; only who bears one gets it.
    """

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._reserved = set(reserved)
        self._given: set[str] = set()

    def give(self, name: str) -> str:
        """The name itself the first time, then with the first number from 2 on that nobody has."""
        wanted, number = name, 2
        while wanted in self._given or (wanted != name and wanted in self._reserved):
            wanted, number = f"{name}.{number}", number + 1
        self._given.add(wanted)
        return wanted
