# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is played: an agent, as its crowd sees it, and what it is called."""

from __future__ import annotations

from typing import NamedTuple

from .ownership import title_of


class Role(NamedTuple):
    """An agent, as its crowd sees it.

    Attributes:
        crowd: what the core's crowd is known as, by which lots are drawn.
        number: of the agent in that crowd, from 0.
        count: how many agents that crowd has.
        called: the crowd's name, if that is another.
    """

    crowd: str
    number: int
    count: int
    called: str = ""

    @property
    def title(self) -> str:
        """What the character that plays it is known by, over all bakes."""
        return title_of(self.crowd, self.number)

    @property
    def name(self) -> str:
        """What that character is called."""
        return title_of(self.called or self.crowd, self.number)
