# SPDX-License-Identifier: GPL-3.0-or-later
"""What people walk round: the outlines of objects as far as they stand between the ground and head height."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.geometry import polygons
from ...core.geometry.reproducible_math import length
from ...core.scene import Motion, Obstacle
from .findings import Findings, Names
from .ground.ground import GroundMesh
from .moving_obstacles import Path, to_own_axes
from .shapes.bodies import MeshShape, join
from .shapes.ground_plan import ground_plans
from .shapes.slab import make_surface
from .shapes.walls import draw_walls, edge_segments, open_bodies, upright_segments

Float64 = NDArray[np.float64]

_BELOW_GROUND = 0.05  # [m] a plane laid on the ground, a little into it even, stands in the way
_THIN = 0.01  # [m] half the thickness that a moving wall gets, as only outlines can move
_MAY_RISE = 0.1  # [m] over the ground, before the outline of the first frame is in doubt
_NO_SIZE = 1e-6  # [m]
_BODIES = frozenset({"MESH", "CURVE", "SURFACE", "FONT", "META"})
_UNREADABLE = frozenset({"CURVES", "POINTCLOUD", "VOLUME", "GREASEPENCIL", "GPENCIL"})


@dataclass
class ReadObstacles:
    """Obstacles of the core, and which object each comes from.

    Attributes:
        obstacles: outlines, standing and moving.
        walls: float64 (W, 2) each [m], lines that stand still.
        obstacle_sources, wall_sources: the name of the object behind each.
    """

    obstacles: list[Obstacle] = field(default_factory=list)
    walls: list[Float64] = field(default_factory=list)
    obstacle_sources: list[str] = field(default_factory=list)
    wall_sources: list[str] = field(default_factory=list)
    _names: Names = field(default_factory=Names)

    def add(self, source: str, outline: Float64, holes: tuple[Float64, ...] = (), motion: Motion | None = None) -> None:
        """Take up an outline of an object.

        Args:
            source: name of the object; a further outline of it gets a number after it.
            outline: float64 (V, 2) [m].
            holes: float64 (V, 2) each [m].
            motion: how it moves, its outline then being in its own axes.
        """
        self.obstacles.append(Obstacle(self._names.give(source), outline, holes, motion))
        self.obstacle_sources.append(source)


def choose_obstacles(
    collection: bpy.types.Collection | None, used_otherwise: Mapping[bpy.types.Object, str], findings: Findings
) -> list[bpy.types.Object]:
    """Objects of a collection, and of all in it, that can stand in the way.

    Args:
        collection: the obstacles' collection, or None.
        used_otherwise: objects that serve another purpose, each with a word for it; these are left out.
        findings: takes up what was left out.

    Returns:
        Each object once.
    """
    if collection is None:
        return []
    chosen = []
    for source in dict.fromkeys(collection.all_objects):
        if source in used_otherwise:
            findings.notice(f"'{source.name}' is {used_otherwise[source]}, so it does not count as an obstacle.")
        elif source.type in _UNREADABLE:
            findings.notice(f"'{source.name}' cannot be read as an obstacle: Blender makes no mesh of its kind.")
        elif source.type in _BODIES or source.is_instancer:
            chosen.append(source)
    if not chosen and len(collection.all_objects):  # one that is empty says for itself that nothing is in the way
        findings.notice(f"The collection '{collection.name}' holds nothing that can stand in anybody's way.")
    return chosen


def read_obstacles(
    bodies: Mapping[bpy.types.Object, MeshShape],
    paths: Mapping[bpy.types.Object, Path],
    ground: GroundMesh | None,
    levels: Float64,
    head_height: float,
    findings: Findings,
) -> ReadObstacles:
    """Outlines and walls of objects.

    Args:
        bodies: what each object looks like at the first frame, in the world [m].
        paths: how those move that do.
        ground: what they stand on, or None.
        levels: float64 (P, 3), places where people walk; without a ground the nearest says how high it is.
        head_height: what hangs higher above the ground is in nobody's way [m].
        findings: takes up notices.

    Returns:
        Obstacles and walls in the order of the objects.

    Raises:
        FootfallError: pyclipper is missing.
    """
    sound = {source: body for source, body in bodies.items() if _has_substance(source, body, findings)}
    read = ReadObstacles(_names=Names(source.name for source in sound))
    if not sound:
        return read
    plans = _plans(list(sound.values()), ground, levels, head_height)
    for source, (shapes, walls) in zip(sound, plans, strict=True):
        if not shapes and not walls:
            findings.notice(_why_in_nobodys_way(source.name, sound[source], head_height))
        path = paths.get(source)
        if path is not None:
            _note_what_is_lost(source.name, path, ground, findings)
        if path is None or path.motion is None:
            read.walls += walls
            read.wall_sources += [source.name] * len(walls)
            for outline, holes in shapes:
                read.add(source.name, outline, holes)
        else:
            for outline, holes in _thicken(shapes, walls):
                own_holes = tuple(to_own_axes(hole, path.motion) for hole in holes)
                read.add(source.name, to_own_axes(outline, path.motion), own_holes, path.motion)
    return read


def _has_substance(source: bpy.types.Object, body: MeshShape, findings: Findings) -> bool:
    if body.empty and source.type != "META":  # of a family of metaballs one has the surface of all
        findings.notice(f"'{source.name}' has neither faces nor edges, so it is in nobody's way.")
    return not body.empty


def _plans(
    bodies: Sequence[MeshShape], ground: GroundMesh | None, levels: Float64, head_height: float
) -> Iterable[tuple[list[polygons.Shape], list[Float64]]]:
    """Shapes and walls of each body."""
    owner = np.repeat(np.arange(len(bodies)), [len(body.points) for body in bodies])
    everything = join(bodies)
    lifted = everything.points - np.array([0.0, 0.0, 1.0]) * _ground_under(bodies, ground, levels)[:, None]
    surface = make_surface(lifted, everything.triangles, owner[everything.triangles[:, 0]])
    slab = (-_BELOW_GROUND, head_height)
    shapes = ground_plans(surface, *slab)
    upright, of_upright = upright_segments(surface, *slab)
    bare, of_bare = edge_segments(lifted[everything.edges], owner[everything.edges[:, 0]], *slab)
    segments, of_segment = np.concatenate([upright, bare]), np.concatenate([of_upright, of_bare])
    # Upright faces of a closed body bound its shapes; only an open one, or one too thin to have any, has walls.
    may_have_walls = open_bodies(surface) | set(of_bare.tolist())
    order = np.argsort(of_segment, kind="stable")
    ends = np.searchsorted(of_segment[order], np.arange(len(bodies)), side="right")
    for number, rows in enumerate(np.split(order, ends[:-1])):
        found = shapes.get(number, [])
        wanted = number in may_have_walls or not found
        yield found, draw_walls(segments[rows], found) if wanted else []


def _ground_under(bodies: Sequence[MeshShape], ground: GroundMesh | None, levels: Float64) -> Float64:
    """Height of the ground under every point of all bodies; of several storeys the one that a body's foot is on."""
    counts = [len(body.points) for body in bodies]
    if ground is not None:
        feet = np.repeat([body.points[:, 2].min() for body in bodies], counts)
        return ground.heights(np.concatenate([body.points[:, :2] for body in bodies]), feet)
    if not len(levels):
        return np.zeros(sum(counts))
    middles = np.array([0.5 * (body.points[:, :2].min(axis=0) + body.points[:, :2].max(axis=0)) for body in bodies])
    nearest = [int(np.argmin(((levels[:, :2] - middle) ** 2).sum(axis=1))) for middle in middles]
    return np.repeat(levels[nearest, 2], counts)


