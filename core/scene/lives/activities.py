# SPDX-License-Identifier: GPL-3.0-or-later
"""What people who do not walk can be seen to do."""

from __future__ import annotations

from typing import Any

from ..basics.value_checks import Checker, shown

STANDING_ACTIVITIES = ("stand", "talk", "listen", "phone", "cheer", "clap", "wave", "point", "look_round")
"""What people who stand can be seen to do, in turns."""

MOST_CLIPS = 100
"""Clips that the people of a scene play at stops and when something happens."""


def check_activities(check: Checker, spot: str, activities: Any) -> None:
    """Find the faults of a list of what people are seen to do.

    Args:
        check: collects the faults.
        spot: its place in the scene file.
        activities: the names.
    """
    if check.is_unread(spot):
        return
    if not isinstance(activities, list | tuple):
        check.add(spot, f"must be a list of activities, got {shown(activities)}")
        return
    for k, activity in enumerate(activities[:MOST_CLIPS]):
        check.choice(f"{spot}[{k}]", activity, STANDING_ACTIVITIES)
    if len(activities) > MOST_CLIPS:
        check.add(spot, f"must not be more than {MOST_CLIPS}, got {len(activities)}")
