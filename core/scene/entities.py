# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of a scene: obstacles, routes, areas, crowds, heroes, and `SceneContent`, which holds them all.

Everything is frozen and in metres, seconds and radians, Z up. Nothing is checked here: see `Scene`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..array_types import Float64
from .avoidance_models import MODEL_NAMES, ORCA
from .basics.clock import Clock
from .basics.terrain import Terrain
from .basics.vehicle_kinds import CAR
from .lives.places import Place
from .lives.stops import IN_ORDER, Stop
from .lives.triggers import GATHER, Trigger

PEDESTRIAN, VEHICLE = "pedestrian", "vehicle"
KINDS = (PEDESTRIAN, VEHICLE)
AT_ONCE, SPREAD, FLOW = "at_once", "spread", "flow"
SPAWN_MODES = (AT_ONCE, SPREAD, FLOW)
STOP, LEAVE, LOOP = "stop", "leave", "loop"
ARRIVALS = (STOP, LEAVE, LOOP)
NO_AVOIDANCE, TRAFFIC = "none", "traffic"
PERSON, WHEELS = "person", "wheels"
BODIES = (PERSON, WHEELS)
LEFT_SIDE, RIGHT_SIDE, NO_SIDE = "left", "right", "none"
SIDES = (LEFT_SIDE, RIGHT_SIDE, NO_SIDE)
MAIN_ROAD, EQUAL_ROAD, STOP_ROAD = "main", "equal", "stop"
PRIORITIES = (MAIN_ROAD, EQUAL_ROAD, STOP_ROAD)
AVOIDANCES = {PEDESTRIAN: (*MODEL_NAMES, NO_AVOIDANCE), VEHICLE: (TRAFFIC, NO_AVOIDANCE)}


@dataclass(frozen=True, eq=False)
class Motion:
    """The planned movement of an obstacle: a pose at each of some frames, linear between, held before and after.

    Attributes:
        frames: float64 (M,), strictly increasing frame numbers.
        x, y: float64 (M,), place of the obstacle's own origin [m].
        yaw: float64 (M,), turn about the vertical [rad].
    """

    frames: Float64
    x: Float64
    y: Float64
    yaw: Float64


@dataclass(frozen=True, eq=False)
class Obstacle:
    """A solid that nobody may enter.

    Attributes:
        name: what the user calls it.
        outline: float64 (V, 2), a simple polygon [m], not closed by a repeated point; with `motion` in its own axes.
        holes: simple polygons inside the outline where one may stand (courtyards).
        motion: how it moves, or None.
    """

    name: str
    outline: Float64
    holes: tuple[Float64, ...] = ()
    motion: Motion | None = None

    @property
    def polygon(self) -> tuple[Float64, tuple[Float64, ...]]:
        """Its outline and holes."""
        return self.outline, self.holes


@dataclass(frozen=True, eq=False)
class Route:
    """A curve to follow.

    Attributes:
        name: what the user calls it.
        points: float64 (P, 3), vertices of the drawn curve [m].
        closed: the last point joins the first.
        width: what people may use of it, left and right of the line together [m].
        lanes: of vehicles, in each direction.
        lane_width: of one lane [m].
        two_way: vehicles drive along the line to its right and against it to its left; else along it only.
        priority: of vehicles where roads cross: `main` goes first, `stop` stops and goes last; among `equal` ones those
            from the right go first, among `stop` ones those who came first.
    """

    name: str
    points: Float64
    closed: bool = False
    width: float = 2.0
    lanes: int = 1
    lane_width: float = 3.5
    two_way: bool = False
    priority: str = EQUAL_ROAD


@dataclass(frozen=True, eq=False)
class Area:
    """A place to start from or to go to: a simple polygon `outline`, float64 (V, 2) [m]."""

    name: str
    outline: Float64


@dataclass(frozen=True)
class Spawn:
    """How a crowd comes into the scene.

    Attributes:
        mode: all at the first frame from the start of the route on (`at_once`), over its whole length (`spread`), or
            one by one where there is room (`flow`).
        rate: people entering [1/s], for `flow`.
        headway: least time between two entries [s], for `flow`.
        sets_off_within: everybody sets off at a time of their own within this time from the first frame on, a group
            together [s], for `at_once`; 0: all in the first frame.
    """

    mode: str = AT_ONCE
    rate: float = 1.0
    headway: float = 0.5
    sets_off_within: float = 0.0


@dataclass(frozen=True)
class Speed:
    """Wanted walking speeds, normally distributed: `mean` and `sd` [m/s] (Weidmann 1993)."""

    mean: float = 1.34
    sd: float = 0.26


