# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a Blender scene as a scene of the core: everything that `scene.footfall` names, at the first frame [m]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import bpy
import numpy as np

from ...core.array_types import Float64
from ...core.errors import GeometryError, SceneError
from ...core.scene import VEHICLE, Area, Hero, Scene
from ...core.scene.basics.terrain import Terrain
from ...core.simulation.world.environment import bounds_of
from ..blender_data.evaluation import (
    SLOWEST_KEYS,
    evaluation_scene,
    frames_per_second,
    key_frames_per_frame,
    metres_per_unit,
)
from ..blender_data.visibility import find_hidden, hidden_obstacles_notice
from ..settings.scene_settings import FootfallScene, settings_of
from ..settings.triggers import FootfallTrigger
from .covered_ends import check_ground_lies_under, check_routes_are_free, shorten_covered_ends
from .crowds import ReadCrowd, ReadCrowds, read_crowds, route_objects
from .edited_people import apply_edits
from .fingerprint import fingerprint
from .ground.draping import project_route
from .ground.floors import places_walked
from .ground.ground import GroundMesh
from .ground.ledges import along_route, bounds_on, closed_ledges, find_ledges, round_area
from .ground.sampling import GROUND_SAMPLING
from .ground.terrain import TerrainHeights, read_terrain
from .lives.stop_faults import Visited, awaited_by, check_stops, objects_of
from .lives.stops import ReadStops, read_stops
from .lives.triggers import check_triggers, gatherings_of, read_triggers
from .objects.areas import read_discs, read_place
from .objects.curves import read_lines
from .objects.findings import Findings, replace_names, with_object_names
from .objects.heroes import choose_heroes, read_heroes
from .objects.moving_obstacles import read_paths, unseen_motion
from .objects.read_shapes import ReadShapes
from .obstacles import ReadObstacles, SolidObstacle, choose_obstacles, read_obstacles
from .scene_objects import check_pointers, find_purposes
from .shapes.bodies import MeshShape, count_lost
from .shapes.meshes import read_bodies

Object = bpy.types.Object


@dataclass(frozen=True, eq=False)
class Sources:
    """The objects that parts of a scene were read from.

    Attributes:
        obstacles, walls, routes: the name of the object of each obstacle, wall and route of the scene.
        walked: float64 (N, 3), places where people walk; without a ground the nearest gives its height [m].
        solids: the obstacles as they are seen.
    """

    obstacles: tuple[str, ...] = ()
    walls: tuple[str, ...] = ()
    routes: tuple[str, ...] = ()
    walked: Float64 = field(default_factory=lambda: np.zeros((0, 3)))
    solids: tuple[SolidObstacle, ...] = ()


@dataclass(frozen=True, eq=False)
class Reading:
    """The content of a Blender scene, as read.

    Attributes:
        scene: of the core, valid.
        crowds: for each crowd of `scene` the crowd of the panel that it belongs to.
        ground: the ground; None: people keep to the height of their route.
        unit: metres per Blender unit.
        notices: sentences for the user.
        fingerprint: digest that changes when a bake would change.
        sources: the objects that it was read from.
    """

    scene: Scene
    crowds: tuple[ReadCrowd, ...]
    ground: GroundMesh | None
    unit: float
    notices: list[str]
    fingerprint: str
    sources: Sources = field(default_factory=Sources)

    def with_object_names(self, text: str) -> str:
        """Return a sentence of the core about this scene with the names of the user's objects."""
        parts, sources = (*self.scene.obstacles, *self.scene.routes), (*self.sources.obstacles, *self.sources.routes)
        names = {each.name: source for each, source in zip(parts, sources, strict=True)}
        return replace_names(text, names, self.sources.walls)


