# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake comes back after each slice, and leaves the file as it was when it is cancelled, fails or is refused."""

import pytest

from tests.sweeps import sweep

from .short_scene import state


def test_the_job_comes_back_after_its_slice_and_tells_how_far_it_is(street, bake):
    job = bake.BakeJob(street.scene)
    assert (job.stage, job.fraction) == ("Simulating", 0.0)
    seen, finished = [], False
    while not finished:
        finished = job.run_for(0.0)
        seen.append((job.stage, job.fraction, job.frame))
    fractions = [fraction for _, fraction, _ in seen]
    assert len(seen) > 40
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    assert list(dict.fromkeys(stage for stage, _, _ in seen)) == ["Simulating", "Writing", "Finished"]
    assert [frame for _, _, frame in seen] == sorted(frame for _, _, frame in seen)
    assert seen[-1][2] == 40
    assert job.run_for(1.0)


def test_there_is_no_result_before_the_end(street, bake):
    job = bake.BakeJob(street.scene)
    with pytest.raises(RuntimeError, match="not ended"):
        _ = job.result
    job.cancel()


@pytest.mark.parametrize("slices", sweep([30, 45, 42, 0], usual=2))
@pytest.mark.parametrize(("baked_before", "built_in"), [(False, True), (True, False)])
def test_cancelling_leaves_the_file_as_it_was(make, street, bake, slices, baked_before, built_in):
    if baked_before:
        bake.bake(street.scene)
        street.scene.footfall.seed += 1  # all is simulated anew
    if built_in:
        street.crowd.characters = None
    before = state(make, street)
    job = bake.BakeJob(street.scene)
    for _ in range(slices):
        assert not job.run_for(0.0)
    job.cancel()
    assert state(make, street) == before
    assert job.stage == "Cancelled"
    job.cancel()
    assert not job.run_for(1.0)
    assert state(make, street) == before


def test_cancelling_after_the_end_keeps_the_bake(street, bake):
    job = bake.BakeJob(street.scene)
    job.run_for(1000.0)
    job.cancel()
    assert len(street.baked()) == 5
    assert job.stage == "Finished"


@pytest.mark.parametrize("place", ["simulation", "writing", "report"])
def test_an_error_midway_leaves_the_file_as_it_was(make, street, bake, addon, monkeypatch, place):
    bake.bake(street.scene)
    street.scene.footfall.seed += 1  # all is simulated anew
    before = state(make, street)

    def fail(*args, **kwargs):
        raise addon.errors.FootfallError("something stood in the way")

    if place == "report":
        monkeypatch.setattr(bake.module, "make_report", fail)
    else:
        owner, name = {"simulation": (bake.Simulation, "step"), "writing": (bake.Cast, "_add")}[place]
        working, calls = getattr(owner, name), []

        def fail_later(*args, **kwargs):
            calls.append(1)
            return fail() if len(calls) == 4 else working(*args, **kwargs)

        monkeypatch.setattr(owner, name, fail_later)
    job = bake.BakeJob(street.scene)
    with pytest.raises(addon.errors.FootfallError, match="something stood in the way"):
        job.run_for(1000.0)
    assert state(make, street) == before


def test_a_fault_of_the_characters_is_found_before_simulating(make, street, bake, addon):
    street.crowd.characters = make.collection("Nobody")
    before = state(make, street)
    with pytest.raises(addon.errors.FootfallError, match="'Nobody' contains no characters"):
        bake.BakeJob(street.scene)
    assert state(make, street) == before


def test_a_scene_without_crowds_is_refused(street, bake, addon):
    street.scene.footfall.crowds.clear()
    with pytest.raises(addon.errors.FootfallError, match="'Scene' has no crowd"):
        bake.BakeJob(street.scene)


def test_a_crowd_of_nobody_is_refused(make, street, bake, addon):
    bake.bake(street.scene)
    before = state(make, street)
    street.crowd.count = 0
    with pytest.raises(addon.errors.SceneError, match="Walkers: there is nobody to bake"):
        bake.BakeJob(street.scene)
    assert state(make, street) == before


@pytest.mark.parametrize("count", [5_000, 100_000])
def test_more_people_than_there_can_be_are_refused_by_the_name_of_their_crowd(make, street, bake, addon, count):
    street.crowd.count = count
    before = state(make, street)
    with pytest.raises(addon.errors.SceneError, match=rf"^Walkers: .*{count // 1000}") as raised:
        bake.BakeJob(street.scene)
    assert [fault.place for fault in raised.value.faults] == ["Walkers"]
    assert state(make, street) == before


def test_an_unknown_crowd_is_refused_with_those_there_are(street, bake, addon):
    with pytest.raises(addon.errors.FootfallError, match="no crowd is named 'Othres'; there are: 'Walkers'"):
        bake.BakeJob(street.scene, crowd="Othres")
