# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled twins of `core.planning`: paths ahead, courses, speed profiles, the choice among them, and plans."""
