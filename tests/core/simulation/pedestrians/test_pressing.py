# SPDX-License-Identifier: GPL-3.0-or-later
"""People whom a moving obstacle presses push others aside: nobody is pushed into others or into the obstacle."""

from __future__ import annotations

import pytest

from core.simulation import simulate
from tests.core.simulation.overlaps import deepest_between_people, deepest_in_obstacles
from tests.core.simulation.pressing_scenes import (
    cart_into_group,
    door_into_area,
    door_into_corridor,
    door_into_people_who_walk,
    door_into_queue,
    gate_into_people,
)
from tests.sweeps import sweep

pytestmark = pytest.mark.once

DEEPEST = 0.02  # [m]
TRIED = [
    (door_into_corridor, "human_like", {}),
    (door_into_corridor, "orca", {"seconds": 0.5}),
    (door_into_queue, "human_like", {"count": 9, "abreast": 3, "seconds": 0.5}),
    (cart_into_group, "orca", {"speed": 6.0}),
    *((door_into_corridor, model, {"count": count}) for model in ("orca", "human_like") for count in (2, 4, 8)),
    *((door_into_queue, model, {"count": count}) for model in ("orca", "human_like") for count in (2, 4, 8)),
    *(
        (door_into_queue, model, {"count": 9, "abreast": 3, "seconds": seconds})
        for model in ("orca", "human_like")
        for seconds in (0.25, 0.5, 1.0)
    ),
    *(
        (door_into_corridor, model, {"count": 9, "abreast": 3, "width": 1.9, "seconds": seconds})
        for model in ("orca", "human_like")
        for seconds in (0.25, 0.5, 1.0)
    ),
    *((door_into_people_who_walk, model, {}) for model in ("orca", "human_like")),
    *((door_into_area, model, {}) for model in ("orca", "human_like")),
    *((gate_into_people, model, {"speed": speed}) for model in ("orca", "human_like") for speed in (0.5, 1.0)),
    *((cart_into_group, model, {"speed": v}) for model in ("orca", "human_like") for v in (0.5, 1.0, 1.5, 6.0)),
]


@pytest.mark.parametrize(("make", "avoidance", "how"), sweep(TRIED, usual=4))
def test_nobody_is_pushed_into_others_or_into_what_moves(make, avoidance, how):
    scene = make(avoidance, **how)
    made = simulate(scene)
    assert deepest_between_people(made).depth <= DEEPEST
    assert deepest_in_obstacles(made, scene).depth <= DEEPEST
