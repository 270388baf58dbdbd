# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled twins of numpy code that is not of the steering: the same bits, used where a run asks for numba."""
