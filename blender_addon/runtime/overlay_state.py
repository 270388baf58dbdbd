# SPDX-License-Identifier: GPL-3.0-or-later
"""What overlays have drawn, and what the panel says of each: what is missing, or which error turned it off.

Drawing may not write into the file, so that all of this lives here.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, eq=False)
class Drawn:
    """What an overlay has drawn: `painting`, and `key`, which changes when it would draw something else."""

    key: Hashable
    painting: Any


@dataclass(eq=False)
class OverlayState:
    """The state of all overlays, by their names.

    Attributes:
        drawn: what each has drawn last.
        missing: what each lacks, as a sentence.
        errors: which error turned each off, as a sentence.
        handles: those of Blender for the functions that draw.
    """

    drawn: dict[str, Drawn] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    handles: list[Any] = field(default_factory=list)

    def forget_sentences(self) -> None:
        """Say nothing; overlays that an error turned off are tried again."""
        self.missing.clear()
        self.errors.clear()

    def note_missing(self, name: str, sentence: str) -> bool:
        """Note what an overlay lacks, "" for nothing; returns whether that changed."""
        is_new = self.missing.get(name, "") != sentence
        self.missing[name] = sentence
        return is_new

    def about(self, name: str) -> str:
        """What there is to say of an overlay; "" for nothing."""
        return self.errors.get(name) or self.missing.get(name, "")


OVERLAY_STATE = OverlayState()
