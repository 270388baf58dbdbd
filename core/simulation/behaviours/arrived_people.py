# SPDX-License-Identifier: GPL-3.0-or-later
"""People who have arrived make room for others who arrive."""

from __future__ import annotations

import numpy as np

from ...geometry.reproducible_math import heading_vector
from ...steering.neighbours import both_ways
from ..settings.behaviour_settings import ArrivedPeopleSettings
from ..world.agents import ARRIVED, WALKING
from ..world.doing import Doing
from .behaviour import Step


class ArrivedPeople:
    """Lets people who have arrived step away from others, and forward.

    Nobody can reach a goal on which another person stands: people who stand move away from the people near them, and a
    little in their walking direction, so that a crowd at the end of its path spreads out beyond it.

    Args:
        settings: how much room they make, and how fast.
    """

    def __init__(self, settings: ArrivedPeopleSettings) -> None:
        self._settings = settings

    def act(self, step: Step) -> None:
        """Let people who have arrived make room."""
        agents, rows, settings = step.agents, step.rows, self._settings
        standing = agents.status[rows] == ARRIVED
        if not standing.any():
            return
        space = settings.personal_space * np.where(agents.status[rows] == WALKING, 2.0, 1.0)
        position, radius = agents.position[rows], agents.radius[rows]
        who, by = both_ways(*step.around.near.within(radius + space))
        pressed = standing[who]
        who, by = who[pressed], by[pressed]
        apart = position[who] - position[by]
        distance = np.sqrt((apart * apart).sum(axis=1))
        gap = distance - radius[who] - radius[by]
        pressure = np.clip(1.0 - gap / (space[who] + space[by]), 0.0, 1.0)
        push = np.zeros_like(step.preferred)
        np.add.at(push, who, pressure[:, None] * apart / np.maximum(distance, 1e-9)[:, None])
        most = np.zeros(len(rows))
        np.maximum.at(most, who, pressure)
        forward = heading_vector(agents.heading[rows])
        direction = push + 0.5 * most[:, None] * forward
        length = np.sqrt((direction * direction).sum(axis=1))
        aside = direction * (settings.step_aside_speed * most / np.maximum(length, 1e-9))[:, None]
        makes_room = standing & (most > settings.pressure_threshold)
        step.preferred = np.where(makes_room[:, None], aside, step.preferred)
        nearest = np.zeros(len(rows), dtype=np.int64)
        order = np.argsort(pressure, kind="stable")
        nearest[who[order]] = by[order]  # the last one counts: the greatest pressure
        step.record(makes_room, Doing.MAKING_WAY, rows[nearest[makes_room]])
