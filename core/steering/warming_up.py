# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiling ahead: numba compiles a kernel when it is first called, which takes seconds; later runs find it kept."""

from __future__ import annotations

import threading

import numpy as np

from ..compiled import twins
from ..garbage_collection import garbage_seldom_collected
from . import flocking
from .backends import AUTO, NUMBA, choose_backend
from .bodies import Bodies
from .kernels.arrays import Herds
from .model import MODELS, ModelSettings
from .obstacles import prepare_obstacles
from .symmetry import break_symmetry

NOT_ASKED, UNDER_WAY, READY, FAILED = "not asked", "under way", "ready", "failed"


class Warming:
    """Warms up in a thread of its own, once.

    Attributes:
        state: `not asked`, `under way`, `ready`, or `failed`.
    """

    def __init__(self) -> None:
        self.state = NOT_ASKED
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin, unless it has begun or is done."""
        with self._lock:
            if self.state in {UNDER_WAY, READY}:
                return
            self.state = UNDER_WAY
            self._thread = threading.Thread(target=self._run, name="footfall warming", daemon=True)
            self._thread.start()

    def wait(self) -> None:
        """Return when it is done."""
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        result = FAILED  # whatever is raised goes on to the hook of threads, which tells it
        try:
            warm_up()
            result = READY
        finally:
            self.state = result


_in_background = Warming()


def warm_up_in_background() -> None:
    """Warm up the fastest backend in a thread of its own, once; `state` tells how far it is."""
    _in_background.start()


def state() -> str:
    """How far warming up in the background is: `not asked`, `under way`, `ready`, or `failed`."""
    return _in_background.state


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
    bodies = Bodies(corner + 1.2, -corner, -corner, np.full(3, 0.3), np.ones(3))
    obstacles = prepare_obstacles([corner])
    with garbage_seldom_collected():
        for make in MODELS.values():
            make(ModelSettings(), NUMBA).new_velocity(bodies, obstacles, 0.1)
        break_symmetry(bodies, neighbour_distance=3.0, max_neighbours=2, backend=NUMBA)
        flocking.keep_together(bodies, Herds(np.zeros(3, dtype=np.int64), *np.ones((4, 3))), backend=NUMBA)
        twins.warm_up()
