# SPDX-License-Identifier: GPL-3.0-or-later
"""People who look along headings and take the one that brings them to their target soonest.

Nobody needs to agree with anybody on who makes which change, as in ORCA: each sees how far each heading is free if the
others go on as they do, turns to the best and goes no faster than it could stop. What was improved on the sources:

- The exact heading to the target is always one of those looked along, and a few over the shoulder, so that nobody who
  faces away from it is caught.
- Headings are judged by the time that the whole path would take: as far as the heading is free, from there on more
  slowly, and the time to turn and to be stopped. A target near behind is turned to, and whoever stands in front is
  passed, where mere distance would let people freeze.
- Those in contact do not blind the view, but forbid headings that go deeper.
- Whoever walks behind others goes as fast as they do, where the sources come to a stop again and again.
- Whoever comes from behind sees to it; those in front neither slow down nor step aside.
- Who cannot turn at once goes no faster than on the largest circle that fits within what is free.

Sources: Moussaid, Helbing and Theraulaz, "How simple rules determine pedestrian behavior and crowd disasters", 2011;
Guzzi et al., "Human-friendly robot navigation in dynamic environments", 2013.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..errors import GeometryError
from ..geometry.reproducible_math import cos_sin, heading_vector
from ..scene.avoidance_models import HUMAN_LIKE
from .backends import kernels_of
from .bodies import Bodies, Deciders, checked_numbers, decide, edges_in_reach, order_and_find
from .kernels.arrays import Bool, Fan, Float64, HeadingAims, Int64, Ragged, Segments, SortedAgents, rows_of
from .kernels.reference.human_like import look
from .neighbours import checked_vectors
from .obstacles import ObstacleSegments
from .symmetry import SymmetryBreaking, turned_aside

STILL_SPEED = 0.05
"""A slower body whose heading is not given faces its target [m/s]."""


@dataclass(frozen=True)
class HumanLikeSettings:
    """How people look and decide.

    Attributes:
        field_of_view: how far to either side of the heading people look [rad].
        headings: how many headings they look along within it; an odd number, so that one's own is among them.
        behind: how many headings to either side they look along outside it, over the shoulder.
        stride: for how long people walk at least before they turn again [s].
        detour: how much longer the path takes that is left at the end of a heading, as a factor: the larger, the sooner
            people leave the straight line.
        stop_time: how much time it costs to be stopped; for it, people step aside whom nothing else leads away from
            somebody who stands before them [s].
        turning_time: time that a turn by one radian costs [s].
        creep: how fast those who touch may go deeper; bodies that touch give way a little [m/s].
        turn_margin: by how much what is free is widened for circles that must fit into it [m].
    """

    field_of_view: float = math.radians(90.0)
    headings: int = 51
    behind: int = 5
    stride: float = 0.3
    detour: float = 3.0
    stop_time: float = 1.0
    turning_time: float = 0.3
    creep: float = 0.03
    turn_margin: float = 0.2

    def __post_init__(self) -> None:
        """Refuse what has no meaning, with GeometryError."""
        if not 0.0 < self.field_of_view <= math.pi:
            raise GeometryError(f"field_of_view must be above 0 and at most pi, got {self.field_of_view}")
        if self.headings < 1 or self.headings % 2 == 0:
            raise GeometryError(f"headings must be an odd number, got {self.headings}")
        if self.behind < 0:
            raise GeometryError(f"behind must be 0 or more, got {self.behind}")
        for name in ("stride", "detour", "stop_time", "turning_time", "creep", "turn_margin"):
            value, least = getattr(self, name), "above 0" if name in {"creep", "turn_margin"} else "0 or more"
            if not (math.isfinite(value) and (value > 0.0 or (value == 0.0 and least == "0 or more"))):
                raise GeometryError(f"{name} must be finite and {least}, got {value}")


class Headings(NamedTuple):
    """What one agent looks along.

    Attributes:
        direction: float64 (M, 2), unit vectors; the first is the exact heading to the target.
        free: float64 (M,), how long each is free at the wanted speed, at most the horizon [s].
        time: float64 (M,), how long the path to the target takes along each; the shortest is taken [s].
    """

    direction: Float64
    free: Float64
    time: Float64


class _KernelInput(NamedTuple):
    """What the kernels take: those who decide, what they want, and what is near them."""

    deciders: Deciders
    aims: HeadingAims
    edges: Ragged
    segments: Segments


@dataclass(frozen=True, eq=False)
class Vision:
    """How far people look, and how they react; arrays have one number per agent.

    Attributes:
        time_horizon: float64 (A,) or one number for all, how far ahead people look at their wanted speed [s]. Chosen:
            the sources look 10 m ahead, and so far nobody in a dense crowd keeps to a velocity.
        neighbour_distance: others farther away are ignored [m]. Chosen by trial on the example scenes.
        max_neighbours: number of others considered, nearest first. Chosen by trial on the example scenes.
        reaction_time: float64 (A,) or one number for all: people walk no faster than lets them stop within it [s].
            Moussaid et al. 2011, tau = 0.5 s.
        max_turn_rate: float64 (A,) or one number for all; inf for those who turn at once [rad/s].
        target: float64 (A, 2), where they want to be [m]; None for where the preferred velocity leads within the
            horizon.
        flees: bool (A,), whether each wants to get away from its target instead; None for nobody.
    """

    time_horizon: ArrayLike = 3.0
    neighbour_distance: float = 8.0
    max_neighbours: int = 12
    reaction_time: ArrayLike = 0.5
    max_turn_rate: ArrayLike = math.inf
    target: ArrayLike | None = None
    flees: ArrayLike | None = None


@dataclass(frozen=True, eq=False)
class HumanLike:
    """The avoidance model `human_like`.

    Attributes:
        vision: how far people look.
        settings: how they decide.
        symmetry: makes people step aside from whom they would run into; None for not.
        backend: `auto`, `numpy` or `numba`; the result is the same, bit for bit.
    """

    vision: Vision = field(default_factory=Vision)
    settings: HumanLikeSettings = field(default_factory=HumanLikeSettings)
    symmetry: SymmetryBreaking | None = None
    backend: str = "auto"

    @property
    def name(self) -> str:
        """As scene files call it."""
        return HUMAN_LIKE

    @property
    def obstacle_horizon(self) -> float:
        """How far ahead obstacles matter, at most [s]."""
        return float(np.max(self.vision.time_horizon))

    def new_velocity(
        self,
        bodies: Bodies,
        obstacles: ObstacleSegments,
        dt: float,  # noqa: ARG002
        asks: Bool | None = None,
    ) -> Float64:
        """The velocities that all bodies take for the next step, all from the same state.

        Args:
            bodies: A bodies; nobody goes first here.
            obstacles: what `prepare_obstacles` returned.
            dt: the length of the step does not matter here [s].
            asks: bool (A,), for whom a velocity is wanted; None for everybody.

        Returns:
            float64 (A, 2) [m/s].

        Raises:
            GeometryError: shapes that do not match, numbers that are not finite or out of range.
            BackendError: the backend is not available.
        """
        seen = self._see(bodies, obstacles, asks)
        kernel, rest = kernels_of(self.backend).human_like, (seen.segments, fan_of(self.settings))
        return decide(
            *(bodies, seen.deciders, seen.edges),
            lambda who, near, edges, rows: kernel.new_velocity(who, rows_of(seen.aims, rows), near, edges, *rest),
        )

    def headings(self, agent: int, bodies: Bodies, obstacles: ObstacleSegments) -> Headings:
        """The headings from which `new_velocity` takes the one of an agent, by its number among the bodies.

        Raises:
            GeometryError: shapes that do not match, numbers that are not finite or out of range.
        """
        seen = self._see(bodies, obstacles)
        agents, order, near, _ = seen.deciders
        row = int(np.flatnonzero(order == agent)[0])
        return Headings(*look(agents, seen.aims, row, near[:, row], seen.edges, seen.segments, fan_of(self.settings)))

    def _see(self, bodies: Bodies, obstacles: ObstacleSegments, asks: Bool | None = None) -> _KernelInput:
        vision, kernels, everybody = self.vision, kernels_of(self.backend), bodies.checked
        deciders = order_and_find(everybody, vision.neighbour_distance, vision.max_neighbours, kernels, asks)
        if self.symmetry is not None:
            deciders = turned_aside(deciders, self.symmetry, kernels)
        own, rows = rows_of(deciders.agents, slice(deciders.size)), deciders.order[: deciders.size]
        count = everybody.radius.size
        horizon = _above_zero(vision.time_horizon, "time_horizon", count)[rows]
        reaction = _above_zero(vision.reaction_time, "reaction_time", count)[rows]
        turn_rate = _above_zero(vision.max_turn_rate, "max_turn_rate", count, infinite=True)[rows]
        to_target = _to_targets(own, everybody, rows, vision, horizon)
        faces = _facing(own, everybody, rows, bodies.heading, to_target)
        aims = _aims(own, to_target, faces, horizon, reaction, turn_rate)
        edges = edges_in_reach(obstacles, deciders, aims.horizon * aims.speed + own.radius, kernels)
        return _KernelInput(deciders, aims, edges, obstacles.segments)


def _above_zero(given: ArrayLike, name: str, agents: int, *, infinite: bool = False) -> Float64:
    """A number above 0 for each agent, float64 (A,)."""
    numbers = np.asarray(given, dtype=np.float64)
    finite = checked_numbers(np.minimum(numbers, 1.0) if infinite else numbers, name, agents)
    if not finite.min(initial=1.0) > 0.0:
        raise GeometryError(f"{name} must be above 0")
    return np.full(agents, numbers) if infinite else finite


def _to_targets(own: SortedAgents, everybody: SortedAgents, rows: Int64, vision: Vision, horizon: Float64) -> Float64:
    """From some agents, `rows` of everybody, to where they want to be, float64 (N, 2) [m]."""
    target, flees = vision.target, vision.flees
    if target is None:
        way = own.preferred * horizon[:, None]
    else:
        targets = checked_vectors(target, "target")
        if targets.shape != everybody.position.shape:
            raise GeometryError(
                f"target must have the shape of position {everybody.position.shape}, got {targets.shape}"
            )
        way = targets.take(rows, 0) - own.position
    if flees is None:
        return way
    fleeing = np.asarray(flees)
    if fleeing.shape != everybody.radius.shape or fleeing.dtype != np.bool_:
        raise GeometryError(f"flees must be True or False for each of {everybody.radius.size} agents")
    unit, _ = _polar(way, own.preferred)
    far = _length(own.preferred) * horizon
    return np.where(fleeing[rows][:, None], -unit * far[:, None], way)


def _facing(
    own: SortedAgents, everybody: SortedAgents, rows: Int64, heading: Float64 | None, otherwise: Float64
) -> Float64:
    """Where some agents, `rows` of everybody, face: unit vectors, float64 (N, 2)."""
    if heading is not None:
        angle = np.asarray(heading, dtype=np.float64)
        if angle.shape != everybody.radius.shape or not np.isfinite(angle).all():
            raise GeometryError(f"heading must be a finite number for each of {everybody.radius.size} agents")
        return heading_vector(angle[rows])
    moving: Bool = _length(own.velocity) >= STILL_SPEED
    return _polar(np.where(moving[:, None], own.velocity, otherwise), own.velocity)[0]


def _aims(
    agents: SortedAgents, way: Float64, facing: Float64, horizon: Float64, reaction: Float64, turn_rate: Float64
) -> HeadingAims:
    speed = np.minimum(_length(agents.preferred), agents.max_speed)
    direction, length = _polar(way, facing)
    distance = np.minimum(length / np.where(speed > 0.0, speed, 1.0), horizon)
    return HeadingAims(facing, direction, distance, speed, horizon, reaction, turn_rate)


def _polar(vectors: Float64, otherwise: Float64) -> tuple[Float64, Float64]:
    """Directions (A, 2) and lengths (A,); what has no length takes the direction of the other, or else of x."""
    length, other = _length(vectors), _length(otherwise)
    spare = np.where(other[:, None] > 0.0, otherwise / np.where(other > 0.0, other, 1.0)[:, None], (1.0, 0.0))
    unit = np.where(length[:, None] > 0.0, vectors / np.where(length > 0.0, length, 1.0)[:, None], spare)
    return unit, length


def _length(vectors: Float64) -> Float64:
    return np.sqrt(vectors[:, 0] * vectors[:, 0] + vectors[:, 1] * vectors[:, 1])


@cache
def fan_of(settings: HumanLikeSettings) -> Fan:
    """The headings relative to one's own; left and right mirror each other to the last bit."""
    half, view = settings.headings // 2, settings.field_of_view
    ahead = view * np.arange(1, half + 1) / max(half, 1)
    behind = view + (math.pi - view) * np.arange(1, settings.behind + 1) / (settings.behind + 1)
    angle = np.concatenate((ahead, behind))
    cos, sin = cos_sin(angle)
    return Fan(
        np.concatenate((cos[::-1], [1.0], cos)),
        np.concatenate((-sin[::-1], [0.0], sin)),
        settings.stride,
        settings.detour,
        settings.stop_time,
        settings.turning_time,
        settings.creep,
        settings.turn_margin,
    )
