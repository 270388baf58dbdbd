# SPDX-License-Identifier: GPL-3.0-or-later
"""Every panel draws and every operator answers, whatever the file holds and whatever the user is doing.

Panels and operators are taken from what the add-on registers, so that a new one is tested as soon as it is there.
"""

from types import SimpleNamespace

import bpy
import pytest

from tests.sweeps import sweep

from ..street import select
from .panels.test_main import Layout

EACH = pytest.mark.each_blender("panels draw with what this Blender's layouts take")

LEAVES_THE_SCENE = {"export_scene", "open_example", "open_manual"}


def add_with(operator, **settings):
    """Add an object by one of Blender's own operators."""
    getattr(getattr(bpy.ops, operator.partition(".")[0]), operator.partition(".")[2])(**settings)
    return bpy.context.view_layer.objects.active


def add_hair():
    """Hair curves on a mesh, which must be there for sculpting them."""
    data = bpy.data.hair_curves.new("Hair")
    hair = bpy.data.objects.new("Hair", data)
    bpy.context.scene.collection.objects.link(hair)
    data.surface = add_with("mesh.primitive_plane_add")
    return hair


def add_grease_pencil():
    """Its name differs between Blenders."""
    has_new_one = hasattr(bpy.types, "GreasePencilv3") or bpy.app.version >= (5, 0, 0)
    return add_with("object.grease_pencil_add" if has_new_one else "object.gpencil_add", type="STROKE")


def add_particles():
    """A mesh with particle hair."""
    obj = add_with("mesh.primitive_plane_add")
    bpy.ops.object.particle_system_add()
    obj.particle_systems[0].settings.type = "HAIR"
    return obj


EDITED = {
    "mesh": (lambda: add_with("mesh.primitive_cube_add"), 6),
    "particles": (add_particles, 7),
    "curve": (lambda: add_with("curve.primitive_bezier_curve_add"), 2),
    "surface": (lambda: add_with("surface.primitive_nurbs_surface_sphere_add"), 2),
    "text": (lambda: add_with("object.text_add"), 2),
    "metaball": (lambda: add_with("object.metaball_add"), 2),
    "lattice": (lambda: add_with("object.add", type="LATTICE"), 2),
    "armature": (lambda: add_with("object.armature_add"), 3),
    "hair": (add_hair, 3),
    "grease pencil": (add_grease_pencil, 5),
}
"""What there is to edit, and how many modes it has at least, Object Mode among them."""
RARE = ("surface", "text", "metaball", "lattice", "particles")
"""Of these, what has no more modes than a curve, and a mesh with one mode more."""


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
    columns = addon.module("blender_addon.interface.panels.main").Tab.columns
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
    select()


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
    bpy.context.window_manager.windows[0].scene = bpy.data.scenes.new("Empty")


HARMS = [
    *(lose_objects, lose_curves, lose_collections, lose_actions, select_nothing),
    *(lose_crowds, spoil_records, choose_all, go_elsewhere),
]


@EACH
def test_in_an_empty_scene(everything):
    assert everything() >= 3


@EACH
@pytest.mark.parametrize("kind", ["PEDESTRIAN", "VEHICLE"])
@pytest.mark.parametrize("mode", ["ROUTE", "AREAS"])
def test_with_a_crowd_that_has_nothing(addon, everything, kind, mode):
    bpy.ops.footfall.crowd_add()
    crowd = bpy.context.scene.footfall.crowds[0]
    crowd.kind, crowd.mode, crowd.spawn.mode = kind, mode, "FLOW"
    assert everything() > 6


@pytest.mark.parametrize(
    ("harm", "output"),
    [
        *(pytest.param(harm, "CHARACTERS", marks=[EACH] * (harm == choose_all)) for harm in HARMS),
        pytest.param(choose_all, "INSTANCES", marks=EACH),
        *sweep([(harm, "INSTANCES") for harm in HARMS if harm != choose_all], usual=4),
    ],
)
def test_after_a_bake_when_something_was_lost(street, everything, harm, output):
    street.crowd.output = output
    bpy.ops.footfall.bake()
    harm(street)
    assert everything() >= 3


@pytest.mark.parametrize(
    "edited",
    [
        *(pytest.param(each, marks=[EACH] * (each in {"mesh", "armature"})) for each in EDITED if each not in RARE),
        *sweep(RARE, usual=0),
    ],
)
def test_in_every_mode_panels_draw_and_operators_finish_or_say_why_they_cannot(street, everything, edited):
    bpy.ops.footfall.bake()
    add, least = EDITED[edited]
    obj, reached = add(), []
    for item in bpy.types.Object.bl_rna.properties["mode"].enum_items:
        mode = item.identifier
        for selected in (True, False):
            _enter(obj, mode)
            if obj.mode != mode:
                continue
            obj.select_set(selected)
            reached.append(mode)
            assert everything() > 6
            if selected == (len(set(reached)) % 2 == 1):  # in every other mode, of what is selected
                _try_all_operators()
            assert bpy.data.objects.get(obj.name) == obj
    _enter(obj, "OBJECT")
    assert len(set(reached)) >= least, reached


def _enter(obj, mode):
    """Go to a mode, where the object has it."""
    bpy.context.view_layer.objects.active = obj
    for each in ("OBJECT", mode):
        try:
            bpy.ops.object.mode_set(mode=each)
        except (TypeError, RuntimeError):  # this Blender, or this object, has no such mode
            return


@EACH
def test_in_an_empty_scene_operators_finish_or_say_why_they_cannot(addon):
    _try_all_operators()
    select_nothing(None)
    _try_all_operators()


@pytest.mark.parametrize("harm", HARMS)
def test_operators_finish_or_say_why_they_cannot(street, harm):
    bpy.ops.footfall.bake()
    harm(street)
    _try_all_operators()


def _try_all_operators():
    """Run every operator that can run; each does its work, or reports why not."""
    tried = 0
    for name in sorted(set(dir(bpy.ops.footfall)) - LEAVES_THE_SCENE):
        operator = getattr(bpy.ops.footfall, name)
        if not operator.poll():
            continue
        tried += 1
        told = _refusal(operator)
        assert not told or told.startswith("Error: "), name
        assert "Traceback" not in told, name
    assert tried


def _refusal(operator):
    """What an operator reports as an error; nothing where it runs."""
    try:
        operator()
    except RuntimeError as refused:
        return str(refused)
    return ""
