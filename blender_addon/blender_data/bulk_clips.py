# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the Actions of many characters; those with the same properties and numbers of keys are made as copies.

Their handles are plain: keys at every frame need no smoothing, for which Blender takes four times as long, also
whenever the user moves a key.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import bpy
import numpy as np

from . import animation
from .animation import Clip
from .fcurves import Channel

Note = Callable[[bpy.types.Action, str], None]


class Grouped(NamedTuple):
    """Channels that editors show in one group.

    Attributes:
        group: name of the channel group.
        channels: what is animated.
    """

    group: str
    channels: Sequence[Channel]


class ClipWriter:
    """Makes the Actions of one bake. None of them may get other curves until the last is made.

    Args:
        note: called with each new Action and its final name, to be set once that name is free; after an error the
            caller removes what was noted.
    """

    def __init__(self, note: Note) -> None:
        self.note = note
        self._alike: dict[tuple[tuple[str, str, int, int, str], ...], Clip] = {}
        self._copied: list[tuple[Clip, str]] = []

    def new_clip(self, name: str, content: Sequence[Grouped]) -> Clip:
        """Make an Action for one object; a copy of a similar one has the name of a copy at first.

        Args:
            name: of the Action and of its slot.
            content: what it animates, no property twice.
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
        """Name the slots of the copies, before they are assigned; Actions are named when they are shown.

        All together, as Blender searches the whole file for the users of a renamed slot, and does so only once until an
        Action is assigned again.
        """
        for clip, name in self._copied:
            animation.name_slot(clip, name)
        self._copied.clear()
