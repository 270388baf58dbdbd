# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the clips of an armature: those it plays, in its NLA tracks too, and others of the file that fit its bones."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import bpy
import numpy as np

from ....core.array_types import Float64
from ....core.geometry.reproducible_math import matrix_product
from ...blender_data import animation, nla_strips
from ...blender_data.bone_keys import bones_of, share_of_bones
from ...blender_data.object_references import carriers_of
from ...blender_data.tags import TAG
from ...figures.parts import is_marked
from ...settings.cast_rows import LEAST_SHARE
from .clip_faults import is_used, is_whole, moves_bones
from .clip_names import ClipKind, NameReading, read_name
from .skeletons import SKELETON, RestBone, Skeleton


@dataclass(frozen=True)
class ClipSearch:
    """Which Actions of the file may be played by an armature; chosen.

    Attributes:
        fitting_bones: share of the bones that a clip moves that the armature must have.
        alike_bones: share of the bones other than fingers that must have the axes for which the clip was made: with
            two thighs turned and thirty fingers alike a body is distorted.
        same_axes: cosine of the angle within which the axes of a bone at rest are the same.
        same_size: skeletons whose sizes differ by less are of the same size.
        most_measured: largest number of clips that are measured to find the walk among them.
    """

    fitting_bones: float = LEAST_SHARE
    alike_bones: float = 0.95
    same_axes: float = 0.98
    same_size: float = 2.0
    most_measured: int = 24


CLIP_SEARCH = ClipSearch()

_FINGER = re.compile("thumb|index|middle|ring|pinky|little|finger", re.IGNORECASE)


@dataclass(frozen=True)
class FoundClips:
    """The clips of an armature.

    Attributes:
        walk: its own, named a walk, or None.
        run: named a run, or None.
        idle: named for standing, or None.
        others: that may be what is missing, its own first; where only a run is, those whose names say nothing.
        plays: the armature plays a clip, or has one in a strip.
    """

    walk: animation.Clip | None = None
    run: animation.Clip | None = None
    idle: animation.Clip | None = None
    others: tuple[animation.Clip, ...] = ()
    plays: bool = False

    @property
    def rank(self) -> tuple[bool, bool]:
        """The armature with the greater rank is the body of a character that has several."""
        return self.walk is not None, self.plays


def find_clips(armature: bpy.types.Object) -> FoundClips:
    """Find the clips of an armature by their names.

    Its own clips come before others of the file, and plain names before those with more words.
    """
    own = own_clips(armature)
    told = [(clip, read_name(clip.action.name)) for clip in own if not is_used(clip.action.name) or is_whole(clip)]
    found = {kind: _plainest(told, kind) for kind in ClipKind}
    has_walk = found[ClipKind.WALKS] is not None
    is_enough = has_walk and found[ClipKind.STANDS] is not None
    others = [clip for clip, reading in told if reading.kind is None and not (is_enough and reading.doubt)]
    missing: set[ClipKind | None] = {kind for kind, clip in found.items() if clip is None}
    if missing:
        wanted = missing if has_walk else {*missing, None}
        named = [(clip, reading) for clip, reading in _named_clips() if reading.kind in wanted and clip not in own]
        fits = fitting(armature)
        foreign = [each for each in named if fits(each[0]) and is_whole(each[0])]
        found |= {kind: _plainest(foreign, kind) for kind in (ClipKind.RUNS, ClipKind.STANDS) if kind in missing}
        if not has_walk:
            walks = sorted((each for each in foreign if each[1].kind == ClipKind.WALKS), key=lambda each: each[1].doubt)
            others += [clip for clip, _ in walks]
            others += [clip for clip, reading in foreign if reading.kind is None]
    walk, run, idle = (found[kind] for kind in (ClipKind.WALKS, ClipKind.RUNS, ClipKind.STANDS))
    return FoundClips(walk, run, idle, tuple(others[: CLIP_SEARCH.most_measured]), plays=bool(own))


def _plainest(told: list[tuple[animation.Clip, NameReading]], kind: ClipKind) -> animation.Clip | None:
    named = [(reading.doubt, clip) for clip, reading in told if reading.kind == kind]
    return min(named, key=lambda each: each[0])[1] if named else None


def _named_clips() -> Iterator[tuple[animation.Clip, NameReading]]:
    return ((clip, read_name(clip.action.name)) for clip in clips_of_file())


