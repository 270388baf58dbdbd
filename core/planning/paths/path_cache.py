# SPDX-License-Identifier: GPL-3.0-or-later
"""Cache of paths by the lines they are made of: the same line gives the same path, bit for bit."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from hashlib import blake2b

import numpy as np

from ...array_types import Float64
from .path_tables import walk_open_lines
from .reference_settings import ReferenceSettings
from .walked_path import WalkedPath


class KnownPaths:
    """The paths made here, and temporarily those of another cache."""

    def __init__(self) -> None:
        self._made: dict[bytes, WalkedPath] = {}
        self._others: dict[bytes, WalkedPath] = {}

    @contextmanager
    def recalling(self, others: KnownPaths) -> Generator[None]:
        """Reuse the paths of another cache meanwhile."""
        self._others = others._made
        try:
            yield
        finally:
            self._others = {}

    def tables_of(
        self, lines: Sequence[Float64], *, left: Sequence[Float64], right: Sequence[Float64]
    ) -> list[WalkedPath]:
        """Make the paths of open lines, for a `ReferenceSet`.

        Args:
            lines: float64 (P, 2) each [m].
            left: float64 (P,) each, the free width to the left of them [m].
            right: likewise to the right [m].
        """
        keys = [_key_of(*each) for each in zip(lines, left, right, strict=True)]
        new = {key: place for place, key in enumerate(keys) if key not in self._made and key not in self._others}
        if new:
            rows = list(new.values())
            made = walk_open_lines(
                [lines[row] for row in rows], [(left[row], right[row]) for row in rows], ReferenceSettings()
            )
            self._made.update(zip(new, made, strict=True))
        self._made.update({key: self._others[key] for key in keys if key not in self._made})
        return [self._made[key] for key in keys]


def _key_of(line: Float64, left: Float64, right: Float64) -> bytes:
    """The key of a line and the free width beside it."""
    digest = blake2b(np.int64(len(line)).tobytes(), digest_size=16)
    for values in (line, left, right):
        digest.update(np.ascontiguousarray(values).tobytes())
    return digest.digest()
