# SPDX-License-Identifier: GPL-3.0-or-later
"""The meshes of the built-in figures: bodies, heads, hands, clothes and shoes."""
