# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of a scene as a whole: every fault in one pass, each with its place in the scene file."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from ..errors import Fault
from .basics.terrain import check_terrain
from .basics.value_checks import FARTHEST_FRAME, Checker, quoted, shown
from .crowd_checks import LARGEST_BODY, check_crowds
from .entities import LOOP, PRIORITIES, VEHICLE, Area, Crowd, Hero, Mark, Motion, Obstacle, Route, SceneContent, Track
from .goal_checks import check_goals, lies_in
from .lives.activities import BYSTANDER_ACTIVITIES, check_activities, check_look_at
from .lives.awaited import AT_FRAME, OF_CROWD
from .lives.places import Place, check_places
from .lives.stops import SIT, WAIT_UNTIL, check_stops, places_without
from .lives.triggers import Trigger, check_triggers, named_by

FPS_RANGE = (0.1, 10_000.0)

MOST_LANES = 16
"""Of a road in each direction; the widest on earth have 13."""

WIDEST_ROUTE = 1000.0
"""Of a route, and of a lane [m]: what is wider is a slip of the pen, and no plan fits it."""

_SECTIONS = (
    "footfall_scene",
    "fps",
    "frames",
    "seed",
    "bounds",
    "obstacles",
    "walls",
    "routes",
    "areas",
    "crossings",
    "crowds",
    "heroes",
    "keep_left",
    "terrain",
    "places",
    "marks",
    "triggers",
)


def find_faults(scene: SceneContent, *, unread: Collection[str] = ()) -> list[Fault]:
    """Return all faults of a scene, in the order of the scene file.

    Args:
        scene: to check; its numbers, words and arrays may hold anything.
        unread: places of the scene file that could not be read, whose fields hold stand-ins. Neither they
            nor what depends on them are reported.
    """
    check = Checker(unread)
    _check_time(check, scene)
    bounds = scene.bounds if scene.bounds is not None and check.outline("bounds", scene.bounds) else None
    solid = _check_obstacles(check, scene.obstacles)
    for i, wall in enumerate(scene.walls):
        check.points(f"walls[{i}]", wall, columns=2, what="a wall")
    routes = _check_routes(check, scene.routes)
    areas = _check_areas(check, scene.areas)
    _check_areas(check, scene.crossings, "crossings")
    _check_unique(check, "crowds", scene.crowds)
    check_crowds(check, scene.crowds)
    for i, hero in enumerate(scene.heroes):
        _check_hero(check, f"heroes[{i}]", hero)
    check.true_or_false("keep_left", scene.keep_left)
    if scene.terrain is not None:
        check_terrain(check, scene.terrain)
    _check_lives(check, scene)
    _check_route_kinds(check, scene, routes, areas)
    check_goals(check, scene, areas, solid, bounds)
    return in_file_order(check.faults)


def _check_lives(check: Checker, scene: SceneContent) -> None:
    """Check places, marks and triggers, and what crowds do there."""
    _check_unique(check, "places", scene.places)
    check_places(check, scene.places)
    _check_unique(check, "marks", scene.marks)
    for i, mark in enumerate(scene.marks):
        if not check.is_unread(f"marks[{i}].motion"):
            _check_motion(check, f"marks[{i}].motion", mark.motion)
    for i, crowd in enumerate(scene.crowds):
        check_stops(check, f"crowds[{i}]", crowd.stops, crowd.stop_order, scene.places)
        if crowd.stops and crowd.kind == VEHICLE:
            check.add(f"crowds[{i}].stops", "vehicles have no stops; remove them")
        _check_bystanders(check, f"crowds[{i}]", crowd, scene.places)
    _check_unique(check, "triggers", scene.triggers)
    check_triggers(check, scene.triggers)
    every = {"place": scene.places, "mark": scene.marks, "area": scene.areas, "crowd": scene.crowds}
    for what, things in every.items():
        asked = [name for i, crowd in enumerate(scene.crowds) for name in _named(check, f"crowds[{i}]", crowd, what)]
        for i, trigger in enumerate(scene.triggers):
            asked += [
                (f"triggers[{i}].{key}", name)
                for key, name in named_by(trigger, what)
                if check.name(f"triggers[{i}].{key}", name)
            ]
        named = [thing.name for thing in things if isinstance(thing.name, str)]
        _check_names(check, asked, what, f"{what}s", things, named)


