# SPDX-License-Identifier: GPL-3.0-or-later
"""What people of a crowd do at places on their way, before they go on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..basics.value_checks import Checker, shown
from .activities import SIT, STAND, STANDING_ACTIVITIES, TALK, check_activities, check_look_at
from .awaited import Awaited, check_awaited
from .places import Place

LOOK_AT, QUEUE, WAIT_UNTIL, PLAY_CLIP = "look_at", "queue", "wait_until", "play_clip"
STOP_ACTIONS = (STAND, LOOK_AT, TALK, SIT, QUEUE, WAIT_UNTIL, PLAY_CLIP)
IN_ORDER, RANDOM_ORDER = "in_order", "random"
STOP_ORDERS = (IN_ORDER, RANDOM_ORDER)
GO_ON, GO_BACK, DISAPPEAR = "on", "back", "leave"
AFTERWARDS = (GO_ON, GO_BACK, DISAPPEAR)

MOST_STOPS = 100
"""Of one crowd."""

LONGEST_QUEUE = 1000
"""Most people in one queue."""


@dataclass(frozen=True)
class StopDuration:
    """How long people stay, normally distributed: `mean` and `sd` [s]."""

    mean: float = 10.0
    sd: float = 3.0


@dataclass(frozen=True)
class Stop:
    """What some people of a crowd do at a place before they go on.

    Attributes:
        place: the name of a place.
        do: `stand`, `look_at`, `talk`, `sit`, `queue`, `wait_until` or `play_clip`.
        look_at: the point that people face, with or without its height [m]; None: the middle of the place. Only for
            `look_at`.
        duration: how long they stay; in a queue, how long each is served; for `wait_until`, how long after what they
            wait for.
        share: the share of people who stop there, 0 to 1.
        room: the most people in a queue, at each of its points or lines, or in a ring of people who talk.
        known_as: its own name, which also seeds its random numbers; empty: the name of the place.
        activities: of people who stand, one after another; empty: they only stand.
        clip: the clip that they play, for `play_clip`.
        awaits: what they wait for, for `wait_until`.
        then: `on`, along their way; `back`, to where they started; or `leave`: they disappear there.
    """

    place: str
    do: str = STAND
    look_at: tuple[float, float] | tuple[float, float, float] | None = None
    duration: StopDuration = field(default_factory=StopDuration)
    share: float = 1.0
    room: int = 10
    known_as: str = ""
    activities: tuple[str, ...] = ()
    clip: str = ""
    awaits: Awaited = field(default_factory=Awaited)
    then: str = GO_ON

    @property
    def name(self) -> str:
        """How it is called: by its own name, or by that of its place."""
        return self.known_as or self.place


def check_stops(check: Checker, place: str, stops: Any, order: Any, places: Sequence[Place]) -> None:
    """Find the faults of a crowd's stops, except names of places and marks that are not there.

    Args:
        check: collects the faults.
        place: of the crowd in the scene file.
        stops: of the crowd.
        order: in which they are visited.
        places: of the scene.
    """
    check.choice(f"{place}.stop_order", order, STOP_ORDERS)
    if len(stops) > MOST_STOPS:
        check.add(f"{place}.stops", f"must not be more than {MOST_STOPS}, got {len(stops)}")
    without = places_without(check, places)
    for k, stop in enumerate(stops[:MOST_STOPS]):
        _check_stop(check, f"{place}.stops[{k}]", stop, without)


def places_without(check: Checker, places: Sequence[Place]) -> dict[str, set[str]]:
    """Return the names of the places at which nobody can `queue` or `sit`, as far as they could be read.

    Args:
        check: knows what could not be read.
        places: of a scene.
    """
    found: dict[str, set[str]] = {QUEUE: set(), SIT: set()}
    for i, place in enumerate(places):
        unread = any(check.is_unread(f"places[{i}].{key}") for key in ("points", "headings", "lines"))
        if isinstance(place.name, str) and not unread and not len(place.headings):
            found[SIT].add(place.name)
            if not place.lines:
                found[QUEUE].add(place.name)
    return found


def _check_stop(check: Checker, spot: str, stop: Stop, without: dict[str, set[str]]) -> None:
    named = isinstance(stop.place, str)
    if check.choice(f"{spot}.do", stop.do, STOP_ACTIONS):
        if stop.do == QUEUE and named and stop.place in without[QUEUE]:
            check.add(f"{spot}.do", f"a queue needs a line or points with headings, and {shown(stop.place)} has none")
        if stop.do == SIT and named and stop.place in without[SIT]:
            check.add(f"{spot}.do", f"seats are points with headings, and {shown(stop.place)} has none")
    check_look_at(check, f"{spot}.look_at", stop.look_at)
    check.number(f"{spot}.duration.mean", stop.duration.mean, least=0.0)
    check.number(f"{spot}.duration.sd", stop.duration.sd, least=0.0)
    check.number(f"{spot}.share", stop.share, least=0.0, most=1.0)
    check.whole_number(f"{spot}.room", stop.room, least=1, most=LONGEST_QUEUE)
    if stop.known_as != "":
        check.name(f"{spot}.known_as", stop.known_as)
    if stop.do == PLAY_CLIP or stop.clip != "":
        check.name(f"{spot}.clip", stop.clip)
    check_activities(check, f"{spot}.activities", stop.activities, STANDING_ACTIVITIES)
    check.choice(f"{spot}.then", stop.then, AFTERWARDS)
    check_awaited(check, f"{spot}.awaits", stop.awaits)
