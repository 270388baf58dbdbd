# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels draw whatever the file holds, and name only what this Blender has."""

import gc
import weakref
from itertools import takewhile
from types import SimpleNamespace

import bpy
import pytest

pytestmark = pytest.mark.each_blender("panels draw with what this Blender's layouts take")

PANELS = (
    *("CrowdsPanel", "RoutePanel", "PeoplePanel", "SpacePanel", "WalkingPanel", "PlanWeightsPanel"),
    *(
        "TogetherPanel",
        "LanesPanel",
        "DrivingPanel",
        "ObstaclesPanel",
        "BakePanel",
        "ReportPanel",
        "EditsPanel",
        "OverlaysPanel",
    ),
)
ICONS = set(bpy.types.UILayout.bl_rna.functions["label"].parameters["icon"].enum_items.keys())


class Layout:
    """Stands for Blender's layout: keeps what is drawn, and fails as Blender would on names that it does not have."""

    def __init__(self, drawn=None):
        self.drawn = [] if drawn is None else drawn

    use_property_split = True

    def _inner(self, *_, **__):
        return Layout(self.drawn)

    row = column = box = split = grid_flow = _inner

    def _note(self, kind, what, icon="NONE"):
        assert icon in ICONS, icon
        self.drawn.append((kind, what))

    def label(self, *, text="", icon="NONE", icon_value=0, translate=True):
        self._note("label", text, icon)

    def prop(self, data, name, *, text=None, icon="NONE", emboss=True):
        assert name in data.bl_rna.properties, name
        self._note("prop", name, icon)
        shown = data.bl_rna.properties[name].name if text is None else text
        if shown and data.bl_rna.properties[name].type == "BOOLEAN":
            self._note("tick" if self.use_property_split else "wide tick", shown)
        elif shown:
            self._note("name" if self.use_property_split else "inside", shown)

    def prop_search(self, data, name, _items, _of, *, text=None):
        self.prop(data, name, text=text)

    def operator(self, name, *, text="", icon="NONE", translate=True):
        getattr(bpy.ops.footfall, name.removeprefix("footfall.")).get_rna_type()
        self._note("operator", text or name, icon)
        return SimpleNamespace()

    def operator_menu_enum(self, name, choice, *, text="", icon="NONE"):
        kind = getattr(bpy.ops.footfall, name.removeprefix("footfall.")).get_rna_type()
        assert kind.properties[choice].type == "ENUM"
        self._note("operator", text or name, icon)

    def prop_menu_enum(self, data, name, *, text=""):
        assert name in data.bl_rna.properties, name
        self._note("prop", name)

    def menu(self, name, *, text="", icon="NONE"):
        assert hasattr(bpy.types, name)
        self._note("menu", name, icon)

    def template_list(self, list_class, _id, data, name, active_data, active_name, *, rows, sort_lock):
        assert hasattr(bpy.types, list_class)
        assert {name, active_name} <= set(data.bl_rna.properties.keys())
        item_class = getattr(bpy.types, list_class)
        for number, item in enumerate(getattr(data, name)):
            given = [active_name, number][: item_class.draw_item.__code__.co_argcount - 7]
            item_class.draw_item(None, bpy.context, Layout(self.drawn), data, item, 0, active_data, *given)

    def popover(self, *, panel, icon="NONE", text=""):
        assert hasattr(bpy.types, panel)
        self._note("popover", text or panel, icon)

    def separator(self, **_):
        pass

    def progress(self, *, factor, text, **_):
        assert 0.0 <= factor <= 1.0
        self._note("progress", text)


@pytest.fixture
def draw(addon):
    """Draw the whole tab as Blender would, and return what was drawn."""
    classes = addon.module("blender_addon.registration").CLASSES
    columns = addon.module("blender_addon.interface.panels.main").Tab.columns
    context = SimpleNamespace(
        scene=bpy.context.scene,
        region=SimpleNamespace(width=260),
        preferences=SimpleNamespace(system=SimpleNamespace(ui_scale=1.0)),
    )

    def draw_all():
        context.scene = bpy.context.scene
        layout = Layout()
        for name in PANELS:
            panel = next(cls for cls in classes if cls.__name__ == name)
            if not hasattr(panel, "poll") or panel.poll(context):
                stand_in = SimpleNamespace(layout=Layout(layout.drawn))
                stand_in.columns = columns.fget(stand_in)
                panel.draw(stand_in, context)
        return layout.drawn

    return draw_all


def texts(drawn, kind="label"):
    return [what for which, what in drawn if which == kind]


def test_an_empty_scene_offers_to_add_a_crowd(draw):
    drawn = draw()
    assert ("operator", "Add a Crowd") in drawn
    assert ("prop", "obstacles") in drawn
    assert ("prop", "route") not in drawn
    assert not [text for text in texts(drawn, "operator") if "Bake" in text]


def test_a_crowd_without_a_route_says_what_is_missing(addon, draw):
    bpy.ops.footfall.crowd_add()
    drawn = draw()
    assert ("operator", "Bake Frames 1 to 250") in drawn
    assert "No route: 'Crowd'" in texts(drawn)


def test_before_the_first_bake_one_line_says_how_things_are(street, addon, draw, monkeypatch):
    def below_the_button():
        drawn = draw()
        rest = drawn[drawn.index(("operator", "Bake Frames 1 to 250")) + 1 :]
        return [what for _, what in takewhile(lambda each: each[0] == "label", rest)]

    street.scene.frame_end = 250
    assert below_the_button() == ["Not baked yet"]
    linked = "Scene 'Street' is linked from another file"
    with monkeypatch.context() as patch:
        patch.setattr(addon.module("blender_addon.interface.operators.bake"), "why_busy", lambda _: linked)
        assert below_the_button() == [linked]
    street.crowd.route = None
    street.crowd.name = "Gate A: in"
    assert below_the_button() == ["No route: 'Gate A: in'"]