def _check_bystanders(check: Checker, spot: str, crowd: Crowd, places: Sequence[Place]) -> None:
    """Check the activities of bystanders."""
    check_activities(check, f"{spot}.activities", crowd.activities, BYSTANDER_ACTIVITIES)
    check_look_at(check, f"{spot}.look_at", crowd.look_at)
    if crowd.place is None:
        return
    if crowd.stops:
        check.add(f"{spot}.stops", "bystanders do not walk to other places; remove the stops")
    without = isinstance(crowd.place, str) and crowd.place in places_without(check, places)[SIT]
    if without and isinstance(crowd.activities, tuple) and SIT in crowd.activities:
        check.add(f"{spot}.activities", f"seats are points with headings, and {shown(crowd.place)} has none")


def _named(check: Checker, spot: str, crowd: Crowd, what: str) -> list[tuple[str, str]]:
    """Return the places, marks or crowds that a crowd names, each with where it does so."""
    if what == "place":
        found = [(f"{spot}.stops[{k}].place", stop.place) for k, stop in enumerate(crowd.stops)]
        found += [(f"{spot}.place", crowd.place)] if crowd.place is not None else []
        return [(place, name) for place, name in found if check.name(place, name)]
    if what not in ("mark", "crowd"):
        return []  # those are checked with the routes
    named = [
        (f"{spot}.stops[{k}].awaits.{what}", getattr(stop.awaits, what))
        for k, stop in enumerate(crowd.stops)
        if stop.do == WAIT_UNTIL and stop.awaits.what != AT_FRAME and (what == "mark" or stop.awaits.what == OF_CROWD)
    ]
    return [(place, name) for place, name in named if isinstance(name, str) and name]


def in_file_order(faults: Sequence[Fault]) -> list[Fault]:
    """Return faults in the order of the scene file, those of one place as they were found."""
    return sorted(faults, key=lambda fault: _file_order(fault.place))


def _file_order(place: str) -> tuple[int, int]:
    """Return the rank of a place's section of the file and its number in there."""
    section, _, rest = place.replace(".", "[").partition("[")
    number = rest.partition("]")[0]
    return _SECTIONS.index(section) if section in _SECTIONS else -1, int(number) if number.isdecimal() else -1


def _check_time(check: Checker, scene: SceneContent) -> None:
    check.number("fps", scene.fps, above=0.0, least=FPS_RANGE[0], most=FPS_RANGE[1])
    check.whole_number("seed", scene.seed, least=0)
    frames: Any = scene.frames
    if not isinstance(frames, list | tuple) or len(frames) != 2:
        check.add("frames", f"must be the first and the last frame, got {shown(frames)}")
        return
    each = [
        check.whole_number(f"frames[{i}]", frame, least=-FARTHEST_FRAME, most=FARTHEST_FRAME)
        for i, frame in enumerate(frames)
    ]
    if all(each) and frames[1] < frames[0]:
        check.add("frames", f"are reversed: the last frame, {frames[1]}, comes before the first, {frames[0]}")


def _check_unique(
    check: Checker, section: str, things: Sequence[Route | Area | Crowd | Place | Mark | Trigger]
) -> None:
    """Check that every item has a name of its own."""
    owner: dict[str, str] = {}
    for i, thing in enumerate(things):
        place = f"{section}[{i}]"
        if check.name(f"{place}.name", thing.name):
            first = owner.setdefault(thing.name, place)
            if first != place:
                check.add(f"{place}.name", f"{shown(thing.name)} is already the name of {first}; names must differ")


