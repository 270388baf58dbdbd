# SPDX-License-Identifier: GPL-3.0-or-later
"""What the example scenes share: an empty file with the add-on, materials, light, a camera, pictures and clips."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import bpy

# isort: split
import addon_utils  # can be found once bpy is there
from mathutils import Vector
from mathutils.geometry import interpolate_bezier

EXTENSION = "bl_ext.user_default.footfall"
_MADE_AS = "footfall_example"


class CloseUp(NamedTuple):
    """One more picture, from elsewhere: its file's name, its frame, and the camera as for `camera`."""

    name: str
    frame: int
    place: tuple[float, float, float]
    target: tuple[float, float, float]
    lens: float


def arguments(description: str) -> argparse.Namespace:
    """Read the command line: of plain Python, or what stands behind `--` in Blender's."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the .blend, the picture and the clip")
    parser.add_argument("--still-only", action="store_true", help="no clip")
    parser.add_argument("--samples", type=int, default=8, help="samples per pixel of the picture")
    words = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:]
    found = parser.parse_args(words if "--" in sys.argv or not bpy.app.binary_path else [])
    found.out = found.out.resolve()
    found.out.mkdir(parents=True, exist_ok=True)
    return found


def show(
    name: str,
    build: Callable[[], bpy.types.Scene],
    *,
    description: str,
    picture: int,
    film: tuple[int, int] | None = None,
    close_up: CloseUp | None = None,
) -> None:
    """Do all that an example is for: build, bake, save, print the report, render a picture and a clip.

    Args:
        name: of the files that are made.
        build: makes the scene.
        description: for the help on the command line.
        picture: the frame that is rendered as `name`.png.
        film: first and last frame of `name`.mp4; None: there is none.
        close_up: a second picture; None: there is none.
    """
    wanted = arguments(description)
    scene = build()
    bake(scene)
    bpy.ops.wm.save_as_mainfile(filepath=str(wanted.out / f"{name}.blend"), compress=True)
    still(scene, wanted.out / f"{name}.png", frame=picture, samples=wanted.samples)
    if film and not wanted.still_only:
        clip(scene, wanted.out / f"{name}.mp4", frames=film)
    if close_up:
        camera(scene, place=close_up.place, target=close_up.target, lens=close_up.lens)
        still(scene, wanted.out / f"{close_up.name}.png", frame=close_up.frame, samples=wanted.samples)


def bake(scene: bpy.types.Scene) -> None:
    """Bake every crowd of a scene and print what the report says of them."""
    bpy.ops.footfall.bake()  # ty: ignore[missing-attribute]
    report = json.loads(settings(scene).report)
    print(json.dumps(report["total"], indent=2))
    for notice in report["notices"]:
        print(notice)


def begin(*, frames: tuple[int, int], fps: int = 24) -> bpy.types.Scene:
    """Start from an empty file with the add-on enabled, or, opened from the panel, from a new scene in the user's file.

    Returns:
        The scene, which the window shows.
    """
    if __package__:
        show_scene(bpy.data.scenes.new("Example"))
    else:
        bpy.ops.wm.read_homefile(use_empty=True)
        if not addon_utils.check(EXTENSION)[1]:
            addon_utils.enable(EXTENSION, default_set=True)
    scene: Any = bpy.context.scene
    scene.frame_start, scene.frame_end = frames
    scene.render.fps = fps
    return scene


def show_scene(scene: bpy.types.Scene) -> None:
    """Let the user's window show a scene.

    The window is taken from the window manager: in Blender 4.2 the one of the context may belong, for the memory that
    a change of it writes to, to a scene which is no more.
    """
    windows = bpy.context.window_manager.windows
    next(window for window in windows if window == bpy.context.window).scene = scene


def settings(scene: bpy.types.Scene) -> Any:
    """Footfall's settings of a scene."""
    return scene.footfall  # ty: ignore[missing-attribute]


def add_crowd(scene: bpy.types.Scene) -> Any:
    """Add a crowd with Footfall's own defaults, and return its settings."""
    bpy.ops.footfall.crowd_add()  # ty: ignore[missing-attribute]
    return settings(scene).crowds[-1]


def collection(name: str, parent: bpy.types.Collection) -> bpy.types.Collection:
    """Make a collection inside another."""
    made = bpy.data.collections.new(name)
    parent.children.link(made)
    return made