def clips_of_file() -> Iterator[animation.Clip]:
    """Yield all clips of the file that are the user's."""
    for action in bpy.data.actions:
        if TAG not in action and not is_marked(action):
            yield from animation.clips_of_action(action)


def own_clips(armature: bpy.types.Object) -> list[animation.Clip]:
    """Return the clips that an armature plays, in its NLA tracks too."""
    played = dict.fromkeys(nla_strips.played_clips(armature.animation_data))
    return [clip for clip in played if moves_bones(clip, armature)]


def suits(clip: animation.Clip, armature: bpy.types.Object) -> bool:
    """Whether an armature has most of the bones that a clip moves."""
    return share_of_bones(clip, armature) >= CLIP_SEARCH.fitting_bones and moves_bones(clip, armature)


def fitting(armature: bpy.types.Object) -> Callable[[animation.Clip], bool]:
    """Return the question whether a clip fits an armature: it has most of the bones, with the axes of the clip's own.

    These are stored with a clip that was added from a folder, or those of the armatures that play it.
    """
    own = cache(lambda: Skeleton.of(armature))
    players = cache(_players)
    is_alike = cache(lambda player: _agrees(Skeleton.of(player), own(), set(player.pose.bones.keys())))

    def fits(clip: animation.Clip) -> bool:
        if not suits(clip, armature):
            return False
        stored = Skeleton.stored_with(clip.action)
        if stored is not None:
            return _agrees(stored, own(), bones_of(clip))
        playing = players().get(clip, [])
        return not playing or armature in playing or any(map(is_alike, playing))

    return fits


def _players() -> dict[animation.Clip, list[bpy.types.Object]]:
    """Return the armatures of the user's that play clips."""
    found = defaultdict[animation.Clip, list[bpy.types.Object]](list)
    for each in bpy.data.objects:
        if each.type == "ARMATURE" and TAG not in each:
            for clip in dict.fromkeys(nla_strips.played_clips(each.animation_data)):
                found[clip].append(each)
    return found


def _agrees(one: Skeleton, other: Skeleton, names: set[str]) -> bool:
    """Whether bones have the same axes at rest and about the same size, so that keys mean the same."""
    known = {bone.name: bone for bone in other.bones if bone.name in names}
    pairs = [(bone, known[bone.name]) for bone in one.bones if bone.name in known]
    if not pairs:
        return False
    seen = [pair for pair in pairs if _FINGER.search(pair[0].name) is None] or pairs
    cosines = [((_turn(a) * _turn(b)).sum() - 1.0) / 2.0 for a, b in seen]
    sizes = [np.ptp([bone.matrix[:3, 3] for bone in bones], axis=0).max() for bones in zip(*pairs, strict=True)]
    alike = sum(cosine > CLIP_SEARCH.same_axes for cosine in cosines)
    return alike >= CLIP_SEARCH.alike_bones * len(seen) and max(sizes) < CLIP_SEARCH.same_size * min(sizes)


def _turn(bone: RestBone) -> Float64:
    """A bone's axes at rest in those of its parent, float64 (3, 3)."""
    axes = bone.matrix[:3, :3]
    return axes if bone.parent is None else matrix_product(bone.parent.matrix[:3, :3].T, axes)


def player_of(clip: animation.Clip) -> bpy.types.Object | None:
    """Return an armature of the user's that plays a clip, or None."""
    return next(iter(_players().get(clip, [])), None)


def find_brought_clips(armature: bpy.types.Object, kinds: Iterable[ClipKind]) -> tuple[animation.Clip, ...]:
    """Find clips of other skeletons that the user brought for whoever lacks them, of some kinds, plain names first.

    Brought are those that were added from a folder, and those of armatures that move no mesh.
    """
    wanted, fits = set(kinds), fitting(armature)
    named = [(clip, reading) for clip, reading in _named_clips() if reading.kind in wanted] if wanted else []
    return tuple(
        clip for clip, _ in sorted(named, key=lambda each: each[1].doubt) if not fits(clip) and _is_brought(clip)
    )


def _is_brought(clip: animation.Clip) -> bool:
    if SKELETON in clip.action:
        return True
    player = player_of(clip)
    return player is not None and not any(
        part.type == "MESH" and player in carriers_of(part) for part in bpy.data.objects
    )
