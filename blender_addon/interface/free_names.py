# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that nobody has yet."""

from __future__ import annotations


def free_name(wanted: str, taken: list[str]) -> str:
    """`wanted`, or with the first number that makes it differ from all of `taken`: `Crowd`, `Crowd.001`."""
    wanted = wanted.strip() or "Crowd"
    if wanted not in taken:
        return wanted
    stem, dot, number = wanted.rpartition(".")
    if not (dot and stem and number.isdigit()):
        stem = wanted
    return next(name for name in (f"{stem}.{n:03d}" for n in range(1, len(taken) + 2)) if name not in taken)
