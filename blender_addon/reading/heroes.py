# SPDX-License-Identifier: GPL-3.0-or-later
"""Heroes: what is animated by hand, and whom everybody makes way for, as discs that move as their objects do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.geometry.reproducible_math import cos_sin
from ...core.scene import Hero, Motion, Track
from ..blender_data.tags import TAG
from .findings import Findings, Names
from .moving_obstacles import Path, to_own_axes
from .shapes.bodies import MeshShape
from .shapes.simplify import needed_samples

Float64 = NDArray[np.float64]
Object = bpy.types.Object

_STILL = 1e-4  # [m]: less is no motion
_NO_BODY = 0.3  # [m] radius of an empty or a camera: that of somebody who walks


def choose_heroes(collection: bpy.types.Collection | None, findings: Findings) -> dict[Object, list[Object]]:
    """The heroes of a collection, each with all that belongs to its body.

    Args:
        collection: the heroes' collection, or None.
        findings: takes up what was left out.

    Returns:
        For each object that follows none of the others its body: itself, its children, and what an armature deforms.
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
    """Heroes of the core, in the order of their objects.

    Args:
        heroes: objects, each with all that belongs to its body.
        bodies: what these look like at the first frame, in the world [m].
        paths: how those of them move that do.
        frames: frame numbers, growing.
        findings: takes up who is left out.

    Returns:
        Discs of the same area as the boxes round their ground plans, which move as the objects do.
    """
    names = Names(hero.name for hero in heroes)
    made = []
    for hero, parts in heroes.items():
        points = np.concatenate([np.empty((0, 2)), *(bodies[part].points[:, :2] for part in parts if part in bodies)])
        motion = paths[hero].motion if hero in paths else None
        if motion is None and not len(points):
            findings.notice(f"'{hero.name}' has no body and does not move, so nobody can avoid it.")
            continue
        middle, radius = _disc(points if motion is None else to_own_axes(points, motion))
        made.append(Hero(names.give(hero.name), radius, _track(middle, motion, np.asarray(frames, dtype=np.float64))))
    return made


def _track(middle: Float64, motion: Motion | None, frames: Float64) -> Track:
    """Where the middle (2,) of a body is, in the world or, with a motion, in the moving axes."""
    if motion is None:
        return Track(frames[:1], middle[:1].copy(), middle[1:].copy())
    x, y, yaw = (np.interp(frames, motion.frames, values) for values in (motion.x, motion.y, motion.yaw))
    cos, sin = cos_sin(yaw)
    places = np.stack([x + middle[0] * cos - middle[1] * sin, y + middle[0] * sin + middle[1] * cos], axis=1)
    kept = needed_samples(frames, places, _STILL)
    return Track(frames[kept], *places[kept].T.copy())


def _leader(source: Object, inside: Mapping[Object, None]) -> Object:
    """The object that another goes with, among those inside: the topmost parent or armature."""
    followed = [source]
    while True:
        last = followed[-1]
        rigs = [each.object for each in last.modifiers if isinstance(each, bpy.types.ArmatureModifier)]
        ahead = [each for each in (last.parent, *rigs) if each is not None and each in inside]
        ahead = [each for each in ahead if each not in followed]
        if not ahead:
            return last
        followed.append(ahead[0])


def _disc(points: Float64) -> tuple[Float64, float]:
    """Middle (2,) and radius of the disc of the same area as the box round points (N, 2) [m]."""
    if not len(points):
        return np.zeros(2), _NO_BODY
    low, high = points.min(axis=0), points.max(axis=0)
    radius = float(np.sqrt(np.prod(high - low) / np.pi))
    return 0.5 * (low + high), radius or _NO_BODY
