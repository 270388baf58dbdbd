# SPDX-License-Identifier: GPL-3.0-or-later
"""Add, remove and move the stops of the active crowd.

Blender evaluates the annotations below: no `from __future__ import annotations` here.
"""

import math
from typing import Any

import bpy
import numpy as np
from bpy.props import EnumProperty
from mathutils import Vector

from ...blender_data.evaluation import metres_per_unit
from ...blender_data.tags import MADE_FOR_STOP
from ...reading.lives.stop_faults import objects_of
from ...settings.active_rows import active_row, remove_active_row
from ...settings.crowd.crowd import FootfallCrowd
from ...settings.crowd.stops import QUEUE, SIT, FootfallStop, may_be_stop
from ...settings.properties.change_events import setting_changed
from ...settings.properties.identities import free_name
from ...settings.scene_settings import active_crowd, grounds_and_routes, scene_of, settings_of
from ..before_counters import find_place_before
from ..benches import BENCH, Bench, find_bench, is_furniture
from ..beside_route import nearest_on_way, queue_line, way_near
from ..poll_reasons import NO_CROWD, OneStep
from .figures import characters_among
from .marking import MarkObstacles

_Context = bpy.types.Context


def active_stop(crowd: FootfallCrowd | None) -> FootfallStop | None:
    """The stop that the panel shows, or None when there is none."""
    return None if crowd is None else active_row(crowd, "stop")


_KINDS: dict[str, dict[str, Any]] = {
    "PLAIN": {},
    "WINDOW": {"do": "LOOK_AT", "stay": 6.0, "stay_variation": 2.0, "share": 0.4},
    "COUNTER": {"do": "QUEUE", "stay": 5.0, "stay_variation": 2.0, "share": 0.3},
    "CHAT": {"do": "TALK", "stay": 20.0, "stay_variation": 6.0, "share": 0.3, "room": 4},
    "BENCH": {"do": "SIT", "stay": 20.0, "stay_variation": 8.0, "share": 0.2},
    "PHONE": {"do": "STAND", "stay": 10.0, "stay_variation": 4.0, "share": 0.15, "activities": {"PHONE"}},
    "DOOR": {"do": "STAND", "stay": 0.0, "stay_variation": 0.0, "share": 0.5, "then": "LEAVE"},
}


def _chosen(context: _Context) -> list[bpy.types.Object]:
    """Return the selected objects at which people can stop, the active one first.

    Left out are characters, the ground, the bounds, and the routes, starts and goals of all crowds.
    """
    settings = settings_of(scene_of(context))
    others = grounds_and_routes(settings).union(characters_among(context.selected_objects))
    others |= {end for crowd in settings.crowds for end in (crowd.start, crowd.goal)}
    found = [each for each in context.selected_objects if may_be_stop(each) and each not in others]
    return sorted(found, key=lambda each: (each != context.active_object, each.name))


def _make_place(
    scene: bpy.types.Scene,
    crowd: FootfallCrowd,
    kind: str,
    cursor: Vector,
    on: bpy.types.Object | None,
    *,
    seats: int = 4,
    out: Vector | None = None,
) -> bpy.types.Object:
    """Make a place: an empty, seats in a row, or the line of a queue; `on` a window, a counter or a bench.

    It faces the route, or `out` of a counter where the route is behind that.
    """
    name = _NAMES[kind] if on is None or on.name != _NAMES[kind] else _NAMES_ON[kind]
    nearest = nearest_on_way(scene, crowd, cursor)
    towards = None if nearest is None else Vector((nearest[0] - cursor.x, nearest[1] - cursor.y, 0.0))
    is_before = towards is not None and (out is None or towards.dot(out) > 0.0)
    data = None
    if _KINDS[kind].get("do") == SIT:
        data = bpy.data.meshes.new(name)
        width = BENCH.width / metres_per_unit(scene)
        data.from_pydata([(width * (number - 0.5 * (seats - 1)), 0.0, 0.0) for number in range(seats)], [], [])
    elif is_before and _KINDS[kind].get("do") == QUEUE and (line := queue_line(scene, crowd, cursor)) is not None:
        data = bpy.data.curves.new(name, "CURVE")
        points = data.splines.new("POLY").points
        points.add(len(line) - 1)
        points.foreach_set("co", np.column_stack((line - cursor[:2], np.zeros(len(line)), np.ones(len(line)))).ravel())
    made = bpy.data.objects.new(name, data)
    made.location, made[MADE_FOR_STOP] = cursor, made.name
    facing = towards if is_before else out
    if not isinstance(data, bpy.types.Curve) and facing is not None:
        made.rotation_euler.z = math.atan2(-facing.x, facing.y)
    scene.collection.objects.link(made)
    return made


