# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers that another map gave and that this one gives, too: whoever asks the same gets them without a search.

Somebody else has to know that they hold: that nothing has changed in the discs of what they depend on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .traces import Question

Float64 = NDArray[np.float64]
Key = tuple[str, tuple[bytes | None, ...]]


@dataclass(frozen=True, eq=False)
class Answer:
    """A question with its answer.

    Attributes:
        question: see there.
        needed: float64 (K,), ascending clearances of bodies that the widths of edges had to tell apart for it [m].
        told_apart: bool (K - 1,), between which neighbours of these they told; see `core.routing.traces.told_apart`.
    """

    question: Question
    needed: Float64
    told_apart: NDArray[np.bool_]


class Answers:
    """Answers by what was asked."""

    def __init__(self) -> None:
        self._known: dict[Key, Answer] = {}

    def add(self, answer: Answer) -> None:
        """Keep one."""
        self._known[_key_of(answer.question.name, answer.question.arguments)] = answer

    def find(self, name: str, arguments: Mapping[str, Any]) -> Answer | None:
        """Return the answer to a question, None where it is not known; it holds if bodies are still told apart so.

        Args:
            name: of the method of `CorridorMap`.
            arguments: by their names.
        """
        return self._known.get(_key_of(name, arguments))


def _key_of(name: str, arguments: Mapping[str, Any]) -> Key:
    """What tells a question from others, bit for bit."""
    values = (None if value is None else np.asarray(value, dtype=np.float64).tobytes() for value in arguments.values())
    return name, tuple(values)
