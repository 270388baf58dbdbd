# SPDX-License-Identifier: GPL-3.0-or-later
"""People who are held up by others who stand, or pace to and fro before them, walk through."""

import numpy as np
import pytest

from core.scene import Agent, Crowd, Scene
from core.simulation import Simulation
from core.simulation.guidance.standing_people import StandingPeople
from core.simulation.settings.guidance_settings import StandingPeopleSettings
from core.simulation.world.agents import WALKING

SETTINGS = StandingPeopleSettings()
INTERVAL = 0.25


@pytest.fixture
def agents():
    people = tuple(Agent((0.0, 2.0 * number), (20.0, 2.0 * number)) for number in range(2))
    made = Simulation(Scene(frames=(1, 2), crowds=(Crowd("Pair", agents=people),)))._pedestrians.agents
    made.status[:] = WALKING
    return made


def walk(agents, seconds, place, waits=False):
    """Return since when the first of two walks through others, moved to `place(time)`; the second walks straight on."""
    standing, rows, wish2 = StandingPeople(2, SETTINGS), np.arange(2), np.full(2, 1.0)
    agents.waits[:] = waits
    for time in np.arange(0.0, seconds, INTERVAL):
        before = agents.position.copy()
        agents.position[:] = [(place(time), 0.0), (0.6 * time, 2.0)]
        agents.velocity[:] = (agents.position - before) / INTERVAL
        standing.note_held_up(agents, rows, wish2, time)
        standing.begin_search(rows, time)
        assert not standing.walks_through[1]
        if standing.walks_through[0]:
            return time
    return np.inf


def test_who_paces_to_and_fro_walks_through_after_a_while(agents):
    since = walk(agents, 2 * SETTINGS.paces, lambda time: 0.4 * np.sin(1.5 * time))
    assert SETTINGS.paces <= since <= SETTINGS.paces + 1.0


def test_who_stands_before_others_walks_through_sooner(agents):
    since = walk(agents, SETTINGS.paces, lambda time: 0.0)
    assert SETTINGS.held_up <= since <= SETTINGS.held_up + 2 * INTERVAL


def test_who_gets_on_slowly_walks_through_nobody(agents):
    assert walk(agents, 3 * SETTINGS.paces, lambda time: 0.25 * time) == np.inf


def test_who_moves_a_little_before_a_shut_door_walks_through_nobody(agents):
    assert walk(agents, 2 * SETTINGS.paces, lambda time: 0.4 * np.sin(1.5 * time), waits=True) == np.inf