def _places_of_others(
    scene: Any, crowd: FootfallCrowd, kind: str, there: bpy.types.Object, near: Vector | None = None
) -> list[bpy.types.Object]:
    """Return the places of a stop of another crowd, of the same kind, made at an object, near a point of it."""
    within = _SHARED / metres_per_unit(scene)
    for stop in (stop for other in settings_of(scene).crowds if other != crowd for stop in other.stops):
        places = [each for each in objects_of(stop) if each.parent == there and MADE_FOR_STOP in each]
        off = [(each.matrix_world.translation - near).length for each in places if near is not None]
        if places and stop.do == _KINDS[kind].get("do") and max(off, default=0.0) <= within:
            return places
    return []


def _put_seats(
    scene: bpy.types.Scene, crowd: FootfallCrowd, bench: Bench, chosen: bpy.types.Object
) -> list[bpy.types.Object]:
    """Make a row of seats on each leg of a bench, which move with it; a straight one without a back faces the route."""
    found = []
    for row in bench.rows:
        made = _make_place(scene, crowd, "BENCH", row.middle, chosen, seats=row.count)
        x, y = row.facing.tolist()
        nearest = nearest_on_way(scene, crowd, row.middle)
        if (
            nearest is not None
            and not (bench.has_back or len(bench.rows) > 1)
            and (nearest[0] - made.location.x) * x + (nearest[1] - made.location.y) * y < 0
        ):
            x, y = -x, -y
        made.rotation_euler.z = math.atan2(-x, y)
        made.parent, made.matrix_parent_inverse = chosen, chosen.matrix_world.inverted_safe()
        found.append(made)
    return found


def _gather(
    scene: bpy.types.Scene, places: list[bpy.types.Object], chosen: list[bpy.types.Object]
) -> bpy.types.Collection:
    """Put the places of one stop into a collection; those that were not chosen, but made for it, are in no other."""
    made = bpy.data.collections.new(places[0].name)
    made[MADE_FOR_STOP] = made.name
    scene.collection.children.link(made)
    for place in places:
        made.objects.link(place)
        if place not in chosen:
            scene.collection.objects.unlink(place)
    return made


def _gathered(scene: bpy.types.Scene, places: list[bpy.types.Object]) -> bpy.types.Collection | None:
    """Return the collection of the stop of another crowd for which all of some places were made; None for no such."""
    if not all(MADE_FOR_STOP in each for each in places):
        return None
    stops = (stop for crowd in settings_of(scene).crowds for stop in crowd.stops if stop.place is None)
    return next((stop.places for stop in stops if objects_of(stop) == places), None)


def _remove_places(places: bpy.types.Collection | None) -> None:
    """Remove the places of a removed stop that were made for it, and their collection, if that was, too."""
    if places is None or places.get(MADE_FOR_STOP) != places.name or places.users > 1:
        return
    for row in list(places.objects):
        _remove_place(row)
    if all(len(each.users_collection) > 1 for each in places.objects):
        bpy.data.collections.remove(places)


def _remove_place(place: bpy.types.Object | None) -> None:
    """Remove the place of a removed stop, if it was made with it, and nothing but its collections needs it."""
    is_ours = place is not None and place.get(MADE_FOR_STOP) == place.name  # a copy or a renamed one is the user's
    if place is None or not is_ours or place.children or place.users > len(place.users_collection):
        return
    data = place.data
    bpy.data.objects.remove(place)
    if data is not None and not data.users:
        bpy.data.batch_remove([data])


def _front_of(
    scene: bpy.types.Scene, crowd: FootfallCrowd, chosen: bpy.types.Object, *, looked_at: bool
) -> Vector | None:
    """Return the point of the surface of a wall or a counter nearest to the route; None of a flat or bare mesh.

    Where the way leads straight through what is looked at, that is the one nearest to where people come from.
    """
    if not isinstance(chosen.data, bpy.types.Mesh) or not len(chosen.data.polygons):
        return None
    corners = [chosen.matrix_world @ Vector(corner) for corner in chosen.bound_box]
    low, high = (each(corner.z for corner in corners) for each in (min, max))
    middle = sum(corners, Vector()) / len(corners)
    nearest = nearest_on_way(scene, crowd, middle)
    if nearest is None or high - low < _LOWEST_WINDOW / metres_per_unit(scene):
        return None
    box = [(min(ends), max(ends)) for ends in zip(*(corner[:2] for corner in corners), strict=True)]
    way = way_near(scene, crowd, middle) if looked_at else None
    if way is not None and all(least <= place <= most for place, (least, most) in zip(nearest, box, strict=True)):
        nearest = way[0].tolist()
    to_world = chosen.matrix_world
    found, point, _, _ = chosen.closest_point_on_mesh(to_world.inverted_safe() @ Vector((*nearest, 0.5 * (low + high))))
    return to_world @ point if found else None


