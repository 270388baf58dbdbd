# SPDX-License-Identifier: GPL-3.0-or-later
"""While compiled kernels are made ready, bakes in a window do without them, and the panel says so."""

from types import SimpleNamespace

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


def test_a_bake_right_after_the_start_does_not_compile_either(compiling, monkeypatch):
    monkeypatch.setattr(compiling.warming_up, "state", lambda: compiling.warming_up.NOT_ASKED)
    assert compiling.backend() == "auto"
    bpy.app.timers.register(compiling._start, first_interval=60.0)
    try:
        assert (compiling.backend(), compiling.state_sentence()) == ("numpy", "Compiling faster steering ...")
    finally:
        compiling.detach()
    assert compiling.backend() == "auto"


def test_kernels_are_compiled_also_where_a_file_is_opened_at_once(compiling, monkeypatch):
    app = SimpleNamespace(background=False, timers=bpy.app.timers)
    monkeypatch.setattr(compiling, "bpy", SimpleNamespace(app=app, utils=bpy.utils))
    monkeypatch.setattr(compiling, "find_spec", lambda _: object())
    monkeypatch.setattr(compiling, "_keep_in_extension", lambda: None)
    compiling.attach()
    try:
        bpy.ops.wm.read_homefile(use_empty=True)
        assert bpy.app.timers.is_registered(compiling._start)
    finally:
        compiling.detach()


def test_nothing_is_compiled_in_the_background(compiling):
    assert bpy.app.background
    assert not bpy.app.timers.is_registered(compiling._start)


def test_looking_on_ends_with_the_compiling(compiling, monkeypatch):
    monkeypatch.setattr(compiling.warming_up, "state", lambda: "under way")
    assert compiling._watch() > 0.0
    monkeypatch.setattr(compiling.warming_up, "state", lambda: "ready")
    assert compiling._watch() is None
