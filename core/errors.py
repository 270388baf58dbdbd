# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that Footfall's core raises on purpose, under one base class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class FootfallError(Exception):
    """Base of all errors whose message is written for the user: what is wrong, where, and the way out."""


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with a scene.

    Attributes:
        place: where it stands, as a path into the scene file (`crowds[0].route`).
        message: what is wrong and what would be right.
    """

    place: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place else self.message


class SceneError(FootfallError):
    """A scene that cannot be simulated, with every fault that was found in it."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))


class RequestError(FootfallError):
    """What cannot be as it was asked for: options that do not go together, a file where none can stand."""


class GeometryError(FootfallError):
    """A shape that has no meaning: an outline without area, a path of one point, a number that is not finite."""


class BackendError(RequestError):
    """A kernel backend that was asked for by name and is not there."""


class NoRoute(FootfallError):  # noqa: N818 - the contract's name
    """There is no route for a body of this width.

    Attributes:
        gap: width of the widest gap on the best route [m]; None where there is no route for any width, or where the
            start or the goal has no room.
        needed: width that the body needs [m], or None.
        place: x, y of the gap, or of the start or goal without room [m]; None where no place is to blame.
    """

    def __init__(
        self,
        message: str = "There is no route.",
        *,
        gap: float | None = None,
        needed: float | None = None,
        place: tuple[float, float] | None = None,
    ) -> None:
        super().__init__(message)
        self.gap, self.needed, self.place = gap, needed, place

    @property
    def wholly(self) -> bool:
        """Whether nothing leads there for any width."""
        return self.gap is None and self.place is None
