# SPDX-License-Identifier: GPL-3.0-or-later
"""The protocol of behaviours: they change the preferred velocities of a time step, and record why.

    class Behaviour:
        act(step)      changes `step.preferred`; calls `step.record(...)` for the people it acts on

A new behaviour is one file in this folder, and one row of the tuple `Pedestrians.behaviours`, whose order counts. If
none of the activities in `doing.py` describes it, add one there; docs/manual/scripting.md lists them for users.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ...array_types import Bool, Float64, Int64
from ...geometry.reproducible_math import length2
from ...planning import ReferenceSet
from ...steering.neighbours import NearPairs
from ..world.agents import Agents
from ..world.doing import NOBODY, Doing
from ..world.environment import Environment
from ..world.heroes import HeroBodies
from ..world.static_ground import StaticGround


class Surroundings(NamedTuple):
    """What is round the R people present at one moment, gathered once for all who ask.

    Attributes:
        given: heroes, and bystanders nearby.
        near: the pairs of people near each other; those of `given` are numbered after the people present.
        in_heroes_path: bool (R,), whether each is in the path of a hero.
    """

    given: HeroBodies
    near: NearPairs
    in_heroes_path: Bool


@dataclass(eq=False)
class Step:
    """One time step of the R people present.

    Attributes:
        agents: all agents; bodies with a delay have their predicted states.
        rows: int64 (R,), the people present.
        time, dt: now, and the length of the step [s].
        paths: the reference paths.
        world: obstacles, heroes and vehicles.
        ground: the obstacles that stand now.
        preferred: float64 (R, 2), preferred velocity, which behaviours replace in turn [m/s].
        doing: int8 (R,), a `Doing` each, of the behaviour that acted last.
        position, velocity: float64 (A, 2), of all agents now, without prediction [m, m/s].
        around: what is round those present; as predicted while behaviours act, and then as it is now.
        along_path: float64 (R, 2), preferred velocity as it was before any behaviour [m/s].
        because_of: int64 (R,), row of the agent that is the reason; `NOBODY` for none.
        insists: bool (R,), who does not give way while held up: others see them as on the way already.
        squeezes: bool (R,), who of those who insist passes others as if all were narrower.
        jammed: bool (R,), who has been blocked for long, and avoids others as ORCA does.
        hurries: bool (R,), who flees or runs from now on: their bodies may be abrupt.
        pace_shares: float64 (R,) each, shares of the wanted speed that `DensitySpeed` multiplies to the pace.
    """

    agents: Agents
    rows: Int64
    time: float
    dt: float
    paths: ReferenceSet
    world: Environment
    ground: StaticGround
    preferred: Float64
    doing: NDArray[np.int8]
    position: Float64
    velocity: Float64
    around: Surroundings
    along_path: Float64 = field(init=False)
    because_of: Int64 = field(init=False)
    insists: Bool = field(init=False)
    squeezes: Bool = field(init=False)
    jammed: Bool = field(init=False)
    hurries: Bool = field(init=False)
    pace_shares: list[Float64] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self.along_path = self.preferred.copy()
        self.because_of = np.full(len(self.rows), NOBODY, dtype=np.int64)
        self.insists = np.zeros(len(self.rows), dtype=bool)
        self.squeezes = np.zeros(len(self.rows), dtype=bool)
        self.jammed = np.zeros(len(self.rows), dtype=bool)
        self.hurries = np.zeros(len(self.rows), dtype=bool)

    def record(self, some: Bool | Int64, doing: Doing | NDArray[Any], because_of: Int64 | int = NOBODY) -> None:
        """Record what some of the people present are doing.

        Args:
            some: bool (R,) or int64 (N,), which of them.
            doing: what they are doing, one for all or int (N,).
            because_of: int64 (N,), rows of the agents that are the reason, or one for all.
        """
        self.doing[some] = doing
        self.because_of[some] = because_of


class Behaviour(Protocol):
    """Changes the preferred velocities of people because of others."""

    def act(self, step: Step) -> None:
        """Change `step.preferred`, and record what people are doing, and because of whom."""
        ...


def changed_by(before: Float64, after: Float64, least: float) -> Bool:
    """Return bool (R,), whose velocities, float64 (R, 2), differ by more than `least` [m/s]."""
    change = after - before
    return length2(change) > least * least
