# SPDX-License-Identifier: GPL-3.0-or-later
"""The activities of people who do not walk: the one list that scene, simulation and panel read.

A new activity is a row here, at the end, and its motion: `blender_addon/figures/motion/repertoire.py` says where.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..basics.choices import ChoiceRow
from ..basics.value_checks import Checker, is_number, shown

STAND, TALK, LISTEN, SIT = "stand", "talk", "listen", "sit"

ACTIVITIES = (
    ChoiceRow(STAND, "Stand", "They just stand"),
    ChoiceRow(TALK, "Talk", "They talk"),
    ChoiceRow(LISTEN, "Listen", "They listen"),
    ChoiceRow("phone", "Phone", "They talk on the phone"),
    ChoiceRow("cheer", "Cheer", "They cheer"),
    ChoiceRow("clap", "Clap", "They clap"),
    ChoiceRow("wave", "Wave", "They wave"),
    ChoiceRow("point", "Point", "They point at something"),
    ChoiceRow("look_round", "Look Round", "They look round"),
    ChoiceRow(SIT, "Sit", "They sit: each empty, or each point of a mesh, is a seat"),
)
"""In an order that stays: files of Blender hold places in it."""

BYSTANDER_ACTIVITIES = tuple(row.name for row in ACTIVITIES)
"""The activities of bystanders."""

STANDING_ACTIVITIES = tuple(name for name in BYSTANDER_ACTIVITIES if name != SIT)
"""The activities of people who stand."""

MOST_CLIPS = 100
"""Clips that the people of a scene play at stops and when something happens."""


def check_activities(check: Checker, spot: str, activities: Any, known: Sequence[str]) -> None:
    """Find the faults of a list of activities.

    Args:
        check: collects the faults.
        spot: its place in the scene file.
        activities: the names.
        known: those that there are.
    """
    if check.is_unread(spot):
        return
    if not isinstance(activities, list | tuple):
        check.add(spot, f"must be a list of activities, got {shown(activities)}")
        return
    for k, activity in enumerate(activities[:MOST_CLIPS]):
        check.choice(f"{spot}[{k}]", activity, known)
    if len(activities) > MOST_CLIPS:
        check.add(spot, f"must not be more than {MOST_CLIPS}, got {len(activities)}")


def check_look_at(check: Checker, spot: str, value: Any) -> None:
    """Find the faults of a point that people look at.

    Args:
        check: collects the faults.
        spot: its place in the scene file.
        value: the point; None: there is none.
    """
    if value is None:
        return
    if not isinstance(value, list | tuple) or len(value) not in (2, 3) or not all(map(is_number, value)):
        check.add(spot, f"must be a point of 2 or 3 numbers, got {shown(value)}")
        return
    for i, number in enumerate(value):
        check.number(f"{spot}[{i}]", number, least=-1e8, most=1e8)
