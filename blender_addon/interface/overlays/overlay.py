# SPDX-License-Identifier: GPL-3.0-or-later
"""What an overlay is and what it is shown: all that a layer needs to know."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

from ....core.inspection.replay import Moment, Replay
from ...reading import Reading
from ...settings.overlay_catalogue import Need, Options
from .marks import Colour, Mark

__all__ = ["BakedPeople", "Need", "Options", "Overlay", "View"]


@dataclass(frozen=True, eq=False)
class BakedPeople:
    """Everybody at the current frame, as baked.

    Attributes:
        reading: what the bake was made from.
        replay: who they are, their paths, what stands, and where they were at any frame.
        moment: where they are now.
        selected: number of the agent whose character is the active object, or None.
        titles: what everybody is called.
        known_as: what everybody is known by.
    """

    reading: Reading
    replay: Replay
    moment: Moment
    selected: int | None
    titles: Sequence[str] = ()
    known_as: Sequence[str] = ()


@dataclass(frozen=True, eq=False)
class View:
    """What there is to be drawn.

    Attributes:
        frame: the current one.
        reading: the scene as it was last read.
        people: everybody as baked; None where nothing is baked.
        options: how the user wants it drawn.
    """

    frame: int
    reading: Reading
    people: BakedPeople | None
    options: Options = field(default_factory=Options)

    @property
    def selected(self) -> tuple[BakedPeople, int]:
        """The people and the number of the selected agent.

        Raises:
            LookupError: there is none; an overlay that needs one is not asked to draw then.
        """
        if self.people is None or self.people.selected is None:
            raise LookupError("no baked character is selected")
        return self.people, self.people.selected


@dataclass(frozen=True)
class Overlay:
    """How an overlay is drawn over the viewport.

    Attributes:
        draw: makes the marks for a view; pure.
        legend: what its colours mean, shown in the corner of the viewport.
        each_frame: it draws something else at each frame; else once for a bake.
        version: another value when it would draw something else, though all that it is shown is the same.
    """

    draw: Callable[[View], Sequence[Mark]]
    legend: tuple[tuple[Colour, str], ...] = ()
    each_frame: bool = True
    version: Callable[[], Hashable] = lambda: None
