# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of a report, as they stand under the Bake button."""

import json

import pytest

TOTAL = {
    "agents": 40,
    "arrived": 38,
    "deepest_overlap": 0.0312,
    "deepest_overlap_at": {"frame": 84, "agents": [3, 7]},
    "deepest_wall_penetration": 0.0,
    "deepest_wall_penetration_at": None,
    "stopped_share": 0.041,
    "longest_stop": 2.46,
}


@pytest.fixture
def figures(addon):
    return addon.module("blender_addon.interface.panels.report_figures")


def test_main_figures_in_words(figures):
    lines = {line.label: (line.value, line.is_alarming) for line in figures.main_figures({"total": TOTAL})}
    assert lines == {
        "Arrived": ("38 of 40", False),
        "Deepest Overlap": ("3.1 cm, frame 84", True),
        "Touching Walls": ("nobody", False),
        "Time Standing": ("4%", False),
        "Longest Stop": ("2.5 s", False),
    }


def test_figures_of_one_crowd(figures):
    report = {"total": TOTAL, "crowds": {"Walkers": {"agents": 2, "arrived": 1}}}
    assert figures.main_figures(report, "Walkers") == [("Arrived", "1 of 2", False)]
    assert figures.main_figures(report, "Nobody") == []


def test_who_fled_counts_as_arrived_and_is_named(figures):
    assert figures.main_figures({"total": {"agents": 20, "arrived": 5, "arrived_elsewhere": 4}}) == [
        ("Arrived", "5 of 20", False),
        ("Elsewhere", "4 of these", False),
    ]


def test_pinned_people_are_told_beside_those_who_could_arrive(figures):
    lines = figures.main_figures({"total": {"agents": 18, "arrived": 16}, "left_out": {"pinned": 2}})
    assert lines == [("Arrived", "16 of 18", False), ("Pinned", "2 more", False)]


def test_each_of_a_few_stops_has_its_own_line_and_many_have_one_together(figures):
    few = {"agents": 20, "arrived": 5, "stopped_at": {"Window": 8, "Bench": 1}}
    assert figures.main_figures({"total": few})[1:] == [
        ("At Window", "8 people", False),
        ("At Bench", "1 person", False),
    ]
    many = {"agents": 20, "arrived": 5, "stopped_at": {f"Stall {number}": 2 for number in range(9)}}
    assert figures.main_figures({"total": many})[1:] == [("At Stops", "18 people", False)]


@pytest.mark.parametrize("wrong", [None, float("nan"), "deep", True])
def test_a_figure_that_is_no_number_is_left_out(figures, wrong):
    labels = [line.label for line in figures.main_figures({"total": TOTAL | {"longest_stop": wrong}})]
    assert "Longest Stop" not in labels
    assert "Arrived" in labels


@pytest.mark.parametrize("stored", ["", "{", "[1]", "null", json.dumps({"total": None, "crowds": [], "notices": 5})])
def test_a_report_that_makes_no_sense_shows_nothing(figures, stored):
    report = figures.read_report(stored)
    assert figures.main_figures(report) == []
    assert figures.main_figures(report, "Walkers") == []
    assert figures.notices(report) == []


def test_figures_of_a_real_report(figures, street):
    import bpy

    bpy.ops.footfall.bake()
    report = figures.read_report(street.settings.report)
    assert ("Arrived", "0 of 3", False) in figures.main_figures(report)
    assert len(figures.main_figures(report)) == 5


def test_what_changed_since_the_last_bake_is_one_sentence(figures):
    said = {"changes": "3 of 8 move differently, from frame 9", "simulated": "frames 1-8 reused"}
    assert figures.since_the_last_bake(said) == "3 of 8 move differently, from frame 9; frames 1-8 reused"
    assert figures.since_the_last_bake({"changes": "", "simulated": "all frames reused"}) == "All frames reused"
    assert figures.since_the_last_bake({"changes": 3}) == ""


class Line:
    def __init__(self, severity):
        self.severity, self.has_place = severity, severity > 0


def test_the_verdict_counts_what_is_serious_and_who_needs_more_frames(figures):
    sentence = (
        "Crowd: 2 of 40 have not arrived at frame 96; the last needs at least until frame 120, about frame 1540 at the "
        "pace so far, 8% of their preferred speed."
    )
    late = {"total": TOTAL, "notices": [sentence]}
    assert figures.verdict({"total": TOTAL}, [Line(0.0)]) == ("Looks good", False)
    assert figures.verdict({"total": TOTAL}, [Line(0.4), Line(0.0)]) == ("Looks good, but 1 minor thing", False)
    assert figures.verdict({"total": TOTAL}, [Line(1.5), Line(0.0)]) == ("1 thing to fix", True)
    assert figures.verdict(late, []) == ("Looks good, but not all have arrived", False)
    assert figures.verdict(late, [Line(0.4)]) == ("Looks good, but 1 minor thing, and not all have arrived", False)
    assert figures.verdict(late, [Line(1.5), Line(2.0)]) == ("2 things to fix", True)
    said = "38 of 40 arrived; the last needs until about frame 1540, or 1694 with a tenth to spare"
    assert figures.arrivals(late, 1) == said
    assert figures.enough_frames(late, 1) == 1694  # what the button sets
    assert figures.enough_frames(late, 40) == 1690
    assert figures.arrivals({"total": TOTAL}, 1) == ""
    assert figures.enough_frames({"total": TOTAL}, 40) == 0
