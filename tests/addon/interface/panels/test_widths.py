# SPDX-License-Identifier: GPL-3.0-or-later
"""No name of a setting that a panel of the sidebar writes out is cut off at its usual width, in any language."""

from types import SimpleNamespace

import blf
import bpy
import pytest

from .test_main import Layout, texts

ROOM = {"name": 87, "tick": 105, "wide tick": 205, "inside": 150}
"""For names left of values, right of check boxes in the column of values or over the whole width, and in fields of the
whole width, where the sidebar is 292 pixels wide; measured in pictures of it [pixels]."""


@pytest.fixture
def names(addon):
    """Return by kind the names that all panels show, in all languages."""
    registered = addon.module("blender_addon.registration").CLASSES
    tab = addon.module("blender_addon.interface.panels.main").Tab
    panels = [each for each in registered if issubclass(each, tab)]
    languages = addon.module("blender_addon.interface.languages").LANGUAGES.values()
    context = SimpleNamespace(
        scene=bpy.context.scene,
        active_object=None,
        region=SimpleNamespace(width=292),
        preferences=SimpleNamespace(system=SimpleNamespace(ui_scale=1.0)),
    )

    def find():
        layout = Layout()
        for panel in panels:
            if not hasattr(panel, "poll") or panel.poll(context):
                stand_in = SimpleNamespace(layout=Layout(layout.drawn))
                stand_in.columns = tab.columns.fget(stand_in)
                panel.draw(stand_in, context)
        found = {kind: set(texts(layout.drawn, kind)) for kind in ROOM}
        return {
            kind: some | {words[name] for words in languages for name in some & set(words)}
            for kind, some in found.items()
        }

    return find


def cut_off(names):
    blf.size(0, 11.0)
    return {
        (kind, name): width
        for kind, some in names.items()
        for name in some
        if (width := blf.dimensions(0, name)[0]) > ROOM[kind]
    }


@pytest.mark.parametrize("changes", [{}, {"mode": "AREAS"}, {"mode": "PLACE"}, {"kind": "VEHICLE"}])
def test_names_of_settings_are_not_cut_off(street, names, changes):
    for name, value in changes.items():
        setattr(street.crowd, name, value)
    street.crowd.spawn.mode = "FLOW"
    found = names()
    assert len(found["name"]) > 20
    assert len(found["tick"]) > 3
    assert not cut_off(found)


def every(block, *choices):
    """Set one choice after the other to each of its items."""
    for choice in choices:
        for item in block.bl_rna.properties[choice].enum_items:
            setattr(block, choice, item.identifier)
            yield


def test_names_in_the_panel_of_stops_are_not_cut_off(street, names):
    stop = street.crowd.stops.add()
    street.crowd.stops.add()
    shown = [names() for _ in every(stop, "do")]
    stop.do = "WAIT_UNTIL"
    shown += [names() for _ in every(stop, "awaits", "awaited_deed")]
    assert len(set.union(*(each["name"] for each in shown))) > 20
    assert not [each for each in map(cut_off, shown) if each]


def test_names_in_the_panel_of_triggers_are_not_cut_off(street, names):
    trigger = street.settings.triggers.add()
    shown = [names() for _ in every(trigger, "when", "does", "then")]
    assert len(set.union(*(each["inside"] for each in shown))) > 2
    assert not [each for each in map(cut_off, shown) if each]


def test_names_in_the_cast_table_are_not_cut_off(street, addon, names):
    roles = addon.module("blender_addon.settings.cast_rows").CLIP_ROLES
    assert bpy.ops.footfall.find_clips() == {"FINISHED"}
    row = street.settings.cast[0]
    row.armature = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    for role in roles:
        getattr(row, role.name).clip = bpy.data.actions.new("Walk")
    found = names()
    assert {role.label for role in roles} <= found["name"]
    assert not cut_off(found)
