# SPDX-License-Identifier: GPL-3.0-or-later
"""How people keep clear of each other and of obstacles from one step to the next."""

from __future__ import annotations

from . import body_limits, flocking, human_like, neighbours, orca, warming_up
from .backends import AUTO, NUMBA, NUMPY, available_backends, choose_backend, keep_compiled_code_in
from .warming_up import warm_up

__all__ = [
    "AUTO",
    "NUMBA",
    "NUMPY",
    "available_backends",
    "body_limits",
    "choose_backend",
    "flocking",
    "human_like",
    "keep_compiled_code_in",
    "neighbours",
    "orca",
    "warm_up",
    "warming_up",
]
