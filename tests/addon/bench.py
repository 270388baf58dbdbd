# SPDX-License-Identifier: GPL-3.0-or-later
"""A bench on which tests build scenes in few words."""

import bpy
import pytest

BOX = [(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (0.0, 2.0)]
BOX_FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def key(item, path, *keys):
    """Key a property of an object or of a data-block: (frame, value) each."""
    for frame, value in keys:
        setattr(item, path, value)
        item.keyframe_insert(path, frame=frame)


class Bench:
    """Builds things in the current scene and reads it."""

    def __init__(self, addon):
        self.addon = addon
        self.scene = bpy.context.scene
        self.settings = self.scene.footfall

    def link(self, item, collection=None):
        (collection or self.scene.collection).objects.link(item)
        return item

    def mesh(self, name, points, faces=(), edges=(), collection=None, **attributes):
        data = bpy.data.meshes.new(name)
        data.from_pydata(points, edges, faces)
        item = self.link(bpy.data.objects.new(name, data), collection)
        for key, value in attributes.items():
            setattr(item, key, value)
        return item

    def box(self, name="Kiosk", collection=None, size=(1.0, 1.0, 1.0), **attributes):
        """Two metres each way times `size`, standing on its origin."""
        points = [(x * size[0], y * size[1], z * size[2]) for x, y, z in BOX]
        return self.mesh(name, points, BOX_FACES, collection=collection, **attributes)

    def curve(self, name, *splines, kind="POLY", closed=False, dimensions="3D", **attributes):
        data = bpy.data.curves.new(name, "CURVE")
        data.dimensions = dimensions
        for points in splines:
            spline = data.splines.new(kind)
            if kind == "BEZIER":
                spline.bezier_points.add(len(points) - 1)
                for knot, point in zip(spline.bezier_points, points, strict=True):
                    knot.co = point
                    knot.handle_left_type = knot.handle_right_type = "AUTO"
            else:
                spline.points.add(len(points) - 1)
                for knot, point in zip(spline.points, points, strict=True):
                    knot.co = (*point, 1.0)
                if kind == "NURBS":
                    spline.order_u, spline.use_endpoint_u = min(4, len(points)), not closed
            spline.use_cyclic_u = closed
        item = self.link(bpy.data.objects.new(name, data))
        for key, value in attributes.items():
            setattr(item, key, value)
        return item

    def collection(self, name="Obstacles", parent=None):
        made = bpy.data.collections.new(name)
        (parent or self.scene.collection).children.link(made)
        return made

    def obstacles(self):
        """The obstacles' collection, set in the settings."""
        if self.settings.obstacles is None:
            self.settings.obstacles = self.collection()
        return self.settings.obstacles

    def crowd(self, route=None, count=10, name="Walkers", **attributes):
        made = self.settings.crowds.add()
        made.name, made.count = name, count
        if route is not None:
            made.route = route
        for key, value in attributes.items():
            setattr(made, key, value)
        return made

    def read(self):
        return self.addon.module("blender_addon.reading").read_scene(self.scene)

    def refusal(self):
        """What reading refuses, as text."""
        with pytest.raises(self.addon.errors.SceneError) as caught:
            self.read()
        return str(caught.value)


@pytest.fixture
def bench(addon):
    return Bench(addon)
