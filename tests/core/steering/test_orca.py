# SPDX-License-Identifier: GPL-3.0-or-later
"""What ORCA does for people among each other."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import BackendError, GeometryError
from core.steering import neighbours, orca
from core.steering.bodies import Bodies


def closest_approach(gap, closing, horizon):
    """The least distance of two points with a gap and a closing velocity, from now until the horizon."""
    speed2 = (closing * closing).sum(axis=-1)
    when = np.clip((gap * closing).sum(axis=-1) / np.where(speed2 > 0.0, speed2, 1.0), 0.0, horizon)
    return np.linalg.norm(gap - closing * when[..., None], axis=-1)


def walk(position, goal, *, steps, settings, radius=0.25, speed=1.3, backend="numpy", **options):
    """Everybody's places at all steps, with nothing but ORCA between them."""
    position, velocity = np.array(position, dtype=float), np.zeros(np.shape(position))
    places = [position]
    for _ in range(steps):
        to_goal = goal - position
        distance = np.linalg.norm(to_goal, axis=1, keepdims=True)
        preferred = to_goal / np.maximum(distance, 1e-9) * np.minimum(speed, distance)
        velocity = orca.new_velocity(
            position, velocity, preferred, radius, 1.5 * speed, backend=backend, **settings, **options
        )
        position = position + velocity * settings["dt"]
        places.append(position)
    return np.array(places)


def test_somebody_alone_goes_as_preferred(settings, backend):
    preferred = np.array([[0.3, -1.1]])
    found = orca.new_velocity([[5.0, 5.0]], [[1.0, 0.0]], preferred, 0.3, 2.0, backend=backend, **settings)
    np.testing.assert_array_equal(found, preferred)


def test_nobody_goes_faster_than_possible(settings, backend, crowd):
    position, velocity, preferred, radius, max_speed = crowd(150, density=2.0, seed=1)
    found = orca.new_velocity(position, velocity, 3.0 * preferred, radius, max_speed, backend=backend, **settings)
    assert (np.linalg.norm(found, axis=1) <= max_speed * (1.0 + 1e-12)).all()


def test_preferred_velocity_beyond_the_possible_is_shortened(settings, backend):
    found = orca.new_velocity([[0.0, 0.0]], [[0.0, 0.0]], [[3.0, 4.0]], 0.3, 2.0, backend=backend, **settings)
    np.testing.assert_allclose(found, [[1.2, 1.6]], atol=1e-15)


def test_two_who_take_their_new_velocities_stay_apart_for_the_horizon(settings, backend):
    rng = np.random.default_rng(5)
    settings["neighbour_distance"] = 50.0
    met = 0
    for _ in range(100):
        position = np.array([[0.0, 0.0], rng.uniform(-3.0, 3.0, 2)])
        radius = rng.uniform(0.1, 0.5, 2)
        if np.linalg.norm(position[1]) <= radius.sum():
            continue
        gap = position[1] - position[0]
        velocity, preferred = rng.normal(0.0, 0.7, (2, 2, 2)) + np.array([0.4, -0.4])[:, None] * gap
        met += closest_approach(gap, preferred[0] - preferred[1], settings["time_horizon"]) < radius.sum()
        found = orca.new_velocity(position, velocity, preferred, radius, 50.0, backend=backend, **settings)
        nearest = closest_approach(gap, found[0] - found[1], settings["time_horizon"])
        assert nearest >= radius.sum() - 1e-9
    assert met > 20  # else nothing was shown


def test_both_take_the_same_share_of_the_change(settings, backend):
    found = orca.new_velocity(
        [[0.0, 0.0], [3.0, 0.2]],
        [[1.0, 0.0], [-1.0, 0.0]],
        [[1.0, 0.0], [-1.0, 0.0]],
        0.3,
        2.0,
        backend=backend,
        **settings,
    )
    change = found - [[1.0, 0.0], [-1.0, 0.0]]
    assert np.linalg.norm(change[0]) > 0.01
    np.testing.assert_allclose(change[0], -change[1], atol=1e-12)


def test_two_head_on_pass_each_other(settings, backend):
    goal = np.array([[4.0, 0.0], [-4.0, 0.0]])
    places = walk([[-4.0, 0.0], [4.0, 0.01]], goal, steps=180, settings=settings, backend=backend)
    assert np.linalg.norm(places[:, 0] - places[:, 1], axis=1).min() >= 0.5 - 1e-6
    np.testing.assert_allclose(places[-1], goal, atol=0.1)


