# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user sets: property groups and the catalogue of overlays. Knows no operator, panel or overlay.

All groups have empty slots: else Python would keep a property whose name a script misspells, and say nothing.
"""
