# SPDX-License-Identifier: GPL-3.0-or-later
"""Cosine, sine, arctangent and the logarithm: twins of `core.geometry.reproducible_math`."""

from __future__ import annotations

import math

import numpy as np

from ..array_types import Float64
from .compiling import entry, part

_QUARTER = (1.570796325802803, 9.920935791635221e-10, 5.170182981794105e-19)  # pi/2 as a sum
# Series over r^2, the highest power first: of (cos(r) - 1) / r^2 and of (sin(r) / r - 1) / r^2.
_C8, _C7, _C6, _C5, _C4, _C3, _C2, _C1 = ((-1) ** k / math.factorial(2 * k) for k in range(8, 0, -1))
_S8, _S7, _S6, _S5, _S4, _S3, _S2, _S1 = ((-1) ** k / math.factorial(2 * k + 1) for k in range(8, 0, -1))
_PER_QUARTER = _QUARTER[0] + _QUARTER[1]
_HIGH, _MIDDLE, _LOW = _QUARTER

_A7, _A6, _A5, _A4, _A3, _A2, _A1 = ((-1) ** k / (2 * k + 1) for k in range(7, 0, -1))
# The angles whose tangents are 0/8, 1/8, .. 8/8.
_EIGHTHS = np.array([0.0, 0.12435499454676144, 0.24497866312686414, 0.35877067027057225, 0.4636476090008061,
                     0.5585993153435624, 0.6435011087932844, 0.7188299996216245, 0.7853981633974483])  # fmt: skip

_LN2 = (0.6931471803691238, 1.9082149292705877e-10)  # as a sum
_EXPONENTIAL = np.array([1.0 / math.factorial(k) for k in range(13, -1, -1)])
_ROOT_HALF = math.sqrt(0.5)
_LOGARITHM = np.array([1.0 / (2 * k + 1) for k in range(11, 0, -1)])  # of (artanh(r) / r - 1), over r^2


def cosines_and_sines(angles: Float64) -> tuple[Float64, Float64]:
    """Return the cosines and the sines of angles, float64 of their shape [rad]."""
    found = np.empty((2, angles.size))
    _circle(angles.ravel(), found)
    return found[0].reshape(angles.shape), found[1].reshape(angles.shape)


def angles_of(y: Float64, x: Float64) -> Float64:
    """Return the angles of vectors (x, y), of one shape, from the x axis [rad]."""
    found = np.empty(y.size)
    _angles(y.ravel(), x.ravel(), found)
    return found.reshape(y.shape)


def exponentials(values: Float64) -> Float64:
    """Return e to the power of values from -750 to 750, float64 of their shape."""
    found = np.empty(values.size)
    _exponentials(values.ravel(), found)
    return found.reshape(values.shape)


def warm_up() -> None:
    """Compile."""
    exponentials(np.zeros(1))
    for count in (1, 2):
        angles_of(np.zeros(count), cosines_and_sines(np.zeros(count))[0])


@entry
def _circle(angles, found):
    for row in range(angles.size):
        found[0, row], found[1, row] = cos_sin(angles[row])


@entry
def _angles(y, x, found):
    for row in range(y.size):
        found[row] = arctan2(y[row], x[row])


@entry
def _exponentials(values, found):
    for row in range(values.size):
        value = values[row]
        halvings = np.rint(value / _LN2[0])
        rest, total = value - halvings * _LN2[0] - halvings * _LN2[1], _EXPONENTIAL[0]
        for k in range(1, len(_EXPONENTIAL)):
            total = total * rest + _EXPONENTIAL[k]
        found[row] = math.ldexp(total, int(halvings)) if math.isfinite(halvings) else total


@part
def arctan2(y, x):
    """Return the angle of a vector from the x axis [rad]."""
    wide, high = abs(x), abs(y)
    steep = high > wide
    greater, less = (high, wide) if steep else (wide, high)
    slope = less / (greater if greater > 0.0 else 1.0)
    eighth = np.rint(8.0 * slope)
    rest = (slope - 0.125 * eighth) / (1.0 + slope * 0.125 * eighth)
    r2 = rest * rest
    series = (((((_A7 * r2 + _A6) * r2 + _A5) * r2 + _A4) * r2 + _A3) * r2 + _A2) * r2 + _A1
    angle = _EIGHTHS[int(eighth) if eighth > 0.0 else 0] + (rest + rest * (r2 * series))
    if steep:
        angle = 0.5 * math.pi - angle
    if x < 0.0:
        angle = math.pi - angle
    return math.copysign(angle, y)


@part
def log(value):
    """Return the natural logarithm of a positive value."""
    mantissa, exponent = math.frexp(value)
    if mantissa < _ROOT_HALF:
        mantissa, exponent = 2.0 * mantissa, exponent - 1
    share = (mantissa - 1.0) / (mantissa + 1.0)
    square, total = share * share, _LOGARITHM[0]
    total = total * square + _LOGARITHM[1]
    for k in range(2, len(_LOGARITHM)):
        total = total * square + _LOGARITHM[k]
    series = 2.0 * (share + share * (square * total))
    return exponent * _LN2[0] + (series + exponent * _LN2[1])


@part
def cos_sin(angle):
    """Return the cosine and the sine of an angle [rad]."""
    turns = np.rint(angle / _PER_QUARTER)
    rest = angle + 0.0 - turns * _HIGH - turns * _MIDDLE - turns * _LOW
    r2 = rest * rest
    cosine = ((((((_C8 * r2 + _C7) * r2 + _C6) * r2 + _C5) * r2 + _C4) * r2 + _C3) * r2 + _C2) * r2 + _C1
    sine = ((((((_S8 * r2 + _S7) * r2 + _S6) * r2 + _S5) * r2 + _S4) * r2 + _S3) * r2 + _S2) * r2 + _S1
    cosine, sine = 1.0 + cosine * r2, rest + rest * (sine * r2)
    if not math.isfinite(turns):
        return cosine, sine
    quarter = int(turns)
    if quarter & 1:
        cosine, sine = sine, cosine
    return (-cosine if (quarter + 1) & 2 else cosine), (-sine if quarter & 2 else sine)
