# SPDX-License-Identifier: GPL-3.0-or-later
"""The active row of a list that a panel shows: `crowds` with `active_crowd_index`, and so on."""

from __future__ import annotations

from typing import Any


def active_row(owner: Any, kind: str) -> Any:
    """Return the active row of a list, or None where the list is empty.

    Args:
        owner: the settings that hold the list.
        kind: of the rows: `crowd`, `stop`, `trigger`.
    """
    rows, index = getattr(owner, f"{kind}s"), getattr(owner, f"active_{kind}_index")
    return rows[index] if 0 <= index < len(rows) else None


def remove_active_row(owner: Any, kind: str) -> None:
    """Remove the active row of a list; the next one, or else the last, becomes active. Arguments as `active_row`."""
    rows, index = getattr(owner, f"{kind}s"), getattr(owner, f"active_{kind}_index")
    rows.remove(index)
    setattr(owner, f"active_{kind}_index", max(0, min(index, len(rows) - 1)))
