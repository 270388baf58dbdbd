# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled twins of `core.planning`: paths ahead, courses, the lattice, speed profiles, the choice, and plans."""
