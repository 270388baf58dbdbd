# SPDX-License-Identifier: GPL-3.0-or-later
"""The journeys of people, as the report measures them: who was sent elsewhere, how long they take, how groups keep."""

from __future__ import annotations

import numpy as np

from ..array_types import Bool, Float64
from ..simulation.world.doing import AT_STOPS, Doing
from ..trajectories import Trajectories

_SENT_ELSEWHERE = (Doing.FLEEING, Doing.GOING_ELSEWHERE)


def stay_on_purpose(t: Trajectories) -> Bool:
    """Return bool (F, A), who stands or sits because they want to: at a stop, or as a bystander."""
    stay = np.asarray(np.isin(t.doing, AT_STOPS))
    return np.logical_or(stay, t.activity > 0) if t.activity.shape == stay.shape else stay


def were_sent_elsewhere(t: Trajectories) -> Bool:
    """Return bool (A,), whom a trigger sent to another goal; who has come to a stop for good has gathered there."""
    elsewhere = np.asarray((t.present & np.isin(t.doing, _SENT_ELSEWHERE)).any(axis=0))
    if t.stop_names and len(t.frames):
        there = np.flatnonzero(t.arrived_frame >= 0)
        elsewhere[there] |= t.stop[t.arrived_frame[there] - t.frames[0], there] >= 0
    return elsewhere


def time_ratios(t: Trajectories) -> Float64:
    """Return float64 (A,), time from the first frame there to arrival over the unhindered time; NaN where unknown."""
    ratio = np.full(len(t.radius), np.nan)
    known = (t.arrived_frame >= 0) & t.present.any(axis=0) & (t.unhindered_time > 0.0)
    if known.any():
        first = t.frames[np.argmax(t.present[:, known], axis=0)]
        ratio[known] = (t.arrived_frame[known] - first) / t.fps / t.unhindered_time[known]
    return ratio


def distances_to_middles(t: Trajectories, on_the_way: Bool) -> Float64:
    """Return float64 (F, A), how far each is from the middle of its group [m].

    Args:
        t: whose agents.
        on_the_way: bool (F, A), agents that are present and have not arrived; the middle is their mean position.

    Returns:
        NaN for those who belong to no group, are not on the way, or alone of their group.
    """
    found = np.full(on_the_way.shape, np.nan)
    members = np.argsort(t.group, kind="stable")
    members = members[t.group[members] >= 0]
    if not len(members):
        return found
    first = np.flatnonzero(np.diff(t.group[members], prepend=-1))
    number = np.cumsum(np.diff(t.group[members], prepend=-1) != 0) - 1
    there = on_the_way[:, members]
    places = np.where(there[..., None], t.position[:, members, :2], 0.0)
    count = np.add.reduceat(there, first, axis=1, dtype=np.int64)
    middle = np.add.reduceat(places, first, axis=1) / np.maximum(count, 1)[..., None]
    off = places - middle[:, number]
    found[:, members] = np.where(there & (count > 1)[:, number], np.hypot(off[..., 0], off[..., 1]), np.nan)
    return found
