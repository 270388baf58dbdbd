# SPDX-License-Identifier: GPL-3.0-or-later
"""What an overlay is and what it draws from: all that a layer needs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

from .....core.inspection.replay import Moment, Replay
from ....reading import Reading
from ....settings.overlay_catalogue import Need, Options
from .marks import Colour, Mark

__all__ = ["BakedPeople", "Need", "Options", "Overlay", "View"]


@dataclass(frozen=True, eq=False)
class BakedPeople:
    """All people at the current frame, as baked.

    Attributes:
        reading: what the bake was made from.
        replay: the people, their paths, the obstacles, positions and recorded reasons at all frames.
        moment: positions and velocities at the current frame.
        selected: number of the agent whose character is the active object, or None.
        titles: name of each person.
        known_as: identity of each person.
    """

    reading: Reading
    replay: Replay
    moment: Moment
    selected: int | None
    titles: Sequence[str] = ()
    known_as: Sequence[str] = ()


@dataclass(frozen=True, eq=False)
class View:
    """What an overlay draws from.

    Attributes:
        frame: the current one.
        reading: the scene as it was last read.
        people: all people as baked; None where nothing is baked.
        options: of drawing, set by the user.
    """

    frame: int
    reading: Reading
    people: BakedPeople | None
    options: Options = field(default_factory=Options)

    @property
    def selected(self) -> tuple[BakedPeople, int]:
        """The people and the number of the selected agent.

        Raises:
            LookupError: there is none; an overlay that needs one is not drawn then.
        """
        if self.people is None or self.people.selected is None:
            raise LookupError("no baked character is selected")
        return self.people, self.people.selected


@dataclass(frozen=True)
class Overlay:
    """How an overlay is drawn over the viewport.

    Attributes:
        draw: makes the marks for a view; pure.
        legend: meaning of its colours, shown in the corner of the viewport.
        each_frame: it is drawn again at each frame; otherwise once per bake.
        version: changes when it must be drawn again though its view is the same.
    """

    draw: Callable[[View], Sequence[Mark]]
    legend: tuple[tuple[Colour, str], ...] = ()
    each_frame: bool = True
    version: Callable[[], Hashable] = lambda: None
