# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of `simulation/behaviours`: how people change what they want because of others.

Unless a source is named, a value was chosen by trial on the example scenes.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .door_settings import DoorQueueSettings, DoorSettings


@dataclass(frozen=True)
class DensitySpeedSettings:
    """How people slow down in a dense stream.

    Attributes:
        reach: length of the ellipse ahead in which people count [m].
        half_breadth: half its width [m].
        cos_same_direction: cosine of the angle up to which two people walk in the same direction.
        cos_other_direction: cosine of the angle from which on they do not.
        jam_density: density at which nobody moves any more [1/m2] (Weidmann 1993).
        steepness: how fast speed falls with density [1/m2] (Weidmann 1993).
        greatest_density: density beyond which people do not slow down any further [1/m2]: a throng before a door
            presses on.
        smoothing_time: the pace follows the density within this time [s].
        door_distance: nearer than this to a door where others wait, too, people do not slow down [m].
    """

    reach: float = 2.0
    half_breadth: float = 0.8
    cos_same_direction: float = 0.8
    cos_other_direction: float = 0.5
    jam_density: float = 5.4
    steepness: float = 1.913
    greatest_density: float = 2.5
    smoothing_time: float = 0.5
    door_distance: float = 3.0

    @property
    def area(self) -> float:
        """What the weights add up to over the ellipse: people per m2 are their sum over this [m2]."""
        return np.pi * self.reach * self.half_breadth / 4.0


@dataclass(frozen=True)
class DodgingSettings:
    """How people avoid moving obstacles.

    Attributes:
        times: moments from now at which positions are predicted [s].
        near_times: how many of them, from the first on, count for walls.
        clearance: room to a moving obstacle beyond the body [m]; less where there is too little.
        reaction_time: time during which a person continues as before while changing the velocity [s].
        least_speed: least speed of the velocities to choose from [m/s].
        directions: number of directions to choose from.
        weight_clearance: cost of each metre of missing room [1/m].
        weight_change: cost of a deviation from the preferred velocity [s/m].
        weight_jerk: cost of a change of the present velocity [s/m].
        weight_wall: cost of each metre that the body reaches into a wall [1/m].
    """

    times: tuple[float, ...] = (0.25, 0.5, 0.75, 1.0, 1.3, 1.6, 2.0, 2.4)
    near_times: int = 4
    clearance: float = 0.35
    reaction_time: float = 0.3
    least_speed: float = 1.6
    directions: int = 16
    weight_clearance: float = 10.0
    weight_change: float = 1.0
    weight_jerk: float = 0.3
    weight_wall: float = 4.0


@dataclass(frozen=True)
class GroupFormationSettings:
    """How groups walk together (formations after Moussaid et al. 2010).

    Attributes:
        row_distance: from one row of a larger group to the next [m].
        lost_distance: a member farther than this from the middle of the group continues alone [m].
        least_agreement: mean agreement of the members' directions (1 = all the same) from which on a group has one.
        stranger_distance: strangers nearer than this count [m].
        densities, breadths: share of its breadth that a row keeps with so many strangers around [1/m2].
        weight_stranger_behind: half a stranger close behind counts as much as a crowd of them.
        narrow_clearance: with less room than this to the next wall nobody waits for others [m].
        look_ahead: distance before its middle at which a group adapts to narrow places [m].
        greatest_hurry: share by which members behind speed up at most.
        least_pace: share of the speed that a member keeps who may not stand and wait.
        patience: longest time that people stand and wait for others [s].
        together_distance: until they are as near to their place again as this [m].
        waiting_share: with less than this share of the speed a person counts as waiting.
        pace_per_metre: change of the share of the speed with the distance from the place [1/m].
        heels_distance: nearer than this behind another of the group, one's feet come near the other's heels [m].
        heels_breadth: who walks farther to one side than this is not behind them, nearer than 0.6 of it fully [m].
        heels_pace_per_metre: change of the share of the speed with the distance that is missing [1/m].
        heels_least_pace: share of the speed at which who is behind falls back at most.
        sideways_rate: speed towards the place across the path, per metre [1/s].
        sideways_speed: and at most [m/s].
        near_goal: nearer to their goal than this, people go to it on their own [m].
        least_v_breadth, v_breadth_range: a row of three forms a V from the first share of its breadth on, and fully
            from so much more.
    """

    row_distance: float = 1.0
    lost_distance: float = 8.0
    least_agreement: float = 0.5
    stranger_distance: float = 2.0
    densities: tuple[float, ...] = (0.15, 0.5, 1.2)
    breadths: tuple[float, ...] = (1.0, 0.5, 0.2)
    weight_stranger_behind: float = 2.0
    narrow_clearance: float = 0.7
    look_ahead: float = 1.0
    greatest_hurry: float = 0.2
    least_pace: float = 0.8
    patience: float = 30.0
    together_distance: float = 1.0
    waiting_share: float = 0.3
    pace_per_metre: float = 0.45
    heels_distance: float = 0.75
    heels_breadth: float = 0.4
    heels_pace_per_metre: float = 2.0
    heels_least_pace: float = 0.5
    sideways_rate: float = 0.6
    sideways_speed: float = 0.3
    near_goal: float = 2.0
    least_v_breadth: float = 0.35
    v_breadth_range: float = 0.15


