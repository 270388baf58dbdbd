# SPDX-License-Identifier: GPL-3.0-or-later
"""What is tried in the window: a crowd from nothing, Esc, undo, a moved obstacle, overlays."""

import bpy
import hand
import numpy as np


def square(*, people=12, frames=60):
    """A new file with a path, a box beside it, and a crowd that uses the selected curve."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    yield from hand.wait(10)  # the window is a new one
    scene = bpy.context.scene
    scene.frame_end = frames
    curve = bpy.data.curves.new("Path", "CURVE")
    curve.dimensions = "3D"
    spline = curve.splines.new("POLY")
    spline.points.add(2)
    for point, co in zip(spline.points, [(-6, -4, 0), (0, 0, 0), (6, 3, 0)], strict=True):
        point.co = (*co, 1.0)
    path = bpy.data.objects.new("Path", curve)
    mesh = bpy.data.meshes.new("Box")
    corners = [(x, y, z) for z in (0, 1.5) for x, y in ((-0.4, -0.4), (0.4, -0.4), (0.4, 0.4), (-0.4, 0.4))]
    faces = [(3, 2, 1, 0), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]
    mesh.from_pydata(corners, [], faces)
    box = bpy.data.objects.new("Box", mesh)
    box.location = (-3.0, -1.8, 0.0)
    for obj in (path, box):
        scene.collection.objects.link(obj)
    with hand.in_view():
        bpy.ops.footfall.crowd_add()
        select(path)
        bpy.ops.footfall.use_selected_route()
        select(box)
        bpy.ops.footfall.mark_obstacle()
    crowd = scene.footfall.crowds[0]
    assert crowd.route == path
    assert scene.footfall.obstacles is not None
    crowd.count = people
    with hand.in_view():
        bpy.ops.view3d.view_all()
    yield from hand.open_sidebar()


def select(obj):
    """Select one object alone, as a click does."""
    for other in bpy.context.view_layer.objects:
        other.select_set(other == obj)
    bpy.context.view_layer.objects.active = obj


def bake():
    """Press the button, and wait until the people are there."""
    before = baked()
    with hand.in_view():
        bpy.ops.footfall.bake("INVOKE_DEFAULT")
    yield from hand.wait_until(lambda: baked() and baked() != before and not busy(), "the bake")
    yield from hand.wait(5)


def busy():
    """Whether a bake is under way."""
    return hand.bpy.context.scene.footfall.crowds[0].baked == "" and bool(running())


def running():
    """The bake that is under way, if any."""
    import importlib

    return importlib.import_module("bl_ext.user_default.footfall.blender_addon.runtime.running_bake").running()


def baked():
    """What tells bakes apart: the names of the characters' session numbers."""
    return {obj.session_uid for obj in bpy.context.scene.objects if "footfall_crowd" in obj}


def animation():
    """All keys of all actions, as bytes by action."""
    told = {}
    for action in bpy.data.actions:
        curves = getattr(action, "fcurves", None)
        if curves is None:
            curves = [curve for layer in action.layers for strip in layer.strips for bag in strip.channelbags
                      for curve in bag.fcurves]  # fmt: skip
        keys = []
        for curve in curves:
            values = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
            curve.keyframe_points.foreach_get("co", values)
            keys.append((curve.data_path, curve.array_index, values.tobytes()))
        told[action.name] = sorted(keys)
    return told


def scenario_the_first_bake_in_five_steps():
    """A crowd from nothing, by the sidebar's own buttons; people stand in the picture afterwards."""
    yield from square()
    before = hand.picture("1_before_the_bake")
    assert before.max() - before.min() > 0.3, "the window is black"
    assert np.ptp(hand.cut(before, "UI")) > 0.3, "the sidebar is empty"
    yield from bake()
    assert len(baked()) >= 12
    after = hand.picture("2_baked")
    changed = np.abs(hand.cut(after, "WINDOW") - hand.cut(before, "WINDOW")).max(axis=-1) > 0.1
    assert changed.sum() > 500, "the people are not seen"


