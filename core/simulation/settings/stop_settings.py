# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of stops: how people leave their path for a place, stand there, queue, and go on.

Unless a source is named, a value was chosen by trial.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field


@dataclass(frozen=True)
class SpotSettings:
    """Where people stand at a place.

    Attributes:
        spacing: between people round a point or inside an outline [m]: somebody can walk between them.
        line_spacing: between people along a line [m].
        rings: round a point, beyond the point itself.
        clearance: room beside a body that stands [m].
        least_apart: nobody takes a spot nearer than this to another taken one [m].
        most: spots of one place.
        tries: spots that a person who finds no route tries.
    """

    spacing: float = 1.0
    line_spacing: float = 0.8
    rings: int = 2
    clearance: float = 0.05
    least_apart: float = 0.6
    most: int = 2000
    tries: int = 3


@dataclass(frozen=True)
class ViewingSettings:
    """Where people stand who look at something.

    Attributes:
        wall_reach: a place whose points are nearer than this to a wall is before a window [m]:
        wall_distance: people stand so far from it at least [m],
        spacing: in a row, so far from each other [m]: within the personal distance of strangers side by side, 0.45 to
            1.2 m (Hall 1966, "The Hidden Dimension"),
        beside: with so many to each side of the point at most,
        second_row: and some so far behind every other gap of the row [m].
        narrow: where fewer than so many would stand so, others stand on an arc round the row, up to so many,
        arc_row: so far from its farthest spot,
        arc_spacing: and so far from each other at least, so that those in front can leave between them [m].
        cos_turn: a row ends where the wall has turned by the angle with this cosine; what people look at is before a
            wall only within this angle.
        arc_radius: round what is farther than this from a point people stand on an arc [m],
        greatest_angle: which ends at this angle to both sides [rad].
        flat: objects that are flatter than this,
        picture: and no higher than this [m], are looked at as a whole, as pictures are,
        statue: and so are those no wider than this that are at least half as deep as wide [m],
        farthest: from as far as they are wide or high, up to this distance [m]: visitors of a museum stand farther from
            larger paintings (Carbon 2017, "Art Perception in the Museum"),
        oblique: others behind the row, up to this angle from straight before it [rad];
        window_distance: all else is looked at piece by piece, as shop windows are, from this distance [m].
        nearer: where there is no room so far away, one of so many distances down to `wall_distance`.
        front: the wall round an object ends before the first of these distances from the front of the object, or else
            before the second [m].
        least_spacing: before narrow objects people stand nearer to each other, but not nearer than this [m].
        edge: people look no nearer to the ends of an object than this, or at its middle [m].
    """

    wall_reach: float = 1.5
    wall_distance: float = 0.5
    spacing: float = 0.8
    beside: int = 5
    second_row: float = 0.9
    narrow: int = 8
    arc_row: float = 1.2
    arc_spacing: float = 1.05
    cos_turn: float = 0.85
    arc_radius: float = 1.0
    greatest_angle: float = 1.0
    flat: float = 0.3
    picture: float = 1.6
    statue: float = 1.2
    farthest: float = 1.5
    oblique: float = 0.6
    window_distance: float = 0.7
    nearer: int = 5
    front: tuple[float, float] = (0.05, 0.3)
    least_spacing: float = 0.65
    edge: float = 0.6


@dataclass(frozen=True)
class QueueSettings:
    """How people stand in a queue.

    Attributes:
        spacing: from person to person [m]: within the personal distance of acquaintances and strangers in line, 0.45
            to 1.2 m (Hall 1966, "The Hidden Dimension").
        body_gap: and at least so much between two bodies [m].
        closing_up: people farther from their place in the line than this step forward [m],
        arrived: up to this distance [m],
        speed: no faster than this [m/s].
        joining: people nearer to the end of the queue than this join it [m].
        in_front: who is so far in front of the one ahead of them [m; chosen],
        goes_first: for so long, goes first [s; chosen]: where many come at once, they would block that one's way, and
            walk back before them, and all behind them too.
        follow: at this distance from the head of the queue those who were served are out of the way [m].
        new_route: people on their way find a new route when the end of the queue has moved by this [m].
    """

    spacing: float = 0.7
    body_gap: float = 0.12
    closing_up: float = 0.12
    arrived: float = 0.04
    speed: float = 0.7
    joining: float = 1.0
    in_front: float = 0.35
    goes_first: float = 1.0
    follow: float = 0.75
    new_route: float = 2.0


