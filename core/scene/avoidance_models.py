# SPDX-License-Identifier: GPL-3.0-or-later
"""The avoidance models that a crowd of people can name: the one list that scene, panel and kernels read.

A new model is a row here, at the end, and its code: `core/steering/model.py` says where.
"""

from __future__ import annotations

from typing import NamedTuple

ORCA, HUMAN_LIKE, POWER_LAW = "orca", "human_like", "power_law"


class AvoidanceRow(NamedTuple):
    """An avoidance model as users see it.

    Attributes:
        name: in scene files, and of the kernel files in `core/steering/kernels`.
        label: in the panel.
        description: in the panel, what people do.
    """

    name: str
    label: str
    description: str


AVOIDANCE_MODELS = (
    AvoidanceRow(ORCA, "Step Aside", "Two people who meet each make half of the change that avoids a contact (ORCA)"),
    AvoidanceRow(HUMAN_LIKE, "Look Ahead", "Each person takes the heading that leads to the target soonest"),
    AvoidanceRow(POWER_LAW, "Anticipate", "Each person turns or slows down the more, the sooner a contact would come"),
)
"""In an order that stays: files of Blender hold places in it."""

MODEL_NAMES = tuple(row.name for row in AVOIDANCE_MODELS)