@dataclass(frozen=True)
class MakingWaySettings:
    """How people who stand make way for those who have no other.

    Attributes:
        space: people nearer than this to somebody who stands press them, the more the nearer [m].
        passing_on: people who step aside press others nearer than this [m].
        speed: of stepping aside [m/s].
        pressure_threshold: pressure (0 = alone, 1 = touching) below which nobody who stands takes a step.
        resting_speed: people who wait before a shut door, and are slower than this or want to be [m/s],
        resting_time: stands from so much later on [s],
        step: until there is room for a step before them [m],
        cos_ahead: which is as wide as the angle with this cosine to either side.
        side_step: so far to the side there has to be free ground, else people step to the other side [m].
        share_away: people who make way for somebody step aside, and by this share away from them,
        share_forward: and for somebody who arrives by this share in their own direction.
    """

    space: float = 0.7
    passing_on: float = 0.4
    speed: float = 0.6
    pressure_threshold: float = 0.3
    resting_speed: float = 0.25
    resting_time: float = 0.3
    step: float = 0.6
    cos_ahead: float = 0.5
    side_step: float = 0.3
    share_away: float = 0.5
    share_forward: float = 0.5


@dataclass(frozen=True)
class JamSettings:
    """Who block each other, and for how long they bear it.

    Attributes:
        cos_opposite: cosine of the angle between two preferred velocities from which on they are opposite.
        blocking_distance: two people block each other when less than this is between their bodies [m].
        standing_speed: and both are slower than this [m/s].
        patience: after so long one of them insists [s],
        insistence: for so long [s].
        reported_after: people who block each other for so long at the last frame are reported [s],
        reported_reach: once for all nearer than this to one of them [m].
    """

    cos_opposite: float = -0.3
    blocking_distance: float = 0.3
    standing_speed: float = 0.25
    patience: float = 1.0
    insistence: float = 2.0
    reported_after: float = 3.0
    reported_reach: float = 3.0


@dataclass(frozen=True)
class NarrowPassageSettings:
    """How people let others through where two streams block each other.

    Attributes:
        two_way_width: where they do and less than this is free, one side at a time goes: two lanes of people [m].
        patience: for so long, before they notice that they cannot pass [s].
        spacing: distance between the places at which the width of a passage is measured [m].
        greatest_length: of a passage [m].
        half_breadth, places_across: the clearance is measured at so many places across, up to so far to each side [m].
        opposite_wall_tolerance: a wall within this on the other side makes a place narrow [m].
        reach: nobody farther from its mouths is concerned with a passage [m].
        mouth: length before a mouth, and half of it to each side, that people who wait leave free [m].
        step_aside_speed, back_out_speed: of stepping aside before a mouth, and of walking back out of it [m/s].
        longest_turn: after so long the other side is let through if it waits [s].
        side_clearance: room that people who wait leave beside the passage [m].
        lane_time: who comes out keeps to the lane that they would leave within this time [s],
        coming_out_patience: and insists once stopped by those who wait for so long [s].
        search_steps: the narrowest place is searched so many spacings to both sides of where two block each other.
        path_margin: a path leads through a passage if it does so within its length and this beyond its mouths [m],
        path_offset: nowhere farther beside its axis than this [m].
        axis_tolerance: people nearer to the axis than this step aside to their right, others to their side [m].
        aside_patience: who has tried to for so long stands, as there is no room [s].
        way_tolerance: who stands in the way of those who come out by no more than this stays there [m].
        waiting_distance, recorded_distance: people stop, and are recorded, so far before it, in multiples of `mouth`.
        entered_depth: people of the side whose turn ends go on if less than this is missing to the mouth [m].
        cos_bend: cosine of the angle to a passage from which on a path bends before it,
        wall_distances: where a wall is so far straight before the mouth [m].
        lane_spacing: distance between the places at which the paths of those who come out are looked at [m].
        room_between: two passages in a row with less than this between them are one [m].
        claim_distance: people of the other side claim their turn up to `mouth` and this before the passage [m].
    """

    two_way_width: float = 2.4
    patience: float = 0.5
    spacing: float = 0.1
    greatest_length: float = 20.0
    half_breadth: float = 0.6
    places_across: int = 13
    opposite_wall_tolerance: float = 0.12
    reach: float = 3.0
    mouth: float = 1.2
    step_aside_speed: float = 0.6
    back_out_speed: float = 0.8
    longest_turn: float = 6.0
    side_clearance: float = 0.3
    lane_time: float = 1.0
    coming_out_patience: float = 2.0
    search_steps: int = 8
    path_margin: float = 1.0
    path_offset: float = 2.0
    axis_tolerance: float = 0.1
    aside_patience: float = 3.0
    way_tolerance: float = 0.1
    waiting_distance: float = 2.0
    recorded_distance: float = 3.0
    entered_depth: float = 0.1
    cos_bend: float = 0.7
    wall_distances: tuple[float, ...] = (0.3, 0.6, 1.2)
    lane_spacing: float = 0.5
    room_between: float = 0.5
    claim_distance: float = 1.0


