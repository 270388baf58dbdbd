# SPDX-License-Identifier: GPL-3.0-or-later
"""When what people wait for has happened."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from core.scene import Awaited
from core.simulation.settings.stop_settings import StopSettings
from core.simulation.visits.awaited_events import AwaitedEvents

pytestmark = pytest.mark.once

FPS = 24.0


def bus(time):
    """It comes at 6 m/s, passes the stop at the origin at 5 s, and stands 1 m beyond it from 6 s on."""
    return np.array([min(6.0 * (time - 5.0), 1.0 if time >= 6.0 else np.inf), 0.0])


def has_happened(awaited, time, came=0.0):
    clock = SimpleNamespace(frame_at=lambda at: at * FPS, interval=1.0 / FPS, fps=FPS)
    environment: Any = SimpleNamespace(clock=clock, mark_at=lambda _name, at: bus(at))
    nobody: Any = None
    return AwaitedEvents(environment, nobody, StopSettings()).has_happened(awaited, time, came, np.zeros(2), 0)


@pytest.mark.parametrize(
    ("time", "happened"),
    [
        (4.0, False),  # far away
        (5.0, False),  # near, but it drives past
        (7.0, True),  # near, and it stands
    ],
)
def test_a_bus_has_come_when_it_is_near_and_stands(time, happened):
    assert has_happened(Awaited("comes", mark="Bus", distance=2.0), time) == happened


def test_a_mark_has_moved_when_it_is_farther_away_from_where_it_was_when_they_came():
    waits = Awaited("moves", mark="Bus", distance=2.0)
    assert not has_happened(waits, 4.3, came=4.0)  # 1.8 m
    assert has_happened(waits, 4.4, came=4.0)  # 2.4 m


def test_a_frame_is_waited_for_until_it_begins():
    assert not has_happened(Awaited("frame", frame=48), 1.9)
    assert has_happened(Awaited("frame", frame=48), 2.0)
