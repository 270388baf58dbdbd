# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that the report says intersect do so as meshes, and hardly any others do."""

from functools import cache

import bpy
import numpy as np
from mathutils.bvhtree import BVHTree

from ..street import new_path

PEOPLE, LAST = 30, 150
FRAMES = range(30, LAST + 1, 13)
NEAR = 1.2  # [m]; nobody's limbs reach farther


@cache
def faces_of(mesh):
    return [tuple(face.vertices) for face in mesh.polygons]


def mesh_tree(rig, graph):
    """The body of a character as it is at this frame, in the world."""
    (body,) = rig.children
    evaluated = body.evaluated_get(graph)
    mesh = evaluated.to_mesh()
    own = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", own)
    matrix = np.array(evaluated.matrix_world)
    evaluated.to_mesh_clear()
    return BVHTree.FromPolygons((own.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]).tolist(), faces_of(body.data))


def test_clipping_is_what_the_meshes_of_the_figures_do(addon, tmp_path):
    """People who avoid nobody meet in all ways: behind, beside and across each other."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, LAST
    street = new_path("Path", scene.collection, [(0, 0, 0), (12, 1.5, 0), (24, -1.5, 0), (38, 1, 0), (52, 0, 0)])
    bpy.ops.footfall.crowd_add()
    crowd = scene.footfall.crowds[0]
    crowd.route, crowd.count, crowd.avoidance = street, PEOPLE, "NONE"
    names = [f"Crowd {number:03}" for number in range(1, PEOPLE + 1)]
    for number, name in enumerate(names, 1):  # the capsules have the sizes of adults
        edit = crowd.edits.add()
        edit.name, edit.character = name, ("Footfall man", "Footfall woman")[number % 2]
    bpy.ops.footfall.bake()
    bpy.ops.footfall.export_scene(filepath=str(tmp_path / "scene.json"))
    t = addon.core.simulate(addon.core.load_scene(tmp_path / "scene.json"))
    capsules, bodies = addon.module("core.report.capsules"), addon.module("core.report.bodies")
    settings = addon.module("core.report.report_settings").REPORT.body
    rigs = [bpy.data.objects[name] for name in names]
    told, true = [], []
    for frame in FRAMES:
        agents, row = np.arange(PEOPLE), np.full(PEOPLE, frame - 1)
        seen = capsules.Capsules.of(bodies.BodyShapes.at(t, row, agents), np.hypot(*t.velocity[frame - 1].T), settings)
        first, second = np.triu_indices(PEOPLE, 1)
        near = np.linalg.norm(seen.position[first] - seen.position[second], axis=1) < NEAR
        first, second = first[near], second[near]
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        trees = {agent: mesh_tree(rigs[agent], graph) for agent in {*first.tolist(), *second.tolist()}}
        told += (seen.depth(first, second) > 0.0).tolist()
        true += [bool(trees[a].overlap(trees[b])) for a, b in zip(first.tolist(), second.tolist(), strict=True)]
    told, true = np.array(told), np.array(true)
    both = (told & true).sum()
    assert true.sum() > 40
    assert both / told.sum() >= 0.8, "precision"
    assert both / true.sum() >= 0.8, "recall"
    print(f"precision {both / told.sum():.3f}, recall {both / true.sum():.3f}, of {true.sum()} pairs and frames")
