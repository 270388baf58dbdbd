# SPDX-License-Identifier: GPL-3.0-or-later
"""The pictures of the manual, taken in the window as a user comes to see it; `build_addon.py pictures` puts them there.

Each scenario also tests what it shows: that the panels are there, and that what the page says comes about.
"""

import math
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

import bpy
import hand
import numpy as np
import scenarios
from mathutils import Euler, Vector

VIEW, SIDEBAR, BOTH = "WINDOW", "UI", "BOTH"
WIDEST = 900  # [pixels]


def keep(name, part):
    """Save a part of the window as a picture of the manual, no wider than a page is; returns its pixels."""
    pixels = hand.screen()
    area, sidebar = hand.view(), hand.region("UI")
    boxes = {
        BOTH: (area.x, area.y, area.width, area.height),
        VIEW: (area.x, area.y, area.width, area.height),
        SIDEBAR: (sidebar.x, sidebar.y, sidebar.width, sidebar.height),
    }
    x, y, width, height = boxes[part]
    cut = pixels[y : y + height, x : x + width]
    assert np.ptp(cut) > 0.3, f"{name} is empty"
    hand.save(trim(cut) if part == SIDEBAR else cut, hand.PICTURES / f"{name}.webp", widest=WIDEST)
    return cut


def trim(pixels):
    """Cut off the empty rows at the bottom of a sidebar."""
    busy = np.flatnonzero(np.ptp(pixels[:, : -pixels.shape[1] // 8].reshape(len(pixels), -1), axis=1) > 0.15)
    return pixels[max(int(busy[0]) - 8, 0) :] if len(busy) else pixels


def hide_last_operator():
    """Do without the panel of the last operator."""
    hand.view().spaces.active.show_region_hud = False  # before there is anything in it to hide


def scroll(pixels):
    """Scroll the sidebar down."""
    with bpy.context.temp_override(window=hand.window(), area=hand.view(), region=hand.region("UI")):
        bpy.ops.view2d.pan(deltay=-pixels)
    yield from hand.wait(5)


@contextmanager
def unfolded(*names):
    """Panels are open where the sidebar is drawn for the first time; by then Blender has asked for their options."""
    classes = scenarios.module("registration").CLASSES
    panels = [each for each in classes if issubclass(each, bpy.types.Panel)]
    told = {panel: panel.bl_options for panel in panels if panel.bl_idname in names}
    assert len(told) == len(names), f"there are no such panels: {names}"
    for panel, options in told.items():
        panel.bl_options = options - {"DEFAULT_CLOSED"}
    register_again(panels)
    try:
        yield
    finally:
        for panel, options in told.items():
            panel.bl_options = options
        register_again(panels)


def register_again(panels):
    """Tell Blender of panels anew, all of them, as parents lose their children."""
    for panel in reversed(panels):
        bpy.utils.unregister_class(panel)
    for panel in panels:
        bpy.utils.register_class(panel)


def look(aside=2.6):
    """Look at the square from above; `aside` of its middle, where the sidebar hides a part of the viewport [m]."""
    view = hand.view().spaces.active.region_3d
    view.view_rotation = Euler((math.radians(55.0), 0.0, math.radians(-20.0))).to_quaternion()
    view.view_distance = 15.0
    view.view_location = Vector((0.0, -0.6, 0.3)) + view.view_rotation @ Vector((aside, 0.0, 0.0))
    yield from hand.wait(5)


def baked_square(people, frame):
    """The square with its crowd baked, shown at a frame."""
    yield from scenarios.square(people=people, frames=120)
    hide_last_operator()
    yield from scenarios.bake()
    bpy.context.scene.frame_set(frame)


def scenario_manual_first_bake():
    """The sidebar before the bake; people in the viewport after it."""
    yield from scenarios.square(people=16, frames=120)
    hide_last_operator()
    yield from look()
    keep("first_bake_panel", SIDEBAR)
    yield from scenarios.bake()
    bpy.context.scene.frame_set(60)
    yield from look()
    yield from scroll(2000)
    keep("first_bake_done", BOTH)


def scenario_manual_rebake():
    """The box is moved: the panel says so."""
    yield from baked_square(people=16, frame=60)
    bpy.data.objects["Box"].location = (0.6, 0.3, 0.0)
    yield from hand.wait(30)
    yield from look()
    yield from scroll(2000)
    keep("rebake_out_of_date", BOTH)


def scenario_manual_people():
    """A person is selected: the panel tells of it; a pinned one is listed."""
    with unfolded("FOOTFALL_PT_edits", "FOOTFALL_PT_person"):
        yield from baked_square(people=16, frame=60)
        yield from hand.wait(5)
    people = [obj for obj in bpy.context.scene.objects if "footfall_crowd" in obj and obj.parent is None]
    scenarios.select(people[3])
    with hand.in_view():
        bpy.ops.footfall.pin_people()
    scenarios.select(people[5])
    with hand.in_view():
        bpy.ops.footfall.replace_character("EXEC_DEFAULT", character="Footfall man")
    yield from look()
    yield from scroll(4000)
    keep("people_panel", BOTH)
    keep("person_panel", SIDEBAR)


def scenario_manual_report():
    """A throng in a narrow place: the report lists what is wrong."""
    yield from scenarios.square(people=40, frames=120)
    hide_last_operator()
    crowd = bpy.context.scene.footfall.crowds[0]
    crowd.avoidance = "NONE"
    yield from scenarios.bake()
    assert len(bpy.context.scene.footfall.problems) > 2
    bpy.context.scene.footfall.active_problem_index = 0
    yield from hand.wait(10)
    yield from scroll(2600)
    keep("report_panel", BOTH)


def shop_street(*panels):
    """A new file with a street, a shop window, a bench and a crowd; these panels of the sidebar are open."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    yield from hand.wait(10)
    for name, size, place in (
        ("Window", (6.0, 1.0, 2.6), (0.0, 4.0, 1.3)),
        ("Bench", (2.2, 0.5, 0.45), (3.0, -3.0, 0.225)),
    ):
        bpy.ops.mesh.primitive_cube_add(size=1.0, location=place)
        bpy.context.object.name, bpy.context.object.scale = name, size
        bpy.ops.object.transform_apply(location=False)
    bpy.ops.curve.primitive_nurbs_path_add()
    path = bpy.context.object
    path.name = "Path"
    for number, point in enumerate(path.data.splines[0].points):
        point.co = (6.0 * number - 12.0, 0.0, 0.0, 1.0)
    with hand.in_view():
        bpy.ops.footfall.crowd_add()
    with unfolded(*panels):
        yield from hand.open_sidebar()
    hide_last_operator()


def scenario_manual_stops():
    """A street with a shop window and a bench: two stops in the panel, and people at both after the bake."""
    yield from shop_street("FOOTFALL_PT_route")
    for kind, name in (("WINDOW", "Window"), ("BENCH", "Bench")):
        scenarios.select(bpy.data.objects[name])
        with hand.in_view():
            bpy.ops.footfall.stop_add(kind=kind)
    yield from street(aside=1.2, distance=15.0)
    keep("stops_panel", BOTH)
    scene = bpy.context.scene
    scene.frame_end = 900
    yield from scenarios.bake()
    assert not any("have not been" in problem.name for problem in scene.footfall.problems)
    scene.frame_set(330)
    yield from street(aside=0.0, distance=12.0)
    hand.view().spaces.active.show_region_ui = False
    yield from hand.wait(10)
    keep("stops_done", VIEW)


def scenario_manual_triggers():
    """The window is selected at frame 150: a trigger from which people flee."""
    yield from shop_street("FOOTFALL_PT_triggers")
    bpy.context.scene.frame_set(150)
    scenarios.select(bpy.data.objects["Window"])
    with hand.in_view():
        bpy.ops.footfall.trigger_add()
    trigger = bpy.context.scene.footfall.triggers[0]
    assert (trigger.when, trigger.frame, trigger.then, trigger.mark.name) == ("FRAME", 150, "FLEE", "Window")
    yield from scroll(4000)
    keep("triggers_panel", SIDEBAR)


def street(aside, distance):
    """Look at a street from above."""
    view = hand.view().spaces.active.region_3d
    view.view_rotation = Euler((math.radians(62.0), 0.0, math.radians(-8.0))).to_quaternion()
    view.view_distance = distance
    view.view_location = Vector((0.5, -0.5, 0.5)) + view.view_rotation @ Vector((aside, 0.0, 0.0))
    yield from hand.wait(5)


def scenario_manual_own_characters():
    """Characters are chosen: the table is filled, a stride of 40 m is red, and a walk plays and ends by Esc."""
    with unfolded("FOOTFALL_PT_people"):
        yield from scenarios.square(people=8, frames=60)
    hide_last_operator()
    with hand.in_view():
        bpy.ops.footfall.own_figures()
    cast = bpy.context.scene.footfall.cast
    yield from hand.wait_until(lambda: len(cast) == 10 and cast[0].walk.stride > 0.5, "the table")
    yield from scroll(4000)
    hand.point(hand.view().x + 200, hand.view().y + 200)  # no tooltip shall hide the table
    yield from look()
    hand.view().spaces.active.region_3d.view_distance = 7.0
    yield from hand.wait(5)
    keep("cast_table", SIDEBAR)
    blocks = [len(kind) for kind in (bpy.data.objects, bpy.data.actions, bpy.data.meshes)]
    before = hand.saturated(hand.cut(hand.screen(), "WINDOW"))
    with hand.in_view():
        bpy.ops.footfall.check_character("INVOKE_DEFAULT")
    yield from hand.wait(20)
    playing = hand.saturated(keep("check_character", BOTH))
    assert [len(kind) for kind in (bpy.data.objects, bpy.data.actions, bpy.data.meshes)] == blocks
    hand.press("ESC")
    yield from hand.wait(10)
    assert playing > before
    assert hand.saturated(hand.cut(hand.screen(), "WINDOW")) <= before
    cast[0].walk.stride = 40.0
    yield from hand.wait_until(lambda: cast[0].walk.problem, "the red line")
    yield from scroll(4000)
    keep("cast_table_red", SIDEBAR)


def downloads(folder):
    """Files as Mixamo sends them: a character with its walk, and clips without a skin."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    yield from hand.wait(10)
    figures = scenarios.module("figures.figure")
    figure = figures.ensure_figures([0])[0]
    animation = scenarios.module("blender_data.animation")
    rig, body = figure.armature, figure.meshes[0]
    rig.name, body.name = "Armature", "Body"
    for block in (rig.data, body.data):
        for key in list(block.keys()):
            del block[key]  # or the copies would be known for built-in figures
    scene = bpy.context.scene
    for each in (rig, body):
        scene.collection.objects.link(each)
        each.hide_viewport = False
    for name, clip in (("Walking", figure.walk), ("Idle", figure.idle), ("Running", figure.run)):
        animation.assign_clip(rig, clip)
        scene.frame_start, scene.frame_end = map(round, animation.clip_range(clip))
        rig.select_set(True)
        body.select_set(name == "Walking")
        with hand.in_view():
            bpy.ops.export_scene.fbx(
                filepath=str(folder / f"{name}.fbx"),
                use_selection=True,
                bake_anim_use_all_actions=False,
                bake_anim_use_nla_strips=False,
            )


def file_browser():
    """Take a picture of the importer's settings, over the name of a file without the folder of this machine."""
    bpy.context.preferences.view.filebrowser_display_type = "SCREEN"
    with hand.in_view():
        bpy.ops.import_scene.fbx("INVOKE_DEFAULT", filepath="Walking.fbx")
    for _ in range(40):
        yield
    pixels = hand.screen()
    assert np.ptp(pixels) > 0.3
    hand.save(pixels, hand.PICTURES / "mixamo_1.webp", widest=WIDEST)
    hand.press("ESC")
    for _ in range(20):
        yield


def scenario_manual_mixamo():
    """The Mixamo way in five steps: import, select the curve with the character, +, Bake."""
    folder = Path(tempfile.mkdtemp(prefix="mixamo-"))
    yield from downloads(folder)
    yield from scenarios.square(frames=250)
    scene = bpy.context.scene
    scene.footfall.crowds.clear()
    scene.footfall.obstacles = None
    bpy.data.objects.remove(bpy.data.objects["Box"])
    hide_last_operator()
    yield from file_browser()
    with hand.in_view():
        bpy.ops.import_scene.fbx(filepath=str(folder / "Walking.fbx"))
    scene.render.fps = 24
    yield from near()
    keep("mixamo_2", VIEW)
    path = bpy.data.objects["Path"]
    path.select_set(True)
    bpy.context.view_layer.objects.active = path
    yield from near()
    keep("mixamo_3", VIEW)
    with hand.in_view():
        bpy.ops.footfall.crowd_add()
    crowd = scene.footfall.crowds[0]
    assert crowd.characters is not None
    assert crowd.route == path
    bpy.data.objects["Armature"].data.display_type = "STICK"
    scene.frame_end = 250
    yield from hand.wait_until(lambda: len(scene.footfall.cast) == 1, "the table")
    yield from near()
    yield from scroll(-4000)
    keep("mixamo_4", BOTH)
    yield from scenarios.bake()
    assert not any("Footfall's" in problem.name for problem in scene.footfall.problems), "it has clips of its own"
    scene.frame_set(120)
    bpy.ops.object.select_all(action="DESELECT")
    yield from near()
    yield from scroll(-4000)
    yield from scroll(130)  # to the figures of the feet
    keep("mixamo_5", BOTH)
    shutil.rmtree(folder)


def near():
    """Look at the middle of the path from near by."""
    yield from look(aside=1.0)
    hand.view().spaces.active.region_3d.view_distance = 6.5
    yield from hand.wait(8)


def scenario_manual_overlays():
    """Each overlay that a walk along a curve has something for."""
    yield from baked_square(people=24, frame=50)
    people = [obj for obj in bpy.context.scene.objects if "footfall_crowd" in obj and obj.parent is None]
    scenarios.select(people[6])
    hand.view().spaces.active.show_region_ui = False
    yield from look(aside=0.0)
    overlays = bpy.context.scene.footfall.overlays
    for name in ("people", "plan", "steering", "density", "trails"):
        setattr(overlays, name, True)
        yield from hand.wait(10)
        colours = hand.saturated(keep(f"overlay_{name}", VIEW))
        setattr(overlays, name, False)
        assert colours > 50, f"the overlay '{name}' is not seen"


def scenario_manual_search():
    """F3 finds the operators, as they stand in a menu."""
    yield from scenarios.square()
    before = hand.screen()
    hand.press("F3")
    yield from hand.wait(5)
    for letter in "BAKE":
        hand.press(letter, letter.lower())
        yield from hand.wait(2)
    yield from hand.wait(5)
    keep("search", BOTH)
    assert (np.abs(hand.screen() - before).max(axis=-1) > 0.1).sum() > 2000, "no search opened"
    hand.press("ESC")
    yield from hand.wait(5)


SCENARIOS = [value for name, value in list(globals().items()) if name.startswith("scenario_")]
