# SPDX-License-Identifier: GPL-3.0-or-later
"""Heroes: objects animated by hand that everybody avoids, as discs that follow their motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import bpy
import numpy as np

from ....core.array_types import Float64
from ....core.geometry.reproducible_math import cos_sin
from ....core.scene import Hero, Motion, Track
from ...blender_data.object_references import carriers_of
from ...blender_data.tags import TAG
from ..shapes.bodies import MeshShape
from ..shapes.simplify import needed_samples
from .findings import Findings, Names
from .moving_obstacles import MOTION_SETTINGS, Path, to_own_axes

Object = bpy.types.Object


def choose_heroes(collection: bpy.types.Collection | None, findings: Findings) -> dict[Object, list[Object]]:
    """Find the heroes of a collection, each with the objects of its body.

    Args:
        collection: the heroes' collection, or None.
        findings: collects notices about objects that are left out.

    Returns:
        For each object that follows none of the others: itself, its children, and the meshes that an armature deforms.
    """
    if collection is None:
        return {}
    inside = dict.fromkeys(collection.all_objects)
    for source in [source for source in inside if TAG in source]:
        findings.notice(f"'{source.name}' is made by a bake, so it does not count as a hero.")
        del inside[source]
    heroes: dict[Object, list[Object]] = {}
    for source in inside:
        heroes.setdefault(_leader(source, inside), []).append(source)
    return {hero: list(dict.fromkeys([hero, *parts, *hero.children_recursive])) for hero, parts in heroes.items()}


def read_heroes(
    heroes: Mapping[Object, Sequence[Object]],
    bodies: Mapping[Object, MeshShape],
    paths: Mapping[Object, Path],
    frames: Sequence[int],
    findings: Findings,
) -> list[Hero]:
    """Read the heroes of the core, in the order of their objects.

    Args:
        heroes: objects, each with the objects of its body.
        bodies: their shapes at the first frame, in the world [m].
        paths: the motion of those that move.
        frames: frame numbers, increasing.
        findings: collects notices about heroes that are left out.

    Returns:
        Discs with the area of the bounding boxes of their footprints, which move with the objects.
    """
    names = Names(hero.name for hero in heroes)
    made = []
    for hero, parts in heroes.items():
        points = np.concatenate([np.empty((0, 2)), *(bodies[part].points[:, :2] for part in parts if part in bodies)])
        motion = paths[hero].motion if hero in paths else None
        if motion is None and not len(points):
            findings.notice(f"'{hero.name}' has no geometry and does not move, so nobody avoids it.")
            continue
        middle, radius = _disc(points if motion is None else to_own_axes(points, motion))
        made.append(Hero(names.give(hero.name), radius, _track(middle, motion, np.asarray(frames, dtype=np.float64))))
    return made


def _track(middle: Float64, motion: Motion | None, frames: Float64) -> Track:
    """Return the track of a body's centre (2,), given in the world or, with a motion, in the moving axes."""
    if motion is None:
        return Track(frames[:1], middle[:1].copy(), middle[1:].copy())
    x, y, yaw = (np.interp(frames, motion.frames, values) for values in (motion.x, motion.y, motion.yaw))
    cos, sin = cos_sin(yaw)
    places = np.stack([x + middle[0] * cos - middle[1] * sin, y + middle[0] * sin + middle[1] * cos], axis=1)
    kept = needed_samples(frames, places, MOTION_SETTINGS.tolerance)
    return Track(frames[kept], *places[kept].T.copy())


def _leader(source: Object, inside: Mapping[Object, None]) -> Object:
    """Return the topmost parent or armature that an object follows, among those inside."""
    followed = [source]
    while True:
        last = followed[-1]
        carrier = next((each for each in carriers_of(last) if each in inside and each not in followed), None)
        if carrier is None:
            return last
        followed.append(carrier)


def _disc(points: Float64) -> tuple[Float64, float]:
    """Return centre (2,) and radius of the disc with the area of the bounding box of points (N, 2) [m]."""
    if not len(points):
        return np.zeros(2), MOTION_SETTINGS.bodiless_radius
    low, high = points.min(axis=0), points.max(axis=0)
    radius = float(np.sqrt(np.prod(high - low) / np.pi))
    return 0.5 * (low + high), radius or MOTION_SETTINGS.bodiless_radius
