# SPDX-License-Identifier: GPL-3.0-or-later
"""Python's search for garbage in cycles, left out where very many new objects are all in use."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager


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
