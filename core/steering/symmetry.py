# SPDX-License-Identifier: GPL-3.0-or-later
"""People who would run into each other step aside in time, mostly to the right, as in the street."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from ..errors import GeometryError
from ..geometry.reproducible_math import cos_sin, tangent
from .backends import Kernels, kernels_of
from .bodies import Bodies, Deciders
from .kernels.arrays import Bool, Float64, Turn, take_rows
from .neighbours import checked_search, checked_vectors, order_along_strips


@dataclass(frozen=True)
class SymmetryBreaking:
    """How people who would run into each other step aside.

    With plain ORCA people on opposite courses stand face to face for a long time, and symmetric rings of people for
    ever. Here each turns by the angle that makes the room that is missing between them until they pass, the more the
    sooner that is: two who meet alone begin at once, gently, and are done before they meet. They turn to the right, so
    that streams form lanes; to the left only from those who cross their way, clearly on their right, where they would
    run into nobody else. From those who walk in much the same direction nobody turns, as streams would only sway, nor
    from those who stand: the way leads round them.

    Attributes:
        angle: largest turn of the preferred velocity [rad].
        enough_time: if the contact is so far ahead, the turn of one alone makes all the room that is missing [s]; if it
            is later, a share of it in inverse proportion, and if it is sooner, more.
        full_time: it turns by all of this if the contact is no later than this [s].
        none_time: it does not turn if the contact is later than this; in between, linearly less [s].
        same_way: people whose preferred velocities differ by less than this walk in the same direction [rad].
        same_line: and so do those who are nearer to each other than this along a line, wherever it bends [m].
        left_from: people turn to the left of whom they would otherwise pass with the other this much to the right, as a
            share of both radii,
        head_on: and whose preferred velocity is not within this of the opposite of theirs [rad].

    Source: all were chosen by trial on rings and crossing streams of people, and on pairs who meet alone. That people
    adapt in time, only as far as they have to, and are done before they meet: Olivier et al. 2012.
    """

    angle: float = math.radians(30.0)
    enough_time: float = 3.0
    full_time: float = 2.0
    none_time: float = 4.0
    same_way: float = math.radians(60.0)
    same_line: float = 12.0
    left_from: float = 0.15
    head_on: float = math.radians(30.0)


_RANGES = (
    ("angle", 0.0, math.radians(89.0)),
    ("enough_time", 0.0, math.inf),
    ("same_way", 0.0, math.radians(90.0)),
    ("same_line", 0.0, math.inf),
    ("left_from", 0.0, math.inf),
    ("head_on", 0.0, math.radians(90.0)),
)
"""Where the settings have a meaning: angles are compared by the squares of their cosines."""


def break_symmetry(
    bodies: Bodies,
    *,
    neighbour_distance: float,
    max_neighbours: int,
    who: Bool | None = None,
    settings: SymmetryBreaking | None = None,
    backend: str = "auto",
) -> Float64:
    """Preferred velocities turned aside where they would soon lead into somebody.

    The same as ORCA does with `symmetry`, for use ahead of other avoidance models.

    Args:
        bodies: A bodies; their speeds and who avoids whom do not matter here.
        neighbour_distance: others farther away are ignored [m].
        max_neighbours: number of others considered, nearest first.
        who: bool (A,), who turns; None for everybody.
        settings: how far and when; None for the default.
        backend: `auto`, `numpy` or `numba`; the result is the same, bit for bit.

    Returns:
        float64 (A, 2) [m/s].

    Raises:
        GeometryError: shapes that do not match, numbers that are not finite or out of range.
        BackendError: the backend is not available.
    """
    turning = SideTurning(
        bodies,
        neighbour_distance=neighbour_distance,
        max_neighbours=max_neighbours,
        settings=settings,
        backend=backend,
    )
    return turning.turned(turning.preferred, np.ones(len(turning.preferred), dtype=bool) if who is None else who)


class SideTurning:
    """Bodies at one time who may turn aside from each other: checked and sorted once for several wishes.

    Args:
        bodies: as `break_symmetry` takes them.
        neighbour_distance: others farther away are ignored [m].
        max_neighbours: number of others considered, nearest first.
        settings: how far and when; None for the default.
        backend: `auto`, `numpy` or `numba`; the result is the same, bit for bit.

    Raises:
        GeometryError: shapes that do not match, numbers that are not finite or out of range.
        BackendError: the backend is not available.

    Attributes:
        preferred: float64 (A, 2), of the bodies [m/s].
    """

    def __init__(
        self,
        bodies: Bodies,
        *,
        neighbour_distance: float,
        max_neighbours: int,
        settings: SymmetryBreaking | None = None,
        backend: str = "auto",
    ) -> None:
        moves = bodies.position, bodies.velocity, bodies.preferred
        agents = Bodies(*moves, bodies.radius, np.zeros(()), along=bodies.along).checked
        checked_search(neighbour_distance, max_neighbours)
        self._order, self._strips = order_along_strips(agents.position, neighbour_distance, neighbour_distance)
        self._search = float(neighbour_distance), int(max_neighbours), checked_turn(settings or SymmetryBreaking())
        self.preferred, self._sorted = agents.preferred, take_rows(agents, self._order)
        self._kernels = kernels_of(backend)

    def turned(self, preferred: Float64, who: Bool) -> Float64:
        """Return preferred velocities, float64 (A, 2), those of `who`, bool (A,), turned from others [m/s].

        Raises:
            GeometryError: shapes that do not match, velocities that are not finite.
        """
        wishes, turns, order = checked_vectors(preferred, "preferred_velocity"), np.asarray(who), self._order
        if wishes.shape != self.preferred.shape:
            raise GeometryError(
                f"preferred_velocity must have the shape of position {self.preferred.shape}, got {wishes.shape}"
            )
        if turns.shape != order.shape or turns.dtype != np.bool_:
            raise GeometryError(
                f"who must be True or False for each of {len(order)} agents, got {turns.dtype} of shape {turns.shape}"
            )
        result = np.empty_like(wishes)
        agents = self._sorted._replace(preferred=wishes.take(order, 0))
        result[order] = self._kernels.symmetry.turn_aside(agents, self._strips, *self._search, turns[order])
        return result


def turned_aside(deciders: Deciders, settings: SymmetryBreaking, kernels: Kernels) -> Deciders:
    """The same, where those who decide prefer to step aside from whom they would run into among their neighbours."""
    agents = deciders.agents
    turned = kernels.symmetry.break_symmetry(agents, deciders.near, checked_turn(settings))
    return deciders._replace(agents=agents._replace(preferred=turned))


@cache
def checked_turn(settings: SymmetryBreaking) -> Turn:
    """The settings as the kernels take them; GeometryError where they have no meaning."""
    if not 0.0 <= settings.full_time < settings.none_time < math.inf:
        raise GeometryError(
            "the times of symmetry breaking must be finite, 0 <= full_time < none_time, "
            f"got {settings.full_time} and {settings.none_time}"
        )
    for name, least, most in _RANGES:
        value = getattr(settings, name)
        if not least <= value <= most:
            raise GeometryError(f"{name} of symmetry breaking must lie between {least:g} and {most:g}, got {value:g}")
    (alike, head_on), _ = cos_sin([settings.same_way, settings.head_on])
    times = settings.full_time, settings.none_time
    return Turn(
        float(tangent(settings.angle)),
        settings.enough_time,
        settings.left_from,
        float(head_on * head_on),
        *times,
        float(alike * alike),
        settings.same_line,
    )
