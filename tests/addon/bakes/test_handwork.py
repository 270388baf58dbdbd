# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever an animator does by hand to a baked person, the next bake asks about it, keeps it, or saves the user's data.

Each kind of handwork is done to a person of its own, all in one bake.
"""

from functools import partial

import bpy
import pytest

from tests.sweeps import sweep

from ..street import own_figures
from .crowded import Crowded
from .hand_edits import (
    EDITS,
    ONE_OF_EACH_KIND,
    SETTINGS,
    child_of,
    material_of_its_own,
    node_modifier,
    own_mesh,
    own_track,
)

pytestmark = pytest.mark.usefixtures("two_figures")


@pytest.mark.each_blender("every property that an animator can change is read")
@pytest.mark.parametrize(
    "edits",
    [pytest.param(ONE_OF_EACH_KIND, id="one of each kind"), pytest.param(EDITS, marks=pytest.mark.once, id="all")],
)
def test_no_kind_of_handwork_is_overwritten_unasked(street, addon, tmp_path, edits):
    crowded = Crowded(street, addon, len(edits) + 1)
    crowded.reopen(tmp_path / "edited.blend")
    crowded.scene.frame_set(3)
    bpy.ops.object.select_all(action="SELECT")
    assert not crowded.found()
    for number, (_, edit, _) in enumerate(edits):
        edit(crowded.person(number))
    bpy.context.view_layer.update()
    people = [f"Crowd {number + 1:03d}" for number in range(len(edits))]
    found = crowded.found()
    assert found.keys() == set(people)
    wrong = {kind: found[who] for who, (kind, _, what) in zip(people, edits, strict=True) if not what <= found[who]}
    assert not wrong
    with pytest.raises(RuntimeError, match=r"'Crowd 001' \(.*edited by hand: choose whether to keep"):
        bpy.ops.footfall.bake()
    crowded.reopen(tmp_path / "edited.blend")
    assert crowded.found() == found
    assert [line.name for line in crowded.scene.footfall.handwork] == people
    before = {each.name: each.session_uid for each in crowded.scene.objects if each.name[:9] in people}
    bpy.ops.footfall.bake(edited="KEEP")
    after = {each.name: each.session_uid for each in crowded.scene.objects if each.name[:9] in people}
    assert after == before
    assert not crowded.found()
    assert not len(crowded.scene.footfall.handwork)
    bpy.ops.footfall.bake()


def test_many_kinds_of_handwork_are_tried():
    assert len(EDITS) >= 100
    assert len(ONE_OF_EACH_KIND) >= 20


def give_things(person):
    """An Action, a strip, a material and a mesh of somebody's own, and a key that was dragged."""
    person.path.keyframe_points[1].co.y = 9.0
    own_track(person)
    material_of_its_own(person)
    own_mesh(person).name = "Sculpted"
    node_modifier(person)
    return [bpy.data.actions["Wave"], bpy.data.materials[f"Red {person.name}"], bpy.data.meshes["Sculpted"],
            bpy.data.node_groups["Mine"], person.clip.action]  # fmt: skip


@pytest.mark.parametrize("how", sweep(["overwrite", "delete", "clear", "reset"], usual=2))
def test_what_the_user_made_stays_in_the_file_when_a_person_is_replaced(street, addon, how, tmp_path):
    crowded = Crowded(street, addon, 3)
    person = crowded.person(1)
    things = [(type(each).__name__, each.session_uid, each) for each in give_things(person)]
    if how == "overwrite":
        bpy.ops.footfall.bake(edited="OVERWRITE")
    elif how == "clear":
        bpy.ops.footfall.clear()
    else:
        bpy.ops.object.select_all(action="DESELECT")
        person.rig.select_set(True)
        if how == "delete":
            bpy.ops.footfall.delete_people()
        else:
            bpy.ops.footfall.pin_people()
            bpy.ops.footfall.restore_people()
            things = things[:-1]  # its own keys are what it is to forget
            bpy.ops.footfall.bake()
    assert all(each.use_fake_user for _, _, each in things)
    names = [each.name for _, _, each in things]
    if how != "reset":
        assert names[-1] == "Crowd 002 by hand"
    crowded.reopen(tmp_path / "kept.blend")
    assert {names[0], *names[-1:]} <= set(bpy.data.actions.keys()) | set(bpy.data.node_groups.keys())
    assert names[1] in bpy.data.materials
    assert names[2] in bpy.data.meshes
    if how != "clear":
        bpy.ops.footfall.bake()
        assert not crowded.found()


