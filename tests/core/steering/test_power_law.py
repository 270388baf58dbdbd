# SPDX-License-Identifier: GPL-3.0-or-later
"""The power law: urgencies and their gradients, the least cost, pairs, walls, and the same bits on every backend."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from core.errors import GeometryError
from core.steering import orca
from core.steering.bodies import Bodies
from core.steering.kernels.reference import power_law as kernel
from core.steering.power_law import PowerLaw, PowerLawSettings, energy_of

SETTINGS = PowerLawSettings()
NOTHING = orca.prepare_obstacles()


def drawn_contacts(settings, *, seed, walls):
    """Three hundred contacts and velocities (2, 300)."""
    rng = np.random.default_rng(seed)
    gap, rest = rng.normal(0.0, 3.0, (2, 300)), rng.normal(0.0, 1.0, (2, 300))
    made = kernel.contacts((gap[0], gap[1]), (rest[0], rest[1]), np.full(300, 0.5), 1.0, energy_of(settings))
    if walls:
        made = made._replace(left=rng.uniform(0.0, 2.0, 300), right=rng.uniform(0.0, 2.0, 300))
    else:
        made = made._replace(share=rng.uniform(0.3, 1.0, 300))
    return gap, rest, made, rng.normal(0.0, 1.0, (2, 300))


@pytest.mark.parametrize("walls", [False, True])
def test_the_gradient_of_the_urgency_is_that_of_finite_differences(walls):
    _, _, made, velocity = drawn_contacts(SETTINGS, seed=3, walls=walls)
    energy, step = energy_of(SETTINGS), 1e-6
    _, *gradient = kernel.urgency(velocity, made, energy)
    for axis, shift in enumerate(([[step], [0.0]], [[0.0], [step]])):
        above, below = (kernel.urgency(velocity + sign * np.array(shift), made, energy)[0] for sign in (1, -1))
        np.testing.assert_allclose(gradient[axis], (above - below) / (2.0 * step), rtol=1e-5, atol=1e-6)


def test_of_exactly_known_velocities_the_urgency_is_one_over_the_time_to_contact():
    sharp = replace(SETTINGS, sideways=1e-9, closing=1e-9)
    gap, rest, made, velocity = drawn_contacts(sharp, seed=4, walls=False)
    found, *_ = kernel.urgency(velocity, made, energy_of(sharp))
    met = 0
    for number in range(300):
        moves = rest[:, number] + velocity[:, number] / made.share[number]
        roots = np.roots([moves @ moves, -2.0 * gap[:, number] @ moves, gap[:, number] @ gap[:, number] - 0.25])
        first = roots.real.min() if abs(roots.imag).max() < 1e-9 else math.inf
        if np.hypot(*gap[:, number]) > 0.55:
            met += 0.0 < first < math.inf
            assert found[number] == pytest.approx(1.0 / first if first > 0.0 else 0.0, rel=1e-4, abs=1e-6)
    assert met >= 20


def cost_of(velocity, wish, gap, other, settings=SETTINGS):
    """The cost of velocities (2, n) of one who meets another who makes half of the change, by the papers."""
    made = kernel.contacts(
        (gap[:1], gap[1:]), (-other[:1], -other[1:]), np.full(1, 0.5), 1.0, energy_of(settings)
    )._replace(share=np.full(1, 0.5))
    urgency, *_ = kernel.urgency(velocity, made, energy_of(settings))
    time = 1.0 / np.maximum(urgency, 1e-3)
    energy = settings.strength / time**2 * np.exp(-time / settings.time_scale)
    return 0.5 * ((velocity - wish[:, None]) ** 2).sum(axis=0) + 0.5 * settings.relaxation_time * energy


def test_no_velocity_near_the_one_taken_costs_less(backend):
    """With many steps of Newton's method; the usual few come near it. Exactly head-on, either side is as good."""
    wish, still, grid = np.array([1.3, 0.0]), np.zeros(2), np.linspace(-0.1, 0.1, 41)
    around = np.stack(np.meshgrid(grid, grid), axis=0).reshape(2, -1)
    for place in ([2.0, 0.1], [1.0, -0.3], [4.0, 0.2], [0.7, 0.5], [3.0, 0.05]):
        gap = np.array(place)
        bodies = Bodies(np.stack((still, gap)), np.zeros((2, 2)), np.stack((wish, -wish)), 0.25, 2.0)
        taken = PowerLaw(replace(SETTINGS, steps=30), backend).new_velocity(bodies, NOTHING, 0.05)[0]
        least = cost_of(taken[:, None], wish, gap, still)[0]
        assert least <= cost_of(taken[:, None] + around, wish, gap, still).min() + 1e-6
        few = PowerLaw(SETTINGS, backend).new_velocity(bodies, NOTHING, 0.05)[0]
        assert cost_of(few[:, None], wish, gap, still)[0] <= cost_of(wish[:, None], wish, gap, still)[0]


