# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user has said of single people of a crowd, which holds over all bakes: `crowd.edits`.

A person is known by what its crowd is known as and its number there, which is the `name` of an edit.
Blender evaluates the annotations below: no `from __future__ import annotations` here.
"""

from typing import Any

import bpy
from bpy.props import BoolProperty, StringProperty


class FootfallEdit(bpy.types.PropertyGroup):
    """What is different with one person."""

    __slots__ = ()

    pinned: BoolProperty(
        name="Pinned", description="The person keeps its animation, and everybody avoids it", options=set()
    )
    hidden: BoolProperty(
        name="Hidden", description="The person is not visible, but the others walk round it", options=set()
    )
    deleted: BoolProperty(
        name="Deleted", description="The person does not take part, and the others walk without it", options=set()
    )
    character: StringProperty(
        name="Character",
        description="Name of the character that plays the person; empty: chosen at random",
        options=set(),
    )

    @property
    def says_nothing(self) -> bool:
        """Whether this person is as any other."""
        return not (self.pinned or self.hidden or self.deleted or self.character)


class FootfallHandwork(bpy.types.PropertyGroup):
    """What was changed by hand on one person of a bake; its `name` is the person's name in the scene."""

    __slots__ = ()

    crowd: StringProperty(name="Crowd", description="Identity of the crowd", options=set())
    what: StringProperty(name="What", description="What was changed by hand", options=set())


def edit_of(crowd: Any, person: str) -> Any:
    """The edit of a person, by what it is known by, made when there is none; of a crowd of `scene.footfall.crowds`."""
    known = crowd.edits.get(person)
    if known is None:
        known = crowd.edits.add()
        known.name = person
    return known


def drop_empty_edits(crowd: Any) -> None:
    """Remove the edits that say nothing any more."""
    for index in reversed(range(len(crowd.edits))):
        if crowd.edits[index].says_nothing:
            crowd.edits.remove(index)


def people_who(crowd: Any, what: str) -> set[str]:
    """What the people are known by for whom a flag of their edit is set."""
    return {edit.name for edit in crowd.edits if getattr(edit, what)}


CLASSES = (FootfallEdit, FootfallHandwork)
