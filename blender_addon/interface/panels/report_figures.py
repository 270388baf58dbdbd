# SPDX-License-Identifier: GPL-3.0-or-later
"""The main figures of a bake's report, in words that fit a sidebar."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from ....core.simulation.pedestrians.notices import is_unfinished, last_frame_needed
from ....core.wording import as_sentence


class ReportFigure(NamedTuple):
    """One line under the Bake button: what it is, its value, and whether it needs a look."""

    label: str
    value: str
    is_alarming: bool = False


_TOUCH = 0.02  # two bodies or a body and a wall this deep in each other can be seen [m]

_LIMB = 0.04  # an arm or a leg so deep in a wall is seen by those who look for it [m]; chosen

_MARGIN = 1.1  # of the frames that people need at least; chosen, as they meet others on the way

_SEEN_SLIDE = 3.0  # of a planted foot [cm]

_FEW_STOPS = 4  # each is a figure of its own


def read_report(stored: str) -> dict[str, Any]:
    """The report that is stored with the scene; empty when there is none, or none that can be understood."""
    try:
        report = json.loads(stored) if stored else {}
    except ValueError:
        return {}  # written by another version or by hand; the next bake replaces it
    return report if isinstance(report, dict) else {}


def main_figures(report: dict[str, Any], crowd: str = "") -> list[ReportFigure]:
    """The figures of one crowd, or of all together.

    Args:
        report: as made by `core.report.make_report`; figures that it lacks are left out.
        crowd: name of the crowd; empty for the total.

    Returns:
        What to show, most asked for first.
    """
    part = _part(_part(report, "crowds"), crowd) if crowd else _part(report, "total")
    found = [figure for line in _LINES if (figure := line(part)) is not None]
    found[1:1] = [*_elsewhere(part), *_stops(part)]
    pinned = _number(_part(report, "left_out"), "pinned")
    if pinned and not crowd:
        found.insert(1, ReportFigure("Pinned", f"{pinned:.0f} more"))  # they are not simulated, and arrive nowhere
    return found


def verdict(report: dict[str, Any], problems: Iterable[Any]) -> tuple[str, bool]:
    """Return the verdict on the bake in a few words, and whether there is something to fix.

    That more frames are needed is no fault: `arrivals` says it. Lines that are only minor are counted, too: they stand
    in a list below, which would contradict plain praise.

    Args:
        report: as made by `core.report.make_report`.
        problems: lines of `scene.footfall.problems`.
    """
    lines, told = [problem for problem in problems if problem.has_place], notices(report)
    count = sum(problem.severity >= 1.0 for problem in lines)
    needs_frames = last_frame_needed(told) is not None
    count += is_unfinished(told) and not needs_frames
    if not count:
        minor = [f"{len(lines)} minor thing{'s'[: len(lines) > 1]}"] if lines else []
        but = ", and ".join([*minor, *["not all have arrived"] * needs_frames])
        return (f"Looks good, but {but}" if but else "Looks good"), False
    return ("1 thing to fix" if count == 1 else f"{count} things to fix"), True


def enough_frames(report: dict[str, Any], first: int) -> int:
    """The last frame of a bake from `first` on in which all are expected to arrive; 0 where more are of no use."""
    needed = last_frame_needed(notices(report))
    return 0 if needed is None else first + round(_MARGIN * (needed - first))


def arrivals(report: dict[str, Any], first: int) -> str:
    """Who has not arrived, and until which frame they need, with and without a margin; empty where more are of no use.

    Args:
        report: as made by `core.report.make_report`.
        first: the first frame of the scene.
    """
    frame, total = last_frame_needed(notices(report)), _part(report, "total")
    agents, arrived = _number(total, "agents"), _number(total, "arrived")
    if frame is None or agents is None or arrived is None:
        return ""
    said = f"{arrived:.0f} of {agents:.0f} arrived; the last needs until about frame {frame}"
    return f"{said}, or {enough_frames(report, first)} with a tenth to spare"


def since_the_last_bake(report: dict[str, Any]) -> str:
    """Who moves differently from the bake before, and what was simulated for that; empty of a first bake."""
    said = [sentence for key in ("changes", "simulated") if isinstance(sentence := report.get(key), str) and sentence]
    return as_sentence("; ".join(said))


def notices(report: dict[str, Any]) -> list[str]:
    """The sentences for the user that go with the report."""
    sentences = report.get("notices")
    return [str(sentence) for sentence in sentences] if isinstance(sentences, list) else []


def _part(report: dict[str, Any], key: str) -> dict[str, Any]:
    part = report.get(key)
    return part if isinstance(part, dict) else {}


def _number(part: dict[str, Any], key: str) -> float | None:
    value = part.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _arrived(part: dict[str, Any]) -> ReportFigure | None:
    agents, arrived = _number(part, "agents"), _number(part, "arrived")
    if agents is None or arrived is None:
        return None
    return ReportFigure("Arrived", f"{arrived:.0f} of {agents:.0f}")


def _elsewhere(part: dict[str, Any]) -> list[ReportFigure]:
    """How many of them a trigger sent elsewhere; a line of its own, as a narrow sidebar would cut off a longer one."""
    elsewhere = _number(part, "arrived_elsewhere")
    return [ReportFigure("Elsewhere", f"{elsewhere:.0f} of these")] if elsewhere else []


def _stops(part: dict[str, Any]) -> list[ReportFigure]:
    """How many people have been at each stop; of many stops, at all together."""
    visitors = _part(part, "stopped_at")
    counts = {f"At {name}": int(count) for name in visitors if (count := _number(visitors, name)) is not None}
    if len(counts) > _FEW_STOPS:
        counts = {"At Stops": sum(counts.values())}
    return [ReportFigure(label, "1 person" if n == 1 else f"{n} people") for label, n in counts.items()]


def _overlap(part: dict[str, Any]) -> ReportFigure | None:
    if _number(part, "clipping_pairs") and _number(part, "deepest_overlap") == 0.0:
        return None  # "nobody" would be wrong of arms and legs
    return _depth(part, "deepest_overlap", "Deepest Overlap", "Touching Others")


def _clipping(part: dict[str, Any]) -> ReportFigure | None:
    """How many pairs are seen to intersect."""
    pairs = _number(part, "clipping_pairs")
    return ReportFigure("Clipping", "1 pair" if pairs == 1 else f"{pairs:.0f} pairs") if pairs else None


def _walls(part: dict[str, Any]) -> ReportFigure | None:
    if (_number(part, "deepest_limb_in_wall") or 0.0) > _LIMB and _number(part, "deepest_wall_penetration") == 0.0:
        return None  # "nobody" would be wrong of arms and legs
    return _depth(part, "deepest_wall_penetration", "Deepest in a Wall", "Touching Walls")


def _limbs(part: dict[str, Any]) -> ReportFigure | None:
    """How deep an arm or a leg is seen in an obstacle."""
    depth = _number(part, "deepest_limb_in_wall") or 0.0
    figure = _depth(part, "deepest_limb_in_wall", "Limb in a Wall", "")
    return figure._replace(is_alarming=False) if figure is not None and depth > _LIMB else None


def _depth(part: dict[str, Any], key: str, label: str, label_of_none: str) -> ReportFigure | None:
    """How deep the worst touch is, and when."""
    depth, place = _number(part, key), part.get(f"{key}_at")
    if depth is None:
        return None
    if round(depth, 3) <= 0:
        return ReportFigure(label_of_none, "nobody")
    frame = f", frame {place['frame']}" if isinstance(place, dict) and "frame" in place else ""
    return ReportFigure(label, f"{100 * depth:.1f} cm{frame}", is_alarming=depth > _TOUCH)


def _stopped(part: dict[str, Any]) -> ReportFigure | None:
    share = _number(part, "stopped_share")
    return None if share is None else ReportFigure("Time Standing", f"{share:.0%}")


def _longest_stop(part: dict[str, Any]) -> ReportFigure | None:
    seconds = _number(part, "longest_stop")
    return None if seconds is None else ReportFigure("Longest Stop", f"{seconds:.1f} s")


def _stance(part: dict[str, Any]) -> ReportFigure | None:
    """For how much of the time feet stand that walk."""
    if "foot_stance" not in part:
        return None
    share = _number(part, "foot_stance")
    return ReportFigure("Feet Stand", "nobody walks yet" if share is None else f"{share:.0%} of the time")


def _foot_slide(part: dict[str, Any]) -> ReportFigure | None:
    mean, most = _number(part, "foot_slide_mean_cm"), _number(part, "foot_slide_max_cm")
    if mean is None or most is None:
        return None
    return ReportFigure("Feet Slide", f"{mean:.1f} cm, worst {most:.1f}", is_alarming=most > _SEEN_SLIDE)


_LINES = (_arrived, _overlap, _clipping, _walls, _limbs, _stopped, _longest_stop, _stance, _foot_slide)
