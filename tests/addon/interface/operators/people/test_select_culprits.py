# SPDX-License-Identifier: GPL-3.0-or-later
"""From an error to the object it names."""

from types import SimpleNamespace

import bpy
import pytest


@pytest.fixture
def select(addon, monkeypatch):
    """`select_culprits` as in a window; the tests themselves run in the background."""
    culprits = addon.module("blender_addon.interface.operators.people.select_culprits")
    monkeypatch.setattr(culprits, "bpy", SimpleNamespace(app=SimpleNamespace(background=False), types=bpy.types))
    return lambda error: culprits.select_culprits(bpy.context, error)


def selected():
    return sorted(obj.name for obj in bpy.context.selected_objects)


def test_objects_with_faults_are_selected(addon, street, select):
    street.path.select_set(True)
    faults = [
        addon.errors.Fault("Kiosk", "has no faces"),
        addon.errors.Fault("", "no frames"),
        addon.errors.Fault("x", "y"),
    ]
    select(addon.errors.SceneError(faults))
    assert selected() == ["Kiosk"]
    assert bpy.context.view_layer.objects.active == street.kiosk


def test_names_in_quotes_are_found(addon, street, select):
    select(addon.errors.FootfallError("there is no clip on 'Path'; it stands beside 'Kiosk'"))
    assert selected() == ["Kiosk", "Path"]
    assert bpy.context.view_layer.objects.active == street.path


def test_the_crowd_at_fault_is_shown(addon, street, select):
    bpy.ops.footfall.crowd_add()
    assert street.settings.active_crowd_index == 1
    street.path.select_set(True)
    select(addon.errors.SceneError([addon.errors.Fault("Crowd", "has no route")]))
    assert street.settings.active_crowd_index == 0
    assert selected() == ["Path"]


def test_the_crowd_whose_route_is_at_fault_is_shown(addon, street, select):
    bpy.ops.footfall.crowd_add()
    select(addon.errors.SceneError([addon.errors.Fault("Path", "has only one point")]))
    assert street.settings.active_crowd_index == 0


def test_nothing_is_selected_without_a_window(addon, street):
    culprits = addon.module("blender_addon.interface.operators.people.select_culprits")
    culprits.select_culprits(bpy.context, addon.errors.SceneError([addon.errors.Fault("Kiosk", "has no faces")]))
    assert selected() == []
