# SPDX-License-Identifier: GPL-3.0-or-later
"""People as they are seen: the solids of their characters, and what these play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....core.motion.solid_body import SolidPoses
from ...characters.acts.act_clips import Repertoire
from ...characters.acts.solid_bodies import SolidBody
from .character_keys import Part


class PlayedAct(NamedTuple):
    """A clip over the walk: from its `first` row, `weight` and `phase` float32 (N,), and where its body is then."""

    first: int
    weight: NDArray[np.float32]
    phase: NDArray[np.float32]
    poses: SolidPoses


@dataclass(frozen=True, eq=False)
class PlayedBody:
    """One person as it is seen.

    Attributes:
        solid: its character.
        location: float32 (F, 3) [Blender units].
        motion: float32 (5, F), heading and lean [rad], phase and breath [cycles], and gait.
        size: of it, over that of its character.
        acts: that it plays, in their order.
    """

    solid: SolidBody
    location: NDArray[np.float32]
    motion: NDArray[np.float32]
    size: float
    acts: Sequence[PlayedAct]

    @classmethod
    def of(cls, part: Part, repertoire: Repertoire) -> PlayedBody | None:
        """What somebody plays; None where its character has no clips or no mesh."""
        solid = repertoire.solid
        if solid is None:
            return None
        does = part.performance
        return cls(
            solid,
            does.location.astype(np.float32),
            np.stack([does.heading, does.lean, np.mod(does.phase, 1.0), np.mod(part.breath, 1.0), does.gait]).astype(
                np.float32
            ),
            does.size,
            [
                PlayedAct(
                    each.cue.first,
                    each.cue.weight.astype(np.float32),
                    np.mod(each.phase, 1.0).astype(np.float32),
                    repertoire.solid_in(each.cue.act),
                )
                for each in does.played
            ],
        )
