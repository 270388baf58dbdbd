# SPDX-License-Identifier: GPL-3.0-or-later
"""People of a bake whom the report says intersect do so as meshes, and hardly any others do."""

from dataclasses import replace
from functools import cache

import bpy
import numpy as np
import pytest
from mathutils import Vector
from mathutils.bvhtree import BVHTree

from ..street import new_path

PEOPLE, LAST = 40, 110
FRAMES = range(30, LAST + 1, 8)
NEAR = 1.2  # [m]; nobody's limbs reach farther
DEEP = 0.02  # [m]


@cache
def faces_of(mesh):
    return [tuple(face.vertices) for face in mesh.polygons]


def mesh_of(rig, graph):
    """The body of a character as it is at this frame, in the world: its tree and its vertices."""
    (body,) = rig.children
    evaluated = body.evaluated_get(graph)
    mesh = evaluated.to_mesh()
    own = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", own)
    matrix = np.array(evaluated.matrix_world)
    evaluated.to_mesh_clear()
    points = own.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
    return BVHTree.FromPolygons(points.tolist(), faces_of(body.data)), points


def depth_of(one, other):
    """How deep meshes that intersect are in each other: the vertex of either that is deepest in the other."""
    deepest = 0.0
    for (tree, points), (_, others) in ((one, other), (other, one)):
        for point in others[((others > points.min(axis=0)) & (others < points.max(axis=0))).all(axis=1)].tolist():
            nearest, normal, _, distance = tree.find_nearest(point)
            if (Vector(point) - nearest).dot(normal) < 0.0:
                deepest = max(deepest, distance)
    return deepest


def boxes_hold_bodies(addon, clipping, bodies):
    """Who is in somebody is in the box round them, in any unit, and while they play a clip in which they are huge."""
    played, weight = addon.module("blender_addon.baking.casting.played_bodies"), np.ones(LAST, dtype=np.float32)

    def huge(body):
        balls, radius = body.solid.walking.balls, body.solid.radius
        poses = type(body.solid.walking).of(replace(balls, joints=3.0 * balls.joints), radius)
        return replace(body, acts=[played.PlayedAct(0, weight, np.linspace(0.0, 3.0, LAST, dtype=np.float32), poses)])

    acting = {agent: huge(body) for agent, body in bodies.items()}
    agents, rows = (each.ravel() for each in np.meshgrid(np.arange(PEOPLE), [frame - 1 for frame in FRAMES]))
    first, second = np.nonzero((rows[:, None] == rows) & (agents[:, None] < agents))
    for people, unit in ((bodies, 1.0), (bodies, 2.5), (acting, 1.0)):
        deep = clipping.pose(people, agents, rows, unit).depth(first, second) > 0.0
        assert deep.sum() > 40
        assert clipping.boxes_of(people, agents, rows, unit).meet(first, second)[deep].all()


@pytest.fixture
def four_figures(only_figures):
    only_figures(0, 1, 2, 8)  # a boy among them


@pytest.mark.usefixtures("four_figures")
def test_clipping_is_what_the_meshes_of_the_figures_do(addon, monkeypatch):
    """People who avoid nobody meet in all ways: behind, beside and across each other."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, LAST
    street = new_path("Path", scene.collection, [(0, 0, 0), (12, 1.5, 0), (24, -1.5, 0), (38, 1, 0), (52, 0, 0)])
    bpy.ops.footfall.crowd_add()
    crowd = scene.footfall.crowds[0]
    crowd.route, crowd.count, crowd.avoidance, crowd.spawn.sets_off_within = street, PEOPLE, "NONE", 0.0
    baking, clipping = (addon.module(f"blender_addon.baking.{name}") for name in ("bake", "seen_clipping"))
    seen = []
    monkeypatch.setattr(
        baking, "find_seen_clipping", lambda *given: seen.append(given) or clipping.find_seen_clipping(*given)
    )
    result = baking.bake(scene)
    (t, bodies, unit, _) = seen[0]
    assert len(bodies) == PEOPLE
    rigs = [bpy.data.objects[f"Crowd {number:03}"] for number in range(1, PEOPLE + 1)]
    told, true, deep = [], [], []
    for frame in FRAMES:
        agents, row = np.arange(PEOPLE), np.full(PEOPLE, frame - 1)
        first, second = np.triu_indices(PEOPLE, 1)
        place = t.position[frame - 1, :, :2]
        near = np.linalg.norm(place[first] - place[second], axis=1) < NEAR
        first, second = first[near], second[near]
        told += (clipping.pose(bodies, agents, row, unit).depth(first, second) > 0.0).tolist()
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        meshes = {agent: mesh_of(rigs[agent], graph) for agent in {*first.tolist(), *second.tolist()}}
        for a, b in zip(first.tolist(), second.tolist(), strict=True):
            true.append(bool(meshes[a][0].overlap(meshes[b][0])))
            deep.append(true[-1] and depth_of(meshes[a], meshes[b]) > DEEP)
    told, true, deep = np.array(told), np.array(true), np.array(deep)
    precision, recall = (told & true).sum() / told.sum(), (told & deep).sum() / deep.sum()
    assert deep.sum() > 30
    assert precision >= 0.8, f"{precision:.2f}"
    assert recall >= 0.9, f"{recall:.2f}"
    lines = [each for each in result.report["events"] if each["kind"] in ("clipping", "overlap")]
    assert len({tuple(each["agents"]) for each in lines}) >= result.report["total"]["clipping_pairs"] > 0

    boxes_hold_bodies(addon, clipping, bodies)
    found = clipping.find_seen_clipping(t, bodies, unit).pairs
    others = {agent: replace(body) if agent > PEOPLE // 2 else body for agent, body in bodies.items()}
    stale = replace(found, depth=np.where((found.agents > PEOPLE // 2).any(axis=1), 9.0, found.depth))
    for before in ((bodies, stale), ({}, replace(found, agents=found.agents + PEOPLE))):  # the others of people gone
        again = clipping.find_seen_clipping(t, others, unit, clipping.SeenBefore(*before)).pairs
        assert all(map(np.array_equal, vars(again).values(), vars(found).values())), "as if all were searched again"
    assert 0 < (found.agents <= PEOPLE // 2).all(axis=1).sum() < len(found.agents)


def test_a_rebake_knows_the_solids_of_the_figures(addon, remembered_bakes, one_figure, monkeypatch):
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 24
    bpy.ops.footfall.crowd_add()
    crowd = scene.footfall.crowds[0]
    crowd.route, crowd.count, crowd.avoidance = new_path("Path", scene.collection, [(0, 0, 0), (8, 0, 0)]), 3, "NONE"
    remembered_bakes.bake(scene)
    crowd.route.data.splines[0].points[1].co.y = 0.5
    with monkeypatch.context() as patch:
        patch.setattr(addon.module("blender_addon.characters.acts.act_clips"), "make_solid_body", None)
        again = remembered_bakes.bake(scene).report
    remembered_bakes.forget()
    fresh = remembered_bakes.bake(scene).report
    assert again["changes"].startswith("3 of 3 move differently")
    assert (again["total"], again["events"]) == (fresh["total"], fresh["events"])
