# SPDX-License-Identifier: GPL-3.0-or-later
"""How people keep clear of each other and of obstacles from one step to the next."""

from __future__ import annotations

from . import flocking, human_like, limits, neighbours, orca, warming
from .backends import AUTO, NUMBA, NUMPY, available_backends, choose_backend
from .warming import warm_up

__all__ = [
    "AUTO",
    "NUMBA",
    "NUMPY",
    "available_backends",
    "choose_backend",
    "flocking",
    "human_like",
    "limits",
    "neighbours",
    "orca",
    "warm_up",
    "warming",
]
