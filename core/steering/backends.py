# SPDX-License-Identifier: GPL-3.0-or-later
"""Which kernels there are: numpy always, numba if it is installed."""

from __future__ import annotations

from ..errors import BackendError

AUTO, NUMPY, NUMBA = "auto", "numpy", "numba"


def available_backends() -> tuple[str, ...]:
    """The names of the backends that work here; `numpy` is always the first."""
    return (NUMPY,)


def choose_backend(name: str = AUTO) -> str:
    """The backend to use.

    Args:
        name: `auto` for the fastest there is, or the name of one.

    Returns:
        The name of a backend that works.

    Raises:
        BackendError: it is not there; says what to do.
    """
    there = available_backends()
    if name == AUTO:
        return there[-1]
    if name not in there:
        raise BackendError(f"no backend is named '{name}'; there are: {', '.join(there)}, auto")
    return name
