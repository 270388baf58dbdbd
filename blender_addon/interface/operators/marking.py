# SPDX-License-Identifier: GPL-3.0-or-later
"""What the selected objects are for: obstacles, heroes, crossings, the ground, bounds, start, goal and characters."""

from typing import Any

import bpy
from bpy.props import EnumProperty
from mathutils import Vector

from ...blender_data.evaluation import metres_per_unit
from ...blender_data.tags import TAG
from ...reading.ground.floors import FLOOR_THICKNESS
from ...settings.crowd.crowd import AREAS, is_mesh
from ...settings.properties.choices import offer_places
from ...settings.scene_settings import active_crowd, grounds_and_routes, scene_of, settings_of
from ..poll_reasons import NO_CROWD, OneStep
from .figures import characters_among, take_characters

OBSTACLES_NAME, HEROES_NAME, CROSSINGS_NAME = "Obstacles", "Heroes", "Crossings"
_SOLID_TYPES = {"MESH", "SURFACE", "FONT", "META"}
_STEEP = 0.7  # least height of the normal of what lies rather than stands, over its length; chosen
_LOWEST_SEAT = 0.2  # of a seat over the foot of its bench [m]; chosen
_NO_FACES = "'{}' has no faces: add some, or select another mesh"
_NO_MESH = "'{}' is not a mesh of yours: select one that no bake has made"
_ON_SURFACE = 0.02  # from a surface to the 3D cursor that was put onto it [m]; chosen

_Context = bpy.types.Context


def _can_stand_in_the_way(obj: bpy.types.Object) -> bool:
    """Has a body, or shows a collection of bodies, and was not made by a bake; a bare curve is likelier a route."""
    if TAG in obj:
        return False
    if isinstance(obj.data, bpy.types.Curve) and obj.type == "CURVE":
        return bool(obj.data.bevel_depth or obj.data.extrude or obj.data.bevel_object)
    return obj.type in _SOLID_TYPES or obj.instance_collection is not None


def is_bare(obj: bpy.types.Object, *, with_edges: bool = False) -> bool:
    """Is a mesh that has no faces and gets none from modifiers; or, if asked, has no edges either."""
    if not isinstance(obj.data, bpy.types.Mesh) or obj.is_instancer or obj.modifiers or obj.mode == "EDIT":
        return False
    return not (obj.data.polygons or (with_edges and obj.data.edges))


def _is_fixed(collection: bpy.types.Collection) -> bool:
    """Belongs to another file, which alone says what is in it."""
    return not collection.is_editable or collection.override_library is not None


def _why_fixed(collection: bpy.types.Collection | None) -> str | None:
    if collection is None or not _is_fixed(collection):
        return None
    return f"Collection '{collection.name}' is linked from another file: choose one of this file"


class _Mark(OneStep):
    """Put selected objects into a collection of the settings, made if there is none.

    Attributes:
        setting: which collection.
        collection_name: of a new one.
        nothing: what to say where nothing selected is fit.
    """

    setting: str
    collection_name: str
    nothing: str

    @classmethod
    def why_not(cls, context: _Context) -> str | None:
        reason = _why_fixed(getattr(settings_of(scene_of(context)), cls.setting))
        if reason:
            return reason
        return None if cls.candidates(context) else cls.nothing

    @classmethod
    def candidates(cls, context: _Context) -> list[bpy.types.Object]:
        """The selected objects that are fit."""
        raise NotImplementedError

    @classmethod
    def mark(cls, context: _Context) -> str:
        """Put them into the collection; returns a sentence about it."""
        return cls.add(context, cls.candidates(context))

    @classmethod
    def add(cls, context: _Context, objects: list[bpy.types.Object]) -> str:
        """Put objects that are fit into the collection; returns a sentence about it."""
        settings, root = settings_of(scene_of(context)), scene_of(context).collection
        is_new = getattr(settings, cls.setting) is None
        if is_new:
            setattr(settings, cls.setting, bpy.data.collections.new(cls.collection_name))
        collection = getattr(settings, cls.setting)
        was_lost = collection not in {root, *root.children_recursive}
        if was_lost:
            root.children.link(collection)
        inside = set(collection.all_objects)
        new = [obj for obj in objects if obj not in inside]
        for obj in new:
            collection.objects.link(obj)
        names = f"'{new[0].name}'" if len(new) == 1 else f"{len(new)} objects"
        told = f"{names} added to '{collection.name}', which has {len(inside) + len(new)} now"
        return f"{told}; the collection is back in the scene" if was_lost and not is_new else told

    def execute(self, context: _Context) -> set[str]:
        self.report({"INFO"}, self.mark(context))  # ty: ignore[missing-attribute]
        return {"FINISHED"}


