# SPDX-License-Identifier: GPL-3.0-or-later
"""Every panel draws and every operator answers, whatever the file holds and whatever the user is doing.

Panels and operators are taken from what the add-on registers, so that a new one is tested as soon as it is there.
"""

from types import SimpleNamespace

import bpy
import pytest

from .test_panels import Layout

MODES = ["OBJECT", "EDIT", "SCULPT", "VERTEX_PAINT", "WEIGHT_PAINT", "TEXTURE_PAINT"]
NEEDS_A_FILE = {"export_scene"}


class Context:
    """The context of a sidebar: Blender's own, with a region."""

    region = SimpleNamespace(width=260)
    preferences = SimpleNamespace(system=SimpleNamespace(ui_scale=1.0))

    def __getattr__(self, name):
        return getattr(bpy.context, name)


@pytest.fixture
def everything(addon):
    """Draw every panel with its header, and ask every operator whether it can run."""
    classes = addon.module("blender_addon.registration").CLASSES
    columns = addon.module("blender_addon.interface.panels").Tab.columns
    panels = [cls for cls in classes if issubclass(cls, bpy.types.Panel)]
    assert len(panels) > 12

    def draw():
        context, drawn = Context(), 0
        for panel in panels:
            if hasattr(panel, "poll") and not panel.poll(context):
                continue
            stand_in = SimpleNamespace(layout=Layout())
            stand_in.columns = columns.fget(stand_in)
            for method in ("draw_header_preset", "draw_header", "draw"):
                if method in vars(panel):
                    getattr(panel, method)(stand_in, context)
            drawn += 1
        for name in dir(bpy.ops.footfall):
            getattr(bpy.ops.footfall, name).poll()
        return drawn

    return draw


def lose_objects(street):
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)


def lose_curves(street):
    for data in [*bpy.data.curves, *bpy.data.meshes]:
        getattr(bpy.data, "curves" if isinstance(data, bpy.types.Curve) else "meshes").remove(data)


def lose_collections(street):
    for collection in list(bpy.data.collections):
        bpy.data.collections.remove(collection)


def lose_actions(street):
    for action in list(bpy.data.actions):
        bpy.data.actions.remove(action)


def select_nothing(street):
    bpy.ops.object.select_all(action="DESELECT")
    bpy.context.view_layer.objects.active = None


def lose_crowds(street):
    street.settings.crowds.clear()


def spoil_records(street):
    street.settings.report = '{"events": 5, "total": []}'
    street.settings.active_crowd_index = street.settings.active_problem_index = 77
    street.settings.problems.add().people = ""
    street.crowd.edits.add().name = "Nobody 001"
    street.crowd.edits[-1].pinned = True


def choose_all(street):
    bpy.ops.object.select_all(action="SELECT")
    for overlay in street.settings.overlays.bl_rna.properties:
        if overlay.type == "BOOLEAN":
            setattr(street.settings.overlays, overlay.identifier, True)


def go_elsewhere(street):
    bpy.context.window.scene = bpy.data.scenes.new("Empty")


HARMS = [
    *(lose_objects, lose_curves, lose_collections, lose_actions, select_nothing),
    *(lose_crowds, spoil_records, choose_all, go_elsewhere),
]


def test_in_an_empty_scene(everything):
    assert everything() >= 3


@pytest.mark.parametrize("kind", ["PEDESTRIAN", "VEHICLE"])
@pytest.mark.parametrize("mode", ["ROUTE", "AREAS"])
def test_with_a_crowd_that_has_nothing(addon, everything, kind, mode):
    bpy.ops.footfall.crowd_add()
    crowd = bpy.context.scene.footfall.crowds[0]
    crowd.kind, crowd.mode, crowd.spawn.mode = kind, mode, "FLOW"
    assert everything() > 6


@pytest.mark.parametrize("output", ["CHARACTERS", "INSTANCES"])
@pytest.mark.parametrize("harm", HARMS)
def test_after_a_bake_when_something_was_lost(street, everything, harm, output):
    street.crowd.output = output
    bpy.ops.footfall.bake()
    harm(street)
    assert everything() >= 3


@pytest.mark.parametrize("mode", MODES)
def test_in_every_mode(street, everything, mode):
    bpy.ops.footfall.bake()
    bpy.context.view_layer.objects.active = street.kiosk
    bpy.ops.object.mode_set(mode=mode)
    assert everything() > 6
    bpy.ops.object.mode_set(mode="OBJECT")


@pytest.mark.parametrize("harm", HARMS)
def test_operators_finish_or_say_why_they_cannot(street, harm):
    bpy.ops.footfall.bake()
    harm(street)
    for name in sorted(set(dir(bpy.ops.footfall)) - NEEDS_A_FILE):
        operator = getattr(bpy.ops.footfall, name)
        if not operator.poll():
            continue
        told = _refusal(operator)
        assert not told or told.startswith("Error: "), name
        assert "Traceback" not in told, name


def _refusal(operator):
    """What an operator reports as an error; nothing where it runs."""
    try:
        operator()
    except RuntimeError as refused:
        return str(refused)
    return ""
