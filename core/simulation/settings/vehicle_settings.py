# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of `simulation/vehicles`: how vehicles enter, change lanes and give way on roads."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class VehicleSettings:
    """How vehicles enter, change lanes and give way on roads."""
