# SPDX-License-Identifier: GPL-3.0-or-later
"""Angles, exponentials and products of matrices whose last bit is the same on every processor.

numpy takes sine, exponential, powers and the like from whatever its processor does best, and products of matrices from
a BLAS that does as well: the last bit differs between machines, and a simulation turns it into other ways. Sums,
products, quotients and square roots are exact to the last bit everywhere (IEEE 754), so all here is made of these: the
argument is brought near zero, and a series that converges there within 1e-17 is summed (Muller, Elementary Functions,
2016, chapters 3 and 11). Errors stay within about 2 units in the last place.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..array_types import Complex128, Float64, Int64
from ..compiled import twins

# Series over r^2, the highest power first: of (cos(r) - 1) / r^2 and of (sin(r) / r - 1) / r^2.
_COSINE, _SINE = ([(-1) ** k / math.factorial(2 * k + odd) for k in range(8, 0, -1)] for odd in (0, 1))
_BOTH = np.array([_COSINE, _SINE]).T
_COS_SIGN, _SIN_SIGN = np.array([1.0, -1.0, -1.0, 1.0]), np.array([1.0, 1.0, -1.0, -1.0])  # in each quarter
_FEW = 16  # so many angles are quicker one by one: an operation on an array takes as long as on ten numbers
_MANY = 2000  # among so many angles it is worth to look for those that are the same as the one before,
_OFTEN_ALIKE = 4  # as along straight lines, where fewer than one in so many is not
_AT_ONCE = 16000  # angles whose arrays stay in the processor's cache
_EXPONENTIAL = [1.0 / math.factorial(k) for k in range(13, -1, -1)]
_ARCTANGENT = [(-1) ** k / (2 * k + 1) for k in range(7, 0, -1)]  # of (arctan(r) / r - 1), over r^2
_LOGARITHM = [1.0 / (2 * k + 1) for k in range(11, 0, -1)]  # of (artanh(r) / r - 1), over r^2

# pi/2 and ln 2 as sums. All parts but the last end in zeros, so that a whole number times them is exact.
_QUARTER = (1.570796325802803, 9.920935791635221e-10, 5.170182981794105e-19)
_LN2 = (0.6931471803691238, 1.9082149292705877e-10)
# The angles whose tangents are 0/8, 1/8, .. 8/8.
_EIGHTHS = np.array([0.0, 0.12435499454676144, 0.24497866312686414, 0.35877067027057225, 0.4636476090008061,
                     0.5585993153435624, 0.6435011087932844, 0.7188299996216245, 0.7853981633974483])  # fmt: skip
_ROOT_HALF = math.sqrt(0.5)

_SWEEPS = 8  # of rotations: from the third on each doubles the digits that are right
_FLAT = 1e-12  # as a share, of squares


def cos_sin(angle: ArrayLike) -> tuple[Float64, Float64]:
    """Return cosine and sine.

    Args:
        angle: float64, any shape [rad], within 1e8 of zero.

    Returns:
        Two float64 arrays of that shape.
    """
    angle = np.asarray(angle, dtype=np.float64)
    kernels = twins.twin(twins.CIRCULAR)
    if kernels is not None:
        return kernels.cosines_and_sines(angle)
    quarters = angle / (_QUARTER[0] + _QUARTER[1])
    if angle.size <= _FEW and np.isfinite(quarters).all():
        each = [_turned(*pair) for pair in zip(angle.ravel().tolist(), quarters.ravel().tolist(), strict=True)]
        cos, sin = np.array(each, dtype=np.float64).reshape(-1, 2).T
        return cos.reshape(angle.shape), sin.reshape(angle.shape)
    if angle.size >= _MANY:
        flat = angle.ravel()
        differs = flat[1:] != flat[:-1]
        if np.count_nonzero(differs) < flat.size // _OFTEN_ALIKE:
            begin = np.concatenate(([0], np.flatnonzero(differs) + 1, [flat.size]))
            cos, sin = (np.repeat(each, np.diff(begin)) for each in cos_sin(flat[begin[:-1]]))
            return cos.reshape(angle.shape), sin.reshape(angle.shape)
        if angle.size > _AT_ONCE:
            found = np.empty((2, angle.size))
            for first in range(0, angle.size, _AT_ONCE):
                found[:, first : first + _AT_ONCE] = cos_sin(flat[first : first + _AT_ONCE])
            return found[0].reshape(angle.shape), found[1].reshape(angle.shape)
    turns = np.rint(quarters)
    cos, sin = _circular_series(angle, turns)
    with np.errstate(invalid="ignore"):  # an angle that is not finite has no quarter, and NaN comes out
        quarter = turns.astype(np.int64) & 3
    odd = quarter & 1 == 1
    turned_cos, turned_sin = np.where(odd, sin, cos), np.where(odd, cos, sin)
    turned_cos *= _COS_SIGN.take(quarter)
    turned_sin *= _SIN_SIGN.take(quarter)
    return turned_cos, turned_sin


def _turned(angle: float, quarters: float) -> tuple[float, float]:
    """Return cosine and sine of one angle, which is so many quarters of a turn."""
    turns = round(quarters)
    cos, sin = _circular_series(angle, turns)
    if turns & 1:
        cos, sin = sin, cos
    return -cos if (turns + 1) & 2 else cos, -sin if turns & 2 else sin


def _circular_series(angle: Any, turns: Any) -> tuple[Any, Any]:
    """Return cosine and sine of angles, arrays or numbers, less so many quarters of a turn."""
    # From -0.0 a whole number subtracts nothing, a float does: adding 0.0 makes both begin with 0.0.
    rest = angle + 0.0 - turns * _QUARTER[0] - turns * _QUARTER[1] - turns * _QUARTER[2]
    square = rest * rest
    if isinstance(rest, float):
        cosine, sine = _summed_eight(_COSINE, square), _summed_eight(_SINE, square)
    else:
        cosine, sine = horner(_BOTH.reshape(-1, 2, *(1,) * rest.ndim), square)
    return 1.0 + cosine * square, rest + rest * (sine * square)


def heading_vector(angle: ArrayLike) -> Float64:
    """Return the unit vectors (cos, sin) of angles [rad], float64 (..., 2)."""
    return vectors_of(*cos_sin(angle))


def vectors_of(x: Float64, y: Float64) -> Float64:
    """Return the vectors of two coordinates of one shape, float64 (..., 2)."""
    vectors = np.empty((*x.shape, 2))
    vectors[..., 0], vectors[..., 1] = x, y
    return vectors


def tangent(angle: ArrayLike) -> Float64:
    """Return the tangent of angles [rad], float64 of their shape."""
    cos, sin = cos_sin(angle)
    return sin / cos


def arctan2(y: ArrayLike, x: ArrayLike) -> Float64:
    """Return the angle of the vectors (x, y) from the x axis.

    Args:
        y: float64, any shape.
        x: float64, a shape that fits it.

    Returns:
        float64 in [-pi, pi] [rad], 0 of the vector (0, 0).
    """
    y, x = np.asarray(y, dtype=np.float64), np.asarray(x, dtype=np.float64)
    kernels = twins.twin(twins.CIRCULAR)
    if kernels is not None:
        return kernels.angles_of(y, x) if y.shape == x.shape else kernels.angles_of(*np.broadcast_arrays(y, x))
    wide, high = np.abs(x), np.abs(y)
    steep = high > wide
    greater = np.where(steep, high, wide)
    slope = np.where(steep, wide, high) / np.where(greater > 0.0, greater, 1.0)  # of the angle from the nearer axis
    with np.errstate(invalid="ignore"):
        eighth = np.rint(8.0 * slope)
        rest = (slope - 0.125 * eighth) / (1.0 + slope * 0.125 * eighth)
        angle = _EIGHTHS[np.fmax(eighth, 0.0).astype(np.int64)] + _odd_series(_ARCTANGENT, rest)
    angle = np.where(steep, 0.5 * math.pi - angle, angle)
    angle = np.where(x < 0.0, math.pi - angle, angle)
    return np.copysign(angle, y)


def arccos(value: ArrayLike) -> Float64:
    """Return the angles in [0, pi] of these cosines, float64 of their shape [rad]; beyond -1 and 1 those of these."""
    value = np.clip(np.asarray(value, dtype=np.float64), -1.0, 1.0)
    return arctan2(np.sqrt((1.0 - value) * (1.0 + value)), value)


def arcsin(value: ArrayLike) -> Float64:
    """Return the angles in [-pi/2, pi/2] of these sines, float64 of their shape [rad]; as `arccos` beyond -1 and 1."""
    value = np.clip(np.asarray(value, dtype=np.float64), -1.0, 1.0)
    return arctan2(value, np.sqrt((1.0 - value) * (1.0 + value)))


def exp(value: ArrayLike) -> Float64:
    """Return e to the power of the values, float64 of their shape."""
    value = np.clip(np.asarray(value, dtype=np.float64), -750.0, 750.0)  # beyond these it is 0 or infinite
    kernels = twins.twin(twins.CIRCULAR)
    if kernels is not None:
        return kernels.exponentials(value)
    halvings = np.rint(value / _LN2[0])
    rest = value - halvings * _LN2[0] - halvings * _LN2[1]
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        return np.ldexp(horner(_EXPONENTIAL, rest), halvings.astype(np.int32))


@lru_cache(maxsize=64)
def share_within(time: float, time_constant: float) -> float:
    """Return the share of a change that happens within a time, if it approaches its end exponentially [s]."""
    return 1.0 - float(exp(-time / time_constant))


def log(value: ArrayLike) -> Float64:
    """Return the natural logarithm of positive values, float64 of their shape."""
    mantissa, exponent = np.frexp(np.asarray(value, dtype=np.float64))
    low = mantissa < _ROOT_HALF
    mantissa, exponent = np.where(low, 2.0 * mantissa, mantissa), exponent - low
    series = 2.0 * _odd_series(_LOGARITHM, (mantissa - 1.0) / (mantissa + 1.0))
    return exponent * _LN2[0] + (series + exponent * _LN2[1])


def arcsinh(value: ArrayLike) -> Float64:
    """Return the inverse of the hyperbolic sine, within 3e-16 of 0 and beyond, float64 of its shape."""
    size = np.abs(np.asarray(value, dtype=np.float64))
    return np.copysign(log(size + np.sqrt(size * size + 1.0)), value)


def ceil_log2(value: ArrayLike) -> Int64:
    """Return the least whole exponents of 2 that reach positive values, int64 of their shape."""
    mantissa, exponent = np.frexp(np.asarray(value, dtype=np.float64))
    return (exponent - (mantissa == 0.5)).astype(np.int64)


def power(base: ArrayLike, exponent: int) -> Float64:
    """Return the base to a whole power >= 1, as products: numpy's own differs between processors from 3 on."""
    base = np.asarray(base, dtype=np.float64)
    if exponent == 1:
        return base.copy()
    half = power(base, exponent // 2)
    return half * half * base if exponent % 2 else half * half


def real_power(base: ArrayLike, exponent: ArrayLike) -> Float64:
    """Return positive bases to any powers, float64 of the shape of both, within a few units of the 15th digit."""
    return exp(np.asarray(exponent, dtype=np.float64) * log(base))


def modulus(value: ArrayLike) -> Float64:
    """Return the absolute values of complex numbers, float64 of their shape."""
    value = np.asarray(value, dtype=np.complex128)
    return np.sqrt(value.real * value.real + value.imag * value.imag)


def complex_product(first: ArrayLike, second: ArrayLike) -> Complex128:
    """Return the products of complex numbers, complex128 of the shape to which the two broadcast.

    Some versions of numpy round once less than others where the processor can.
    """
    a, b = np.asarray(first, dtype=np.complex128), np.asarray(second, dtype=np.complex128)
    product = np.empty(np.broadcast_shapes(a.shape, b.shape), dtype=np.complex128)
    product.real = a.real * b.real - a.imag * b.imag
    product.imag = a.real * b.imag + a.imag * b.real
    return product


def dot(first: ArrayLike, second: ArrayLike) -> Any:
    """Return the scalar products of vectors along the last axis, float64 (...)."""
    product = np.asarray(first) * np.asarray(second)
    if product.shape[-1] == 2:  # of many short rows, the sum of columns is up to thirty times as quick
        return product[..., 0] + product[..., 1]
    if product.shape[-1] == 3:
        return product[..., 0] + product[..., 1] + product[..., 2] + 0.0  # as sums are, never the negative zero
    return product.sum(axis=-1)


def length2(vectors: ArrayLike) -> Any:
    """Return the squared lengths of vectors along the last axis, float64 (...)."""
    return dot(vectors, vectors)


def length(vectors: ArrayLike) -> Any:
    """Return the lengths of vectors along the last axis, float64 (...)."""
    return np.sqrt(dot(vectors, vectors))


def weighted(values: NDArray[Any], weights: Float64) -> NDArray[Any]:
    """Return the weighted sums of neighbouring values.

    Args:
        values: float64 or complex128 (N + W - 1,).
        weights: float64 (W,), symmetric.

    Returns:
        (N,), the k-th of values k to k + W - 1.
    """
    count = len(values) - len(weights) + 1
    total = np.zeros(count, dtype=values.dtype)
    for k, weight in enumerate(weights):
        total += weight * values[k : k + count]
    return total


def matrix_product(first: ArrayLike, second: ArrayLike) -> Float64:
    """Return the products of small matrices, summed in the order of their columns.

    Args:
        first: float64 (..., I, J).
        second: float64 (..., J, K).

    Returns:
        float64 (..., I, K).
    """
    first, second = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if first.shape[-1] != second.shape[-2]:
        raise ValueError(f"matrices of shapes {first.shape} and {second.shape} have no product")
    total: Float64 = first[..., :, 0, None] * second[..., None, 0, :]
    product = np.empty_like(total)
    for j in range(1, first.shape[-1]):
        np.multiply(first[..., :, j, None], second[..., None, j, :], out=product)
        total += product
    return total


def determinant(matrix: ArrayLike) -> Float64:
    """Return the determinants of matrices float64 (..., 3, 3), float64 (...)."""
    (a, b, c), (d, e, f), (g, h, i) = np.moveaxis(np.asarray(matrix, dtype=np.float64), (-2, -1), (0, 1))
    return a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g)


