# SPDX-License-Identifier: GPL-3.0-or-later
"""The built-in figures are found again, can be forgotten, and making them disturbs nobody."""

import bpy
import numpy as np
import pytest
from mathutils import Vector

from .test_body import BONES

pytestmark = pytest.mark.each_blender("data of armatures, skins and actions are made")

KINDS = ("objects", "meshes", "armatures", "actions", "materials", "scenes", "collections", "node_groups")
MAN, WOMAN = 0, 1


def counts():
    return {kind: len(getattr(bpy.data, kind)) for kind in KINDS}


def test_a_second_call_finds_the_same_data(stage):
    made = stage.module.ensure_figures([MAN, WOMAN])
    before = counts()
    again = stage.module.ensure_figures([MAN, WOMAN])
    for old, new in zip(made, again, strict=True):
        assert new.armature.data == old.armature.data
        assert new.meshes[0].data == old.meshes[0].data
        assert new.walk.action == old.walk.action
        assert [group.name for group in new.meshes[0].vertex_groups] == [
            group.name for group in old.meshes[0].vertex_groups
        ]
    after = counts()
    assert after.pop("objects") - before.pop("objects") == 2 * len(again)  # new templates round the same data
    assert after == before


@pytest.mark.once
def test_figures_share_what_is_alike(stage):
    """Armatures and clips by build, and materials by colour: few in number."""
    assert len(stage.figures) == len(bpy.data.meshes) == 10
    assert len(bpy.data.armatures) == 3
    assert len(bpy.data.actions) == 18
    assert len(bpy.data.materials) < 50
    skins = [slot for figure in stage.figures for slot in figure.meshes[0].data.materials if "skin" in slot.name]
    assert len(skins) == 10
    assert len(set(skins)) <= 5


def test_templates_lie_in_no_collection(stage):
    for figure in stage.module.ensure_figures([MAN, WOMAN]):
        for each in (figure.armature, *figure.meshes):
            assert not each.users_collection
            assert each[stage.module.FIGURE_TAG]
    assert len(bpy.context.scene.collection.all_objects) == 0


def test_removing_unused_figures_leaves_the_file_as_it_was(addon):
    module = addon.module("blender_addon.figures.figure")
    before = counts()
    module.ensure_figures([MAN, WOMAN])
    assert counts() != before
    module.remove_unused_figures()
    assert counts() == before


@pytest.mark.once
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
    assert len(bpy.data.meshes) == len(figures) == 10


@pytest.mark.once
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
    module = addon.module("blender_addon.figures.figure")
    if add is not None:
        add()
        bpy.ops.object.mode_set(mode=mode)
    before = situation()
    figures = module.ensure_figures([MAN, WOMAN])
    assert situation() == before
    assert all(len(figure.armature.data.bones) == len(BONES) for figure in figures)
    assert all(figure.armature.mode == "OBJECT" for figure in figures)
    if add is not None:
        bpy.ops.object.mode_set(mode="OBJECT")  # still possible


def test_they_can_be_made_inside_an_operator(addon):
    module = addon.module("blender_addon.figures.figure")
    made = []

    class FOOTFALL_OT_test_make(bpy.types.Operator):  # noqa: N801
        bl_idname = "footfall.test_make"
        bl_label = "Make"
        bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

        def execute(self, context):
            made.extend(module.ensure_figures([MAN, WOMAN]))
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
    copy = stage.figure("man").armature.copy()
    assert copy.pose is not None
    copy.animation_data.action = None
    copy.animation_data_clear()


def test_a_figure_that_was_exported_and_imported_is_the_users(addon, tmp_path):
    """Exporters write the mark into their files; its axes are others then, and nothing was edited."""
    module = addon.module("blender_addon.figures.figure")
    figure = module.ensure_figures([MAN])[0]
    bpy.context.scene.collection.objects.link(figure.armature)
    bpy.ops.object.select_all(action="SELECT")
    path = str(tmp_path / "man.fbx")
    bpy.ops.export_scene.fbx(filepath=path, use_selection=True, use_custom_props=True, bake_anim=False)
    bpy.context.scene.collection.objects.unlink(figure.armature)
    module.remove_unused_figures()
    bpy.ops.import_scene.fbx(filepath=path)
    (imported,) = bpy.data.armatures
    assert module.FIGURE_TAG in imported
    assert module.ensure_figures([MAN])[0].armature.data != imported
    bpy.data.batch_remove([each for each in bpy.data.objects if each.data == imported])
    assert module.remove_unused_figures() == []
    assert list(bpy.data.armatures) == [imported]


def posed(stage, figure, act, frame):
    """The rig and the places of the body's points in an act, by the vertex group that moves each most."""
    rig, body = stage.show(figure)
    stage.actions.assign_clip(rig, stage.module.ensure_act(figure.name, act) if act != "walk" else figure.walk)
    graph = stage.at(frame)
    places = np.array([point.co for point in body.evaluated_get(graph).data.vertices])
    groups = [max(point.groups, key=lambda group: group.weight).group for point in body.data.vertices]
    names = np.array([body.vertex_groups[group].name for group in groups])
    return rig.evaluated_get(graph), places, names


@pytest.mark.once
def test_a_phone_is_at_the_ear_of_who_phones_and_hidden_in_the_palm_of_who_does_not(stage):
    figure = stage.figure("man")
    for act, least, most in (("walk", 0.001, 0.005), ("talk_1", 0.001, 0.005), ("phone_1", 0.15, 0.2)):
        rig, points, names = posed(stage, figure, act, 10)
        phone, hand = points[names == "phone.R"], points[names == "hand.R"]
        assert least < np.linalg.norm(np.ptp(phone, axis=0)) < most, act
        assert np.linalg.norm(phone.mean(axis=0) - hand.mean(axis=0)) < 0.08
    ear = rig.pose.bones["head"].matrix @ Vector((-0.078, 0.095, 0.0))
    assert np.linalg.norm(phone - ear, axis=1).min() < 0.06
    drawn = rig.pose.bones["phone.R"]  # as long as it is scaled
    assert drawn.bone.length * drawn.scale.y < 0.05


@pytest.mark.parametrize("act", ["listen_1", "stand_2", "phone_1"])
@pytest.mark.once
def test_hands_lie_before_a_belly_and_not_in_it(stage, act):
    for name in ("heavy man", "old woman", "old man"):
        rig, points, names = posed(stage, stage.figure(name), act, 100)
        trunk = points[np.isin(names, ("hips", "spine", "chest", "thigh.L", "thigh.R"))]
        wrist = np.array(rig.pose.bones["hand.L"].head)
        near = trunk[np.linalg.norm((trunk - wrist)[:, [0, 2]], axis=1) < 0.05]
        assert len(near)
        assert wrist[1] < near[:, 1].min() + 0.01, name
