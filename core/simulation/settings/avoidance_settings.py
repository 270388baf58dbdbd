# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of `simulation/pedestrians/avoidance.py`: how people avoid each other and obstacles."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...steering.model import ModelSettings
from ...steering.symmetry import SymmetryBreaking


@dataclass(frozen=True)
class PathEdgeSettings:
    """How people who avoid others mind the edges of their drawn path; chosen by trial on streams that meet and cross.

    Attributes:
        time: nobody is pushed aside so fast that they would pass the edge within this time [s].
        passing_room: nobody's edge is nearer to the line than their radius and this [m]: two who meet on a narrow path
            need room to pass.
        room: people go over the edge if they would otherwise come nearer to others or obstacles than this [m],
        distance: the others are nearer than this now [m],
        foresight: within this time [s].
        least_progress: so do those to whom others leave less than this share of what they want.
    """

    time: float = 1.0
    passing_room: float = 0.1
    distance: float = 2.5
    room: float = 0.1
    foresight: float = 0.4
    least_progress: float = 0.65


@dataclass(frozen=True)
class AvoidanceSettings:
    """How people avoid each other and obstacles.

    Attributes:
        models: settings of the avoidance models.
        comfort: room kept round each body beyond its radius [m]. Chosen by trial on the example scenes.
        shoulder_room: additional room round those who walk, where the ground is free [m], for shoulders and swinging
            arms: meshes of the built-in figures intersect in 73% of the moments in which centres are 0.45 to 0.5 m
            apart, and in 3% at 0.6 to 0.65 m (measured). Who has a route of their own and is held up keeps less, and
            none at `full_progress` or below. Anticipate needs none.
        shoulder_room_from: nearer to obstacles than the first people keep none of it, as in doors, and from the second
            on all [m]. Chosen by trial at a door of 1.2 m between two routes.
        rolling_room: additional room round bodies on wheels, which cannot step aside at once [m] (Alonso-Mora et al.
            2010: the error with which they follow a velocity widens them). Chosen by trial.
        precedence: of two who meet, one makes up to twice this more of the change than half, and the other less.
            Chosen by trial; at most 0.25, see `core.steering.bodies`.
        weight_lead: how much more it counts for precedence to be in front of others than each one's drawn number.
            Chosen by trial at doors.
        side_distance: people on other courses decide on a side to pass within this distance [m]. Chosen by trial.
        side_neighbours: number of people considered for that, nearest first. Chosen: a full `side_distance` in a
            sparse crowd.
        share_of_space: people who would pass nearer than this share of both personal spaces turn aside. Chosen by
            trial: two who meet alone pass at 0.8 m between centres, as in recordings (ETH, UCY).
        door_distance: nearer to the door ahead than this nobody keeps personal space [m]. Chosen by trial at doors.
        insistence_speed: who is next at a door and slower than this insists: to others they move at this speed [m/s].
            Chosen by trial at doors.
        squeeze: who insists at a door presses so far into each person on the way, who gives way [m]. Chosen by trial:
            with 0 a throng at a door of 0.8 m stands for up to 7 s.
        progress_time: the share that people get of the velocity they want is averaged over this time [s];
        full_progress: with less than this share, people who avoid others as ORCA does look along headings instead, as
            Moussaid et al. 2011 do, for the way that takes least time,
        open_ground: where no obstacle is nearer than this [m]. ORCA finds the velocity nearest to the preferred one,
            and so nobody goes round a throng. Chosen by trial on people with random goals; where walls are near,
            recorded streams are slower than people who do so there.
        symmetry: how people on opposite courses decide on a side.
        path_edges: how people who avoid others mind the edges of their path.
    """

    models: ModelSettings = field(default_factory=ModelSettings)
    comfort: float = 0.02
    shoulder_room: float = 0.06
    shoulder_room_from: tuple[float, float] = (1.0, 3.0)
    rolling_room: float = 0.08
    precedence: float = 0.2
    weight_lead: float = 2.0
    side_distance: float = 8.0
    side_neighbours: int = 40
    share_of_space: float = 0.35
    door_distance: float = 5.0
    insistence_speed: float = 0.5
    squeeze: float = 0.02
    progress_time: float = 0.4
    full_progress: float = 0.85
    open_ground: float = 3.0
    symmetry: SymmetryBreaking = field(default_factory=SymmetryBreaking)
    path_edges: PathEdgeSettings = field(default_factory=PathEdgeSettings)

    @property
    def reach(self) -> float:
        """How far away others matter at most, apart from those of one's herd [m]."""
        models = self.models
        distances = (each.neighbour_distance for each in (models.orca, models.vision, models.power_law))
        return max(self.side_distance, *distances)
