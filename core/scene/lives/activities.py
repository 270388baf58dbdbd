# SPDX-License-Identifier: GPL-3.0-or-later
"""The activities of people who do not walk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..basics.value_checks import Checker, is_number, shown

STANDING_ACTIVITIES = ("stand", "talk", "listen", "phone", "cheer", "clap", "wave", "point", "look_round")
"""The activities of people who stand."""

BYSTANDER_ACTIVITIES = (*STANDING_ACTIVITIES, "sit")
"""The activities of bystanders."""

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
