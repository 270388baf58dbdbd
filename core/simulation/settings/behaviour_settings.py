# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of `simulation/behaviours`: how people change what they want because of others."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class BehaviourSettings:
    """How people change what they want because of others."""