@pytest.mark.thorough
def test_changes_of_the_users_own_character_are_no_handwork_on_its_copies(street, addon):
    """New materials, clips and shape keys reach everybody with the next bake."""
    own_figures(street.crowd, 2)
    street.scene.frame_end, street.crowd.count = 4, 3
    bpy.ops.footfall.bake()
    for own in [each for each in street.crowd.characters.all_objects if each.type == "MESH"]:
        own.material_slots[0].material.name = "Renamed"
        own.material_slots[1].material = bpy.data.materials.new("Another")
        own.vertex_groups.new(name="Mine")
        own.shape_key_add(name="Basis")
        own.modifiers.new("Smooth", "SUBSURF")
        own.parent.name = "Marta"
    bpy.ops.footfall.bake()
    bodies = [each for each in street.scene.objects if "footfall_crowd" in each and each.type == "MESH"]
    assert any("Smooth" in each.modifiers for each in bodies)


@pytest.mark.parametrize("how", ["FULL_COPY", "LINK_COPY"])
def test_a_copied_scene_is_no_handwork(street, addon, how):
    crowded = Crowded(street, addon, 3)
    bpy.ops.scene.new(type=how)
    crowded.scene = bpy.context.scene
    assert not crowded.found()


def test_instances_are_asked_about_and_cannot_be_pinned(street, addon):
    street.crowd.output = "INSTANCES"
    bpy.ops.footfall.bake()
    edited = addon.module("blender_addon.bakes.edited_people")
    (shown,) = [each for each in street.scene.objects if "footfall_people" in each]
    for edit, what in (
        (lambda: shown.modifiers.new("Smooth", "SUBSURF"), "modifiers"),
        (lambda: setattr(shown.data.vertices[0].co, "z", 4.0), "data"),
        (lambda: setattr(shown, "scale", (2.0, 2.0, 2.0)), "transform"),
        (lambda: shown.modifiers[0].node_group.nodes.new("GeometryNodeJoinGeometry"), "nodes"),
    ):
        edit()
        (found,) = edited.find_handwork(street.scene, street.crowd)
        assert what in found.what
    with pytest.raises(RuntimeError, match="is a crowd of instances, which cannot be pinned"):
        bpy.ops.footfall.bake(edited="KEEP")
    bpy.ops.footfall.bake(edited="OVERWRITE")
    bpy.ops.footfall.bake()


def test_crowds_of_one_bake_share_their_poses_which_go_with_the_last(street, addon):
    """Whichever is baked anew or removed first, the other is shown as before and counts as untouched."""
    street.crowd.output, street.crowd.count = "INSTANCES", 3
    bpy.ops.footfall.crowd_add()
    other = street.scene.footfall.crowds[1]
    first = street.scene.footfall.crowds[0]  # adding one has moved it
    other.route, other.characters, other.output, other.count = first.route, first.characters, "INSTANCES", 3
    names, edited = (first.name, other.name), addon.module("blender_addon.bakes.edited_people")

    def poses():
        return [each for each in bpy.data.objects if " pose " in each.name]

    def shown():
        street.scene.frame_set(4)
        return sum(each.is_instance for each in bpy.context.evaluated_depsgraph_get().object_instances)

    bpy.ops.footfall.bake()
    once, seen = len(poses()), shown()
    assert len({each["footfall_crowd"] for each in poses()}) == 1
    for crowd in (names[0], names[1], names[1], names[0], ""):
        bpy.ops.footfall.bake(crowd=crowd)
        assert shown() == seen > 0
        assert not any(edited.find_handwork(street.scene, each) for each in street.scene.footfall.crowds)
    assert len(poses()) == once
    poses()[0].data.materials.append(bpy.data.materials.new("Mine"))
    assert any(edited.find_handwork(street.scene, each) for each in street.scene.footfall.crowds)
    for number in (0, 1):
        clear = addon.module("blender_addon.baking.clearing").clear_crowds
        clear(street.scene, [street.scene.footfall.crowds[number]])
        assert bool(poses()) == (number == 0)


def test_collections_that_the_user_chose_are_kept(street, addon):
    crowded = Crowded(street, addon, 3)
    mine = bpy.data.collections.new("Mine")
    street.scene.collection.children.link(mine)
    mine.objects.link(crowded.person(0).rig)
    body = crowded.person(1).body
    for holder in body.users_collection:
        holder.objects.unlink(body)
    mine.objects.link(body)
    held = {each.name: {*(holder.name for holder in each.users_collection)} for each in mine.objects}
    bpy.ops.footfall.bake(edited="OVERWRITE")
    assert {name: {holder.name for holder in bpy.data.objects[name].users_collection} for name in held} == held


def test_who_was_hidden_or_deleted_by_the_panel_and_reset_comes_back_unasked(street, addon):
    crowded = Crowded(street, addon, 3)
    for number, what in ((1, "hide_people"), (2, "delete_people")):
        bpy.ops.object.select_all(action="DESELECT")
        crowded.person(number).rig.select_set(True)
        getattr(bpy.ops.footfall, what)()
    for name in ("Crowd 002", "Crowd 003"):
        bpy.ops.footfall.restore_person(person=name)
    assert not crowded.found()
    bpy.ops.footfall.bake()
    assert {"Crowd 002", "Crowd 003"} <= set(bpy.data.objects.keys())


