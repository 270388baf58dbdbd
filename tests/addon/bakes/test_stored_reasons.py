# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorded reasons of a bake are kept in its collection: exact, small, and gone with the bake."""

import bpy
import numpy as np
import pytest

REASONS = "footfall_reasons"


@pytest.fixture
def stored(addon):
    return addon.module("blender_addon.bakes.stored_reasons")


@pytest.fixture
def baked(street):
    """The street after a bake of two seconds."""
    street.scene.frame_end = 48
    bpy.ops.footfall.bake()
    return street


def drawn_reasons(stored, frames, people, seed=5):
    """Reasons of people who change their mind now and then."""
    rng = np.random.default_rng(seed)
    doing = np.repeat(rng.integers(-1, 20, (frames // 10 + 1, people)), 10, axis=0)[:frames].astype(np.int8)
    because_of = np.where(rng.random(doing.shape) < 0.1, rng.integers(0, people, doing.shape), -1).astype(np.int32)
    wish = np.cumsum(rng.normal(0.0, 0.05, (frames, people, 2)), axis=0).astype(np.float16)
    wish[doing < 0] = np.nan
    return stored.Reasons(doing, because_of, wish)


@pytest.mark.parametrize(("frames", "people"), [(1, 1), (250, 40), (30, 0)])
def test_reasons_are_unpacked_as_they_were_packed(stored, frames, people):
    reasons = drawn_reasons(stored, frames, people)
    for found, given in zip(vars(stored.unpack(stored.pack(reasons))).values(), vars(reasons).values(), strict=True):
        assert found.dtype == given.dtype
        np.testing.assert_array_equal(found, given)


def test_damaged_bytes_are_refused(stored):
    packed = stored.pack(drawn_reasons(stored, 50, 10)).copy()
    packed[3] += 1
    with pytest.raises(ValueError, match="damaged"):
        stored.unpack(packed)
    with pytest.raises(ValueError, match="damaged"):
        stored.unpack(packed[:20])


def test_a_doing_that_is_not_known_any_more_is_not_recorded(stored, monkeypatch):
    packed = stored.pack(drawn_reasons(stored, 2, 5))
    doing = stored.unpack(packed).doing
    monkeypatch.setattr(stored, "Doing", type("Doing", (), {"__members__": {}}))
    assert (doing >= 0).any()
    assert (stored.unpack(packed).doing == -1).all()


def test_a_bake_keeps_the_reasons_that_were_simulated(baked, addon, remembered_bakes):
    trajectories = remembered_bakes.last_simulation(baked.scene).result()
    kept = addon.module("blender_addon.bakes.stored_reasons").read_reasons(baked.scene, baked.crowd.uid)
    np.testing.assert_array_equal(kept.doing, trajectories.doing)
    np.testing.assert_array_equal(kept.because_of, trajectories.because_of)
    np.testing.assert_array_equal(kept.wish, trajectories.wish)


def test_reasons_leave_with_the_bake_and_come_back_with_an_undo(baked):
    bpy.context.preferences.edit.use_global_undo = True
    bpy.ops.ed.undo_push(message="baked")
    before = [each[REASONS][:] for each in bpy.data.collections if REASONS in each]
    assert len(before) == 1
    bpy.ops.footfall.clear()
    assert not any(REASONS in each for each in bpy.data.collections)
    bpy.ops.ed.undo_push(message="cleared")
    bpy.ops.ed.undo()
    assert [each[REASONS][:] for each in bpy.data.collections if REASONS in each] == before


def test_a_rebake_replaces_them(baked, addon):
    stored = addon.module("blender_addon.bakes.stored_reasons")
    baked.scene.frame_end = 30
    bpy.ops.footfall.bake()
    assert sum(REASONS in each for each in bpy.data.collections) == 1
    assert stored.read_reasons(baked.scene, baked.crowd.uid).doing.shape[0] == 30


def test_damaged_reasons_are_as_none(baked, addon):
    stored = addon.module("blender_addon.bakes.stored_reasons")
    (collection,) = (each for each in bpy.data.collections if REASONS in each)
    collection[REASONS] = [1, 2, 3]
    assert stored.read_reasons(baked.scene, baked.crowd.uid) is None
    collection[REASONS] = "nothing"
    assert stored.read_reasons(baked.scene, baked.crowd.uid) is None
