# SPDX-License-Identifier: GPL-3.0-or-later
"""Who insists: what they show to the others, and how close they pass them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...array_types import Bool, Float64
from ...geometry.reproducible_math import length
from ...steering.bodies import Bodies


def shown_on_the_way(bodies: Bodies, insists: Bool, speed: float) -> Bodies:
    """Return bodies of which those who insist show others that they are on the way already.

    Two who stand face to face owe each other nothing as long as neither moves.

    Args:
        bodies: of R people, and others after them.
        insists: bool (R,), who does.
        speed: of those to others, at most [m/s].
    """
    shown, some, everybody = bodies.velocity.copy(), np.flatnonzero(insists), np.zeros(len(bodies.velocity), dtype=bool)
    everybody[some] = True
    wish = bodies.preferred[some]
    wanted = length(wish)
    shown[some] = wish * np.minimum(1.0, speed / np.maximum(wanted, 1e-9))[:, None]
    return replace(bodies, insists=everybody, shown=shown)


def squeezing_past(bodies: Bodies, squeezes: Bool, radius: Float64, depth: float) -> Bodies:
    """Return bodies of which some press past the other people, who give way, as shoulders do.

    Args:
        bodies: of R people, and others after them.
        squeezes: bool (R,), who of those who insist.
        radius: float64 (R + H,), of all without the room that they keep [m].
        depth: how far they press into each other [m].
    """
    if not squeezes.any():
        return bodies
    people = slice(len(squeezes))  # not heroes, who give way to nobody
    everybody, narrow = np.zeros(len(radius), dtype=bool), radius.copy()
    everybody[people] = squeezes
    narrow[people] = np.where(squeezes, radius[people], np.maximum(radius[people] - depth, 0.0))
    return replace(bodies, squeezes=everybody, squeezed=narrow)
