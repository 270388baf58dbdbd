# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of `simulation/population`: who stands where at first, and which routes people take."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class PlacementSettings:
    """Where people stand at first; chosen by trial on the example scenes, unless another source is given.

    Attributes:
        loose_gap, tight_gap: between two bodies, where there is plenty of room and where there is little [m].
        obstacle_gap: between a body and an obstacle [m].
        round_walls: nobody starts beside a path behind what cannot be passed within so far ahead and behind [m].
        attempts: places tried along the route of each who is spread over a route of their own.
        crowded_share: where a larger share of the places is taken, groups take theirs one after the other, 0 to 1.
        wide_radius: where there is no room for larger bodies, their width is reported; chosen: twice most people's [m].
        group_spacing: from one to the next of a group that enters or is spread over its route [m].
        group_gap: between the bodies of two who walk abreast [m]; recorded data: their centres are some 0.7 m apart.
        group_reach: members of a group stand within this distance of its first [m].
        group_candidates: places round the first that are tried for the others.
        whole_stretch: people are spread over as many whole stretches of this as a route is long, so that a slightly
            longer route mostly leaves them where they were [m].
        reported_move: shorter moves are not reported [m].
        reported_departure: a path that leaves the drawn line by less is not reported [m].
        directions: in which a free place is searched.
        separation_rounds: overlapping people are moved apart so often at most.
    """

    loose_gap: float = 0.6
    tight_gap: float = 0.08
    obstacle_gap: float = 0.05
    round_walls: float = 2.0
    attempts: int = 32
    crowded_share: float = 0.8
    wide_radius: float = 0.5
    group_spacing: float = 0.65
    group_gap: float = 0.2
    group_reach: float = 3.0
    group_candidates: int = 24
    whole_stretch: float = 1.0
    reported_move: float = 0.02
    reported_departure: float = 0.65
    directions: int = 48
    separation_rounds: int = 120


@dataclass(frozen=True)
class PreferredLineSettings:
    """How people spread over the width of a corridor; chosen by trial on the example scenes.

    Attributes:
        half_width: how far beside their own route people walk at most [m].
        spread: how far beside the shortest route people spread in narrow places, where there is room [m],
        wide_spread: and elsewhere, so that streams from both sides find lanes of their own round a corner [m].
        wide: places with less free width than this are narrow [m].
        widening: away from narrow places they spread so much farther with each metre [1].
        used_share: share of the free width, from the right, over which they spread, so that people who meet pass on
            the right, 0 to 1.
        margin: a line keeps the body's radius and this from obstacles [m].
        fade_length: stretch over which a line departs from the shortest route at its start and end [m].
        spacing: of the places where the free width is measured [m].
    """

    half_width: float = 2.0
    spread: float = 1.0
    wide_spread: float = 2.0
    wide: float = 2.6
    widening: float = 0.15
    used_share: float = 0.8
    margin: float = 0.1
    fade_length: float = 5.0
    spacing: float = 0.3


@dataclass(frozen=True)
class RouteSettings:
    """How routes to a goal are searched; chosen by trial on the example scenes.

    Attributes:
        clearance, least_clearance: room beyond the radius that a route should have, and must have [m].
        batches, smallest_batch: people search in so many batches, of so many at least; later ones know how many of the
            earlier ones take which corridor.
        longest_detour: a route with more room, or round a crowd, is at most so many times as long as the shortest,
        cos_turning_back: and does not begin at an angle to the line to the goal with a smaller cosine than this, unless
            the shortest does (people prefer the least angle, Hochmair and Frank 2002),
        first_leg: over its first metres [m].
        thin_radius: a gap too narrow for a body of this radius counts as closed [m].
        gap_sampling: spacing of the places where the width of a route is measured for notices [m].
        lines: how people spread over the width of corridors.
    """

    clearance: float = 0.15
    least_clearance: float = 0.03
    batches: int = 6
    smallest_batch: int = 8
    longest_detour: float = 1.3
    cos_turning_back: float = -0.5
    first_leg: float = 2.0
    thin_radius: float = 0.05
    gap_sampling: float = 0.02
    lines: PreferredLineSettings = field(default_factory=PreferredLineSettings)


@dataclass(frozen=True)
class PreferenceSettings:
    """What the ends of the scales of a crowd mean, as factors of the middle; chosen by trial on the example scenes.

    Attributes:
        tightness: of the weight of leaving the line, for who keeps to it tightly; its inverse for loosely.
        return_time: of the time to return to the line, for who keeps to it loosely; its inverse for tightly.
        look_ahead: distance ahead on the drawn line at which people aim, for who keeps to it loosely, as usual, and
            tightly [m]. Round a right angle they pass 0.32, 0.145 and 0.085 m inside of its corner; with more than
            0.55 m as usual it would be more than the 0.15 m that is allowed there.
        corner_share: share of the width of the path by which arcs may leave corners of the line, for the same three. On
            a path of 2 m, corners of 20, 35 and 60 degrees become bends of 7.8, 2.3 and 0.7 m for the usual.
        most_corner_rounding: but by no more than this [m].
        leaves: a path that would leave the line by more is turned more sharply, for the same three [m].
        leaves_arcs: likewise, beyond the rounding of corners [m].
        hurry: factor of accelerations and braking for people in a hurry; its inverse for gentle ones.
    """

    tightness: float = 10.0
    return_time: float = 2.0
    look_ahead: tuple[float, float, float] = (1.1, 0.55, 0.4)
    corner_share: tuple[float, float, float] = (0.125, 0.065, 0.02)
    most_corner_rounding: float = 0.5
    leaves: tuple[float, float, float] = (0.6, 0.45, 0.45)
    leaves_arcs: float = 0.15
    hurry: float = 2.0


@dataclass(frozen=True)
class ClosedGoalSettings:
    """How closely it is examined what blocks the route to an unreachable goal; chosen for notices, not for motion.

    Attributes:
        sampling: spacing of the places on a route whose reachability is tested [m].
        max_places: so many of them at most; the spacing grows on longer routes.
        fine_sampling: spacing of the places behind the last reachable one [m].
        max_examined: so many unreachable goals are examined at most.
    """

    sampling: float = 0.25
    max_places: int = 400
    fine_sampling: float = 0.02
    max_examined: int = 12


@dataclass(frozen=True)
class PopulationSettings:
    """Who stands where at first, and which routes people take; chosen by trial on the example scenes.

    Attributes:
        shortest_route: people who start nearer to the goal have arrived [m].
        longest_route: a longer route is taken for a mistake of units; tracing it would take minutes [m].
        flow_duration: rough time for which somebody of a flow is on the way [s].
        slowest_share: nobody's wanted speed is drawn below this share of the mean, 0 to 1.
        placement, routes, preferences, closed_goals: settings of these tasks.
    """

    shortest_route: float = 0.2
    longest_route: float = 20_000.0
    flow_duration: float = 20.0
    slowest_share: float = 0.3
    placement: PlacementSettings = field(default_factory=PlacementSettings)
    routes: RouteSettings = field(default_factory=RouteSettings)
    preferences: PreferenceSettings = field(default_factory=PreferenceSettings)
    closed_goals: ClosedGoalSettings = field(default_factory=ClosedGoalSettings)


POPULATION = PopulationSettings()
"""The defaults, for callers without settings of their own."""
