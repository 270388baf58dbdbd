# SPDX-License-Identifier: GPL-3.0-or-later
"""A small street to bake: a straight path, a kiosk beside it, three boxes that walk."""

import sys

import bpy
import pytest

CORNERS = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]


def new_box(name, collection, location=(0.0, 0.0, 0.0), height=1.0):
    """A box with its floor at its own zero, in a collection."""
    vertices = [(x, y, z) for z in (0.0, height) for x, y in CORNERS]
    sides = [(i, (i + 1) % 4, (i + 1) % 4 + 4, i + 4) for i in range(4)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices, [], [(3, 2, 1, 0), (4, 5, 6, 7), *sides])
    box = bpy.data.objects.new(name, mesh)
    box.location = location
    collection.objects.link(box)
    return box


def new_path(name, collection, points):
    """A poly curve through points."""
    curve = bpy.data.curves.new(name, "CURVE")
    curve.dimensions = "3D"
    spline = curve.splines.new("POLY")
    spline.points.add(len(points) - 1)
    for point, place in zip(spline.points, points, strict=True):
        point.co = (*place, 1.0)
    path = bpy.data.objects.new(name, curve)
    collection.objects.link(path)
    return path


def new_wall(name, collection, start, end):
    """An upright face 2.5 m high from one point of the ground to another."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([(*start, 0.0), (*end, 0.0), (*end, 2.5), (*start, 2.5)], [], [(0, 1, 2, 3)])
    wall = bpy.data.objects.new(name, mesh)
    collection.objects.link(wall)
    return wall


def own_figures(crowd, count):
    """Give a crowd copies of the first built-in figures as characters of the user's own; returns their collection."""
    copies = sys.modules[f"{crowd.__module__.rpartition('.settings')[0]}.figures.user_copies"]
    make = copies.ensure_figures
    crowd.characters, copies.ensure_figures = None, lambda: make(range(count))  # and not all ten of them
    try:
        bpy.ops.footfall.own_figures()
    finally:
        copies.ensure_figures = make
    return crowd.characters


def select(*objects):
    """Select these alone, the first as the active one."""
    bpy.ops.object.select_all(action="DESELECT")
    for each in objects:
        each.select_set(True)
    bpy.context.view_layer.objects.active = objects[0] if objects else None


def rig_with_body(street):
    """An armature under an empty, as importers leave it, with a mesh on it."""
    top, rig = (
        bpy.data.objects.new(name, data) for name, data in (("Root", None), ("Rig", bpy.data.armatures.new("Rig")))
    )
    body = street.kiosk.copy()
    body.name = "Body"
    rig.parent = top
    body.modifiers.new("Armature", "ARMATURE").object = rig
    for each in (top, rig, body):
        street.scene.collection.objects.link(each)
    return top, rig, body


class Street:
    """The street's parts, for tests to change."""

    def __init__(self):
        self.scene = bpy.context.scene
        self.scene.frame_start, self.scene.frame_end = 1, 6
        self.settings = self.scene.footfall
        self.path = new_path("Path", self.scene.collection, [(0, 0, 0), (5, 0, 0), (10, 0, 0)])
        self.obstacles = bpy.data.collections.new("Obstacles")
        self.scene.collection.children.link(self.obstacles)
        self.kiosk = new_box("Kiosk", self.obstacles, (5.0, 3.0, 0.0))
        characters = bpy.data.collections.new("Boxes")
        new_box("Box", characters, height=1.7)
        self.settings.obstacles = self.obstacles
        bpy.ops.footfall.crowd_add()
        self.crowd = self.settings.crowds[0]
        self.crowd.spawn.sets_off_within = 0.0  # six frames are too few to wait
        self.crowd.route, self.crowd.characters, self.crowd.count = self.path, characters, 3
        bpy.context.view_layer.update()

    @classmethod
    def opened(cls, path):
        """The street in a file."""
        bpy.ops.wm.open_mainfile(filepath=str(path))
        street = cls.__new__(cls)
        street.scene = bpy.context.scene
        street.settings = street.scene.footfall
        street.path, street.kiosk = bpy.data.objects["Path"], bpy.data.objects["Kiosk"]
        street.obstacles, street.crowd = street.settings.obstacles, street.settings.crowds[0]
        return street

    @property
    def baked_count(self):
        """How many objects carry the crowd's tag."""
        return sum(obj.get("footfall_crowd") == self.crowd.uid for obj in self.scene.objects)


@pytest.fixture
def street(addon):
    return Street()


@pytest.fixture
def only_figures(addon, monkeypatch):
    """A function that has crowds without characters of their own be of those built-in figures alone, by their numbers.

    For tests to whom it is all the same who walks: each figure takes a second to be made, watched and played.
    """
    people = addon.module("blender_addon.figures.mesh.people").PEOPLE

    def choose(*numbers):
        chosen = tuple(people[number] for number in numbers)
        for module in ("characters.choice", "figures.figure"):
            monkeypatch.setattr(addon.module(f"blender_addon.{module}"), "PEOPLE", chosen)
        copies = addon.module("blender_addon.figures.user_copies")
        make, all_of_them = addon.module("blender_addon.figures.figure").ensure_figures, range(len(chosen))
        monkeypatch.setattr(copies, "ensure_figures", lambda wanted=all_of_them: make(wanted))

    return choose


@pytest.fixture
def one_figure(only_figures):
    """Crowds without characters of their own are all of the first of the built-in figures."""
    only_figures(0)


@pytest.fixture
def two_figures(only_figures):
    """Crowds without characters of their own are of the first two of the built-in figures."""
    only_figures(0, 1)


@pytest.fixture(scope="session")
def kept_streets(tmp_path_factory):
    """A function from a street to the one in the file that it was saved to after a bake: the bake is made once.

    Its arguments are a name and what makes the street and bakes it. As in any file that was opened, nothing is known
    there of the simulation.
    """
    folder, kept = tmp_path_factory.mktemp("streets"), {}

    def opened(name, make):
        if name not in kept:
            make()
            kept[name] = folder / f"{name}.blend"
            bpy.ops.wm.save_as_mainfile(filepath=str(kept[name]))
        return Street.opened(kept[name])

    return opened
