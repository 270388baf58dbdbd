# SPDX-License-Identifier: GPL-3.0-or-later
"""Shoes that reach beyond the bones of their feet are lifted as they push off, so that no sole is in the ground."""

import bpy
import numpy as np
import pytest

from ..street import own_figures


def lowest_of(scene, person):
    """Lowest vertex of a baked person at each frame, in the world."""
    lowest = []
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        for part in (each.evaluated_get(graph) for each in person.children if each.type == "MESH"):
            points = np.empty(3 * len(part.data.vertices), dtype=np.float32)
            part.data.vertices.foreach_get("co", points)
            matrix = np.array(part.matrix_world)
            lowest.append(float((points.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3])[:, 2].min()))
    return np.array(lowest)


def walk_in(street, *, shoes):
    """Bake somebody of the user's own whose shoes are so many times as long, without clips: they walk as ours do."""
    (figure, *_) = own_figures(street.crowd, 1).all_objects
    armature = figure if figure.type == "ARMATURE" else figure.parent
    for mesh in {each.data for each in armature.children if each.type == "MESH"}:
        for vertex in mesh.vertices:
            if vertex.co.z < 0.1:
                vertex.co.y = 0.02 + shoes * (vertex.co.y - 0.02)
    street.crowd.count, street.scene.frame_end = 1, 60
    street.crowd.speed.sd = 0.0
    return armature


@pytest.mark.parametrize("has_toes", [True, False])
def test_no_sole_is_in_the_ground(street, has_toes):
    armature = walk_in(street, shoes=1.6)
    bpy.context.view_layer.objects.active = armature
    armature.animation_data_clear()
    if not has_toes:
        for mesh in (each for each in armature.children if each.type == "MESH"):
            for side in "LR":
                mesh.vertex_groups[f"foot.{side}"].name = f"old.{side}"
                mesh.vertex_groups[f"toe.{side}"].name = f"foot.{side}"
        bpy.ops.object.mode_set(mode="EDIT")
        for side in "LR":
            armature.data.edit_bones.remove(armature.data.edit_bones[f"toe.{side}"])
        bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.footfall.bake()
    (person,) = [each for each in bpy.data.objects if each.get("footfall_crowd") and each.type == "ARMATURE"]
    lowest = lowest_of(street.scene, person)
    assert lowest.min() > -0.02
    assert not any(problem.kind == "sunk" for problem in street.settings.problems)
    street.crowd.motion.plants_feet = False
    bpy.ops.footfall.bake()
    (person,) = [each for each in bpy.data.objects if each.get("footfall_crowd") and each.type == "ARMATURE"]
    assert lowest_of(street.scene, person).min() < -0.03
