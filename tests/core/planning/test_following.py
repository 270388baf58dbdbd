# SPDX-License-Identifier: GPL-3.0-or-later
"""Where every offset from a curve is closed and yet there is room beside it, people are led past and go on along it."""

from __future__ import annotations

import numpy as np
import pytest

from core.geometry.distance_field import ObstacleField
from core.planning import ReferenceSet

RADIUS = 0.24
BORNE = 3.0  # [m/s2]


def disc(x, y, radius=0.25):
    angle = np.linspace(0.0, 2.0 * np.pi, 16, endpoint=False)
    return np.stack((x + radius * np.cos(angle), y + radius * np.sin(angle)), axis=1), []


STAIRS = [(0, 0), (2, 0), (2, 1), (3, 1), (3, 2), (4, 2), (4, 3), (5, 3), (5, 4), (8, 4)]
TO_AND_FRO = [(0, 0), (5.73, -1.49), (2.94, -0.76), (8.82, -0.18), (8.51, -0.21), (0, 9)]
NOOK = [(0, 0), (2.09, 0.41), (2.17, 2.05), (1.65, 1.1), (1.46, 1.04), (1.49, 1.05), (0, 9)]
HOOK = [(0, 0), (0.29, -1.1), (2.66, -5.88), (2.35, -6.19), (1.77, -5.7), (1.76, -4.72), (1.77, -5.76), (3.14, -5.77)]
LOOP = [(0, 0), (2, 0), (2, 1), (1.4, 1), (1.4, 2), (0, 2)]


@pytest.mark.parametrize(
    ("line", "drum"),
    [
        (STAIRS, (2.63, 1.0)),
        (STAIRS, (4.37, 3.23)),
        (TO_AND_FRO, (8.27, -0.1)),
        (NOOK, (1.51, 1.81)),
        # the way round it would lead across the centre of a bend, and from there nowhere
        (HOOK, (2.17, -5.04)),
        (HOOK, (2.22, -5.04)),
    ],
    ids=["stairs", "farther up the stairs", "to and fro", "nook", "hook", "hook, farther right"],
)
def test_a_drum_between_turns_to_both_sides_is_passed_and_the_end_reached(follow, line, drum):
    references, standing = ReferenceSet.from_polylines([line]), ObstacleField([disc(*drum)])
    result = follow(references, [0], seconds=33.0, obstacles=standing)
    assert result.s[-1, 0] == pytest.approx(references.lengths[0], abs=1e-6)
    np.testing.assert_allclose(result.position[-1, 0], line[-1], atol=0.02)
    assert np.diff(result.s[:, 0]).min() > -0.01
    assert standing.signed_distance(result.position[:, 0]).min() > RADIUS + 0.01
    acceleration = np.hypot(*np.diff(result.position[:, 0], 2, axis=0).T) / 0.05**2
    assert max(acceleration.max(), result.peak[0]) < BORNE


@pytest.mark.parametrize("drum", [(1.5, 0.9), (1.5, 1.2), (1.7, 1.2)])
def test_a_drum_in_the_bends_of_a_closed_curve_is_passed_lap_after_lap(follow, drum):
    references, standing = ReferenceSet.from_polylines([LOOP], closed=True), ObstacleField([disc(*drum)])
    result = follow(references, [0], seconds=30.0, obstacles=standing)
    assert result.s[-1, 0] > 1.7 * references.lengths[0]
    assert standing.signed_distance(result.position[:, 0]).min() > RADIUS
    acceleration = np.hypot(*np.diff(result.position[:, 0], 2, axis=0).T) / 0.05**2
    assert max(acceleration.max(), result.peak[0]) < BORNE


@pytest.mark.parametrize("drum", [(2.8, 1.6), (3.0, 1.6)])
def test_the_end_of_a_curve_is_reached_where_the_last_of_it_alone_is_free(follow, drum):
    line = [*STAIRS[:5], (3.5, 2.0)]
    references, standing = ReferenceSet.from_polylines([line]), ObstacleField([disc(*drum)])
    result = follow(references, [0], seconds=30.0, obstacles=standing)
    np.testing.assert_allclose(result.position[-1, 0], line[-1], atol=0.06)
    assert result.s[-1, 0] == pytest.approx(references.lengths[0], abs=1e-3)
    assert standing.signed_distance(result.position[:, 0]).min() > RADIUS


