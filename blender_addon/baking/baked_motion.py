# SPDX-License-Identifier: GPL-3.0-or-later
"""Where everybody walked and why, read back from a bake: the file is the record, whoever made it and when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core import Trajectories
from ...core.array_types import Float64, Int64
from ...core.scene import VEHICLE
from ...core.trajectories import Reasons
from ..bakes import sampled_crowd
from ..bakes.instance_crowds import frames_of, is_crowd_of_instances, roles_of
from ..bakes.ownership import owned_objects
from ..bakes.stored_reasons import pack, read_reasons
from ..blender_data.curve_keys import keyed_places
from ..blender_data.evaluation import key_frames_per_frame
from ..blender_data.tags import MADE_AS, TAG, title_of
from ..reading import Reading


@dataclass(frozen=True, eq=False)
class BakedMotion:
    """The bakes of a scene, for the A people of the core's scene (vehicles left out) over F frames.

    Attributes:
        position: float64 (F, A, 3) [m]; NaN where a person is absent, or belongs to a crowd of an older bake.
        reasons: of these people; not recorded where the bake of a crowd has none.
        agents: number of a person by the identity of the crowd and of the person.
        titles: name of each person.
        known_as: identity of each person.
        instances: numbers of the people in the order of a crowd's instances, by the identity of the crowd.
    """

    position: Float64
    reasons: Reasons
    agents: dict[tuple[str, str], int]
    instances: dict[str, list[int]]
    titles: list[str]
    known_as: list[str]

    def agent_of(self, baked: bpy.types.Object | None, person: int = 1) -> int | None:
        """Return the number of the person that an object, or one of its parents, shows; None for nobody.

        Args:
            baked: an object, or None.
            person: which one of a crowd of instances, from 1.
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


def pack_reasons(trajectories: Trajectories, reading: Reading) -> dict[int, NDArray[np.int32]]:
    """Compress the recorded reasons of people, to be kept with the bake of each crowd.

    Args:
        trajectories: of a simulation.
        reading: from which it was made.

    Returns:
        For the index of each panel crowd: the reasons of its people, see `stored_reasons.pack`.
    """
    reasons = trajectories.reasons_of_people()
    walks = np.array([crowd.kind != VEHICLE for crowd in reading.scene.crowds], dtype=bool)
    panel_crowds = np.array([read.index for read in reading.crowds], dtype=np.int64)
    panel_crowd = panel_crowds[trajectories.crowd[walks[trajectories.crowd]]]
    packed = {}
    for index in np.unique(panel_crowd).tolist():
        own = panel_crowd == index
        packed[index] = pack(Reasons(*(values[:, own] for values in vars(reasons).values())))
    return packed


def read_baked_motion(scene: bpy.types.Scene, reading: Reading) -> BakedMotion:
    """Read where everybody walked and why.

    Args:
        scene: with its bakes.
        reading: from which they were made; crowds that were baked from another one are left out.
    """
    crowds: Any = scene.footfall.crowds  # ty: ignore[missing-attribute]
    frames = np.arange(reading.scene.frames[0], reading.scene.frames[1] + 1)
    numbers_by_crowd: dict[str, dict[str, int]] = {}
    count, titles, known_as = 0, list[str](), list[str]()
    for read, core in zip(reading.crowds, reading.scene.crowds, strict=True):
        people = 0 if core.kind == VEHICLE else core.count
        if crowds[read.index].baked == reading.fingerprint:
            own = {title_of(read.known_as, number): count + number for number in range(people)}
            numbers_by_crowd.setdefault(crowds[read.index].uid, {}).update(own)
        titles += [title_of(read.name, number) for number in range(people)]
        known_as += [title_of(read.known_as, number) for number in range(people)]
        count += people
    motion = BakedMotion(
        np.full((len(frames), count, 3), np.nan), Reasons.none(len(frames), count), {}, {}, titles, known_as
    )
    for uid, numbers in numbers_by_crowd.items():
        for each in owned_objects(scene, uid):
            if is_crowd_of_instances(each):
                _read_instances(motion, each, numbers, frames)
            elif each[MADE_AS] in numbers:
                motion.agents[uid, each[MADE_AS]] = numbers[each[MADE_AS]]
                motion.position[:, numbers[each[MADE_AS]]] = keyed_places(each, frames * key_frames_per_frame(scene))
        stored = read_reasons(scene, uid)
        if stored is not None and stored.doing.shape == (len(frames), len(numbers)):
            for values, own in zip(vars(motion.reasons).values(), vars(stored).values(), strict=True):
                values[:, list(numbers.values())] = own
    motion.position[:] *= reading.unit
    return motion


def _read_instances(motion: BakedMotion, shown: bpy.types.Object, numbers: dict[str, int], frames: Int64) -> None:
    """Read where the people of a crowd of instances are; those who were made characters are read from their keys."""
    mesh: Any = shown.data
    everybody = np.arange(len(mesh.edges))
    agents = [numbers[role.title] for role in roles_of(shown, everybody) if role.title in numbers]
    first, last = frames_of(shown)
    if len(agents) != len(everybody) or (first, last) != (int(frames[0]), int(frames[-1])):
        return  # of other frames or of other people than those that were read
    motion.instances[shown[TAG]] = agents
    seen = sampled_crowd.read_samples(mesh, everybody)
    rows = slice(len(frames))  # a single frame is stored twice
    places = np.where(seen.present[rows, :, None], seen.location[rows], np.nan)
    are_instances = ~sampled_crowd.read(mesh, sampled_crowd.IS_REAL)
    motion.position[:, np.array(agents)[are_instances]] = places[:, are_instances]