def material(
    name: str, colour: Sequence[float], *, roughness: float = 0.8, metallic: float = 0.0
) -> bpy.types.Material:
    """Make a plain material, the same colour in every engine; one of an example's is used again."""
    known = next((each for each in bpy.data.materials if each.get(_MADE_AS) == name), None)
    if known is not None:
        return known
    made = bpy.data.materials.new(name)
    made[_MADE_AS] = name  # the user's own of this name stays the user's
    if not made.node_tree:
        made.use_nodes = True
    shader: Any = next(node for node in made.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    shader.inputs["Base Color"].default_value = (*colour, 1.0)
    shader.inputs["Roughness"].default_value = roughness
    shader.inputs["Metallic"].default_value = metallic
    made.diffuse_color = (*colour, 1.0)
    return made


def solid(
    name: str,
    parts: Sequence[tuple[Sequence[tuple[float, float]], float, float]],
    paint: bpy.types.Material,
    into: bpy.types.Collection,
) -> bpy.types.Object:
    """Make a mesh of upright prisms.

    Args:
        name: of the object.
        parts: outline counter-clockwise, lower and upper height of each [m].
        paint: its material.
        into: its collection.
    """
    corners: list[tuple[float, float, float]] = []
    faces: list[tuple[int, ...]] = []
    for outline, low, high in parts:
        first, count = len(corners), len(outline)
        corners += [(x, y, low) for x, y in outline] + [(x, y, high) for x, y in outline]
        faces.append(tuple(first + count + k for k in range(count)))
        faces.append(tuple(first + k for k in reversed(range(count))))
        faces += [
            (first + k, first + (k + 1) % count, first + count + (k + 1) % count, first + count + k)
            for k in range(count)
        ]
    return from_faces(name, corners, faces, paint, into)


def from_faces(
    name: str,
    corners: Sequence[tuple[float, float, float]],
    faces: Sequence[Sequence[int]],
    paint: bpy.types.Material,
    into: bpy.types.Collection,
    *,
    smooth: bool = False,
) -> bpy.types.Object:
    """Make a mesh object of corners and faces."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], faces)
    mesh.polygons.foreach_set("use_smooth", [smooth] * len(faces))
    mesh.materials.append(paint)
    made = bpy.data.objects.new(name, mesh)
    into.objects.link(made)
    return made


def curve(
    name: str, points: Sequence[tuple[float, float]], into: bpy.types.Collection, *, closed: bool = False
) -> bpy.types.Object:
    """Make a smooth Bezier curve through points on the ground."""
    data = bpy.data.curves.new(name, "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("BEZIER")
    spline.bezier_points.add(len(points) - 1)
    for knot, (x, y) in zip(spline.bezier_points, points, strict=True):
        knot.co = (x, y, 0.0)
        knot.handle_left_type = knot.handle_right_type = "AUTO"
    spline.use_cyclic_u = closed
    made = bpy.data.objects.new(name, data)
    into.objects.link(made)
    return made


def ribbon(
    name: str, line: bpy.types.Object, width: float, paint: bpy.types.Material, into: bpy.types.Collection
) -> bpy.types.Object:
    """Lay a flat band of a width along a Bezier curve, a finger above the ground."""
    bpy.context.view_layer.update()  # the handles are only placed now
    data: Any = line.data
    knots = data.splines[0].bezier_points
    places: list[Vector] = []
    for first, second in pairwise(knots):
        places += interpolate_bezier(first.co, first.handle_right, second.handle_left, second.co, 16)[:-1]
    places.append(knots[-1].co.copy())
    corners: list[tuple[float, float, float]] = []
    for number, place in enumerate(places):
        chord = places[min(number + 1, len(places) - 1)] - places[max(number - 1, 0)]
        side = Vector((-chord.y, chord.x, 0.0)).normalized() * (width / 2)
        corners += [(place.x + side.x, place.y + side.y, 0.008), (place.x - side.x, place.y - side.y, 0.008)]
    faces = [(2 * k, 2 * k + 1, 2 * k + 3, 2 * k + 2) for k in range(len(places) - 1)]
    return from_faces(name, corners, faces, paint, into)


def circle(x: float, y: float, radius: float, sides: int) -> list[tuple[float, float]]:
    """The corners of a round outline, counter-clockwise."""
    turns = [2 * math.pi * k / sides for k in range(sides)]
    return [(x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns]


def words(
    text: str, place: tuple[float, float], size: float, paint: bpy.types.Material, into: bpy.types.Collection
) -> bpy.types.Object:
    """Write words flat on the ground, in Blender's own font."""
    data: Any = bpy.data.curves.new(text, "FONT")
    data.body, data.size = text, size
    data.materials.append(paint)
    made = bpy.data.objects.new(f"Words {text}", data)
    made.location = (*place, 0.012)
    into.objects.link(made)
    return made


def track(scene: bpy.types.Scene, walker: bpy.types.Object) -> list[Vector]:
    """Where a baked character is at each frame at which it is seen."""
    places = []
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        if not walker.hide_render:
            places.append(walker.matrix_world.translation.copy())
    return places


def tube(
    name: str, places: Sequence[Vector], radius: float, paint: bpy.types.Material, into: bpy.types.Collection
) -> bpy.types.Object:
    """Make a round line through places, lying on the ground."""
    data: Any = bpy.data.curves.new(name, "CURVE")
    data.dimensions, data.bevel_depth, data.bevel_resolution = "3D", radius, 2
    spline = data.splines.new("POLY")
    spline.points.add(len(places) - 1)
    for point, place in zip(spline.points, places, strict=True):
        point.co = (place.x, place.y, place.z + radius / 2, 1.0)
    data.materials.append(paint)
    made = bpy.data.objects.new(name, data)
    into.objects.link(made)
    return made


def measure(line: bpy.types.Object, walked: Sequence[Vector], fps: float) -> tuple[float, float]:
    """How far a track is beside its line at most [m], and how slow it is at its slowest after the first second [m/s].

    Args:
        line: a curve.
        walked: places, one a frame.
        fps: frames a second.
    """
    mesh = line.to_mesh()
    drawn = [line.matrix_world @ vertex.co for vertex in mesh.vertices]
    line.to_mesh_clear()
    pieces = list(pairwise(drawn))
    beside = max(min(_distance(place, *piece) for piece in pieces) for place in walked)
    return beside, min((b - a).length * fps for a, b in pairwise(walked[int(fps) :]))


def _distance(place: Vector, start: Vector, end: Vector) -> float:
    """From a place to the nearest point of a straight piece."""
    along = end - start
    share = (place - start).dot(along) / max(along.length_squared, 1e-12)
    return (place - start - min(max(share, 0.0), 1.0) * along).length


def sun_and_sky(scene: bpy.types.Scene, *, direction: tuple[float, float, float], strength: float = 4.0) -> None:
    """Light a scene with a warm sun from a direction and a pale blue sky."""
    lamp: Any = bpy.data.lights.new("Sun", "SUN")
    lamp.energy, lamp.angle, lamp.color = strength, 0.02, (1.0, 0.92, 0.8)
    sun = bpy.data.objects.new("Sun", lamp)
    sun.rotation_euler = Vector(direction).to_track_quat("-Z", "Y").to_euler()
    scene.collection.objects.link(sun)
    world = bpy.data.worlds.new("Sky")
    if not world.node_tree:
        world.use_nodes = True
    background: Any = next(node for node in world.node_tree.nodes if node.type == "BACKGROUND")
    background.inputs["Color"].default_value = (0.55, 0.72, 0.95, 1.0)
    background.inputs["Strength"].default_value = 0.7
    scene.world = world


def camera(
    scene: bpy.types.Scene, *, place: tuple[float, float, float], target: tuple[float, float, float], lens: float
) -> None:
    """Put the camera at a place, looking at a target; there is one, made the first time."""
    if scene.camera is None:
        scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
        scene.collection.objects.link(scene.camera)
    scene.camera.data.lens = lens  # ty: ignore[invalid-assignment]
    scene.camera.location = place
    scene.camera.rotation_euler = (Vector(target) - Vector(place)).to_track_quat("-Z", "Y").to_euler()


def still(scene: bpy.types.Scene, path: Path, *, frame: int, samples: int, size: tuple[int, int] = (1280, 720)) -> None:
    """Render one frame with Cycles."""
    scene.frame_set(frame)
    _use_cycles(scene, samples, size)
    scene.render.image_settings.file_format = "PNG"
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)


