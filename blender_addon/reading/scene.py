# SPDX-License-Identifier: GPL-3.0-or-later
"""A Blender scene as a scene of the core: everything that `scene.footfall` names, at the first frame, in metres."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.errors import GeometryError, SceneError
from ...core.geometry.polygons import Shape
from ...core.geometry.segments import in_shape
from ...core.scene import Area, Hero, Obstacle, Scene
from ...core.scene.terrain import Terrain
from ..blender_data.evaluation import metres_per_unit, reading_room
from ..blender_data.visibility import hidden_but_in_the_way, unseen
from ..settings.scene_settings import FootfallScene, settings_of
from .areas import read_discs, read_place
from .covered_ends import along, shorten_covered_ends
from .crowds import ReadCrowd, ReadCrowds, read_crowds, ways_of
from .curves import Line, read_lines
from .edited_people import apply_edits
from .findings import Findings, by_the_objects_names, in_the_users_words
from .fingerprint import fingerprint
from .ground.draping import lay_on
from .ground.ground import GroundMesh
from .ground.ground_check import check_ground_lies_under
from .ground.terrain import COARSE, terrain_under
from .heroes import choose_heroes, read_heroes
from .moving_obstacles import Path, read_paths, unseen_motion
from .obstacles import ReadObstacles, choose_obstacles, read_obstacles
from .scene_objects import check_pointers, find_purposes
from .shapes.bodies import MeshShape
from .shapes.meshes import read_bodies

Float64 = NDArray[np.float64]
Object = bpy.types.Object

_APART = 0.25  # [m] between places where a route is looked at whose points all lie in obstacles


@dataclass(frozen=True, eq=False)
class Sources:
    """What of a scene comes from where.

    Attributes:
        obstacles, walls, routes: names of objects, for each of those of the scene.
        levels: float64 (P, 3), places where people walk; without a ground the nearest says how high it is [m].
    """

    obstacles: tuple[str, ...] = ()
    walls: tuple[str, ...] = ()
    routes: tuple[str, ...] = ()
    levels: Float64 = field(default_factory=lambda: np.zeros((0, 3)))


@dataclass(frozen=True, eq=False)
class Reading:
    """What a Blender scene asks for.

    Attributes:
        scene: of the core, valid.
        crowds: for each crowd of `scene` the crowd of the panel that it belongs to.
        ground: what people stand on, or None: they keep to the height of their route.
        unit: metres per Blender unit.
        notices: sentences for the user.
        fingerprint: the same as long as a bake would be the same.
        sources: which objects it was read from.
    """

    scene: Scene
    crowds: tuple[ReadCrowd, ...]
    ground: GroundMesh | None
    unit: float
    notices: list[str]
    fingerprint: str
    sources: Sources = field(default_factory=Sources)

    def in_the_users_words(self, text: str) -> str:
        """A sentence of the core about this scene, by the names of the user's objects."""
        things, sources = (*self.scene.obstacles, *self.scene.routes), (*self.sources.obstacles, *self.sources.routes)
        names = {each.name: source for each, source in zip(things, sources, strict=True)}
        return by_the_objects_names(text, names, self.sources.walls)


@dataclass(frozen=True)
class _Shapes:
    """Everything that was read from objects, in the world, in metres."""

    lines: dict[Object, list[Line]]
    bodies: dict[Object, MeshShape]
    places: dict[Object, Shape]
    paths: dict[Object, Path]


