# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panel says of each overlay: what is missing, or what went wrong. Drawing may not write into the file."""

from __future__ import annotations

_missing: dict[str, str] = {}
_faults: dict[str, str] = {}


def clear() -> None:
    """Say nothing; overlays with a fault are tried again."""
    _missing.clear()
    _faults.clear()


def note_missing(name: str, sentence: str) -> bool:
    """Say what an overlay lacks, "" for nothing; tells whether that is news."""
    is_news = _missing.get(name, "") != sentence
    _missing[name] = sentence
    return is_news


def note_fault(name: str, sentence: str) -> None:
    """Say what went wrong with an overlay, which is off until `clear`."""
    _faults[name] = sentence


def is_faulty(name: str) -> bool:
    """Whether an overlay is off because something went wrong with it."""
    return name in _faults


def about(name: str) -> str:
    """What there is to say of an overlay; "" for nothing."""
    return _faults.get(name) or _missing.get(name, "")
