# SPDX-License-Identifier: GPL-3.0-or-later
"""A re-bake leaves those characters whom nothing has changed, and the file is as after a bake from the beginning."""

import bpy
import numpy as np
import pytest
from mathutils import Vector

from tests.sweeps import sweep

from ..street import new_path


@pytest.fixture
def street(make, addon, only_figures):
    """Four people of two figures on a way, a post that they walk round, and one that nobody comes near."""
    only_figures(0, 1)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 24
    crowd = scene.footfall.crowds.add()
    crowd.name, crowd.count, crowd.path_width = "Walkers", 4, 2.0
    crowd.route = new_path("Way", scene.collection, [(0, 0, 0), (16, 0, 0)])
    posts = [make.cube(name, 0.4) for name in ("Post", "Far", "Low", "High")]
    places = [(9.0, 0.3), (-2.0, 6.0), (-5.0, 9.0), (18.0, -9.0)]
    for post, (x, y) in zip(posts, places, strict=True):
        post.location = (x, y, 0.0)
    scene.footfall.obstacles = make.collection("Obstacles", *posts)
    scene.collection.children.link(scene.footfall.obstacles)
    return scene


@pytest.fixture
def job(remembered_bakes):
    return remembered_bakes


@pytest.fixture
def forget(remembered_bakes):
    """Have the next bake begin from nothing."""
    return remembered_bakes.forget


def owned(addon, scene):
    ownership = addon.module("blender_addon.bakes.ownership")
    return {each.name: each for each in ownership.owned_objects(scene, scene.footfall.crowds[0].uid)}


def uids(addon, scene):
    return {name: each.session_uid for name, each in owned(addon, scene).items()}


def everything(addon, scene):
    """All that plays: keys of Actions and of strips, what objects are, what hangs on what."""
    actions, strips_of = (addon.module(f"blender_addon.blender_data.{name}") for name in ("animation", "nla_strips"))
    found = {}
    for name, each in owned(addon, scene).items():
        animation = each.animation_data
        clip = actions.active_clip(animation)
        strips = [strip for track in (animation.nla_tracks if animation else ()) for strip in track.strips]
        found[name] = (
            each.type,
            each.parent.name if each.parent else None,
            tuple(each.scale),
            tuple(each.color),
            (each.hide_viewport, each.hide_render),
            each["variation"],
            each.data.name if each.data else None,
            clip.action.name if clip else None,
            actions.digest(clip.action) if clip else None,
            [(strip.name, strip.action.name, strip.frame_start, strip.frame_end) for strip in strips],
            [actions.digest(strip.action) for strip in strips],
            strips_of.digest_of(animation),
            [(modifier.type, modifier.object.name) for modifier in each.modifiers],
            sorted(collection.name for collection in each.users_collection),
        )
    return found


def places(addon, scene):
    """Where everybody is, as evaluated, at a few frames."""
    seen = []
    for frame in np.linspace(scene.frame_start, scene.frame_end, 4).round().astype(int).tolist():
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        for _, each in sorted(owned(addon, scene).items()):
            evaluated = each.evaluated_get(graph)
            bones = [] if evaluated.pose is None else [np.array(bone.matrix) for bone in evaluated.pose.bones]
            seen += [np.array(evaluated.matrix_world), *bones]
    return np.concatenate([each.ravel() for each in seen])


def told(report):
    return {key: value for key, value in report.items() if key not in {"corridor_map", "changes", "simulated"}}


def compare_with_fresh(addon, scene, job, forget, again):
    """What stands after a re-bake against a bake from nothing."""
    before = everything(addon, scene), places(addon, scene)
    blocks = {kind: len(getattr(bpy.data, kind)) for kind in ("objects", "actions", "meshes", "armatures")}
    forget()
    fresh = job.bake(scene)
    assert everything(addon, scene) == before[0]
    np.testing.assert_array_equal(places(addon, scene), before[1])
    assert {kind: len(getattr(bpy.data, kind)) for kind in blocks} == blocks
    assert told(fresh.report) == told(again.report)
    assert fresh.characters == again.characters