def read_scene(scene: bpy.types.Scene) -> Reading:
    """All that a scene's settings name, as the core wants it.

    The scene itself is not touched: neither its frame, nor what is selected, hidden, or moved but not keyed.

    Args:
        scene: any scene; it need not be the one that is shown.

    Returns:
        The reading.

    Raises:
        SceneError: with every fault, each with the name of the object or crowd at fault.
        FootfallError: pyclipper is missing.
    """
    settings, findings, unit = settings_of(scene), Findings(), metres_per_unit(scene)
    if scene.frame_end < scene.frame_start:
        findings.fault("", f"the scene ends at frame {scene.frame_end}, before it begins at {scene.frame_start}.")
    named = check_pointers(scene, settings, findings)
    standing = choose_obstacles(settings.obstacles, find_purposes(settings), findings)
    heroes = choose_heroes(settings.heroes, findings)
    for source in [*standing, *heroes]:
        mover = unseen_motion(source, scene)
        if mover:
            findings.notice(f"'{source.name}' is moved by {mover}, which Footfall does not see: bake it to keyframes.")
    parts = [part for body in heroes.values() for part in body]
    shapes = _read_shapes(scene, settings, named, [*standing, *parts], findings)
    ground = _make_ground(settings.ground, shapes, findings)
    crowds = read_crowds(settings.crowds, shapes.lines, shapes.places, findings)
    levels = _levels(crowds, settings, shapes)
    obstacles = read_obstacles(
        {source: shapes.bodies[source] for source in standing if source in shapes.bodies},
        shapes.paths,
        ground,
        levels,
        settings.head_height,
        findings,
    )
    _tell_of_hidden(scene, settings, standing, obstacles, findings)
    bounds = _add_bounds(settings.bounds, shapes, obstacles)
    _check_routes_are_free(crowds, obstacles.obstacles, findings)
    findings.raise_faults()
    shorten_covered_ends(crowds, obstacles, findings)
    if ground is not None:
        check_ground_lies_under(crowds, ground, settings.ground.name, findings)
    frames = range(scene.frame_start, scene.frame_end + 1)
    found = read_heroes(heroes, shapes.bodies, shapes.paths, frames, findings)
    found += apply_edits(scene, crowds, frames, unit, findings)
    if ground is not None:
        crowds.routes[:] = [lay_on(ground, route) for route in crowds.routes]
    terrain = terrain_under(ground, crowds.crowds, crowds.areas, bounds) if ground is not None else None
    if terrain is not None and terrain.cell > COARSE:
        findings.notice(
            f"'{settings.ground.name}' is so wide here that people without a curve feel slopes only every "
            f"{terrain.cell:.1f} m: stairs and short ramps are evened out, unless bounds make it smaller."
        )
    core = _make_scene(scene, settings, bounds, crowds, obstacles, found, _crossings(settings, shapes), terrain)
    return Reading(
        scene=core,
        crowds=tuple(crowds.read),
        ground=ground,
        unit=unit,
        notices=findings.notices,
        fingerprint=fingerprint(core, settings.crowds, None if ground is None else ground.corners, unit),
        sources=Sources(
            tuple(obstacles.obstacle_sources), tuple(obstacles.wall_sources), tuple(crowds.route_sources), levels
        ),
    )


def _read_shapes(
    scene: bpy.types.Scene, settings: FootfallScene, named: set[Object], standing: list[Object], findings: Findings
) -> _Shapes:
    unit, frame = metres_per_unit(scene), scene.frame_start
    routes = [crowd.route for crowd in settings.crowds if crowd.has_curve and crowd.route in named]
    crossings = settings.crossings.all_objects if settings.crossings else ()
    marks = [way for crowd in settings.crowds if not crowd.has_curve for way in ways_of(crowd).values()]
    places = [place for place in dict.fromkeys([*marks, settings.bounds, *crossings]) if place in named]
    curves = [place for place in places if place.type == "CURVE"]
    points = [place for place in places if place.type == "EMPTY" and not place.is_instancer]
    ground = [settings.ground] if settings.ground in named else []
    lines = read_lines(scene, [*routes, *curves], frame, unit, findings)
    solid = dict.fromkeys([*standing, *ground, *(p for p in places if p not in {*curves, *points})])
    with reading_room(scene) as room:
        bodies = read_bodies(room, solid, frame, unit, findings)
    bodies |= read_discs(scene, points, frame, unit)
    shapes = {place: read_place(place, lines, bodies, findings) for place in places}
    paths = read_paths(scene, [*standing, *ground], range(frame, scene.frame_end + 1), unit)
    return _Shapes(lines, bodies, {place: shape for place, shape in shapes.items() if shape is not None}, paths)


def _make_ground(source: Object | None, shapes: _Shapes, findings: Findings) -> GroundMesh | None:
    if source is None or source not in shapes.bodies:
        return None
    if source in shapes.paths:
        findings.notice(f"'{source.name}' is the ground and moves; Footfall keeps it where it is at the first frame.")
    try:
        return GroundMesh(shapes.bodies[source].points, shapes.bodies[source].triangles)
    except GeometryError as error:
        findings.fault(source.name, f"cannot be the ground: {error}.")
        return None