@dataclass(frozen=True)
class RingSettings:
    """How people stand who talk with each other.

    Attributes:
        radius: of a ring of one, two, three... people [m]: two are 1 m apart, the neighbours of more 0.9 m, within the
            personal distance, 0.45 to 1.2 m (Hall 1966, "The Hidden Dimension").
        sizes: how often rings are for two, three, four... people, beginning with two; each ring has a size of its own.
        apart: between the centres of rings, along lines and inside outlines [m].
        joining: people nearer to a ring than this join it [m].
        alone: the last one of a ring stays for so long [s].
        speaks: somebody speaks for so long, at least and at most [s].
        misplaced: where somebody stands farther than this from the place in the ring [m; chosen],
        stands: and is slower than this [m/s], since others are in the way, all take the nearest places anew.
    """

    radius: tuple[float, ...] = (0.5, 0.5, 0.52, 0.64, 0.77, 0.9)
    sizes: tuple[float, ...] = (0.5, 0.3, 0.2)
    apart: float = 2.4
    joining: float = 0.5
    alone: float = 0.8
    speaks: tuple[float, float] = (2.5, 6.0)
    misplaced: float = 0.2
    stands: float = 0.1


@dataclass(frozen=True)
class SeatSettings:
    """How people sit down, sit and stand up.

    Attributes:
        reach: people stand so far before a seat, from its middle, before they sit down, at the nearest of these
            distances at which there is room [m]: calf and thigh of a seated person are about 0.4 m apart.
        beside: where there is none, people come so far beside its middle, to the left or to the right [m],
        sides_apart: farther than this from where others do so [m],
        deepest: if what is before the seat leaves room but for this, as a table does over the knees [m; chosen],
        step_in_time: and step in front of it within this time, and out again [s].
        steps: people come to that place straight from before it, by the last one of these steps for which there is
            room: people who sit beside it are not in their way [m].
        side_room: room that a body needs there beside obstacles: bodies bend round the edge of a seat [m].
        height: of a seat above the ground, where none is given [m]: that of usual chairs (DIN EN 1729-1).
        lowest: of seats nearer to the ground the report says that people sit on the ground [m].
        reached: nobody sits on seats that are higher than this above the ground before them [m; chosen]: bar stools are
            up to 0.85 m high.
        highest: bystanders on seats that are all as high, and not higher above the ground than this, have their feet on
            it; of others the floor is as far under the seat as under a usual one [m].
        level: seats whose heights differ less are as high [m].
        knees: share of the way back from that place to the seat by which the body of somebody who sits moves, as others
            avoid it: it then reaches a thigh before the seat, as knees do.
        sit_down_time, stand_up_time: how long they take [s].
        turned: people sit down when they have turned to within this angle [rad],
        settled: and are nearer to the place before the seat than this [m],
        patience: or after this time [s].
        tight: people whose bodies overlap, by more than this, that of somebody who stands in the place before a seat
            are let out first [m; chosen],
        longest_wait: for so long at most [s; chosen].
    """

    reach: tuple[float, ...] = (0.4, 0.5, 0.6, 0.75)
    beside: tuple[float, ...] = (0.5, 0.6)
    sides_apart: float = 0.5
    deepest: float = 0.22
    step_in_time: float = 1.4
    steps: tuple[float, ...] = (0.2, 0.4, 0.6)
    side_room: float = 0.02
    height: float = 0.45
    lowest: float = 0.15
    reached: float = 1.0
    highest: float = 0.8
    level: float = 0.05
    knees: float = 0.5
    sit_down_time: float = 1.2
    stand_up_time: float = 1.2
    turned: float = 0.15
    settled: float = 0.08
    patience: float = 5.0
    tight: float = 0.1
    longest_wait: float = 15.0


