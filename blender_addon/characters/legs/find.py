# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the legs of a character whose feet can be planted, and the reasons where they cannot."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import bpy

from ...bakes.aspects import bones_of
from ...blender_data import nla_strips
from ...figures.figure import STRIDE_PROPERTY
from ..clips.shin_ends import digest_of_shape
from .bone_legs import (
    LEG_SEARCH,
    Leg,
    LegNames,
    Pair,
    RestPose,
    chain_of,
    find_bent_legs,
    has_foot,
    leg_bones,
    named,
)
from .ik_legs import Chain, IkLeg, find_chains, find_ik_legs
from .loose_feet import find_loose_chains, find_loose_feet, shapes_the_mesh
from .observed_clips import ClipObservation
from .stiff_legs import find_stiff_legs
from .trial_walk import find_reach, lead

AnyLeg = Leg | IkLeg

_TWO_LEGS = 2

KnownLegs = dict[Hashable, Any]
"""Results of `find_legs` for unchanged characters, by the fingerprint of their observation; what follows, by others."""

FoundLegs = tuple[list[AnyLeg], list[str], KnownLegs]
"""A result of `find_legs`, and the entry for later reuse."""


def find_or_recall_legs(
    observation: ClipObservation,
    known: KnownLegs,
    *,
    plants: bool,
    keys_ik: bool,
    stride: float,
    named_legs: Sequence[LegNames] = (),
) -> FoundLegs:
    """Return the result of `find_legs`, reused where the character is unchanged; third, the entry for later reuse."""
    digest = _fingerprint(observation)
    key = None if digest is None else (digest, plants, keys_ik, stride, tuple(named_legs))
    wanted = {"plants": plants, "keys_ik": keys_ik, "stride": stride, "named_legs": named_legs}
    legs, sentences = known.get(key) or find_legs(observation, **wanted)
    return legs, sentences, {} if key is None else {key: (legs, sentences)}


def find_legs_in_reach(
    observation: ClipObservation, known: KnownLegs, *, shortens: bool, wanted: Mapping[str, Any]
) -> tuple[FoundLegs, float]:
    """Return the result of `find_or_recall_legs`, with a stride with which legs reach the ground.

    Args:
        observation: of the character's clips.
        known: results for unchanged characters.
        shortens: its stride was measured, and may be shortened.
        wanted: arguments of `find_or_recall_legs`.

    Returns:
        The result; and the share of the measured stride with which it was found.
    """
    found = find_or_recall_legs(observation, known, **wanted)
    legs = [leg for leg in found[0] if isinstance(leg, Leg)]
    walk, run = observation.strides
    is_planned = STRIDE_PROPERTY in observation.clips.walk.clip.action  # for these legs
    if not shortens or is_planned or not len(legs) == len(found[0]) == _TWO_LEGS:
        return found, 1.0
    share, late = find_reach(legs, walk)
    if share != 1.0:
        shorter = replace(observation, strides=(share * walk, share * run))
        again = find_or_recall_legs(shorter, known, **{**wanted, "stride": share * wanted["stride"]})
        if len(again[0]) < _TWO_LEGS:
            return found, 1.0
        found = again
    legs = lead([leg for leg in found[0] if isinstance(leg, Leg)], late)
    return ([*legs], found[1], found[2]), share


def _fingerprint(observation: ClipObservation) -> Hashable | None:
    """Return everything that an observation depends on, except the rest pose; None where it cannot be determined."""
    armature, parts = observation.armature, observation.copies
    data: Any = armature.data
    if any(_is_animated(part) for part in parts if part != armature) or _is_animated(data):
        return None
    clips, render = observation.clips, observation.scene.render
    number: dict[bpy.types.Object | None, int] = {part: place for place, part in enumerate(parts)}
    placed = tuple(
        (
            number.get(part.parent),
            part.parent_type,
            part.parent_bone,
            str(part.matrix_parent_inverse[:]),
            str(part.matrix_basis[:]),
            part.type,
            part.data.session_uid if part.data is not None else None,
            digest_of_shape(part),
            part.hide_render,
            str([(each.type, each.name) for each in part.modifiers]),
            bones_of(part, observation.keyed_in_all if part == armature else set()),
        )
        for part in parts
    )
    timing = render.fps, render.fps_base
    uids = tuple(None if clip.is_copy else clip.clip.action.session_uid for clip in clips.all)
    played = clips.run_ahead, observation.played, uids
    return observation.walker, placed, observation.strides, timing, played


def _is_animated(block: bpy.types.ID) -> bool:
    return nla_strips.plays_anything(getattr(block, "animation_data", None))


