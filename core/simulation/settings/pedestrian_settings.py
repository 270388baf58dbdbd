# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of `simulation/pedestrians`: how people avoid each other, move, enter and face."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PedestrianSettings:
    """How people avoid each other, move, enter and face."""