@dataclass(frozen=True)
class OvertakingSettings:
    """How people overtake slower people.

    Attributes:
        speed: of stepping aside for one person close ahead [m/s].
        greatest_speed: and for several at most [m/s].
        reach: people with more than this between them do not lean yet [m].
        least_speed: people who want to walk more slowly overtake nobody [m/s].
        same_direction: cosine of the angle between two directions from which on they count as the same.
        least_difference: people slower by less than this are not overtaken [m/s],
        difference: and people slower by so much more are overtaken wholly [m/s].
        full_lack: people who have so much less room beside them than their personal space lean wholly [m].
        straight_ahead: with less than this beside, their numbers decide who goes to which side [m].
        edge_weight: so much more a way past somebody counts where it leads over the edge of the path.
        door_distance: nobody overtakes nearer to the door ahead than this [m].
        recorded_speed: people who lean faster than this and do not stand are recorded as overtaking; without effect
            on motion [m/s].
    """

    speed: float = 0.3
    greatest_speed: float = 0.35
    reach: float = 4.0
    least_speed: float = 0.2
    same_direction: float = 0.5
    least_difference: float = 0.05
    difference: float = 0.3
    full_lack: float = 0.4
    straight_ahead: float = 0.02
    edge_weight: float = 4.0
    door_distance: float = 5.0
    recorded_speed: float = 0.1


@dataclass(frozen=True)
class PrecedenceSettings:
    """How it is decided who goes first in a throng.

    Attributes:
        neighbour_distance: people nearer than twice this, beyond both bodies, count [m].
        cos_same_direction: cosine of the angle between the directions of two people who walk in the same direction.
        full_lead: so far in front of the people around, a person goes before all of them [m].
    """

    neighbour_distance: float = 0.35
    cos_same_direction: float = 0.5
    full_lead: float = 0.4


@dataclass(frozen=True)
class SlopeSpeedSettings:
    """How slopes slow people down.

    Attributes:
        least_speed: what is left on ever steeper slopes, where 1 m/s is added at most (Irmischer and Clarke 2018).
        fastest_slope: slope on which people are fastest, a gentle descent (the same).
        slope_spread: standard deviation of the bell curve about it (the same).
        stairs_up, stairs_down: shares of the speed on the level on stairs, 0.61 and 0.69 of 1.34 m/s (Weidmann 1993).
        length: over which a slope is measured; only what is as steep over the next one, too, slows people down, and not
            a single kerb [m]; chosen.
        lengths_ahead: up to so many ahead people slow down before they are there; chosen: two steps.
    """

    least_speed: float = 0.11
    fastest_slope: float = -0.05
    slope_spread: float = 0.3
    stairs_up: float = 0.61 / 1.34
    stairs_down: float = 0.69 / 1.34
    length: float = 0.5
    lengths_ahead: int = 4


@dataclass(frozen=True)
class BehaviourSettings:
    """How people change what they want because of others.

    Attributes:
        recorded_change: a behaviour is recorded as what a person is doing where it changes the preferred velocity by
            more than this [m/s]. It has no effect on motion.
    """

    recorded_change: float = 0.1
    density_speed: DensitySpeedSettings = field(default_factory=DensitySpeedSettings)
    dodging: DodgingSettings = field(default_factory=DodgingSettings)
    doors: DoorSettings = field(default_factory=DoorSettings)
    door_queues: DoorQueueSettings = field(default_factory=DoorQueueSettings)
    group_formation: GroupFormationSettings = field(default_factory=GroupFormationSettings)
    jams: JamSettings = field(default_factory=JamSettings)
    making_way: MakingWaySettings = field(default_factory=MakingWaySettings)
    narrow_passages: NarrowPassageSettings = field(default_factory=NarrowPassageSettings)
    overtaking: OvertakingSettings = field(default_factory=OvertakingSettings)
    precedence: PrecedenceSettings = field(default_factory=PrecedenceSettings)
    slope_speed: SlopeSpeedSettings = field(default_factory=SlopeSpeedSettings)