def scenario_escape_leaves_everything_as_it_was():
    """Esc in the midst of a bake over an older one."""
    yield from square(people=40, frames=200)
    yield from bake()
    people, keys = baked(), animation()
    bpy.context.scene.footfall.seed = 5
    with hand.in_view():
        bpy.ops.footfall.bake("INVOKE_DEFAULT")
    yield from hand.wait(4)
    assert running(), "the bake ended before it could be stopped"
    hand.picture("3_baking")
    hand.press("ESC")
    yield from hand.wait_until(lambda: not running(), "Esc")
    assert baked() == people
    assert animation() == keys


def scenario_undo_takes_the_bake_back_and_redo_brings_it():
    """One undo step, as for any operator."""
    yield from square()
    with hand.in_view():
        bpy.ops.ed.undo_push(message="before")
    yield from bake()
    people, keys = len(baked()), animation()
    with hand.in_view():
        bpy.ops.ed.undo()
    yield from hand.wait(5)
    assert not baked()
    with hand.in_view():
        bpy.ops.ed.redo()
    yield from hand.wait(5)
    assert len(baked()) == people
    assert animation() == keys


def scenario_a_moved_obstacle_makes_the_bake_old_and_bake_mends_it():
    """Move the box onto the path: the panel says so; after a new bake nobody walks through it."""
    yield from square()
    yield from bake()
    old = animation()
    bpy.data.objects["Box"].location = (0.0, 0.0, 0.0)
    yield from hand.wait(30)
    hand.picture("4_out_of_date")
    yield from bake()
    hand.picture("5_baked_again")
    assert animation() != old
    box = np.array([0.0, 0.0])
    for frame in range(1, 61):
        bpy.context.scene.frame_set(frame)
        for obj in bpy.context.scene.objects:
            if "footfall_crowd" in obj and obj.parent is None:
                away = np.abs(np.array(obj.matrix_world.translation[:2]) - box).max()
                assert away > 0.4, f"{obj.name} walks through the box at frame {frame}"
    yield


def scenario_auto_rebake_follows_a_moved_obstacle_and_gives_way():
    """With Auto Re-bake on, moving the box is enough; a key pressed meanwhile ends it, and it is made up for later."""
    yield from square(people=30, frames=120)
    yield from bake()
    bpy.context.scene.footfall.auto_rebake = True
    old = animation()
    bpy.data.objects["Box"].location = (-4.5, -3.0, 0.0)
    yield from hand.wait_until(running, "the bake that begins by itself")
    hand.press("T")  # the toolbar goes
    yield from hand.wait_until(lambda: not running(), "the key to come through")
    assert animation() == old
    yield from hand.wait_until(lambda: animation() != old, "the bake that is made up for")
    yield from hand.wait(20)
    assert not running(), "it bakes again and again"
    hand.picture("9_auto_rebake")


def scenario_overlays_are_drawn():
    """Every overlay adds colour to the viewport, and none stays when it is off."""
    yield from square(people=6)
    yield from bake()
    bpy.context.scene.frame_set(20)
    select(next(obj for obj in bpy.context.scene.objects if "footfall_crowd" in obj and obj.parent is None))
    overlays = bpy.context.scene.footfall.overlays
    toggles = [prop.identifier for prop in overlays.bl_rna.properties
               if prop.type == "BOOLEAN" and prop.identifier in type(overlays).__annotations__]  # fmt: skip
    assert toggles
    yield from hand.wait(5)
    plain = hand.saturated(hand.cut(hand.picture("6_no_overlay"), "WINDOW"))
    for name in toggles:
        setattr(overlays, name, True)
        yield from hand.wait(8)
        shown = hand.saturated(hand.cut(hand.picture(f"7_overlay_{name}"), "WINDOW"))
        setattr(overlays, name, False)
        if name in IN_EVERY_SCENE:
            assert shown > plain + 50, f"the overlay '{name}' is not seen"
    yield from hand.wait(8)
    again = hand.saturated(hand.cut(hand.picture("8_overlays_off"), "WINDOW"))
    assert abs(again - plain) < 200, "something of the overlays stays"