def test_who_was_edited_is_not_hidden_by_removing_the_objects(street, addon):
    crowded = Crowded(street, addon, 2)
    child_of(crowded.person(0))
    bpy.ops.object.select_all(action="DESELECT")
    crowded.person(0).rig.select_set(True)
    with pytest.raises(RuntimeError, match=r"'Crowd 001' was edited by hand \(constraints\)"):
        bpy.ops.footfall.hide_people()


def test_the_camera_stays_on_its_person(street, addon):
    crowded = Crowded(street, addon, 2)
    street.scene.camera = crowded.person(0).rig
    bpy.ops.footfall.bake(edited="OVERWRITE")
    assert street.scene.camera == bpy.data.objects["Crowd 001"]


def test_what_the_user_deletes_is_not_kept_by_a_bake(street, addon):
    own_figures(street.crowd, 2)
    target = bpy.data.objects.new("Target", None)
    street.scene.collection.objects.link(target)
    rig = next(each for each in street.crowd.characters.all_objects if each.type == "ARMATURE")
    rig.pose.bones[0].constraints.new("COPY_SCALE").target = target
    street.scene.frame_end, street.crowd.count = 4, 3
    bpy.ops.footfall.bake()
    bpy.ops.object.select_all(action="DESELECT")
    target.select_set(True)
    bpy.ops.object.delete()
    assert "Target" not in bpy.data.objects


def test_properties_of_other_addons_are_no_handwork(street, addon):
    bpy.types.Object.studio_number = bpy.props.IntProperty()
    try:
        crowded = Crowded(street, addon, 2)
        for each in street.scene.objects:
            each.studio_number = 3
        assert not crowded.found()
    finally:
        del bpy.types.Object.studio_number
    bpy.ops.footfall.bake(edited="OVERWRITE")


def test_a_bake_in_tweak_mode_is_refused_by_name(street, addon):
    crowded = Crowded(street, addon, 2)
    data = crowded.person(0).data
    data.action = None
    data.nla_tracks[0].strips[0].select = True
    data.nla_tracks.active = data.nla_tracks[0]
    data.use_tweak_mode = True
    if data.use_tweak_mode:
        with pytest.raises(RuntimeError, match="'Crowd 001' is in Tweak Mode"):
            bpy.ops.footfall.bake()


def test_handwork_during_a_bake_in_slices_is_not_lost(street, addon):
    crowded = Crowded(street, addon, 3)
    job = addon.module("blender_addon.baking.bake").BakeJob(street.scene)
    while not job.run_for(0.0) and job.stage == "Simulating":
        pass
    crowded.person(0).rig.scale = (2.0, 2.0, 2.0)
    edited = addon.module("blender_addon.bakes.edited_people")
    with pytest.raises(edited.EditedByHandError, match=r"'Crowd 001' \(transform\)"):
        any(iter(partial(job.run_for, 0.0), True))
    assert tuple(bpy.data.objects["Crowd 001"].scale) == (2.0, 2.0, 2.0)


def test_how_people_are_shown_is_no_handwork_and_the_next_bakes_take_it_over(street, addon):
    crowded = Crowded(street, addon, 2)
    other = tuple(crowded.person(1).body.color)
    shown = crowded.person(0)
    shown.body.display_type, shown.body.color = "WIRE", (0.1, 0.2, 0.3, 1.0)
    shown.rig.show_name = shown.rig.show_in_front = True
    assert not crowded.found()
    for lean in (0.3, 0.4):
        crowded.crowd.motion.lean = lean
        bpy.ops.footfall.bake()
        assert not crowded.found()
        again = crowded.person(0)
        assert (again.body.display_type, again.rig.show_name, again.rig.show_in_front) == ("WIRE", True, True)
        assert tuple(again.body.color) == pytest.approx((0.1, 0.2, 0.3, 1.0))
        assert not crowded.person(1).rig.show_name
        assert tuple(crowded.person(1).body.color) == other


def test_records_of_earlier_versions_of_footfall_hold_how_people_are_shown_among_their_settings(
    street, addon, monkeypatch
):
    aspects = addon.module("blender_addon.bakes.aspects")
    with monkeypatch.context() as earlier:
        earlier.setattr(aspects, "_DISPLAY", ())
        crowded = Crowded(street, addon, 2)
    for each in street.scene.objects:
        if "footfall_as_made" in each:
            del each["footfall_as_made"][aspects.DISPLAY]
    assert not crowded.found()
    crowded.person(0).body.show_name = True
    assert crowded.found() == {"Crowd 001": SETTINGS}
    crowded.person(0).body.show_name, crowded.crowd.motion.lean = False, 0.3
    bpy.ops.footfall.bake()
    assert not crowded.found()
    crowded.person(0).body.show_name = True
    assert not crowded.found()  # their new records hold it apart