def test_whom_nobody_can_avoid_is_avoided_least_badly(settings, backend):
    """Between four who close in, the velocity is the one that breaks the worst half plane least: to stand."""
    position = np.array([[0.0, 0.0], [0.55, 0.0], [-0.55, 0.0], [0.0, 0.55], [0.0, -0.55]])
    velocity = -2.0 * position
    found = orca.new_velocity(position, velocity, np.ones((5, 2)), 0.25, 1.5, backend=backend, **settings)
    np.testing.assert_allclose(found[0], 0.0, atol=1e-9)


def test_those_who_overlap_part(settings, backend):
    found = orca.new_velocity(
        [[0.0, 0.0], [0.3, 0.0]], np.zeros((2, 2)), np.zeros((2, 2)), 0.25, 2.0, backend=backend, **settings
    )
    assert found[0, 0] < -0.1
    assert found[1, 0] > 0.1


def test_those_in_one_place_part_in_opposite_directions(settings, backend):
    found = orca.new_velocity(
        np.full((2, 2), 3.0), np.ones((2, 2)), np.ones((2, 2)), 0.25, 2.0, backend=backend, **settings
    )
    apart = found[0] - found[1]
    assert np.isfinite(found).all()
    assert np.linalg.norm(apart) > 0.5


def test_farther_and_surplus_neighbours_are_not_minded(settings, backend):
    position = np.array([[0.0, 0.0], [1.5, 0.1], [1.6, -0.6]])
    velocity = np.array([[1.5, 0.0], [-1.5, 0.0], [-1.5, 0.0]])

    def first(**changed):
        return orca.new_velocity(position, velocity, velocity, 0.3, 2.0, backend=backend, **{**settings, **changed})[0]

    np.testing.assert_array_equal(first(max_neighbours=0), velocity[0])
    np.testing.assert_array_equal(first(neighbour_distance=1.5), velocity[0])
    np.testing.assert_array_equal(first(max_neighbours=1), first(neighbour_distance=1.6))
    assert not np.array_equal(first(max_neighbours=1), velocity[0])
    assert not np.array_equal(first(max_neighbours=1), first(max_neighbours=2))


@pytest.mark.parametrize("agents", [0, 1])
def test_few_or_none_are_no_exception(agents, settings, backend):
    nothing = np.zeros((agents, 2))
    found = orca.new_velocity(nothing, nothing, nothing, 0.3, 1.0, backend=backend, **settings)
    assert found.shape == (agents, 2)


def test_no_size_and_no_speed_are_no_exception(settings, backend):
    position = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]])
    found = orca.new_velocity(position, np.zeros((3, 2)), np.ones((3, 2)), 0.0, 0.0, backend=backend, **settings)
    np.testing.assert_array_equal(found, 0.0)


def test_who_avoids_nobody_is_avoided_by_the_others(settings, backend):
    """The others make the whole of the change, so that all stay apart though one goes straight on."""
    rng = np.random.default_rng(7)
    settings["neighbour_distance"] = 50.0
    met = 0
    for _ in range(60):
        gap = rng.uniform(-3.0, 3.0, 2)
        if np.linalg.norm(gap) <= 0.6:
            continue
        velocity = rng.normal(0.0, 0.7, (2, 2)) + np.array([0.4, -0.4])[:, None] * gap
        met += closest_approach(gap, velocity[0] - velocity[1], settings["time_horizon"]) < 0.6
        found = orca.new_velocity(
            [[0.0, 0.0], gap],
            velocity,
            velocity,
            0.3,
            50.0,
            avoids=[False, True],
            backend=backend,
            **settings,
        )
        np.testing.assert_array_equal(found[0], velocity[0])
        assert closest_approach(gap, found[0] - found[1], settings["time_horizon"]) >= 0.6 - 1e-9
    assert met > 20  # else nothing was shown


