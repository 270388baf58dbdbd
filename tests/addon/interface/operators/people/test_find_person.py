# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is not there at the current frame is found by name; a copy of a person is told from it, and from what is none."""

import bpy
import pytest

from ....street import Street, select


@pytest.fixture
def late(addon, kept_streets):
    """The street with people who come one by one: at the first frame the third is not there."""

    def make():
        street = Street()
        street.scene.frame_end = 60
        street.crowd.spawn.mode, street.crowd.spawn.rate, street.crowd.count = "FLOW", 1.5, 3
        bpy.ops.footfall.bake()

    street = kept_streets("late", make)
    street.scene.frame_set(1)
    select()
    return street


def copy_of(name):
    """Duplicate an object as Shift D does, and select the copy alone."""
    copy = bpy.data.objects[name].copy()
    bpy.context.scene.collection.objects.link(copy)
    select(copy)
    return copy


def selected():
    return [obj.name for obj in bpy.context.selected_objects]


def test_who_is_not_there_yet_is_gone_to_and_can_be_pinned_then(late):
    person = bpy.data.objects["Crowd 003"]
    assert person.hide_viewport
    bpy.ops.footfall.go_to_person(person="Crowd 003")
    assert selected() == ["Crowd 003"]
    first = late.scene.frame_current
    assert first > 1
    assert not person.hide_viewport
    late.scene.frame_set(first - 1)
    assert person.hide_viewport  # the nearest frame it was
    bpy.ops.footfall.go_to_person(person="Crowd 003")
    bpy.ops.footfall.pin_people()
    assert [(edit.name, edit.pinned) for edit in late.crowd.edits] == [("Crowd 003", True)]
    late.scene.frame_set(1)
    bpy.ops.footfall.go_to_person(person="Crowd 003")  # the pinned ones, too
    assert late.scene.frame_current == first


def test_without_a_name_it_is_the_active_object_that_is_gone_to(late):
    bpy.context.view_layer.objects.active = bpy.data.objects["Crowd 002"]  # as a click in the outliner does
    with pytest.raises(RuntimeError, match="'Crowd 002' is not present at frame 1: Go to Person"):
        bpy.ops.footfall.pin_people()
    bpy.ops.footfall.go_to_person()
    assert selected() == ["Crowd 002"]


def test_who_is_there_stays_at_the_frame_that_is_shown(late):
    late.scene.frame_set(57)
    bpy.ops.footfall.go_to_person(person="Crowd 003")
    assert late.scene.frame_current == 57


def test_instances_are_found_by_their_names_too(late):
    late.crowd.output = "INSTANCES"
    bpy.ops.footfall.bake()
    late.scene.frame_set(1)
    bpy.ops.footfall.go_to_person(person="Crowd 003")
    assert late.settings.overlays.person == 3
    assert late.scene.frame_current > 1
    assert "footfall_people" in bpy.context.active_object


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("", "Enter the name of a person"),
        ("Nobody", "No baked person is called 'Nobody'"),
        ("Kiosk", "is called 'Kiosk'"),
    ],
)
def test_who_is_none_cannot_be_gone_to(late, name, told):
    with pytest.raises(RuntimeError, match=told):
        bpy.ops.footfall.go_to_person(person=name)


@pytest.mark.parametrize("baked_again", [False, True])
def test_a_copy_is_told_from_the_person_and_from_what_is_none(late, baked_again, addon):
    late.scene.frame_set(60)
    copy = copy_of("Crowd 003")
    bpy.ops.footfall.compare_bake()
    if baked_again:
        bpy.ops.footfall.bake(edited="OVERWRITE")
        assert "footfall_crowd" not in copy
    told = f"'{copy.name}' is your own copy of 'Crowd 003' and not part"
    for what in ("pin_people", "hide_people", "delete_people", "retime_people", "restore_people"):
        with pytest.raises(RuntimeError, match=told):
            getattr(bpy.ops.footfall, what)()
    assert not len(late.crowd.edits)
    with pytest.raises(RuntimeError, match=told):
        bpy.ops.footfall.go_to_person(person=copy.name)
    panel = addon.module("blender_addon.interface.panels.person")
    assert panel._tell(bpy.context).startswith(told)
    bpy.context.view_layer.objects.active = late.kiosk
    late.kiosk.select_set(True)
    copy.select_set(False)
    assert panel._tell(bpy.context) == "Select a baked character"
    with pytest.raises(RuntimeError, match=r"Select baked characters first, or a crowd of instances\. Go to Person"):
        bpy.ops.footfall.pin_people()


def test_a_person_is_pinned_itself_though_it_has_copies_and_another_name(late):
    late.scene.frame_set(60)
    person = bpy.data.objects["Crowd 001"]
    person.name = "Emma"
    copy = copy_of("Emma")
    person.select_set(True)
    bpy.ops.footfall.pin_people()
    assert "footfall_pinned" in person
    assert "footfall_pinned" not in copy
