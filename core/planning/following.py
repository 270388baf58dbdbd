# SPDX-License-Identifier: GPL-3.0-or-later
"""People who follow curves to the letter, each for themselves: what the planner does where nothing else is at work.

    people = Followers(references, agents: PlannerInput, obstacles: Distances | None)
    plans = people.plan()          # from now on
    people.advance(0.3)            # to where the plans lead
    people.way                     # how far along their own curves they are

Who stands because every offset from the curve is closed is led past on a line of its own, through the free ground to
the nearest place of the curve beyond that is free: offsets reach no farther than the centres of bends, and where a
curve winds about an obstacle they reach nowhere.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from itertools import count

import numpy as np
from numpy.typing import NDArray

from ..geometry.distances import Distances
from .courses import LEAST_ACROSS
from .frenet import FrenetState, to_frenet, to_world
from .path import ReferencePath
from .planner import FrenetPlanner, PlannerInput
from .plans import Plans
from .pursuit import CELL
from .reference import ReferenceSet
from .settings import PlannerSettings
from .tables import PathTable
from .ways_past import Ground, straighten, survey_ground

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

_STANDS = 0.05  # [m/s] and slower
_SOON, _BRAKING = (0.3, 0.6), 2.0  # [s] ahead that one looks for centres of bends, and brakes before them so [m/s2]
_FARTHEST = 12.0  # [m] along the curve within which it is joined again,
_NEAREST = 0.5  # [m] at least: who is led past again and again still gets on
_STATION = 0.1  # [m] between the places where it may be
_FREE = 1.0  # [m] of the curve that must be free from there on
_RUN_IN = 2.0  # [m] of it along which the line past something ends, to come to run as it does
_NEAR, _ALONG, _BENT = 0.2, 0.35, 4.0  # d [m], d' and d'' [1/m] with which one is back on the curve, at most
_AROUND = 8  # cells
_GRIDS = ((0.1, 0.12), (0.05, 0.03))  # cells, and room beyond the radius that a way past must have [m]
_OF_STATE = tuple(field.name for field in fields(FrenetState))


@dataclass(frozen=True, eq=False)
class _Bypass:
    """A line past something: from a curve to where it is free again, and on along it for some way."""

    curve: int
    rejoin: float  # s of the curve where it is joined [m]
    returns: bool  # the curve goes on from there
    joined: float  # where on the line that is [m]
    places: Float64  # on the line, growing [m],
    way: Float64  # and how far along the curve one is there [m]

    def progress(self, s: float) -> float:
        """How far along the curve one is who is at `s` of the line."""
        return float(np.interp(s, self.places, self.way))


class Followers:
    """People on curves, at a moment.

    Attributes:
        references: the curves, and lines past what stands on them as they are found; a new one takes the number of one
            that nobody is on any more.
        agents: who is where on which of them now, and wants what.
    """

    def __init__(
        self,
        references: ReferenceSet,
        agents: PlannerInput,
        obstacles: Distances | None = None,
        settings: PlannerSettings | None = None,
    ) -> None:
        """Put people on curves.

        Args:
            references: the curves.
            agents: where they are and what they want.
            obstacles: what stands there, for ever.
            settings: how plans are made.
        """
        self.references, self.agents = references, replace(agents, path=np.array(agents.path, dtype=np.int64))
        self._obstacles, self._planner = obstacles, FrenetPlanner(references, settings)
        self._plans = Plans.empty(len(agents.path), references)
        self._curves = len(references)
        self._bypasses: list[_Bypass] = []
        self._refused = np.zeros(len(agents.path), dtype=bool)  # stand where nothing leads past what is in the way

    @property
    def way(self) -> Float64:
        """How far along their own curves people are, also while they are led past something: float64 (A,) [m]."""
        return self.way_at(self.agents.s)

    def way_at(self, s: Float64) -> Float64:
        """How far along their own curves people would be at other s, float64 (A,), of the paths they are on [m]."""
        way = np.array(s, dtype=np.float64)
        for row in self._away():
            way[row] = self._bypass(row).progress(float(way[row]))
        return way

    def plan(self) -> Plans:
        """Plan for everybody from now on, and lead past what is in the way who stands before it."""
        self._come_back()
        plans = self._planner.plan(self._wants(), self._obstacles)
        self._brake_before_centres(plans)
        blocked = np.flatnonzero(plans.collides)
        standing = blocked[_speed_of(plans, blocked) < _STANDS].tolist()
        self._refused &= np.isin(np.arange(len(self._refused)), standing)
        led = np.array([row for row in standing if not self._refused[row] and self._lead_past(row)], dtype=np.int64)
        if len(led):
            plans = Plans(self.references, plans.tables)
            plans.put(led, self._planner.plan(self._wants().rows(led), self._obstacles))
        self._plans = plans
        return plans

    def advance(self, seconds: float) -> None:
        """Go on along the last plans for some time [s]."""
        rows = np.arange(len(self.agents.path))
        state = self._plans.state(rows, np.full(len(rows), float(seconds)))
        self.agents = replace(self.agents, **{name: getattr(state, name) for name in _OF_STATE})

    def _brake_before_centres(self, plans: Plans) -> None:
        """Let those brake whose plans, round something, soon cross the centre of a bend: no course goes on from there.

        The planner has nothing better for them, and none who begin there get away otherwise.
        """
        if self._obstacles is None or self._obstacles.empty:
            return
        rows = np.arange(len(plans))
        ahead = [self._across(plans.state(rows, np.full(len(rows), time))) for time in _SOON]
        begun = self._across(plans.state(rows, np.zeros(len(rows)))) >= LEAST_ACROSS
        beyond = np.flatnonzero(begun & (np.minimum.reduce(ahead) < LEAST_ACROSS))
        speed, tables = _speed_of(plans, beyond), plans.tables
        tables.collides[beyond] = True
        tables.polynomial[beyond] = 0.0
        tables.polynomial[beyond, 1], tables.polynomial[beyond, 2] = speed, -0.5 * _BRAKING
        tables.span[beyond], tables.end_speed[beyond] = speed / _BRAKING, 0.0

    def _across(self, state: FrenetState) -> Float64:
        """D of states of everybody: how much of the bend's radius is left, as a share."""
        return 1.0 - self.references.frame(self.agents.path, state.s)[4] * state.d

    def _wants(self) -> PlannerInput:
        """What everybody wants now: who is led past something keeps to the line that does so."""
        away = self.agents.path >= self._curves
        return replace(
            self.agents,
            wanted_offset=np.where(away, 0.0, self.agents.wanted_offset),
            stop_at_end=away | self.agents.stop_at_end,  # beyond it they would go astray
        )

    def _away(self) -> list[int]:
        """Who is led past something."""
        found: list[int] = np.flatnonzero(self.agents.path >= self._curves).tolist()
        return found

    def _bypass(self, row: int) -> _Bypass:
        return self._bypasses[self.agents.path[row] - self._curves]

    def _come_back(self) -> None:
        """Put those back on their curves who have come to run along them again."""
        for row in self._away():
            past, s = self._bypass(row), float(self.agents.s[row])
            if not past.returns or s < past.joined:
                continue
            one, curve = self.agents.rows(np.array([row])), np.array([past.curve])
            place = to_world(self.references, one.path, FrenetState(*(getattr(one, name) for name in _OF_STATE)))
            state = to_frenet(self.references, curve, place, np.array([past.progress(s)]))
            if place.speed[0] < _STANDS:  # may turn
                zero = np.zeros(1)
                self._put(row, past.curve, FrenetState(state.s, zero, zero, state.d, zero, zero))
            elif abs(state.d[0]) < _NEAR and abs(state.d_prime[0]) < _ALONG and abs(state.d_second[0]) < _BENT:
                self._put(row, past.curve, state)

    def _lead_past(self, row: int) -> bool:
        """Look for a line past what stands before somebody, and put them on it; tells whether there is one."""
        assert self._obstacles is not None
        self._refused[row] = True
        agents, leave = self.agents, float(self.way[row])
        start = self.references.to_cartesian(agents.path[[row]], agents.s[[row]], agents.d[[row]])[0]
        curve, beyond = int(agents.path[row]), leave
        if curve >= self._curves:  # who is led past in vain comes back farther on
            curve, beyond = self._bypass(row).curve, max(leave, self._bypass(row).rejoin)
        stops = bool(agents.stop_at_end[row]) and not self.references.closed[curve]
        for cell, room in _GRIDS:
            ground = survey_ground(self._obstacles, start, float(agents.radius[row]) + room, cell)
            found = self._rejoin(curve, beyond, ground, stops)
            if found is None:
                continue
            rejoin, returns = found
            end = rejoin + _RUN_IN * returns
            end = min(end, float(self.references.lengths[curve])) if stops else end
            tail = np.linspace(rejoin, end, 1 + 16 * returns)
            along = self.references.to_cartesian(np.full(len(tail), curve), tail, np.zeros(len(tail)))
            way = straighten(ground.way_to(along[0]), self._obstacles, ground.least)
            line = ReferencePath.from_points(np.concatenate((way, along[1:]))).table
            self._set_out(row, line, self._measure(line, along[0], curve, (leave, rejoin, end)), start)
            return True
        return False

    def _rejoin(self, curve: int, beyond: float, ground: Ground, stops: bool) -> tuple[float, bool] | None:
        """Where a curve may be joined again: the nearest place from which on it is free, or else its very end.

        Args:
            curve: which.
            beyond: somewhat farther along than this [m].
            ground: what can be reached.
            stops: whether it is walked to its end and no farther.

        Returns:
            s [m], and whether the curve goes on from there; None where nothing of it can be reached.
        """
        assert self._obstacles is not None
        end = np.inf if self.references.closed[curve] else float(self.references.lengths[curve])
        s = beyond + np.arange(_NEAREST, _FARTHEST, _STATION)
        if stops:
            s = s[s <= end - _FREE]
            s = np.append(s, end) if end <= beyond + _FARTHEST else s
        until = np.where(s > end, np.inf, end)  # what lies beyond it is no matter before it
        ahead = np.minimum(s[:, None] + np.linspace(0.0, _FREE, 9), until[:, None]).ravel()
        places = self.references.to_cartesian(np.full(len(ahead), curve), ahead, np.zeros(len(ahead)))
        free = self._obstacles.signed_distance(places, ground.least) >= ground.least
        good = np.flatnonzero(free.reshape(len(s), -1).all(axis=1) & ground.reaches(places[::9]))
        return (float(s[good[0]]), not stops or bool(s[good[0]] < end)) if len(good) else None

    def _measure(self, line: PathTable, place: Float64, curve: int, span: tuple[float, float, float]) -> _Bypass:
        """Tell how far along a curve one is on a line past something.

        Args:
            line: from somewhere to a place, and from there along the curve.
            place: float64 (2,), where it joins the curve [m].
            curve: which.
            span: s of the curve where it is left, where it is joined, and where the line ends [m].
        """
        leave, rejoin, end = span
        if end <= rejoin:
            joined, places, way = line.length, np.empty(0), np.empty(0)
        else:
            joined = _nearest_on(line, place, line.length - (end - rejoin))
            places = np.arange(joined + CELL, line.length - 0.5 * CELL, CELL)
            node = line.place[np.rint(places / CELL).astype(np.int64)]
            near = rejoin + (places - joined) * ((end - rejoin) / (line.length - joined))
            way, _ = self.references.to_frenet(
                np.full(len(near), curve), np.stack((node.real, node.imag), axis=1), near
            )
            way = np.maximum.accumulate(np.clip(way, rejoin, end))
        return _Bypass(
            curve=curve,
            rejoin=rejoin,
            returns=end > rejoin,
            joined=joined,
            places=np.array((0.0, joined, *places, max(line.length, joined) + CELL)),
            way=np.array((leave, rejoin, *way, end + CELL)),
        )

    def _set_out(self, row: int, line: PathTable, past: _Bypass, start: Float64) -> None:
        """Put somebody who stands on a new line that begins there, in the place of one that nobody is on."""
        taken = set(self.agents.path.tolist())
        path = next(number for number in count(self._curves) if number not in taken)
        tables, place = list(self.references.tables), path - self._curves
        tables[path : path + 1], self._bypasses[place : place + 1] = [line], [past]
        self.references = ReferenceSet(tables)
        self._planner = FrenetPlanner(self.references, self._planner.settings)
        zero = np.zeros(1)
        s, d = self.references.to_frenet(np.array([path]), start[None], zero)
        self._put(row, path, FrenetState(s, zero, zero, d, zero, zero))

    def _put(self, row: int, path: int, state: FrenetState) -> None:
        """Put somebody on another path, in this state."""
        now = {name: np.array(getattr(self.agents, name)) for name in ("path", *_OF_STATE)}
        now["path"][row] = path
        for name in _OF_STATE:
            now[name][row] = getattr(state, name)[0]
        self.agents = replace(self.agents, **now)


def _speed_of(plans: Plans, rows: Int64) -> Float64:
    """How fast some are where their plans begin [m/s]."""
    velocity = plans.at(rows, np.zeros(len(rows)))[1]
    return np.sqrt((velocity * velocity).sum(axis=1))


def _nearest_on(line: PathTable, place: Float64, s: float) -> float:
    """Where a line is nearest to a place, within some cells of s [m]."""
    node = np.arange(max(1, round(s / CELL) - _AROUND), min(len(line.place), round(s / CELL) + _AROUND + 1))
    apart = line.place[node] - complex(place[0], place[1])
    return CELL * float(node[np.argmin(apart.real**2 + apart.imag**2)])