def test_a_pair_that_mirrors_each_other_takes_velocities_that_do(backend):
    for x, y in ((3.5, 0.0), (3.0, 0.3), (1.0, -0.2), (0.4, 0.1)):
        position = np.array([[-x, -y], [x, y]])
        wish = np.array([[1.3, 0.0], [-1.3, 0.0]])
        bodies = Bodies(position, 0.8 * wish, wish, 0.25, 2.0)
        one, other = PowerLaw(SETTINGS, backend).new_velocity(bodies, NOTHING, 0.05)
        np.testing.assert_array_equal(one, -other)
        assert one[0] < 1.3


def test_two_who_meet_a_little_aside_pass_without_contact(backend):
    position, wish = np.array([[-5.0, 0.0], [5.0, 0.1]]), np.array([[1.3, 0.0], [-1.3, 0.0]])
    velocity, least, model = wish, math.inf, PowerLaw(SETTINGS, backend)
    for _ in range(240):
        wanted = model.new_velocity(Bodies(position, velocity, wish, 0.25, 2.0), NOTHING, 1.0 / 24.0)
        change = wanted - velocity
        size = np.maximum(np.hypot(*change.T), 1e-9)[:, None]
        velocity = velocity + change * np.minimum(1.0, 2.0 / 24.0 / size)  # as bodies can
        position = position + velocity / 24.0
        least = min(least, float(np.hypot(*(position[0] - position[1]))))
    assert least > 0.5
    assert position[0, 0] > 5.0
    assert position[1, 0] < -5.0


def test_who_is_far_from_everybody_takes_the_preferred_velocity(backend):
    wish = np.array([[1.3, 0.1], [0.7, -1.1]])
    bodies = Bodies(np.array([[0.0, 0.0], [50.0, 0.0]]), np.zeros((2, 2)), wish, 0.25, 2.0)
    np.testing.assert_array_equal(PowerLaw(SETTINGS, backend).new_velocity(bodies, NOTHING, 0.05), wish)


def test_a_wall_ahead_stops_people_and_a_wall_beside_does_not(backend):
    wall = orca.prepare_obstacles(walls=[[[0.0, -20.0], [0.0, 20.0]]])
    position, wish = np.array([[-3.0, 0.0], [-0.5, 9.0], [-3.0, 40.0]]), np.array([[1.3, 0.6], [0.0, -1.3], [1.3, 0.0]])
    velocity, model, deepest = wish, PowerLaw(SETTINGS, backend), -math.inf
    for _ in range(120):
        velocity = model.new_velocity(Bodies(position, velocity, wish, 0.25, 2.0), wall, 1.0 / 24.0)
        position = position + velocity / 24.0
        deepest = max(deepest, position[0, 0], position[1, 0])
    assert deepest < -0.25
    assert 2.0 < position[0, 1] < 3.5  # along the wall
    assert position[1, 1] < 3.0
    assert position[2, 0] > 3.0  # past its end


@pytest.mark.parametrize("corners", [48, 400])
def test_a_round_outline_of_many_edges_is_avoided_as_one_who_stands_there(backend, corners):
    turn = np.linspace(0.0, 2.0 * np.pi, corners, endpoint=False)
    pillar = orca.prepare_obstacles([0.5 * np.stack((np.cos(turn), np.sin(turn)), axis=1)])
    position, wish = np.array([[-2.0, 0.1], [0.0, 0.0]]), np.array([[1.3, 0.0], [0.0, 0.0]])
    alone = Bodies(position[:1], wish[:1], wish[:1], 0.25, 2.0)
    both = Bodies(position, wish, wish, np.array([0.25, 0.5]), 2.0, avoids=np.array([True, False]))
    model = PowerLaw(SETTINGS, backend)
    found, expected = model.new_velocity(alone, pillar, 0.05)[0], model.new_velocity(both, NOTHING, 0.05)[0]
    assert expected[1] > 0.3
    np.testing.assert_allclose(found, expected, atol=0.1)


@pytest.mark.parametrize("density", [0.5, 4.0])
def test_both_backends_give_the_same_bits(numba, crowd, density):
    position, velocity, wish, radius, speed = crowd(150, density=density, seed=5)
    rng = np.random.default_rng(6)
    position[7] = position[8]  # in one place
    bodies = Bodies(
        position,
        velocity,
        wish,
        radius,
        speed,
        avoids=rng.random(150) < 0.9,
    )
    walls = orca.prepare_obstacles([[[1.0, 1.0], [3.0, 1.2], [3.0, 3.0], [1.5, 2.5]]], walls=[[[2.0, 4.0], [5.0, 4.5]]])
    expected, found = (PowerLaw(SETTINGS, name).new_velocity(bodies, walls, 0.05) for name in ("numpy", numba))
    assert np.isfinite(expected).all()
    assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    "wrong",
    [
        {"neighbour_distance": math.nan},
        {"strength": 0.0},
        {"time_scale": math.inf},
        {"sideways": -1.0},
        {"steps": 0},
        {"max_neighbours": -1},
    ],
)
def test_settings_without_meaning_are_refused(wrong):
    with pytest.raises(GeometryError, match=next(iter(wrong))):
        PowerLawSettings(**wrong)
