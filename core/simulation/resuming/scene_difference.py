# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs between two scenes; where that rules out reusing frames, the reason in words for the user."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np

from ...array_types import Float64
from ...geometry.distance_field import ObstacleField
from ...scene import VEHICLE, Crowd, Obstacle, Scene
from ..settings import WorldSettings
from ..vehicles.traffic import Traffic
from ..world.environment import Environment, bounds_of

FixedObstacle = Obstacle | Float64
"""An obstacle that never moves, or the line of a wall."""

_COMPARED = {"obstacles", "walls", "frames", "routes"}  # part by part; all else must be the same

_OF_ALL = {
    "fps": "the frame rate changed",
    "seed": "the seed changed",
    "bounds": "the bounds changed",
    "keep_left": "the side of traffic changed",
    "terrain": "the height of the ground changed",
}
"""What is reported of a part of a scene that is compared as a whole."""

_NAMED = {
    "routes": "the route",
    "areas": "the place",
    "crowds": "the crowd",
    "crossings": "the crossing",
    "heroes": "the hero or pinned person",
    "obstacles": "the moving obstacle",
    "places": "the stop",
    "marks": "the motion of",
    "triggers": "the trigger",
}
"""What parts with names are called."""

_COME_AND_GO: dict[str, tuple[str, str]] = dict.fromkeys(
    ("areas", "crossings", "places", "marks"), ("is used now", "is no longer used")
)
"""What is reported of parts that were added or removed without the user: what nobody uses is not in the scene."""


@dataclass(frozen=True, eq=False)
class SceneChanges:
    """What differs between two scenes.

    Attributes:
        field: distances to all obstacles and walls that are in one of them only.
        curves: whether routes of people moved.
        names: whether crowds were renamed, which changes notices only.
        frames: how many the new scene has.
    """

    field: ObstacleField
    curves: bool
    names: bool
    frames: int


def compare_scenes(old: Scene, new: Scene, environment: Environment, traffic: Traffic | None) -> SceneChanges | str:
    """Return which obstacles, routes and names differ; the reason where the scenes differ in anything else.

    Args:
        old: what was simulated.
        new: what is to be simulated.
        environment: of the old one, with its journal.
        traffic: the vehicles of the old one at the first frame; None where there are none.
    """
    journal = environment.journal
    assert journal is not None
    reason = _why_not_alike(old, new, environment.settings)
    if reason:
        return reason
    things = _changed_obstacles(old, new)
    if isinstance(things, str):
        return things
    curves = _key(old.routes) != _key(new.routes)
    names = [crowd.name for crowd in old.crowds] != [crowd.name for crowd in new.crowds]
    frames = new.frames[1] - new.frames[0] + 1
    if not things:
        return SceneChanges(ObstacleField(), curves, names, frames)
    if traffic is not None and not traffic.meets_the_same(new.fixed_obstacles, new.walls):
        return "the changed obstacle is on lanes"
    corners = np.concatenate([thing.outline if isinstance(thing, Obstacle) else thing for thing in things])
    if not np.all((corners >= journal.low) & (corners <= journal.high)):
        return "an obstacle is outside the extent of the last bake"
    walls = [thing for thing in things if not isinstance(thing, Obstacle)]
    solids = [(thing.outline, ()) for thing in things if isinstance(thing, Obstacle)]
    return SceneChanges(ObstacleField(solids, walls), curves, names, frames)


def _why_not_alike(old: Scene, new: Scene, settings: WorldSettings) -> str:
    """Name what differs besides fixed obstacles, routes of people and the last frame; empty for nothing.

    The last frame may differ where it affects nobody.
    """
    for name in (field.name for field in fields(Scene) if field.name not in _COMPARED):
        before, after = getattr(old, name), getattr(new, name)
        if name == "crowds":
            before, after = _with_new_names(before, after)
        if _key(before) != _key(after):
            return _OF_ALL[name] if name in _OF_ALL else _named_difference(name, before, after)
    if _key(old.routes) != _key(new.routes):
        reason = _why_not_only_curves(old, new)
        if reason:
            return reason
    if old.frames[0] != new.frames[0]:
        return "the first frame changed"
    if _key(bounds_of(old, settings)) != _key(bounds_of(new, settings)):
        return "the extent of the scene changed, and the bounds with it: a mesh as Bounds keeps them fixed"
    vehicles = any(crowd.kind == VEHICLE for crowd in old.crowds)
    if old.frames != new.frames and (old.moving_obstacles or vehicles):  # some doors open only after the last frame
        return f"the last frame changed, and {'obstacles move' if old.moving_obstacles else 'vehicles drive'}"
    return ""


