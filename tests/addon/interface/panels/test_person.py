# SPDX-License-Identifier: GPL-3.0-or-later
"""What is told of the selected person, in the panel and over the viewport."""

from types import SimpleNamespace

import bpy
import pytest


@pytest.fixture
def told(street, addon):
    """The lines about a person at a frame, after a bake of two seconds."""
    panel = addon.module("blender_addon.interface.panels.person")
    street.scene.frame_end = 48

    def of(name, frame):
        if not street.crowd.baked:
            bpy.ops.footfall.bake()
        street.scene.frame_set(frame)
        context = SimpleNamespace(scene=street.scene, active_object=bpy.data.objects.get(name))
        found = panel._tell(context)
        return found if isinstance(found, str) else {line.label: line.value for line in found.lines}

    return of


def test_a_walker_is_told_with_way_plan_and_whom_it_minds(told):
    lines = told("Crowd 002", 40)
    assert lines["Activity"][0].isupper()
    assert "m/s, prefers" in lines["Speed"]
    assert lines["Route"].endswith("m left")
    usual = lines["Speed"].split("prefers ")[1]
    assert not lines.get("Preferred", "").startswith(f"{usual} m/s")  # is not said twice


def test_who_has_arrived_has_neither_route_nor_preferred_velocity(street, told):
    street.path.data.splines[0].points[-1].co.x = 5.2
    street.path.data.splines[0].points[1].co.x = 3.0
    street.scene.frame_end = 200
    street.crowd.count = 1
    assert set(told("Crowd 001", 200)) == {"Activity", "Speed"}
    assert told("Crowd 001", 200)["Activity"] == "Arrived"


def test_nobody_is_told_of_what_is_no_person(told):
    assert told("Kiosk", 10) == "Select a baked character"


def test_the_overlay_says_it_above_the_head(street, told, addon):
    told("Crowd 001", 30)
    overlays = "blender_addon.interface.overlays."
    need = addon.module(f"{overlays}layers.overlay").Need.SELECTED
    view = addon.module(f"{overlays}view").look(street.scene, bpy.data.objects["Crowd 001"], need)
    *lines, label = addon.module(f"{overlays}layers.why").draw(view)
    assert label.text
    assert label.place[2] > 1.5
    assert all(len(each.points) for each in lines)
