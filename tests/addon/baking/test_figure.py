# SPDX-License-Identifier: GPL-3.0-or-later
"""The built-in figures: that they are people, that their feet stand still, and that making them disturbs nobody."""

import math
from itertools import pairwise

import numpy as np
import pytest

try:
    import bpy
    from mathutils import Quaternion, Vector
except ImportError:  # a Python without bpy only looks for tests here; the parent conftest leaves them out
    bpy = None

BONES = {"hips", "spine", "chest", "neck", "head"} | {
    f"{name}.{side}"
    for name in ("clavicle", "upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toe")
    for side in "LR"
}
KINDS = ("objects", "meshes", "armatures", "actions", "materials", "scenes", "collections", "node_groups")
MAN, WOMAN = 0, 1


class Stage:
    """The figures of an empty file, and looks at them as they walk."""

    def __init__(self, addon):
        self.module = addon.module("blender_addon.baking.figure")
        self.actions = addon.module("blender_addon.baking.actions")
        self.figures = self.module.ensure_figures()

    def show(self, figure):
        """Copy a figure as a bake does, into the scene."""
        rig = figure.armature.copy()
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
        """Vertices of the deformed body in the world, float64 (V, 3)."""
        evaluated = body.evaluated_get(self.at(frame))
        mesh = evaluated.to_mesh()
        points = np.empty(3 * len(mesh.vertices), dtype=np.float32)
        mesh.vertices.foreach_get("co", points)
        evaluated.to_mesh_clear()
        return points.reshape(-1, 3).astype(np.float64)

    def joint(self, rig, frame, bone, end="head"):
        return np.array(getattr(rig.evaluated_get(self.at(frame)).pose.bones[bone], end))


@pytest.fixture
def stage(addon):
    return Stage(addon)


@pytest.fixture(params=[MAN, WOMAN], ids=["man", "woman"])
def walker(stage, request):
    """(figure, armature object, mesh object) in the scene, playing the walk."""
    figure = stage.figures[request.param]
    return (figure, *stage.show(figure))


def counts():
    return {kind: len(getattr(bpy.data, kind)) for kind in KINDS}


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


# What they are


def test_a_figure_is_a_person_in_size_and_place(stage):
    heights = []
    for figure in stage.figures:
        points = rest_points(figure.meshes[0].data)
        low, high = points.min(axis=0), points.max(axis=0)
        assert low[2] == pytest.approx(0.0, abs=1e-4)
        heights.append(high[2])
        shoes = points[points[:, 2] < 0.05]
        assert shoes[:, 0].min() == pytest.approx(-shoes[:, 0].max(), abs=1e-4)
        assert shoes[:, 1].min() < -0.1 < 0.04 < shoes[:, 1].max() < 0.12  # toes to -Y, heels behind
    assert heights == [pytest.approx(1.76, abs=0.02), pytest.approx(1.68, abs=0.02)]


def test_a_figure_has_the_bones_and_faces_that_were_asked_for(stage):
    for figure in stage.figures:
        assert {bone.name for bone in figure.armature.data.bones} == BONES
        assert all(bone.use_deform for bone in figure.armature.data.bones)
        mesh = figure.meshes[0].data
        assert 1500 <= len(mesh.polygons) <= 2500
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
        volumes = {}
        for face in mesh.polygons:
            name = part[face.vertices[0]]
            middle = points[part == name].mean(axis=0)
            volumes[name] = volumes.get(name, 0.0) + face.area * float(
                np.array(face.normal) @ (np.array(face.center) - middle)
            )
        assert min(volumes.values()) > 0.0


def test_the_two_sides_mirror_each_other(stage):
    for figure in stage.figures:
        body = figure.meshes[0]
        points, weights = rest_points(body.data), weights_of(body)
        names = [group.name for group in body.vertex_groups]
        swap = [names.index(name.translate(str.maketrans("LR", "RL")) if "." in name else name) for name in names]
        key = np.round(points * 1e4).astype(int)
        row = {tuple(each): number for number, each in enumerate(key)}
        mirrored = [row.get(tuple(each), -1) for each in key * (-1, 1, 1)]
        found = np.array(mirrored) >= 0
        assert found.mean() > 0.97  # the palms and the thumbs of the left and right hand too
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