class MarkObstacles(_Mark, bpy.types.Operator):
    """Put the selected meshes into the collection of obstacles."""

    bl_idname = "footfall.mark_obstacle"
    bl_label = "Mark as Obstacle"
    bl_description = "Make people walk round the selected objects: adds them to the collection of obstacles"
    setting, collection_name = "obstacles", OBSTACLES_NAME
    nothing = "No selected object can be an obstacle: select meshes first"

    @classmethod
    def why_not(cls, context: _Context) -> str | None:
        """Why nothing selected can be one, and which mesh has no body."""
        bare = [obj.name for obj in context.selected_objects if is_bare(obj, with_edges=True)]
        reason = super().why_not(context)
        return _NO_FACES.format(bare[0]) if bare and reason == cls.nothing else reason

    @classmethod
    def candidates(cls, context: _Context) -> list[bpy.types.Object]:
        """The selected objects that have a body, are nobody's route, and have no other purpose."""
        return [obj for obj in context.selected_objects if cls._is_fit(context, obj)]

    @classmethod
    def _is_fit(cls, context: _Context, obj: bpy.types.Object) -> bool:
        others = grounds_and_routes(settings_of(scene_of(context)))
        return _can_stand_in_the_way(obj) and not is_bare(obj, with_edges=True) and obj not in others

    @classmethod
    def find_at(
        cls, context: _Context, place: Vector, walked: list[Vector], *, is_seat: bool
    ) -> bpy.types.Object | None:
        """Find the visible mesh on whose surface a place lies, and which can be an obstacle there.

        Args:
            context: of the window.
            place: of the world, as the 3D cursor is put onto a surface.
            walked: places where people walk, x and y; a mesh over or under one is a floor, or a whole street.
            is_seat: it is to be a seat, which is over its foot; else a wall or a window, which is upright.

        Returns:
            The nearest such mesh; None: there is none, or the collection of obstacles is of another file.
        """
        if _why_fixed(settings_of(scene_of(context)).obstacles):
            return None
        metre = metres_per_unit(scene_of(context))
        lowest, nearly = _LOWEST_SEAT / metre, _ON_SURFACE / metre
        found = []
        for obj in context.visible_objects:
            if not isinstance(obj.data, bpy.types.Mesh) or not obj.data.polygons or not cls._is_fit(context, obj):
                continue
            low, high = _box(obj)
            reach = Vector((nearly,) * 3)
            if not _is_between(place, low - reach, high + reach):
                continue
            if any(low.x <= each.x <= high.x and low.y <= each.y <= high.y for each in walked):
                continue
            to_world = obj.matrix_world
            hit, nearest, normal, _ = obj.closest_point_on_mesh(to_world.inverted_safe() @ place)
            away = (to_world @ nearest - place).length
            upwards = (to_world.to_3x3().inverted_safe().transposed() @ normal).normalized().z
            is_right = place.z - low.z >= lowest if is_seat else abs(upwards) < _STEEP
            if hit and away <= nearly and is_right:
                found.append((away, obj.name, obj))
        return min(found, key=lambda each: each[:2])[2] if found else None

    @classmethod
    def mark(cls, context: _Context) -> str:
        """Put them into the collection; the floor among them becomes the ground."""
        settings = settings_of(scene_of(context))
        floors = [] if settings.ground is not None else _floors_among(cls.candidates(context), settings)
        if floors:
            settings.ground = floors[0]
            if not cls.candidates(context):
                return f"'{floors[0].name}' lies flat under the route and is the Ground now"
        told = super().mark(context)
        return f"{told}; '{floors[0].name}' lies flat under them and is the Ground now" if floors else told


def _floors_among(objects: list[bpy.types.Object], settings: Any) -> list[bpy.types.Object]:
    """The flat meshes under routes, or under several of the other objects, the largest first."""
    boxes = {obj: _box(obj) for obj in objects}
    marks = [mark for crowd in settings.crowds for mark in (crowd.route, crowd.start, crowd.goal) if mark is not None]
    found = []
    for floor, (low, high) in boxes.items():
        if floor.type != "MESH" or is_bare(floor) or high.z - low.z > FLOOR_THICKNESS:
            continue
        above = [_box(mark) for mark in marks] + [box for obj, box in boxes.items() if obj != floor]
        under = [_is_over(each, low, high) for each in above]
        if any(under[: len(marks)]) or (len(under) > 1 and 2 * sum(under) > len(under)):
            found.append(((high.x - low.x) * (high.y - low.y), floor.name, floor))
    return [floor for *_, floor in sorted(found, reverse=True, key=lambda each: each[:2])]


