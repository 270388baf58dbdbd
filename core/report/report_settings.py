# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of reports: what counts as a stop, and how bad a fault must be to be listed. All chosen by trial."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class VisibleFaults:
    """Amounts at which a fault becomes visible: its severity is then 1.

    Attributes:
        overlap: two bodies overlap by [m].
        wall_depth: a body reaches into an obstacle by [m].
        stop: a person stands [s].
        not_arrived: share of people who do not arrive.
        delay: travel takes longer than alone by this share.
        stopped: share of time that people stand.
        acceleration: 99th percentile [m/s2].
        group_spread: 95th percentile of the distance to the middle of the group [m].
        supported: share of the time of walking that at least one foot stands; people who have less glide.
    """

    overlap: float = 0.05
    wall_depth: float = 0.02
    stop: float = 5.0
    not_arrived: float = 0.1
    delay: float = 0.3
    stopped: float = 0.1
    acceleration: float = 3.0
    group_spread: float = 4.0
    supported: float = 0.4


@dataclass(frozen=True)
class ReportSettings:
    """What is measured and listed.

    Attributes:
        standing_speed: slower agents count as stopped [m/s].
        moving_speed: slip is measured above this speed [m/s].
        box_spacing: distance between points along a box's edge that are tested for contact with obstacles [m].
        visible: amounts at which faults become visible.
        refused_severity: least severity of having no route: it is worse than a long stop.
        glide_severity: of a character that glides: it is worse than anything that happens to single people.
        least_severity: less severe events are not listed.
        most_events: events of each kind that are listed; the others are counted.
    """

    standing_speed: float = 0.1
    moving_speed: float = 0.2
    box_spacing: float = 0.25
    visible: VisibleFaults = field(default_factory=VisibleFaults)
    refused_severity: float = 4.0
    glide_severity: float = 100.0
    least_severity: float = 0.2
    most_events: int = 200


@dataclass(frozen=True)
class VisibleChange:
    """How much a person must move differently between two runs for the change to be visible.

    Attributes:
        distance: [m].
        turn: of the heading [rad].
    """

    distance: float = 1e-3
    turn: float = 1e-2


@dataclass(frozen=True)
class DensitySettings:
    """How density is estimated.

    Attributes:
        radius: R of the kernel, over which each person is spread [m].
        spacing: distance between nodes of the map [m]; larger where the map would have too many.
        most_nodes: of one map.
    """

    radius: float = 1.5
    spacing: float = 0.5
    most_nodes: int = 1_000_000


REPORT = ReportSettings()
VISIBLE_CHANGE = VisibleChange()
DENSITY = DensitySettings()
