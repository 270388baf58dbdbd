# SPDX-License-Identifier: GPL-3.0-or-later
"""The avoidance models that a crowd of people can name: the one list that scene, panel and kernels read.

A new model is a row here, at the end, and its code: `core/steering/model.py` says where.
"""

from __future__ import annotations

from .basics.choices import ChoiceRow

ORCA, HUMAN_LIKE, POWER_LAW = "orca", "human_like", "power_law"

AVOIDANCE_MODELS = (
    ChoiceRow(ORCA, "Step Aside", "Two people who meet each make half of the change that avoids a contact (ORCA)"),
    ChoiceRow(HUMAN_LIKE, "Look Ahead", "Each person takes the heading that leads to the target soonest"),
    ChoiceRow(POWER_LAW, "Anticipate", "Each person turns or slows down the more, the sooner a contact would come"),
)
"""In an order that stays: files of Blender hold places in it."""

MODEL_NAMES = tuple(row.name for row in AVOIDANCE_MODELS)