def clip(scene: Any, path: Path, *, frames: tuple[int, int], size: tuple[int, int] = (640, 360)) -> None:
    """Render every second frame with Cycles as a film, one sample a pixel: a film forgives what a picture does not."""
    whole = scene.frame_start, scene.frame_end, scene.frame_step, scene.render.fps
    scene.frame_start, scene.frame_end = frames
    scene.frame_step, scene.render.fps = 2, scene.render.fps // 2
    _use_cycles(scene, 1, size)
    scene.render.use_persistent_data = True
    image = scene.render.image_settings
    if hasattr(image, "media_type"):  # from 5.0 on the kind of medium is chosen first
        image.media_type = "VIDEO"
    image.file_format = "FFMPEG"
    scene.render.ffmpeg.format = "MPEG4"
    scene.render.ffmpeg.codec = "H264"
    scene.render.ffmpeg.constant_rate_factor = "MEDIUM"
    scene.render.filepath = str(path)
    bpy.ops.render.render(animation=True)
    scene.frame_start, scene.frame_end, scene.frame_step, scene.render.fps = whole
    if hasattr(image, "media_type"):
        image.media_type = "IMAGE"
    image.file_format = "PNG"


def _use_cycles(scene: Any, samples: int, size: tuple[int, int]) -> None:
    scene.render.engine = "CYCLES"
    cycles = scene.cycles
    cycles.samples, cycles.use_denoising, cycles.device, cycles.seed = samples, True, "CPU", 0
    cycles.denoising_quality = cycles.denoising_prefilter = "FAST"  # half the time, and no difference is seen
    cycles.max_bounces = 4
    scene.view_settings.view_transform = "AgX"
    scene.render.resolution_x, scene.render.resolution_y = size
    scene.render.resolution_percentage = 100
