# SPDX-License-Identifier: GPL-3.0-or-later
"""How vehicles drive, beyond what each crowd says of its own."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TrafficSettings:
    """What holds for all vehicles.

    Attributes:
        standing_gap: between two that stand in a queue [m] (s0 of the IDM).
        merging_gap: least room to others where somebody changes lanes [m].
        hardest_braking: what tyres hold, for emergencies [m/s2].
        lateral_acceleration: what is borne in bends [m/s2].
        side_room: beside a body that is passed [m].
        politeness: weight of what a lane change costs others (p of MOBIL).
        advantage: least gain in acceleration that a lane change is worth [m/s2].
        kerb_bias: what it is worth to who keeps to the kerb to get there [m/s2].
        imposed_braking: a lane change may ask no more of those behind [m/s2].
        change_time: a lane change takes so long [s].
        calm_time: and none follows for so long [s].
        courtesy: how hard somebody brakes to let another in whose lane is closed [m/s2].
        stop_line: how far before a crossing of roads vehicles wait [m].
        reserve: time between one leaving a crossing and another coming to it [s].
        patience: who has waited so long goes before equals [s].
        long_patience: and after so long before those with right of way [s].
        foresight: people are expected to keep their velocity for so long [s].
    """

    standing_gap: float = 2.0
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
    reserve: float = 1.0
    patience: float = 1.5
    long_patience: float = 20.0
    foresight: float = 1.5
