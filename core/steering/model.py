# SPDX-License-Identifier: GPL-3.0-or-later
"""What an avoidance model is, and which there are.

A new one is a row in `core/scene/avoidance_models.py` and a kernel of that name in `kernels/reference` that takes what
ORCA's takes; for speed, also its twin in `kernels/compiled`. A model that needs other input than ORCA has a class, as
`HumanLike`, and a row in `_CLASSES` below.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from ..scene.avoidance_models import HUMAN_LIKE, MODEL_NAMES, ORCA, POWER_LAW
from .bodies import Bodies
from .human_like import HumanLike, HumanLikeSettings, Vision
from .kernels.arrays import Bool, Float64
from .obstacles import ObstacleSegments
from .orca import KernelModel, Orca, OrcaSettings
from .power_law import PowerLaw, PowerLawSettings


class AvoidanceModel(Protocol):
    """How bodies avoid each other and obstacles."""

    @property
    def name(self) -> str:
        """As scene files and the panel call it."""
        ...

    @property
    def obstacle_horizon(self) -> float:
        """How far ahead obstacles matter, at most [s]: those farther away need not be given."""
        ...

    def new_velocity(self, bodies: Bodies, obstacles: ObstacleSegments, dt: float, asks: Bool | None = None) -> Float64:
        """The velocities that all bodies take for the next step, all from the same state.

        All are in `bodies`, also those whom the model only has to avoid: these avoid nobody, and what it returns for
        them is not used. (Two sets, as in "bodies, others", would be joined again before each search for neighbours.)

        Args:
            bodies: A bodies.
            obstacles: those in reach.
            dt: length of the step [s].
            asks: bool (A,), for whom a velocity is wanted; None for everybody. That of the others is not to be used.

        Returns:
            float64 (A, 2) [m/s].
        """
        ...


@dataclass(frozen=True)
class ModelSettings:
    """Settings of all avoidance models.

    Attributes:
        orca: how far ahead and whom ORCA avoids; also what models that are a kernel alone are given.
        vision: how far those look who look along headings.
        human_like: how they decide.
        power_law: how much expected contacts count for those who minimise an energy.
    """

    orca: OrcaSettings = field(default_factory=OrcaSettings)
    vision: Vision = field(default_factory=Vision)
    human_like: HumanLikeSettings = field(default_factory=HumanLikeSettings)
    power_law: PowerLawSettings = field(default_factory=PowerLawSettings)


_CLASSES: dict[str, Callable[[ModelSettings, str], AvoidanceModel]] = {
    ORCA: lambda settings, backend: Orca(settings.orca, backend),
    HUMAN_LIKE: lambda settings, backend: HumanLike(settings.vision, settings.human_like, backend=backend),
    POWER_LAW: lambda settings, backend: PowerLaw(settings.power_law, backend),
}


def _kernel_model(name: str) -> Callable[[ModelSettings, str], AvoidanceModel]:
    return lambda settings, backend: KernelModel(name, settings.orca, backend)


MODELS: dict[str, Callable[[ModelSettings, str], AvoidanceModel]] = {
    name: _CLASSES.get(name) or _kernel_model(name) for name in MODEL_NAMES
}
"""By name, in the order of the numbers in `Agents.model`: what makes a model of its settings and the backend's name."""
