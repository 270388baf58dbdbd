# SPDX-License-Identifier: GPL-3.0-or-later
"""Random numbers that belong to one attribute of one crowd.

Agent k takes the k-th number of its crowd's stream, so adding agents, crowds or attributes changes nobody else's draws.
"""

from __future__ import annotations

import hashlib

import numpy as np

from ...array_types import Float64


def stream(seed: int, crowd: str, attribute: str) -> np.random.Generator:
    """Return the generator of one attribute of one crowd.

    Args:
        seed: the scene's seed.
        crowd: what the crowd is known as, see `core.scene.Crowd.identity`.
        attribute: what is drawn (`speed`, `radius`, ...).
    """
    digest = hashlib.sha256(f"{seed}\0{crowd}\0{attribute}".encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "little")))


def uniform(seed: int, crowd: str, attribute: str, count: int) -> Float64:
    """Return float64 (count,) numbers in [0, 1), the first of them the same for every larger count."""
    return stream(seed, crowd, attribute).random(count)


def normal(seed: int, crowd: str, attribute: str, count: int, *, reach: float = 2.5) -> Float64:
    """Return float64 (count,) standard normal numbers, clipped to +-`reach`: no crowd has a sprinter by bad luck."""
    return np.clip(stream(seed, crowd, attribute).standard_normal(count), -reach, reach)
