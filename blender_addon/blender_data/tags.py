# SPDX-License-Identifier: GPL-3.0-or-later
"""Custom properties by which baked data-blocks are known, and the names that people are known by."""

TAG = "footfall_crowd"
"""The identity of the crowd that a data-block was baked for."""

MADE_AS = "footfall_made_as"
"""The name that a data-block was made to bear."""

PINNED = "footfall_pinned"
"""Of the parts of a pinned character, which no bake owns: the name of the person that it was."""


def title_of(crowd: str, number: int) -> str:
    """What the character of a person is called, by which that person is known over all bakes.

    Args:
        crowd: name of the core's crowd.
        number: of the person in that crowd, from 0.
    """
    return f"{crowd} {number + 1:03d}"
