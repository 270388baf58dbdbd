# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts the soles of a character on the ground in each of its clips, by its meshes.

Bones do not show how thick soles are: rigs of many makers stand on their joints, and clips that were fitted to a body
by machines leave it in the ground or over it. Such a clip is moved up or down as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ....core.array_types import Float64
from ....core.motion.blending import WALKS
from ...blender_data import nla_strips
from ...blender_data.evaluation import evaluation_scene
from ..clips.clips import Clips, WalkCycle
from ..clips.shin_ends import bone_or_end
from ..legs.bone_legs import sole_bones
from ..legs.find import AnyLeg, FoundLegs, KnownLegs, find_legs_in_reach
from ..legs.ik_legs import IkLeg
from ..legs.observed_clips import ClipObservation
from ..legs.rest_in_world import rest_to_world
from ..legs.sole_meshes import SoleMeshes
from .standing import moved_cycle


@dataclass(frozen=True)
class StandingSoleSettings:
    """Which clips are moved, and how soles are looked at in them; chosen.

    Attributes:
        least: soles nearer to the ground are on it, as a share of the leg: 1.5 cm of people, half of what is called
            visible in the report.
        farthest: a mesh that is farther from the ground does not follow its bones, as a share of the leg.
        moments: of a clip that are looked at.
        of_run: share of the time that each foot stands in a run.
    """

    least: float = 0.0175
    farthest: float = 0.15
    moments: int = 48
    of_run: float = 0.3


_SOLES = StandingSoleSettings()


def find_legs_on_soles(
    observation: ClipObservation, known: KnownLegs, *, shortens: bool, wanted: Mapping[str, Any]
) -> tuple[FoundLegs, float, Clips]:
    """Return the result of `find_legs_in_reach`, and the clips, moved so that these soles are on the ground.

    Args:
        observation: of the character's clips.
        known: results for unchanged characters.
        shortens: its stride was measured, and may be shortened.
        wanted: arguments of `find_or_recall_legs`.
    """
    (legs, sentences, entries), share = find_legs_in_reach(observation, known, shortens=shortens, wanted=wanted)
    key = "soles", *entries
    heights = known.get(key) if entries else None
    if heights is None:
        heights = _heights(observation, legs, plants=wanted["plants"])
    if entries:
        entries[key] = heights
    clips = _on_soles(observation, heights)
    if clips is not observation.clips:
        moved = replace(observation, clips=clips)
        (legs, sentences, more), share = find_legs_in_reach(moved, known, shortens=shortens, wanted=wanted)
        entries |= more
    return (legs, sentences, entries), share, clips


def _heights(observation: ClipObservation, legs: Sequence[AnyLeg], *, plants: bool) -> dict[str, float]:
    """Return how high soles are in clips, by their names, where that is to be mended [Blender units]."""
    clips, feet = observation.clips, _feet(observation, legs)
    if clips.walk.is_exact or not feet:
        return {}
    soles = [{each.name for bone in own for each in (bone, *bone.children_recursive)} for own in feet]
    leg, names = max(leg.length for leg in legs), ("walk", "idle", "run")
    cycles = {name: cycle for name in names if (cycle := getattr(clips, name)) is not None}
    lowest = _lowest(cycles, soles, observation)
    holds = plants and len(legs) > 1 and all(leg.stance.has_sole for leg in legs)
    heights = {name: _height(name, lowest[name], legs, holds=holds) for name in cycles}
    return {name: height for name, height in heights.items() if _SOLES.least < abs(height) / leg < _SOLES.farthest}


def _on_soles(observation: ClipObservation, heights: Mapping[str, float]) -> Clips:
    """Return the clips of a character, moved down by some heights, by their names; the same where there are none.

    An idle of ours says nothing of how high the user's clips stand: the walk does.
    """
    clips, armature, mover = observation.clips, observation.armature, observation.copies[0]
    moved = {
        name: moved_cycle(getattr(clips, name), np.array([0.0, 0.0, -height]), armature, mover)
        for name, height in heights.items()
    }
    stands = "idle" if clips.idle is not None and clips.idle.source is not None else "walk"
    return replace(clips, raised=-heights.get(stands, 0.0), **moved) if moved else clips


def _feet(observation: ClipObservation, legs: Sequence[AnyLeg]) -> list[list[Any]]:
    """Return the bones of the sole of each leg; none where one has no foot."""
    armature, to_world = observation.armature, rest_to_world(observation.copies[0], observation.armature)
    names = [leg.chain.foot if isinstance(leg, IkLeg) else leg.bones[-1] for leg in legs]
    feet = [sole_bones(armature, bone_or_end(armature, name, to_world)) for name in names if name is not None]
    return feet if len(feet) == len(legs) else []


def _lowest(
    cycles: Mapping[str, WalkCycle], soles: Sequence[set[str]], observation: ClipObservation
) -> dict[str, Float64]:
    """Return the height of the lowest point of each sole over clips, float64 (L, T); infinite where there is no mesh.

    Args:
        cycles: the clips by name.
        soles: of each of L legs the bones of its foot.
        observation: of the character.
    """
    armature, mover, found = observation.armature, observation.copies[0], {}
    with evaluation_scene(observation.scene, remapped=False) as evaluation:
        evaluation.watch(mover, armature)
        meshes = SoleMeshes(evaluation, observation.copies, armature, soles)
        nla_strips.take_off(armature)
        for name, cycle in cycles.items():
            nla_strips.play_once(armature, cycle.clip, _SOLES.moments, 0.0, cycle.length)
            try:
                moments = map(meshes.lowest, map(evaluation.evaluate, range(_SOLES.moments)))
                found[name] = np.array([each[:, 2] for each in moments]).T
            finally:
                nla_strips.take_off(armature)
    return found


def _height(name: str, lowest: Float64, legs: Sequence[AnyLeg], *, holds: bool) -> float:
    """Return how high soles are in a clip while they stand, of their lowest points float64 (L, T); 0: not known.

    Never more than the lowest of them is over the ground at any moment: nobody is lowered into it. Unless legs are bent
    so that none of their soles gets lower than it stands, if it `holds`: in some walks in place hips do not rise.
    """
    if not np.isfinite(lowest).all():
        return 0.0
    phase, walks = np.arange(_SOLES.moments) / _SOLES.moments, np.full(_SOLES.moments, WALKS)
    if name == "idle":
        height = np.median(lowest.min(axis=0))
    elif name == "run":
        height = np.quantile(lowest, _SOLES.of_run / 2.0, axis=1).mean()
    else:
        standing = [own[leg.stance.holds(phase, walks)] for own, leg in zip(lowest, legs, strict=True)]
        height = np.mean([np.median(own) for own in standing if len(own)] or [0.0])
        if holds:
            return float(height)
    return float(min(height, max(lowest.min(), 0.0)))
