# SPDX-License-Identifier: GPL-3.0-or-later
"""People taken out of a crowd of instances and made characters, with the keyframes that a bake would give them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

from ....core.array_types import Float64, Int64
from ....core.errors import FootfallError
from ....core.geometry.reproducible_math import length
from ...bakes import sampled_crowd
from ...bakes.instance_crowds import KEY_RATE_PROPERTY, frames_of, roles_of
from ...bakes.roles import Role
from ...blender_data.evaluation import frames_per_second, metres_per_unit
from ...characters.acts.stored_acts import kept_acts
from ...characters.performances import Acting, Performance, find_strides, heights_of
from ...reading import read_scene
from ..casting.cast import Cast
from ..casting.character_keys import in_handfuls


def people_near(shown: bpy.types.Object, place: tuple[float, float, float], reach: float, frame: int) -> Int64:
    """Who is near a place at a frame.

    Args:
        shown: a crowd of instances.
        place: in the world [Blender units].
        reach: how near [Blender units].
        frame: frame number.

    Returns:
        int64 (N,), their places in the crowd's mesh, the nearest first.
    """
    mesh: Any = shown.data
    everybody = np.arange(len(mesh.edges))
    seen = sampled_crowd.read_samples(mesh, everybody)
    first, last = frames_of(shown)
    row = min(max(frame, first), last) - first
    away = length(seen.location[row] - place)
    near = seen.present[row] & (away <= reach) & ~sampled_crowd.read(mesh, sampled_crowd.IS_REAL)
    order = np.argsort(away, kind="stable")
    return order[near[order]]


def people_selected(shown: bpy.types.Object) -> Int64:
    """Who has a sample among the selected vertices of a crowd of instances, int64 (N,)."""
    mesh: Any = shown.data
    selected = np.zeros(len(mesh.vertices), dtype=np.bool_)
    mesh.vertices.foreach_get("select", selected)
    return np.unique(np.flatnonzero(selected) % len(mesh.edges))


def make_real(scene: bpy.types.Scene, crowd: Any, shown: bpy.types.Object, people: Int64) -> list[bpy.types.Object]:
    """Turn some people of a crowd of instances into characters; they are no instances any more.

    Args:
        scene: the scene.
        crowd: the crowd's settings, one of `scene.footfall.crowds`.
        shown: its instances.
        people: int64 (N,), places in the crowd's mesh; those that are real already are left out.

    Returns:
        The objects that move the new characters.

    Raises:
        FootfallError: there is no such person, or the crowd's characters differ from those of the bake.
    """
    mesh: Any = shown.data
    if len(people) and not 0 <= people.min() <= people.max() < len(mesh.edges):
        raise FootfallError(f"'{shown.name}' has {len(mesh.edges)} people: there is no number {people.max() + 1}")
    people = people[~sampled_crowd.read(mesh, sampled_crowd.IS_REAL)[people]]
    if not len(people):
        raise FootfallError(f"all of these people of '{shown.name}' are characters already")
    first, last = frames_of(shown)
    unit = metres_per_unit(scene)
    settings: Any = scene.footfall  # ty: ignore[missing-attribute]
    ground = heights_of(read_scene(scene).ground if settings.ground else None, unit)
    cast = Cast(crowd, scene=scene, frames=(first, last), unit=unit, seed=settings.seed, count=len(people))
    try:
        _check_characters(cast, mesh, shown)
        _fill(
            cast,
            mesh,
            people,
            roles_of(shown, people),
            _Setting(np.arange(first, last + 1.0) * shown.get(KEY_RATE_PROPERTY, 1.0), scene, ground),
        )
        made = cast.join_bake()
    except BaseException:
        cast.discard()
        raise
    sampled_crowd.mark_real(mesh, people)
    return made


def _check_characters(cast: Cast, mesh: bpy.types.Mesh, shown: bpy.types.Object) -> None:
    if int(sampled_crowd.read(mesh, sampled_crowd.CHARACTER).max()) >= cast.characters:
        raise FootfallError(f"the characters of '{shown.name}' changed since the bake: re-bake first")


class _Setting(NamedTuple):
    """Where characters act: the frames of the keys of the samples, the scene, and the heights of the ground."""

    frames: Float64
    scene: bpy.types.Scene
    ground: Callable[[Float64], Float64] | None


def _acting(done: Performance, acting: Acting, floors: Float64, variants: NDArray[np.int16]) -> Performance:
    """Return the performance of somebody who does more than walk, on the floor before their seats."""
    location = done.location.astype(np.float64)
    for seat, floor in zip(acting.seats, floors.tolist(), strict=True):
        location[seat.first : seat.last + 1, 2] = floor  # instances are raised or lowered to few heights of seats
    return replace(done, location=location, acting=acting, variants=variants)


def _fill(cast: Cast, mesh: bpy.types.Mesh, people: Int64, roles: list[Role], setting: _Setting) -> None:
    seen, frames = sampled_crowd.read_samples(mesh, people), setting.frames
    fps = frames_per_second(setting.scene)
    characters = sampled_crowd.read(mesh, sampled_crowd.CHARACTER)[people].tolist()
    moves = seen.location * metres_per_unit(setting.scene), seen.heading, seen.present
    phase, gait = find_strides(moves, fps, cast.strides_of(roles, characters), cast.start_phases(roles))
    rows = slice(len(frames))  # a single frame stands there twice
    parts, acts = [], kept_acts(mesh, len(frames))
    for column, (role, character) in enumerate(zip(roles, characters, strict=True)):
        done = Performance(
            frames,
            seen.location[rows, column],
            seen.heading[rows, column],
            phase[rows, column],
            gait[rows, column],
            seen.present[rows, column],
            fps,
            np.zeros(len(frames)),
            setting.ground,
        )
        if int(people[column]) in acts:
            done = _acting(done, *acts[int(people[column])])
        parts.append((role, done, character))
    for some in in_handfuls(parts):
        for _ in cast.add(some):
            pass