def _levels(crowds: ReadCrowds, settings: FootfallScene, shapes: _Shapes) -> Float64:
    """Places where people are to walk, with their height: float64 (P, 3) [m]."""
    marks = [way for crowd in settings.crowds for way in ways_of(crowd).values() if way in shapes.places]
    middles = [shapes.bodies[mark].points.mean(axis=0, keepdims=True) for mark in marks if mark in shapes.bodies]
    return np.concatenate([np.empty((0, 3)), *(route.points for route in crowds.routes), *middles])


def _tell_of_hidden(
    scene: bpy.types.Scene,
    settings: FootfallScene,
    standing: list[Object],
    obstacles: ReadObstacles,
    findings: Findings,
) -> None:
    in_the_way = {*obstacles.obstacle_sources, *obstacles.wall_sources}
    hidden = unseen(scene, [source for source in standing if source.name in in_the_way])
    if hidden:
        findings.notice(hidden_but_in_the_way(hidden, settings.obstacles))


def _add_bounds(source: Object | None, shapes: _Shapes, obstacles: ReadObstacles) -> Float64 | None:
    """The outline of the bounds; their holes are obstacles, as nobody may be in them."""
    if source is None or source not in shapes.places:
        return None
    outline, holes = shapes.places[source]
    for hole in holes:
        obstacles.add(source.name, hole[::-1])
    return outline


def _crossings(settings: FootfallScene, shapes: _Shapes) -> tuple[Area, ...]:
    """Marked places where vehicles stop for people, in the order of their names."""
    marks = sorted(settings.crossings.all_objects, key=lambda mark: mark.name) if settings.crossings else []
    return tuple(Area(mark.name, shapes.places[mark][0]) for mark in marks if mark in shapes.places)


def _check_routes_are_free(crowds: ReadCrowds, obstacles: list[Obstacle], findings: Findings) -> None:
    """Find routes on which there is no place to stand at all."""
    standing = [obstacle for obstacle in obstacles if obstacle.motion is None]
    for route, source in zip(crowds.routes, crowds.route_sources, strict=True):
        held = {obstacle.name: in_shape(obstacle.outline, obstacle.holes, route.points[:, :2]) for obstacle in standing}
        if held and np.any(list(held.values()), axis=0).all():  # it may be free between its points
            between = along(route.points, _APART)[:, :2]
            held = {obstacle.name: in_shape(obstacle.outline, obstacle.holes, between) for obstacle in standing}
        if held and np.any(list(held.values()), axis=0).all():
            most = max(held, key=lambda name: np.count_nonzero(held[name]))
            findings.fault(source, f"lies wholly inside the obstacle '{most}', so nobody can walk along it.")


def _make_scene(
    scene: bpy.types.Scene,
    settings: FootfallScene,
    bounds: Float64 | None,
    crowds: ReadCrowds,
    obstacles: ReadObstacles,
    heroes: list[Hero],
    crossings: tuple[Area, ...],
    terrain: Terrain | None,
) -> Scene:
    names: Mapping[str, list[str]] = {
        "obstacles": obstacles.obstacle_sources,
        "walls": obstacles.wall_sources,
        "routes": crowds.route_sources,
        "areas": crowds.area_sources,
        "crossings": [crossing.name for crossing in crossings],
        "crowds": [settings.crowds[read.index].name for read in crowds.read],
        "bounds": [settings.bounds.name] if settings.bounds else [],
        "heroes": [hero.name for hero in heroes],
    }
    try:
        return Scene(
            fps=scene.render.fps / scene.render.fps_base,
            frames=(scene.frame_start, scene.frame_end),
            seed=settings.seed,
            bounds=bounds,
            obstacles=tuple(obstacles.obstacles),
            walls=tuple(obstacles.walls),
            routes=tuple(crowds.routes),
            areas=tuple(crowds.areas),
            crowds=tuple(crowds.crowds),
            heroes=tuple(heroes),
            crossings=crossings,
            keep_left=settings.keep_left,
            terrain=terrain,
        )
    except SceneError as error:
        raise in_the_users_words(error, names) from error
