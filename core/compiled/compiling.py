# SPDX-License-Identifier: GPL-3.0-or-later
"""How the numba kernels are compiled and run: no liberties with arithmetic, and on all cores where that pays."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numba import njit

from ..array_types import Float64

HAND_OVER = 40.0  # microseconds that it takes to hand on work to a thread, and to wait for it; measured
PARTS_PER_THREAD = 4  # so that who is through early takes more

# Without fastmath LLVM neither reorders nor fuses, so that numba gives numpy's bits; "numpy" lets x / 0 be infinite.
_EXACT: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
_KEPT: dict[str, Any] = {**_EXACT, "cache": True, "no_cfunc_wrapper": True}
_INNER: dict[str, Any] = {**_EXACT, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

entry = njit(**_KEPT)
"""For kernels that are called from Python: compiled once and kept on disk."""

part = njit(**_INNER)
"""For what only kernels call: compiled into them, quicker for being out of Python's reach."""


def each_row(*, takes: float) -> Callable[[Callable[..., None]], Any]:
    """Return a decorator for kernels that `run_over` calls: `entry`, and what one of their rows takes.

    Args:
        takes: roughly, in the scenes of `benchmarks/simulation` with 1,000 people [us].
    """

    def compiled(kernel: Callable[..., None]) -> Any:
        made: Any = entry(kernel)
        made.row_time = takes
        return made

    return compiled


def thread_count() -> int:
    """How many threads the kernels run on: FOOTFALL_THREADS, or the cores this process may use."""
    asked = os.environ.get("FOOTFALL_THREADS", "")
    if asked.isdecimal() and int(asked) > 0:
        return int(asked)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="footfall")


def run_over(rows: int, kernel: Any, *arguments: Any) -> None:
    """Call `kernel(begin, end, *arguments)` so that all rows are covered, in parallel if they take long enough.

    Args:
        rows: how many.
        kernel: decorated with `each_row`; writes its result for rows `begin` to `end` only.
        arguments: passed on.
    """
    most = min(rows, int(math.sqrt(rows * kernel.row_time / HAND_OVER)))  # work / n + n * HAND_OVER is least
    available = thread_count() if most > 1 else 1
    threads = min(available, most)
    if threads <= 1:
        kernel(0, rows, *arguments)
        return
    parts = min(threads * PARTS_PER_THREAD, rows)
    left = iter(list(pairwise([rows * part // parts for part in range(parts + 1)])))

    def work() -> None:
        for begin, end in left:  # each part is taken once: to take one is a single step of the interpreter
            kernel(begin, end, *arguments)

    others = [_pool(available - 1).submit(work) for _ in range(threads - 1)]
    try:
        work()  # this thread too: to wait while others work costs as much as to hand on
    finally:
        busy = [other for other in others if not other.cancel()]  # who has not begun would find no part left
        wait(busy)  # also after an error: they write into the same arrays
    for other in busy:
        other.result()


def with_notes(rows: int, kernel: Any, *arguments: Any, noted: bool) -> Float64:
    """Run a kernel over rows as `run_over` does, and return the discs on whose obstacles its answer depends.

    Args:
        rows: how many.
        kernel: takes as its last argument an array to which it adds these by `note`.
        arguments: those between.
        noted: whether that is asked for.

    Returns:
        float64 (M, 3), x, y and radius [m].
    """
    notes = np.zeros((0, 3))
    if not noted:
        run_over(rows, kernel, *arguments, notes)
        return notes
    while not len(notes) or notes[0, 0] >= len(notes):
        room = int(notes[0, 0]) if len(notes) else 64 * rows
        notes = np.zeros((1 + room, 3))
        kernel(0, rows, *arguments, notes)
    return notes[1 : 1 + int(notes[0, 0])]


@part
def copy_into(target, values):
    """Copy values of the same number: numba takes seconds to compile the sentence that says why it cannot be."""
    for k in range(len(values)):
        target[k] = values[k]


@part
def peak_of(values):
    """The greatest of values of 0 or more, 0 for none: numba takes ten times as long to compile numpy's."""
    found = 0.0
    for value in values:
        found = max(found, value)
    return found


@part
def note(notes, x, y, reach):
    """Add a disc to others, if any are noted and there is room; the first row is how many there are."""
    if not len(notes):
        return
    notes[0, 0] += 1.0
    at = int(notes[0, 0])
    if at < len(notes):
        notes[at, 0], notes[at, 1], notes[at, 2] = x, y, reach
