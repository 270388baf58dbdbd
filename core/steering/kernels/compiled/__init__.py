# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels compiled by numba; each is the twin of the file of the same name in `reference`."""
