# SPDX-License-Identifier: GPL-3.0-or-later
"""Where Footfall is found: its tab in the sidebar of the 3D viewport."""

TAB = "Footfall"
