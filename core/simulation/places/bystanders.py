# SPDX-License-Identifier: GPL-3.0-or-later
"""Bystanders: people who are at a place and do not walk; who is at which spot, and where they face."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.reproducible_math import arctan2, heading_vector, length
from ...geometry.segments import contains
from ...scene import SIT, TALK, Crowd, Place
from ...steering.neighbours import close_pairs
from ..population.drawn_crowd import DrawnCrowd
from ..population.free_places import near_any
from ..population.population import PeopleAtStart
from ..settings import SimulationSettings
from ..settings.stop_settings import BystanderSettings, SeatSettings, StopSettings
from ..world import randomness
from ..world.agents import BYSTANDING
from ..world.environment import Environment
from .seats import floors_under, tell_of_low_seats
from .spots import spots_inside
from .talk_rings import TalkRing


@dataclass(frozen=True, eq=False)
class BystanderPlaces:
    """Where N people of a crowd are.

    Attributes:
        position: float64 (N, 2) [m].
        heading: float64 (N,), to which they face [rad].
        floor: float64 (N,), the height of what they stand on [m]; NaN for the ground.
        seat_height: float64 (N,), of their seats [m]; NaN for those that are as high as usual, or who have none.
        ring: int64 (N,), the ring in which each talks; -1 for none.
        spots: how many people the place has room for.
        is_shared: whether those of other crowds have more of it.
        radius: float64 (N,), of their bodies [m]; (0,) before it is known who stands there.
    """

    position: Float64
    heading: Float64
    floor: Float64
    seat_height: Float64
    ring: Int64
    spots: int
    is_shared: bool = False
    radius: Float64 = field(default_factory=lambda: np.zeros(0))


@dataclass(frozen=True, eq=False)
class BystandersAtStart:
    """The bystanders among A people.

    Attributes:
        ring: int64 (A,), the ring in which each talks, numbered within its crowd; -1 for none.
        seat_height: float64 (A,), of the seat of each [m]; NaN for none.
    """

    ring: Int64
    seat_height: Float64


class BystanderSpots:
    """Where bystanders are: found before anybody else is placed, so that nobody starts there.

    Args:
        environment: obstacles, places, movers and heroes.
        settings: how people stand, sit and talk.
    """

    def __init__(self, environment: Environment, settings: SimulationSettings) -> None:
        self._environment, self._own = environment, settings.stops
        self._ground = environment.still_at(0.0)
        self._places: dict[int, BystanderPlaces] = {}
        self._low: set[int] = set()

    def find(self, everybody: Sequence[DrawnCrowd]) -> Float64:
        """Find the spots of all crowds; those of several share a place.

        Returns:
            float64 (T, 3), where bystanders are, and their radii [m].
        """
        taken, own, environment = np.zeros((0, 2)), self._own, self._environment
        for number, drawn in enumerate(everybody):
            if drawn.crowd.place is None or not drawn.crowd.count:
                continue
            room = float(drawn.radius.max()) + own.spots.clearance

            def is_free(points: Float64, room: float = room) -> Bool:
                signed = self._ground.field.signed_distance(points, room)
                return (signed >= room) & contains(environment.bounds, points)

            place, terrain = environment.places[drawn.crowd.place], environment.terrain
            ground = np.zeros(len(place.points)) if terrain is None else terrain.height(place.points)
            put = place_bystanders(drawn, place, taken, ground, is_free, own)
            if _seated(drawn.crowd) and (put.seat_height < put.floor + own.seats.lowest).any():
                self._low.add(number)
            radius = _narrowed(put.position, drawn.radius[: len(put.position)], drawn.crowd, own)
            self._places[number], taken = replace(put, radius=radius), np.concatenate([taken, put.position])
        bodies = [np.column_stack([each.position, each.radius]) for each in self._places.values()]
        return np.concatenate([np.zeros((0, 3)), *bodies])

    def stand(self, people: PeopleAtStart) -> BystandersAtStart:
        """Put bystanders on their spots; those who found none are absent, and a notice says so."""
        agents = people.agents
        found = BystandersAtStart(np.full(len(agents), -1), np.full(len(agents), np.nan))
        for number, put in self._places.items():
            crowd, rows = people.drawn[number].crowd, np.flatnonzero(agents.crowd == number)
            agents.entry_time[rows], agents.unhindered_time[rows] = np.inf, np.nan
            if len(put.position) < crowd.count:
                people.notices.append(_tell_of_missing(crowd, put))
            if number in self._low:
                people.notices.append(tell_of_low_seats(crowd.name, str(crowd.place)))
            here, kept = rows[: len(put.position)], ~np.isin(np.arange(len(put.position)), crowd.absent)
            here = here[kept]
            agents.status[here] = BYSTANDING
            agents.position[here], agents.heading[here] = put.position[kept], put.heading[kept]
            agents.velocity[here], agents.floor[here] = 0.0, put.floor[kept]
            agents.radius[here] = put.radius[kept]
            found.ring[here], found.seat_height[here] = put.ring[kept], put.seat_height[kept]
        return found


def _tell_of_missing(crowd: Crowd, put: BystanderPlaces) -> str:
    """Return a sentence for the user about a crowd for which a place has no room."""
    seats, people = ("seat", "person") if put.spots == 1 else ("seats", "people")
    has = f"{put.spots} {seats}" if _seated(crowd) else f"room for {put.spots} {people} beside obstacles"
    shared = ", without those of other crowds" if put.is_shared else ""
    way_out = "give it more of them" if _seated(crowd) else "enlarge it, or move it to free ground"
    missing = f"{crowd.count - len(put.position)} of {crowd.count} are not there"
    return f"{crowd.name}: {missing}: '{crowd.place}' has {has}{shared}. Lower Count, or {way_out}."


def _narrowed(position: Float64, radius: Float64, crowd: Crowd, settings: StopSettings) -> Float64:
    """Return float64 (N,), radii of bodies that stand or sit as close together as the user has put them [m]."""
    if SIT in crowd.activities:
        radius = np.minimum(radius, 0.48 * settings.seats.reach[0])  # in the next row, somebody stands before a seat
    first, second = close_pairs(position, radius).T
    apart = position[first] - position[second]
    half = 0.49 * length(apart)
    narrowed = radius.copy()
    np.minimum.at(narrowed, first, half)
    np.minimum.at(narrowed, second, half)
    return np.maximum(narrowed, settings.bystanders.least_radius)


def place_bystanders(
    drawn: DrawnCrowd,
    place: Place,
    taken: Float64,
    ground: Float64,
    is_free: Callable[[Float64], Bool],
    settings: StopSettings,
) -> BystanderPlaces:
    """Return where the bystanders of a crowd are.

    Args:
        drawn: the crowd.
        place: where they are.
        taken: float64 (T, 2), where others are already [m].
        ground: float64 (P,), its height under the points of the place [m].
        is_free: whether obstacles and bounds leave room at points, float64 (K, 2) [m]; not asked of the place's own
            points: seats and stands may be obstacles.
        settings: how people stand, sit and talk.
    """
    found, crowd = _spots(drawn, place, ground, settings), drawn.crowd
    position, own = found.position, settings.bystanders
    others = near_any(position, taken, own.least_apart)
    usable = ~others
    given = len(place.points)
    usable[given:] &= is_free(position[given:])
    draw = drawn.uniform(f"spots {place.name}", len(position))
    if in_rings := bool((found.ring >= 0).any()):  # rings fill one after the other
        usable &= ~np.isin(found.ring, found.ring[~usable & (found.ring >= 0)])  # obstacles leave no half rings
        ring_draw = drawn.uniform(f"rings {place.name}", int(found.ring.max()) + 1)
        draw = ring_draw[found.ring] + 1e-9 * draw
    order = np.argsort(np.where(usable, draw, 2.0), kind="stable")[: int(usable.sum())][: crowd.count]
    heading = found.heading[order]
    if crowd.look_at is not None:
        off = np.array(crowd.look_at[:2]) - position[order]
        heading = arctan2(off[:, 1], off[:, 0])
    heading = heading + own.heading_spread * drawn.normal("facing")[: len(order)]
    if _seated(crowd) or in_rings:
        heading = found.heading[order]
    kept = found.floor[order], found.seat_height[order], found.ring[order]
    put = BystanderPlaces(position[order], heading, *kept, int(usable.sum()), is_shared=bool(others.any()))
    if crowd.count < put.spots and put.ring[-1] >= 0:
        _close_last_ring(put, found, settings)
    return put


def _close_last_ring(put: BystanderPlaces, found: BystanderPlaces, settings: StopSettings) -> None:
    """Let the people of the last ring, which is not full, stand evenly round it; a single one joins the ring before."""
    if len(put.ring) > 1 and put.ring[-2] not in (-1, put.ring[-1]):
        put.ring[-1] = put.ring[-2]
    rows = np.flatnonzero(put.ring == put.ring[-1:])
    centre = found.position[found.ring == put.ring[-1:]].mean(axis=0)
    x, y = put.position[rows[0]] - centre
    ring = TalkRing(centre, int(put.ring[-1]), 0.0, settings.rings)
    put.position[rows], put.heading[rows] = ring.evenly(float(arctan2(y, x)), len(rows))


def _seated(crowd: Crowd) -> bool:
    return SIT in crowd.activities


def _spots(drawn: DrawnCrowd, place: Place, ground: Float64, settings: StopSettings) -> BystanderPlaces:
    """Return all spots of a place, as if one person were on each."""
    parts = [_at_points(drawn, place, ground, settings.seats)]
    parts += [_along(line, settings.bystanders) for line in place.lines]
    first = 0
    for number, outline in enumerate(place.outlines):
        part = _inside(drawn, f"{place.name} {number}", place.name, outline, settings)
        ring = np.where(part.ring >= 0, part.ring + first, -1)
        first = max(first, int(ring.max(initial=-1)) + 1)
        parts.append(BystanderPlaces(part.position, part.heading, part.floor, part.seat_height, ring, part.spots))
    joined = [np.concatenate([getattr(part, name) for part in parts]) for name in _ARRAYS]
    return BystanderPlaces(*joined, spots=len(joined[0]))


_ARRAYS = ("position", "heading", "floor", "seat_height", "ring")


def _at_points(drawn: DrawnCrowd, place: Place, ground: Float64, settings: SeatSettings) -> BystanderPlaces:
    """Return the spots on points; those of seats have their height, others are stood on."""
    count = len(place.points)
    height = place.heights if len(place.heights) else np.full(count, np.nan)
    turned = 2.0 * np.pi * drawn.uniform(f"points {place.name}", count)
    heading = place.headings if len(place.headings) else turned
    if _seated(drawn.crowd):
        floor = floors_under(height, ground, settings)
        return BystanderPlaces(place.points, heading, floor, height, np.full(count, -1), count)
    return BystanderPlaces(place.points, heading, height, np.full(count, np.nan), np.full(count, -1), count)


def _along(line: Float64, settings: BystanderSettings) -> BystanderPlaces:
    """Return the spots along a line, float64 (P, 2) [m]; people face to its left."""
    steps = np.diff(line, axis=0)
    lengths = length(steps)
    since = np.concatenate([[0.0], np.cumsum(lengths)])
    s = np.arange(0.5 * settings.line_spacing, since[-1], settings.line_spacing)
    s = s if len(s) else 0.5 * since[-1:]
    piece = np.clip(np.searchsorted(since, s, side="right") - 1, 0, len(steps) - 1)
    along = arctan2(steps[piece, 1], steps[piece, 0])
    points = np.stack([np.interp(s, since, line[:, 0]), np.interp(s, since, line[:, 1])], axis=1)
    return _level(points, along + 0.5 * np.pi, np.full(len(s), -1))


def _inside(drawn: DrawnCrowd, key: str, place: str, outline: Float64, settings: StopSettings) -> BystanderPlaces:
    """Return the spots inside an outline, known by a key, of a place: in rings for those who talk, else scattered."""
    own = settings.bystanders
    if TALK in drawn.crowd.activities:
        centres = spots_inside(outline, settings.rings.apart, own.most)
        draws = randomness.uniform(drawn.seed, place, f"rings {key}", len(centres))
        turns = 2.0 * np.pi * randomness.uniform(drawn.seed, place, f"turns {key}", len(centres))
        points, headings, rings = [np.zeros((0, 2))], [np.zeros(0)], [np.zeros(0, dtype=np.int64)]
        for ring, (centre, draw, turn) in enumerate(zip(centres, draws.tolist(), turns.tolist(), strict=True)):
            made = TalkRing(centre, ring, draw, settings.rings)
            places, facing = made.evenly(turn, made.size)
            points.append(places)
            headings.append(facing)
            rings.append(np.full(made.size, ring))
        return _level(np.concatenate(points), np.concatenate(headings), np.concatenate(rings))
    points = spots_inside(outline, own.spacing, own.most)
    shift = 2.0 * np.pi * randomness.uniform(drawn.seed, place, f"shift {key}", len(points))
    moved = points + own.jitter * heading_vector(shift)
    points = np.where(contains(outline, moved)[:, None], moved, points)
    turned = 2.0 * np.pi * drawn.uniform(f"turned {key}", len(points))
    return _level(points, turned, np.full(len(points), -1))


def _level(points: Float64, heading: Float64, ring: Int64) -> BystanderPlaces:
    nothing = np.full(len(points), np.nan)
    return BystanderPlaces(points, heading, nothing, nothing, ring, len(points))