def inverse(matrix: ArrayLike) -> Float64:
    """Return the inverse of a matrix float64 (N, N) by Gauss and Jordan's elimination, in the order of its rows.

    It has to be positive definite, or so that no row's other values add up to as much as the one on the diagonal.
    """
    left = np.array(matrix, dtype=np.float64)
    right = np.eye(len(left))
    for k in range(len(left)):
        right[k], left[k] = right[k] / left[k, k], left[k] / left[k, k]
        share = left[:, k, None] * (np.arange(len(left)) != k)[:, None]
        left, right = left - share * left[k], right - share * right[k]
    return right


def inverse_transform(matrix: Float64) -> Float64:
    """Return the inverse of a transform of space, float64 (4, 4) with the last row (0, 0, 0, 1)."""
    x, y, z = matrix[:3, :3].T
    turn = np.stack([np.cross(y, z), np.cross(z, x), np.cross(x, y)]) / determinant(matrix[:3, :3])
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = turn, -dot(turn, matrix[:3, 3])
    return found


def pseudo_inverse(matrix: ArrayLike) -> Float64:
    """Return the Moore-Penrose inverse of a small matrix: the inverse, where there is one.

    Args:
        matrix: float64 (M, N), of whatever rank; what it flattens to less than a millionth counts as flat.

    Returns:
        float64 (N, M).

    Source: Hestenes's rotations of pairs of columns until all are at right angles; Golub and Van Loan, Matrix
    Computations, 8.6.
    """
    columns = np.array(matrix, dtype=np.float64)
    axes = np.eye(columns.shape[1])
    for p, q in [*combinations(range(len(axes)), 2)] * _SWEEPS:
        one, other = columns[:, p], columns[:, q]
        beside, difference = 2.0 * float(dot(one, other)), float(dot(other, other) - dot(one, one))
        if beside:
            slope = beside / (abs(difference) + math.sqrt(difference * difference + beside * beside))
            slope = -slope if difference < 0.0 else slope
            cos = 1.0 / math.sqrt(slope * slope + 1.0)
            for each in (columns, axes):
                turned = cos * each[:, p] - slope * cos * each[:, q], slope * cos * each[:, p] + cos * each[:, q]
                each[:, p], each[:, q] = turned
    size = dot(columns.T, columns.T)
    share = np.divide(1.0, size, out=np.zeros_like(size), where=size > _FLAT * size.max())
    return matrix_product(axes * share, columns.T)


def horner(coefficients: Sequence[float | Float64] | Float64, value: Any) -> Any:
    """Return polynomials, summed up in one array: many temporary ones take longer than the sums.

    Args:
        coefficients: float64 (...) each, of the highest power first; at least two.
        value: float64, of the shape of the result, or, where the first coefficient has that, broadcasting to it.

    Returns:
        float64, of that shape.
    """
    total = coefficients[0] * value + coefficients[1]
    for coefficient in coefficients[2:]:
        total *= value
        total += coefficient
    return total


def _summed_eight(coefficients: list[float], value: float) -> float:
    """Return what `horner` does, of eight coefficients and one number, in two thirds of the time."""
    a, b, c, d, e, f, g, h = coefficients
    return ((((((a * value + b) * value + c) * value + d) * value + e) * value + f) * value + g) * value + h


def _odd_series(coefficients: list[float], value: Float64) -> Float64:
    """Return value (1 + the polynomial in value^2 without its constant term)."""
    square = value * value
    return value + value * (square * horner(coefficients, square))
