# SPDX-License-Identifier: GPL-3.0-or-later
"""Collects faults and notices of a reading in one pass, each under the name that the user gave the object."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import bpy

from ....core.errors import Fault, SceneError
from ...settings.crowd.crowd import FootfallCrowd


class Findings:
    """Faults, which stop a bake, and notices, which do not.

    A fault's place is the name of the Blender object or crowd at fault, so that it can be found and selected.
    """

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.notices: list[str] = []

    def fault(self, place: str, message: str) -> None:
        """Add a fault that must be corrected before the scene can be simulated."""
        self.faults.append(Fault(place, message))

    def notice(self, text: str) -> None:
        """Add a notice, once."""
        if text not in self.notices:
            self.notices.append(text)

    def of_lives(self) -> Findings:
        """Return findings whose faults are notices: the bake goes on without the stop or trigger at fault."""
        return _OfLives(self)

    def raise_faults(self) -> None:
        """Raise all faults that were found.

        Raises:
            SceneError: there is at least one fault.
        """
        if self.faults:
            raise SceneError(list(dict.fromkeys(self.faults)))

    def hidden_by_animation(self, source: bpy.types.Object, frame: int) -> None:
        """Add a fault: Blender does not evaluate the object, because an F-curve or a driver disables it."""
        collections = ", ".join(f"'{collection.name}'" for collection in source.users_collection) or "no collection"
        self.fault(
            source.name,
            f"its animation or a driver disables it in viewports at frame {frame}, so it cannot be read (it "
            f"is in {collections}). Hide it by other means, or start the frame range where it is shown.",
        )


class _OfLives(Findings):
    def __init__(self, everything: Findings) -> None:
        super().__init__()
        self._everything = everything

    def fault(self, place: str, message: str) -> None:
        super().fault(place, message)
        self.notice(f"{place}: {message}")

    def notice(self, text: str) -> None:
        self._everything.notice(text)


_OF_ROUTES = {"width": "path_width", "lanes": "vehicle.lanes", "lane_width": "vehicle.lane_width"}
"""Settings of a crowd that a scene file has with its route."""

_NUMBER_IN_FILE = re.compile(r" \((?:obstacles|walls|routes|areas|crowds)\[\d+\]\)")
_WALL = re.compile(r"\bwalls\[(\d+)\]")
_PLACE = re.compile(r"(\w+)\[(\d+)\]\.?(.*)")


def with_object_names(error: SceneError, names: Mapping[str, list[str]]) -> SceneError:
    """Return the same faults with names of objects and crowds instead of places in a scene file.

    Args:
        error: of the core.
        names: for `obstacles`, `walls`, `routes`, `areas` and `crowds` the Blender name of each entry, for `bounds`
            that of the object, or none.

    Returns:
        The error to raise instead; a place that belongs to none of them is unchanged.
    """
    faults = []
    for fault in error.faults:
        match = _PLACE.match(fault.place)
        known = names.get(match[1], []) if match else []
        message = _with_panel_labels(_NUMBER_IN_FILE.sub("", fault.message), names)
        if match and int(match[2]) < len(known):
            setting = match[3] if match[1] == "crowds" else _OF_ROUTES.get(match[3], "")  # objects name their shapes
            faults.append(Fault(known[int(match[2])], f"{_label(setting)}: {message}" if setting else message))
        else:
            faults.append(Fault(fault.place, message))
    return SceneError(list(dict.fromkeys(faults)))


def _label(setting: str) -> str:
    """Return the panel's label of a crowd setting of a scene file, e.g. `spawn.rate`; an unknown one is unchanged."""
    group: Any = FootfallCrowd.bl_rna
    label = setting
    for name in setting.split("."):
        found = group.properties.get(name)
        if found is None:
            return setting
        label = found.name or label
        group = found.fixed_type if found.type == "POINTER" else group
    return label


def _with_panel_labels(message: str, names: Mapping[str, list[str]]) -> str:
    """Return a message of the core with the panel's labels, and the name of the bounds where there are any."""
    message = message.replace("enter one by one ('flow')", "enter one by one (Enter: One by One)")
    if "bounds" in names:
        outside = f" outside the bounds '{names['bounds'][0]}'" if names["bounds"] else ""
        message = message.replace(" or outside the bounds", outside and f" or{outside}")
        if outside:
            message = message.replace(" lies outside the bounds", f" lies{outside}")
    return message


def replace_names(text: str, names: Mapping[str, str], walls: Sequence[str]) -> str:
    """Replace the names that the core uses in a sentence by the names of the objects.

    Args:
        text: the sentence.
        names: name in the core's scene -> name of the object.
        walls: the name of the object that each wall was read from.
    """
    if names:  # matched literally, as names may contain apostrophes
        known = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
        text = re.sub(f"'({known})'", lambda quoted: f"'{names[quoted[1]]}'", text)
    return _WALL.sub(lambda wall: f"'{walls[int(wall[1])]}'" if int(wall[1]) < len(walls) else wall[0], text)


class Names:
    """Makes names unique: `Path`, then `Path.2`, `Path.3`.

    Args:
        reserved: names of objects still to be named; each is given only to its own object.
    """

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._reserved = set(reserved)
        self._used: set[str] = set()

    def give(self, name: str) -> str:
        """Return the name itself the first time, then with the first unused number from 2 on."""
        wanted, number = name, 2
        while wanted in self._used or (wanted != name and wanted in self._reserved):
            wanted, number = f"{name}.{number}", number + 1
        self._used.add(wanted)
        return wanted
