# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of `simulation/population`: who stands where at first, and which routes people take."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PopulationSettings:
    """Who stands where at first, and which routes people take."""
