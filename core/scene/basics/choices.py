# SPDX-License-Identifier: GPL-3.0-or-later
"""What users choose among: a name for scene files, with its words for the panel."""

from __future__ import annotations

from typing import NamedTuple


class ChoiceRow(NamedTuple):
    """One of the things to choose from.

    Attributes:
        name: in scene files, and of the code that belongs to it.
        label: in the panel.
        description: in the panel, what people do.
    """

    name: str
    label: str
    description: str