def _before(scene: bpy.types.Scene, crowd: FootfallCrowd, on_it: Vector) -> Vector:
    """Return a point before a window, on the side of the route, for one on its surface."""
    nearest = nearest_on_way(scene, crowd, on_it)
    if nearest is None:
        return on_it
    towards = Vector((nearest[0] - on_it.x, nearest[1] - on_it.y, 0.0))
    return on_it + min(_BEFORE_WINDOW / metres_per_unit(scene), towards.length) * towards.normalized()


_ITEMS = (
    ("PLAIN", "Stand", "They stand there for a while"),
    ("WINDOW", "Shop Window", "Some look into a window"),
    ("COUNTER", "Counter", "Some queue and are served one by one"),
    ("CHAT", "Chat", "Some stand in rings and talk"),
    ("BENCH", "Bench", "Some sit down for a while"),
    ("PHONE", "Phone Call", "Some stop for a call"),
    ("DOOR", "Door", "Some go in and disappear"),
)
_NAMES = {kind: label for kind, label, _ in _ITEMS}
_NAMES_ON = {  # where the object itself is called so
    "WINDOW": "Look into Shop Window",
    "COUNTER": "Queue at Counter",
    "BENCH": "Seats on Bench",
}
_FACED = {"WINDOW", "COUNTER"}  # kinds of which people stand before one side
_BEFORE_WINDOW = 0.05  # how far before it the place is, so that its side is known [m]; chosen
_SHARED = 1.5  # stops of two crowds at one object are one place where they would be nearer than this [m]; chosen
_LOWEST_WINDOW = 0.3  # height of a mesh from which on people stand before it rather than on it [m]; chosen
_NO_SEAT = (
    f"'{{}}' has nothing level {BENCH.lowest} to {BENCH.highest} m above its foot, so its vertices are the seats. "
    "Correct its scale, or put the 3D cursor on the seat, select nothing, and add the stop there"
)
_BENT = (
    "'{}' is neither straight nor has it straight legs: some of its seats are beside its top. Move their points in "
    "Edit Mode, or put the 3D cursor on each part of it, select nothing, and add a stop there"
)
_SOLID = {"WINDOW", "BENCH"}  # kinds that are put onto a mesh in which nobody should stand