# Finding and forgetting them


def test_a_second_call_finds_the_same_data(stage):
    before = counts()
    again = stage.module.ensure_figures()
    for old, new in zip(stage.figures, again, strict=True):
        assert new.armature.data == old.armature.data
        assert new.meshes[0].data == old.meshes[0].data
        assert new.walk.action == old.walk.action
        assert [group.name for group in new.meshes[0].vertex_groups] == [
            group.name for group in old.meshes[0].vertex_groups
        ]
    after = counts()
    assert after.pop("objects") - before.pop("objects") == 4  # new templates round the same data
    assert after == before


def test_both_figures_share_their_materials(stage):
    man, woman = (figure.meshes[0].data for figure in stage.figures)
    assert list(man.materials) == list(woman.materials)


def test_templates_lie_in_no_collection(stage):
    for figure in stage.figures:
        for each in (figure.armature, *figure.meshes):
            assert not each.users_collection
            assert each[stage.module.FIGURE_TAG]
    assert len(bpy.context.scene.collection.all_objects) == 0


def test_removing_unused_figures_leaves_the_file_as_it_was(addon):
    module = addon.module("blender_addon.baking.figure")
    before = counts()
    module.ensure_figures()
    assert counts() != before
    module.remove_unused_figures()
    assert counts() == before


def test_a_file_with_copies_keeps_what_they_need_and_no_more(stage, tmp_path):
    rig, body = stage.show(stage.figures[WOMAN])
    rig_name, body_name = rig.name, body.name
    stage.module.remove_unused_figures()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "copies.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "copies.blend"))
    assert {each.name for each in bpy.data.objects} == {rig_name, body_name}
    assert len(bpy.data.meshes) == len(bpy.data.armatures) == len(bpy.data.actions) == 1
    figures = stage.module.ensure_figures()
    assert figures[WOMAN].armature.data == bpy.data.objects[rig_name].data
    assert len(bpy.data.meshes) == len(bpy.data.armatures) == 2
    assert len(bpy.data.actions) == 6  # each walks, runs and stands


def test_data_linked_from_a_library_are_not_taken_for_the_files_own(stage, tmp_path):
    stage.show(stage.figures[MAN])
    library = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=library)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(library, link=True) as (there, here):
        here.objects = there.objects
    for figure in stage.module.ensure_figures():
        assert figure.armature.data.library is None
        assert figure.meshes[0].data.library is None
        assert figure.walk.action.library is None


# Making them wherever the user is


def add_curve():
    bpy.ops.curve.primitive_bezier_curve_add()


def add_cube():
    bpy.ops.mesh.primitive_cube_add()


def add_armature():
    bpy.ops.object.armature_add()


def situation():
    context = bpy.context
    return (
        context.mode,
        context.scene,
        context.view_layer,
        context.view_layer.objects.active,
        context.edit_object,
        list(context.selected_objects),
        context.scene.frame_current,
        {scene.name for scene in bpy.data.scenes},
    )


@pytest.mark.parametrize(
    ("add", "mode"),
    [
        (None, "OBJECT"),
        (add_curve, "EDIT"),
        (add_cube, "EDIT"),
        (add_armature, "EDIT"),
        (add_armature, "POSE"),
        (add_cube, "WEIGHT_PAINT"),
        (add_cube, "SCULPT"),
    ],
)
def test_the_user_is_left_where_he_is(addon, add, mode):
    module = addon.module("blender_addon.baking.figure")
    if add is not None:
        add()
        bpy.ops.object.mode_set(mode=mode)
    before = situation()
    figures = module.ensure_figures()
    assert situation() == before
    assert all(len(figure.armature.data.bones) == len(BONES) for figure in figures)
    assert all(figure.armature.mode == "OBJECT" for figure in figures)
    if add is not None:
        bpy.ops.object.mode_set(mode="OBJECT")  # still possible


def test_they_can_be_made_inside_an_operator(addon):
    module = addon.module("blender_addon.baking.figure")
    made = []

    class FOOTFALL_OT_test_make(bpy.types.Operator):  # noqa: N801
        bl_idname = "footfall.test_make"
        bl_label = "Make"
        bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

        def execute(self, context):
            made.extend(module.ensure_figures())
            return {"FINISHED"}

    bpy.utils.register_class(FOOTFALL_OT_test_make)
    try:
        add_curve()
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.footfall.test_make()
        assert bpy.context.mode == "EDIT_CURVE"
    finally:
        bpy.utils.unregister_class(FOOTFALL_OT_test_make)
    assert len(made) == 2


