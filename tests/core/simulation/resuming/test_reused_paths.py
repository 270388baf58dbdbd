# SPDX-License-Identifier: GPL-3.0-or-later
"""People on drawn paths: what is taken over when a crate on a path or beside it is moved ends with the same bytes."""

from __future__ import annotations

import numpy as np
import pytest

from core.scene import Crowd, Obstacle, Route, Scene
from core.simulation import Simulation
from core.simulation.settings.pedestrian_settings import SmoothingSettings
from tests.sweeps import sweep

from ..runs import box, differences, run

pytestmark = pytest.mark.once

FRAMES = 84


def _paths(crates: list[tuple[float, float]]) -> Scene:
    """A straight path, a winding one and one with a sharp corner, among pillars and crates."""
    x = np.linspace(0.0, 20.0, 21)
    winding = np.stack((x, 8.0 + 1.5 * np.sin(0.5 * x), np.zeros(21)), axis=1)
    corner = np.array([[0.0, 16.0, 0.0], [8.0, 16.0, 0.0], [11.0, 13.0, 0.0], [20.0, 13.0, 0.0]])
    pillars = [(5.0, 1.6), (8.0, -1.4), (4.5, 10.4), (8.0, 12.5), (14.0, 11.6), (9.0, 13.9)]
    return Scene(
        fps=12.0,
        frames=(1, FRAMES),
        seed=3,
        bounds=np.array([[-4.0, -6.0], [26.0, -6.0], [26.0, 22.0], [-4.0, 22.0]]),
        obstacles=tuple(
            Obstacle(name, box(*place, half))
            for name, half, places in (("Pillar", 0.3, pillars), ("Crate", 0.2, crates))
            for place in places
        ),
        routes=(
            Route("Straight", np.array([[0.0, 0.0, 0.0], [20.0, 0.0, 0.0]]), width=3.0),
            Route("Winding", winding, width=2.0),
            Route("Corner", corner, width=2.0),
        ),
        crowds=(
            Crowd("Straight", count=3, route="Straight"),
            Crowd("Winding", count=2, route="Winding"),
            Crowd("Corner", count=2, route="Corner", avoidance="human_like"),
        ),
    )


def _moved(crates: list[tuple[float, float]], rng: np.random.Generator) -> list[tuple[float, float]]:
    """One of them a little aside, far away, or not there; or one more."""
    kind, which = rng.integers(4), int(rng.integers(len(crates)))
    (x, y), rest = crates[which], crates[:which] + crates[which + 1 :]
    if kind == 0 and rest:
        return rest
    if kind == 1:
        return [*crates, (rng.uniform(4.0, 18.0), rng.uniform(-2.0, 17.0))]
    if kind == 2:
        return [*rest, (rng.uniform(4.0, 18.0), rng.uniform(-2.0, 17.0))]
    return [*rest, (x + rng.uniform(-0.3, 0.3), y + rng.uniform(-0.3, 0.3))]


@pytest.mark.parametrize(("seed", "rounds"), sweep([(0, 1), (0, 2), (1, 2), (2, 2)], usual=1))
def test_wherever_a_crate_is_moved_the_result_is_that_of_a_new_simulation(seed: int, rounds: int) -> None:
    rng, crates = np.random.default_rng(seed), [(8.0, 0.3), (9.0, 6.7), (13.0, 12.8)]
    before, taken_over = run(_paths(crates), remembers=True), []
    for _ in range(rounds):
        crates = _moved(crates, rng)
        before = run(_paths(crates), remembers=True, earlier=before)
        assert differences(before, run(_paths(crates))) == [], crates
        taken_over.append(before.taken_over)
    assert max(taken_over) > 8


@pytest.mark.parametrize(
    ("before", "after", "spared"),
    sweep(
        [
            ((12.0, 0.0), (12.0, 0.3), 24),  # no later: plans and doors ahead depend on what is beyond
            ((12.0, 13.1), (12.1, 12.8), 24),
            ((12.0, -5.0), (12.3, -5.1), FRAMES),
            ((11.0, 6.9), (11.2, 6.7), 36),
            ((12.0, 2.2), (12.3, 2.2), 24),
        ],
        usual=1,
    ),
    ids=["on the straight path", "after the corner", "far aside", "on the winding one", "beside the straight path"],
)
def test_hardly_more_is_made_anew_than_what_is_another(
    before: tuple[float, float], after: tuple[float, float], spared: int
) -> None:
    earlier, new = run(_paths([before]), remembers=True), run(_paths([after]))
    again = run(_paths([after]), remembers=True, earlier=earlier)
    assert differences(again, new) == []
    # What is recorded is smoothed over frames that follow: it differs a little before people move differently.
    smoothed = round(SmoothingSettings().reach * earlier.scene.fps)
    assert spared <= again.taken_over <= _frames_in_common(earlier, new) + smoothed


def _frames_in_common(one: Simulation, other: Simulation) -> int:
    results = [simulation.result() for simulation in (one, other)]
    rows = zip(*(np.concatenate((each.position[..., :2], each.velocity), axis=2) for each in results), strict=True)
    return next((number for number, (a, b) in enumerate(rows) if a.tobytes() != b.tobytes()), FRAMES)
