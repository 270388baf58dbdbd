# SPDX-License-Identifier: GPL-3.0-or-later
"""The corridor map of a changed scene led through the states of an earlier run, and asked the same questions again."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import FootfallError
from ...routing import RecordedMap
from ..world.ground_journal import Asked, MapEvent, Shown
from ..world.moving_obstacles import Resting
from ..world.static_ground import GroundBuilder

FIRST_BATCH = 16
"""Questions asked again before the first answers are compared; each further batch is twice as large."""


def show_states(ground: GroundBuilder, states: Sequence[Resting]) -> None:
    """Let the map show the states that an earlier run showed, so that it is numbered as that one was."""
    if ground.adoption is not None and ground.shown == list(states):
        return
    ground.restart_map()
    try:
        for resting in states:
            ground.show(resting)
    except FootfallError:
        pass  # reported on the next request for the map


def first_changed_answer(ground: GroundBuilder, events: Sequence[MapEvent], first: int, until: int) -> int:
    """Show and ask again what an earlier run showed and asked.

    Args:
        ground: of the changed scene.
        events: what the earlier run showed and asked.
        first: frames before this one are known to be the same.
        until: only frames before this one matter.

    Returns:
        The first frame in which an answer differs; `until` where none does.
    """
    if events and not isinstance(events[0], Shown):
        return min(until, events[0].frame)
    ground.restart_map()
    for shown, of_state in _by_state(events):
        if shown.frame >= until:
            break
        asked = [event for event in of_state if first <= event.frame < until]
        try:
            frame = _first_difference(RecordedMap(ground.show(shown.resting)), asked)
        except FootfallError:
            return shown.frame
        if frame is not None:
            return frame
    return until


def _by_state(events: Sequence[MapEvent]) -> list[tuple[Shown, Sequence[MapEvent]]]:
    """Each state that the map showed, with the events during it, itself first."""
    numbers = [number for number, event in enumerate(events) if isinstance(event, Shown)]
    shown = [event for event in events if isinstance(event, Shown)]
    ends = [*numbers, len(events)][1:]
    return [(each, events[begin:end]) for each, begin, end in zip(shown, numbers, ends, strict=True)]


def _first_difference(corridors: RecordedMap, events: Sequence[MapEvent]) -> int | None:
    """Return the first frame in which the map answers differently or lies on another grid; None for never."""
    begin, count = 0, FIRST_BATCH
    while begin < len(events):
        some = events[begin : begin + count]
        answers = iter(corridors.answer_the_same([event.question for event in some if isinstance(event, Asked)]))
        for event in some:
            if not (next(answers) if isinstance(event, Asked) else corridors.lattice == event.lattice):
                return event.frame
        begin, count = begin + count, 2 * count
    return None
