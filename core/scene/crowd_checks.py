# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of single crowds: their people, entry and motion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .basics.value_checks import Checker, shown
from .basics.vehicle_kinds import VEHICLE_KINDS
from .entities import ARRIVALS, AVOIDANCES, BODIES, KINDS, SIDES, SPAWN_MODES, VEHICLE, WHEELS, Agent, Crowd, Following

LARGEST_COUNT = 1_000_000
LARGEST_GROUP = 12
"""Most people of one group: larger ones split up."""

LARGEST_BODY = 100.0
"""Radius of a person or a hero, width of a vehicle [m]."""

LONGEST_VEHICLE = 1000.0
"""[m]; a long goods train."""

WIDEST_TURN = 100.0
"""Radius of the sharpest bend that a vehicle can take [m]; road trains manage 15."""

FASTEST = 300.0
"""Speed of a person or a vehicle [m/s], about that of sound."""

HIGHEST_RATE = 1000.0
"""People who enter in a second."""

LONGEST_DELAY = 1.0
LONGEST_TIME_GAP = 10.0
LARGEST_PERSONAL_SPACE = 2.0
LONGEST_REACH = 2.0
WEIGHT_RANGE = (0.01, 100.0)
"""Range of multiples of the planner's weights that has been tested."""


def check_crowds(check: Checker, crowds: Sequence[Crowd]) -> None:
    """Find faults in crowds, except those of names and routes.

    Args:
        check: collects the faults.
        crowds: of a scene.
    """
    for i, crowd in enumerate(crowds):
        _check_crowd(check, f"crowds[{i}]", crowd)
    _check_identities(check, crowds)


def _check_identities(check: Checker, crowds: Sequence[Crowd]) -> None:
    """Check that no two crowds have the same random seed; those identified by their names differ already."""
    by_name = ((i, crowd.name) for i, crowd in enumerate(crowds) if not _said(crowd))
    owner = {name: f"crowds[{i}]" for i, name in by_name if isinstance(name, str)}
    for i, crowd in enumerate(crowds):
        place = f"crowds[{i}].known_as"
        if _said(crowd) and check.name(place, crowd.known_as):
            first = owner.setdefault(crowd.known_as, f"crowds[{i}]")
            if first != f"crowds[{i}]":
                check.add(place, f"{shown(crowd.known_as)} is already the identity of {first}")


def _said(crowd: Crowd) -> bool:
    known_as: Any = crowd.known_as
    return not isinstance(known_as, str) or known_as != ""


def _check_crowd(check: Checker, place: str, crowd: Crowd) -> None:
    if check.choice(f"{place}.kind", crowd.kind, KINDS) and not check.is_unread(f"{place}.kind"):
        avoidances = AVOIDANCES[crowd.kind]
    else:
        avoidances = tuple(dict.fromkeys(avoidance for each in AVOIDANCES.values() for avoidance in each))
    if crowd.avoidance is not None:
        check.choice(f"{place}.avoidance", crowd.avoidance, avoidances)
    if crowd.arrival is not None:
        check.choice(f"{place}.arrival", crowd.arrival, ARRIVALS)
    whole = check.whole_number(f"{place}.count", crowd.count, least=0, most=LARGEST_COUNT)
    if whole and crowd.agents and crowd.count != len(crowd.agents):
        check.add(f"{place}.count", f"is {crowd.count}, and {len(crowd.agents)} agents are listed; remove it")
    for k, agent in enumerate(crowd.agents):
        _check_agent(check, f"{place}.agents[{k}]", agent)
    check.choice(f"{place}.spawn.mode", crowd.spawn.mode, SPAWN_MODES)
    check.number(f"{place}.spawn.rate", crowd.spawn.rate, above=0.0, most=HIGHEST_RATE)
    check.number(f"{place}.spawn.headway", crowd.spawn.headway, least=0.0)
    check.number(f"{place}.spawn.sets_off_within", crowd.spawn.sets_off_within, least=0.0)
    _check_radius(check, f"{place}.radius", crowd.radius)
    check.number(f"{place}.speed.mean", crowd.speed.mean, above=0.0, most=FASTEST)
    check.number(f"{place}.speed.sd", crowd.speed.sd, least=0.0, most=FASTEST)
    if crowd.flocking is not None:
        for key in ("separation", "alignment", "cohesion"):
            check.number(f"{place}.flocking.{key}", getattr(crowd.flocking, key), least=0.0)
        check.number(f"{place}.flocking.distance", crowd.flocking.distance, above=0.0)
    check.choice(f"{place}.vehicle", crowd.vehicle, tuple(VEHICLE_KINDS))
    check.number(f"{place}.length", crowd.length, above=0.0, most=LONGEST_VEHICLE)
    check.number(f"{place}.width", crowd.width, above=0.0, most=LARGEST_BODY)
    for key in ("max_acceleration", "max_deceleration"):
        check.number(f"{place}.{key}", getattr(crowd, key), above=0.0)
    check.number(f"{place}.turning_radius", crowd.turning_radius, above=0.0, most=WIDEST_TURN)
    check.number(f"{place}.time_headway", crowd.time_headway, least=0.0)
    _check_following(check, f"{place}.following", crowd.following)
    _check_groups(check, f"{place}.groups", crowd.groups)
    _check_body(check, place, crowd)
    _check_absent(check, f"{place}.absent", crowd)
    check.number(f"{place}.slope_effect", crowd.slope_effect, least=0.0, most=1.0)
    check.number(f"{place}.time_gap", crowd.time_gap, least=0.0, most=LONGEST_TIME_GAP)
    check.number(f"{place}.personal_space", crowd.personal_space, least=0.0, most=LARGEST_PERSONAL_SPACE)
    check.number(f"{place}.reach", crowd.reach, least=0.0, most=LONGEST_REACH)