def find_legs(
    observation: ClipObservation,
    *,
    plants: bool,
    keys_ik: bool,
    stride: float,
    named_legs: Sequence[LegNames] = (),
) -> tuple[list[AnyLeg], list[str]]:
    """Find the legs of a character: those with keys on their bones, and those with IK controls.

    Args:
        observation: of the character's clips.
        plants: feet are to be planted; False: legs are only observed.
        keys_ik: also plant feet by keys on IK controls.
        stride: length of one cycle of the walk, for messages [m].
        named_legs: of a body that was recognised otherwise; used where rest positions show fewer.

    Returns:
        The legs; and notices, without the name of the character, about legs whose feet cannot be planted.
    """
    rest = RestPose.of(observation.armature, observation.copies[0])
    known = [chain_of(observation, names) for names in named_legs]
    known_loose = [chain for chain in known if chain[1] not in chain[2].parent_recursive]
    loose = find_loose_chains(observation, rest) or known_loose
    if not loose and not known and len(leg_bones(observation.armature, rest)) < _TWO_LEGS:
        loose = find_loose_chains(observation, rest, LEG_SEARCH.below_bent_knee)
        loose = loose if len(loose) == _TWO_LEGS else []
    on_bones = legs_on_bones(observation, rest, loose, [] if known_loose else known)
    bent, constrained, never_standing = find_bent_legs(observation, on_bones)
    chains = [
        chain for chain in find_chains(observation, rest) if not rest.is_among(chain.pair, [leg.pair for leg in bent])
    ]
    legs: list[AnyLeg] = [*bent, *find_loose_feet(observation, loose, bent)]
    if chains and (keys_ik or not plants):
        found, more_never_standing = find_ik_legs(
            observation, rest, chains, [*(leg.pair for leg in bent), *never_standing, *constrained]
        )
        legs, never_standing = [*legs, *found], [*never_standing, *more_never_standing]
    if not legs and not constrained and not never_standing:
        legs = list(find_stiff_legs(observation, rest))
    if not plants:
        return legs, []
    if legs:
        return legs, _say_missed_legs(
            rest, legs, constrained=constrained, never_standing=never_standing, chains=chains, keys_ik=keys_ik
        )
    if never_standing:
        return legs, [_say_never_standing(observation.clips.walk.name, stride)]
    if not constrained and not chains:
        return legs, []
    return legs, [
        f"its feet are not planted, because {_why('they follow', 'its legs', unused=bool(chains) and not keys_ik)}"
    ]


def legs_on_bones(
    observation: ClipObservation, rest: RestPose, loose: Sequence[list[Any]], known: Sequence[list[Any]]
) -> list[list[Any]]:
    """Return thigh, shin and foot of the legs whose foot is a bone on the shin, or its end.

    Args:
        observation: of the character's clips.
        rest: of its armature.
        loose: legs below which a foot hangs on the root: such a shin is no foot, nor is its end, or a bone there that
            exporters add and no mesh follows.
        known: legs of a body that was recognised otherwise; used where rest positions show fewer, as of short legs.
    """
    found = leg_bones(observation.armature, rest)
    found = found if len(found) >= len(known) else list(known)
    above = {named(chain)[:2] for chain in loose}
    feet = [chain[2] for chain in loose]
    is_shaped = bool(feet) and shapes_the_mesh(observation.copies, feet)
    return [
        chain
        for chain in found
        if named(chain)[1:] not in above
        and (
            named(chain)[:2] not in above
            or (has_foot(chain) and (not is_shaped or shapes_the_mesh(observation.copies, [chain[2]])))
        )
    ]


def _say_never_standing(walk: str, stride: float) -> str:
    """Compose the notice about a character none of whose feet ever stands."""
    return (
        "its feet are not planted, because none of them stands still on the ground in its walk "
        f"'{walk}' with a stride of {stride:.2f} m: set Stride to the distance of one cycle (0: "
        "measured), choose a clip with steps, or turn Planted Feet off"
    )


def _why(follows: str, moved: str, *, unused: bool) -> str:
    """Return why constraints prevent planting, and what to do; `unused`: there are IK controls that could be keyed."""
    if unused:
        return f"{follows} IK controls: turn on Key IK Feet"
    return f"constraints move {moved}: bake its walk to bones without constraints"


def _say_missed_legs(
    rest: RestPose,
    legs: Iterable[AnyLeg],
    *,
    constrained: list[Pair],
    never_standing: list[Pair],
    chains: list[Chain],
    keys_ik: bool,
) -> list[str]:
    """Compose a notice for each leg that matches a planted one but cannot be planted."""
    planted = [leg.pair for leg in legs]
    named: list[Pair] = []
    sentences = []
    on_controls = [chain.pair for chain in chains]
    for pair in [*never_standing, *on_controls, *constrained]:
        if rest.is_among(pair, [*planted, *named]) or not any(rest.match(pair, other) for other in planted):
            continue
        named.append(pair)
        why = _why("it follows", "it", unused=pair in on_controls and not keys_ik)
        if pair in never_standing:
            why = "its foot never stands still in the walk"
        sentences.append(f"the leg of '{pair.shin}' is not planted, because {why}")
    if len(planted) == 1 and not named:
        sentences.append(
            f"only the leg of '{planted[0].shin}' is planted, because no other leg was found in its armature"
        )
    return sentences
