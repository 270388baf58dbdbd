# SPDX-License-Identifier: GPL-3.0-or-later
"""Who cuts across a loop of the way to a goal goes on from where they come out."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from core.geometry.distance_field import ObstacleField
from core.planning import ReferenceSet
from core.simulation.guidance.aiming import Aims
from core.simulation.settings.guidance_settings import AimSettings

HAIRPIN = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 1.2], [-6.0, 1.2]])


def at(s: float, position: tuple[float, float], paths: ReferenceSet) -> Any:
    """Somebody who is believed to be at an arc length of the path."""
    path, end, d = np.array([0]), paths.lengths, np.zeros(1)
    goal, place = paths.to_cartesian(path, end, d), np.array([position])
    return SimpleNamespace(path=path, s=np.array([s]), d=d, end=end, goal=goal, position=place, radius=np.array([0.25]))


@pytest.mark.parametrize(("s", "position", "wanted"), [(1.0, (1.0, 1.15), 8.2), (7.9, (1.3, 1.2), 7.9)])
def test_who_has_come_to_their_aim_across_a_loop_is_there_on_the_way_too(s, position, wanted):
    paths = ReferenceSet.from_polylines([HAIRPIN], half_width=2.0)
    agents, field = at(s, position, paths), ObstacleField([], [])
    aims = Aims(1, AimSettings())
    before = agents.s.copy()
    aims.point[0], aims.place[0] = (1.1, 1.2), 8.1
    aims.find_aims(agents, np.array([0]), paths, field)
    if wanted == s:  # they walk along the way, and only come near the aim
        assert agents.s == before
    else:
        np.testing.assert_allclose(paths.to_cartesian(np.array([0]), agents.s, agents.d), [position], atol=1e-6)
        assert agents.s == pytest.approx(wanted, abs=0.6)
    assert aims.place > agents.s
    assert aims.point[0, 0] < 1.0
