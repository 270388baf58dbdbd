# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake goes on from the last one of its scene, and says what is reused or simulated again, and who changed."""

import json

import bpy
import numpy as np
import pytest

from tests.sweeps import sweep

NOTHING_KEPT = "the last bake is no longer in memory, as after opening a file or copying a scene"


@pytest.mark.each_blender("undo")
def test_after_an_undo_nobody_is_compared_with_the_bake_that_was_undone(street, bake):
    bpy.context.preferences.edit.use_global_undo = True
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.footfall.bake()
    first = json.loads(street.scene.footfall.report)
    bpy.ops.ed.undo_push(message="baked")
    street.scene.footfall.seed = 3
    bpy.ops.footfall.bake()
    assert "move differently" in json.loads(street.scene.footfall.report)["changes"]
    bpy.ops.ed.undo_push(message="baked again")
    bpy.ops.ed.undo()
    scene = bpy.context.scene
    assert (json.loads(scene.footfall.report)["motion"], scene.footfall.seed) == (first["motion"], 0)
    again = bake.bake(scene)
    assert again.report["motion"] == first["motion"]
    assert again.report["changes"] == ""
    assert bake.bake(scene).report["changes"] == "everybody moves as before"


def test_a_crowd_that_is_renamed_keeps_its_motion_and_is_not_simulated_again(street, bake):
    first = bake.bake(street.scene).report
    street.crowd.name = "Guests"
    again = bake.bake(street.scene).report
    assert (again["simulated"], again["changes"]) == ("all frames reused", "everybody moves as before")
    assert again["motion"] == first["motion"]
    assert list(again["crowds"]) == ["Guests"]
    assert sorted(each.name for each in street.baked()) == [f"Guests {number:03d}" for number in range(1, 6)]


def test_a_rebake_goes_on_from_the_last_one_and_says_who_changed(make, street, bake):
    post = make.cube("Post", 0.4)
    far, corners = make.cube("Far", 0.4), [make.cube("Low", 0.4), make.cube("High", 0.4)]
    street.scene.footfall.obstacles = make.collection("Obstacles", post, far, *corners)
    street.scene.collection.children.link(street.scene.footfall.obstacles)
    post.location, far.location = (5.0, 0.4, 0.0), (-1.5, 5.0, 0.0)
    corners[0].location, corners[1].location = (-4.0, 8.0, 0.0), (12.0, -8.0, 0.0)  # the bounds stay where they are
    bake.bake(street.scene)
    far.location.x -= 0.2
    again = bake.bake(street.scene)
    assert bake.last_simulation(street.scene).taken_over == 40
    assert again.report["changes"] == "everybody moves as before"
    assert again.summary.endswith("; everybody moves as before; all frames reused")
    post.location.y -= 0.3
    moved = bake.bake(street.scene)
    went_on = bake.last_simulation(street.scene)
    bake.forget()
    fresh = bake.bake(street.scene)
    np.testing.assert_array_equal(moved.trajectories.position, fresh.trajectories.position)
    np.testing.assert_array_equal(moved.trajectories.heading, fresh.trajectories.heading)
    apart = np.abs(moved.trajectories.position - again.trajectories.position).max(axis=(1, 2))
    turned = np.abs(moved.trajectories.heading - again.trajectories.heading).max(axis=1)
    first, seen = (np.flatnonzero((apart > m) | (turned > rad))[0] + 1 for m, rad in ((0.0, 0.0), (1e-3, 1e-2)))
    assert first < seen
    told = f"of 5 move differently, from frame {seen} (less than 1 mm from frame {first})"
    assert moved.report["changes"].endswith(told)
    assert went_on.taken_over < first
    anew = "simulated again from frame 1, because somebody starts elsewhere or takes another route"
    assert moved.report["simulated"] == anew
    assert moved.summary.endswith(f"{told}; {anew}")
    assert fresh.report["changes"] == ""
    assert fresh.report["simulated"] == f"simulated again from frame 1, because {NOTHING_KEPT}"


def test_a_rebake_that_simulates_all_anew_says_why_by_the_users_names(make, street, bake):
    def simulated() -> str:
        return bake.bake(street.scene).report["simulated"]

    assert simulated() == ""
    street.scene.frame_end = 50
    assert simulated() == "frames 1-40 reused, simulated from frame 41"
    street.scene.footfall.seed = 3
    assert simulated() == "simulated again from frame 1, because the seed changed"
    street.crowd.count += 1
    assert simulated() == f"simulated again from frame 1, because the crowd '{street.crowd.name}' changed"
    street.crowd.path_width += 0.5
    assert simulated() == "simulated again from frame 1, because the width of the route 'Path' changed"


@pytest.mark.parametrize("kind", sweep(["FULL_COPY", "LINK_COPY"], usual=1))
def test_a_copied_scene_is_not_said_to_be_a_file_that_was_opened(street, bake, kind: str):
    bake.bake(street.scene)
    with bpy.context.temp_override(scene=street.scene):
        bpy.ops.scene.new(type=kind)
    (copied,) = [scene for scene in bpy.data.scenes if scene != street.scene]
    assert bake.bake(copied).report["simulated"] == f"simulated again from frame 1, because {NOTHING_KEPT}"


def test_a_rebake_tells_what_a_change_of_the_crowd_itself_comes_to(make, street, bake):
    street.crowd.spawn.mode, street.crowd.spawn.rate = "FLOW", 1.0

    def changes() -> str:
        return bake.bake(street.scene).report["changes"]

    assert changes() == ""
    street.crowd.name = "Strollers"
    assert changes() == "everybody moves as before"
    street.crowd.count -= 1
    assert changes() == "1 is gone, the others move as before"
    figure = make.cube("Figure", 0.4)
    street.crowd.characters = make.collection("Cast", figure)
    assert changes() == "everybody moves as before"
    street.crowd.count += 2
    assert changes() == "2 are new, the others move as before"


def test_a_bake_that_is_cancelled_is_not_gone_on_from(street, bake):
    bake.bake(street.scene)
    last = bake.last_simulation(street.scene)
    street.scene.footfall.seed += 1
    job = bake.BakeJob(street.scene)
    job.run_for(0.0)
    job.cancel()
    assert bake.last_simulation(street.scene) is last