def test_nobody_is_written_where_nobody_changes(addon, street, job, forget):
    job.bake(street)
    before = uids(addon, street)
    bpy.data.objects["Far"].location.x -= 0.3
    again = job.bake(street)
    assert uids(addon, street) == before
    assert again.characters == 4
    assert again.report["changes"] == "everybody moves as before"
    compare_with_fresh(addon, street, job, forget, again)


def test_who_changes_is_written_and_the_others_are_left(addon, street, job, forget):
    street.frame_end = 48
    first = job.bake(street)
    before = uids(addon, street)
    bpy.data.objects["Post"].location.x -= 4.0
    again = job.bake(street)
    moved = (first.trajectories.position != again.trajectories.position) & np.isfinite(first.trajectories.position)
    changed = moved.any(axis=(0, 2))
    assert changed.any()
    assert not changed.all()
    now = uids(addon, street)
    assert set(now) == set(before)
    kept = {name for name in now if now[name] == before[name]}
    assert kept == {name for name in now if not changed[int(name.split()[1]) - 1]}
    compare_with_fresh(addon, street, job, forget, again)


def test_who_is_left_may_be_edited_during_a_rebake_but_not_deleted(addon, street, job):
    edited = addon.module("blender_addon.bakes.edited_people")
    job.bake(street)

    def rebake(edit):
        bpy.data.objects["Far"].location.x -= 0.3
        bpy.context.view_layer.update()
        again = job.BakeJob(street)
        assert not again.run_for(0.0)
        edit()
        while not again.run_for(0.0):
            pass

    person = bpy.data.objects["Walkers 001"]
    before = tuple(person.scale)
    rebake(lambda: setattr(person, "scale", (2.0, 2.0, 2.0)))
    assert tuple(person.scale) == (2.0, 2.0, 2.0)
    (found,) = edited.find_handwork(street, street.footfall.crowds[0])
    assert (found.name, found.what) == (person.name, ("transform",))
    person.scale = before
    with pytest.raises(edited.EditedByHandError, match=r"'Walkers 002' \(deleted"):
        rebake(lambda: bpy.data.objects.remove(bpy.data.objects["Walkers 002"]))


@pytest.mark.thorough
def test_legs_of_characters_that_are_as_they_were_are_not_looked_for_again(addon, street, job, forget, monkeypatch):
    street.frame_end = 220
    job.bake(street)
    before = uids(addon, street)
    bpy.data.objects["Post"].location.x += 4.0
    finding_legs = addon.module("blender_addon.characters.legs.find")
    with monkeypatch.context() as patched:
        patched.setattr(finding_legs, "find_legs", None)
        job.bake(street)
        bpy.data.objects["Post"].location.x -= 2.0
        again = job.bake(street)
    assert uids(addon, street) != before
    compare_with_fresh(addon, street, job, forget, again)


@pytest.mark.thorough
def test_legs_of_characters_that_share_an_armature_and_are_posed_otherwise_are_told_apart(
    addon, make, street, job, forget
):
    street.frame_end = 110
    figure = addon.module("blender_addon.figures.figure").ensure_figures([0])[0]
    parts = []
    for number, scale in enumerate((1.0, 0.8)):
        rig, body = bpy.data.objects.new("Rig", figure.armature.data), make.cube(f"Body {number}", 0.5)
        make.link(rig, body)
        body.parent = rig
        make.actions.assign_clip(rig, figure.walk)
        bpy.context.view_layer.update()
        for bone in rig.pose.bones:
            if bone.name.startswith("shin"):
                bone.scale = (1.0, scale, 1.0)  # which no walk keys
        parts += [rig, body]
    street.footfall.crowds[0].characters = make.collection("Cast", *parts)
    street.footfall.crowds[0].stride_length = 1.4
    job.bake(street)
    bpy.data.objects["Post"].location.x += 4.0
    again = job.bake(street)
    compare_with_fresh(addon, street, job, forget, again)