def _thicken(shapes: list[polygons.Shape], walls: list[Float64]) -> list[polygons.Shape]:
    """Shapes with walls as thin parts of them."""
    thin = []
    for wall in walls:
        run = np.diff(wall, axis=0)
        beside = _THIN * run[:, ::-1] * (-1.0, 1.0) / length(run)[:, None]
        start, end = wall[:-1], wall[1:]
        thin += list(np.stack([start - beside, end - beside, end + beside, start + beside], axis=1))
    if not thin:
        return shapes
    return polygons.union([*(outline for outline, _ in shapes), *thin], [hole for _, holes in shapes for hole in holes])


def _why_in_nobodys_way(name: str, body: MeshShape, head_height: float) -> str:
    if float(np.ptp(body.points[:, :2], axis=0).max()) <= _NO_SIZE:
        return f"'{name}' has no size seen from above (as with scale 0), so it is in nobody's way."
    slab = f"between the ground and head height ({head_height:g} m)"
    return f"'{name}': nothing of it stands {slab}, so it is in nobody's way."


def _note_what_is_lost(name: str, path: Path, ground: GroundMesh | None, findings: Findings) -> None:
    """Tell the user what of a motion a flat outline cannot follow."""
    if not path.turns_upright:
        findings.notice(
            f"'{name}' tilts or changes its size as it moves; Footfall moves the outline it has at the start."
        )
    if _rises(path, ground):
        findings.notice(f"'{name}' rises or sinks as it moves; Footfall moves the outline it has at the start.")


def _rises(path: Path, ground: GroundMesh | None) -> bool:
    """Whether it leaves its height: neither a door that slides level over uneven ground nor a car on a ramp does."""
    if float(np.ptp(path.rise)) <= _MAY_RISE:
        return False
    over_ground = path.rise - (0.0 if ground is None else ground.heights(path.places, path.rise[0]))
    return float(np.ptp(over_ground)) > _MAY_RISE
