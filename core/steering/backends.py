# SPDX-License-Identifier: GPL-3.0-or-later
"""Which kernels there are: numpy always, numba if it is installed."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, NamedTuple

from ..compiled.twins import cache_folder, cache_folder_set, keep_compiled_code_in
from ..errors import BackendError
from .kernels.reference import edges, flocking, human_like, neighbours, orca, symmetry

AUTO, NUMPY, NUMBA = "auto", "numpy", "numba"

__all__ = [
    "AUTO",
    "NUMBA",
    "NUMPY",
    "Kernels",
    "available_backends",
    "cache_folder",
    "choose_backend",
    "keep_compiled_code_in",
    "kernels_of",
    "model_kernel",
    "numba_kernels",
]


class Kernels(NamedTuple):
    """The modules of one backend; their public functions have the same names and arguments in each."""

    neighbours: ModuleType
    edges: ModuleType
    orca: ModuleType
    symmetry: ModuleType
    human_like: ModuleType
    flocking: ModuleType


def available_backends() -> tuple[str, ...]:
    """The names of the backends that work here; `numpy` is always the first."""
    return (NUMPY, NUMBA) if isinstance(numba_kernels(), Kernels) else (NUMPY,)


def choose_backend(name: str = AUTO) -> str:
    """The backend to use.

    Args:
        name: `auto` for the fastest there is, or the name of one.

    Returns:
        The name of a backend that works.

    Raises:
        BackendError: it is not there; says what to do.
    """
    if name not in {AUTO, NUMPY, NUMBA}:
        raise BackendError(f"no backend is named '{name}'; there are: {AUTO}, {NUMPY}, {NUMBA}")
    if name == NUMPY:
        return NUMPY
    numba = numba_kernels()
    if isinstance(numba, Kernels):
        return NUMBA if name == NUMBA or _compiler_is_on() else NUMPY
    if name == AUTO:
        return NUMPY
    raise BackendError(
        f"the backend 'numba' does not work here ({numba}). Install it in this Python with "
        f"'{sys.executable} -m pip install numba', or use 'auto' or 'numpy', which give the same result."
    )


def kernels_of(name: str) -> Kernels:
    """The kernels of a backend, by any name that `choose_backend` takes."""
    if choose_backend(name) == NUMPY:
        return Kernels(neighbours, edges, orca, symmetry, human_like, flocking)
    numba = numba_kernels()
    assert isinstance(numba, Kernels)
    return numba


@cache
def model_kernel(model: str, backend: str) -> ModuleType:
    """The kernel of an avoidance model by names: the compiled one for the backend `numba`, if there is one."""
    name = f"{__package__}.kernels.compiled.{model}"
    if backend == NUMPY or find_spec(name) is None:
        return import_module(f"{__package__}.kernels.reference.{model}")
    with cache_folder_set():
        return import_module(name)


@cache
def numba_kernels() -> Kernels | ImportError | OSError:
    """The compiled kernels, or why there are none."""
    try:
        with cache_folder_set():
            return Kernels(*(import_module(f"{__package__}.kernels.compiled.{name}") for name in Kernels._fields))
    except (ImportError, OSError) as error:  # not there, for another Python or numpy, or a broken library
        return error


def _compiler_is_on() -> bool:
    numba: Any = import_module("numba")
    return not numba.config.DISABLE_JIT
