# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiling ahead: numba compiles a kernel when it is first called, which takes seconds; later runs find it kept."""

from __future__ import annotations

import numpy as np

from . import human_like, orca
from .backends import AUTO, NUMBA, choose_backend


def warm_up(backend: str = AUTO) -> None:
    """Have all kernels of a backend compiled, or loaded if an earlier run compiled them; may run in a thread.

    Args:
        backend: by any name that `choose_backend` takes.

    Raises:
        BackendError: it is not there.
    """
    if choose_backend(backend) != NUMBA:
        return
    corner = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    state = (corner + 1.2, -corner, -corner, 0.3, 1.0)
    view = {"neighbour_distance": 3.0, "max_neighbours": 2, "symmetry": orca.SymmetryBreaking(), "backend": NUMBA}
    orca.new_velocity(*state, dt=0.1, time_horizon=1.0, time_horizon_obstacles=1.0, obstacles=[corner], **view)
    human_like.new_velocity(*state, time_horizon=1.0, obstacles=[corner], **view)
