# SPDX-License-Identifier: GPL-3.0-or-later
"""What is moved along something that it touches changes the edges of that, as far as they reach."""

from __future__ import annotations

import numpy as np
import pytest

from core.scene import Area, Crowd, Obstacle, Scene
from core.simulation.joined_solids import closed, joined_to

from .runs import box, differences, run

SLANTED = np.array([[-9.0, 11.1], [4.7, 12.3], [4.7, 12.7], [-9.0, 11.5]])


def _leaning_on_a_wall(x: float) -> Scene:
    """A crate at the wall that people pass at its other end, many metres away."""
    return Scene(
        fps=12.0,
        frames=(1, 24),
        seed=4,
        bounds=np.array([[-10.0, 0.0], [10.0, 0.0], [10.0, 24.0], [-10.0, 24.0]]),
        obstacles=(Obstacle("Wall", SLANTED), Obstacle("Crate", box(x, 11.3, 0.5))),
        areas=(Area("In", box(0.0, 3.0, 3.0, 1.5)), Area("Out", box(0.0, 21.0, 3.0, 1.5))),
        crowds=(Crowd("People", count=5, start="In", goal="Out"),),
    )


@pytest.mark.once
@pytest.mark.parametrize(("before", "after"), [(-4.0, -4.3), (-8.0, -7.2), (-9.0, -2.1)])
def test_a_crate_that_leans_on_a_wall_is_moved_along_it(before: float, after: float) -> None:
    first, new = run(_leaning_on_a_wall(before), remembers=True), run(_leaning_on_a_wall(after))
    again = run(_leaning_on_a_wall(after), remembers=True, earlier=first)
    assert differences(again, new) == []


def test_what_touches_is_joined_and_what_touches_that() -> None:
    crate, wall, shed = closed(box(0.0, 0.0, 1.0)), np.array([[0.5, 0.0], [9.0, 0.0]]), closed(box(10.0, 0.0, 1.0))
    aside, inside = closed(box(0.0, 5.0, 1.0)), closed(box(10.0, 0.0, 0.5))
    assert joined_to([crate], [aside, shed, inside, wall]) == [shed, wall]
    assert joined_to([crate], [aside, inside]) == []
    assert joined_to([crate], []) == []
    assert joined_to([], [wall]) == []
