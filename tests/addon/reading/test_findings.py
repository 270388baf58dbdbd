# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults of the core as the user is told of them: by the names of objects and by the words of the panel."""

import pytest


def _refusal(bench):
    job = bench.addon.module("blender_addon.baking.bake").BakeJob
    with pytest.raises(bench.addon.errors.SceneError) as caught:
        job(bench.scene)
    return str(caught.value)


def test_a_crowd_that_finds_too_little_room_is_told_the_choice_of_the_panel(bench):
    path = bench.curve("Path", [(0, 0, 0), (4, 0, 0)])
    crowd = bench.crowd(path, count=500)
    crowd.spawn.mode = "SPREAD"
    refusal = _refusal(bench)
    assert refusal.startswith("Walkers: Count: 500 people are requested")
    assert refusal.endswith("or let them enter one by one (Enter: One by One)")
    assert "flow" not in refusal


@pytest.mark.parametrize("bounded", [False, True])
def test_a_crowd_that_finds_no_room_at_all_is_told_the_bounds_that_there_are(bench, bounded):
    square = [(-30, -30, 0), (60, -30, 0), (60, 30, 0), (-30, 30, 0)]
    if bounded:
        bench.settings.bounds = bench.mesh("Fence", square, [(0, 1, 2, 3)])
    obstacles = bench.obstacles()
    for name, x in (("West wing", -9), ("East wing", 9)):  # neither alone holds the place
        bench.box(name, obstacles, location=(x, 0, 0), size=(9, 9, 1))
    low = [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]
    start = bench.mesh("Start", low, [(0, 1, 2, 3)])
    goal = bench.mesh("Goal", low, [(0, 1, 2, 3)], location=(40, 0, 0))
    bench.crowd(None, mode="AREAS", start=start, goal=goal)
    way_out = "check whether the area is inside an obstacle" + (" or outside the bounds 'Fence'" if bounded else "")
    assert _refusal(bench).endswith(way_out)


def test_names_with_apostrophes_are_the_names_of_objects_too_and_other_quotes_stay(bench):
    named = bench.addon.module("blender_addon.reading.objects.findings").replace_names
    names = {"Bob's gate 2": "Bob's gate", "Bob's gate 2 (1)": "Shed", "gate": "Door", "Door": "Lid"}
    text = "It is 'Bob's gate 2' before 'Bob's gate 2 (1)' and 'gate' or walls[1], on 'gates' at the end of 'Bob's'."
    assert named(text, names, ["Fence", "Hedge"]) == (
        "It is 'Bob's gate' before 'Shed' and 'Door' or 'Hedge', on 'gates' at the end of 'Bob's'."
    )
    assert named("'A' and walls[2]", {}, ["Fence"]) == "'A' and walls[2]"


def test_what_a_file_has_with_its_route_is_told_by_the_label_of_the_crowd(bench):
    """Files of before may hold values that the panel takes no more."""
    errors, findings = bench.addon.errors, bench.addon.module("blender_addon.reading.objects.findings")
    settings = ("width", "lanes", "lane_width", "points[0]")
    faults = [errors.Fault(f"routes[0].{name}", "must not be above 9, got 10") for name in settings]
    told = findings.with_object_names(errors.SceneError(faults), {"routes": ["Path"]}).faults
    said = [fault.message.partition(": ")[0] for fault in told]
    assert said == ["Path Width (m)", "Lanes", "Lane Width (m)", "must not be above 9, got 10"]
    assert {fault.place for fault in told} == {"Path"}
