# SPDX-License-Identifier: GPL-3.0-or-later
"""What crowds and their people are known by over all bakes, whatever they are called: lots are drawn by it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_OF_LINE = " \N{MIDDLE DOT} "


def identities_of(crowds: Sequence[Any]) -> list[str]:
    """What each crowd of a scene is known by: its name at its first bake, or now before that; no two are the same."""
    known = {crowd.known_as for crowd in crowds}
    new_last = sorted(range(len(crowds)), key=lambda index: (not crowds[index].known_as, crowds[index].name in known))
    found: dict[int, str] = {}
    for index in new_last:
        wanted = crowds[index].known_as or crowds[index].name.replace(_OF_LINE, " ")
        found[index] = free_name(wanted, list(found.values()))
    return [found[index] for index in range(len(crowds))]


def identity_on_line(identity: str, number: int) -> str:
    """What those of a crowd are known by who are on the line of this number, from 0, of its curve."""
    return identity if number == 0 else f"{identity}{_OF_LINE}{number + 1}"


def name_of(crowd: Any, person: str) -> str:
    """What a person of a crowd is called, by what it is known by: the crowd may have been renamed."""
    known_as = crowd.known_as or crowd.name
    return crowd.name + person.removeprefix(known_as).replace(_OF_LINE, ".") if person.startswith(known_as) else person


def free_name(wanted: str, taken: list[str]) -> str:
    """`wanted`, or with the first number that makes it differ from all of `taken`: `Crowd`, `Crowd.001`."""
    wanted = wanted.strip() or "Crowd"
    if wanted not in taken:
        return wanted
    stem, dot, number = wanted.rpartition(".")
    if not (dot and stem and number.isdigit()):
        stem = wanted
    return next(name for name in (f"{stem}.{n:03d}" for n in range(1, len(taken) + 2)) if name not in taken)
