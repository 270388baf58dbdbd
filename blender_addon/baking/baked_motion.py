# SPDX-License-Identifier: GPL-3.0-or-later
"""Where everybody walked, read back from the keys of a bake: the file is the record, whoever made it and when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.scene import VEHICLE
from ..bakes import sampled_crowd
from ..bakes.instance_crowds import frames_of, is_crowd_of_instances, roles_of
from ..bakes.ownership import owned_objects
from ..blender_data.curve_keys import keyed_places
from ..blender_data.tags import MADE_AS, TAG, title_of
from ..reading import Reading

Float64 = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Walked:
    """What a bake has put into the file.

    Attributes:
        position: float64 (F, A, 3) for all frames and people of the core's scene, those of vehicles left out [m]; NaN
            where somebody is not seen, or belongs to a crowd of another bake.
        agents: number of the agent by the identity of its crowd and what its character is known by.
        titles: what each agent is called.
        known_as: what each agent is known by.
        instances: numbers of the agents in the order of a crowd's instances, by the identity of the crowd.
    """

    position: Float64
    agents: dict[tuple[str, str], int]
    instances: dict[str, list[int]]
    titles: list[str]
    known_as: list[str]

    def agent_of(self, baked: bpy.types.Object | None, person: int = 1) -> int | None:
        """The agent that an object, or what it hangs on, plays; None when it plays none.

        Args:
            baked: an object, or None.
            person: which one is meant of a crowd of instances, from 1.
        """
        if is_crowd_of_instances(baked):
            shown = self.instances.get(baked[TAG], [])
            return shown[person - 1] if 0 < person <= len(shown) else None
        while baked is not None:
            agent = self.agents.get((baked.get(TAG, ""), baked.get(MADE_AS, "")))
            if agent is not None:
                return agent
            baked = baked.parent
        return None


def read_walked(scene: bpy.types.Scene, reading: Reading) -> Walked:
    """Read where everybody walked.

    Args:
        scene: with its bakes.
        reading: from which they were made; crowds that were baked from another one are left out.
    """
    crowds: Any = scene.footfall.crowds  # pyright: ignore[reportAttributeAccessIssue]
    frames = np.arange(reading.scene.frames[0], reading.scene.frames[1] + 1)
    titles: dict[str, dict[str, int]] = {}
    count, everybody, known_as = 0, list[str](), list[str]()
    for read, core in zip(reading.crowds, reading.scene.crowds, strict=True):
        people = 0 if core.kind == VEHICLE else core.count
        if crowds[read.index].baked == reading.fingerprint:
            own = {title_of(read.known_as, number): count + number for number in range(people)}
            titles.setdefault(crowds[read.index].uid, {}).update(own)
        everybody += [title_of(read.name, number) for number in range(people)]
        known_as += [title_of(read.known_as, number) for number in range(people)]
        count += people
    walked = Walked(np.full((len(frames), count, 3), np.nan), {}, {}, everybody, known_as)
    for uid, numbers in titles.items():
        for each in owned_objects(scene, uid):
            if is_crowd_of_instances(each):
                _read_instances(walked, each, numbers, frames)
            elif each[MADE_AS] in numbers:
                walked.agents[uid, each[MADE_AS]] = numbers[each[MADE_AS]]
                walked.position[:, numbers[each[MADE_AS]]] = keyed_places(each, frames)
    walked.position[:] *= reading.unit
    return walked


def _read_instances(
    walked: Walked, shown: bpy.types.Object, numbers: dict[str, int], frames: NDArray[np.int64]
) -> None:
    """Read where the people of a crowd of instances are; of those who were made characters, their keys tell."""
    mesh: Any = shown.data
    everybody = np.arange(len(mesh.edges))
    agents = [numbers[role.title] for role in roles_of(shown, everybody) if role.title in numbers]
    first, last = frames_of(shown)
    if len(agents) != len(everybody) or (first, last) != (int(frames[0]), int(frames[-1])):
        return  # of other frames or of other people than those that were read
    walked.instances[shown[TAG]] = agents
    seen = sampled_crowd.read_samples(mesh, everybody)
    rows = slice(len(frames))  # a single frame stands there twice
    places = np.where(seen.present[rows, :, None], seen.location[rows], np.nan)
    are_instances = ~sampled_crowd.read(mesh, sampled_crowd.IS_REAL)
    walked.position[:, np.array(agents)[are_instances]] = places[:, are_instances]
