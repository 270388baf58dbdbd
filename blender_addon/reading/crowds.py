# SPDX-License-Identifier: GPL-3.0-or-later
"""Converts crowds of the panel to crowds of the core: one for each spline of their route."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np

from ...core.geometry.polygons import Shape
from ...core.scene import Area, Crowd, Mark, Place, Route, Trigger
from ..settings.crowd.crowd import AUTO, FootfallCrowd
from ..settings.properties.identities import identities_of, identity_on_line
from .lives.stops import ReadStops
from .objects.curves import CURVE_SETTINGS, Line
from .objects.findings import Findings, Names


@dataclass(frozen=True)
class ReadCrowd:
    """The origin of a crowd of the core.

    Attributes:
        index: of the crowd in the panel's list.
        name: of the crowd in the core.
        known_as: its identity, which survives renaming: random numbers and the names of its people depend on it.
    """

    index: int
    name: str
    known_as: str


@dataclass
class ReadCrowds:
    """Crowds of the core with the routes and areas that they name.

    Attributes:
        crowds: of the core.
        read: for each of them the crowd of the panel.
        routes, areas: those that the crowds name.
        route_sources, area_sources: the name of the object that each was read from.
        places: where people stop; and place_sources: their objects or collections.
        marks: what they wait for or react to.
        triggers: what they do when something happens.
    """

    crowds: list[Crowd] = field(default_factory=list)
    read: list[ReadCrowd] = field(default_factory=list)
    routes: list[Route] = field(default_factory=list)
    route_sources: list[str] = field(default_factory=list)
    areas: list[Area] = field(default_factory=list)
    area_sources: list[str] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    place_sources: list[str] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    triggers: list[Trigger] = field(default_factory=list)


def route_objects(crowd: FootfallCrowd) -> dict[str, bpy.types.Object | None]:
    """Return the objects that define where a crowd goes, by purpose: its route, or its start and goal."""
    if crowd.is_there:
        return {}
    return {"route": crowd.route} if crowd.has_curve else {"start": crowd.start, "goal": crowd.goal}


def read_crowds(
    crowds: Sequence[FootfallCrowd],
    lines: Mapping[bpy.types.Object, Sequence[Line]],
    places: Mapping[bpy.types.Object, Shape],
    stops: ReadStops,
    findings: Findings,
) -> ReadCrowds:
    """Read the crowds of the core, with their routes and areas.

    Args:
        crowds: of the panel.
        lines: the lines of each route [m]; a route at fault is missing.
        places: the shape of each start and goal [m]; one at fault is missing.
        stops: those of all crowds, with their places.
        findings: collects notices, and routes that are too long.

    Returns:
        The crowds whose route, or start and goal, have no fault.
    """
    result = ReadCrowds(places=stops.places, place_sources=stops.place_sources, marks=list(stops.marks.values()))
    builder = _Builder(result, crowds, stops, findings)
    for index, crowd in enumerate(crowds):
        named = route_objects(crowd)
        if index in stops.presences:
            builder.add_at_place(index, crowd)
        elif "route" in named:
            found = lines.get(named["route"]) if named["route"] else None
            if found and not _is_too_long(crowd.route, found, findings):
                builder.add_on_route(index, crowd, found)
        elif named and named["start"] in places and named["goal"] in places:
            builder.add_between_areas(index, crowd, places)
    return result


def _is_too_long(source: bpy.types.Object, lines: Sequence[Line], findings: Findings) -> bool:
    longest, allowed = max(line.length for line in lines), CURVE_SETTINGS.longest_route
    if longest <= allowed:
        return False
    findings.fault(
        source.name,
        f"is {longest / 1000.0:,.1f} km long, and a route is {allowed / 1000.0:g} km at most: "
        "check the scene's unit scale and the scale of the curve, or choose a shorter curve.",
    )
    return True


class _Builder:
    def __init__(
        self,
        result: ReadCrowds,
        crowds: Sequence[FootfallCrowd],
        stops: ReadStops,
        findings: Findings,
    ) -> None:
        self._result, self._stops, self._findings = result, stops, findings
        self._names = Names(crowd.name for crowd in crowds)
        self._identities = identities_of(crowds)
        sources = [each.name for crowd in crowds for each in route_objects(crowd).values() if each is not None]
        self._route_names, self._area_names = Names(sources), Names(sources)
        self._known_routes: dict[tuple[str, int, float], str] = {}
        self._known_roads: dict[tuple[str, int], tuple[str, str, dict[str, Any]]] = {}
        self._known_areas: dict[str, str] = {}

    def add_on_route(self, index: int, crowd: FootfallCrowd, lines: Sequence[Line]) -> None:
        """Add people along a curve, divided among its splines."""
        counts = share_out(crowd.count, [line.length for line in lines])
        used = [number for number, count in enumerate(counts) if count] or [0]
        if crowd.arrival == AUTO and crowd.spawn.mode != "FLOW" and any(lines[number].closed for number in used):
            self._findings.notice(
                f"'{crowd.name}' stops where the closed curve '{crowd.route.name}' begins: set At the End to Go "
                "Round Again if people should keep walking."
            )
        if len(lines) > 1:
            self._findings.notice(
                f"'{crowd.route.name}' has {len(lines)} splines; the {crowd.count} people of '{crowd.name}' are shared "
                f"among them by length: {', '.join(map(str, counts))}."
            )
        for number in used:
            name = self._names.give(crowd.name)
            if crowd.drives:
                route = self._road(crowd, number, lines[number])
            else:
                route = self._route(crowd.route, number, lines[number], crowd.path_width)
            known_as = identity_on_line(self._identities[index], number)
            stops = self._stops.of_crowd.get(index, ())
            self._add(index, crowd.to_settings(name, known_as, count=counts[number], route=route, stops=stops))

    def add_between_areas(self, index: int, crowd: FootfallCrowd, places: Mapping[bpy.types.Object, Shape]) -> None:
        """Add people who go from one area to another."""
        name = self._names.give(crowd.name)
        start, goal = (self._area(place, places[place]) for place in (crowd.start, crowd.goal))
        known_as, stops = self._identities[index], self._stops.of_crowd.get(index, ())
        settings = crowd.to_settings(name, known_as, count=crowd.count, start=start, goal=goal, stops=stops)
        self._add(index, settings)

    def add_at_place(self, index: int, crowd: FootfallCrowd) -> None:
        """Add bystanders."""
        there = self._stops.presences[index]
        name = self._names.give(crowd.name)
        self._add(index, crowd.to_settings(name, self._identities[index], count=crowd.count, there=there))

    def _add(self, index: int, crowd: Crowd) -> None:
        self._result.crowds.append(crowd)
        self._result.read.append(ReadCrowd(index, crowd.name, crowd.identity))

    def _route(self, source: bpy.types.Object, number: int, line: Line, width: float) -> str:
        key = (source.name_full, number, width)  # one route for each width that crowds use
        if key not in self._known_routes:
            name = self._known_routes[key] = self._route_names.give(source.name)
            self._result.routes.append(Route(name, line.points, closed=line.closed, width=width))
            self._result.route_sources.append(source.name)
        return self._known_routes[key]

    def _road(self, crowd: FootfallCrowd, number: int, line: Line) -> str:
        """Return the name of the road along a line, shared by all crowds that drive there."""
        key, settings = (crowd.route.name_full, number), crowd.vehicle.road_settings()
        if key not in self._known_roads:
            name = self._route_names.give(crowd.route.name)
            self._known_roads[key] = name, crowd.name, settings
            self._result.routes.append(Route(name, line.points, closed=line.closed, **settings))
            self._result.route_sources.append(crowd.route.name)
        name, first, known = self._known_roads[key]
        if settings != known:
            differing = " and ".join(each.replace("_", " ") for each in known if known[each] != settings[each])
            self._findings.fault(
                crowd.name,
                f"drives along '{crowd.route.name}' like '{first}', but with a different setting: {differing}.",
            )
        return name

    def _area(self, source: bpy.types.Object, shape: Shape) -> str:
        outline, holes = shape
        if source.name_full not in self._known_areas:
            name = self._known_areas[source.name_full] = self._area_names.give(source.name)
            self._result.areas.append(Area(name, outline))
            self._result.area_sources.append(source.name)
            if holes:
                self._findings.notice(f"'{source.name}' has holes; as a start or goal the holes are filled.")
        return self._known_areas[source.name_full]


def share_out(count: int, lengths: Sequence[float]) -> list[int]:
    """Divide people among lines in proportion to length, so that the sum is exact.

    Args:
        count: how many people.
        lengths: of each line, positive.

    Returns:
        The number on each line. Those left over after rounding down go where rounding removed most.

    Source: the largest remainder method (Hare quota).
    """
    shares = count * np.asarray(lengths, dtype=np.float64) / float(np.sum(lengths))
    whole = np.floor(shares).astype(np.int64)
    left = count - int(whole.sum())
    whole[np.argsort(whole - shares, kind="stable")[:left]] += 1
    return whole.tolist()
