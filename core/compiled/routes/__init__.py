# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches over corridor edges, and lines that are pulled tight in corridors: twins of code of `core.routing`."""

from __future__ import annotations

import numpy as np

from .portals import Chains
from .searches import EdgeArrays, Searches, search
from .taut_lines import pull_tight

__all__ = ["Chains", "EdgeArrays", "Searches", "pull_tight", "search", "warm_up"]


def warm_up() -> None:
    """Compile."""
    none, one = np.zeros(1, dtype=np.int64), np.ones(6)
    roads = EdgeArrays(np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.int64), none, one[None])
    search(roads, Searches(np.full((1, 4), -1), np.ones((1, 5)), np.zeros(2, dtype=np.int64), none, one, one, 1.0))
    arcs, sides = np.array([[0.0, 0.0, 1.0, 0.0, 16.0]]), np.zeros((1, 2), dtype=np.int64)
    pull_tight(Chains(np.arange(2), none, np.ones((1, 6)), arcs, sides, arcs[:, :2], arcs[:, 2:4], one[:2], 1.0))
