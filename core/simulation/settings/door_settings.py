# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of doors: what counts as one on a path, and how people queue there.

Unless a source is named, a value was chosen by trial on the example scenes.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DoorSettings:
    """What counts as a door on a path.

    Attributes:
        greatest_width: wider openings are not doors [m].
        narrowing: a door is narrower than the path before it by this factor at least.
        look_behind, look_ahead: the stretch of the path that is examined [m].
        spacing: distance between the places at which it is examined [m].
        width_tolerance: a place that is at most so many times as wide as the narrowest place within the next metre
            is the beginning of the door.
        search_ahead: straight paths are searched so far ahead at a time [m],
        line_ahead: drawn lines only about so far ahead of people as they plan, so that what is moved farther on can be
            baked again from there on [m],
        line_piece: in pieces of this length [m].
        chord_angles: the width of a straight path is measured in these directions, from square to it [rad],
        touch: up to obstacles nearer than this beside the chord [m],
        tracing_steps: in so many steps at most.
    """

    greatest_width: float = 2.6
    narrowing: float = 0.85
    look_behind: float = 3.0
    look_ahead: float = 8.0
    spacing: float = 0.2
    width_tolerance: float = 1.05
    search_ahead: float = 16.0
    line_ahead: float = 5.0
    line_piece: float = 1.0
    chord_angles: tuple[float, ...] = (0.0, -0.7, 0.7)
    touch: float = 0.12
    tracing_steps: int = 6

    @property
    def steps_a_metre(self) -> int:
        """How many places lie within a metre."""
        return round(1.0 / self.spacing)


@dataclass(frozen=True)
class DoorQueueSettings:
    """How people queue at doors.

    Attributes:
        specific_flow: turns that are given at a door for each metre of its width [1/m/s]. Chosen by trial: people
            need time to start, and 1.5 to 1.9 go through, as Seyfried et al. 2009 counted.
        queue_density: greatest density of people who wait before a door [1/m2].
        same_door_distance: places nearer to each other than this belong to one door [m].
        greatest_asymmetry: the wall opposite a door's nearest side is no farther off than this share of half its width.
        steps_between_checks: people check the paths ahead once in so many steps.
        closing_up_time: people who stand farther back than necessary close up within this time [s].
        smoothing_time: the speed follows a person's turn within this time [s].
        free_speed_factor: so many times their speed holds back nobody.
        body_lane: share of a door's width that one person takes [m].
        weight_beside: distance beside a door's axis counts so many times.
        queue_shape: area of what lies nearer than 1 m, counted so [m2].
        own_turn: it is a person's turn when fewer than this are to pass before.
        insisting_distance: whose turn it is insists when the door is nearer than this [m]. By trial: with 1.2, a throng
            at a door of 0.8 m in which nobody had come nearer stood for ever, in one of 24 runs.
        own_turn_distance: nearer to the door than this, it may soon be anybody's turn [m].
        turn_advantage: only a person nearer by more than this takes over the turn [m];
        turn_time: but anybody nearer once nobody has passed for so long: they stand in the opening [s].
        patience: when nobody whose turn it is has passed for so long, others advance too [s].
        arch_time: when nobody at all has for so long, one at a time has the turn and others near step back [s].
        step_back_tolerance: people nearer than their turn allows by more than this step back [m].
        step_back_distance: but only nearer to the door than this [m].
        step_back_speed: greatest speed of stepping back [m/s].
        lead_in_distance: from so far before it on, people on drawn lines beside a door walk to its opening [m],
        edge: with so much room to its edge [m].
        close_distance: who is nearer to a door than this, before it or behind, moves as in a throng [m].
    """

    specific_flow: float = 3.2
    queue_density: float = 2.75
    same_door_distance: float = 0.5
    greatest_asymmetry: float = 0.5
    steps_between_checks: int = 8
    closing_up_time: float = 0.7
    smoothing_time: float = 0.2
    free_speed_factor: float = 1.5
    body_lane: float = 0.8
    weight_beside: float = 3.0
    queue_shape: float = 0.41
    own_turn: float = 1.0
    insisting_distance: float = 2.0
    own_turn_distance: float = 1.2
    turn_advantage: float = 0.4
    turn_time: float = 0.75
    patience: float = 1.5
    arch_time: float = 2.5
    step_back_tolerance: float = 0.15
    step_back_distance: float = 2.0
    step_back_speed: float = 0.2
    lead_in_distance: float = 4.0
    edge: float = 0.05
    close_distance: float = 3.0
