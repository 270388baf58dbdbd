# SPDX-License-Identifier: GPL-3.0-or-later
"""All the legs of a character whose feet can be kept where they stand, and which of them cannot, and why."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import bpy

from ...bakes.unchanged import bones_of
from ...blender_data import animation as actions
from ...blender_data import nla_strips
from .bone_legs import Pair, RestPose, find_bent_legs
from .ik_legs import AnyLeg, Chain, find_chains, find_ik_legs
from .observed_clips import Rehearsal

KnownLegs = dict[Hashable, tuple[list[AnyLeg], list[str]]]
"""What `find_legs` has found in characters that have not changed since, by what tells their rehearsals apart."""


def find_or_recall_legs(
    rehearsal: Rehearsal, known: KnownLegs, *, plants: bool, keys_ik: bool, stride: float
) -> tuple[list[AnyLeg], list[str], KnownLegs]:
    """What `find_legs` finds, without a rehearsal where that is known; and, third, what may be known of it later."""
    told = _told_apart_by(rehearsal)
    key = None if told is None else (told, plants, keys_ik, stride)
    legs, sentences = known.get(key) or find_legs(rehearsal, plants=plants, keys_ik=keys_ik, stride=stride)
    return legs, sentences, {} if key is None else {key: (legs, sentences)}


def _told_apart_by(rehearsal: Rehearsal) -> Hashable | None:
    """What a rehearsal shows hangs on, beside armatures as they are at rest; None where it cannot be told."""
    armature, parts = rehearsal.armature, rehearsal.copies
    data: Any = armature.data
    if any(_plays(part) for part in parts if part != armature) or _plays(data):
        return None
    clips, render = rehearsal.clips, rehearsal.scene.render
    plays = [clip for clip in (clips.walk, clips.idle, clips.run) if clip is not None]
    moved = set.intersection(*({curve.data_path for curve in actions.curves_of(clip.clip)} for clip in plays))
    number: dict[bpy.types.Object | None, int] = {part: place for place, part in enumerate(parts)}
    placed = tuple(
        (
            number.get(part.parent),
            part.parent_type,
            part.parent_bone,
            str(part.matrix_parent_inverse[:]),
            str(part.matrix_basis[:]),
            part.type,
            bones_of(part, moved if part == armature else set()),
        )
        for part in parts
    )
    timing = render.fps, render.fps_base, render.frame_map_old, render.frame_map_new
    played = tuple(
        clip
        and (
            clip.length,
            clip.strides,
            None if clip.is_copy else clip.clip.action.session_uid,
            actions.digest_with_handles(clip.clip),
        )
        for clip in (clips.walk, clips.idle, clips.run)
    )
    return rehearsal.walker, data.session_uid, placed, rehearsal.strides, clips.run_ahead, timing, played


def _plays(block: bpy.types.ID) -> bool:
    animation = getattr(block, "animation_data", None)
    return nla_strips.plays_anything(animation)


def find_legs(rehearsal: Rehearsal, *, plants: bool, keys_ik: bool, stride: float) -> tuple[list[AnyLeg], list[str]]:
    """Find the legs of a character, those that keys on their bones move and those that hang on IK controls.

    Args:
        rehearsal: of the character.
        plants: feet are to be kept where they stand; else legs are only watched.
        keys_ik: also by the controls that inverse kinematics follows.
        stride: way of one run of the walk, as it is told [m].

    Returns:
        The legs; and sentences, without the name of the character, about those whose feet cannot be planted.
    """
    rest = RestPose.of(rehearsal.armature, rehearsal.copies[0])
    bent, held, restless = find_bent_legs(rehearsal, rest)
    chains = [
        chain for chain in find_chains(rehearsal, rest) if not rest.is_among(chain.pair, [leg.pair for leg in bent])
    ]
    legs: list[AnyLeg] = [*bent]
    if chains and (keys_ik or not plants):
        found, standing_never = find_ik_legs(rehearsal, rest, chains, [*(leg.pair for leg in bent), *restless, *held])
        legs, restless = [*legs, *found], [*restless, *standing_never]
    if not plants:
        return legs, []
    if legs:
        return legs, _tell_of_missed(rest, legs, held=held, restless=restless, chains=chains, keys_ik=keys_ik)
    if restless:
        return legs, [_tell_of_restless(rehearsal.clips.walk.name, stride)]
    if not held and not chains:
        return legs, []
    return legs, [
        f"its feet are not planted, as {_why('they follow', 'its legs', unused=bool(chains) and not keys_ik)}"
    ]


def _tell_of_restless(walk: str, stride: float) -> str:
    """Sentence about a character whose feet all never stand."""
    return (
        f"its feet are not planted, as none of them ever stands still on the ground in its walk '{walk}', of which "
        f"one run is taken to go {stride:.2f} m: set Stride to what it really goes (0: measured), choose a clip that "
        "steps, or switch Planted Feet off"
    )


def _why(follows: str, moved: str, *, unused: bool) -> str:
    """Why constraints that move legs are in the way, and the way out; `unused`: controls which might be keyed."""
    if unused:
        return f"{follows} IK controls: for that switch on Key IK Feet"
    return f"constraints move {moved}: for that bake its walk to bones without constraints"


def _tell_of_missed(
    rest: RestPose,
    legs: Iterable[AnyLeg],
    *,
    held: list[Pair],
    restless: list[Pair],
    chains: list[Chain],
    keys_ik: bool,
) -> list[str]:
    """Sentences about legs as long and as high as those that were found, one for each place."""
    planted = [leg.pair for leg in legs]
    told: list[Pair] = []
    sentences = []
    on_controls = [chain.pair for chain in chains]
    for pair in [*restless, *on_controls, *held]:
        if rest.is_among(pair, [*planted, *told]) or not any(rest.match(pair, other) for other in planted):
            continue
        told.append(pair)
        why = _why("it follows", "it", unused=pair in on_controls and not keys_ik)
        if pair in restless:
            why = "its foot never stands in the walk"
        sentences.append(f"the leg of '{pair.shin}' is not planted, as {why}")
    if len(planted) == 1 and not told:
        sentences.append(f"only the leg of '{planted[0].shin}' is planted, as no other leg was found in its armature")
    return sentences