def read_scene(scene: bpy.types.Scene, heights: TerrainHeights | None = None) -> Reading:
    """Read everything that a scene's settings name.

    The scene is not changed: neither its frame, nor selection, visibility, or values that are not keyed.

    Args:
        scene: any scene; it need not be the active one.
        heights: heights of the ground kept from earlier readings; None: they are computed.

    Returns:
        The reading.

    Raises:
        SceneError: with every fault, each with the name of its object or crowd.
        FootfallError: pyclipper is missing.
    """
    settings, findings, unit = settings_of(scene), Findings(), metres_per_unit(scene)
    if scene.frame_end < scene.frame_start:
        findings.fault(
            "", (f"the end frame of the scene ({scene.frame_end}) lies before the start frame ({scene.frame_start}).")
        )
    if key_frames_per_frame(scene) < SLOWEST_KEYS:
        findings.fault("", f"its Time Remapping slows keys more than {1 / SLOWEST_KEYS:.0f} times: lower New.")
    named = check_pointers(scene, settings, findings)
    chosen = choose_obstacles(settings.obstacles, find_purposes(settings), findings)
    heroes = choose_heroes(settings.heroes, findings)
    for source in [*chosen, *heroes]:
        mover = unseen_motion(source, scene)
        if mover:
            findings.notice(f"'{source.name}' is moved by {mover}, which Footfall cannot read: bake it to keyframes.")
    parts = [part for body in heroes.values() for part in body]
    sound = check_stops(scene, settings.crowds, findings)
    sound += gatherings_of(triggers := check_triggers(scene, settings, findings))
    shapes = _read_shapes(scene, settings, named, sound, triggers, [*chosen, *parts], findings)
    stops = read_stops(scene, settings.crowds, sound, _watched(triggers), shapes, scene.frame_start, unit, findings)
    ground = _make_ground(settings.ground, shapes, findings)
    crowds = read_crowds(settings.crowds, shapes.lines, shapes.places, stops, findings)
    _add_triggers(scene, triggers, shapes, stops, crowds, findings)
    walked = places_walked(crowds.routes, _middles(settings, shapes))
    obstacles = read_obstacles(
        {source: shapes.bodies[source] for source in chosen if source in shapes.bodies},
        shapes.paths,
        ground,
        walked,
        settings.head_height,
        findings,
    )
    bounds = _add_bounds(settings.bounds, shapes, obstacles)
    _note_hidden(scene, settings, chosen, obstacles, findings)
    check_routes_are_free(crowds, obstacles.obstacles, findings)
    findings.raise_faults()
    shorten_covered_ends(crowds, obstacles, findings)
    frames = range(scene.frame_start, scene.frame_end + 1)
    found = read_heroes(heroes, shapes.bodies, shapes.paths, frames, findings)
    found += apply_edits(scene, crowds, frames, unit, findings)
    if ground is not None:
        check_ground_lies_under(crowds, ground, settings.ground.name, findings)
        crowds.routes[:] = [project_route(ground, route) for route in crowds.routes]
    heights = TerrainHeights() if heights is None else heights
    terrain = read_terrain(ground, crowds.crowds, crowds.areas, bounds, heights) if ground is not None else None
    if terrain is not None and terrain.cell > GROUND_SAMPLING.coarse_cell:
        findings.notice(
            f"'{settings.ground.name}' is so large that people without a curve read slopes only every "
            f"{terrain.cell:.1f} m: stairs and short ramps are smoothed. Smaller bounds make this finer."
        )
    core = _make_scene(scene, settings, bounds, crowds, obstacles, found, _crossings(settings, shapes), terrain)
    if ground is not None:
        core = _with_ledges(core, ground, settings, walked, obstacles)
    return Reading(
        scene=core,
        crowds=tuple(crowds.read),
        ground=ground,
        unit=unit,
        notices=findings.notices,
        fingerprint=fingerprint(
            core, settings.crowds, None if ground is None else ground.corners, unit, key_frames_per_frame(scene)
        ),
        sources=Sources(
            tuple(obstacles.obstacle_sources),
            tuple(obstacles.wall_sources),
            tuple(crowds.route_sources),
            walked,
            tuple(obstacles.solids),
        ),
    )