def _with_new_names(old: Sequence[Crowd], new: Sequence[Crowd]) -> tuple[list[Crowd], list[Crowd]]:
    """Return both with the names of the new ones; `Crowd.identity` says which is which."""
    names = {crowd.identity: crowd.name for crowd in new}

    def renamed(crowd: Crowd) -> Crowd:
        name = names.get(crowd.identity, crowd.name)
        return replace(crowd, name=name, known_as="" if name == crowd.identity else crowd.identity)

    return list(map(renamed, old)), list(map(renamed, new))


def _why_not_only_curves(old: Scene, new: Scene) -> str:
    """Name what differs of routes besides their places, or that they may be roads; empty for nothing."""
    before, after = ([replace(route, points=np.empty((0, 3))) for route in scene.routes] for scene in (old, new))
    if _key(before) != _key(after):
        return _named_difference("routes", before, after)
    vehicles = any(crowd.kind == VEHICLE for crowd in old.crowds)
    return "a route moved, and vehicles drive" if vehicles else ""


def _named_difference(kind: str, old: Sequence[Any], new: Sequence[Any]) -> str:
    """Name the first of some named parts that differs.

    Args:
        kind: what a scene calls them.
        old: those of the old scene.
        new: those of the new one.
    """
    what, (comes, goes) = _NAMED[kind], _COME_AND_GO.get(kind, ("is new", "was removed"))
    names = [each.name for each in old], [each.name for each in new]
    if len(old) != len(new):
        came, gone = ([name for name in names[one] if name not in names[not one]] for one in (True, False))
        reasons = [f"{what} '{name}' {comes}" for name in came] + [f"{what} '{name}' {goes}" for name in gone]
        return reasons[0] if reasons else f"{what} '{[*names[0], *names[1]][0]}' has more or fewer copies"
    one, other = next((one, other) for one, other in zip(old, new, strict=True) if _key(one) != _key(other))
    if one.name == other.name:
        only_width = kind == "routes" and _key(replace(one, width=other.width)) == _key(other)
        return f"the width of {what} '{one.name}' changed" if only_width else f"{what} '{one.name}' changed"
    if _key(replace(one, name=other.name)) == _key(other):
        return f"{what} '{one.name}' was renamed to '{other.name}'"
    return f"{what} '{one.name}' was replaced by '{other.name}'"


def _changed_obstacles(old: Scene, new: Scene) -> list[FixedObstacle] | str:
    """Return the fixed obstacles in one scene only; the reason where movers or the order of the others differ."""
    movers = [scene.moving_obstacles for scene in (old, new)]
    if _key(movers[0]) != _key(movers[1]):
        return _motion_difference(old, new) or _named_difference("obstacles", *movers)
    before, after = _fixed_obstacles(old), _fixed_obstacles(new)
    same = Counter(key for key, _ in before) & Counter(key for key, _ in after)
    kept, changed = zip(*(_split(each, same) for each in (before, after)), strict=True)
    if kept[0] != kept[1]:
        return "the order of the obstacles changed"
    return [thing for each in changed for thing in each]


def _motion_difference(old: Scene, new: Scene) -> str:
    """Name the first obstacle that moves in one scene only; empty for none."""
    moved = {obstacle.name: obstacle.motion is not None for obstacle in old.obstacles}
    for obstacle in new.obstacles:
        moves = obstacle.motion is not None
        if moved.get(obstacle.name, moves) != moves:
            return f"the obstacle '{obstacle.name}' {'now moves' if moves else 'no longer moves'}"
    return ""


def _fixed_obstacles(scene: Scene) -> list[tuple[Hashable, FixedObstacle]]:
    """Return all obstacles that never move and walls, each with a key of all but its name."""
    solids = scene.fixed_obstacles
    keys = [tuple(_key(getattr(each, field.name)) for field in fields(each) if field.name != "name") for each in solids]
    return [*zip(keys, solids, strict=True), *((_key(wall), wall) for wall in scene.walls)]


def _split(
    things: list[tuple[Hashable, FixedObstacle]], same: Counter[Hashable]
) -> tuple[list[Hashable], list[FixedObstacle]]:
    """Return the keys of those in both scenes, and those in one only."""
    left, kept, changed = same.copy(), [], []
    for key, thing in things:
        if left[key]:
            left[key] -= 1
            kept.append(key)
        else:
            changed.append(thing)
    return kept, changed


def _key(value: Any) -> Hashable:
    """Return a key that is equal for equal parts of scenes, bit for bit."""
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.str, value.tobytes()
    if is_dataclass(value):
        return type(value), tuple(_key(getattr(value, field.name)) for field in fields(value))
    if isinstance(value, tuple | list):
        return tuple(map(_key, value))
    if isinstance(value, float):
        return value.hex()  # distinguishes 0 and -0
    return value