@dataclass(frozen=True)
class BystanderSettings:
    """How bystanders stand.

    Attributes:
        spacing: between people inside an outline [m]: about two in a square metre, as in a dense, calm audience
            (Still 2000).
        jitter: they stand so far off a regular grid [m].
        line_spacing: between people along a line [m].
        least_apart: nobody takes a spot nearer than this to somebody else [m].
        heading_spread: standard deviation of the direction to which people face who stand [rad].
        most: spots in one outline.
        least_radius: bodies that stand close together are narrowed, but not below this radius [m].
        reach: people who walk see others nearer than this [m].
        steepest: people who leave a stand climb down by so much in each metre: stairs of stands are 35 degrees at most
            (EN 13200-1).
        turn_rate: people turn to what they look at no faster than this [rad/s].
    """

    spacing: float = 0.8
    jitter: float = 0.15
    line_spacing: float = 0.7
    least_apart: float = 0.3
    heading_spread: float = 0.12
    most: int = 50_000
    least_radius: float = 0.1
    reach: float = 6.0
    steepest: float = 0.7
    turn_rate: float = math.pi


@dataclass(frozen=True)
class StopSettings:
    """How people leave their path for a stop, and go on from there.

    Attributes:
        spots: where they stand.
        viewing: where they stand who look at something.
        queues: how they queue.
        rings: how they talk.
        seats: how they sit.
        bystanders: how bystanders stand.
        lead: people on a drawn route leave it as far before the place as the place is beside it, at least and at most
            by these distances along the route [m];
        braking: runners sooner, by as far as they run while they come to rest like this [m/s2].
        rejoin: they return to it as far beyond the place as the first of these that they can reach [m].
        rejoined: nearer than this to where they return, they follow the route again [m].
        passed: stops that lie farther than this behind where somebody starts on a drawn route have been passed [m].
        sampling: of a drawn route, to find its point nearest to a place [m].
        reach: people nearer to their spot than this stand still on it [m].
        crowded_reach: and those who have stood for `crowded_patience` [s] nearer than this stay there [m].
        crowded_patience: see above.
        settling_time: a person who stands returns to the spot within about this time [s],
        settled: up to this distance [m],
        settling_speed: no faster than this [m/s].
        turned: people start to walk when they have turned to within this angle of the path that leads on [rad],
        look_ahead: that direction is towards the point of the path at this distance [m].
        longest_turn: after this time at the latest [s].
        patience: people who need longer than three times the time of the free path and this give up [s].
        held_up_speed: slower people stand [m/s].
        activity_time: people change their activity after so long, at least and at most [s].
        rests: a mark or a vehicle that moves slower than this rests [m/s].
        opened_within: a mark that was nearer than this to where people wait at the first frame, and has moved away, has
            opened before they came; one that was farther away has come [m].
        drove: a vehicle that was faster than this has driven: when it rests again, it has stopped [m/s].
        gaze_height: people look at what has no height of its own at this height [m]: about that of eyes.
    """

    spots: SpotSettings = field(default_factory=SpotSettings)
    viewing: ViewingSettings = field(default_factory=ViewingSettings)
    queues: QueueSettings = field(default_factory=QueueSettings)
    rings: RingSettings = field(default_factory=RingSettings)
    seats: SeatSettings = field(default_factory=SeatSettings)
    bystanders: BystanderSettings = field(default_factory=BystanderSettings)
    lead: tuple[float, float] = (1.0, 5.0)
    braking: float = 1.2
    rejoin: tuple[float, ...] = (2.5, 5.0, 8.0, 12.0)
    rejoined: float = 1.0
    passed: float = 0.5
    sampling: float = 0.25
    reach: float = 0.35
    crowded_reach: float = 1.2
    crowded_patience: float = 1.5
    settling_time: float = 0.5
    settled: float = 0.04
    settling_speed: float = 0.8
    turned: float = 0.6
    look_ahead: float = 1.0
    longest_turn: float = 2.5
    patience: float = 12.0
    held_up_speed: float = 0.15
    activity_time: tuple[float, float] = (4.0, 9.0)
    rests: float = 0.05
    opened_within: float = 15.0
    drove: float = 0.1
    gaze_height: float = 1.6
