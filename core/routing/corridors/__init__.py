# SPDX-License-Identifier: GPL-3.0-or-later
"""From chains of edges to portals and taut lines."""