def _check_obstacles(check: Checker, obstacles: Sequence[Obstacle]) -> list[tuple[int, Obstacle]]:
    """Return the static obstacles of sound shape, with their numbers."""
    solid = []
    for i, obstacle in enumerate(obstacles):
        place = f"obstacles[{i}]"
        check.name(f"{place}.name", obstacle.name)
        sound = check.outline(f"{place}.outline", obstacle.outline)
        for j, hole in enumerate(obstacle.holes):
            spot = f"{place}.holes[{j}]"
            if not check.outline(spot, hole):
                sound = False
            elif sound and not lies_in(hole, obstacle.outline, ()):
                check.add(spot, "must lie inside the outline")
                sound = False
        if obstacle.motion is not None:
            _check_motion(check, f"{place}.motion", obstacle.motion)
        elif sound and not (check.is_unread(f"{place}.motion") or check.is_unread(f"{place}.holes")):
            solid.append((i, obstacle))
    return solid


def _check_hero(check: Checker, place: str, hero: Hero) -> None:
    check.name(f"{place}.name", hero.name)
    check.number(f"{place}.radius", hero.radius, above=0.0, most=LARGEST_BODY)
    if hero.frames is not None and not check.is_unread(f"{place}.frames"):
        _check_span(check, f"{place}.frames", hero.frames)
    if not check.is_unread(f"{place}.motion"):
        _check_motion(check, f"{place}.motion", hero.motion)


def _check_span(check: Checker, place: str, span: Any) -> None:
    if not isinstance(span, list | tuple) or len(span) != 2:
        check.add(place, f"must be the first and the last frame, got {shown(span)}")
        return
    sound = [
        check.number(f"{place}[{i}]", frame, least=-FARTHEST_FRAME, most=FARTHEST_FRAME) for i, frame in enumerate(span)
    ]
    if all(sound) and span[1] < span[0]:
        check.add(place, f"are reversed: the last frame, {span[1]}, comes before the first, {span[0]}")


def _check_motion(check: Checker, place: str, motion: Motion | Track) -> None:
    columns: dict[str, np.ndarray] = vars(motion)
    sound = [
        check.array(f"{place}.{key}", column, "(M,)", 1) and check.finite(f"{place}.{key}", column)
        for key, column in columns.items()
    ]
    if not all(sound):
        return
    if len(motion.frames) == 0:
        check.add(f"{place}.frames", "must hold at least one frame")
    elif not any(check.is_unread(f"{place}.{key}") for key in columns):
        for key, column in columns.items():
            if len(column) != len(motion.frames):
                check.add(
                    f"{place}.{key}", f"needs a number for each of {len(motion.frames)} frames, got {len(column)}"
                )
    for k in np.flatnonzero(np.diff(motion.frames) <= 0.0)[:1]:
        check.add(
            f"{place}.frames[{k + 1}]",
            f"frames must increase, got {motion.frames[k + 1]:g} after {motion.frames[k]:g}",
        )


def _check_routes(check: Checker, routes: Sequence[Route]) -> dict[str, tuple[str, Route]]:
    """Return the routes by name, each with its place."""
    _check_unique(check, "routes", routes)
    for i, route in enumerate(routes):
        place = f"routes[{i}]"
        if check.points(f"{place}.points", route.points, columns=3, what="a route"):
            check.ground_plan(f"{place}.points", route.points)
        check.true_or_false(f"{place}.closed", route.closed)
        check.number(f"{place}.width", route.width, above=0.0, most=WIDEST_ROUTE)
        check.whole_number(f"{place}.lanes", route.lanes, least=1, most=MOST_LANES)
        check.number(f"{place}.lane_width", route.lane_width, above=0.0, most=WIDEST_ROUTE)
        check.true_or_false(f"{place}.two_way", route.two_way)
        check.choice(f"{place}.priority", route.priority, PRIORITIES)
    return {route.name: (f"routes[{i}]", route) for i, route in enumerate(routes) if isinstance(route.name, str)}


