# SPDX-License-Identifier: GPL-3.0-or-later
"""Custom properties that mark baked data-blocks, and the names of people."""

import re

TAG = "footfall_crowd"
"""The identity of the crowd of a baked data-block."""

MADE_AS = "footfall_made_as"
"""The intended name of a baked data-block, which identifies it over all bakes."""

PINNED = "footfall_pinned"
"""On the parts of a pinned character, which no bake owns: the name of the person that it replaces."""

SHARED = "footfall_shared"
"""On what crowds of one bake share, and which goes with the last that uses it: the identity of the first crowd."""

MADE_FOR_STOP = "footfall_made_for_stop"
"""On a place that was made together with a stop, and goes with it: its name then."""


def title_of(crowd: str, number: int) -> str:
    """Return the name of a person's character, which identifies the person over all bakes.

    Args:
        crowd: name of the core's crowd.
        number: of the person in that crowd, from 0.
    """
    return f"{crowd} {number + 1:03d}"


def without_number(name: str) -> str:
    """Return a name without the number that Blender adds to names that are taken."""
    return re.sub(r"(?<=.)\.\d{3,}$", "", name)
