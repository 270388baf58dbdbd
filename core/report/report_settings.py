# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of reports: what counts as a stop, and how bad a fault must be to be listed. Chosen, where no source is."""

from __future__ import annotations

import math
from dataclasses import dataclass, field


@dataclass(frozen=True)
class VisibleFaults:
    """Amounts at which a fault becomes visible: its severity is then 1.

    Attributes:
        overlap: two bodies overlap by [m].
        wall_depth: a body reaches into an obstacle by [m].
        stop: a person stands [s].
        wait: somebody waits for a recorded reason, a queue at a door or people on a crossing [s]; chosen: in 29 s
            before a door of 0.8 m, 40 people are held up for 27 s at most.
        creep: a person on their way goes much more slowly than they can [s]; chosen: a stop is seen sooner.
        face_off: two people stand in each other's way [s].
        not_arrived: share of people who do not arrive.
        delay: travel takes longer than alone by this share.
        stopped: share of time that people stand.
        acceleration: 99th percentile [m/s2].
        group_spread: 95th percentile of the distance to the middle of the group [m].
        stance: share of the time of walking that each foot stands, mean of both; people who have less glide. Walking
            people have 0.6 (Winter 1991), running ones 0.35.
        sunk: soles of somebody as tall as people reach into the ground by [m]; chosen: the tip of a shoe is as thick.
        aloft: both feet of somebody who walks are over the ground by [m]; chosen.
        clipping: bodies, as they are seen, intersect in all for [s], if they are as deep as the next; so in obstacles.
        clipping_depth: they intersect by [m]; chosen: less is lost in clothes and in the space between limbs.
        deep_clipping: they intersect by [m], however briefly; chosen.
        frozen: a person stands for no reason [s].
        spin: a person turns on the spot by [rad]; half a turn and less is none.
        shake: velocity or heading shakes [s].
        behind: a person walks on somebody's heels, while there is room [s].
        backwards: a person walks with the back ahead for [m]; half of it is a step back to give way.
        crossed: feet cross by [m].
        scuffed: a free foot slides back near the ground by [m].
        skating: a flat foot drags over the ground, or both feet move at once, by [m]; half of it is a foot that lands.
        hanging: a foot hangs in the air while its person stands [s].
        statue: a person stands without any motion of the hips [s].
    """

    overlap: float = 0.05
    wall_depth: float = 0.02
    stop: float = 5.0
    wait: float = 60.0
    creep: float = 6.0
    face_off: float = 3.0
    not_arrived: float = 0.1
    delay: float = 0.3
    stopped: float = 0.1
    acceleration: float = 3.0
    group_spread: float = 4.0
    stance: float = 0.4
    sunk: float = 0.03
    aloft: float = 0.03
    clipping: float = 0.3
    clipping_depth: float = 0.08
    deep_clipping: float = 0.15
    frozen: float = 3.0
    spin: float = 1.5 * math.pi
    shake: float = 1.0
    behind: float = 5.0
    backwards: float = 1.0
    crossed: float = 0.12
    scuffed: float = 0.16
    skating: float = 0.2
    hanging: float = 1.0
    statue: float = 6.0


@dataclass(frozen=True)
class BodySettings:
    """Bodies as they are seen. Measured: the meshes of the built-in figures in 560 poses of their walk.

    Attributes:
        half_width: over the radius of the body; the figures' trunks with arms reach 0.25 m to the sides and 0.13 m
            ahead and behind, 0.19 m on average, at a mean radius of 0.235 m.
        reach_ahead, reach_behind: how far feet and hands reach beyond this, on average over a cycle [m].
        full_speed: at this speed and more; less in proportion at less [m/s].
        search: people whose characters are known are looked at where their middles are nearer than twice this [m].
        least_depth: characters that are as deep in each other are seen to intersect [m]; tuned against their meshes.
        looks_per_second: how often it is seen whether they are in obstacles; chosen: a hand passes a pillar in 0.2 s.
    """

    half_width: float = 0.8
    reach_ahead: float = 0.15
    reach_behind: float = 0.06
    full_speed: float = 1.1
    search: float = 0.6
    least_depth: float = 0.0
    looks_per_second: float = 12.0


