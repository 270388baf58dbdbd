# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong one by one: kinds, places and the order, on motion made by hand."""

import numpy as np
import pytest

from core import Simulation, load_scene
from core.report import make_report
from core.report.events import event, ranked
from core.report.report_settings import ReportSettings
from core.report.walls import LimbDepths
from core.scene import Obstacle, Scene

from .test_measure import FPS, line, moving, together

KIOSK = Obstacle("kiosk", np.array([[2.0, -0.4], [3.0, -0.4], [3.0, 0.6], [2.0, 0.6]]))


def test_two_who_meet_overlap_once_where_and_when_they_are_deepest():
    met = moving(together(line((0.0, 0.0), (1.0, 0.0), 41), line((4.0, 0.1), (-1.0, 0.0), 41)))
    (first,) = make_report(met, Scene())["events"]
    assert (first["kind"], first["agents"], first["frame"]) == ("overlap", [0, 1], 21)
    assert first["place"] == pytest.approx([2.0, 0.05, 0.0])
    assert first["amount"] == pytest.approx(0.4)
    assert first["severity"] == pytest.approx(8.0)


def test_who_walks_into_a_kiosk_and_who_stands_long_are_listed_the_worse_first():
    stands = np.concatenate([line((0.0, 9.0), (1.0, 0.0), 20), np.tile((1.9, 9.0), (81, 1))])
    walks = line((0.0, 0.0), (1.0, 0.0), 101)
    wall, stop = make_report(moving(together(stands, walks)), Scene(obstacles=(KIOSK,)))["events"]
    assert (wall["kind"], wall["agents"], stop["kind"], stop["agents"]) == ("wall", [1], "stuck", [0])
    assert 2.4 < wall["place"][0] < 2.6  # half way through
    assert stop["frame"] == pytest.approx(22, abs=1)
    assert stop["amount"] == pytest.approx(8.0, abs=0.2)


def test_who_has_no_way_is_refused_and_not_stuck_as_well():
    stands = np.zeros((101, 1, 2))
    report = make_report(moving(stands), Scene(), refused={0: "The door is shut."})
    (told,) = report["events"]
    assert (told["kind"], told["reason"], told["amount"]) == ("refused", "The door is shut.", pytest.approx(101 / FPS))


def test_numbers_in_names_tell_refusals_apart_and_places_and_widths_do_not():
    closed = "'Bob's fence {} m' blocks the path at ({:.1f}, 0.0). The gap before 'B 2 m' is {} m wide."
    said = [closed.format(*each) for each in ((2, 1.0, 0.4), (3, 1.0, 0.4), (2, 7.5, "0.31"), (2, -1.5, 2))]
    report = make_report(moving(np.zeros((101, 4, 2))), Scene(), refused=dict(enumerate(said)))
    assert [(told["agents"], told["reason"]) for told in report["events"] if told["kind"] == "refused"] == [
        ([0, 2, 3], said[0]),
        ([1], said[1]),
    ]


def test_limbs_in_obstacles_are_listed_where_they_are_seen_and_the_deepest_is_a_figure():
    """A graze, a hand for a moment, an arm for a second; the report cannot measure it, it is told."""
    t = moving(
        together(*(line((0.0, 5.0 * k), (1.0, 0.0), 40) for k in range(4))), crowd=[0, 0, 1, 1], names=("a", "b")
    )
    limbs = LimbDepths(np.array([0.0, 0.02, 0.06, 0.1]), np.array([0, 5, 9, 12]), np.array([0, 30, 6, 24]))
    report = make_report(t, Scene(), limbs=limbs)
    told = [(each["agents"], each["frame"], each["reason"]) for each in report["events"] if each["kind"] == "limb"]
    more = "; a larger body radius would keep them farther from obstacles"
    assert told == [([3], 12, f"for 24 frames{more}"), ([2], 9, "for 6 frames")]
    deep = LimbDepths(np.array([0.0, 0.0, 0.0, 0.2]), limbs.frame, np.array([0, 0, 0, 1]))
    (once,) = [each for each in make_report(t, Scene(), limbs=deep)["events"] if each["kind"] == "limb"]
    assert once["reason"].split(";")[0] == "for 1 frame"
    figures = [report["total"], *report["crowds"].values()]
    assert [each["deepest_limb_in_wall"] for each in figures] == [0.1, 0.02, 0.1]
    assert figures[1]["deepest_limb_in_wall_at"] == {"frame": 5, "agent": 1}
    assert "deepest_limb_in_wall" not in make_report(t, Scene())["total"]


def test_nothing_wrong_is_an_empty_list():
    report = make_report(moving(line((0.0, 0.0), (1.0, 0.0), 20)[:, None]), Scene())
    assert (report["events"], report["events_left_out"]) == ([], {})


def test_so_many_of_a_kind_are_listed_and_the_others_counted():
    here = moving(np.zeros((3, 1, 2)))
    many = [
        event(here, "feet", 0, frame=2, amount=1.0, severity=1.0 + number)
        for number in range(ReportSettings().most_events + 7)
    ]
    faint = event(here, "wall", 0, frame=2, amount=0.0, severity=ReportSettings().least_severity / 2)
    kept, left_out = ranked([faint, *many])
    assert kept[0]["severity"] == ReportSettings().most_events + 7.0
    assert (len(kept), left_out) == (ReportSettings().most_events, {"feet": 7})


def test_a_simulation_tells_who_has_no_way_on(tmp_path):
    ring = [[4, -3], [6, -3], [6, 3], [4, 3], [4, 2.5], [5.5, 2.5], [5.5, -2.5], [4, -2.5]]
    scene = tmp_path / "scene.json"
    scene.write_text(
        '{"footfall_scene": 1, "fps": 12, "frames": [1, 24], "bounds": [[-1, -3], [11, -3], [11, 3], [-1, 3]],'
        f'"obstacles": [{{"name": "Wall", "outline": {ring}}}],'
        '"crowds": [{"name": "One", "agents": [{"start": [1, 0], "goal": [9, 0]}]}]}',
        encoding="utf-8",
    )
    simulation = Simulation(load_scene(scene))
    while not simulation.done:
        simulation.step()
    assert list(simulation.refused) == [0]
    report = make_report(simulation.result(), simulation.scene, refused=simulation.refused)
    assert report["events"][0]["kind"] == "refused"