def _check_areas(check: Checker, areas: Sequence[Area], section: str = "areas") -> dict[str, Area | None]:
    """Return the areas by name, None where the shape is not sound."""
    _check_unique(check, section, areas)
    named: dict[str, Area | None] = {}
    for i, area in enumerate(areas):
        sound = check.outline(f"{section}[{i}].outline", area.outline)
        if isinstance(area.name, str):
            named[area.name] = area if sound else None
    return named


def _check_route_kinds(
    check: Checker, scene: SceneContent, routes: dict[str, tuple[str, Route]], areas: dict[str, Area | None]
) -> None:
    """Check where each crowd goes: exactly one of route, areas and agents, by existing names."""
    asked: dict[str, list[tuple[str, str]]] = {"routes": [], "areas": []}
    for i, crowd in enumerate(scene.crowds):
        place = f"crowds[{i}]"
        given = {
            key
            for key in ("route", "start", "goal", "agents", "place")
            if getattr(crowd, key) not in (None, ()) or check.is_unread(f"{place}.{key}")
        }
        _check_one_way(check, place, given)
        if crowd.kind == VEHICLE and given and "route" not in given:
            check.add(place, "vehicles need a route, and this crowd has none")
        for key, section in (("route", "routes"), ("start", "areas"), ("goal", "areas")):
            value = getattr(crowd, key)
            if value is not None and check.name(f"{place}.{key}", value):
                asked[section].append((f"{place}.{key}", value))
        if crowd.arrival == LOOP:
            _check_loop(check, place, given, routes.get(crowd.route) if isinstance(crowd.route, str) else None)
    _check_names(check, asked["routes"], "route", "routes", scene.routes, routes)
    _check_names(check, asked["areas"], "area", "areas", scene.areas, areas)


def _check_one_way(check: Checker, place: str, given: set[str]) -> None:
    kinds = [key for key in ("route", "agents", "place") if key in given]
    kinds += ["start and goal"] if given & {"start", "goal"} else []
    if len(kinds) != 1:
        named = " and ".join(kinds) or "none"
        check.add(place, f"must have exactly one of route, start with goal, agents, or place; it has {named}")
    elif "start" in given and "goal" not in given:
        check.add(f"{place}.goal", "is missing: a crowd with a start needs a goal")
    elif "goal" in given and "start" not in given:
        check.add(f"{place}.start", "is missing: a crowd with a goal needs a start")


def _check_loop(check: Checker, place: str, given: set[str], found: tuple[str, Route] | None) -> None:
    if "route" not in given and given:
        check.add(f"{place}.arrival", "'loop' needs a closed route, and this crowd has no route")
    elif found is not None and found[1].closed is False and not check.is_unread(f"{found[0]}.closed"):
        check.add(f"{place}.arrival", f"'loop' needs a closed route, and {shown(found[1].name)} is open")


def _check_names(
    check: Checker,
    asked: list[tuple[str, str]],
    what: str,
    section: str,
    things: Sequence[Route | Area | Place | Mark | Crowd],
    named: Collection[str],
) -> None:
    """Check that what crowds ask for is there.

    A thing whose own name could not be read may be the one that was meant: as many unknown names as there are such
    things are let pass.
    """
    nameless = sum(
        check.is_unread(f"{section}[{i}].name") or not (isinstance(thing.name, str) and thing.name)
        for i, thing in enumerate(things)
    )
    unknown = {name for _, name in asked} - set(named)
    if check.is_unread(section) or len(unknown) <= nameless:
        return
    known = [name for name in named if name]
    there = f"there are: {quoted(known)}" if known else "there are none"
    for place, name in asked:
        if name in unknown:
            check.add(place, f"no {what} is named {shown(name)}; {there}")