def test_an_armature_can_lose_its_walk_before_it_was_ever_shown(stage):
    """Blender 4.4 and later crash there if the object has no pose yet."""
    for figure in stage.figures:
        copy = figure.armature.copy()
        assert copy.pose is not None
        copy.animation_data.action = None
        copy.animation_data_clear()


# How they walk


def test_the_walk_says_how_far_it_goes(stage):
    strides = [figure.stride for figure in stage.figures]
    for figure in stage.figures:
        assert figure.armature[stage.module.STRIDE_PROPERTY] == pytest.approx(figure.stride)
        assert figure.walk.action[stage.module.STRIDE_PROPERTY] == pytest.approx(figure.stride)
        assert tuple(figure.walk.action.frame_range) == (0.0, 32.0)
    assert 1.3 < strides[WOMAN] < strides[MAN] < 1.5
    assert stage.figures[MAN].walk.action.name == "Footfall walk"


def test_the_walk_closes_without_a_jerk(stage):
    for figure in stage.figures:
        for curve in stage.actions.curves_of(figure.walk):
            values = np.array([curve.evaluate(frame) for frame in range(33)])
            assert values[32] == pytest.approx(values[0], abs=1e-6)
            around = np.concatenate([values[-2:-1], values])
            steps = np.diff(around)
            bends = np.abs(np.diff(steps))
            assert bends[0] <= bends[1:].max() + 1e-6  # at the seam it bends no more than elsewhere
            assert np.abs(steps).max() < 0.2  # no quaternion changes its sign


def test_planted_feet_stand_still(stage, walker):
    """Each point of the soles while it touches the floor, as the body goes ahead with its stride."""
    figure, _, body = walker
    sole = [name for name, material in enumerate(body.data.materials) if "soles" in material.name]
    edge = sorted({v for face in body.data.polygons if face.material_index in sole for v in face.vertices})
    tracks = []
    for frame in np.arange(-8.0, 40.0, 0.25):
        points = stage.points(body, frame % 32.0)[edge]
        tracks.append(points - (0.0, figure.stride * frame / 32.0, 0.0))
    slides = [contacts(track) for track in np.stack(tracks, axis=1)]
    assert sum(len(each) > 0 for each in slides) >= 30  # of the soles' points, both feet
    everything = np.concatenate(slides)
    assert everything.mean() < 0.002
    assert everything.max() < 0.005


def contacts(track, height=0.001):
    """How far one point moves over the floor during each whole contact, (K,) [m]."""
    low = np.concatenate([[False], track[:, 2] < height, [False]])
    changes = np.flatnonzero(np.diff(low.astype(int)))
    whole = [(a, b) for a, b in zip(changes[::2], changes[1::2], strict=True) if a > 0 and b < len(track) and b - a > 3]
    return np.array([np.linalg.norm(np.ptp(track[a:b, :2], axis=0)) for a, b in whole])


def test_the_ball_of_the_foot_does_not_move_while_it_bears_the_body(stage, walker):
    figure, rig, _ = walker
    for side, strike in (("L", 0.0), ("R", 0.5)):
        phases = np.linspace(0.13, 0.52, 40) + strike
        balls = [
            stage.joint(rig, (32.0 * phase) % 32.0, f"toe.{side}") - (0.0, figure.stride * phase, 0.0)
            for phase in phases
        ]
        assert np.ptp(balls, axis=0).max() < 0.0015


def test_soles_stay_on_the_floor_and_out_of_it(stage, walker):
    _, _, body = walker
    lowest = np.array([stage.points(body, frame)[:, 2].min() for frame in np.arange(0.0, 32.0, 0.5)])
    assert lowest.min() > -0.004
    assert lowest.max() < 0.002  # somebody who walks always has a foot on the floor


