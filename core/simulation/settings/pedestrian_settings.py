# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of `simulation/pedestrians`: the step of people.

Unless a source is named, a value was chosen by trial on the example scenes.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class AvoidanceReasonSettings:
    """When and because of whom a person is recorded as avoiding somebody; without any effect on motion.

    Attributes:
        recorded_change: avoidance is recorded where it changes the preferred velocity by more than this [m/s].
        reach: people count whose bodies are nearer than this [m].
        time_horizon: a person counts whom the preferred velocity would touch within this time [s].
        clearance: room that bodies keep between them [m].
        cos_ahead: cosine of the angle to the preferred velocity within which somebody is ahead.
        held_up_share: with less than this share of the wanted speed, a person is held up.
    """

    recorded_change: float = 0.1
    reach: float = 1.5
    time_horizon: float = 1.0
    clearance: float = 0.04
    cos_ahead: float = 0.4
    held_up_share: float = 0.3


@dataclass(frozen=True)
class ClosureSettings:
    """How the obstacle that blocks a path is found; for notices, without any effect on motion.

    Attributes:
        spacing: distance between the places at which the path ahead is checked [m].
        beside_distance: where the path ahead is free, an obstacle within this distance beside the person counts [m].
    """

    spacing: float = 0.1
    beside_distance: float = 3.0


@dataclass(frozen=True)
class FacingSettings:
    """How bodies turn.

    Attributes:
        lead_time: the body turns into a bend so long before the path does [s] (Grasso et al. 1998, Imai et al. 2001).
        greatest_lead: greatest angle between the body and the path for that [rad].
        angular_acceleration: greatest change of the rate at which a body turns [rad/s2].
        calm_turn_rate: turn rate of a person in no hurry, at most [rad/s]; of recorded people on streets the 99th
            percentile is 1 (measured: ETH and UCY).
        door_turn_rate: and that of everybody close to a door, at most [rad/s]: by trial, so that of people at doors it
            is 1.5.
        hurried_speed: from this speed on, or if they want to walk so fast, people turn faster [m/s],
        full_turn_speed: and from this one on at `SimulationSettings.max_turn_rate` [m/s].
        smoothing_time: the measured rate at which the preferred direction turns is smoothed over this time [s].
        least_radius_share: people on the inside of a bend count as no nearer to its centre than this share of its
            radius.
        cos_ahead: cosine of the angle between body and velocity up to which people walk freely,
        cos_behind: and from which on they take small steps, to the side or back, while they turn,
        step_speed: no faster than this [m/s].
        side_step_speed: close to a door people step to the side, up to `cos_behind`, at up to this speed [m/s],
        cos_back: and from this cosine on, nearly straight back, at no more than `step_speed`.
        aside_speed: people whom others call back from a door, and who go more slowly than this, turn to the side at
            most: so far that straight back is a step to the side [m/s].
        side_weight: they keep to the side to which they look, unless the way that they want to go leads to the other
            side by more than this [sine of the angle to their path].
        sidling_speed: slower people face where they want to go, and not where they step [m/s].
    """

    lead_time: float = 0.2
    greatest_lead: float = 0.2
    angular_acceleration: float = 10.0
    calm_turn_rate: float = 1.8
    door_turn_rate: float = 1.35
    hurried_speed: float = 1.6
    full_turn_speed: float = 2.0
    smoothing_time: float = 0.12
    least_radius_share: float = 0.25
    cos_ahead: float = 0.64
    cos_behind: float = -0.17
    step_speed: float = 0.2
    side_step_speed: float = 0.55
    cos_back: float = -0.34
    aside_speed: float = 0.8
    side_weight: float = 0.3
    sidling_speed: float = 0.4


@dataclass(frozen=True)
class HeadwaySettings:
    """How people keep a distance to whoever walks ahead; their time gaps belong to crowds, see `core.scene.Crowd`.

    Attributes:
        spread: time gaps of single people differ by up to this share.
        creep: nobody is slowed below this: avoidance alone stops people [m/s].
        anticipation: people who will have left the band within this time do not count [s] (Xu et al. 2021).
        full_speed: people who want to walk more slowly count as facing nowhere, the more the slower [m/s].
        full_share: of two who converge, the one with the other less ahead slows down less; wholly from this share on.
        same_direction: cosine of the angle between two directions from which on somebody ahead counts wholly.
        opening: behind somebody who walks away faster than the gap to them allows, so much of the difference is
            allowed as well: whoever is overtaken falls back gently. In the equilibrium of the full velocity difference
            model it is lambda / (kappa + lambda) (Jiang, Wu and Zhu 2001). Chosen by trial on squares and streams.
        sparse_pace: but not where the crowd is so dense that their pace is less than this share of their wanted speed:
            streams would close up until bodies touch. Chosen by trial on closed loops.
        door_distance, throng: people press on where so many are nearer than this to a door [m],
        end_distance: and people nearer than this to where they stop [m].
        recorded_change: people slowed by more than this are recorded as following [m/s]; without effect on motion.
    """

    spread: float = 0.2
    creep: float = 0.3
    anticipation: float = 1.0
    full_speed: float = 0.3
    full_share: float = 0.6
    same_direction: float = 0.7
    opening: float = 0.55
    sparse_pace: float = 0.95
    door_distance: float = 3.0
    throng: int = 4
    end_distance: float = 2.0
    recorded_change: float = 0.1


