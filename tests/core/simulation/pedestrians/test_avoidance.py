# SPDX-License-Identifier: GPL-3.0-or-later
"""What avoidance asks of the ground is noted, so that a re-bake knows what depends on it."""

from __future__ import annotations

from core.geometry.distance_field import ObstacleField
from core.scene import Agent, Crowd, Obstacle, Scene

from ..runs import box, run


def _knot(agents: int) -> Scene:
    """People who start close together in the open, and walk through each other; a crate stands far away."""
    people = tuple(
        Agent((side * (0.6 + 0.6 * (k // 4)), 0.5 * (k // 2 % 2)), (-16.0 * side, 0.0), radius=0.25, speed=1.6)
        for k in range(agents)
        for side in (1.0 - 2.0 * (k % 2),)
    )
    crowd = Crowd("Walkers", count=agents, agents=people, arrival="leave")
    crate = Obstacle("Crate", box(15.0, 12.0, 1.0))
    return Scene(fps=12.0, frames=(1, 6), seed=3, bounds=box(0.0, 0.0, 20.0), obstacles=(crate,), crowds=(crowd,))


def test_who_looks_for_a_way_round_others_depends_on_obstacles_as_far_as_headings_reach():
    """A re-bake else reused frames in which people would have seen what was put there."""
    journal = run(_knot(8), remembers=True, backend="numpy").past.environment.journal
    assert journal is not None
    beside = ObstacleField([(box(0.0, 5.0, 0.3), ())])
    assert journal.first_touched_later(beside) is not None
