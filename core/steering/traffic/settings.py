# SPDX-License-Identifier: GPL-3.0-or-later
"""How vehicles drive, beyond what each crowd says of its own.

Unless a source is named, a value was chosen by trial on the traffic scenes of the tests and the avenue.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TrafficSettings:
    """What holds for all vehicles.

    Attributes:
        standing_gap: between two that stand in a queue [m] (s0 of the IDM, Treiber et al. 2000).
        closing_gap: behind one that stands, drivers come to rest where they have so much more than that [m].
        start_gap: who stands in a queue starts where it has so much more [m]; the start of a queue then moves back at
            5 to 6 m/s, as measured (15 to 20 km/h, Treiber and Kesting 2013, Traffic Flow Dynamics).
        standing_speed: slower vehicles stand, and slower people beside a vehicle [m/s].
        coolness: c of a driver who trusts the leader (Kesting et al. 2010).
        hardest_wish: the model asks for no harder braking than so many times the comfortable deceleration.
        merging_gap: least room to others where somebody changes lanes [m].
        hardest_braking: what tyres hold on dry asphalt, for emergencies [m/s2].
        lateral_acceleration: what drivers accept in bends [m/s2].
        side_room: beside a body that is passed [m].
        politeness: weight of what a lane change costs others (p of MOBIL, Kesting et al. 2007).
        advantage: least gain in acceleration that a lane change is worth [m/s2].
        kerb_bias: added gain of a change towards the kerb, for vehicles that keep to it [m/s2].
        imposed_braking: a lane change may ask no more of those behind [m/s2].
        change_time: a lane change takes so long [s].
        calm_time: and none follows for so long [s].
        courtesy: how hard somebody brakes to let another in whose lane is closed [m/s2].
        stop_line: how far before a crossing of roads vehicles wait [m].
        at_line: vehicles that stand nearer to the line than this wait at it [m].
        waiting_speed: slower vehicles stand there [m/s].
        slowest_approach: the arrival of slower vehicles is estimated at this speed [m/s].
        reserve: time between one leaving a crossing and another coming to it [s].
        patience: vehicles that have waited so long go before equals [s],
        long_patience: and after so long before those with right of way [s].
        ring_radius: lanes that bend to the inside as sharply [m] may go round a roundabout; the largest are as wide,
        ring_turn: if by as much in one go [rad]: where their bends at the arms are rounded, they go round less of it,
        ring_entry: and if within this distance before and after that [m]
        ring_entry_turn: they bend as much to the outside [rad],
        ring_least: from so far along the ring on [m].
        foresight: people are expected to keep their velocity for so long [s],
        timing_tolerance: give or take this share of the time until a vehicle reaches them, more than 0 and at most 1.
            Both chosen by trial.
        pull_away: the time until a vehicle reaches people and is past them is estimated at this acceleration [m/s2];
            about that of the kinds of vehicles.
        head_start: off marked crossings, people who come to its lane so long after the front of a vehicle let it pass
            [s].
    """

    standing_gap: float = 2.0
    closing_gap: float = 0.8
    start_gap: float = 2.0
    standing_speed: float = 0.1
    coolness: float = 0.99
    hardest_wish: float = 10.0
    merging_gap: float = 1.5
    hardest_braking: float = 8.0
    lateral_acceleration: float = 2.5
    side_room: float = 0.3
    politeness: float = 0.2
    advantage: float = 0.3
    kerb_bias: float = 2.0
    imposed_braking: float = 2.0
    change_time: float = 3.5
    calm_time: float = 4.0
    courtesy: float = 1.0
    stop_line: float = 1.0
    at_line: float = 4.0
    waiting_speed: float = 0.3
    slowest_approach: float = 1.0
    reserve: float = 1.0
    patience: float = 1.5
    long_patience: float = 20.0
    ring_radius: float = 60.0
    ring_turn: float = 0.95
    ring_entry: float = 15.0
    ring_entry_turn: float = 0.1
    ring_least: float = 5.0
    foresight: float = 4.0
    timing_tolerance: float = 0.3
    pull_away: float = 1.2
    head_start: float = 1.0