def test_order_of_agents_does_not_matter(settings, backend, crowd):
    state = crowd(120, density=2.0, seed=3)
    ring = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
    places = 3.0 * np.stack((np.cos(ring), np.sin(ring)), axis=1)
    grid = np.stack(np.meshgrid(np.arange(6.0), np.arange(6.0)), axis=-1).reshape(-1, 2)  # full of equal distances
    scenes = [state, (places, -0.3 * places, -places, 0.25, 2.0), (grid, 0.1 * (2.0 - grid), 2.0 - grid, 0.25, 2.0)]
    rng = np.random.default_rng(9)
    for scene in scenes:
        expected = orca.new_velocity(*scene, backend=backend, **settings)
        shuffled = rng.permutation(len(scene[0]))
        found = orca.new_velocity(
            *(array[shuffled] if np.ndim(array) else array for array in scene), backend=backend, **settings
        )
        assert found.tobytes() == expected[shuffled].tobytes()


def test_nothing_given_is_changed(settings, crowd):
    state = crowd(30, density=2.0, seed=4)
    copies = [array.copy() for array in state]
    orca.new_velocity(*state, backend="numpy", **settings)
    for array, copy in zip(state, copies, strict=True):
        np.testing.assert_array_equal(array, copy)


SIDES = {"neighbour_distance": 12.0, "max_neighbours": 5}


def turned_angles(position, wish, backend, settings=None):
    """Return how far each turns aside, to the left [rad], at the same speed."""
    bodies = Bodies(position, wish, wish, 0.25, 0.0)
    turned = orca.break_symmetry(bodies, settings=settings, backend=backend, **SIDES)
    np.testing.assert_allclose(np.linalg.norm(turned, axis=1), np.linalg.norm(wish, axis=1), atol=1e-12)
    across = wish[:, 0] * turned[:, 1] - wish[:, 1] * turned[:, 0]
    return np.arctan2(across, (wish * turned).sum(axis=1))


def test_steps_to_the_right_of_whom_one_would_run_into(backend):
    position, velocity = np.array([[0.0, 0.0], [3.0, 0.0]]), np.array([[1.3, 0.0], [-1.3, 0.0]])
    np.testing.assert_allclose(turned_angles(position, velocity, backend), -np.radians(30.0), atol=1e-12)
    np.testing.assert_array_equal(turned_angles(position, -velocity, backend), 0.0)
    half_a_turn = (3.0 - 0.5) / 2.6  # the time to contact, here half way from full_time to none_time
    settings = orca.SymmetryBreaking(full_time=half_a_turn - 0.5, none_time=half_a_turn + 0.5)
    half = np.arctan(0.5 * np.tan(np.radians(30.0)))
    np.testing.assert_allclose(turned_angles(position, velocity, backend, settings), -half, atol=1e-12)


def test_turns_early_by_no_more_than_the_room_that_is_missing_asks_for(backend):
    settings = orca.SymmetryBreaking(full_time=3.0, none_time=4.0)
    wish = np.array([[1.3, 0.0], [-1.3, 0.0]])
    for aside in (0.0, 0.3):  # of the two, to the left: they have so much of the 0.5 m already
        position = np.array([[0.0, 0.0], [0.5 + 2.6 * 2.5, aside]])
        time = (position[1, 0] - np.sqrt(0.25 - aside * aside)) / 2.6
        share = settings.enough_time / time
        needed = np.arctan(share * (0.5 - aside) / (position[1, 0] / 2.6) / 1.3)
        np.testing.assert_allclose(turned_angles(position, wish, backend, settings), -needed, atol=1e-12)
        assert needed < np.radians(15.0)


def test_who_crosses_on_the_right_is_passed_on_the_left_unless_somebody_else_is_ahead(backend):
    wish = 1.3 * np.array([[1.0, 0.0], [0.0, 1.0]])
    position = np.array([[-4.0, 0.0], [0.0, -4.3]])  # the second comes from the right, and a little later
    assert turned_angles(position, wish, backend)[0] > np.radians(3.0)
    position, wish = np.vstack([position, [1.0, 0.1]]), np.vstack([wish, [-1.3, 0.0]])
    assert turned_angles(position, wish, backend)[0] < -np.radians(3.0)


def test_head_on_everybody_turns_right_also_from_those_on_the_right(backend):
    position, wish = np.array([[0.0, 0.0], [5.0, -0.3]]), np.array([[1.3, 0.0], [-1.3, 0.0]])
    assert (turned_angles(position, wish, backend) < -np.radians(3.0)).all()


