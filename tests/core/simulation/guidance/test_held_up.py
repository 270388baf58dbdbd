# SPDX-License-Identifier: GPL-3.0-or-later
"""Who was slowed down by others on a drawn route sets off again at once."""

import numpy as np
import pytest

from core.report import make_report
from core.scene import Crowd, Route, Scene, Spawn
from core.simulation import simulate
from tests.sweeps import sweep


@pytest.mark.once
@pytest.mark.parametrize("seed", sweep([1, 2, 3], usual=1))
def test_hardly_anybody_creeps_on_a_street_with_two_directions(seed):
    """Of 120 people on 40 m by 4 m, 17 to 27 crept for 83 to 119 s in all when they followed plans from the start."""
    line = np.array([[0.0, 0.0, 0.0], [40.0, 0.0, 0.0]])
    routes = (Route("East", line, width=4.0), Route("West", line[::-1], width=4.0))
    given = {"count": 60, "spawn": Spawn("spread"), "arrival": "leave"}
    crowds = tuple(Crowd(each.name, route=each.name, **given) for each in routes)
    scene = Scene(seed=seed, frames=(1, 360), routes=routes, crowds=crowds)
    events = make_report(simulate(scene), scene)["events"]
    creeping = [each["amount"] for each in events if each["kind"] == "creeping"]
    assert sum(creeping) < 40.0
