# SPDX-License-Identifier: GPL-3.0-or-later
"""Which code runs now: numpy's, or compiled twins of it. The result is the same bits, so that no result says which."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from types import ModuleType

from .cache_folder import cache_folder_set

ALL = ("circular", "courses", "distances", "frames", "lines", "pairs", "plans", "routes", "speeds", "turns")
CIRCULAR, COURSES, DISTANCES, FRAMES, LINES, PAIRS, PLANS, ROUTES, SPEEDS, TURNS = ALL

_compiled: ContextVar[bool] = ContextVar("compiled", default=False)


@contextmanager
def compiled(wanted: bool) -> Generator[None]:
    """Use compiled twins meanwhile, if wanted; numba must be there."""
    before = _compiled.set(wanted)
    try:
        yield
    finally:
        _compiled.reset(before)


def twin(name: str) -> ModuleType | None:
    """Return compiled kernels by name; None where numpy's code is to be used."""
    return _kernels(name) if _compiled.get() else None


def warm_up() -> None:
    """Have all twins compiled, or loaded if an earlier run compiled them."""
    for name in ALL:
        _kernels(name).warm_up()


@cache
def _kernels(name: str) -> ModuleType:
    with cache_folder_set():
        return import_module(f"{__package__}.{name}")