def test_nobody_turns_from_who_stands_or_is_near_on_the_same_line(backend):
    position, wish = np.array([[0.0, 0.0], [4.0, 0.1]]), np.array([[1.3, 0.0], [-1.3, 0.0]])
    search = {"backend": backend, **SIDES}
    stands = np.array([[1.3, 0.0], [0.0, 0.0]])
    np.testing.assert_array_equal(orca.break_symmetry(Bodies(position, stands, stands, 0.25, 0.0), **search), stands)
    for apart, turns in ((5.0, False), (500.0, True)):  # along a line that turns back, and one that crosses itself
        bodies = Bodies(position, wish, wish, 0.25, 0.0, along=np.array([20.0, 20.0 + apart]))
        assert np.array_equal(orca.break_symmetry(bodies, **search), wish) != turns


def test_nobody_turns_from_those_who_go_the_same_way(backend):
    position = np.array([[0.0, 0.0], [1.5, 0.0]])
    slow_ahead = np.array([[1.3, 0.0], [0.3, 0.1]])
    search = {"neighbour_distance": 6.0, "max_neighbours": 5, "backend": backend}
    np.testing.assert_array_equal(
        orca.break_symmetry(Bodies(position, slow_ahead, slow_ahead, 0.25, 0.0), **search), slow_ahead
    )
    wishes = np.array([[1.3, 0.0], [-1.3, 0.0]])  # hardly moving yet, but meaning to come nearer
    assert orca.break_symmetry(Bodies(position, 0.1 * wishes, wishes, 0.25, 0.0), **search)[0, 1] < -0.3


def test_who_goes_first_changes_less(settings, backend):
    position, velocity = np.array([[0.0, 0.0], [3.0, 0.1]]), np.array([[1.3, 0.0], [-1.3, 0.0]])
    state = (position, velocity, velocity, 0.25, 2.0)
    halves = orca.new_velocity(*state, backend=backend, **settings) - velocity
    found = orca.new_velocity(*state, precedence=[0.2, -0.05], backend=backend, **settings) - velocity
    np.testing.assert_allclose(found, halves * [[0.5], [1.5]], atol=1e-9)


def test_several_wishes_of_bodies_sorted_once_are_turned_as_each_alone(settings, backend, crowd):
    position, velocity, preferred, radius, _ = crowd(80, density=1.0, seed=6)
    search = {name: settings[name] for name in ("neighbour_distance", "max_neighbours")} | {"backend": backend}
    turning = orca.SideTurning(Bodies(position, velocity, preferred, radius, 0.0), **search)
    for wish, who in ((preferred, np.ones(80, dtype=bool)), (-preferred, np.arange(80) % 3 == 0)):
        alone = orca.break_symmetry(Bodies(position, velocity, wish, radius, 0.0), who=who, **search)
        assert turning.turned(wish, who).tobytes() == alone.tobytes()
        assert (alone != wish).any()
    for wish, match in ((preferred[1:], "shape of position"), (np.inf * preferred, "finite")):
        with pytest.raises(GeometryError, match=match):
            turning.turned(wish, np.ones(80, dtype=bool))


def test_symmetry_breaking_inside_is_the_same_as_ahead(settings, backend, crowd):
    position, velocity, preferred, radius, max_speed = crowd(80, density=1.0, seed=6)
    search = {name: settings[name] for name in ("neighbour_distance", "max_neighbours")}
    turned = orca.break_symmetry(Bodies(position, velocity, preferred, radius, 0.0), backend=backend, **search)
    assert (turned != preferred).any()
    ahead = orca.new_velocity(position, velocity, turned, radius, max_speed, backend=backend, **settings)
    inside = orca.new_velocity(
        position,
        velocity,
        preferred,
        radius,
        max_speed,
        symmetry=orca.SymmetryBreaking(),
        backend=backend,
        **settings,
    )
    assert inside.tobytes() == ahead.tobytes()


def test_a_ring_of_people_changes_places_without_a_jam(settings):
    rng = np.random.default_rng(2)
    angle = np.linspace(0.0, 2.0 * np.pi, 8, endpoint=False)
    start = 4.0 * np.stack((np.cos(angle), np.sin(angle)), axis=1) + rng.uniform(-0.1, 0.1, (8, 2))
    steps = int(1.35 * 8.0 / 1.3 / settings["dt"]) + 40  # the last metre is walked slower and slower
    places = walk(start, -start, steps=steps, settings=settings, symmetry=orca.SymmetryBreaking())
    assert (np.linalg.norm(places[-1] + start, axis=1) < 0.3).all()
    for position in places:
        assert not len(neighbours.close_pairs(position, 0.25 - 0.02))