def journeys(people=16):
    """The square, with a crowd that goes from place to place past the box instead of along the path."""
    yield from square(people=2)
    crowd = bpy.context.scene.footfall.crowds[0]
    for name, x in (("start", -8.0), ("goal", 8.0)):
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata([(x + a, b, 0.0) for a, b in ((-1, -3), (1, -3), (1, 3), (-1, 3))], [], [(0, 1, 2, 3)])
        place = bpy.data.objects.new(name, mesh)
        bpy.context.scene.collection.objects.link(place)
        setattr(crowd, name, place)
    crowd.mode, crowd.count = "AREAS", people
    box = bpy.data.objects["Box"]
    box.location, box.scale = (0.0, -3.0, 0.0), (2.0, 2.0, 1.0)
    with hand.in_view():
        bpy.ops.view3d.view_all()


def scenario_routes_follow_what_is_dragged():
    """Grab the box by G and drag it with the mouse: the routes are drawn again before it is let go."""
    yield from journeys()
    bpy.context.scene.footfall.overlays.routes = True
    live = module("runtime.live_routes")
    scene = bpy.context.scene
    with hand.in_view():
        bpy.ops.footfall.look_again()  # a slow machine would not look unasked
    yield from hand.wait_until(lambda: live._live and not at_work(live), "the ways to be found", 300)
    yield from hand.wait(5)
    before = hand.picture("10_routes")
    select(bpy.data.objects["Box"])
    first = [way.copy() for way in live._live[scene.session_uid].people.routes]
    blocks = {kind: len(getattr(bpy.data, kind)) for kind in ("objects", "meshes", "scenes", "collections")}
    place = hand.region("WINDOW")
    x, y = place.x + place.width // 2, place.y + place.height // 2
    hand.window().event_simulate(type="MOUSEMOVE", value="NOTHING", x=x, y=y)
    yield
    for key in ("G", "Y"):  # across the ways, on the ground
        hand.window().event_simulate(type=key, value="PRESS", x=x, y=y)
        hand.window().event_simulate(type=key, value="RELEASE", x=x, y=y)
        yield
    for step in range(1, 13):
        hand.window().event_simulate(type="MOUSEMOVE", value="NOTHING", x=x + 10 * step, y=y)
        yield
    assert len(hand.window().modal_operators), "the box is not being dragged"
    yield from hand.wait_until(lambda: not at_work(live), "the ways to be found while it is dragged", 300)
    yield from hand.wait(5)
    assert len(hand.window().modal_operators), "the box was let go"
    during = hand.picture("11_routes_while_dragged")
    now = live._live[scene.session_uid].people.routes
    moved = sum(not np.array_equal(*pair) for pair in zip(first, now, strict=True))
    assert moved > 3, f"{moved} ways follow the box"
    assert hand.saturated(hand.cut(before, "WINDOW")) > 2000, "no ways are seen"
    assert hand.saturated(hand.cut(during, "WINDOW")) > 2000, "no ways are seen while it is dragged"
    hand.window().event_simulate(type="ESC", value="PRESS", x=x, y=y)
    hand.window().event_simulate(type="ESC", value="RELEASE", x=x, y=y)
    yield from hand.wait_until(lambda: not len(hand.window().modal_operators), "Esc")
    yield from hand.wait_until(lambda: same_routes(first, live), "the routes to come back", 300)
    assert {kind: len(getattr(bpy.data, kind)) for kind in blocks} == blocks


def same_routes(before, live):
    """Whether ways are those of before, or will be drawn as such: none is farther off than a hair."""
    now = next(iter(live._live.values())).people.routes
    return all(new is not None and np.allclose(old[-1], new[-1]) and len(old) == len(new)
               and np.allclose(old, new, atol=1e-6) for old, new in zip(before, now, strict=True))  # fmt: skip


def at_work(live):
    """Whether ways are still to be found."""
    return bool(live._moved) or bpy.app.timers.is_registered(live._slice)


def module(name):
    """A module of the add-on as it is installed."""
    import importlib

    return importlib.import_module(f"bl_ext.user_default.footfall.blender_addon.{name}")


IN_EVERY_SCENE = {
    "plan",
    "steering",
    "trails",
    "density",
    "routes",
}  # the others have nothing to show for people on a curve


SCENARIOS = [value for name, value in list(globals().items()) if name.startswith("scenario_")]