@pytest.mark.parametrize("beyond", [[], [disc(5.5, 2.0)], [disc(4.6, 1.9), disc(6.2, 2.2)]], ids=["free", "one", "two"])
def test_who_does_not_stop_at_the_end_goes_on_straight_past_it(follow, beyond):
    line = [*STAIRS[:5], (3.5, 2.0)]
    references, standing = ReferenceSet.from_polylines([line]), ObstacleField([disc(2.8, 1.6), *beyond])
    result = follow(references, [0], seconds=30.0, obstacles=standing, stop_at_end=False)
    np.testing.assert_allclose(result.position[-1], references.to_cartesian([0], result.s[-1], [0.0]), atol=0.05)
    assert result.s[-1, 0] > references.lengths[0] + 15.0
    assert -0.01 < np.diff(result.s[:, 0]).min() <= np.diff(result.s[:, 0]).max() < 0.11
    assert standing.signed_distance(result.position[:, 0]).min() > RADIUS


def test_who_does_not_stop_at_the_end_gets_there_though_nothing_leads_on(follow):
    wall = np.array([(4.2, -30.0), (4.4, -30.0), (4.4, 30.0), (4.2, 30.0)]), []
    line = [*STAIRS[:5], (3.5, 2.0)]
    references, standing = ReferenceSet.from_polylines([line]), ObstacleField([disc(2.8, 1.6), wall])
    result = follow(references, [0], seconds=30.0, obstacles=standing, stop_at_end=False)
    assert references.lengths[0] <= result.s[-1, 0] < references.lengths[0] + 0.7
    assert result.s[-60, 0] == pytest.approx(result.s[-1, 0], abs=1e-3)
    assert standing.signed_distance(result.position[:, 0]).min() > RADIUS


def test_who_passes_one_drum_lap_after_lap_keeps_no_more_than_one_line_past_it(follow):
    references, standing = ReferenceSet.from_polylines([LOOP], closed=True), ObstacleField([disc(1.5, 1.2)])
    start = [0.0, 3.0]
    result = follow(references, [0, 0], seconds=33.0, obstacles=standing, s=start)
    assert (result.s[-1] > start + 2.0 * references.lengths[0]).all()
    assert len(result.people.references) <= 1 + 2
    for row, s in enumerate(start):
        alone = follow(references, [0], seconds=33.0, obstacles=standing, s=s)
        assert len(alone.people.references) == 1 + 1
        np.testing.assert_array_equal(alone.position[:, 0], result.position[:, row])


@pytest.mark.parametrize(("gap", "passes"), [(0.62, True), (0.46, False)])
def test_a_gap_in_a_wall_is_gone_through_by_whoever_fits(follow, gap, passes):
    # the curve meets the wall two metres beside its gap, behind bends that leave no such offset
    wall = (
        [(3.0, -30.0), (3.2, -30.0), (3.2, 2.0), (3.0, 2.0)],
        [(3.0, 2.0 + gap), (3.2, 2.0 + gap), (3.2, 30), (3, 30)],
    )
    standing = ObstacleField([(np.array(part), []) for part in wall])
    line = [(0, 0), (1.5, 0), (1.5, 0.8), (2.3, 0.8), (2.3, 0), (6, 0)]
    references = ReferenceSet.from_polylines([line])
    result = follow(references, [0, 0], seconds=36.0, obstacles=standing)
    arrived = result.s[-1] > references.lengths[0] - 1e-3
    assert (arrived == passes).all()
    assert (result.collides[-1] != passes).all()
    assert standing.signed_distance(result.position.reshape(-1, 2)).min() > RADIUS
    if not passes:
        assert np.ptp(result.position[-100:], axis=0).max() < 1e-3


def test_whoever_is_led_past_something_walks_as_without_the_others(follow):
    references = ReferenceSet.from_polylines([STAIRS, [(20, 0), (30, 0)], TO_AND_FRO])
    standing = ObstacleField([disc(2.63, 1.0), disc(25.0, 0.1), disc(4.3, 0.65)])
    together = follow(references, [0, 1, 2, 0], seconds=15.0, obstacles=standing, wanted_offset=[0, 0, 0, 0.2])
    for row, path, offset in ((0, 0, 0.0), (2, 2, 0.0), (3, 0, 0.2)):
        alone = follow(references, [path], seconds=15.0, obstacles=standing, wanted_offset=offset)
        np.testing.assert_array_equal(alone.position[:, 0], together.position[:, row])
