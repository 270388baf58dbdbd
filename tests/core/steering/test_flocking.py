# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeping together does to where people want to go."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import GeometryError
from core.steering import flocking
from core.steering.bodies import Bodies
from core.steering.kernels.arrays import Herds

RULES = {"separation": 0.0, "alignment": 0.0, "cohesion": 0.0, "distance": 4.0}


def two(position, velocity, *, herd=(0, 0), backend="numpy", wish=((1.0, 0.0), (1.0, 0.0)), **rules):
    bodies = Bodies(position, velocity, wish, 0.0, 1.5)
    return flocking.keep_together(bodies, Herds(np.array(herd), **{**RULES, **rules}), backend=backend)


def test_twins_give_the_same_bits_in_any_order(numba, crowd):
    position, velocity, preferred, _, max_speed = crowd(200, density=1.0, seed=8)
    position[1] = position[0]
    preferred[5] = 0.0
    rng = np.random.default_rng(9)
    each = {"number": rng.integers(-1, 4, 200), **{name: rng.uniform(0.1, 3.0, 200) for name in RULES}}
    expected = flocking.keep_together(
        Bodies(position, velocity, preferred, 0.0, max_speed), Herds(**each), backend="numpy"
    )
    assert (np.linalg.norm(expected - preferred, axis=1) > 0.1).sum() > 100
    order = np.append([0, 1], 2 + rng.permutation(198))
    mixed = {name: value[order] for name, value in each.items()}
    for name in ("numpy", numba):
        bodies = Bodies(position[order], velocity[order], preferred[order], 0.0, max_speed[order])
        assert flocking.keep_together(bodies, Herds(**mixed), backend=name).tobytes() == expected[order].tobytes()


def test_without_weights_or_herd_nothing_changes(backend):
    places, still = [[0.0, 0.0], [1.0, 0.5]], np.zeros((2, 2))
    np.testing.assert_array_equal(two(places, still, backend=backend), [[1.0, 0.0], [1.0, 0.0]])
    apart = two(places, still, herd=(0, 1), cohesion=1.0, separation=1.0, alignment=1.0, backend=backend)
    np.testing.assert_array_equal(apart, [[1.0, 0.0], [1.0, 0.0]])
    none = two(places, still, herd=(-1, -1), cohesion=1.0, separation=1.0, alignment=1.0, backend=backend)
    np.testing.assert_array_equal(none, [[1.0, 0.0], [1.0, 0.0]])


def test_who_is_ahead_waits_and_who_is_behind_hurries(backend):
    found = two([[0.0, 0.0], [2.0, 0.0]], np.zeros((2, 2)), cohesion=0.5, backend=backend)
    np.testing.assert_allclose(found, [[1.125, 0.0], [0.875, 0.0]])  # 2 m of 4: it counts half


def test_nobody_hurries_faster_than_possible(backend):
    found = two([[0.0, 0.0], [3.0, 0.0]], np.zeros((2, 2)), cohesion=6.0, backend=backend)
    np.testing.assert_allclose(found[0], [1.5, 0.0])


def test_those_too_near_go_apart_and_those_farther_do_not(backend):
    near = two([[0.0, 0.0], [0.0, 1.0]], np.zeros((2, 2)), separation=1.0, backend=backend)
    np.testing.assert_allclose(near, [[1.0, -0.5], [1.0, 0.5]])
    far = two([[0.0, 0.0], [0.0, 2.1]], np.zeros((2, 2)), separation=1.0, backend=backend)
    np.testing.assert_array_equal(far, [[1.0, 0.0], [1.0, 0.0]])


def test_all_do_as_the_others_do(backend):
    """Between one's own wish and the mean of both velocities, which counts 0.75 * 0.5 of it at 1 m of 4."""
    found = two([[0.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [1.0, 0.4]], alignment=0.5, backend=backend)
    np.testing.assert_allclose(found, [[1.0, 0.075 / 1.375]] * 2)


@pytest.mark.parametrize("alignment", [0.5, 1.0, 2.0, 10.0])
def test_who_does_as_the_others_do_does_not_swing_to_and_fro(backend, alignment):
    """Followed without inertia, a difference dies down from one side, at any weight."""
    velocity = np.array([[1.0, 0.3], [1.0, -0.3]])
    aside = []
    for _ in range(30):
        velocity = two([[0.0, 0.0], [0.0, 1.0]], velocity, alignment=alignment, backend=backend)
        aside.append(velocity[0, 1] - velocity[1, 1])
    assert (np.abs(np.diff(aside)) <= np.abs(aside[0])).all()
    assert abs(aside[-1]) < 0.05 * abs(aside[0]) + 1e-12


def test_who_wants_to_stand_stands(backend):
    wish = ((0.0, 0.0), (1.0, 0.0))
    found = two([[0.0, 0.0], [2.0, 0.0]], np.ones((2, 2)), cohesion=1.0, alignment=1.0, wish=wish, backend=backend)
    np.testing.assert_array_equal(found[0], [0.0, 0.0])


@pytest.mark.parametrize(
    ("options", "message"),
    [({"distance": 0.0}, "distance"), ({"cohesion": -1.0}, "cohesion"), ({"herd": (0.5, 0.5)}, "herd")],
)
def test_what_makes_no_sense_is_refused(options, message):
    with pytest.raises(GeometryError, match=message):
        two(np.eye(2), np.eye(2), **options)
