# SPDX-License-Identifier: GPL-3.0-or-later
"""Checkpoints: states of a run from which a later run can continue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
        interval: frames between two checkpoints, at first; chosen: half a second is soon made again, and a copy of the
            state of a hundred people costs about as much as half a frame.
        memory_limit: above it every other checkpoint is dropped and the interval doubled [bytes]; chosen: small beside
            what Blender needs for a crowd.
    """

    interval: int = 12
    memory_limit: int = 256 * 2**20


_ENVIRONMENT = object()
"""Stands for the environment in a checkpoint: a later run puts its own in its place."""


def replacements(environment: Environment) -> dict[int, object]:
    """Return what takes the place of the environment's stand-in in a checkpoint, by the identity of the stand-in."""
    return {id(_ENVIRONMENT): environment}


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """The state after `made` frames: people and vehicles, without the environment.

    Attributes:
        made: number of frames.
        state: people and vehicles.
        size: of its arrays [bytes].
        shared: what no copy has of its own, by its identity: the settings.
    """

    made: int
    state: tuple[Pedestrians, Traffic | None]
    size: int
    shared: Mapping[int, object]

    def restored(self, environment: Environment) -> tuple[Pedestrians, Traffic | None]:
        """Return a copy of the state in this environment."""
        return _copied(self.state, {**self.shared, **replacements(environment)})[0]


class Checkpoints:
    """The checkpoints of one run, the earliest first.

    Args:
        kept: those of an earlier run that still hold.
        shared: settings of the run, which never change: all copies share them.
        settings: how many are kept.
    """

    def __init__(self, kept: Sequence[Checkpoint], shared: object, settings: CheckpointSettings | None = None) -> None:
        self._kept, self._shared = list(kept), _parts_of(shared)
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
        copy, size = _copied(state, {**self._shared, id(environment): _ENVIRONMENT})
        self._kept.append(Checkpoint(made, copy, size, self._shared))
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


def _copied(state: Any, replaced: Mapping[int, object]) -> tuple[Any, int]:
    """Return a deep copy with some objects replaced, by their identities, and the bytes of its arrays."""
    memo: dict[int, Any] = dict(replaced)
    copy = deepcopy(state, memo)
    arrays = [each for key, each in memo.items() if key not in replaced and isinstance(each, np.ndarray)]
    return copy, sum(each.nbytes for each in arrays)


def _parts_of(settings: Any) -> dict[int, object]:
    """Return settings and all that are part of them, by their identities; they never change, and are not copied."""
    parts = {id(settings): settings}
    for part in vars(settings).values():
        parts |= _parts_of(part) if is_dataclass(part) else {}
    return parts
