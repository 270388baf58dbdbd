# SPDX-License-Identifier: GPL-3.0-or-later
"""The inner loops of steering: each in numpy, and its twin in numba under the same names; and what they work on."""
