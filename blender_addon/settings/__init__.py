# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user sets: property groups and the catalogue of overlays. Knows no operator, panel or overlay.

All groups have empty slots, so that a script that misspells the name of a property gets an AttributeError.
"""