def test_knees_and_elbows_bend_as_they_should(stage, walker):
    _, rig, _ = walker
    flexions = {"knee": [], "elbow": []}
    for frame in range(33):
        bones = rig.evaluated_get(stage.at(frame)).pose.bones
        for side in "LR":
            for joint, upper, lower, sign in (("knee", "thigh", "shin", -1.0), ("elbow", "upper_arm", "forearm", 1.0)):
                above, below = bones[f"{upper}.{side}"], bones[f"{lower}.{side}"]
                angle = above.vector.angle(below.vector)
                ahead = below.vector.normalized().dot(above.z_axis) * sign  # z looks forwards
                assert ahead > 0.0 or angle < 0.02, (joint, frame)
                flexions[joint].append(math.degrees(angle))
    assert 2.0 < min(flexions["knee"]) < 12.0  # nearly straight, never locked
    assert 55.0 < max(flexions["knee"]) < 70.0  # in swing
    assert 8.0 < min(flexions["elbow"]) < max(flexions["elbow"]) < 50.0


def test_knee_angles_are_those_of_people(stage, walker):
    """Winter 1991, natural cadence: the mean curve of the knee, within two standard deviations (5 to 6 degrees)."""
    _, rig, _ = walker
    phase = np.arange(0.0, 1.0, 0.1)
    winter = np.array([4.0, 16.0, 18.5, 12.0, 6.5, 11.5, 34.0, 60.0, 52.0, 18.0])
    flexion = []
    for each in phase:
        bones = rig.evaluated_get(stage.at(32.0 * each)).pose.bones
        flexion.append(math.degrees(bones["thigh.L"].vector.angle(bones["shin.L"].vector)))
    assert np.abs(np.array(flexion) - winter).max() < 11.0
    assert np.corrcoef(flexion, winter)[0, 1] > 0.98


def test_arms_swing_against_the_legs(stage, walker):
    _, rig, _ = walker
    forward = {
        bone: np.array([-stage.joint(rig, frame, bone, "tail")[1] for frame in range(32)])
        for bone in ("hand.L", "hand.R", "foot.L", "foot.R")
    }
    for side in "LR":
        assert np.ptp(forward[f"hand.{side}"]) > 0.25
        assert np.corrcoef(forward[f"hand.{side}"], forward[f"foot.{side}"])[0, 1] < -0.8
    np.testing.assert_allclose(forward["hand.L"], np.roll(forward["hand.R"], 16), atol=1e-4)


def test_hips_bob_twice_a_cycle_and_the_head_stays_level(stage, walker):
    _, rig, _ = walker
    hips = np.array([stage.joint(rig, frame, "hips")[2] for frame in range(32)])
    spectrum = np.abs(np.fft.rfft(hips - hips.mean()))
    assert spectrum.argmax() == 2
    assert 0.02 < np.ptp(hips) < 0.05
    gaze = [rig.evaluated_get(stage.at(frame)).pose.bones["head"].z_axis.copy() for frame in range(32)]
    assert max(a.angle(Vector((0.0, -1.0, 0.0))) for a in gaze) < math.radians(5.0)
    turns = [rig.evaluated_get(stage.at(frame)).pose.bones["hips"].z_axis.copy() for frame in range(32)]
    assert max(a.angle(b) for a, b in pairwise(turns)) < math.radians(3.0)


def test_the_skin_is_neither_torn_nor_pinched(stage, walker):
    """Edges keep their length within bounds, and the body its volume, in every pose."""
    _, _, body = walker
    edges = np.array([edge.vertices for edge in body.data.edges])
    triangles = np.array(
        [
            (f.vertices[0], f.vertices[k], f.vertices[k + 1])
            for f in body.data.polygons
            for k in range(1, len(f.vertices) - 1)
        ]
    )

    def lengths(points):
        return np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1)

    def volume(points):
        a, b, c = (points[triangles[:, k]] for k in range(3))
        return np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0

    rest = rest_points(body.data)
    for frame in range(0, 32, 2):
        points = stage.points(body, frame)
        ratio = lengths(points) / lengths(rest)
        assert np.percentile(ratio, 99.5) < 1.9
        assert np.percentile(ratio, 0.5) > 0.35
        assert volume(points) == pytest.approx(volume(rest), rel=0.06)


# Their colours