@dataclass(frozen=True)
class NoticeSettings:
    """What notices say about people; without any effect on motion.

    Attributes:
        reported_slowing: bends are reported that slow people down below this share of their preferred speed.
        bend_spacing: distance between the places at which the speed in bends is checked [m].
        hardly_advancing: people with less than this share of their preferred speed have hardly advanced.
        unhindered: people with more than this share of it are not held up.
        shortest_walk: people who entered less than this before the last frame have no speed yet [s].
    """

    reported_slowing: float = 0.8
    bend_spacing: float = 0.1
    hardly_advancing: float = 0.05
    unhindered: float = 0.9
    shortest_walk: float = 0.5


@dataclass(frozen=True)
class OverlapRemovalSettings:
    """How bodies that overlap are separated.

    Attributes:
        speed: greatest speed at which each of two bodies is moved away from the other [m/s].
        iterations: number of times that all overlaps are corrected in a step, at most.
    """

    speed: float = 0.5
    iterations: int = 10


@dataclass(frozen=True)
class PressingSettings:
    """How people whom a moving obstacle presses push others.

    Attributes:
        longest_push: an obstacle that moves by more in a step is followed at several moments of it [m].
        most_moments: at no more than so many.
        iterations: number of times that bodies and obstacles are corrected in turn, at most.
        tolerance: overlaps of bodies that are left [m].
        reach: people whose bodies are within twice this distance may come to touch in a step [m].
        precedence: of two bodies the one nearer to the obstacle makes this much less than half of the correction.
    """

    longest_push: float = 0.1
    most_moments: int = 20
    iterations: int = 60
    tolerance: float = 0.001
    reach: float = 0.2
    precedence: float = 0.25


@dataclass(frozen=True)
class SmoothingSettings:
    """How the recorded motion of people is smoothed.

    Attributes:
        width: standard deviation of the Gaussian filter that is applied [s]. Of a motion at 1 Hz two thirds are left,
            at 2 Hz a twentieth.
        reach: the filter ends so far from its middle [s].
        entering_speed: who appears and moves faster than this walks already; others start from rest, and the filter
            fades in [m/s].
        greatest_shift: nobody is moved by more than this [m].
        tolerance: overlaps and walls may grow by this [m].
        corrections: who would be moved into a body or a wall is moved out of it again, up to so often.
        fading_time: these corrections, or the filter where they are not enough, fade out within this time [s].
        fractions: how much of the filter is left there, in turn, until nobody is moved into a body or a wall.
    """

    width: float = 0.22
    reach: float = 0.8
    entering_speed: float = 0.5
    greatest_shift: float = 0.1
    tolerance: float = 1e-4
    corrections: int = 12
    fading_time: float = 0.35
    fractions: tuple[float, ...] = (0.5, 0.5, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class StepRoomSettings:
    """Who is held up stands, or takes a step, and does not shuffle.

    Attributes:
        rest_speed: who is slower than this stands [m/s],
        start_speed: and stays standing while others would only let them walk more slowly than this [m/s].
        stop_speed: who walks stops where others would only let them walk more slowly than this [m/s].
        room: somebody holds up another who has less than this between their bodies [m],
        cos_ahead: and is ahead: within the angle with this cosine from where they want to go.
        patience: who has stood for so long [s]
        step_time: moves at any speed for so long [s], so that others get past who need little room.
    """

    rest_speed: float = 0.05
    start_speed: float = 0.25
    stop_speed: float = 0.15
    room: float = 0.3
    cos_ahead: float = 0.5
    patience: float = 1.0
    step_time: float = 0.7


@dataclass(frozen=True)
class WholeStepSettings:
    """How people who creep stand and step instead, in the recorded motion; chosen by trial at a door, see crowds.md.

    Attributes:
        still_speed: who is slower than this stands [m/s].
        walking_speed: who is between these two speeds creeps [m/s].
        longest_creeping: who creeps for longer than this steps instead [s],
        slow_speed: until they are faster than this again [m/s]. Who wants to walk no faster never does.
        step_length: length of a step [m]. Who is slow takes shorter ones, who is fast longer ones.
        step_time: duration of a step, and how far ahead its end is looked for [s].
        passes: how often those who creep are searched.
    """

    still_speed: float = 0.02
    walking_speed: float = 0.2
    longest_creeping: float = 0.7
    slow_speed: float = 0.25
    step_length: float = 0.1
    step_time: float = 0.65
    passes: int = 2


@dataclass(frozen=True)
class PedestrianSettings:
    """How the step of people is put together.

    Attributes:
        reported_displacement: people moved out of an obstacle by more than this at the start are reported [m].
        push_noticed: who is pushed farther than this in a step makes everybody decide anew at once [m]. Chosen by trial
            where doors press people.
        firm_yields: of two bodies that overlap, who stands because they want to is moved by this share of what the
            other is; two who both stand are moved alike.
        entry_gap: free room that a person needs to enter, beyond both bodies [m].
        avoidance_reasons, closures, facing, headway, notices, overlap_removal, pressing, smoothing, stepping,
            whole_steps: settings of these tasks.
    """

    reported_displacement: float = 0.02
    push_noticed: float = 0.001
    firm_yields: float = 1e-3
    entry_gap: float = 0.2
    avoidance_reasons: AvoidanceReasonSettings = field(default_factory=AvoidanceReasonSettings)
    closures: ClosureSettings = field(default_factory=ClosureSettings)
    facing: FacingSettings = field(default_factory=FacingSettings)
    headway: HeadwaySettings = field(default_factory=HeadwaySettings)
    notices: NoticeSettings = field(default_factory=NoticeSettings)
    overlap_removal: OverlapRemovalSettings = field(default_factory=OverlapRemovalSettings)
    pressing: PressingSettings = field(default_factory=PressingSettings)
    smoothing: SmoothingSettings = field(default_factory=SmoothingSettings)
    stepping: StepRoomSettings = field(default_factory=StepRoomSettings)
    whole_steps: WholeStepSettings = field(default_factory=WholeStepSettings)
