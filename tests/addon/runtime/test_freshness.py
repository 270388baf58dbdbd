# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel knows when the bake is out of date, and when it is so no longer."""

from dataclasses import replace

import bpy
import pytest

pytestmark = pytest.mark.each_blender("handlers are told of changes by the dependency graph")


class Watched:
    """A baked street and what is known of its bake."""

    def __init__(self, addon, street):
        self.module = addon.module("blender_addon.runtime.freshness")
        self.street = street
        bpy.ops.footfall.bake()

    @property
    def now(self):
        """At once, as soon as Blender has seen the edit."""
        bpy.context.view_layer.update()
        return self.module.freshness(bpy.context.scene.footfall.crowds[0]).name

    @property
    def then(self):
        """A moment later, when all was quiet."""
        bpy.context.view_layer.update()
        self.module.judge_all()
        return self.now


@pytest.fixture
def watched(addon, one_figure, street):
    return Watched(addon, street)


def test_a_fresh_bake_is_up_to_date(watched):
    assert (watched.now, watched.then) == ("UP_TO_DATE", "UP_TO_DATE")


def test_without_a_bake_there_is_nothing_to_be_out_of_date(watched):
    bpy.ops.footfall.clear()
    assert watched.now == "NOT_BAKED"


def move_obstacle(street):
    street.kiosk.location.x += 1.0


def edit_curve(street):
    street.path.data.splines[0].points[1].co.y += 1.0


def edit_mesh(street):
    street.kiosk.data.vertices[0].co.x -= 0.5
    street.kiosk.data.update()


def move_parent(street):
    street.kiosk.parent.location.y += 1.0


def change_count(street):
    street.crowd.count += 1


def change_speed(street):
    street.crowd.speed.mean = 0.9


def change_comfort(street):
    street.crowd.following.comfort = 0.9


def change_weight(street):
    street.crowd.following.weights.k_obstacle = 2.0


def change_seed(street):
    street.settings.seed += 1


def change_characters(street):
    street.crowd.characters = None


@pytest.mark.parametrize(
    "change",
    [
        *(move_obstacle, edit_curve, edit_mesh, move_parent, change_count),
        *(
            pytest.param(each, marks=pytest.mark.once)
            for each in (change_characters, change_speed, change_comfort, change_weight, change_seed)
        ),
    ],
)
def test_a_change_of_an_input_is_seen_at_once_and_judged_later(watched, change):
    if change is move_parent:
        parent = bpy.data.objects.new("Parent", None)
        watched.street.scene.collection.objects.link(parent)
        watched.street.kiosk.parent = parent
        bpy.ops.footfall.bake()
    assert watched.then == "UP_TO_DATE"
    change(watched.street)
    assert watched.now == "CHANGED"
    assert watched.then == "OUT_OF_DATE"
    bpy.ops.footfall.bake()
    assert watched.now == "UP_TO_DATE"


def test_a_change_taken_back_leaves_the_bake_up_to_date(watched):
    watched.street.kiosk.location.x += 1.0
    assert watched.then == "OUT_OF_DATE"
    watched.street.kiosk.location.x -= 1.0
    assert watched.then == "UP_TO_DATE"


def add_obstacle(street):
    bench = street.kiosk.copy()
    bench.location.y += 2.0
    street.obstacles.objects.link(bench)


def remove_obstacle(street):
    bpy.data.objects.remove(street.kiosk)


def unlink_obstacle(street):
    street.obstacles.objects.unlink(street.kiosk)


def change_frames(street):
    street.scene.frame_end += 1


def change_fps(street):
    street.scene.render.fps = 30


def change_units(street):
    street.scene.unit_settings.scale_length = 0.5


def animate_character(street):
    (person,) = street.crowd.characters.objects
    person.keyframe_insert("location", frame=1)


def remove_route(street):
    bpy.data.objects.remove(street.path)


@pytest.mark.parametrize(
    "change",
    [
        add_obstacle,
        remove_obstacle,
        unlink_obstacle,
        change_frames,
        change_fps,
        change_units,
        animate_character,
        remove_route,
    ],
)
def test_changes_that_touch_no_object_are_found_when_judged(watched, change):
    change(watched.street)
    assert watched.then == "OUT_OF_DATE"