class AddStop(OneStep, bpy.types.Operator):
    """Add a stop to the active crowd and make it the active one."""

    bl_idname = "footfall.stop_add"
    bl_label = "Add Stop"
    bl_description = (
        "Add a stop for this crowd: at the selected empties, curves and meshes, or else at the 3D cursor. Windows and "
        "benches that are selected or under the cursor become obstacles, and so do counters that are selected"
    )

    kind: EnumProperty(
        name="Kind",
        description="What people do there; you can change it below",
        items=_ITEMS,
        default="PLAIN",
    )

    @classmethod
    def why_not(cls, context: _Context) -> str | None:
        crowd = active_crowd(scene_of(context))
        if crowd is None:
            return NO_CROWD
        return "Vehicles have no stops" if crowd.drives else None

    def execute(self, context: _Context) -> set[str]:
        scene: Any = context.scene
        crowd: Any = active_crowd(scene_of(context))  # there is one: see why_not
        chosen = _chosen(context)
        places = [place for each in chosen or [None] for place in self._places_at(context, crowd, each)]
        name = free_name((chosen or places)[0].name, [stop.name for stop in crowd.stops])
        stop = crowd.stops.add()
        stop.name = name
        if len(places) > 1:
            stop.places = _gathered(scene, places) or _gather(scene, places, chosen)
        else:
            stop.place = places[0]
        for key, value in _KINDS[self.kind].items():
            setattr(stop, key, value)
        crowd.active_stop_index = len(crowd.stops) - 1
        return {"FINISHED"}

    def _places_at(self, context: Any, crowd: Any, chosen: bpy.types.Object | None) -> list[bpy.types.Object]:
        """Return where people stop at a selected object, or at the 3D cursor: itself, or what is made for it."""
        scene = context.scene
        if self.kind == "BENCH" and chosen is not None and is_furniture(chosen, context.evaluated_depsgraph_get()):
            bench = find_bench(chosen, metres_per_unit(scene))
            if bench is None or bench.is_bent:
                self.report({"WARNING"}, (_NO_SEAT if bench is None else _BENT).format(chosen.name))
            if bench is None:
                return [chosen]
            self._mark(context, chosen)
            return self._shared(scene, crowd, chosen) or _put_seats(scene, crowd, bench, chosen)
        front = None
        if chosen is not None and self.kind in _FACED:
            front = _front_of(scene, crowd, chosen, looked_at=self.kind == "WINDOW")
        if chosen is not None and front is None:
            return [chosen]
        where = scene.cursor.location.copy() if front is None else front
        there = self._mark_what_is_there(context, crowd, where, chosen)
        out = None
        if there is not None and self.kind == "COUNTER":
            obstacles = settings_of(scene_of(context)).obstacles.all_objects[:]
            where, out = find_place_before(scene, crowd, there, where, obstacles)
        elif there is not None and self.kind == "WINDOW":
            where = _before(scene, crowd, where)
        if there is not None and (places := self._shared(scene, crowd, there, where)):
            return places
        place = _make_place(scene, crowd, self.kind, where, there, out=out)
        if there is not None:
            place.parent, place.matrix_parent_inverse = there, there.matrix_world.inverted_safe()  # moves with it
        return [place]

    def _shared(
        self, scene: Any, crowd: FootfallCrowd, there: bpy.types.Object, near: Vector | None = None
    ) -> list[bpy.types.Object]:
        """Return the places that another crowd has there already: in two queues on one place all would stand in all."""
        places = _places_of_others(scene, crowd, self.kind, there, near)
        if places:
            self.report({"INFO"}, f"The stop at '{there.name}' is shared with another crowd: both use the same place")
        return places

    def _mark_what_is_there(
        self, context: Any, crowd: Any, cursor: Vector, chosen: bpy.types.Object | None
    ) -> bpy.types.Object | None:
        """Make a chosen counter, or what is at the 3D cursor, an obstacle, as people would stand in it; return it."""
        if self.kind == "COUNTER" and chosen is not None:
            self._mark(context, chosen)
            return chosen
        if self.kind not in _SOLID:
            return None
        walked = [place.matrix_world.translation for place in (crowd.start, crowd.goal) if place is not None]
        if crowd.has_curve and (nearest := nearest_on_way(context.scene, crowd, cursor)):
            walked.append(Vector(nearest))
        there = MarkObstacles.find_at(context, cursor, walked, is_seat=self.kind == "BENCH")
        if there is not None:
            self._mark(context, there)
        return there

    def _mark(self, context: Any, there: bpy.types.Object) -> None:
        obstacles = settings_of(scene_of(context)).obstacles
        if obstacles is None or there not in set(obstacles.all_objects):
            MarkObstacles.add(context, [there])
            self.report({"INFO"}, f"'{there.name}' is an obstacle now: people walk round it")


class _OnStop(OneStep):
    """What operators share that need a stop."""

    @classmethod
    def why_not(cls, context: _Context) -> str | None:
        crowd = active_crowd(scene_of(context))
        return "There is no stop: add one first" if active_stop(crowd) is None else None


class RemoveStop(_OnStop, bpy.types.Operator):
    """Remove the active stop of the active crowd."""

    bl_idname = "footfall.stop_remove"
    bl_label = "Remove Stop"
    bl_description = "Remove the active stop of this crowd"

    def execute(self, context: _Context) -> set[str]:
        crowd = active_crowd(scene_of(context))
        stop: Any = active_stop(crowd)
        place, places = stop.place, stop.places
        remove_active_row(crowd, "stop")
        _remove_place(place)
        _remove_places(places)
        setting_changed(crowd, context)
        return {"FINISHED"}


class MoveStop(_OnStop, bpy.types.Operator):
    """Move the active stop of the active crowd up or down in the list."""

    bl_idname = "footfall.stop_move"
    bl_label = "Move Stop"
    bl_description = "Move the active stop up or down: people visit their stops in the order of the list"

    direction: EnumProperty(
        name="Direction",
        description="Whether people visit the stop earlier or later",
        items=(("UP", "Up", "Earlier"), ("DOWN", "Down", "Later")),
        default="UP",
    )

    def execute(self, context: _Context) -> set[str]:
        crowd = active_crowd(scene_of(context))
        index = crowd.active_stop_index
        wanted = index + (-1 if self.direction == "UP" else 1)
        if not 0 <= wanted < len(crowd.stops):
            return {"CANCELLED"}
        crowd.stops.move(index, wanted)
        crowd.active_stop_index = wanted  # ty: ignore[invalid-assignment]
        setting_changed(crowd, context)
        return {"FINISHED"}


CLASSES = (AddStop, RemoveStop, MoveStop)
