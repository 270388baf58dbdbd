# SPDX-License-Identifier: GPL-3.0-or-later
"""Which stops people missed, and to which places of triggers nobody goes, and why: sentences for the user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...array_types import Float64, Int64
from ...scene import AT_FRAME, MARK_COMES, MARK_MOVES, QUEUE, SIT, SPREAD, Awaited, Crowd, Stop, Trigger
from ..places.seats import tell_of_low_seats

_COVERED = "lies in an obstacle or outside the bounds, and nobody stops there. Move it to free ground."
_CLOSED = {SIT: "has no free ground before or beside its seats, and nobody stops there. Move them away from obstacles."}


class MissedStops:
    """What kept people from their stops, and from the places to which triggers send them.

    Args:
        crowds: of the scene.
        stops: of all crowds, and of triggers, by their numbers.
        triggers: names of those at whose stops people gather, and how many may.
    """

    def __init__(self, crowds: Sequence[Crowd], stops: Sequence[Stop], triggers: Sequence[tuple[str, int]]) -> None:
        self._stops = stops
        self._crowds = [(crowd.name, crowd.count) for crowd in crowds for _ in crowd.stops] + list(triggers)
        self._full: dict[int, set[int]] = {}
        self._late: dict[int, set[int]] = {}
        self._no_route: dict[int, dict[int, str]] = {}
        self._beyond: dict[int, set[int]] = {}
        self._spread = {crowd.name for crowd in crowds if crowd.spawn.mode == SPREAD}
        self._places: dict[int, int] = {}
        self._covered: set[int] = set()
        self._low: set[int] = set()
        self._high: dict[int, float] = {}
        self._closed: dict[str, str] = {}

    def find_full(self, row: int, stop: int) -> None:
        """Note that there is no room at a stop for somebody."""
        self._full.setdefault(stop, set()).add(row)

    def find_beyond(self, row: int, stop: int) -> None:
        """Note that somebody starts on a drawn route beyond a stop."""
        self._beyond.setdefault(stop, set()).add(row)

    def find_short(self, stop: int, places: int) -> None:
        """Note that lines of queues end or meet an obstacle, so that only so many people can stand in them."""
        self._places[stop] = places

    def find_covered(self, stop: int) -> None:
        """Note that obstacles cover a stop, or that it lies outside the bounds."""
        self._covered.add(stop)

    def find_closed(self, trigger: Trigger) -> None:
        """Note that nobody can be anywhere in the area to which people are to go because of a trigger."""
        self._closed[trigger.name] = trigger.to

    def find_low(self, stops: Int64) -> None:
        """Note that people sit on the ground at some stops, whose seats are no higher."""
        self._low.update(stops.tolist())

    def find_high(self, stops: Int64, above: Float64) -> None:
        """Note that people do not sit on seats at some stops, `above` the ground before them by so much [m]."""
        for stop, height in zip(stops.tolist(), above.tolist(), strict=True):
            self._high[stop] = max(height, self._high.get(stop, 0.0))

    def find_no_route(self, row: int, stop: int, reason: str) -> None:
        """Note that somebody has no route to a stop, and why."""
        self._no_route.setdefault(stop, {})[row] = reason

    def find_route(self, row: int, stop: int) -> None:
        """Note that somebody has a route to a stop after all: to another spot."""
        self._no_route.get(stop, {}).pop(row, None)

    def give_up(self, row: int, stop: int) -> None:
        """Note that somebody has not come to a stop in a reasonable time."""
        self._late.setdefault(stop, set()).add(row)

    def notices(self, waiting: Mapping[int, int]) -> list[str]:
        """Return a sentence about each place of a trigger where nobody goes, and each stop that some people missed.

        Args:
            waiting: how many wait at a stop for what has not happened, by its number.
        """
        found = [
            f"{trigger}: its place '{area}' lies in an obstacle or outside the bounds, and nobody goes there. "
            "Move it to free ground."
            for trigger, area in self._closed.items()
        ]
        for number, stop in enumerate(self._stops):
            (crowd, count), place = self._crowds[number], f"the stop '{stop.name}'"
            if number in self._covered:
                found.append(f"{crowd}: {place} {_CLOSED.get(stop.do, _COVERED)}")
                continue
            if number in self._beyond and crowd not in self._spread:  # spread along a route, many are to start beyond
                found.append(
                    f"{crowd}: {len(self._beyond[number])} of {count} start beyond {place} and do not visit it. Move "
                    "it farther along the path."
                )
            if number in self._low:
                found.append(tell_of_low_seats(crowd, stop.place))
            if number in self._high:
                found.append(
                    f"{crowd}: seats of '{stop.place}' are up to {self._high[number]:.1f} m above the ground from "
                    "which people come, and nobody sits there. Lower them, or make the floor before them and a way up "
                    "to it part of the ground."
                )
            elif number in self._full:
                found.append(f"{crowd}: {len(self._full[number])} of {count} {self._tell_full(number, stop)}")
            if self._no_route.get(number):
                reasons = self._no_route[number]
                reason = next(iter(reasons.values()))
                found.append(
                    f"{crowd}: {len(reasons)} of {count} have no route to {place} and walked on. "
                    f"{reason} Move the stop or the obstacle."
                )
            if number in self._late:
                found.append(
                    f"{crowd}: {len(self._late[number])} of {count} were held up on the way to {place} "
                    "and walked on. Make room round it, or lower the share of people."
                )
            if number in waiting:
                found.append(
                    f"{crowd}: {waiting[number]} of {count} still wait at {place}: {_tell_awaited(stop.awaits)}"
                )
        return found

    def _tell_full(self, number: int, stop: Stop) -> str:
        """Return what people found at a stop without room, and the way out, as the end of a sentence and another."""
        if stop.do != QUEUE:
            way_out = "Enlarge it"
            if stop.do == SIT:
                way_out = "Add seats, leave free ground before or beside those that nobody takes"
            return f"found no room at the stop '{stop.name}' and walked on. {way_out}, or lower the share of people."
        full = f"found the queue at the stop '{stop.name}' full and walked on."
        if number in self._places:
            return (
                f"{full} It has room for {self._places[number]}, as its line ends or meets an obstacle: lengthen the "
                "line, move it to free ground, or shorten the time."
            )
        return f"{full} Give it more room, or shorten the time."


def _tell_awaited(awaited: Awaited) -> str:
    """Return what has not happened, and the way out, as the end of a sentence and another."""
    if awaited.what == AT_FRAME:
        return f"for frame {awaited.frame}. Raise the end frame, or let them wait for an earlier one."
    if awaited.what == MARK_COMES:
        what = f"'{awaited.mark}' has not come within {awaited.distance:.2g} m and stopped there"
    elif awaited.what == MARK_MOVES:
        what = f"'{awaited.mark}' has not moved by {awaited.distance:.2g} m since they came"
    else:
        return f"'{awaited.crowd}' has not done it. Raise the end frame, or choose what they wait for anew."
    return f"{what}. Raise the end frame, change the distance, or choose what they wait for anew."
