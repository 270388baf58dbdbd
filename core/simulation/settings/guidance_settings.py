# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of `simulation/guidance`: how people aim, are led round obstacles, and find new routes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class GuidanceSettings:
    """How people aim, are led round obstacles, and find new routes."""
