# SPDX-License-Identifier: GPL-3.0-or-later
"""People who block each other face to face: one of them insists, and the others make room."""

from types import SimpleNamespace

import numpy as np
import pytest

from core.scene import Agent, Crowd, Scene
from core.simulation.behaviours.jams import Jams
from core.simulation.pedestrians.insisting import shown_on_the_way
from core.simulation.settings.behaviour_settings import JamSettings
from core.simulation.world.agents import WALKING
from core.steering.bodies import Bodies
from core.steering.model import MODELS, ModelSettings
from core.steering.neighbours import NearPairs
from core.steering.obstacles import prepare_obstacles
from tests.scenes.whole_walks import walk_to_the_end


@pytest.mark.parametrize("name", MODELS)
def test_others_make_room_for_who_insists(name):
    """Two stand face to face and owe each other nothing as long as neither moves."""
    position, still = np.array([[0.0, 0.0], [0.55, 0.02]]), np.zeros((2, 2))
    wish = np.array([[1.0, 0.0], [-0.2, 0.0]])
    bodies = Bodies(position, still, wish, np.full(2, 0.25), np.full(2, 2.0), heading=np.array([0.0, np.pi]))
    insisting = shown_on_the_way(bodies, np.array([True, False]), 0.5)
    np.testing.assert_array_equal(insisting.shown, [[0.5, 0.0], [0.0, 0.0]])
    model, nothing = MODELS[name](ModelSettings(), "numpy"), prepare_obstacles()
    before, after = (model.new_velocity(each, nothing, 0.05)[1] for each in (bodies, insisting))
    assert after @ (1.0, 0.0) > before @ (1.0, 0.0) + 0.02


def face_to_face(jams, seconds, regulated=False):
    """Step through two pairs, each face to face; return who insists and who is jammed after some time."""
    position = np.array([[0.0, 0.0], [0.6, 0.0], [5.0, 0.0], [5.0, 3.0]])
    agents = SimpleNamespace(
        position=position,
        velocity=np.zeros((4, 2)),
        radius=np.full(4, 0.25),
        status=np.full(4, WALKING),
        avoids=np.ones(4, dtype=bool),
        precedence=np.array([-0.3, 0.4, 0.9, 0.8]),
    )
    wish = np.array([[1.0, 0.0], [-1.0, 0.1], [0.0, 1.0], [0.0, -1.0]])
    jams.regulated[:] = regulated
    for frame in range(round(24 * seconds) + 1):
        step = SimpleNamespace(
            agents=agents,
            rows=np.arange(4),
            time=frame / 24,
            preferred=wish,
            around=SimpleNamespace(near=NearPairs(position, 4, 8.0)),
            insists=np.zeros(4, dtype=bool),
            jammed=np.zeros(4, dtype=bool),
        )
        jams.act(step)
    return step.insists.tolist(), step.jammed.tolist()


def test_after_a_while_the_one_who_goes_first_insists():
    assert face_to_face(Jams(4, JamSettings()), 0.8) == ([False] * 4, [False] * 4)
    assert face_to_face(Jams(4, JamSettings()), 1.2) == ([False, True, False, False], [True, True, False, False])


def test_nobody_insists_where_sides_take_turns():
    assert face_to_face(Jams(4, JamSettings()), 1.2, regulated=True) == ([False] * 4, [False] * 4)


@pytest.mark.once
def test_two_rows_who_stand_face_to_face_right_across_a_corridor_get_through_each_other():
    """None of them got anywhere where nobody insisted."""
    across = (-0.9, -0.3, 0.3, 0.9)
    people = [Agent((way * -0.35, y), (way * 2.0, y), 0.25, 1.3) for way in (1.0, -1.0) for y in across]
    walls = tuple(np.array([[-7.0, y], [7.0, y]]) for y in (-1.25, 1.25))
    crowd = Crowd("Rows", agents=tuple(people), arrival="leave", avoidance="human_like")
    made = walk_to_the_end(Scene(frames=(1, 300), walls=walls, crowds=(crowd,)))
    assert (made.arrived_frame > 0).all()


def test_a_jam_counts_from_when_its_place_was_free():
    agents = SimpleNamespace(position=np.array([[-0.4, 0.0], [0.4, 0.0], [30.0, 0.0], [30.5, 0.0]]))
    jams = Jams(4, JamSettings())
    jams.since = np.array([6.0, 7.0, 6.5, 6.5])

    def closed_until(places, since):
        """A door was at (0, 0), between the first two, until 10 s."""
        return 10.0 if (np.hypot(*places.T) < 0.1).any() else since

    told = jams.report(agents, 20.0, lambda time: 1 + round(24 * time), closed_until)
    assert [notice.split(" on. ")[0] for notice in told] == [
        "2 people block each other at (0.0, 0.0) from frame 241",
        "2 people block each other at (30.2, 0.0) from frame 157",
    ]
