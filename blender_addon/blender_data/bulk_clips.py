# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions of many characters, of which most have as many keys of the same properties: those begin as copies.

Their handles are plain: with a key at every frame nothing is left to be smoothed between keys far apart, and Blender
would lay the handles of a curve anew, all four times as slowly, for that and whenever the user moves a key.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import bpy
import numpy as np

from . import animation
from .animation import Channel, Clip

Note = Callable[[bpy.types.Action, str], None]


class Grouped(NamedTuple):
    """Channels that editors show together.

    Attributes:
        group: name of the channel group.
        channels: what is animated.
    """

    group: str
    channels: Sequence[Channel]


class ClipWriter:
    """Makes the Actions of one bake. None of them may get other curves until the last is made.

    Args:
        note: is told of each Action as soon as there is one, and what that is to be called once the name is free: when
            something fails, whoever gives the bake up knows of it.
    """

    def __init__(self, note: Note) -> None:
        self.note = note
        self._alike: dict[tuple[tuple[str, str, int, int, str], ...], Clip] = {}
        self._copied: list[tuple[Clip, str]] = []

    def new_clip(self, name: str, content: Sequence[Grouped]) -> Clip:
        """Make an Action for one object. Where such a one is known it has that one's names at first.

        Args:
            name: of the Action and of its slot.
            content: what it animates; no property twice.
        """
        pattern = tuple(
            (group, each.data_path, each.index, np.size(each.values), each.interpolation)
            for group, channels in content
            for each in channels
        )
        known = self._alike.get(pattern)
        channels = [each for _, own in content for each in own]
        copy = animation.copy_with_keys(known, channels) if known is not None else None
        if copy is not None:
            self.note(copy.action, name)
            self._copied.append((copy, name))
            return copy
        clip = animation.new_clip(name, [], group="")
        self.note(clip.action, name)
        for group, own in content:
            animation.add_channels(clip, own, group=group, handles=animation.PLAIN)
        self._alike[pattern] = clip
        return clip

    def name_slots(self) -> None:
        """Name the slots of what was made, before anybody plays it; Actions get their names when they are shown.

        Several at a time, as Blender looks through the whole file for whoever plays a slot that gets another name: it
        does so once for all until somebody is given an Action again.
        """
        for clip, name in self._copied:
            animation.name_slot(clip, name)
        self._copied.clear()
