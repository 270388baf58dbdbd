# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of `simulation/guidance`: how people aim, walk round obstacles, and change their routes.

All values were chosen by trial on the example scenes.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class AimSettings:
    """How people with routes of their own choose the place on the route that they walk straight towards.

    Attributes:
        distances: distances ahead on the route at which an aim is searched, in this order [m].
        clearance: the straight line to the aim must have this much room beside the body [m].
        pressed_distances: the same for people without such an aim, before a corner or pressed against an obstacle [m].
        pressed_radius_share: only this share of their radius must be free: they slide along the obstacle.
        greatest_cut: a straight line may cut across a bend of the route by so much at most [m]. If all took the
            shortest route round a corner, people from both sides would meet at its inner edge and block each other.
        narrow_width: across bends in narrower places any line is allowed: people pass them one after another [m].
        free_distance: aims up to this distance may cut any bend, so that nobody beside the route is without one [m].
        cut_places: shares of the stretch to the aim at which the distance from the straight line is measured.
        width_spacing: distance between the places at which the width of the route is measured [m].
        loop_length: who has come to the aim, but has more than this to walk to it along the route, has cut off a loop
            and goes on from there [m].
    """

    distances: tuple[float, ...] = (16.0, 8.0, 4.0, 2.0, 1.0)
    clearance: float = 0.02
    pressed_distances: tuple[float, ...] = (2.0, 1.0, 0.5)
    pressed_radius_share: float = 0.4
    greatest_cut: float = 0.3
    narrow_width: float = 1.3
    free_distance: float = 1.0
    cut_places: tuple[float, ...] = (0.2, 0.4, 0.6, 0.8)
    width_spacing: float = 0.25
    loop_length: float = 1.0


@dataclass(frozen=True)
class DetourSettings:
    """When people leave their route for a detour, and how long it may be.

    Attributes:
        patience: people blocked for so long search for a detour [s]; those whom people who stand would block, before.
        patience_in_company: with others near them who may make room, people first wait so long: longer than a turn at a
            narrow passage [s].
        lost_distance: so do people farther than this outside the width of their route [m].
        lost_on_detour_distance: or farther than this from the line of their detour [m].
        retry_time: time until the next search; twice as long after each search without result [s].
        rejoin_distances: a detour rejoins the route so far ahead, at the first of these that works [m].
        longest_factor, longest_extra: a detour is at most so many times as long as the stretch of the route that it
            replaces, and so much more [1, m].
        unfinished_detours: after so many detours in a row that did not reach the route, the next rejoins it farther
            ahead.
        run_in: length of the end of a detour that runs along the route, so that it is joined in its direction [m].
        clearance, least_clearance: room beyond the radius that a detour should have, and must have [m].
        line_speed: greatest speed along the line itself, where no plan beside it is free [m/s].
        approach_rate: near the next place on that line, its distance times this is the speed [1/s].
        half_width: people may leave the line of a detour by so much [m].
        pressed_radius_share: only this share of the radius must be free of people who stand on a detour.
        beside_people: room beside the body that a detour keeps from people who stand, where there is so much [m].
    """

    patience: float = 1.0
    patience_in_company: float = 7.0
    lost_distance: float = 1.0
    lost_on_detour_distance: float = 0.6
    retry_time: float = 3.0
    rejoin_distances: tuple[float, ...] = (2.0, 3.0, 4.5, 6.5, 9.0, 12.0, 16.0)
    longest_factor: float = 2.5
    longest_extra: float = 5.0
    unfinished_detours: int = 1
    run_in: float = 1.5
    clearance: float = 0.12
    least_clearance: float = 0.03
    line_speed: float = 0.7
    approach_rate: float = 3.0
    half_width: float = 1.0
    pressed_radius_share: float = 0.8
    beside_people: float = 0.33

    def greatest_length(self, replaced: float) -> float:
        """Return the greatest length of a detour that replaces a stretch of the route [m]."""
        return self.longest_factor * replaced + self.longest_extra


@dataclass(frozen=True)
class PathTrackingSettings:
    """In which state on the reference path the next plan starts, and for how long the last one holds.

    Attributes:
        greatest_heading_error: at larger angles between velocity and path, the slope d'(s) is meaningless [rad].
        on_plan_distance, on_plan_velocity: a person whose position and velocity differ less than this from the plan was
            not pushed off it, and keeps its accelerations [m, m/s].
        kept_for: no older plan is kept [s]: it serves for three intervals, less than a third of what it looks ahead.
        kept_distance, kept_velocity: nor where position or velocity differ by more than this from the plan [m, m/s];
        kept_pace, kept_offset: nor where the wanted speed or offset has changed by more than this [m/s, m].
        held_share: people are held up by others while they are slower than this share of their pace,
        held_progress: and others have left them less than this share of what they wanted;
        resuming_time: they want to walk as their plan says for so much later [s]. These three are chosen by trial on
            streets with two directions.
    """

    greatest_heading_error: float = 1.0
    on_plan_distance: float = 0.03
    on_plan_velocity: float = 0.1
    kept_for: float = 0.75
    kept_distance: float = 0.045
    kept_velocity: float = 0.15
    kept_pace: float = 0.05
    kept_offset: float = 0.02
    held_share: float = 0.75
    held_progress: float = 0.95
    resuming_time: float = 0.9


