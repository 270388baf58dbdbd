# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of `simulation/world`: how the ground, moving obstacles and heroes are seen."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class WorldSettings:
    """How the ground, moving obstacles and heroes are seen."""
