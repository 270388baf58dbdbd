# SPDX-License-Identifier: GPL-3.0-or-later
"""Who has others near who may still move out of the way: with them one waits a little, alone one searches a detour.

Who has arrived or sits does not.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Bool, Int64
from ...steering.neighbours import close_pairs
from ..world.agents import ARRIVED, Agents

_FEW = 20  # so many are sooner compared with everybody than everybody is searched for pairs


def are_alone(agents: Agents, rows: Int64, company: float) -> Bool:
    """Return bool (R,), whether each who walks has nobody near who may still move out of the way.

    Args:
        agents: all agents.
        rows: int64 (R,), who.
        company: bodies count that are nearer than this [m].
    """
    present = (agents.present & (agents.status != ARRIVED) & np.isnan(agents.seat_height)).nonzero()[0]
    if len(rows) <= _FEW:
        (x, y), reach = agents.position[present].T, agents.radius[present] + 0.5 * company
        own_x, own_y = agents.position[rows].T
        across, along = own_x[:, None] - x, own_y[:, None] - y
        both = (agents.radius[rows] + 0.5 * company)[:, None] + reach
        return (across * across + along * along < both * both).sum(axis=1) <= 1  # but themselves
    alone = np.ones(len(agents), dtype=bool)
    close = close_pairs(agents.position[present], agents.radius[present] + 0.5 * company)
    alone[present[close]] = False
    return alone[rows]