@dataclass(frozen=True)
class Flocking:
    """Weights of separation, alignment and cohesion, and the distance they act over [m] (Reynolds 1987)."""

    separation: float = 0.0
    alignment: float = 0.0
    cohesion: float = 0.0
    distance: float = 3.0


@dataclass(frozen=True)
class PlanWeights:
    """Multiples of the planner's cost weights (Werling et al. 2010).

    Attributes:
        k_jerk: of jerk, longitudinal and lateral.
        k_speed: of the difference from the preferred speed.
        k_offset: of the difference from the preferred offset.
        k_lateral: of all lateral terms: jerk and offset.
        k_longitudinal: of all longitudinal terms: jerk and speed.
        k_obstacle: of less than the preferred clearance.
    """

    k_jerk: float = 1.0
    k_speed: float = 1.0
    k_offset: float = 1.0
    k_lateral: float = 1.0
    k_longitudinal: float = 1.0
    k_obstacle: float = 1.0


@dataclass(frozen=True)
class Following:
    """How a crowd follows its route.

    Attributes:
        keep_to_line: from 0, loosely, to 1, tightly: the cost of being off their own line.
        comfort: from 0, hurried, to 1, gentle: how hard they turn and brake, and so how fast they take bends.
        spread: share of the width of a route that they spread over, side by side.
        side: `left`, `right` or `none`: preferred side for passing obstacles, and half of the width in which they walk.
        weights: multiples of single cost weights.
    """

    keep_to_line: float = 0.5
    comfort: float = 0.5
    spread: float = 1.0
    side: str = NO_SIDE
    weights: PlanWeights = field(default_factory=PlanWeights)


@dataclass(frozen=True)
class Agent:
    """One person given by name of place: `start` and `goal` (x, y) [m], `radius` [m], `speed` [m/s]; None = crowd's.

    `enters`: they enter at this time after the first frame, or as soon as there is room [s]; None = with the crowd.
    """

    start: tuple[float, float]
    goal: tuple[float, float]
    radius: float | None = None
    speed: float | None = None
    enters: float | None = None


@dataclass(frozen=True, eq=False)
class Crowd:
    """People or vehicles that share a route and settings.

    A crowd names exactly one of `route`, `start` with `goal`, `agents`, or `place`.

    Attributes:
        name: what the user calls it.
        kind: `pedestrian` or `vehicle`.
        count: how many; with `agents` their number.
        route, start, goal: names of a route or of areas.
        agents: people placed one by one.
        place: name of the place at which people simply are.
        spawn, arrival: how they enter and what they do at the end (None: `leave` for flow, `stop` otherwise).
        radius: least and largest body radius [m].
        speed: wanted speeds.
        avoidance: avoidance model (None: `orca` for people, `traffic` for vehicles).
        flocking: how they keep together, or None.
        length, width, max_acceleration, max_deceleration, time_headway: of vehicles [m, m/s2, s].
        following: how they follow their path.
        vehicle: kind of vehicle, `car`, `van`, `bus` or `bicycle`; in a scene file it also supplies the numbers
            that are not given.
        turning_radius: of a vehicle's sharpest turn [m].
        groups: least and largest size of the groups that people walk in; 1 is a person alone.
        absent: numbers, from 0, of removed people; the others stay the same.
        body: `person`, or `wheels` for robots on two wheels, which move only along their heading.
        slope_effect: how much people slow down on slopes; 1 as in reality, 0 not at all.
        time_gap: time that people keep behind whoever walks ahead, on average; 0 for none [s].
        personal_space: room that people keep beside others whom they pass, where there is room [m].
        reach: of arms beyond the body radius: so much more room people keep to obstacles, where there is room [m].
        delay: from a decision of a body on wheels to its execution [s].
        known_as: identity that survives renaming and seeds its random numbers; empty: its name.
        stops: where some of the people stop on their way.
        stop_order: `in_order`, as they are listed, or `random`, in an order of each person's own.
        activities: of people at a `place`, one after another; `sit`: the points of the place are seats; `talk`:
            they stand in rings.
        look_at: the point that people at a `place` face and look at, with or without its height [m].
    """

    name: str
    kind: str = PEDESTRIAN
    count: int = 1
    route: str | None = None
    start: str | None = None
    goal: str | None = None
    agents: tuple[Agent, ...] = ()
    spawn: Spawn = field(default_factory=Spawn)
    arrival: str | None = None
    radius: tuple[float, float] = (0.22, 0.25)
    speed: Speed = field(default_factory=Speed)
    avoidance: str | None = None
    flocking: Flocking | None = None
    length: float = 4.5
    width: float = 1.8
    max_acceleration: float = 1.5
    max_deceleration: float = 2.0
    time_headway: float = 1.5
    following: Following = field(default_factory=Following)
    vehicle: str = CAR
    turning_radius: float = 5.5
    groups: tuple[int, int] = (1, 1)
    absent: tuple[int, ...] = ()
    body: str = PERSON
    slope_effect: float = 1.0
    time_gap: float = 0.5
    personal_space: float = 0.5
    reach: float = 0.0
    delay: float = 0.0
    known_as: str = ""
    stops: tuple[Stop, ...] = ()
    stop_order: str = IN_ORDER
    place: str | None = None
    activities: tuple[str, ...] = ()
    look_at: tuple[float, float] | tuple[float, float, float] | None = None

    def __post_init__(self) -> None:
        if len(self.agents) > 1 and self.count == Crowd.count:
            object.__setattr__(self, "count", len(self.agents))  # their number need not be given twice

    @property
    def identity(self) -> str:
        """`known_as`, or its default if the user gave none."""
        return self.known_as or self.name

    @property
    def arrival_rule(self) -> str:
        """`arrival`, or its default if the user gave none."""
        return self.arrival or (LEAVE if self.spawn.mode == FLOW else STOP)

    @property
    def avoidance_rule(self) -> str:
        """`avoidance`, or its default if the user gave none."""
        return self.avoidance or (ORCA if self.kind == PEDESTRIAN else TRAFFIC)