def play(street):
    for frame in range(1, 6):
        street.scene.frame_set(frame)


def select_something(street):
    street.kiosk.select_set(True)
    bpy.context.view_layer.objects.active = street.kiosk


def move_something_else(street):
    other = bpy.data.objects.new("Camera", None)
    street.scene.collection.objects.link(other)
    bpy.context.view_layer.update()
    other.location.x = 7.0


def rename_scene(street):
    street.scene.name = "Renamed"


def rename_collection(street):
    street.obstacles.name = "Things"


@pytest.mark.parametrize("change", [play, select_something, move_something_else, rename_scene, rename_collection])
def test_what_a_bake_does_not_depend_on_changes_nothing(watched, change):
    change(watched.street)
    assert watched.now == "UP_TO_DATE"
    assert watched.then == "UP_TO_DATE"


def test_undo_and_redo_are_followed(watched):
    bpy.ops.ed.undo_push(message="baked")
    watched.street.crowd.count = 7
    bpy.ops.ed.undo_push(message="changed")
    assert watched.then == "OUT_OF_DATE"
    bpy.ops.ed.undo()
    assert watched.then == "UP_TO_DATE"
    bpy.ops.ed.redo()
    assert watched.then == "OUT_OF_DATE"


def test_after_opening_a_file_it_is_compared(watched, tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "street.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "street.blend"))
    assert watched.now == "NOT_COMPARED"
    assert watched.then == "UP_TO_DATE"


def test_a_copy_of_the_scene_is_watched_by_itself(watched):
    copy = watched.street.scene.copy()
    crowd = copy.footfall.crowds[0]
    watched.module.judge_all()
    assert watched.module.freshness(crowd).name == "UP_TO_DATE"
    crowd.count = 50
    watched.module.judge_all()
    assert watched.module.freshness(crowd).name == "OUT_OF_DATE"
    assert watched.now == "UP_TO_DATE"
    bpy.data.scenes.remove(copy)
    assert watched.then == "UP_TO_DATE"


def test_a_slow_scene_is_read_only_when_asked(watched, monkeypatch):
    monkeypatch.setattr(watched.module, "PACING", replace(watched.module.PACING, quick_reading=0.0))
    bpy.ops.footfall.compare_bake()  # takes longer than that
    watched.street.kiosk.location.x += 1.0
    assert watched.then == "CHANGED"
    bpy.ops.footfall.compare_bake()
    assert watched.now == "OUT_OF_DATE"


def test_a_scene_that_was_never_read_is_judged_by_its_size(watched, monkeypatch, tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "street.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "street.blend"))
    monkeypatch.setattr(watched.module, "PACING", replace(watched.module.PACING, quick_vertices=3))
    assert watched.then == "NOT_COMPARED"


def test_asking_about_a_scene_that_cannot_be_read_tells_why(watched):
    watched.street.path.data.splines.clear()
    with pytest.raises(RuntimeError, match="Path"):
        bpy.ops.footfall.compare_bake()
    assert watched.now == "OUT_OF_DATE"


def test_instances_are_watched_too(watched):
    kept_apart = bpy.data.collections.new("Trees")
    kept_apart.objects.link(watched.street.kiosk.copy())
    empty = bpy.data.objects.new("Wood", None)
    empty.instance_type, empty.instance_collection = "COLLECTION", kept_apart
    watched.street.obstacles.objects.link(empty)
    bpy.ops.footfall.bake()
    assert watched.now == "UP_TO_DATE"
    kept_apart.objects[0].data.vertices[0].co.x += 0.3
    kept_apart.objects[0].data.update()
    assert watched.now == "CHANGED"


def test_a_change_of_an_action_alone_is_looked_into(watched, monkeypatch):
    watched.street.kiosk.keyframe_insert("scale", frame=1)
    bpy.context.view_layer.update()
    asked = []
    monkeypatch.setattr(watched.module, "judge_soon", lambda: asked.append(True))
    watched.street.kiosk.animation_data.action.use_frame_range = True
    bpy.context.view_layer.update()
    assert asked
