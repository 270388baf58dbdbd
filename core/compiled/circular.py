# SPDX-License-Identifier: GPL-3.0-or-later
"""Cosine and sine of one angle, and the logarithm: twins of `core.geometry.reproducible_math`."""

from __future__ import annotations

import math

import numpy as np

from .compiling import part

_QUARTER = (1.570796325802803, 9.920935791635221e-10, 5.170182981794105e-19)  # pi/2 as a sum
# Series over r^2, the highest power first: of (cos(r) - 1) / r^2 and of (sin(r) / r - 1) / r^2.
_C8, _C7, _C6, _C5, _C4, _C3, _C2, _C1 = ((-1) ** k / math.factorial(2 * k) for k in range(8, 0, -1))
_S8, _S7, _S6, _S5, _S4, _S3, _S2, _S1 = ((-1) ** k / math.factorial(2 * k + 1) for k in range(8, 0, -1))
_PER_QUARTER = _QUARTER[0] + _QUARTER[1]
_HIGH, _MIDDLE, _LOW = _QUARTER

_LN2 = (0.6931471803691238, 1.9082149292705877e-10)  # as a sum
_ROOT_HALF = math.sqrt(0.5)
_LOGARITHM = np.array([1.0 / (2 * k + 1) for k in range(11, 0, -1)])  # of (artanh(r) / r - 1), over r^2


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
