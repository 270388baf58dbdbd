# SPDX-License-Identifier: GPL-3.0-or-later
"""A corridor map that lives on from one simulation to the next."""

from dataclasses import replace

import numpy as np
import pytest

from core.errors import FootfallError
from core.scene import Area, Crowd, Motion, Obstacle, Scene
from core.simulation import SharedMap, Simulation

pytestmark = pytest.mark.once

BOUNDS = np.array([[0.0, 0], [30, 0], [30, 16], [0, 16]])


def box(x, y, width, height):
    return np.array([[x, y], [x + width, y], [x + width, y + height], [x, y + height]])


def hall(*, moved=0.0, without=(), walls=(), crowded=True):
    """A hall with twelve blocks, one of which is moved, and a door that opens."""
    blocks = [Obstacle(f"Block {k}", box(6.0 + 5 * (k % 4), 1.5 + 5 * (k // 4), 2.4, 3.2)) for k in range(12)]
    blocks[5] = replace(blocks[5], outline=np.add(blocks[5].outline, (moved, 0.3 * moved)))
    keys = np.array([0.0, 20.0, 40.0])
    door = Motion(keys, np.array([4.5, 4.5, 4.5]), np.array([6.0, 6.0, 9.0]), np.zeros(3))
    blocks.append(Obstacle("Door", box(-0.1, -1.0, 0.2, 2.0), motion=door))
    places = (Area("West", box(0.5, 2, 3, 12)), Area("East", box(26.5, 2, 3, 12)))
    people = Crowd("People", count=8 if crowded else 0, start="West", goal="East")
    kept = tuple(block for block in blocks if block.name not in without)
    return Scene(frames=(1, 30), bounds=BOUNDS, obstacles=kept, walls=walls, areas=places, crowds=(people,))


def walk(scene, shared_map=None):
    simulation = Simulation(scene, shared_map=shared_map)
    while not simulation.done:
        simulation.step()
    return simulation, simulation.result().position


def begin(scene, shared_map):
    """The first step of a simulation, for which the map is made."""
    simulation = Simulation(scene, shared_map=shared_map)
    simulation.step()
    return simulation


def test_a_corrected_map_leads_the_same_ways_to_the_bit_as_a_new_one():
    known = SharedMap()
    first, _ = walk(hall(), known)
    assert first.adoption.is_new
    for scene, changes in ((hall(moved=1.1), 1), (hall(without=["Block 2"]), 2), (hall(), 1), (hall(), 0)):
        again, position = walk(scene, known)
        assert (again.adoption.is_new, again.adoption.changes) == (False, changes)
        np.testing.assert_array_equal(position, walk(scene)[1])


def test_who_goes_on_from_an_earlier_simulation_is_told_how_the_map_was_corrected_however_often_it_is_asked():
    known = SharedMap()
    earlier = Simulation(hall(), shared_map=known, remembers=True)
    while not earlier.done:
        earlier.step()
    for scene, changes in ((hall(moved=1.1), 1), (hall(moved=1.1), 0), (hall(without=["Block 2"]), 2)):
        earlier = Simulation(scene, shared_map=known, remembers=True, earlier=earlier)
        while not earlier.done:
            earlier.step()
        assert earlier.adoption is None or earlier.adoption.changes == changes
        assert changes == 0 or earlier.adoption is not None


def squares(moved=(0.0, 0.0)):
    """Square blocks along streets of one width, one of them moved: many ways are equally long."""
    blocks = [Obstacle(f"Block {i} {j}", box(4.0 + 4 * i, 2.0 + 4 * j, 2, 2)) for i in range(6) for j in range(3)]
    blocks[7] = replace(blocks[7], outline=np.add(blocks[7].outline, moved))
    return replace(
        hall(), frames=(1, 40), obstacles=tuple(blocks), crowds=(Crowd("All", count=12, start="West", goal="East"),)
    )


def test_between_ways_that_are_equally_long_a_corrected_map_chooses_as_a_new_one():
    known = SharedMap()
    begin(squares(), known)
    for moved in ((1.0, 0.0), (0.0, 0.0)):
        again, position = walk(squares(moved), known)
        assert not again.adoption.is_new
        np.testing.assert_array_equal(position, walk(squares(moved))[1])


def test_what_is_mostly_another_ground_is_built_anew():
    known = SharedMap()
    begin(hall(), known)
    for scene in (
        hall(without=["Block 1", "Block 2", "Block 3", "Block 4"]),
        hall(without=["Block 1", "Block 2", "Block 3", "Block 4"], walls=(np.array([[5.0, 15.0], [25.0, 15.0]]),)),
        replace(hall(), bounds=BOUNDS * 1.25),
    ):
        assert begin(scene, known).adoption.is_new


def test_a_map_that_nobody_asks_for_is_not_made():
    known = SharedMap()
    simulation, _ = walk(hall(crowded=False), known)
    assert simulation.adoption is None


def test_after_a_failure_the_map_is_built_anew(monkeypatch: pytest.MonkeyPatch):
    known = SharedMap()
    walk(hall(), known)
    with monkeypatch.context() as patch:
        patch.setattr("core.routing.CorridorMap.move", _fail)
        simulation, _ = walk(hall(moved=1.0), known)
        assert "no corridor map today" in " ".join(simulation.result().notices)
    simulation, position = walk(hall(moved=1.0), known)
    assert simulation.adoption.is_new
    np.testing.assert_array_equal(position, walk(hall(moved=1.0))[1])


def _fail(*_):
    raise FootfallError("no corridor map today")
