# SPDX-License-Identifier: GPL-3.0-or-later
"""Checkpoints: states of a run from which a later run can continue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, is_dataclass
from typing import Any

import numpy as np

from ...scene import Scene
from ..pedestrians.pedestrians import Pedestrians
from ..vehicles.traffic import Traffic
from ..world.environment import Environment
from ..world.recording import Recording


@dataclass(frozen=True)
class CheckpointSettings:
    """How often states are kept.

    Attributes:
        interval: frames between two checkpoints, at first; chosen by trial.
        memory_limit: above it every other checkpoint is dropped and the interval doubled [bytes]; chosen: small beside
            what Blender needs for a crowd.
    """

    interval: int = 4
    memory_limit: int = 256 * 2**20


_ENVIRONMENT = object()
"""Stands for the environment in a checkpoint: a later run puts its own in its place."""


def replacements(environment: Environment) -> dict[int, object]:
    """Return what takes the place of the environment's stand-in in a checkpoint, by the identity of the stand-in."""
    return {id(_ENVIRONMENT): environment}


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """The state after `made` frames: people and vehicles, without the environment; `size` in bytes."""

    made: int
    state: tuple[Pedestrians, Traffic | None]
    size: int

    def restored(self, environment: Environment) -> tuple[Pedestrians, Traffic | None]:
        """Return a copy of the state in this environment."""
        return _copied(self.state, replacements(environment))[0]


class Checkpoints:
    """The checkpoints of one run, the earliest first."""

    def __init__(self, kept: Sequence[Checkpoint] = (), settings: CheckpointSettings | None = None) -> None:
        self._kept = list(kept)
        self._settings = settings or CheckpointSettings()
        self._interval = self._settings.interval

    def keep(
        self,
        made: int,
        state: tuple[Pedestrians, Traffic | None],
        environment: Environment,
        *,
        last: bool,
    ) -> None:
        """Keep a copy of a state if it is due or the last one.

        Args:
            made: number of frames made.
            state: people and vehicles.
            environment: of the run.
            last: whether no frame is left to make.
        """
        if made != 1 and made % self._interval and not last:
            return
        copy, size = _copied(state, {id(environment): _ENVIRONMENT})
        self._kept.append(Checkpoint(made, copy, size))
        while sum(each.size for each in self._kept) > self._settings.memory_limit and len(self._kept) > 2:
            self._kept = self._kept[:-1:2] + self._kept[-1:]
            self._interval *= 2

    @property
    def first(self) -> Checkpoint:
        """The checkpoint after the first frame."""
        return self._kept[0]

    def up_to(self, made: int) -> list[Checkpoint]:
        """Return the checkpoints after so many frames at most."""
        return [each for each in self._kept if each.made <= made]


@dataclass(frozen=True, eq=False)
class Past:
    """What is known of a run.

    Attributes:
        scene: what was simulated.
        environment: its obstacles, with the journal of all queries.
        recording: all frames that were made.
        checkpoints: states from which to continue.
    """

    scene: Scene
    environment: Environment
    recording: Recording
    checkpoints: Checkpoints


def _copied(
    state: tuple[Pedestrians, Traffic | None], replaced: Mapping[int, object]
) -> tuple[tuple[Pedestrians, Traffic | None], int]:
    """Return a deep copy with some objects replaced, by their identities, and the bytes of its arrays."""
    known = {id(each): each for each in _parts_of(state[0].settings)} | dict(replaced)
    memo: dict[int, Any] = dict(known)
    copy = deepcopy(state, memo)
    arrays = [each for key, each in memo.items() if key not in known and isinstance(each, np.ndarray)]
    return copy, sum(each.nbytes for each in arrays)


def _parts_of(settings: Any) -> Iterator[object]:
    """Return settings and all that are part of them; they never change, and are not copied."""
    yield settings
    for each in vars(settings).values():
        if is_dataclass(each):
            yield from _parts_of(each)