FAULTS = [
    ({"position": np.zeros((2, 3))}, r"position must be an array of shape \(agents, 2\), got \(2, 3\)"),
    ({"position": [[0.0, np.nan], [1.0, 1.0]]}, r"position must be finite, got \[0.0, nan\] for agent 0"),
    ({"velocity": np.zeros((3, 2))}, r"velocity must have the shape of position \(2, 2\), got \(3, 2\)"),
    ({"preferred_velocity": [[0.0, 0.0], [np.inf, 0.0]]}, r"preferred_velocity must be finite.*agent 1"),
    ({"radius": [0.1, -0.1]}, "radius must be finite and 0 or more"),
    ({"radius": [0.1, 0.1, 0.1]}, r"radius must be one number or have the shape \(2,\), got \(3,\)"),
    ({"max_speed": np.inf}, "max_speed must be finite and 0 or more"),
    ({"dt": 0.0}, "dt must be a finite number above 0, got 0"),
    ({"time_horizon": -1.0}, "time_horizon must be a finite number above 0, got -1"),
    ({"time_horizon_obstacles": np.nan}, "time_horizon_obstacles must be a finite number above 0, got nan"),
    ({"neighbour_distance": -1.0}, "neighbour_distance must be a finite number, 0 or more, got -1"),
    ({"precedence": [0.0]}, "precedence must be numbers from -0.25 to 0.25, one for each of 2 agents"),
    ({"precedence": [0.0, 0.3]}, "precedence must be numbers from -0.25 to 0.25, one for each of 2 agents"),
    ({"avoids": [True]}, r"avoids must be True or False for each of 2 agents, got bool of shape \(1,\)"),
    ({"avoids": [1.0, 0.0]}, "avoids must be True or False for each of 2 agents, got float64"),
    ({"max_neighbours": -2}, "max_neighbours must be 0 or more, got -2"),
    ({"obstacles": [[[0.0, 0.0], [np.nan, 1.0]]]}, r"polygons\[0\] has points that are not finite"),
    ({"symmetry": orca.SymmetryBreaking(full_time=5.0)}, "0 <= full_time < none_time"),
    ({"symmetry": orca.SymmetryBreaking(angle=2.0)}, "angle of symmetry breaking must lie between 0 and 1.55"),
    ({"symmetry": orca.SymmetryBreaking(same_way=2.0)}, "same_way of symmetry breaking must lie between 0 and 1.57"),
    ({"symmetry": orca.SymmetryBreaking(left_from=np.nan)}, "left_from of symmetry breaking must lie between 0"),
]


@pytest.mark.parametrize(("changed", "message"), FAULTS)
def test_input_without_meaning_is_refused(changed, message, settings):
    given = {
        "position": [[0.0, 0.0], [2.0, 0.0]],
        "velocity": np.zeros((2, 2)),
        "preferred_velocity": np.zeros((2, 2)),
        "radius": 0.3,
        "max_speed": 1.0,
        **settings,
        **changed,
    }
    with pytest.raises(GeometryError, match=message):
        orca.new_velocity(**given)


@pytest.mark.parametrize(
    ("along", "who", "message"),
    [
        ([0.0], None, "along must be a finite number or NaN for each of 2 agents"),
        ([0.0, np.inf], None, "along must be a finite number or NaN for each of 2 agents"),
        (None, [True], r"who must be True or False for each of 2 agents, got bool of shape \(1,\)"),
        (None, [1, 0], "who must be True or False for each of 2 agents, got int64"),
    ],
)
def test_who_turns_aside_along_which_line_is_checked(along, who, message):
    position, velocity = np.array([[0.0, 0.0], [3.0, 0.0]]), np.zeros((2, 2))
    bodies = Bodies(position, velocity, velocity, 0.25, 0.0, along=along)
    with pytest.raises(GeometryError, match=message):
        orca.break_symmetry(bodies, neighbour_distance=6.0, max_neighbours=5, who=who)


def test_an_unknown_backend_is_refused_with_those_there_are(settings):
    nothing = np.zeros((1, 2))
    with pytest.raises(BackendError, match="no backend is named 'cuda'; there are: auto, numpy, numba"):
        orca.new_velocity(nothing, nothing, nothing, 0.3, 1.0, backend="cuda", **settings)
