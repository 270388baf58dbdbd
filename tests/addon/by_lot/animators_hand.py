# SPDX-License-Identifier: GPL-3.0-or-later
"""What an animator may do to a file between two bakes, drawn by lot: each method is one edit, and says what it did.

Nothing is kept from one edit to the next but names: undo and loading give every data-block a new place.
"""

import random

import bpy

from ..contents import MADE_AS, MINE, PINNED, TAG, is_ours
from ..street import new_box, new_path

MOST_OBSTACLES, MOST_PEOPLE, MOST_CROWDS, MOST_SCENES = 6, 5, 2, 3


class NothingToDoError(Exception):
    """The file has nothing that this edit could be done to."""


class Hand:
    """The animator's hand.

    Args:
        lot: what it does next.
    """

    def __init__(self, lot: random.Random) -> None:
        self.lot = lot

    @property
    def scene(self):
        """The scene in the window."""
        return bpy.context.scene

    @property
    def settings(self):
        return self.scene.footfall

    @property
    def crowd(self):
        """Any crowd."""
        return self._any(self.settings.crowds)

    def build(self):
        """Fill an empty file with a path, two obstacles, two characters and a crowd."""
        scene = self.scene
        scene.frame_start, scene.frame_end = 1, 16
        path = new_path("Path", scene.collection, [(0, 0, 0), (4, 1, 0), (8, 0, 0)])
        obstacles, characters = (bpy.data.collections.new(name) for name in ("Obstacles", "Boxes"))
        scene.collection.children.link(obstacles)
        new_box("Kiosk", obstacles, (4.0, -2.0, 0.0))
        new_box("Bench", obstacles, (6.0, 2.5, 0.0))
        new_box("Tall", characters, height=1.7)
        new_box("Small", characters, height=0.8)
        camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
        scene.collection.objects.link(camera)
        camera.constraints.new("TRACK_TO")
        camera["shot"] = 7
        self.settings.obstacles = obstacles
        bpy.ops.footfall.crowd_add()
        crowd = self.settings.crowds[0]
        crowd.route, crowd.characters, crowd.count = path, characters, 3
        bpy.context.view_layer.update()

    # The set

    def move_an_obstacle(self):
        box = self._an_obstacle()
        box.location.x, box.location.y = self.lot.uniform(1, 8), self.lot.choice([-1, 1]) * self.lot.uniform(1.2, 4)
        return box.name

    def turn_and_scale_an_obstacle(self):
        box = self._an_obstacle()
        box.rotation_euler.z, box.scale.x = self.lot.uniform(-3, 3), self.lot.uniform(0.5, 1.5)
        return box.name

    def animate_an_obstacle(self):
        box = self._an_obstacle()
        for frame, y in ((1, 4.0), (12, -4.0)):
            box.location.y = y
            box.keyframe_insert("location", frame=frame)
        self.scene.frame_set(self.scene.frame_current)  # it stands where its keys say
        return box.name

    def add_an_obstacle(self):
        if self.settings.obstacles is None or len(self.settings.obstacles.objects) >= MOST_OBSTACLES:
            raise NothingToDoError
        where = (self.lot.uniform(0, 8), self.lot.choice([-2.5, 2.5]), 0.0)
        return new_box("Box", self.settings.obstacles, where).name

    def remove_an_obstacle(self):
        box = self._an_obstacle()
        told = box.name
        bpy.data.objects.remove(box)
        return told

    def edit_a_point_of_the_curve(self):
        paths = [obj for obj in self.scene.objects if obj.type == "CURVE"]
        path = self._any(paths)
        point = self._any(self._any(path.data.splines).points)
        point.co.y = self.lot.uniform(-1, 1)
        return path.name

    def rename_something(self):
        things = [*self.scene.objects, *bpy.data.collections, *bpy.data.actions, *self.settings.crowds]
        thing = self._any(things)
        told, thing.name = thing.name, f"{self.lot.choice(['Hall', 'Crowd 002', 'Obstacles', 'Walk'])}"
        return f"{told} -> {thing.name}"

    def delete_something(self):
        thing = self._any([obj for obj in self.scene.objects if obj.type != "CURVE" or self.lot.random() < 0.2])
        told = thing.name
        bpy.data.objects.remove(thing)
        return told

    def delete_the_collection_of_a_bake(self):
        found = self._any([each for each in bpy.data.collections if TAG in each and each.users])
        told = found.name
        bpy.data.collections.remove(found)
        return told

    # Settings

    def change_a_setting(self):
        crowd, lot = self.crowd, self.lot
        name, value = lot.choice([
            ("count", lot.randint(1, MOST_PEOPLE)),
            ("output", lot.choice(["CHARACTERS", "INSTANCES"])),
            ("avoidance", lot.choice(["ORCA", "HUMAN_LIKE", "NONE"])),
            ("path_width", lot.uniform(1.0, 3.0)),
            ("radius", lot.uniform(0.2, 0.3)),
            ("arrival", lot.choice(["AUTO", "LEAVE"])),
            ("kind", lot.choice(["PEDESTRIAN", "PEDESTRIAN", "PEDESTRIAN", "VEHICLE"])),
        ])  # fmt: skip
        setattr(crowd, name, value)
        return f"{crowd.name}.{name} = {value}"

    def change_how_people_enter(self):
        crowd = self.crowd
        crowd.spawn.mode = self.lot.choice(["AT_ONCE", "SPREAD", "FLOW"])
        return f"{crowd.name} {crowd.spawn.mode}"

    def change_the_scene(self):
        name, value = self.lot.choice([("seed", self.lot.randint(0, 9)), ("frame_end", self.lot.randint(10, 24))])
        setattr(self.settings if name == "seed" else self.scene, name, value)
        return f"{name} = {value}"

    def look_at_another_frame(self):
        self.scene.frame_set(self.lot.randint(1, 20))
        return str(self.scene.frame_current)

    def choose_characters(self):
        crowd = self.crowd
        crowd.characters = None if self.lot.random() < 0.4 else bpy.data.collections.get("Boxes")
        return f"{crowd.name}: {crowd.characters}"

    def add_a_crowd(self):
        if len(self.settings.crowds) >= MOST_CROWDS:
            raise NothingToDoError
        bpy.ops.footfall.crowd_add()
        crowd = self.settings.crowds[-1]
        crowd.route = self._any([obj for obj in self.scene.objects if obj.type == "CURVE"])
        crowd.characters, crowd.count = bpy.data.collections.get("Boxes"), 2
        crowd.spawn.mode = "SPREAD"
        return crowd.name

    def remove_a_crowd(self):
        if len(self.settings.crowds) < MOST_CROWDS:
            raise NothingToDoError
        self.settings.active_crowd_index = self.lot.randrange(len(self.settings.crowds))
        bpy.ops.footfall.crowd_remove()
        return f"{len(self.settings.crowds)} left"

    # What was baked

    def copy_somebody(self):
        mover = self._any(self._baked())
        copy = mover.copy()
        copy[MINE] = 1
        self.scene.collection.objects.link(copy)
        return f"{mover.name} -> {copy.name}"

    def move_somebody_to_another_collection(self):
        mover = self._any(self._baked())
        shot = bpy.data.collections.get("Shot") or bpy.data.collections.new("Shot")
        if shot.name not in self.scene.collection.children:
            self.scene.collection.children.link(shot)
        for each in list(mover.users_collection):
            each.objects.unlink(mover)
        shot.objects.link(mover)
        return mover.name

    def put_something_into_the_collection_of_a_bake(self):
        found = self._any([each for each in self.scene.collection.children if TAG in each])
        lamp = bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT"))
        found.objects.link(lamp)
        return found.name

    def aim_the_camera(self):
        camera, mover = bpy.data.objects.get("Camera"), self._any(self._baked())
        if camera is None or not camera.constraints:
            raise NothingToDoError
        camera.constraints[0].target = mover
        return mover.name

    def edit_keys(self):
        mover = self._any([obj for obj in self._baked() if obj.animation_data and obj.animation_data.action])
        action = mover.animation_data.action
        curves = getattr(action, "fcurves", None)
        if curves is None:
            curves = [each for strip in action.layers[0].strips for bag in strip.channelbags for each in bag.fcurves]
        curve = self._any(curves)
        curve.keyframe_points[0].co.y += 0.125
        curve.update()
        return mover.name

    def say_something_of_people(self):
        somebody = self._any([obj for obj in self._baked() if obj.name in self.scene.objects])
        for obj in bpy.context.view_layer.objects:
            obj.select_set(False)
        somebody.select_set(True)
        name = self.lot.choice(["pin_people", "hide_people", "delete_people", "retime_people", "restore_people",
                                "replace_character"])  # fmt: skip
        told = f"{name} {somebody.name}"
        given = {"character": self.lot.choice(["Tall", "Small"])} if name == "replace_character" else {}
        getattr(bpy.ops.footfall, name)(**given)
        return told

    def forget_what_was_said(self):
        crowd = self.crowd
        edit = self._any(crowd.edits)
        told = edit.name
        self.settings.active_crowd_index = list(self.settings.crowds).index(crowd)
        bpy.ops.footfall.restore_person(person=told)
        return told

    def make_somebody_real(self):
        shown = self._any([obj for obj in self._baked() if "footfall_people" in obj])
        bpy.context.view_layer.objects.active = shown
        bpy.ops.footfall.make_real(agents=str(self.lot.randint(1, 2)))
        return shown.name

    # Scenes

    def copy_the_scene(self):
        if len(bpy.data.scenes) >= MOST_SCENES:
            raise NothingToDoError
        how = self.lot.choice(["FULL_COPY", "LINK_COPY"])
        bpy.ops.scene.new(type=how)
        return how

    def go_to_another_scene(self):
        if len(bpy.data.scenes) < 2:
            raise NothingToDoError
        bpy.context.window_manager.windows[0].scene = self._any(bpy.data.scenes)
        return self.scene.name

    def delete_a_scene(self):
        if len(bpy.data.scenes) < 2:
            raise NothingToDoError
        told = self.scene.name
        bpy.ops.scene.delete()
        return told

    def mend(self):
        """Give back what a bake cannot do without, so that most rounds bake something."""
        if not len(self.settings.crowds):
            bpy.ops.footfall.crowd_add()
        paths = [obj for obj in self.scene.objects if obj.type == "CURVE"]
        path = paths[0] if paths else new_path("Path", self.scene.collection, [(0, 0, 0), (8, 0, 0)])
        for crowd in self.settings.crowds:
            if crowd.route is None or crowd.route.name not in self.scene.objects:
                crowd.route = path
            if crowd.characters is not None and not crowd.characters.objects:
                crowd.characters = None
            if not crowd.count:
                crowd.count = 2

    def edits(self):
        """All edits there are, by name."""
        own = [name for name, value in vars(Hand).items() if callable(value) and not name.startswith("_")]
        return sorted(set(own) - {"build", "edits", "mend"})

    def _any(self, things):
        things = list(things)
        if not things:
            raise NothingToDoError
        return self.lot.choice(things)

    def _an_obstacle(self):
        found = self.settings.obstacles.all_objects if self.settings.obstacles is not None else ()
        return self._any([obj for obj in found if not is_ours(obj)])

    def _baked(self):
        """What people are moved by, pinned ones too."""
        found = [obj for obj in self.scene.objects if TAG in obj and MINE not in obj and obj.parent is None]
        return [obj for obj in found if obj.get(PINNED, obj.get(MADE_AS))]