def _read_shapes(
    scene: bpy.types.Scene,
    settings: FootfallScene,
    named: set[Object],
    stops: list[Visited],
    triggers: list[FootfallTrigger],
    solid_objects: list[Object],
    findings: Findings,
) -> ReadShapes:
    unit, frame = metres_per_unit(scene), scene.frame_start
    routes = [crowd.route for crowd in settings.crowds if crowd.has_curve and crowd.route in named]
    crossings = settings.crossings.all_objects if settings.crossings else ()
    marks = [mark for crowd in settings.crowds if not crowd.has_curve for mark in route_objects(crowd).values()]
    places = [place for place in dict.fromkeys([*marks, settings.bounds, *crossings]) if place in named]
    of_lives, needed = findings.of_lives(), {*solid_objects, *routes, *places, settings.ground}
    needed |= {each for crowd in settings.crowds if crowd.is_there for each in objects_of(crowd.presence)}

    def findings_of(source: Object) -> Findings:
        return findings if source in needed else of_lives

    zones = dict.fromkeys(each for trigger in triggers for each in trigger.areas)
    places += [place for place in zones if place not in places]
    stop_objects = dict.fromkeys(each for stop in stops for each in objects_of(stop))
    plans = dict.fromkeys(each for stop in stops if not stop.takes_points for each in objects_of(stop))
    places += [place for place in plans if place.type == "MESH" and place not in places]
    stop_curves = [place for place in stop_objects if place.type == "CURVE"]
    curves = [place for place in places if place.type == "CURVE"]
    points = [place for place in places if place.type == "EMPTY" and not place.is_instancer]
    ground = [settings.ground] if settings.ground in named else []
    lines = {}
    for some in (findings, of_lives):
        own = [each for each in (*routes, *curves, *stop_curves) if findings_of(each) is some]
        lines |= read_lines(scene, own, frame, unit, some) if own else {}
    solid = dict.fromkeys([*solid_objects, *ground, *(p for p in places if p not in {*curves, *points})])
    with evaluation_scene(scene) as evaluation:
        read, disabled = read_bodies(evaluation, solid, frame, unit)
    for source in disabled:
        findings_of(source).hidden_by_animation(source, frame)
    bodies = {source: body for source, body in read.items() if _is_finite(source, body, findings_of(source))}
    bodies |= read_discs(scene, points, frame, unit)
    shapes = {place: read_place(place, lines, bodies, findings_of(place)) for place in places}
    awaited = [*filter(None, map(awaited_by, stops)), *_watched(triggers)]
    moving = dict.fromkeys([*solid_objects, *ground, *awaited])
    paths = read_paths(scene, moving, range(frame, scene.frame_end + 1), unit)
    return ReadShapes(lines, bodies, {place: shape for place, shape in shapes.items() if shape is not None}, paths)


def _watched(triggers: Sequence[FootfallTrigger]) -> list[Object]:
    return [each for trigger in triggers for each in trigger.watched]


def _add_triggers(
    scene: bpy.types.Scene,
    triggers: list[FootfallTrigger],
    shapes: ReadShapes,
    stops: ReadStops,
    crowds: ReadCrowds,
    findings: Findings,
) -> None:
    """Add triggers to what was read of crowds, and their areas."""
    names: dict[str, list[str]] = {}
    for read in crowds.read:
        names.setdefault(settings_of(scene).crowds[read.index].name, []).append(read.name)
    areas = list(zip(crowds.areas, crowds.area_sources, strict=True))
    crowds.triggers += read_triggers(
        scene, triggers, shapes.places, stops.marks, stops.place_of, names, areas, findings
    )
    crowds.areas[:], crowds.area_sources[:] = [area for area, _ in areas], [source for _, source in areas]


def _is_finite(source: Object, body: MeshShape, findings: Findings) -> bool:
    lost = count_lost(body.points)
    if lost:
        findings.fault(
            source.name,
            f"{lost} of its {len(body.points)} points are not finite numbers (NaN or infinite) or very far "
            "away: delete them, or find the modifier or the scale that causes them.",
        )
    return not lost


def _make_ground(source: Object | None, shapes: ReadShapes, findings: Findings) -> GroundMesh | None:
    if source is None or source not in shapes.bodies:
        return None
    if source in shapes.paths:
        findings.notice(f"'{source.name}' is the ground and moves; Footfall uses it as it is at the first frame.")
    try:
        return GroundMesh(shapes.bodies[source].points, shapes.bodies[source].triangles)
    except GeometryError as error:
        findings.fault(source.name, f"cannot be the ground: {error}.")
        return None


