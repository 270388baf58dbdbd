# SPDX-License-Identifier: GPL-3.0-or-later
"""Elementary functions: as exact as numpy's, at every special value, and of the same bits elsewhere."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.geometry import reproducible_math

FINITE = st.floats(-1e4, 1e4)
SPREAD = st.floats(allow_nan=False, allow_infinity=False)


def error_in_last_place(found, exact):
    return np.abs((found - exact) / np.spacing(np.abs(np.asarray(exact, dtype=np.float64))))


@given(FINITE)
def test_cosine_and_sine(angle):
    cos, sin = reproducible_math.cos_sin(angle)
    exact = np.longdouble(angle)
    assert abs(cos - np.cos(exact)) < 3e-16
    assert abs(sin - np.sin(exact)) < 3e-16


def test_quarter_turns_and_small_angles():
    cos, sin = reproducible_math.cos_sin(np.arange(-8, 9) * 0.5 * np.pi)
    np.testing.assert_allclose(cos, np.tile([1, 0, -1, 0], 5)[:17], atol=1e-15)
    np.testing.assert_allclose(sin, np.tile([0, 1, 0, -1], 5)[:17], atol=1e-15)
    tiny = np.array([0.0, 1e-300, -1e-9])
    assert np.array_equal(reproducible_math.cos_sin(tiny)[1], tiny)


def test_angles_one_by_one_are_the_same_bits_as_all_at_once():
    rng = np.random.default_rng(1)
    angle = np.concatenate((rng.normal(size=3000) * 10.0 ** rng.uniform(-9.0, 8.0, 3000), np.pi / 4 * np.arange(-8, 9)))
    angle = np.append(angle, [0.0, -0.0])
    together = np.array(reproducible_math.cos_sin(angle))
    alone = np.array([reproducible_math.cos_sin(each) for each in angle]).T
    assert together.tobytes() == np.ascontiguousarray(alone).tobytes()
    more_than_at_once, in_runs = (
        (np.tile(angle, 6), np.tile(together, 6)),
        (angle.repeat(9), together.repeat(9, axis=1)),
    )
    for angles, expected in (more_than_at_once, in_runs):
        assert np.array(reproducible_math.cos_sin(angles)).tobytes() == np.ascontiguousarray(expected).tobytes()
    with np.errstate(invalid="ignore"):
        assert np.isnan(reproducible_math.cos_sin([np.nan, 1.0])).tolist() == [[True, False]] * 2


def test_left_mirrors_right():
    angle = np.random.default_rng(2).uniform(0.0, 7.0, 1000)
    (cos, sin), (mirrored, other) = reproducible_math.cos_sin(angle), reproducible_math.cos_sin(-angle)
    assert np.array_equal(cos, mirrored)
    assert np.array_equal(sin, -other)


@given(SPREAD, SPREAD)
def test_arctan2(y, x):
    with np.errstate(over="ignore", under="ignore"):
        exact = np.arctan2(np.longdouble(y), np.longdouble(x))
    assert abs(reproducible_math.arctan2(y, x) - exact) <= 4e-16 * max(1.0, abs(exact))


@pytest.mark.parametrize(("y", "x"), [(0.0, 0.0), (0.0, -1.0), (-0.0, -1.0), (1.0, 0.0), (-1.0, 0.0), (np.nan, 1.0)])
def test_arctan2_on_the_axes(y, x):
    assert np.array_equal(reproducible_math.arctan2(y, x), np.arctan2(y, x), equal_nan=True)


@given(st.floats(-1.0, 1.0))
def test_arccosine_and_arcsine(value):
    assert abs(reproducible_math.arccos(value) - math.acos(value)) <= 5e-16
    assert abs(reproducible_math.arcsin(value) - math.asin(value)) <= 3e-16 * max(abs(value), 1e-300)


def test_arccosine_and_arcsine_at_the_ends_and_beyond():
    ends = np.array([-1.5, -1.0, 0.0, 1.0, 1.0 + 1e-15])
    np.testing.assert_array_equal(reproducible_math.arccos(ends), [math.pi, math.pi, 0.5 * math.pi, 0.0, 0.0])
    np.testing.assert_array_equal(
        reproducible_math.arcsin(ends), [-0.5 * math.pi, -0.5 * math.pi, 0.0, *2 * [0.5 * math.pi]]
    )
    assert np.isnan(reproducible_math.arccos(np.nan))


@given(st.floats(-700.0, 700.0))
def test_exponential(value):
    assert error_in_last_place(reproducible_math.exp(value), np.exp(np.longdouble(value))) < 1.5


def test_exponential_far_out():
    assert reproducible_math.exp(-1e9) == 0.0
    assert reproducible_math.exp(1e9) == np.inf
    assert reproducible_math.exp(0.0) == 1.0


@given(st.floats(-1e6, 1e6))
def test_inverse_hyperbolic_sine(value):
    exact = np.arcsinh(np.longdouble(value))
    assert abs(reproducible_math.arcsinh(value) - exact) <= 4e-16 * max(abs(exact), 1.0)


@given(st.floats(1e-300, 1e300))
def test_logarithm(value):
    exact = np.log(np.longdouble(value))
    assert abs(reproducible_math.log(value) - exact) <= 4e-16 * max(abs(exact), 1e-3)
    assert reproducible_math.log(1.0) == 0.0


@given(st.floats(1e-3, 100.0) | st.floats(-100.0, -1e-3), st.integers(1, 9))
def test_power(base, exponent):
    np.testing.assert_allclose(reproducible_math.power(base, exponent), np.longdouble(base) ** exponent, rtol=1e-14)


def test_scalar_products_in_space_have_the_bits_of_sums():
    a, b = np.random.default_rng(6).normal(size=(2, 500, 3))
    a[:8] = np.copysign(0.0, a[:8])
    for first, second in ((a, b), (a[3], b[3]), (a[9], b[9]), (a, b[9]), (a.astype(np.float32), b)):
        assert reproducible_math.dot(first, second).tobytes() == (first * second).sum(axis=-1).tobytes()


def test_products_and_inverse():
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(7, 3, 4)), rng.normal(size=(7, 4, 2))
    np.testing.assert_allclose(reproducible_math.matrix_product(a, b), a @ b, atol=1e-14)
    np.testing.assert_allclose(reproducible_math.modulus(a + 2j * a), np.abs(a + 2j * a), rtol=1e-15)
    np.testing.assert_allclose(reproducible_math.dot(a, a), np.linalg.norm(a, axis=-1) ** 2)
    positive = a[0] @ a[0].T + np.eye(3)
    np.testing.assert_allclose(reproducible_math.inverse(positive), np.linalg.inv(positive), atol=1e-12)
    np.testing.assert_allclose(reproducible_math.length(a), np.linalg.norm(a, axis=-1))
    weights = np.array([0.25, 0.5, 0.25])
    np.testing.assert_allclose(
        reproducible_math.weighted(a[0, 0] + 1j, weights), np.convolve(a[0, 0] + 1j, weights, mode="valid"), atol=1e-15
    )


def test_determinants():
    sizes, sheared = np.diag([2.0, -3.0, 5.0]), np.eye(3) + np.triu(np.full((3, 3), 7.0), 1)
    swapped = np.eye(3)[[1, 0, 2]]
    together = np.array([[sizes, sheared], [swapped, np.ones((3, 3))]])
    np.testing.assert_array_equal(reproducible_math.determinant(together), [[-30.0, 1.0], [-1.0, 0.0]])
    a, b = np.random.default_rng(12).normal(size=(2, 50, 3, 3))
    product = reproducible_math.determinant(reproducible_math.matrix_product(a, b))
    factors = reproducible_math.determinant(a) * reproducible_math.determinant(b)
    np.testing.assert_allclose(product, factors, atol=1e-13)
    np.testing.assert_allclose(reproducible_math.determinant(a), np.linalg.det(a), atol=1e-14)


def test_inverse_of_a_transform():
    rng = np.random.default_rng(13)
    for size in (0.01, 1.0, 100.0):
        matrix = np.eye(4)
        matrix[:3] = rng.normal(size=(3, 4)) * size
        found = reproducible_math.inverse_transform(matrix)
        np.testing.assert_allclose(reproducible_math.matrix_product(found, matrix), np.eye(4), atol=1e-12)
        np.testing.assert_array_equal(found[3], [0.0, 0.0, 0.0, 1.0])
    quarter = np.array([[0.0, -2.0, 0.0, 3.0], [2.0, 0.0, 0.0, 4.0], [0.0, 0.0, 2.0, 6.0], [0.0, 0.0, 0.0, 1.0]])
    back = [[0.0, 0.5, 0.0, -2.0], [-0.5, 0.0, 0.0, 1.5], [0.0, 0.0, 0.5, -3.0], [0.0, 0.0, 0.0, 1.0]]
    np.testing.assert_array_equal(reproducible_math.inverse_transform(quarter), back)


@pytest.mark.parametrize("flat", [(1, 1, 1), (1, 1, 0), (0, 2, 1), (0, 0, 3), (0, 0, 0), (1e-4, 1, 40), (-1, 1, 1)])
def test_pseudo_inverse_of_whatever_is_flat(flat):
    rng = np.random.default_rng(11)
    for _ in range(20):
        turned, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        matrix = turned * np.array(flat, dtype=np.float64) @ np.linalg.qr(rng.normal(size=(3, 3)))[0]
        found, size = reproducible_math.pseudo_inverse(matrix), max(np.abs(np.linalg.pinv(matrix)).max(), 1.0)
        np.testing.assert_allclose(found, np.linalg.pinv(matrix), atol=1e-9 * size)
    np.testing.assert_array_equal(
        reproducible_math.pseudo_inverse(np.diag(np.array(flat) * 1.0)) != 0, np.diag(flat) != 0
    )
