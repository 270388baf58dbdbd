# SPDX-License-Identifier: GPL-3.0-or-later
"""Triggers: when something happens, some people do something."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..basics.value_checks import FARTHEST_FRAME, Checker, shown
from .activities import STANDING_ACTIVITIES
from .awaited import ARRIVES, AT_FRAME, CROWD_EVENTS, OF_CROWD, PASSES
from .stops import Stop, StopDuration

IN_ZONE, NEAR_MARK = "zone", "near"
OCCASIONS = (AT_FRAME, IN_ZONE, NEAR_MARK, OF_CROWD)
RUN, WALK, HALT, TURN_TO, FLEE, GATHER = "run", "walk", "stop", "turn_to", "flee", "gather"
GO_TO, LEAVE_SCENE, PERFORM = "go_to", "leave", "perform"
REACTIONS = (RUN, WALK, HALT, TURN_TO, FLEE, GATHER, GO_TO, LEAVE_SCENE, PERFORM)
STANDING_REACTIONS = (HALT, TURN_TO, PERFORM)
"""What people do where they are."""

MOST_TRIGGERS = 100
MOST_FRAMES = 10_000
"""At which one trigger is set off."""


@dataclass(frozen=True)
class Occasion:
    """When a trigger is set off.

    Attributes:
        what: `frame`; `zone`: somebody enters an area; `near`: a mark is near somebody; or `crowd`: somebody of a crowd
            does something.
        frames: at which it is set off.
        area: the name of an area.
        mark: the name of a mark.
        distance: nearer than this it is near [m].
        crowd: the name of a crowd, of people or of vehicles.
        does: `arrives`, `stops` at a stop (vehicles: stand anywhere), `reacts` to another one, or `passes` the mark.
    """

    what: str = AT_FRAME
    frames: tuple[int, ...] = ()
    area: str = ""
    mark: str = ""
    distance: float = 3.0
    crowd: str = ""
    does: str = ARRIVES

    @property
    def needs_mark(self) -> bool:
        """Whether it happens at a mark."""
        return self.what == NEAR_MARK or (self.what == OF_CROWD and self.does == PASSES)


@dataclass(frozen=True)
class Trigger:
    """What some people do when something happens.

    Attributes:
        name: what the user calls it.
        when: the occasion. In a `zone` and `near` a mark each person reacts by themselves, unless it spreads.
        then: `run`, `walk` at their usual speed again, `stop`, `turn_to` the mark, `flee` from it, `gather` at a place,
            `go_to` an area, `leave` to an area or to where they started, or `perform` an activity or a clip.
        crowds: names of the crowds that react; empty: all.
        share: the share of their people who react, 0 to 1.
        delay: how much later each does [s].
        spreads: from the mark, or from the first to react, to the others at this speed [m/s]; 0: all at once.
        within: only people nearer than this to the mark, or to where it begins, react [m]; 0: everybody.
        mark: the name of the mark that people turn to or flee from, or from which it spreads.
        to: the name of a place or an area to go to.
        pace: of those who run, flee or go, a multiple of their usual speed; 0: only those who run or flee are faster.
        activity: what they perform; empty: the clip.
        clip: the clip that they play.
        duration: how long they stop, turn or perform [s].
        known_as: identity that survives renaming and seeds its random numbers; empty: its name.
    """

    name: str
    when: Occasion = field(default_factory=Occasion)
    then: str = FLEE
    crowds: tuple[str, ...] = ()
    share: float = 1.0
    delay: StopDuration = field(default_factory=lambda: StopDuration(0.4, 0.2))
    spreads: float = 0.0
    within: float = 0.0
    mark: str = ""
    to: str = ""
    pace: float = 0.0
    activity: str = ""
    clip: str = ""
    duration: StopDuration = field(default_factory=lambda: StopDuration(3.0, 0.5))
    known_as: str = ""

    @property
    def target(self) -> str:
        """The name of the mark that people turn to or flee from, and from which it spreads; empty for none."""
        return self.mark or (self.when.mark if self.when.needs_mark else "")

    @property
    def gathering(self) -> Stop:
        """The stop at which people stand who gather."""
        activities = (self.activity,) if self.activity else ()
        return Stop(self.to, activities=activities, duration=StopDuration(math.inf, 0.0))


def check_triggers(check: Checker, triggers: Sequence[Trigger]) -> None:
    """Find the faults of triggers, except names of what is not there.

    Args:
        check: collects the faults.
        triggers: of a scene.
    """
    if len(triggers) > MOST_TRIGGERS:
        check.add("triggers", f"must not be more than {MOST_TRIGGERS}, got {len(triggers)}")
    for i, trigger in enumerate(triggers[:MOST_TRIGGERS]):
        _check_occasion(check, f"triggers[{i}].when", trigger.when)
        _check_reaction(check, f"triggers[{i}]", trigger)


def _check_occasion(check: Checker, spot: str, when: Occasion) -> None:
    check.choice(f"{spot}.what", when.what, OCCASIONS)
    frames: Any = when.frames
    if not isinstance(frames, tuple):
        check.add(f"{spot}.frames", f"must be a list of frames, got {shown(frames)}")
    else:
        for k, frame in enumerate(frames[:MOST_FRAMES]):
            check.whole_number(f"{spot}.frames[{k}]", frame, least=-FARTHEST_FRAME, most=FARTHEST_FRAME)
        if len(frames) > MOST_FRAMES:
            check.add(f"{spot}.frames", f"must not be more than {MOST_FRAMES}, got {len(frames)}")
    check.number(f"{spot}.distance", when.distance, above=0.0)
    check.choice(f"{spot}.does", when.does, CROWD_EVENTS)


def _check_reaction(check: Checker, spot: str, trigger: Trigger) -> None:
    known = check.choice(f"{spot}.then", trigger.then, REACTIONS)
    crowds: Any = trigger.crowds
    if not isinstance(crowds, tuple):
        check.add(f"{spot}.crowds", f"must be a list of names, got {shown(crowds)}")
    check.number(f"{spot}.share", trigger.share, least=0.0, most=1.0)
    for key in ("spreads", "within"):
        check.number(f"{spot}.{key}", getattr(trigger, key), least=0.0)
    for key in ("delay", "duration"):
        each = getattr(trigger, key)
        check.number(f"{spot}.{key}.mean", each.mean, least=0.0)
        check.number(f"{spot}.{key}.sd", each.sd, least=0.0)
    check.number(f"{spot}.pace", trigger.pace, least=0.0, most=10.0)
    if trigger.activity != "":
        check.choice(f"{spot}.activity", trigger.activity, STANDING_ACTIVITIES)
    for key in ("clip", "known_as"):
        if getattr(trigger, key) != "":
            check.name(f"{spot}.{key}", getattr(trigger, key))
    performs = trigger.activity != "" or trigger.clip != "" or check.is_unread(f"{spot}.clip")
    if known and trigger.then == PERFORM and not performs:
        check.add(f"{spot}.activity", "is missing: people perform an activity or a clip")
    if known and trigger.then in (FLEE, TURN_TO) and trigger.mark == "" and not trigger.when.needs_mark:
        check.add(f"{spot}.mark", f"is missing: people need something to {trigger.then.replace('_', ' ')}")
    if known and trigger.then in (GATHER, GO_TO) and trigger.to == "":
        check.add(f"{spot}.to", f"is missing: people need somewhere to {trigger.then.replace('_', ' ')}")


def named_by(trigger: Trigger, what: str) -> list[tuple[str, Any]]:
    """Return the names of one kind of thing that a trigger needs, each with its key.

    Args:
        trigger: of a scene.
        what: `mark`, `area`, `place` or `crowd`.
    """
    when, found = trigger.when, list[tuple[str, Any]]()
    if what == "mark":
        found = [("when.mark", when.mark)] if when.needs_mark else []
        found += [("mark", trigger.mark)] if trigger.mark != "" else []
    elif what == "area":
        found = [("when.area", when.area)] if when.what == IN_ZONE else []
        found += [("to", trigger.to)] if trigger.then in (GO_TO, LEAVE_SCENE) and trigger.to != "" else []
    elif what == "place":
        found = [("to", trigger.to)] if trigger.then == GATHER and trigger.to != "" else []
    else:
        found = [("when.crowd", when.crowd)] if when.what == OF_CROWD else []
        if isinstance(trigger.crowds, tuple):
            found += [(f"crowds[{k}]", name) for k, name in enumerate(trigger.crowds)]
    return found
