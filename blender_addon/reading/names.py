# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that differ, for things that Blender has one name for and the core wants several."""

from __future__ import annotations

from collections.abc import Iterable


class Names:
    """Gives out names: `Path`, then `Path.2`, `Path.3`.

    Args:
        reserved: names of others still to come; only who bears one gets it.
    """

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._reserved = set(reserved)
        self._given: set[str] = set()

    def give(self, name: str) -> str:
        """The name itself the first time, then with the first number from 2 on that nobody has."""
        wanted, number = name, 2
        while wanted in self._given or (wanted != name and wanted in self._reserved):
            wanted, number = f"{name}.{number}", number + 1
        self._given.add(wanted)
        return wanted