@dataclass(frozen=True)
class ConductSettings:
    """What no person does.

    Attributes:
        near: nearer than this is on somebody's heels [m]; of recorded people on streets, 0.2 to 6 % have somebody as
            near ahead (measured: ETH and UCY, Pellegrini et al. 2009, Lerner et al. 2007).
        straight: cosine of the largest angle at which somebody is straight ahead.
        in_the_way: cosine of the largest angle at which somebody is in the way.
        head_on: cosine of the largest angle at which two are in each other's way.
        least_wish: who wants to move faster wants to go somewhere, if slowly for those ahead [m/s].
        standing_speed, walking_speed: who is slower stands, who is faster walks [m/s].
        still_speed: who is slower stands, and does not even drift [m/s].
        wished_speed: who wants to be faster wants to go [m/s].
        room_ahead: so far ahead the path must be free of obstacles [m].
        spin_times: times within which turns are measured [s].
        spot: a turn within this distance is a turn on the spot [m].
        most_of_a_turn: who turns by less than this [rad] and walks on that way has turned to what is behind.
        onwards: this far after the turn at least, within the time of the shortest turn [m].
        shake_time: changes over this time [s] that are undone in the next are shaking: three swings a second and more.
        shake_acceleration, shake_turn: if both exceed these, [m/s2] and [rad/s]; the 99th percentiles of recorded
            people are 0.7 and 1.
        shake_share: share of a second.
    """

    near: float = 0.75
    straight: float = 0.9
    in_the_way: float = 0.3
    head_on: float = 0.7
    least_wish: float = 0.01
    standing_speed: float = 0.1
    walking_speed: float = 0.5
    still_speed: float = 0.02
    wished_speed: float = 0.3
    room_ahead: float = 0.5
    spin_times: tuple[float, ...] = (1.5, 4.0)
    spot: float = 0.6
    most_of_a_turn: float = 1.5 * math.pi
    onwards: float = 0.3
    shake_time: float = 0.125
    shake_acceleration: float = 1.5
    shake_turn: float = 1.5
    shake_share: float = 0.4


@dataclass(frozen=True)
class ReportSettings:
    """What is measured and listed.

    Attributes:
        standing_speed: slower agents count as stopped [m/s].
        held_up_speed: who has stopped and is slower than this is still held up [m/s].
        creeping_speed, creeping_share: who is slower than this speed [m/s], and than this share of the fastest that
            they go in the bake, creeps; chosen: where there are 2.2 people to the square metre, they go as slowly
            (Weidmann 1993). Who is never twice as fast as `held_up_speed` does not creep, but walks so.
        unhindered_share: who goes faster than this share of what they want at that moment does not creep; chosen.
        running_speed: of runners, who are faster than this, that share alone counts [m/s]; people of 1.75 m change
            from a walk to a run at some 2 m/s (Alexander 1989).
        running_share: while they want to go faster than this share of the fastest that they go. Measured: joggers at
            2.1 to 3.0 m/s behind people at 1.0 m/s want some 0.7 of it every second or two, who go on after a trigger
            that doubled their pace half of it, and on stairs less.
        pause: halts with a shorter time between them are one, and so are times of creeping [s].
        moving_speed: slip is measured above this speed [m/s].
        box_spacing: distance between points along a box's edge that are tested for contact with obstacles [m].
        visible: amounts at which faults become visible.
        refused_severity: least severity of having no route: it is worse than a long stop.
        glide_severity: of a character that glides: it is worse than anything that happens to single people.
        waiting_share: who waits for a recorded reason for this share of a halt waits for all of it; chosen.
        least_severity: less severe events are not listed.
        least_clipping: two people who intersect are counted and listed if they do so by this [m], or for a second.
        least_conduct: less severe events of feet and soles, freezing, creeping, shaking and walking behind are not
            listed: they pass.
        most_events: events of each kind that are listed; the others are counted.
        body: how bodies are seen.
        conduct: what no person does.
    """

    standing_speed: float = 0.1
    held_up_speed: float = 0.25
    creeping_speed: float = 0.5
    creeping_share: float = 0.5
    unhindered_share: float = 0.9
    running_speed: float = 2.0
    running_share: float = 0.6
    pause: float = 1.5
    moving_speed: float = 0.2
    box_spacing: float = 0.25
    visible: VisibleFaults = field(default_factory=VisibleFaults)
    refused_severity: float = 4.0
    glide_severity: float = 100.0
    waiting_share: float = 0.25
    least_severity: float = 0.2
    least_clipping: float = 0.01
    least_conduct: float = 0.5
    most_events: int = 200
    body: BodySettings = field(default_factory=BodySettings)
    conduct: ConductSettings = field(default_factory=ConductSettings)


@dataclass(frozen=True)
class VisibleChange:
    """How much a person must move differently between two runs for the change to be visible.

    Attributes:
        distance: [m].
        turn: of the heading [rad].
        last_moments: before the end of a run that a longer one continues, in which motion leads on [s].
    """

    distance: float = 1e-3
    turn: float = 1e-2
    last_moments: float = 1.0


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