def test_only_settings_that_matter_are_shown(street, draw):
    shown = texts(draw(), "prop")
    assert {"route", "path_width", "forward_axis", "stride_length", "keep_to_line", "spread", "k_jerk"} <= set(shown)
    assert not {"start", "goal", "rate", "headway"} & set(shown)
    street.crowd.mode, street.crowd.spawn.mode, street.crowd.characters = "AREAS", "FLOW", None
    shown = texts(draw(), "prop")
    assert {"start", "goal", "rate", "headway"} <= set(shown)
    assert not {"route", "path_width", "forward_axis", "stride_length", "spread"} & set(shown)


def test_people_and_vehicles_have_folds_of_their_own(street, draw):
    of_people = {"path_width", "output", "keep_to_line", "k_jerk", "radius", "avoidance", "cohesion", "mean"}
    of_vehicles = {"lane_width", "two_way", "priority", "crossings", "turning_radius", "time_headway", "speed"}
    shown = set(texts(draw(), "prop"))
    assert of_people <= shown
    assert not of_vehicles & shown
    street.crowd.kind = "VEHICLE"
    shown = set(texts(draw(), "prop"))
    assert of_vehicles <= shown
    assert not of_people & shown


def test_after_a_bake_its_figures_stand_under_the_button(street, draw):
    bpy.ops.footfall.bake()
    drawn = draw()
    assert ("operator", "Re-bake Frames 1 to 6") in drawn
    assert ("operator", "footfall.clear") in drawn
    assert {"Arrived", "0 of 3", "The bake is up to date"} <= set(texts(drawn))


def test_an_outdated_bake_says_so(addon, street, draw):
    bpy.ops.footfall.bake()
    street.crowd.count = 4
    assert "Inputs changed since the bake" in texts(draw())
    addon.module("blender_addon.runtime.freshness").judge_all()
    assert "The bake is out of date" in texts(draw())


def test_after_a_file_was_opened_it_is_said_that_the_next_bake_simulates_everything(addon, street, draw, tmp_path):
    said = "The first bake after opening a file simulates every frame"
    bpy.ops.footfall.bake()
    assert said not in " ".join(texts(draw()))
    known = addon.module("blender_addon.runtime.last_bakes")
    simulation = weakref.ref(known.memory_of(street.scene).simulation)
    where = str(tmp_path / "street.blend")
    bpy.ops.wm.save_as_mainfile(filepath=where)
    assert said not in " ".join(texts(draw()))
    assert simulation() is not None
    bpy.ops.wm.open_mainfile(filepath=where)
    gc.collect()
    assert simulation() is None  # and its memory is free
    assert said in " ".join(texts(draw()))


def test_notices_stand_in_full_on_as_many_lines_as_they_need(addon, street, draw):
    street.crowd.baked = "print"
    sentence = "Twelve people were slowed by the bend of 'Path' at frame 84, which is tighter than they can walk"
    addon.module("blender_addon.settings.problems").list_problems(
        street.settings.problems, {"events": [], "notices": [sentence] * 9}
    )
    street.settings.report, street.settings.active_problem_index = "{}", 3
    lines = texts(draw(), "operator")
    begin = next(number for number, line in enumerate(lines) if line.startswith("Twelve"))
    wrapped = lines[begin:]
    assert " ".join(wrapped).count(sentence) == 9
    assert max(map(len, wrapped[: wrapped.index(wrapped[0], 1)])) < 45


def test_while_a_bake_runs_only_its_progress_is_shown(addon, street, draw, monkeypatch):
    progress = addon.module("blender_addon.runtime.running_bake")
    job = SimpleNamespace(stage="Simulating", fraction=0.5, frame=3)
    monkeypatch.setattr(progress, "_running", SimpleNamespace(job=job, text="Simulating, frame 3"))
    drawn = draw()
    assert ("progress", "50%") in drawn
    assert ("label", "Simulating, frame 3") in drawn
    assert ("operator", "footfall.cancel_bake") in drawn
    assert not [text for text in texts(drawn, "operator") if "Frames" in text]


def lose_data(street):
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    for collection in list(bpy.data.collections):
        bpy.data.collections.remove(collection)


def spoil_report(street):
    street.settings.report = "{ not JSON"


def lose_index(street):
    street.settings.active_crowd_index = 99


def delete_scene(street):
    other = bpy.data.scenes.new("Other")
    bpy.context.window_manager.windows[0].scene = other
    bpy.data.scenes.remove(street.scene)


@pytest.mark.parametrize("harm", [lose_data, spoil_report, lose_index, delete_scene])
def test_drawing_never_fails(street, draw, harm):
    bpy.ops.footfall.bake()
    harm(street)
    assert draw()


@pytest.mark.parametrize("mode", ["EDIT", "SCULPT", "VERTEX_PAINT", "OBJECT"])
def test_every_button_can_be_asked_in_every_mode(street, draw, mode):
    bpy.context.view_layer.objects.active = street.kiosk
    bpy.ops.object.mode_set(mode=mode)
    assert draw()
    for name in dir(bpy.ops.footfall):
        getattr(bpy.ops.footfall, name).poll()
    assert bpy.ops.footfall.bake.poll()
    bpy.ops.object.mode_set(mode="OBJECT")
