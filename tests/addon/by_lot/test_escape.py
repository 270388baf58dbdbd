# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake that is cancelled, at any moment, leaves the file as it was, to the last bit of every key.

Moments are drawn by lot from all that a bake may be cancelled at, between any two of its slices, half of them while
keys are written. Usually there are 8; FOOTFALL_ESCAPES=50 asks for more.
"""

import os
import random

import bpy
import pytest

from tests.sweeps import sweep

from ..contents import all_values, differing
from ..street import Street

ESCAPES = int(os.environ.get("FOOTFALL_ESCAPES", "8"))
KINDS = ("a first bake", "a re-bake", "keys edited by hand", "instances made real")


class Stopped:
    """A street with two crowds, boxes and built-in figures or instances, whose bake is cancelled again and again."""

    def __init__(self, addon, kind):
        self._job = addon.module("blender_addon.baking.bake").BakeJob
        self._actions = addon.module("blender_addon.blender_data.animation")
        self.street = street = Street()
        street.scene.frame_end = 20
        bpy.ops.footfall.crowd_add()
        figures = street.settings.crowds[1]
        figures.route, figures.count, figures.spawn.mode = street.path, 2, "SPREAD"
        self.edited = "ASK"
        if kind == "instances made real":
            figures.output = "INSTANCES"
        if kind != "a first bake":
            bpy.ops.footfall.bake()
            street.settings.seed += 1
            street.kiosk.location = (6.0, 0.8, 0.0)
        if kind == "instances made real":
            bpy.context.view_layer.objects.active = next(each for each in bpy.data.objects if "footfall_people" in each)
            bpy.ops.footfall.make_real(agents="1")
        if kind == "keys edited by hand":
            self._edit_keys()
            self.edited = "KEEP"
        bpy.context.view_layer.update()

    def _edit_keys(self):
        clip = self._actions.active_clip(bpy.data.objects["Crowd 001"].animation_data)
        curve = self._actions.curves_of(clip)[0]
        curve.keyframe_points[0].co.y += 0.25
        curve.update()

    def begin(self):
        """A bake that has not worked yet."""
        return self._job(self.street.scene, edited=self.edited)

    def at(self, slices):
        """Cancel a bake after so many of its smallest slices; returns how far it was."""
        job = self.begin()
        for _ in range(slices):
            assert not job.run_for(0.0)
        told = job.stage, job.fraction
        job.cancel()
        return told


@pytest.fixture
def stopped(addon, one_figure, request):
    return Stopped(addon, request.param)


@pytest.mark.parametrize("stopped", sweep(KINDS, usual=2), indirect=True)
def test_escape_at_any_moment_leaves_the_file_as_it_was(stopped):
    lot = random.Random(8)
    before, told = all_values(), []
    simulating, writing = slices_by_stage(stopped, before)
    for number in range(-(-ESCAPES // len(KINDS))):
        told.append(stopped.at(lot.choice(writing if number % 2 else simulating)))
        assert differing(before, all_values()) == [], told
    assert {stage for stage, _ in told} == {"Simulating", "Writing"}, told


def slices_by_stage(stopped, before):
    """After how many slices a bake simulates, and after how many it writes; found once, by cancelling at the end."""
    job, stages = stopped.begin(), ["Simulating"]
    while job.stage == "Simulating":
        assert not job.run_for(0.0)
        stages.append(job.stage)
    while job.fraction < 0.999:
        assert not job.run_for(0.0)
        stages.append(job.stage)
    job.cancel()
    assert differing(before, all_values()) == []
    numbers = range(len(stages))
    return [k for k in numbers if stages[k] == "Simulating"], [k for k in numbers if stages[k] == "Writing"]
