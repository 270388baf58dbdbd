# SPDX-License-Identifier: GPL-3.0-or-later
"""Outlines, segments and distances; numpy only, joining of polygons behind one door."""
