# SPDX-License-Identifier: GPL-3.0-or-later
"""Ground to Voronoi diagram to medial axis, built and corrected in place. The one door to pyvoronoi."""