def _check_body(check: Checker, place: str, crowd: Crowd) -> None:
    check.choice(f"{place}.body", crowd.body, BODIES)
    check.number(f"{place}.delay", crowd.delay, least=0.0, most=LONGEST_DELAY)
    if crowd.delay and crowd.body != WHEELS:
        check.add(f"{place}.delay", "only bodies on wheels have a delay; set body to 'wheels'")


def _check_absent(check: Checker, place: str, crowd: Crowd) -> None:
    absent: Any = crowd.absent
    if not isinstance(absent, list | tuple):
        check.add(place, f"must be a list of numbers of people, got {shown(absent)}")
        return
    if absent and crowd.kind == VEHICLE:
        check.add(place, "single vehicles cannot be absent")
    most = crowd.count - 1 if isinstance(crowd.count, int) and crowd.count > 0 else None
    for i, number in enumerate(absent):
        check.whole_number(f"{place}[{i}]", number, least=0, most=most)


def _check_following(check: Checker, place: str, following: Following) -> None:
    for key in ("keep_to_line", "comfort", "spread"):
        check.number(f"{place}.{key}", getattr(following, key), least=0.0, most=1.0)
    check.choice(f"{place}.side", following.side, SIDES)
    for key, weight in vars(following.weights).items():
        check.number(f"{place}.weights.{key}", weight, least=WEIGHT_RANGE[0], most=WEIGHT_RANGE[1])


def _check_groups(check: Checker, place: str, groups: Any) -> None:
    if not isinstance(groups, list | tuple) or len(groups) != 2:
        check.add(place, f"must be [min, max] sizes of a group, got {shown(groups)}")
        return
    each = [check.whole_number(f"{place}[{i}]", size, least=1, most=LARGEST_GROUP) for i, size in enumerate(groups)]
    if all(each) and groups[1] < groups[0]:
        check.add(place, f"is reversed: the largest, {groups[1]}, is below the smallest, {groups[0]}")


def _check_agent(check: Checker, place: str, agent: Agent) -> None:
    for key in ("start", "goal"):
        value: Any = getattr(agent, key)
        if not isinstance(value, list | tuple) or len(value) != 2:
            check.add(f"{place}.{key}", f"must be a point of 2 numbers, got {shown(value)}")
        else:
            for i, number in enumerate(value):
                if check.number(f"{place}.{key}[{i}]", number):
                    check.finite(f"{place}.{key}[{i}]", np.array(number, dtype=np.float64))
    if agent.radius is not None:
        check.number(f"{place}.radius", agent.radius, above=0.0, most=LARGEST_BODY)
    if agent.speed is not None:
        check.number(f"{place}.speed", agent.speed, above=0.0, most=FASTEST)
    if agent.enters is not None:
        check.number(f"{place}.enters", agent.enters, least=0.0)


def _check_radius(check: Checker, place: str, radius: Any) -> None:
    if not isinstance(radius, list | tuple) or len(radius) != 2:
        check.add(place, f"must be a number or [min, max], got {shown(radius)}")
        return
    one = radius[0] is radius[1] or radius[0] == radius[1]
    each = [
        check.number(place if one else f"{place}[{i}]", value, above=0.0, most=LARGEST_BODY)
        for i, value in enumerate(radius[:1] if one else radius)
    ]
    if all(each) and radius[1] < radius[0]:
        check.add(place, f"is reversed: the largest, {radius[1]:g}, is below the smallest, {radius[0]:g}")