def test_shirts_of_neighbours_differ_and_stay_the_same(stage):
    colours = [stage.module.shirt_colour(number) for number in range(60)]
    assert colours == [stage.module.shirt_colour(number) for number in range(60)]
    assert all(a != b for a, b in pairwise(colours))
    assert len(set(colours)) >= 12
    assert all(len(colour) == 4 and all(0.0 <= part <= 1.0 for part in colour) for colour in colours)


def test_each_copy_wears_its_own_colour_in_a_render(stage, tmp_path):
    scene = bpy.context.scene
    for number, colour in enumerate([(1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)]):
        rig, body = stage.show(stage.figures[MAN])
        rig.location.x = number - 0.5
        body.color = colour
    scene.world = bpy.data.worlds.new("White")
    scene.world.color = (1.0, 1.0, 1.0)
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.data.type, camera.data.ortho_scale = "ORTHO", 2.0
    camera.location, camera.rotation_euler = (0.0, -3.0, 1.2), (math.radians(90.0), 0.0, 0.0)
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.render.engine, scene.cycles.samples, scene.cycles.use_denoising = "CYCLES", 4, False
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = 32, 8, 100
    scene.render.filepath = str(tmp_path / "shirts.png")
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(scene.render.filepath)
    pixels = np.array(image.pixels[:]).reshape(8, 32, 4)[4]
    red, blue = pixels[8], pixels[24]
    assert red[0] > 2.0 * red[2]
    assert blue[2] > 2.0 * blue[0]


def test_materials_show_in_every_shading(stage):
    for material in stage.figures[MAN].meshes[0].data.materials:
        shader = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
        assert tuple(material.diffuse_color) == pytest.approx(tuple(shader.inputs["Base Color"].default_value))
        assert tuple(material.diffuse_color)[:3] != (0.8, 0.8, 0.8)


# The mathematics under them


def test_quaternions_of_rotations_agree_with_blender(addon):
    walk = addon.module("blender_addon.baking.figure_walk")
    rng = np.random.default_rng(3)
    given = [Quaternion(q).normalized() for q in rng.normal(size=(200, 4))]
    half_turns = [Quaternion(axis, math.pi) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
    for quaternion in [*given, *half_turns]:
        found = walk.quaternions(np.array([quaternion.to_matrix()], dtype=np.float64))[0]
        assert abs(np.dot(found, quaternion)) == pytest.approx(1.0, abs=1e-6)


def test_quaternions_follow_each_other_without_jumps(addon):
    walk = addon.module("blender_addon.baking.figure_walk")
    angles = np.linspace(0.0, 4.0 * np.pi, 200)
    found = walk.quaternions(walk.turn(np.array([0.6, 0.0, 0.8]), angles))
    assert np.sum(found[1:] * found[:-1], axis=1).min() > 0.99
    np.testing.assert_allclose(
        found, np.outer(np.cos(angles / 2), [1, 0, 0, 0]) + np.outer(np.sin(angles / 2), [0, 0.6, 0, 0.8]), atol=1e-9
    )


def test_a_clamped_spline_of_a_cubic_is_that_cubic(addon):
    gait = addon.module("blender_addon.baking.figure_gait")
    cubic, slope = np.poly1d([2.0, -1.0, 0.5, 3.0]), np.poly1d([6.0, -2.0, 0.5])
    times = np.array([0.0, 0.3, 0.45, 1.0])
    at = np.linspace(0.0, 1.0, 50)
    found = gait.clamped_spline(times, cubic(times), (slope(0.0), slope(1.0)), at)
    np.testing.assert_allclose(found, cubic(at), atol=1e-12)


def test_rows_between_sections_never_overshoot(addon):
    surface = addon.module("blender_addon.baking.figure_surface")
    rng = np.random.default_rng(5)
    for _ in range(50):
        table = np.column_stack([np.cumsum(rng.uniform(0.1, 1.0, 6)), rng.normal(size=6)])
        np.testing.assert_allclose(surface.interpolate_rows(table, table[:, 0]), table[:, 1:], atol=1e-12)
        for low, high in pairwise(table):
            between = surface.interpolate_rows(table, np.linspace(low[0], high[0], 30))[:, 0]
            assert between.min() >= min(low[1], high[1]) - 1e-9
            assert between.max() <= max(low[1], high[1]) + 1e-9
