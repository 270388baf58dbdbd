# SPDX-License-Identifier: GPL-3.0-or-later
"""Python's search for garbage in cycles, seldom or left out where very many new objects are all in use."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager

SELDOM = (50_000, 20, 50)
"""Thresholds of the search: of the three generations, how much is new before the next one."""


@contextmanager
def garbage_seldom_collected() -> Generator[None]:
    """Let the search for garbage take place seldom meanwhile.

    While numba compiles, objects come by the million, and nearly all are in use; but without any search, memory
    doubles.
    """
    usual = gc.get_threshold()
    gc.set_threshold(*SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


@contextmanager
def garbage_uncollected() -> Generator[None]:
    """Leave the search for garbage out meanwhile: each one would visit all objects that there are."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
