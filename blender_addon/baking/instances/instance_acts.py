# SPDX-License-Identifier: GPL-3.0-or-later
"""What instances do besides walking: the pose that each shows at each frame, out of those of its clips."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....core.array_types import Float64, Int64
from ....core.motion.blending import Strides
from ...bakes.roles import RandomDraws, Role
from ...bakes.sampled_crowd import Samples
from ...characters.acts.act_clips import Repertoire
from ...characters.acts.acting import act_all
from ...characters.performances import Performance, Performances
from ..casting.character_keys import in_handfuls

_SHOWN = 0.5  # of its weight, from which on a clip is seen instead of what is under it; poses are not blended


class ActPoses(NamedTuple):
    """The poses of one clip: the number of the first, how many there are, and whether it begins again at its end."""

    first: int
    count: int
    is_cycle: bool

    def at(self, phase: Float64) -> Int64:
        """Return the numbers of the poses at phases of the clip."""
        if self.is_cycle:
            return self.first + np.floor(phase % 1.0 * self.count + 0.5).astype(np.int64) % self.count
        return self.first + np.rint(np.clip(phase, 0.0, 1.0) * (self.count - 1)).astype(np.int64)


class InstancedPeople(NamedTuple):
    """The people of a crowd of instances.

    Attributes:
        agents: int64 (N,), their rows in the trajectories.
        roles: which they play.
        characters: int64 (N,), numbers of their characters.
        strides: of their clips.
        start_phases: float64 (N,).
    """

    agents: Int64
    roles: Sequence[Role]
    characters: Int64
    strides: Strides
    start_phases: Float64

    def take(self, some: Int64) -> InstancedPeople:
        """Return some of them."""
        roles = [self.roles[k] for k in some.tolist()]
        strides = self.strides.take(some, len(self.agents))
        return InstancedPeople(self.agents[some], roles, self.characters[some], strides, self.start_phases[some])


def pose_acts(
    people: InstancedPeople,
    performances: Performances,
    repertoires: Sequence[Repertoire],
    samples: Samples,
    *,
    draws: RandomDraws,
    size: Callable[[Role], float],
    make: Callable[[int, str], ActPoses],
    kept: dict[int, Performance],
) -> NDArray[np.int32] | None:
    """Find the pose of everybody who does more than walk and stand; people who sit are put on their seat.

    The performances of those people, before they act, are added to `kept`, by their places among the people.

    Args:
        people: the people.
        performances: of all agents.
        repertoires: of all characters.
        samples: the motion of the people, in which those who sit are moved.
        draws: random numbers of the roles.
        size: of their bodies.
        make: makes the poses of a clip, of a character's number and by its name.
        kept: see above.

    Returns:
        int32 (F, N), numbers of poses, -1 where the gait has them; None where nobody does more.
    """
    busy = np.flatnonzero(performances.who_acts(people.agents))
    if not len(busy):
        return None
    shown = np.full(samples.heading.shape, -1, dtype=np.int32)
    known: dict[tuple[int, str], ActPoses] = {}
    for some in in_handfuls(busy.tolist()):
        own = people.take(np.array(some))
        done = performances.of(own.agents, strides=own.strides, start_phases=own.start_phases)
        kept |= zip(some, done, strict=True)
        numbers = own.characters.tolist()
        for column, number, acted in zip(
            some, numbers, act_all(repertoires, zip(own.roles, done, numbers, strict=True), draws, size), strict=True
        ):
            samples.location[:, column] = acted.location
            for each in acted.played:
                key = number, each.cue.act
                if key not in known:
                    known[key] = make(*key)
                seen = each.cue.weight >= _SHOWN
                shown[each.cue.rows[seen], column] = known[key].at(each.phase[seen])
    return shown
