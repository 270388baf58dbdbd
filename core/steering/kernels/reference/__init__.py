# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels in numpy that read like the papers; each has a compiled twin of the same name, arguments and bits."""