def _is_between(place: Vector, low: Vector, high: Vector) -> bool:
    return all(low[axis] <= place[axis] <= high[axis] for axis in range(3))


def _is_over(box: tuple[Vector, Vector], low: Vector, high: Vector) -> bool:
    """Whether the middle of a box is over a flat one, on which it stands or hangs."""
    middle = (box[0] + box[1]) / 2
    return low.x <= middle.x <= high.x and low.y <= middle.y <= high.y and low.z <= box[0].z + FLOOR_THICKNESS


def _box(obj: bpy.types.Object) -> tuple[Vector, Vector]:
    """The bounding box of an object in the world: its lowest and its highest corner."""
    corners = [obj.matrix_world @ Vector(corner) for corner in obj.bound_box]
    return (
        Vector([min(corner[axis] for corner in corners) for axis in range(3)]),
        Vector([max(corner[axis] for corner in corners) for axis in range(3)]),
    )


class MarkCrossings(_Mark, bpy.types.Operator):
    """Put the selected meshes into the collection of crossings."""

    bl_idname = "footfall.mark_crossing"
    bl_label = "Mark as Crossing"
    bl_description = "Make vehicles stop for people on the selected flat meshes: adds them to the crossings"
    setting, collection_name = "crossings", CROSSINGS_NAME
    nothing = "No selected object can be a crossing: select flat meshes first"

    @classmethod
    def candidates(cls, context: _Context) -> list[bpy.types.Object]:
        """The selected meshes that no bake has made."""
        return [obj for obj in context.selected_objects if is_mesh(None, obj)]


class MarkSelected(OneStep, bpy.types.Operator):
    """Choose what the selected objects are for."""

    bl_idname = "footfall.mark_selected"
    bl_label = "Mark Selected as"
    bl_description = "Choose what the selected objects are for"

    role: EnumProperty(
        name="Role",
        description="What the selected objects are for",
        items=[
            ("OBSTACLE", "Obstacle", "People walk round the selected objects"),
            ("HERO", "Hero", "You animate the selected objects, and everybody avoids them"),
            ("CROSSING", "Crossing", "Vehicles stop for people on the selected flat meshes"),
            ("GROUND", "Ground", "People stand on the active mesh"),
            ("BOUNDS", "Bounds", "Nobody leaves the footprint of the active mesh"),
            ("START", "Start", "The active crowd starts at the active mesh or empty"),
            ("GOAL", "Goal", "The active crowd goes to the active mesh or empty"),
            ("CHARACTER", "Character", "The people of the active crowd are copies of the selected characters"),
        ],
    )

    def execute(self, context: _Context) -> set[str]:
        if self.role in _MARKS:
            marked = _MARKS[self.role]
            reason = marked.why_not(context)
            if not reason:
                self.report({"INFO"}, marked.mark(context))
        elif self.role == "CHARACTER":
            reason = self._choose_characters(context)
        else:
            reason = self._choose(context)
        if reason:
            return self.refuse(reason)
        return {"FINISHED"}

    def _choose(self, context: _Context) -> str:
        """Set the active object; returns why it cannot be, or nothing."""
        settings, chosen = settings_of(scene_of(context)), context.active_object
        if chosen is None or not chosen.select_get():
            return "Nothing is selected: select an object first"
        if self.role in {"GROUND", "BOUNDS"}:
            if not is_mesh(settings, chosen) or is_bare(chosen):
                fault = _NO_FACES if is_mesh(settings, chosen) else _NO_MESH
                return fault.format(chosen.name)
            setattr(settings, self.role.lower(), chosen)
            told = "is the ground now" if self.role == "GROUND" else "now sets the bounds"
            self.report({"INFO"}, f"'{chosen.name}' {told}")
            return ""
        crowd = active_crowd(scene_of(context))
        if crowd is None:
            return NO_CROWD
        if not offer_places(crowd, chosen):
            return f"'{chosen.name}' cannot be a {self.role.lower()}: select a mesh of yours or an empty"
        crowd.mode = AREAS
        setattr(crowd, self.role.lower(), chosen)
        self.report({"INFO"}, f"'{chosen.name}' is the {self.role.lower()} of '{crowd.name}' now")
        return ""

    def _choose_characters(self, context: _Context) -> str:
        crowd, parts = active_crowd(scene_of(context)), characters_among(context.selected_objects)
        if crowd is None:
            return NO_CROWD
        if not parts:
            return "No selected object is a character: select an armature, a mesh on one, or objects that walk"
        if fixed := _why_fixed(crowd.characters):
            return fixed
        self.report({"INFO"}, f"'{crowd.name}': {take_characters(crowd, parts, scene_of(context))}")
        return ""