@pytest.mark.parametrize("change", sweep(["handle_left", "interpolation", "co"], usual=1))
def test_all_are_written_by_their_walk_where_that_is_another(addon, street, job, forget, change):
    actions = addon.module("blender_addon.blender_data.animation")
    job.bake(street)
    (clip,) = actions.clips_of_action(bpy.data.actions["Footfall walk"])
    curve = next(each for each in actions.curves_of(clip) if "shin" in each.data_path)
    curve.keyframe_points[7].interpolation = "BEZIER"
    curve.keyframe_points[8].handle_left_type = "FREE"
    job.bake(street)
    before = set(uids(addon, street).values())
    if change == "interpolation":
        curve.keyframe_points[8].interpolation = "CONSTANT"
    else:
        setattr(curve.keyframe_points[8], change, getattr(curve.keyframe_points[8], change) + Vector((0.0, 0.2)))
    bpy.data.objects["Far"].location.x -= 0.3
    again = job.bake(street)
    assert not before & set(uids(addon, street).values())
    compare_with_fresh(addon, street, job, forget, again)


@pytest.mark.parametrize(
    ("path", "value"),
    sweep([("crowds[0].motion.size_variation", 0.1), ("seed", 4), ("crowds[0].name", "Others")], usual=1),
)
def test_settings_that_characters_depend_on_have_all_written(addon, street, job, forget, path, value):
    job.bake(street)
    before = set(uids(addon, street).values())
    owner = street.footfall.path_resolve(path.rpartition(".")[0]) if "." in path else street.footfall
    setattr(owner, path.rpartition(".")[2], value)
    again = job.bake(street)
    assert not before & set(uids(addon, street).values())
    compare_with_fresh(addon, street, job, forget, again)


def test_own_characters_are_left_until_one_of_them_is_another(addon, make, street, job, forget):
    rig, body = make.rig()
    street.footfall.crowds[0].characters = make.collection("Cast", rig, body)
    job.bake(street)
    before = set(uids(addon, street).values())
    bpy.data.objects["Far"].location.x -= 0.3
    job.bake(street)
    assert set(uids(addon, street).values()) == before
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["foot.L"].tail.z += 0.02
    bpy.ops.object.mode_set(mode="OBJECT")
    again = job.bake(street)
    assert not before & set(uids(addon, street).values())
    compare_with_fresh(addon, street, job, forget, again)


def test_who_is_shown_in_another_scene_too_is_not_left(addon, street, job, forget):
    job.bake(street)
    other = bpy.data.scenes.new("Other")
    for each in owned(addon, street).values():
        other.collection.objects.link(each)
    before = set(uids(addon, street).values())
    job.bake(street)
    assert not before & set(uids(addon, street).values())


def test_the_strip_that_plays_the_walk_is_no_longer_edited_in_silence(addon, street, job):
    approving = addon.module("blender_addon.bakes.edited_people")
    job.bake(street)
    walker = next(each for each in owned(addon, street).values() if each.name == "Walkers 002")
    curve = walker.animation_data.nla_tracks[0].strips[0].fcurves[0]
    curve.keyframe_points[5].co.y += 3.0
    with pytest.raises(approving.EditedByHandError, match="Walkers 002"):
        job.bake(street)
    before = uids(addon, street)
    job.bake(street, edited=approving.OVERWRITE)
    assert not set(before.values()) & set(uids(addon, street).values())


def test_who_is_renamed_keeps_the_name_and_nobody_is_written_anew(addon, street, job):
    job.bake(street)
    before = uids(addon, street)
    bpy.data.objects["Walkers 002"].name = "Hero"
    job.bake(street)
    after = uids(addon, street)
    assert set(after) == set(before) - {"Walkers 002"} | {"Hero"}
    assert set(after.values()) == set(before.values())
    again = job.bake(street)
    assert uids(addon, street) == after
    assert again.report["changes"] == "everybody moves as before"


def test_the_report_speaks_of_people_by_the_names_that_the_user_gave(addon, street, job):
    street.footfall.crowds[0].avoidance, street.footfall.crowds[0].count, street.frame_end = "NONE", 6, 60
    job.bake(street)
    (first, *_) = [each for each in job.bake(street).report["events"] if each["kind"] == "overlap"]
    bpy.data.objects[first["names"][0]].name = "Hero"
    (again, *_) = [each for each in job.bake(street).report["events"] if each["kind"] == "overlap"]
    assert again["people"] == first["people"]
    assert again["names"] == ["Hero", first["names"][1]]
