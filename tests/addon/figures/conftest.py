# SPDX-License-Identifier: GPL-3.0-or-later
"""The built-in figures, and looks at them as they stand and walk."""

import math
from functools import cached_property

import bpy
import numpy as np
import pytest

from tests.sweeps import sweep


class Stage:
    """The figures of an empty file, and looks at them as they walk."""

    def __init__(self, addon):
        self.module = addon.module("blender_addon.figures.figure")
        self.actions = addon.module("blender_addon.blender_data.animation")

    @cached_property
    def figures(self):
        """All of them, made when they are asked for."""
        return self.module.ensure_figures()

    def figure(self, name):
        """One of them, made alone."""
        number = [each.name for each in self.module.PEOPLE].index(f"Footfall {name}")
        return self.module.ensure_figures([number])[0]

    def show(self, figure):
        """Copy a figure as a bake does, into the scene."""
        rig = figure.armature.copy()
        rig.scale = (1.0, 1.0, 1.0)  # in the size of the mesh
        bpy.context.scene.collection.objects.link(rig)
        for mesh in figure.meshes:
            body = mesh.copy()
            body.parent = rig
            body.modifiers["Armature"].object = rig
            bpy.context.scene.collection.objects.link(body)
        return rig, body

    def at(self, frame):
        bpy.context.scene.frame_set(math.floor(frame), subframe=frame % 1.0)
        return bpy.context.evaluated_depsgraph_get()

    def points(self, body, frame):
        """Vertices of the deformed body in the size of its mesh, float64 (V, 3)."""
        evaluated = body.evaluated_get(self.at(frame))
        mesh = evaluated.to_mesh()
        points = np.empty(3 * len(mesh.vertices), dtype=np.float32)
        mesh.vertices.foreach_get("co", points)
        evaluated.to_mesh_clear()
        return points.reshape(-1, 3).astype(np.float64)

    def joint(self, rig, frame, bone, end="head"):
        return np.array(getattr(rig.evaluated_get(self.at(frame)).pose.bones[bone], end))


@pytest.fixture(autouse=True)
def made_anew(addon, kept_figures):
    """Have figures made, which other tests take from a file."""
    kept_figures().is_off = True
    yield
    kept_figures().is_off = False


@pytest.fixture
def stage(addon):
    return Stage(addon)


@pytest.fixture(params=sweep(["man", "girl", "old woman", "woman", "old man"], usual=3, everywhere=1))
def walker(stage, request):
    """(figure, armature object, mesh object) in the scene, playing the walk: one for each set of clips."""
    figure = stage.figure(request.param)
    return (figure, *stage.show(figure))