def _with_ledges(
    core: Scene, ground: GroundMesh, settings: FootfallScene, walked: Float64, obstacles: ReadObstacles
) -> Scene:
    """Return a scene with the ledges of its ground as walls, within bounds that end with the ground."""
    roads = {crowd.route for crowd in core.crowds if crowd.kind == VEHICLE}
    marked = {name for crowd in core.crowds for name in (crowd.start, crowd.goal)}
    widths = [2.0 * each.lanes * each.lane_width if each.name in roads else each.width for each in core.routes]
    passages = [along_route(each, 0.5 * width) for each, width in zip(core.routes, widths, strict=True)]
    areas = [area for area in core.areas if area.name in marked]
    passages += [round_area(area) for area in areas]
    places = np.concatenate([walked[:, :2], *(area.outline for area in areas)])
    bounds = bounds_of(core)
    cut = bounds_on(ground, bounds, places) if core.bounds is None else core.bounds
    ledges = find_ledges(ground, walked, settings.head_height, bounds if cut is None else cut)
    obstacles.add_walls(settings.ground.name, closed_ledges(ledges, passages))
    return replace(core, walls=tuple(obstacles.walls), bounds=cut)


def _middles(settings: FootfallScene, shapes: ReadShapes) -> Float64:
    """Return the middle of each start and goal that has a shape: float64 (P, 3) [m]."""
    marks = [mark for crowd in settings.crowds for mark in route_objects(crowd).values() if mark in shapes.places]
    middles = [shapes.bodies[mark].points.mean(axis=0) for mark in marks if mark in shapes.bodies]
    return np.array(middles).reshape(-1, 3)


def _note_hidden(
    scene: bpy.types.Scene,
    settings: FootfallScene,
    chosen: list[Object],
    obstacles: ReadObstacles,
    findings: Findings,
) -> None:
    used = {*obstacles.obstacle_sources, *obstacles.wall_sources}
    hidden = find_hidden(scene, [source for source in chosen if source.name in used])
    if hidden:
        findings.notice(hidden_obstacles_notice(hidden, settings.obstacles))


def _add_bounds(source: Object | None, shapes: ReadShapes, obstacles: ReadObstacles) -> Float64 | None:
    """Return the outline of the bounds; their holes are added as obstacles."""
    if source is None or source not in shapes.places:
        return None
    outline, holes = shapes.places[source]
    for hole in holes:
        obstacles.add(source.name, hole[::-1])
    return outline


def _crossings(settings: FootfallScene, shapes: ReadShapes) -> tuple[Area, ...]:
    """Return the crossings, where vehicles stop for people, in the order of their names."""
    marks = sorted(settings.crossings.all_objects, key=lambda mark: mark.name) if settings.crossings else []
    return tuple(Area(mark.name, shapes.places[mark][0]) for mark in marks if mark in shapes.places)


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
        "places": crowds.place_sources,
        "marks": [mark.name for mark in crowds.marks],
        "triggers": [trigger.name for trigger in crowds.triggers],
        "crossings": [crossing.name for crossing in crossings],
        "crowds": [settings.crowds[read.index].name for read in crowds.read],
        "bounds": [settings.bounds.name] if settings.bounds else [],
        "heroes": [hero.name for hero in heroes],
    }
    try:
        return Scene(
            fps=frames_per_second(scene),
            frames=(scene.frame_start, scene.frame_end),
            seed=settings.seed,
            bounds=bounds,
            obstacles=tuple(obstacles.obstacles),
            walls=tuple(obstacles.walls),
            routes=tuple(crowds.routes),
            areas=tuple(crowds.areas),
            places=tuple(crowds.places),
            marks=tuple(crowds.marks),
            triggers=tuple(crowds.triggers),
            crowds=tuple(crowds.crowds),
            heroes=tuple(heroes),
            crossings=crossings,
            keep_left=settings.keep_left,
            terrain=terrain,
        )
    except SceneError as error:
        raise with_object_names(error, names) from error
