# SPDX-License-Identifier: GPL-3.0-or-later
"""Obstacles: the outlines of objects between the ground and head height."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import bpy
import numpy as np

from ...core.array_types import Float64, Int64
from ...core.geometry import polygons
from ...core.geometry.reproducible_math import length
from ...core.geometry.segments import in_shape
from ...core.scene import Motion, Obstacle
from .ground.floors import is_floor
from .ground.ground import GroundMesh
from .objects.findings import Findings, Names
from .objects.moving_obstacles import Path, to_own_axes
from .shapes.bodies import MeshShape, join
from .shapes.footprints import Lines, find_footprints_with
from .shapes.slab import make_surface
from .shapes.walls import edge_segments, open_bodies, trace_walls, vertical_segments

_NO_SIZE_TOLERANCE = 1e-6  # [m]
_BODIES = frozenset({"MESH", "CURVE", "SURFACE", "FONT", "META"})
_UNREADABLE = frozenset({"CURVES", "POINTCLOUD", "VOLUME", "GREASEPENCIL", "GPENCIL"})


@dataclass(frozen=True)
class FootprintSettings:
    """How the footprints of obstacles are taken; all chosen by trial on the example scenes.

    Attributes:
        below_ground: the slab of heights that counts begins this far below the ground [m]: a plane that lies on the
            ground, or slightly in it, is an obstacle.
        above_floor: of a body that is floor too, parts from this height on count [m].
        wall_half_thickness: of a moving wall [m], as only outlines can move.
        most_triangles: of an object, beyond which a notice says how to have fewer; chosen: some 10 s, 1 GB.
        most_rise: change of height above the ground beyond which a moving obstacle is reported [m].
    """

    below_ground: float = 0.05
    above_floor: float = 0.06
    wall_half_thickness: float = 0.01
    most_triangles: int = 1_000_000
    most_rise: float = 0.1


_SETTINGS = FootprintSettings()


@dataclass(frozen=True, eq=False)
class SolidObstacle:
    """An object that is an obstacle, as it is seen; in its own axes where it moves, else in the world.

    Attributes:
        shapes: outlines with their holes [m].
        walls: float64 (W, 2) each [m].
        points: float64 (V, 3), of its mesh [m].
        triangles: int64 (T, 3), without those that lie on the floor.
        motion: how it moves, or None.
    """

    shapes: Sequence[polygons.Shape]
    walls: Sequence[Float64]
    points: Float64
    triangles: Int64
    motion: Motion | None


@dataclass
class ReadObstacles:
    """Obstacles of the core, and the object of each.

    Attributes:
        obstacles: outlines, static and moving.
        walls: float64 (W, 2) each [m], static lines.
        obstacle_sources, wall_sources: the name of the object that each was read from.
        solids: the objects as they are seen.
    """

    obstacles: list[Obstacle] = field(default_factory=list)
    walls: list[Float64] = field(default_factory=list)
    obstacle_sources: list[str] = field(default_factory=list)
    wall_sources: list[str] = field(default_factory=list)
    solids: list[SolidObstacle] = field(default_factory=list)
    _names: Names = field(default_factory=Names)

    def add(self, source: str, outline: Float64, holes: tuple[Float64, ...] = (), motion: Motion | None = None) -> None:
        """Add an outline of an object.

        Args:
            source: name of the object; further outlines of it are numbered.
            outline: float64 (V, 2) [m].
            holes: float64 (V, 2) each [m].
            motion: of the obstacle, whose outline is then in its own axes.
        """
        self.obstacles.append(Obstacle(self._names.give(source), outline, holes, motion))
        self.obstacle_sources.append(source)

    def add_walls(self, source: str, walls: Sequence[Float64]) -> None:
        """Add lines, float64 (W, 2) each [m], of an object."""
        self.walls += walls
        self.wall_sources += [source] * len(walls)


def choose_obstacles(
    collection: bpy.types.Collection | None, other_purposes: Mapping[bpy.types.Object, str], findings: Findings
) -> list[bpy.types.Object]:
    """Find the objects of a collection and its child collections that can be obstacles.

    Args:
        collection: the obstacles' collection, or None.
        other_purposes: objects with another purpose, each with a word for it; these are left out.
        findings: collects notices about objects that are left out.

    Returns:
        Each object once.
    """
    if collection is None:
        return []
    chosen = []
    for source in dict.fromkeys(collection.all_objects):
        if source in other_purposes:
            findings.notice(f"'{source.name}' is {other_purposes[source]}, so it does not count as an obstacle.")
        elif source.type in _UNREADABLE:
            findings.notice(
                f"'{source.name}' cannot be an obstacle: Blender cannot convert this type of object to a mesh."
            )
        elif source.type in _BODIES or source.is_instancer:
            chosen.append(source)
    if not chosen and len(collection.all_objects):  # an empty collection needs no notice
        findings.notice(f"The collection '{collection.name}' contains no object that can be an obstacle.")
    return chosen


def read_obstacles(
    bodies: Mapping[bpy.types.Object, MeshShape],
    paths: Mapping[bpy.types.Object, Path],
    ground: GroundMesh | None,
    walked: Float64,
    head_height: float,
    findings: Findings,
) -> ReadObstacles:
    """Read the outlines and walls of objects.

    Args:
        bodies: the shape of each object at the first frame, in the world [m].
        paths: the motion of those that move.
        ground: the ground, or None.
        walked: float64 (N, 3), places where people walk [m]: what lies flat there is floor, and without a ground the
            nearest gives its height.
        head_height: parts higher above the ground are no obstacle [m].
        findings: collects notices.

    Returns:
        Obstacles and walls in the order of the objects.

    Raises:
        FootfallError: pyclipper is missing.
    """
    sound = {source: body for source, body in bodies.items() if _has_substance(source, body, findings)}
    read = ReadObstacles(_names=Names(source.name for source in sound))
    if not sound:
        return read
    heights = _heights(sound, ground, walked)
    plans, floors = _plans_and_floors(sound, paths, heights, walked[:, :2], head_height)
    _note_floors(plans, floors, findings)
    for source, body in sound.items():
        shapes, walls = plans[source]
        if not shapes and not walls and source not in floors:
            findings.notice(_why_no_obstacle(source.name, body, head_height))
        if len(body.triangles) > _SETTINGS.most_triangles:
            findings.notice(_too_fine(source.name, len(body.triangles)))
        path = paths.get(source)
        is_seen = not source.hide_render
        if path is not None:
            is_seen &= _follows(source.name, path, ground, findings)  # else it is seen where it is not known
        solid = _solid(body, heights[source], (shapes, walls), None if path is None else path.motion)
        read.add_walls(source.name, solid.walls)
        for outline, holes in solid.shapes:
            read.add(source.name, outline, holes, solid.motion)
        if is_seen and (solid.shapes or solid.walls):
            read.solids.append(solid)
    return read


def _solid(
    body: MeshShape, ground: Float64, plan: tuple[list[polygons.Shape], list[Float64]], motion: Motion | None
) -> SolidObstacle:
    """Return an object as it is seen, of its mesh, the height of the ground under each point, and its plan."""
    above = (body.points[:, 2] - ground > _SETTINGS.above_floor)[body.triangles].any(axis=1)
    triangles = body.triangles[above]
    if motion is None:
        return SolidObstacle(*plan, body.points, triangles, None)
    shapes = [
        (to_own_axes(outline, motion), tuple(to_own_axes(hole, motion) for hole in holes))
        for outline, holes in _thicken(*plan)
    ]
    points = np.concatenate([to_own_axes(body.points[:, :2], motion), body.points[:, 2:]], axis=1)
    return SolidObstacle(shapes, [], points, triangles, motion)


_Plans = dict[bpy.types.Object, tuple[list[polygons.Shape], list[Float64]]]


def _plans_and_floors(
    sound: Mapping[bpy.types.Object, MeshShape],
    paths: Mapping[bpy.types.Object, Path],
    heights: Mapping[bpy.types.Object, Float64],
    walked: Float64,
    head_height: float,
) -> tuple[_Plans, set[bpy.types.Object]]:
    """Return shapes and walls of each object, and those objects that are floor with a part of them."""
    floors = {each for each in sound if each not in paths and is_floor(sound[each], heights[each], walked)}
    plans: _Plans = {}
    for is_under, lowest in ((False, -_SETTINGS.below_ground), (True, _SETTINGS.above_floor)):
        some = [each for each in sound if (each in floors) == is_under]
        if some:
            bodies, ground = [sound[each] for each in some], [heights[each] for each in some]
            inside = walked if is_under else walked[:0]
            plans |= zip(some, _plans(bodies, ground, (lowest, head_height), inside), strict=True)
    return plans, floors


def _heights(
    sound: Mapping[bpy.types.Object, MeshShape], ground: GroundMesh | None, walked: Float64
) -> dict[bpy.types.Object, Float64]:
    """Return the height of the ground under every point of each object."""
    bodies = list(sound.values())
    ends = np.cumsum([len(body.points) for body in bodies])
    return dict(zip(sound, np.split(_ground_under(bodies, ground, walked), ends[:-1]), strict=True))


def _has_substance(source: bpy.types.Object, body: MeshShape, findings: Findings) -> bool:
    if body.empty and source.type != "META":  # one metaball of a family has the surface of all
        findings.notice(f"'{source.name}' has neither faces nor edges, so it is not an obstacle.")
    return not body.empty


def _plans(
    bodies: Sequence[MeshShape], ground: Sequence[Float64], slab: tuple[float, float], inside: Float64
) -> Iterable[tuple[list[polygons.Shape], list[Float64]]]:
    """Return shapes and walls of each body, of its parts within a slab of heights above the ground.

    Where people walk inside a shape, float64 (N, 2) [m], it is a room: its walls alone count.
    """
    owner = np.repeat(np.arange(len(bodies)), [len(body.points) for body in bodies])
    everything = join(bodies)
    lifted = everything.points - np.array([0.0, 0.0, 1.0]) * np.concatenate(ground)[:, None]
    surface = make_surface(lifted, everything.triangles, owner[everything.triangles[:, 0]])
    vertical, of_vertical = vertical_segments(surface, *slab)
    bare, of_bare = edge_segments(lifted[everything.edges], owner[everything.edges[:, 0]], *slab)
    segments, of_segment = np.concatenate([vertical, bare]), np.concatenate([of_vertical, of_bare])
    shapes, on_grid = find_footprints_with(Lines(segments, of_segment), surface, *slab)
    # Vertical faces of a closed body bound its shapes; only an open body, or one too thin for shapes, has walls.
    may_have_walls = open_bodies(surface) | set(of_bare.tolist())
    order = np.argsort(of_segment, kind="stable")
    ends = np.searchsorted(of_segment[order], np.arange(len(bodies)), side="right")
    for number, rows in enumerate(np.split(order, ends[:-1])):
        every = shapes.get(number, [])
        found = [shape for shape in every if not in_shape(*shape, inside).any()]
        wanted = number not in on_grid and (number in may_have_walls or len(found) < len(every) or not found)
        yield found, trace_walls(segments[rows], found) if wanted else []


def _ground_under(bodies: Sequence[MeshShape], ground: GroundMesh | None, walked: Float64) -> Float64:
    """Return the height of the ground under every point of all bodies; of several storeys the one a body stands on."""
    counts = [len(body.points) for body in bodies]
    if ground is not None:
        feet = np.repeat([body.points[:, 2].min() for body in bodies], counts)
        return ground.heights(np.concatenate([body.points[:, :2] for body in bodies]), feet)
    if not len(walked):
        return np.zeros(sum(counts))
    middles = np.array([0.5 * (body.points[:, :2].min(axis=0) + body.points[:, :2].max(axis=0)) for body in bodies])
    nearest = [int(np.argmin(((walked[:, :2] - middle) ** 2).sum(axis=1))) for middle in middles]
    return np.repeat(walked[nearest, 2], counts)


def _thicken(shapes: list[polygons.Shape], walls: list[Float64]) -> list[polygons.Shape]:
    """Join walls to shapes as thin rectangles."""
    thin = []
    for wall in walls:
        run = np.diff(wall, axis=0)
        beside = _SETTINGS.wall_half_thickness * run[:, ::-1] * (-1.0, 1.0) / length(run)[:, None]
        start, end = wall[:-1], wall[1:]
        thin += list(np.stack([start - beside, end - beside, end + beside, start + beside], axis=1))
    if not thin:
        return shapes
    return polygons.union([*(outline for outline, _ in shapes), *thin], [hole for _, holes in shapes for hole in holes])


def _note_floors(plans: _Plans, floors: Collection[bpy.types.Object], findings: Findings) -> None:
    """Add a notice about all floors, and one about all obstacles with floor: a street is made of a hundred pieces."""
    for stands in (False, True):
        names = [source.name for source, found in plans.items() if source in floors and any(found) == stands]
        if names:
            findings.notice(_told_of_floor(sorted(names), stands=stands))


def _told_of_floor(names: Sequence[str], *, stands: bool) -> str:
    """Say that flat parts where people walk are floor; of several objects in one sentence, as one can be the ground."""
    name, others = names[0], len(names) - 1
    if others:
        what = f"'{name}' and {others} more obstacle{'s'[: others > 1]} lie flat where people walk"
        how = "join copies of them (Ctrl J) and choose the joined mesh as Ground."
        if stands:
            return f"Parts of {what}: these are floor, the rest are obstacles. For people to walk on all of it, {how}"
        return f"{what}, so they are floor, not obstacles. For people to stand on them, {how}"
    if stands:
        return (
            f"A part of '{name}' lies flat where people walk: this part is floor, the rest is an obstacle. For people "
            "to walk on all of it, as on stairs, choose it as Ground."
        )
    return (
        f"'{name}' lies flat where people walk, so it is floor, not an obstacle. For people to stand on it, choose it "
        "as Ground."
    )


def _why_no_obstacle(name: str, body: MeshShape, head_height: float) -> str:
    if float(np.ptp(body.points[:, :2], axis=0).max()) <= _NO_SIZE_TOLERANCE:
        return f"'{name}' has no footprint (scale 0?), so it is not an obstacle."
    slab = f"between the ground and head height ({head_height:g} m)"
    return f"'{name}': no part of it is {slab}, so it is not an obstacle."


def _too_fine(name: str, triangles: int) -> str:
    return (
        f"'{name}' has {triangles:,} triangles, which take long to read at every bake. Only its outline matters: add a "
        "Decimate modifier to it, or make a simple mesh of the same outline the obstacle instead."
    )


def _follows(name: str, path: Path, ground: GroundMesh | None, findings: Findings) -> bool:
    """Return whether a flat outline can follow a motion; adds notices about the parts that it cannot."""
    rises = _rises(path, ground)
    if not path.turns_upright:
        findings.notice(
            f"'{name}' tilts or changes its size as it moves; Footfall moves its footprint of the first frame."
        )
    if rises:
        findings.notice(f"'{name}' rises or sinks as it moves; Footfall moves its footprint of the first frame.")
    return path.turns_upright and not rises


def _rises(path: Path, ground: GroundMesh | None) -> bool:
    """Whether an object changes its height above the ground; a sliding door and a car on a ramp do not."""
    if float(np.ptp(path.rise)) <= _SETTINGS.most_rise:
        return False
    over_ground = path.rise - (0.0 if ground is None else ground.heights(path.places, path.rise[0]))
    return float(np.ptp(over_ground)) > _SETTINGS.most_rise