@dataclass(frozen=True)
class ReroutingSettings:
    """When people with routes of their own change the route because an obstacle opens or closes one.

    Attributes:
        worthwhile_share: people with a free route change to one that is at most so many times as long as what is left
            of it.
        retry_time: people who stand where an obstacle comes to rest search again after this time [s].
        spacing: distance between the places at which the rest of a route is checked [m].
    """

    worthwhile_share: float = 0.9
    retry_time: float = 0.5
    spacing: float = 0.2


@dataclass(frozen=True)
class ReturningSettings:
    """When people who have left the width of a drawn route outside a bend walk straight back to it.

    Attributes:
        outer_scale: where they walk so many times as far as the line is long [1].
        ahead: to the place on their line so far ahead of them [m].
    """

    outer_scale: float = 1.5
    ahead: float = 0.5


@dataclass(frozen=True)
class SidestepSettings:
    """How people step aside before an obstacle.

    Attributes:
        offsets: number of places across the route that are tried.
        beyond_width: how far outside the width of the route they may lie [m].
        open_distance: the route must be free at the new offset over this distance ahead [m].
        steps_back: how far people step back on the route before they walk across, nearest first [m].
        back_first_offset: people step straight back at first where the new offset is farther than this [m].
        clearance: room between the body and obstacles on the free stretch; as much less while stepping aside [m].
        speed: of stepping aside [m/s].
        approach_rate: near the next place, its distance times this is the speed [1/s].
    """

    offsets: int = 33
    beyond_width: float = 1.5
    open_distance: float = 1.6
    steps_back: tuple[float, ...] = (0.0, 0.35)
    back_first_offset: float = 0.5
    clearance: float = 0.04
    speed: float = 0.7
    approach_rate: float = 3.0


@dataclass(frozen=True)
class StandingPeopleSettings:
    """Which people who stand count as obstacles for others, and who walks through them all the same.

    Attributes:
        speed: slower people stand [m/s],
        settling_time: and count as obstacles for others' routes after this time [s].
        at_place: who is in a queue and nearer than this to their place in it counts there alone [m]: who is farther off
            moves up (`QueueSettings.closing_up`).
        reach: it is known who stands up to this distance from a body's centre [m],
        room: and up to this beyond the largest body [m]: more than the clearance that any body asks for.
        arriving: nearer than this to the end of the route, people who find no bypass walk through them [m].
        taken: nearer than this to their own goal, people walk straight to it although others stand on it [m].
        held_up: people who have been held up for so long by others who stand walk through them [s],
        held_up_speed: held up are those who want to walk, and are slower than this [m/s],
        paces: or who have been within a distance for so long [s],
        paces_within: this one [m].
        lets_through: for so long [s].
        settles: people count as arrived who have been before the end of a drawn route for so long [s],
        settles_within: nearer to the end than this [m],
        settles_behind: and with the body of somebody who has arrived nearer to their own than this [m].
    """

    speed: float = 0.12
    settling_time: float = 0.3
    at_place: float = 0.12
    reach: float = 1.0
    room: float = 0.2
    arriving: float = 4.0
    taken: float = 1.5
    held_up: float = 2.0
    held_up_speed: float = 0.15
    paces: float = 6.0
    paces_within: float = 1.0
    lets_through: float = 4.0
    settles: float = 4.0
    settles_within: float = 2.0
    settles_behind: float = 0.6


@dataclass(frozen=True)
class BypassSettings:
    """How people bypass others who stand on the straight line to their aim.

    Attributes:
        horizon: people who stand farther ahead than this do not count [m],
        near: nor beyond the last free point of the line, as long as that is farther ahead than this [m].
        offsets: so far beside the line, on either side, points are tried over which they might walk [m].
        least_ahead: none of these points is nearer than this [m].
        tried_together: so many of them at a time, the shortest bypasses first.
    """

    horizon: float = 8.0
    near: float = 2.5
    offsets: tuple[float, ...] = (0.3, 0.6, 0.9, 1.3, 1.8, 2.4, 3.2, 4.2, 5.5, 7.2)
    least_ahead: float = 0.3
    tried_together: int = 8


@dataclass(frozen=True)
class GuidanceSettings:
    """How people aim, walk round obstacles, and change their routes.

    Attributes:
        last_steps_speed: speed of people who have reached the end of the route beside their goal [m/s].
        aiming, detours, path_tracking, rerouting, returning, sidestep, standing_people, bypasses: settings of
            these tasks.
    """

    last_steps_speed: float = 0.6
    aiming: AimSettings = field(default_factory=AimSettings)
    detours: DetourSettings = field(default_factory=DetourSettings)
    path_tracking: PathTrackingSettings = field(default_factory=PathTrackingSettings)
    rerouting: ReroutingSettings = field(default_factory=ReroutingSettings)
    returning: ReturningSettings = field(default_factory=ReturningSettings)
    sidestep: SidestepSettings = field(default_factory=SidestepSettings)
    standing_people: StandingPeopleSettings = field(default_factory=StandingPeopleSettings)
    bypasses: BypassSettings = field(default_factory=BypassSettings)


GUIDANCE = GuidanceSettings()
"""The defaults, for callers without settings of their own."""