@dataclass(frozen=True, eq=False)
class Track:
    """Position at each of some frames, linear between, held before and after.

    Attributes:
        frames: float64 (M,), strictly increasing frame numbers.
        x, y: float64 (M,) [m].
    """

    frames: Float64
    x: Float64
    y: Float64

    def at(self, frame: float) -> tuple[float, float]:
        """Return the position at a frame [m]."""
        return float(np.interp(frame, self.frames, self.x)), float(np.interp(frame, self.frames, self.y))


@dataclass(frozen=True, eq=False)
class Hero:
    """A person whose motion is given: others make way, the hero does not.

    Attributes:
        name: what the user calls it.
        radius: of the body [m].
        motion: its positions.
        frames: first and last frame of its presence; None: always.
    """

    name: str
    radius: float
    motion: Track
    frames: tuple[float, float] | None = None

    def is_present(self, frame: float) -> bool:
        """Return whether it is there at a frame."""
        return self.frames is None or self.frames[0] <= frame <= self.frames[1]


@dataclass(frozen=True, eq=False)
class Mark:
    """A point with a name, whose `motion` is given: people wait for it, look at it, and react to it."""

    name: str
    motion: Track


@dataclass(frozen=True, eq=False)
class SceneContent:
    """The input of a simulation, not validated.

    Attributes:
        fps: frames per second, any positive number (23.976 too).
        frames: first and last frame, both simulated.
        seed: of every random choice.
        bounds: float64 (B, 2), a polygon nobody leaves, or None: the box round everything, with a margin.
        obstacles, walls, routes, areas, crowds: see their classes; a wall is an open polyline, float64 (W, 2).
        crossings: marked places where vehicles stop for people.
        heroes: those whose motion is given.
        keep_left: traffic keeps left, and vehicles from the left go first.
        terrain: heights of the ground for people without a route, or None: level ground.
        places: where people stop on their way.
        marks: what they wait for there, and what they react to.
        triggers: what people do when something happens.
    """

    fps: float = 24.0
    frames: tuple[int, int] = (1, 250)
    seed: int = 0
    bounds: Float64 | None = None
    obstacles: tuple[Obstacle, ...] = ()
    walls: tuple[Float64, ...] = ()
    routes: tuple[Route, ...] = ()
    areas: tuple[Area, ...] = ()
    crowds: tuple[Crowd, ...] = ()
    crossings: tuple[Area, ...] = ()
    heroes: tuple[Hero, ...] = ()
    keep_left: bool = False
    terrain: Terrain | None = None
    places: tuple[Place, ...] = ()
    marks: tuple[Mark, ...] = ()
    triggers: tuple[Trigger, ...] = ()

    @property
    def clock(self) -> Clock:
        """Its frames and their times."""
        return Clock(*self.frames, self.fps)

    @property
    def all_stops(self) -> tuple[Stop, ...]:
        """The stops of all crowds, and then the places at which people gather because of triggers."""
        gatherings = [trigger.gathering for trigger in self.triggers if trigger.then == GATHER]
        return (*(stop for crowd in self.crowds for stop in crowd.stops), *gatherings)

    @property
    def fixed_obstacles(self) -> tuple[Obstacle, ...]:
        """Those that never move."""
        return tuple(obstacle for obstacle in self.obstacles if obstacle.motion is None)

    @property
    def moving_obstacles(self) -> tuple[Obstacle, ...]:
        """Those with a motion."""
        return tuple(obstacle for obstacle in self.obstacles if obstacle.motion is not None)