class MarkHeroes(_Mark, bpy.types.Operator):
    """Put the selected objects into the collection of heroes."""

    bl_idname = "footfall.mark_hero"
    bl_label = "Mark as Hero"
    bl_description = "Make people avoid the selected objects, which you animate: adds them to the collection of heroes"
    setting, collection_name = "heroes", HEROES_NAME
    nothing = "No selected object can be a hero: select the armature, mesh or empty that you animate"

    @classmethod
    def candidates(cls, context: _Context) -> list[bpy.types.Object]:
        """The selected armatures, empties and bodies that no bake has made."""
        own = [obj for obj in context.selected_objects if TAG not in obj]
        return [obj for obj in own if obj.type in {"ARMATURE", "EMPTY"} or _can_stand_in_the_way(obj)]


_MARKS: dict[str, type[_Mark]] = {"OBSTACLE": MarkObstacles, "HERO": MarkHeroes, "CROSSING": MarkCrossings}


class _Unmark(OneStep):
    """Take selected objects out of a collection of the settings, by its name `setting`."""

    setting: str

    @classmethod
    def why_not(cls, context: _Context) -> str | None:
        collection = getattr(settings_of(scene_of(context)), cls.setting)
        reason = _why_fixed(collection)
        if reason:
            return reason
        chosen = cls.candidates(context)
        if not chosen:
            return f"No selected object is among the {cls.setting}"
        fixed = [_fixed_holder(obj, collection) for obj in chosen]
        if all(fixed):
            return (
                f"'{chosen[0].name}' is in '{fixed[0].name}', which is linked from another file: remove that "
                "collection instead"
            )
        return None

    @classmethod
    def candidates(cls, context: _Context) -> list[bpy.types.Object]:
        """The selected objects that are in it."""
        collection = getattr(settings_of(scene_of(context)), cls.setting)
        inside = set() if collection is None else set(collection.all_objects)
        return [obj for obj in context.selected_objects if obj in inside]

    def execute(self, context: _Context) -> set[str]:
        collection = getattr(settings_of(scene_of(context)), self.setting)
        marked = {collection, *collection.children_recursive}
        kept = [obj for obj in self.candidates(context) if _fixed_holder(obj, collection)]
        chosen = [obj for obj in self.candidates(context) if obj not in kept]
        for obj in chosen:
            for holder in marked.intersection(obj.users_collection):
                holder.objects.unlink(obj)
            if not obj.users_collection:
                scene_of(context).collection.objects.link(obj)  # it was nowhere else: keep it in the scene
        told = f"{len(chosen)} removed from '{collection.name}'"
        if kept:
            names = ", ".join(f"'{obj.name}'" for obj in kept)
            told += f"; kept because they are in a collection linked from another file: {names}"
        self.report({"INFO"}, told)  # ty: ignore[missing-attribute]
        return {"FINISHED"}


class UnmarkObstacles(_Unmark, bpy.types.Operator):
    """Take the selected objects out of the collection of obstacles."""

    bl_idname = "footfall.unmark_obstacle"
    bl_label = "Unmark as Obstacle"
    bl_description = "Remove the selected objects from the collection of obstacles; the objects are not deleted"
    setting = "obstacles"


class UnmarkHeroes(_Unmark, bpy.types.Operator):
    """Take the selected objects out of the collection of heroes."""

    bl_idname = "footfall.unmark_hero"
    bl_label = "Unmark as Hero"
    bl_description = "Remove the selected objects from the collection of heroes; the objects are not deleted"
    setting = "heroes"


def _fixed_holder(obj: bpy.types.Object, obstacles: bpy.types.Collection) -> bpy.types.Collection | None:
    """The collection among the obstacles' that keeps an object in, as it is linked from another file; or None."""
    return next((each for each in obstacles.children_recursive if _is_fixed(each) and obj in set(each.objects)), None)


CLASSES = (MarkObstacles, UnmarkObstacles, MarkHeroes, UnmarkHeroes, MarkCrossings, MarkSelected)
