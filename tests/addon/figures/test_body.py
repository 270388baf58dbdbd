# SPDX-License-Identifier: GPL-3.0-or-later
"""The built-in figures are people: their bones, faces and skin."""

import numpy as np
import pytest

BONES = {"hips", "spine", "chest", "neck", "head"} | {
    f"{name}.{side}"
    for name in ("clavicle", "upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toe")
    for side in "LR"
}
BONES.add("phone.R")


def rest_points(mesh):
    points = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", points)
    return points.reshape(-1, 3).astype(np.float64)


def weights_of(body):
    weights = np.zeros((len(body.data.vertices), len(body.vertex_groups)))
    for vertex in body.data.vertices:
        for element in vertex.groups:
            weights[vertex.index, element.group] = element.weight
    return weights


def test_a_figure_is_a_person_in_size_and_place(stage):
    heights = []
    for figure in stage.figures:
        points = figure.armature.scale[2] * rest_points(figure.meshes[0].data)
        low, high = points.min(axis=0), points.max(axis=0)
        assert low[2] == pytest.approx(0.0, abs=1e-4)
        heights.append(high[2])
        shoes = points[points[:, 2] < 0.05]
        assert shoes[:, 0].min() == pytest.approx(-shoes[:, 0].max(), abs=1e-4)
        assert shoes[:, 1].min() < -0.1 < 0.03 < shoes[:, 1].max() < 0.12  # toes to -Y, heels behind
    assert heights[:2] == [pytest.approx(1.76, abs=0.02), pytest.approx(1.68, abs=0.02)]
    assert len(np.unique(np.round(heights, 2))) >= 8
    assert sum(1.1 < height < 1.3 for height in heights) == 2  # children
    assert sum(1.55 < height < 1.9 for height in heights) == len(heights) - 2


def test_people_are_of_different_build(stage):
    """Width and depth at the waist, by the height of each."""
    builds = {}
    for figure in stage.figures:
        points = rest_points(figure.meshes[0].data)
        bones = {bone.name: bone for bone in figure.armature.data.bones}
        waist = points[np.abs(points[:, 2] - bones["spine"].head_local.z) < 0.06]
        waist = waist[np.abs(waist[:, 0]) < 0.22]
        builds[figure.name.removeprefix("Footfall ")] = -waist[:, 1].min()
    assert builds["heavy man"] > 1.5 * builds["man"]
    assert builds["student"] < 0.95 * builds["man"]
    legs = {
        figure.name: figure.armature.data.bones["thigh.L"].head_local.z
        / max(vertex.co.z for vertex in figure.meshes[0].data.vertices)
        for figure in stage.figures
    }
    assert max(legs["Footfall boy"], legs["Footfall girl"]) < 0.5 < legs["Footfall man"]


def test_a_figure_has_the_bones_and_faces_that_were_asked_for(stage):
    for figure in stage.figures:
        assert {bone.name for bone in figure.armature.data.bones} == BONES
        assert all(bone.use_deform for bone in figure.armature.data.bones)
        mesh = figure.meshes[0].data
        assert 1500 <= len(mesh.polygons) <= 3200
        assert not mesh.validate(verbose=True)
        assert len({vertex for face in mesh.polygons for vertex in face.vertices}) == len(mesh.vertices)
        used = {mesh.materials[face.material_index].name for face in mesh.polygons}
        assert used == {material.name for material in mesh.materials}


def test_faces_look_outwards(stage):
    """A closed surface of outward faces has a positive volume; here each connected part by itself, closed or not."""
    for figure in stage.figures:
        mesh = figure.meshes[0].data
        points = rest_points(mesh)
        part = np.arange(len(points))
        edges = np.array([edge.vertices for edge in mesh.edges])
        for _ in range(200):
            least = np.minimum(part[edges[:, 0]], part[edges[:, 1]])
            before = part.copy()
            np.minimum.at(part, edges[:, 0], least)
            np.minimum.at(part, edges[:, 1], least)
            if np.array_equal(before, part):
                break
        volumes, middles = {}, {name: points[part == name].mean(axis=0) for name in np.unique(part)}
        for face in mesh.polygons:
            name = part[face.vertices[0]]
            middle = middles[name]
            volumes[name] = volumes.get(name, 0.0) + face.area * float(
                np.array(face.normal) @ (np.array(face.center) - middle)
            )
        assert min(volumes.values()) > 0.0, figure.name


def test_the_two_sides_mirror_each_other(stage):
    for figure in stage.figures:
        body = figure.meshes[0]
        points, weights = rest_points(body.data), weights_of(body)
        names = [group.name for group in body.vertex_groups]
        both = weights[:, names.index("phone.R")] == 0.0
        points, weights = points[both], weights[both][:, :-1]
        names.remove("phone.R")
        swap = [names.index(name.translate(str.maketrans("LR", "RL")) if "." in name else name) for name in names]
        key = np.round(points * 1e4).astype(int)
        row = {tuple(each): number for number, each in enumerate(key)}
        mirrored = [row.get(tuple(each), -1) for each in key * (-1, 1, 1)]
        found = np.array(mirrored) >= 0
        lopsided = "shoulder" if "coat" in figure.name or "old" in figure.name else ""  # a bag, or buttons
        assert found.mean() > (0.85 if lopsided else 0.97)  # the palms and the thumbs of the left and right hand too
        np.testing.assert_allclose(
            weights[found][:, swap], weights[np.array(mirrored)[found]], atol=2e-3, err_msg=figure.name
        )


def test_skin_weights_add_up_and_are_smooth(stage):
    for figure in stage.figures:
        body = figure.meshes[0]
        assert {group.name for group in body.vertex_groups} == BONES
        weights = weights_of(body)
        np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=1e-5)
        assert (weights > 0.0).sum(axis=1).max() <= 4
        edges = np.array([edge.vertices for edge in body.data.edges])
        steps = np.abs(weights[edges[:, 0]] - weights[edges[:, 1]]).max(axis=1)
        assert steps.max() < 0.75
