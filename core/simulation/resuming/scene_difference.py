# SPDX-License-Identifier: GPL-3.0-or-later
"""What is another in one of two scenes; where that is more than can be looked at in parts, in words for the user."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...geometry.distance_field import ObstacleField
from ...scene import VEHICLE, Crowd, Obstacle, Scene
from ..vehicles.traffic import Traffic
from ..world.environment import bounds_of
from ..world.ground_journal import GroundJournal

Float64 = NDArray[np.float64]
Thing = Obstacle | Float64
"""A solid that never moves, or the line of a wall."""

_COMPARED = {"obstacles", "walls", "frames", "routes"}  # one by one; all else of a scene must be the same

_OF_ALL = {
    "fps": "the frame rate changed",
    "seed": "the seed changed",
    "bounds": "the bounds changed",
    "keep_left": "the side of traffic changed",
    "terrain": "the height of the ground changed",
}
"""What is said of a part of a scene that is one piece."""

_NAMED = {
    "routes": "the route",
    "areas": "the place",
    "crowds": "the crowd",
    "crossings": "the crossing",
    "heroes": "the hero or pinned person",
    "obstacles": "the moving obstacle",
}
"""What those are that have names."""

_COME_AND_GO: dict[str, tuple[str, str]] = dict.fromkeys(("areas", "crossings"), ("is used now", "is no longer used"))
"""What is said of those that a scene has more or fewer of, where it is not known whether the user has made or removed
them: what nobody asks for any more is no part of the scene."""


@dataclass(frozen=True, eq=False)
class SceneChanges:
    """What is another in one of two scenes.

    Attributes:
        field: distances to all that stands in one of them only.
        curves: whether routes of people lie elsewhere.
        names: whether crowds are called otherwise, which matters to what is told of them alone.
    """

    field: ObstacleField
    curves: bool
    names: bool


def compare_scenes(old: Scene, new: Scene, notes: GroundJournal, traffic: Traffic | None) -> SceneChanges | str:
    """Return what stands in one scene alone, or whether curves do; the reason where they differ in something else.

    Args:
        old: what was simulated.
        new: what is to be simulated.
        notes: of what was looked at in the old one.
        traffic: the vehicles of the old one at the first frame; None where there are none.
    """
    reason = _why_not_alike(old, new)
    if reason:
        return reason
    things = _changed_things(old, new)
    if isinstance(things, str):
        return things
    curves = _key(old.routes) != _key(new.routes)
    names = [crowd.name for crowd in old.crowds] != [crowd.name for crowd in new.crowds]
    if not things:
        return SceneChanges(ObstacleField(), curves, names)
    if traffic is not None and not traffic.meets_the_same(new):
        return "the changed obstacle is on lanes"
    corners = np.concatenate([_line_of(thing) for thing in things])
    if not np.all((corners >= notes.low) & (corners <= notes.high)):
        return "an obstacle is outside the extent of the last bake"
    walls = [thing for thing in things if not isinstance(thing, Obstacle)]
    solids = [(thing.outline, ()) for thing in things if isinstance(thing, Obstacle)]
    return SceneChanges(ObstacleField(solids, walls), curves, names)


def ground_of(scene: Scene) -> Float64:
    """Return the box round all that stands and the bounds: its corners, float64 (2, 2) [m]."""
    points = np.concatenate([bounds_of(scene), *(_line_of(thing) for _, thing in _standing(scene))])
    return np.stack((points.min(axis=0), points.max(axis=0)))


def _why_not_alike(old: Scene, new: Scene) -> str:
    """Say what differs of two scenes but what stands, where people's curves lie, and their last frame; else nothing.

    The last frame may differ where it matters to nobody.
    """
    for name in (field.name for field in fields(Scene) if field.name not in _COMPARED):
        before, after = getattr(old, name), getattr(new, name)
        if name == "crowds":
            before, after = _called_alike(before, after)
        if _key(before) != _key(after):
            return _OF_ALL[name] if name in _OF_ALL else _told_of_named(name, before, after)
    if _key(old.routes) != _key(new.routes):
        reason = _why_not_only_curves(old, new)
        if reason:
            return reason
    if old.frames[0] != new.frames[0]:
        return "the first frame changed"
    if _key(bounds_of(old)) != _key(bounds_of(new)):
        return "the extent of the scene changed, and the bounds with it: a mesh as Bounds keeps them fixed"
    doors = any(obstacle.motion is not None for obstacle in old.obstacles)  # some open only after the last frame
    vehicles = any(crowd.kind == VEHICLE for crowd in old.crowds)
    if old.frames != new.frames and (doors or vehicles):
        return f"the last frame changed, and {'obstacles move' if doors else 'vehicles drive'}"
    return ""


def _called_alike(old: Sequence[Crowd], new: Sequence[Crowd]) -> tuple[list[Crowd], list[Crowd]]:
    """Return both with the names of the new ones: what a crowd is known as tells which it is, see `Crowd.identity`."""
    names = {crowd.identity: crowd.name for crowd in new}

    def called(crowd: Crowd) -> Crowd:
        name = names.get(crowd.identity, crowd.name)
        return replace(crowd, name=name, known_as="" if name == crowd.identity else crowd.identity)

    return list(map(called, old)), list(map(called, new))


def _why_not_only_curves(old: Scene, new: Scene) -> str:
    """Say what differs of routes but where they lie, or that they may be roads; else nothing."""
    before, after = ([replace(route, points=np.empty((0, 3))) for route in scene.routes] for scene in (old, new))
    if _key(before) != _key(after):
        return _told_of_named("routes", before, after)
    vehicles = any(crowd.kind == VEHICLE for crowd in old.crowds)
    return "a route moved, and vehicles drive" if vehicles else ""


def _told_of_named(kind: str, old: Sequence[Any], new: Sequence[Any]) -> str:
    """Say which of some things that have names is another, the first that is; else that their order is.

    Args:
        kind: what a scene calls them.
        old: those of the old scene.
        new: those of the new one.
    """
    what, (comes, goes) = _NAMED[kind], _COME_AND_GO.get(kind, ("is new", "was removed"))
    names = [each.name for each in old], [each.name for each in new]
    if len(old) != len(new):
        came, gone = ([name for name in names[one] if name not in names[not one]] for one in (True, False))
        told = [f"{what} '{name}' {comes}" for name in came] + [f"{what} '{name}' {goes}" for name in gone]
        return told[0] if told else f"{what} '{[*names[0], *names[1]][0]}' has more or fewer copies"
    one, other = next((one, other) for one, other in zip(old, new, strict=True) if _key(one) != _key(other))
    if one.name == other.name:
        only_width = kind == "routes" and _key(replace(one, width=other.width)) == _key(other)
        return f"the width of {what} '{one.name}' changed" if only_width else f"{what} '{one.name}' changed"
    if _key(replace(one, name=other.name)) == _key(other):
        return f"{what} '{one.name}' was renamed to '{other.name}'"
    return f"{what} '{one.name}' was replaced by '{other.name}'"


def _changed_things(old: Scene, new: Scene) -> list[Thing] | str:
    """Return what stands in one of two scenes only; the reason where the rest is in another order, or moves."""
    movers = [[each for each in scene.obstacles if each.motion is not None] for scene in (old, new)]
    if _key(movers[0]) != _key(movers[1]):
        return _told_of_rest(old, new) or _told_of_named("obstacles", *movers)
    before, after = _standing(old), _standing(new)
    same = Counter(key for key, _ in before) & Counter(key for key, _ in after)
    kept, changed = zip(*(_split(each, same) for each in (before, after)), strict=True)
    if kept[0] != kept[1]:
        return "the order of the obstacles changed"
    return [thing for each in changed for thing in each]


def _told_of_rest(old: Scene, new: Scene) -> str:
    """Say which obstacle that is in both scenes has come to rest or moves now, the first that has; else nothing."""
    moved = {obstacle.name: obstacle.motion is not None for obstacle in old.obstacles}
    for obstacle in new.obstacles:
        moves = obstacle.motion is not None
        if moved.get(obstacle.name, moves) != moves:
            return f"the obstacle '{obstacle.name}' {'now moves' if moves else 'no longer moves'}"
    return ""


def _standing(scene: Scene) -> list[tuple[Hashable, Thing]]:
    """All that never moves, each with what tells it from others; names tell nothing."""
    solids = [each for each in scene.obstacles if each.motion is None]
    keys = [tuple(_key(getattr(each, field.name)) for field in fields(each) if field.name != "name") for each in solids]
    return [*zip(keys, solids, strict=True), *((_key(wall), wall) for wall in scene.walls)]


def _split(things: list[tuple[Hashable, Thing]], same: Counter[Hashable]) -> tuple[list[Hashable], list[Thing]]:
    """The keys of those that are in both scenes, and those that are in one alone."""
    left, kept, changed = same.copy(), [], []
    for key, thing in things:
        if left[key]:
            left[key] -= 1
            kept.append(key)
        else:
            changed.append(thing)
    return kept, changed


def _line_of(thing: Thing) -> Float64:
    """The corners of a solid or a wall, float64 (V, 2) [m]."""
    return thing.outline if isinstance(thing, Obstacle) else thing


def _key(value: Any) -> Hashable:
    """What tells a part of a scene from others."""
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.str, value.tobytes()
    if is_dataclass(value):
        return type(value), tuple(_key(getattr(value, field.name)) for field in fields(value))
    if isinstance(value, tuple | list):
        return tuple(map(_key, value))
    if isinstance(value, float):
        return value.hex()  # tells 0 from -0
    return value
