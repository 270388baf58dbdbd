# SPDX-License-Identifier: GPL-3.0-or-later
"""What a search does next: the least cost and, of equal ones, the least step, whatever the kind of heap."""

from __future__ import annotations

import numpy as np

from ..compiling import copy_into, part


@part
def _is_before(keys, steps, a, b):
    return keys[a] < keys[b] or (keys[a] == keys[b] and steps[a] < steps[b])


@part
def _swap(keys, steps, a, b):
    keys[a], keys[b] = keys[b], keys[a]
    steps[a], steps[b] = steps[b], steps[a]


@part
def with_room(keys, steps, count):
    """Return the arrays of a heap, larger where they have no room for so many."""
    if count <= len(keys):
        return keys, steps
    more_keys, more_steps = np.empty(len(keys) + count), np.empty(len(keys) + count, dtype=np.int64)
    copy_into(more_keys, keys)
    copy_into(more_steps, steps)
    return more_keys, more_steps


@part
def push(keys, steps, size, key, step):
    """Add to a heap of so many; return how many there are."""
    keys[size], steps[size] = key, step
    child = size
    while child > 0:
        parent = (child - 1) >> 1
        if not _is_before(keys, steps, child, parent):
            break
        _swap(keys, steps, child, parent)
        child = parent
    return size + 1


@part
def pop(keys, steps, size):
    """Move the first of a heap to its end, and restore the others; return how many those are."""
    size -= 1
    _swap(keys, steps, 0, size)
    parent = 0
    while True:
        child = 2 * parent + 1
        if child >= size:
            return size
        if child + 1 < size and _is_before(keys, steps, child + 1, child):
            child += 1
        if not _is_before(keys, steps, child, parent):
            return size
        _swap(keys, steps, parent, child)
        parent = child
