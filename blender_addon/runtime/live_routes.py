# SPDX-License-Identifier: GPL-3.0-or-later
"""Routes during a drag: everybody's drawn route follows the obstacle or the curve that is dragged.

A handler only notes which objects have moved; a timer reads them as Blender has just evaluated them, corrects the map
in place, and updates as many routes as fit into a slice. What moves meanwhile is read at the next slice, so that the
newest state wins. Nothing is done during playback, rendering or a bake, and nothing is written to the file.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

import bpy
import numpy as np

from ...core.array_types import Float64
from ...core.errors import FootfallError
from ...core.geometry.segments import lengths_along
from ...core.inspection.live_routes import LiveWays, journeys_of
from ...core.planning import ReferencePath
from ...core.scene import VEHICLE, Route
from ...core.simulation.population.drawn_routes import closeness_of, corners_of
from ...core.simulation.world.environment import bounds_of
from ..blender_data.handlers import Handlers, when_replaced
from ..blender_data.redraw import redraw_views
from ..reading import Reading
from ..reading.objects.findings import Findings
from ..reading.obstacles import read_obstacles
from ..reading.shapes.meshes import read_shape
from ..settings.scene_settings import settings_of
from . import running_bake
from .pacing import PACING

Thing = tuple[Any, bool]

_SAME_SHIFT = 1e-5  # [m]: points of a curve that was only moved have shifts equal to this, as Blender stores float32


class LiveRoutes:
    """Everybody's routes in one scene, and the reference paths of its curves, up to date.

    Args:
        reading: of the scene.

    Attributes:
        reading: the last one that was used.
        lines: float64 (P, 3) each, the reference path of each route [m].

    Raises:
        FootfallError: see `LiveWays`.
    """

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.people = LiveWays(reading.scene)
        self._numbers: dict[str, list[int]] = {}
        still = [number for number, each in enumerate(reading.scene.obstacles) if each.motion is None]
        self._looks = _looks_of(reading)
        for place, number in enumerate(still):
            self._numbers.setdefault(reading.sources.obstacles[number], []).append(place)
        for place, name in enumerate(reading.sources.walls, start=len(still)):
            self._numbers.setdefault(name, []).append(place)
        self._moving = {
            name
            for name, each in zip(reading.sources.obstacles, reading.scene.obstacles, strict=True)
            if each.motion is not None
        }
        self._version = 0
        self._make_paths()

    @property
    def version(self) -> tuple[int, int]:
        """Changes with everything that is drawn."""
        return self._version, self.people.version

    def takes_up(self, reading: Reading) -> bool:
        """Continue with a later reading if it equals what is shown."""
        before, now = self.people.journeys, journeys_of(reading.scene)
        alike = [np.array_equal(getattr(before, each.name), getattr(now, each.name)) for each in fields(before)]
        shown = {name: look for name, look in self._looks.items() if look}
        if not all(alike) or shown != _looks_of(reading) or self.reading.sources.routes != reading.sources.routes:
            return False
        if not np.array_equal(bounds_of(self.reading.scene), bounds_of(reading.scene)):
            return False
        self.reading = reading
        self._make_paths()
        self._version += 1
        return True

    def follow(self, source: bpy.types.Object, graph: bpy.types.Depsgraph, head_height: float) -> None:
        """Update an object as Blender has evaluated it.

        Args:
            source: a static obstacle, or the curve of a route; scans and others wait for the next reading.
            graph: in which it is evaluated.
            head_height: obstacles higher above the ground are ignored [m].

        Raises:
            FootfallError: nothing would be free.
        """
        if source.name in self.reading.sources.routes:
            self._follow_curve(source, graph)
        elif source.name not in self._moving:
            self._follow_obstacle(source, graph, head_height)

    def _follow_obstacle(self, source: bpy.types.Object, graph: bpy.types.Depsgraph, head_height: float) -> None:
        evaluated: Any = source.evaluated_get(graph)
        if isinstance(evaluated.data, bpy.types.Mesh) and len(evaluated.data.vertices) > PACING.quick_vertices:
            return  # a scan, whose outline takes seconds: at the next reading
        body = read_shape(evaluated).moved(np.array(evaluated.matrix_world, dtype=np.float64), self.reading.unit)
        walked = self.reading.sources.walked
        read = read_obstacles({source: body}, {}, self.reading.ground, walked, head_height, Findings())
        things: list[Thing] = [((each.outline, each.holes), True) for each in read.obstacles]
        things += [(wall, False) for wall in read.walls]
        look = tuple(map(_look, things))
        if self._looks.get(source.name, ()) != look:
            self._looks[source.name] = look
            self._numbers[source.name] = self.people.put(self._numbers.get(source.name, []), things)

    def _follow_curve(self, source: bpy.types.Object, graph: bpy.types.Depsgraph) -> None:
        evaluated: Any = source.evaluated_get(graph)
        body = read_shape(evaluated).moved(np.array(evaluated.matrix_world, dtype=np.float64), self.reading.unit)
        places = [number for number, name in enumerate(self.reading.sources.routes) if name == source.name]
        breaks = np.flatnonzero(np.diff(body.edges[:, 0]) != 1) + 1 if len(body.edges) else np.empty(0, dtype=np.int64)
        lines = [body.points[np.append(run[:, 0], run[-1, 1])] for run in np.split(body.edges, breaks) if len(run)]
        if len(body.triangles) or len(lines) != len(places):
            return  # a thick curve, or a changed number of splines: at the next reading
        for number, line in zip(places, lines, strict=True):
            self.lines[number] = self._path_of(number, line)
        self._search_bypasses(places)
        self._version += 1

    def _make_paths(self) -> None:
        """Make the paths of all routes as they were read."""
        routes = self.reading.scene.routes
        self._laid = [(route.points, self._reference(route, route.points)) for route in routes]
        self.lines = [path for _, path in self._laid]
        self._search_bypasses(range(len(routes)))

    def _path_of(self, number: int, line: Float64) -> Float64:
        """The path of a curve that was edited; where the curve was only moved, its path is moved along."""
        points, path = self._laid[number]
        if len(line) == len(points) and np.ptp(line - points, axis=0).max() < _SAME_SHIFT:
            return path + (line[0] - points[0])
        path = self._reference(self.reading.scene.routes[number], line)
        self._laid[number] = line, path
        return path

    def _reference(self, route: Route, points: Float64) -> Float64:
        """The path that people plan along, float64 (P, 3) [m], at the height of the curve."""
        corners = corners_of(closeness_of(self.reading.scene.crowds, route), route.width)
        path = ReferencePath.from_points(points, route.closed, settings=corners)
        s = np.linspace(0.0, path.length, max(2, int(path.length / PACING.path_spacing) + 1))
        along = lengths_along(points[:, :2])
        height = np.interp(s / max(path.length, 1e-9) * along[-1], along, points[:, 2])
        return np.column_stack([path.to_cartesian(s, np.zeros(len(s))), height])

    def _search_bypasses(self, numbers: Iterable[int]) -> None:
        """Search bypasses of the obstacles on some of the routes, where people follow them."""
        scene = self.reading.scene
        for number in numbers:
            route = scene.routes[number]
            followed = [crowd for crowd in scene.crowds if crowd.route == route.name and crowd.kind != VEHICLE]
            if followed:
                radius = max(crowd.radius[1] for crowd in followed)
                self.people.past.follow(number, self.lines[number], radius, closed=route.closed)
            else:
                self.people.past.leave(number)


def _looks_of(reading: Reading) -> dict[str, tuple[bytes, ...]]:
    """The shapes of the static obstacles and walls of each object, to be compared."""
    looks: dict[str, tuple[bytes, ...]] = {}
    for name, each in zip(reading.sources.obstacles, reading.scene.obstacles, strict=True):
        if each.motion is None:
            looks[name] = (*looks.get(name, ()), _look(((each.outline, each.holes), True)))
    for name, wall in zip(reading.sources.walls, reading.scene.walls, strict=True):
        looks[name] = (*looks.get(name, ()), _look((wall, False)))
    return looks


def _look(thing: Thing) -> bytes:
    what, closed = thing
    return np.concatenate([what[0], *what[1]] if closed else [what]).tobytes()


_live: dict[int, LiveRoutes] = {}
_moved: dict[int, set[int]] = {}


def routes_of(scene: bpy.types.Scene, reading: Reading) -> LiveRoutes:
    """The routes of a scene, to be drawn; made from a reading and updated since.

    Raises:
        FootfallError: see `LiveWays`.
    """
    known = _live.get(scene.session_uid)
    if known is None or (known.reading is not reading and not known.takes_up(reading)):
        known = _live[scene.session_uid] = LiveRoutes(reading)
    _go_on()
    return known


def version_of(scene: bpy.types.Scene) -> tuple[int, int] | None:
    """Changes whenever the routes of a scene are to be drawn again."""
    known = _live.get(scene.session_uid)
    return None if known is None else known.version


def work(scene: bpy.types.Scene, graph: bpy.types.Depsgraph) -> bool:
    """Update what has moved, and people's routes for a slice.

    Returns:
        Whether all is up to date.
    """
    live = _live.get(scene.session_uid)
    if live is None:
        return True
    begin = time.perf_counter()
    moved = _moved.pop(scene.session_uid, set())
    for source in [each for each in scene.objects if each.session_uid in moved]:
        live.follow(source, graph, settings_of(scene).head_height)
    return live.people.work(max(PACING.route_slice - (time.perf_counter() - begin), 0.5 * PACING.route_slice))


def _go_on() -> None:
    if not (bpy.app.background or bpy.app.timers.is_registered(_slice)):
        bpy.app.timers.register(_slice, first_interval=0.0)


def _slice() -> float | None:
    """Work for each scene that shows routes; returns the time to wait [s], None when done."""
    if _is_busy():
        return 0.5
    done = True
    for scene in {window.scene for window in bpy.context.window_manager.windows}:
        if not settings_of(scene).overlays.routes:
            _live.pop(scene.session_uid, None)
            _moved.pop(scene.session_uid, None)
            continue
        layers = [window.view_layer for window in bpy.context.window_manager.windows if window.scene == scene]
        graph: Any = layers[0].depsgraph
        try:
            done = work(scene, graph) and done
        except FootfallError:
            _live.pop(scene.session_uid, None)  # the overlay says why when it is drawn next
    redraw_views()
    return None if done else 0.0


def _is_busy() -> bool:
    """A bake, a playback or a render is running."""
    playing = any(window.screen.is_animation_playing for window in bpy.context.window_manager.windows)
    return playing or running_bake.running() is not None or bpy.app.is_job_running("RENDER")


def _on_update(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Something was moved or edited: note it, if routes are shown."""
    live = _live.get(scene.session_uid)
    if live is None:
        return
    marked = settings_of(scene).obstacles
    for update in depsgraph.updates:
        block = update.id.original
        if not isinstance(block, bpy.types.Object) or not (update.is_updated_transform or update.is_updated_geometry):
            continue
        if block.name in live.reading.sources.routes or (marked is not None and block.name in marked.all_objects):
            _moved.setdefault(scene.session_uid, set()).add(block.session_uid)
            _go_on()


def _on_another_file(*_: object) -> None:
    _live.clear()
    _moved.clear()


_HANDLERS = Handlers(
    ("depsgraph_update_post", _on_update),
    *when_replaced(_on_another_file),
)


def attach() -> None:
    """Start listening."""
    _HANDLERS.attach()


def detach() -> None:
    """Stop listening and forget all routes."""
    _HANDLERS.detach()
    if bpy.app.timers.is_registered(_slice):
        bpy.app.timers.unregister(_slice)
    _on_another_file()
