# SPDX-License-Identifier: GPL-3.0-or-later
"""The denser the crowd ahead, the lower the preferred speed.

Avoidance alone keeps people apart without slowing them: a dense stream would keep any speed. People in a stream leave
room for steps. People who walk in the opposite direction or cross do not count: they are passed. Nor do members of the
same group, who walk close on purpose.
People on drawn routes are slowed, and people with routes of their own whose avoidance model is `human_like`: these find
gaps in which they would hardly slow down, and block each other where two streams meet. The other two models slow down
by themselves as much. Right before a door nobody with a route of their own is slowed: fewer would get through.

Source: Weidmann 1993, "Transporttechnik der Fussgaenger": walking speed over density.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Float64, Int64
from ...compiled import twins
from ...geometry.reproducible_math import exp, length, share_within
from ...scene import MODEL_NAMES
from ...scene.avoidance_models import HUMAN_LIKE
from ...steering.neighbours import NearPairs, both_ways
from ..settings.behaviour_settings import DensitySpeedSettings
from ..world.agents import WALKING
from ..world.doing import Doing
from .behaviour import Step
from .door_queues import DoorQueues

FINDS_GAPS = MODEL_NAMES.index(HUMAN_LIKE)
"""The model that hardly slows down in a dense stream."""


def crowd_ahead(
    position: Float64,
    near: NearPairs,
    direction: Float64,
    group: Int64,
    settings: DensitySpeedSettings,
) -> tuple[Float64, Int64]:
    """Return the density of strangers ahead who walk in much the same direction.

    People in an ellipse ahead count, most in its middle and less towards its edge, so that the density is continuous.

    Args:
        position: float64 (R, 2) [m].
        near: which of them are near each other.
        direction: float64 (R, 2), unit vectors; zero for people who stand and do not count.
        group: int64 (R,), number of the group of each; -1 for people who walk alone.
        settings: of the ellipse.

    Returns:
        The density, float64 (R,) [1/m2], and who counts most in it, int64 (R,), -1 for nobody.
    """
    kernels, same, other_direction = twins.twin(twins.PAIRS), settings.cos_same_direction, settings.cos_other_direction
    if kernels is not None:
        numbers = np.array([settings.reach, settings.half_breadth, same, other_direction])
        weight, most = kernels.crowd_ahead(near.searched(settings.reach), position, direction, group, numbers)
        return weight / settings.area, most
    (x, y), (forward_x, forward_y) = position.T, direction.T
    first, second = near.within(0.5 * settings.reach)
    cosine = forward_x[first] * forward_x[second] + forward_y[first] * forward_y[second]
    counts = (cosine > other_direction) & ((group[first] < 0) | (group[first] != group[second]))
    first, second, cosine = first[counts], second[counts], cosine[counts]
    alike = np.minimum((cosine - other_direction) / (same - other_direction), 1.0)
    who, other = both_ways(first, second)
    apart_x, apart_y, forward_x, forward_y = x[other] - x[who], y[other] - y[who], forward_x[who], forward_y[who]
    ahead = apart_x * forward_x + apart_y * forward_y
    beside = apart_y * forward_x - apart_x * forward_y
    weight = 1.0 - (2.0 * ahead / settings.reach - 1.0) ** 2 - (beside / settings.half_breadth) ** 2
    weight = np.tile(alike, 2) * np.maximum(weight, 0.0)
    most = np.full(len(position), -1)
    counted = (weight > 0.0).nonzero()[0]
    order = counted[np.argsort(weight[counted], kind="stable")]
    most[who[order]] = other[order]  # the last one counts
    return np.bincount(who, weight, len(position)) / settings.area, most


def share_of_speed(density: Float64, settings: DensitySpeedSettings) -> Float64:
    """Return float64 (R,), the share of their free speed at which people walk at a density [1/m2]."""
    dense = density.clip(1e-3, settings.greatest_density)
    return 1.0 - exp(-settings.steepness * (1.0 / dense - 1.0 / settings.jam_density))


class DensitySpeed:
    """Adapts the pace of people in streams to the density ahead, and of all people to `Step.pace_shares`.

    Args:
        settings: how people slow down.
        door_queues: nobody is slowed who is close to the door ahead, where others wait, too.
        recorded_change: a change of the pace by more than this is recorded [m/s].
    """

    def __init__(self, settings: DensitySpeedSettings, door_queues: DoorQueues, recorded_change: float) -> None:
        self._settings, self._door_queues, self._recorded_change = settings, door_queues, recorded_change

    def act(self, step: Step) -> None:
        """Set `agents.pace`, from which the next preferred velocities follow."""
        agents, rows, settings = step.agents, step.rows, self._settings
        finds_gaps = agents.model[rows] == FINDS_GAPS
        streaming = agents.avoids[rows] & (~agents.have_goals(rows) | finds_gaps)
        streaming &= self._door_queues.distance[rows] > settings.door_distance
        if not step.pace_shares and not streaming.any():
            return
        speed = length(step.along_path)
        walking = (agents.status[rows] == WALKING) & (speed > 0.0)
        direction = np.where(walking[:, None], step.along_path / np.maximum(speed, 1e-9)[:, None], 0.0)
        ahead, most = crowd_ahead(
            agents.position.take(rows, 0), step.around.near, direction, agents.group[rows], settings
        )
        share = np.where(streaming, share_of_speed(ahead, settings), 1.0)
        wanted = share * agents.wanted_speed[rows]
        slowed = walking & (most >= 0) & (agents.wanted_speed[rows] - wanted > self._recorded_change)
        step.record(slowed, Doing.FOLLOWING, rows[most[slowed]])
        for other_share in step.pace_shares:
            wanted *= other_share
        agents.pace[rows] += (wanted - agents.pace[rows]) * share_within(step.dt, settings.smoothing_time)
