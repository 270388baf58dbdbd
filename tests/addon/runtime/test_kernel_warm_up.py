# SPDX-License-Identifier: GPL-3.0-or-later
"""While compiled kernels are made ready, bakes in a window do without them, and the panel says so."""

import bpy
import pytest


@pytest.fixture
def compiling(addon):
    return addon.module("blender_addon.runtime.kernel_warm_up")


@pytest.mark.parametrize(("state", "backend"), [("under way", "numpy"), ("ready", "auto"), ("not asked", "auto")])
def test_a_bake_does_not_wait_for_the_compiler(compiling, monkeypatch, state, backend):
    monkeypatch.setattr(compiling.warming_up, "state", lambda: state)
    assert compiling.backend() == backend
    assert compiling.is_compiling() == (state == "under way")


def test_nothing_is_compiled_in_the_background(compiling):
    assert bpy.app.background
    assert not bpy.app.timers.is_registered(compiling._start)


def test_looking_on_ends_with_the_compiling(compiling, monkeypatch):
    monkeypatch.setattr(compiling.warming_up, "state", lambda: "under way")
    assert compiling._watch() > 0.0
    monkeypatch.setattr(compiling.warming_up, "state", lambda: "ready")
    assert compiling._watch() is None
