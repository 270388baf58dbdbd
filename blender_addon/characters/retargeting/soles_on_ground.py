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
    found, share = find_legs_in_reach(observation, known, shortens=shortens, wanted=wanted)
    clips = _on_soles(observation, found[0])
    if clips is observation.clips:
        return found, share, clips
    moved = replace(observation, clips=clips)
    (legs, sentences, more), share = find_legs_in_reach(moved, known, shortens=shortens, wanted=wanted)
    return (legs, sentences, {**found[2], **more}), share, clips


def _on_soles(observation: ClipObservation, legs: Sequence[AnyLeg]) -> Clips:
    """Return the clips of a character with some legs moved up or down, or the same where nothing is to be moved."""
    clips, armature, mover = observation.clips, observation.armature, observation.copies[0]
    feet = _feet(observation, legs)
    if clips.walk.is_exact or not feet:
        return clips
    soles = [{each.name for bone in own for each in (bone, *bone.children_recursive)} for own in feet]
    leg, names = max(leg.length for leg in legs), ("walk", "idle", "run")
    cycles = {name: cycle for name in names if (cycle := getattr(clips, name)) is not None}
    heights = {name: _height(name, _lowest(cycle, soles, observation), legs) for name, cycle in cycles.items()}
    if not _SOLES.least * leg < max(map(abs, heights.values())) < _SOLES.farthest * leg:
        return clips
    moved = {
        name: moved_cycle(cycle, np.array([0.0, 0.0, -heights[name]]), armature, mover)
        for name, cycle in cycles.items()
    }
    return replace(clips, **moved)


def _feet(observation: ClipObservation, legs: Sequence[AnyLeg]) -> list[list[Any]]:
    """Return the bones of the sole of each leg; none where one has no foot."""
    armature, to_world = observation.armature, rest_to_world(observation.copies[0], observation.armature)
    names = [leg.chain.foot if isinstance(leg, IkLeg) else leg.bones[-1] for leg in legs]
    feet = [sole_bones(armature, bone_or_end(armature, name, to_world)) for name in names if name is not None]
    return feet if len(feet) == len(legs) else []


def _lowest(cycle: WalkCycle, soles: Sequence[set[str]], observation: ClipObservation) -> Float64:
    """Return the height of the lowest point of each sole over a clip, float64 (L, T); infinite where there is no mesh.

    Args:
        cycle: the clip.
        soles: of each of L legs the bones of its foot.
        observation: of the character.
    """
    armature, mover = observation.armature, observation.copies[0]
    nla_strips.take_off(armature)
    nla_strips.play_once(armature, cycle.clip, _SOLES.moments, 0.0, cycle.length)
    try:
        with evaluation_scene(observation.scene, remapped=False) as evaluation:
            evaluation.watch(mover, armature)
            meshes = SoleMeshes(evaluation, observation.copies, armature, soles)
            moments = map(meshes.points, map(evaluation.evaluate, range(_SOLES.moments)))
            return np.array([[own[:, 2].min(initial=np.inf) for own in each] for each in moments]).T
    finally:
        nla_strips.take_off(armature)


def _height(name: str, lowest: Float64, legs: Sequence[AnyLeg]) -> float:
    """Return how high soles are in a clip while they stand, of their lowest points float64 (L, T); 0: not known."""
    if not np.isfinite(lowest).all():
        return 0.0
    if name == "idle":
        return float(np.median(lowest.min(axis=0)))
    if name == "run":
        return float(np.quantile(lowest, _SOLES.of_run / 2.0, axis=1).mean())
    phase, walks = np.arange(_SOLES.moments) / _SOLES.moments, np.full(_SOLES.moments, WALKS)
    standing = [own[leg.stance.holds(phase, walks)] for own, leg in zip(lowest, legs, strict=True)]
    return float(np.mean([np.median(own) for own in standing if len(own)] or [0.0]))
