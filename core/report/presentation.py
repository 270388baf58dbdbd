# SPDX-License-Identifier: GPL-3.0-or-later
"""A report as a file and as sentences."""

from __future__ import annotations

import json
from typing import Any

from .report_settings import REPORT, VisibleFaults

_NOT_YET_VISIBLE = 0.5  # severity of what may be seen or not


def report_to_json(report: dict[str, Any]) -> bytes:
    """Return what a report file holds, JSON in UTF-8; the same report gives the same bytes."""
    return (json.dumps(report, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def report_lines(report: dict[str, Any], visible: VisibleFaults = REPORT.visible) -> list[str]:
    """Return the main figures of all crowds together as sentences, the worst first, then the notices."""
    total = report["total"]
    if not total["agents"]:
        return ["Nobody was simulated.", *report["notices"]]
    worst_first = sorted(_rated_sentences(total, visible), key=lambda line: -line[0])
    return [text for _, text in worst_first] + list(report["notices"])


def _rated_sentences(total: dict[str, Any], visible: VisibleFaults) -> list[tuple[float, str]]:
    """Return sentences, each with its severity: from 1 on it is visible."""
    agents, arrived = total["agents"], total["arrived"]
    lines = [((agents - arrived) / agents / visible.not_arrived, f"{arrived} of {agents} arrived.")]
    overlap, place = total["deepest_overlap"], total["deepest_overlap_at"]
    if place is None:
        lines.append((0.0, "No overlaps."))
    else:
        first, second = place["agents"]
        who = f"agents {first} and {second} at frame {place['frame']}"
        pairs = "1 pair overlaps" if total["overlapping_pairs"] == 1 else f"{total['overlapping_pairs']} pairs overlap"
        lines.append((overlap / visible.overlap, f"{pairs}, by {100 * overlap:.1f} cm at most ({who})."))
    if clipping := total["clipping_pairs"]:
        who = "1 pair of people is" if clipping == 1 else f"{clipping} pairs of people are"
        frames = f"in {total['clipping_frames']} frames in all"
        lines.append((_NOT_YET_VISIBLE, f"{who} seen to intersect, {frames}."))
    depth, place = total["deepest_wall_penetration"], total["deepest_wall_penetration_at"]
    if place is None:
        lines.append((0.0, "No contact with obstacles."))
    else:
        who = f"agent {place['agent']} at frame {place['frame']}"
        lines.append(
            (
                depth / visible.wall_depth,
                f"A body reaches {100 * depth:.1f} cm into an obstacle, a wall or the bounds ({who}).",
            )
        )
    if total["time_ratio_mean"] is not None:
        ratio = total["time_ratio_mean"]
        lines.append(((ratio - 1.0) / visible.delay, f"Travel takes {ratio:.2f} times as long as alone."))
    if total["stopped_share"]:
        share, longest = total["stopped_share"], total["longest_stop"]
        lines.append(
            (
                share / visible.stopped,
                f"Standing still {100 * share:.0f} % of the time, at most {longest:.1f} s at once.",
            )
        )
    if total["acceleration_p99"] is not None:
        hardest = total["acceleration_p99"]
        lines.append((hardest / visible.acceleration, f"Acceleration: 99th percentile {hardest:.1f} m/s²."))
    if total["group_spread_max"] is not None:
        usual, widest = total["group_spread_p95"], total["group_spread_max"]
        lines.append(
            (
                usual / visible.group_spread,
                f"Members of groups are within {usual:.1f} m of the middle (95th percentile), {widest:.1f} m at most.",
            )
        )
    return lines
