# SPDX-License-Identifier: GPL-3.0-or-later
"""Quaternions, against rotation matrices made by Rodrigues' formula."""

import numpy as np
import pytest

from core.motion import quaternions


def axes_and_angles(seed, most=np.pi):
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=(3, 300))
    return axis / np.linalg.norm(axis, axis=0), rng.uniform(0.0, most, 300)


def matrices(axis, angle):
    x, y, z = axis
    none = np.zeros_like(x)
    cross = np.stack([none, -z, y, z, none, -x, -y, x, none], axis=-1).reshape(-1, 3, 3)
    sin, cos = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    return np.eye(3) + sin * cross + (1.0 - cos) * (cross @ cross)


def test_quaternions_say_the_rotation_also_near_half_turns():
    axis, angle = axes_and_angles(5)
    assert np.abs(quaternions.quaternions(matrices(axis, angle)) - quaternions.about(axis, angle).T).max() < 1e-7


def test_products_and_inverses_are_those_of_matrices():
    one, other = axes_and_angles(1), axes_and_angles(2)
    product = quaternions.times(quaternions.about(*one), quaternions.about(*other))
    expected = quaternions.quaternions(matrices(*one) @ matrices(*other)).T
    assert np.abs(np.abs(np.sum(product * expected, axis=0)) - 1.0).max() < 1e-12
    none = quaternions.times(product, quaternions.inverse(product))
    assert none == pytest.approx(np.tile([[1.0], [0.0], [0.0], [0.0]], (1, 300)), abs=1e-12)


def test_vectors_are_turned_as_by_matrices():
    axis, angle = axes_and_angles(3)
    vectors = np.random.default_rng(4).normal(size=(3, 300))
    expected = np.einsum("nij,jn->in", matrices(axis, angle), vectors)
    assert quaternions.turned(quaternions.about(axis, angle), vectors) == pytest.approx(expected, abs=1e-12)


def test_turns_about_the_vertical():
    angle = np.linspace(-7.0, 7.0, 300)
    up = np.tile([[0.0], [0.0], [1.0]], (1, 300))
    assert quaternions.about_z(angle) == pytest.approx(quaternions.about(up, angle))


def test_the_shortest_turn_leads_from_one_vector_to_the_other():
    start, _ = axes_and_angles(6)
    end, _ = axes_and_angles(7)
    turn = quaternions.between(start, end)
    assert quaternions.turned(turn, start) == pytest.approx(end, abs=1e-9)
    assert 2.0 * np.arccos(turn[0]) == pytest.approx(np.arccos(np.clip(quaternions.dot(start, end), -1, 1)), abs=1e-6)


def test_between_opposite_vectors_lies_half_a_turn():
    start = np.array([[1.0], [0.0], [0.0]])
    assert quaternions.turned(quaternions.between(start, -start), start) == pytest.approx(-start, abs=1e-9)
