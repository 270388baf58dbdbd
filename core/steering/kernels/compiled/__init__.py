# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels compiled by numba: each file has a twin of the same name in `reference` and gives the same bits.

What Python calls has the same name and arguments there. What only kernels call works on one agent here, and writes into
arrays that are given last; there it works on many agents and returns arrays.
"""
