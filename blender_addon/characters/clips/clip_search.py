# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the clips of an armature: those it plays, in its NLA tracks too, and others of the file that fit its bones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import bpy

from ...blender_data import animation, nla_strips
from ...blender_data.bone_keys import bone_in
from ...blender_data.tags import TAG
from ...figures.figure import FIGURE_TAG
from .clip_names import ClipKind, NameReading, read_name


@dataclass(frozen=True)
class ClipSearch:
    """Which Actions of the file may be played by an armature; chosen.

    Attributes:
        fitting_bones: share of the bones that a clip moves that the armature must have.
        most_measured: largest number of clips that are measured to find the walk among them.
    """

    fitting_bones: float = 0.8
    most_measured: int = 24


CLIP_SEARCH = ClipSearch()


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
    own = [
        clip for clip in dict.fromkeys(nla_strips.played_clips(armature.animation_data)) if _moves_bones(clip, armature)
    ]
    told = [(clip, read_name(clip.action.name)) for clip in own]
    found = {kind: _plainest(told, kind) for kind in ClipKind}
    has_walk = found[ClipKind.WALKS] is not None
    is_enough = has_walk and found[ClipKind.STANDS] is not None
    others = [clip for clip, reading in told if reading.kind is None and not (is_enough and reading.doubt)]
    missing: set[ClipKind | None] = {kind for kind, clip in found.items() if clip is None}
    if missing:
        wanted = missing if has_walk else {*missing, None}
        named = [(clip, reading) for clip, reading in _clips_of_file() if reading.kind in wanted and clip not in own]
        foreign = [each for each in named if _fits(each[0], armature)]
        found |= {kind: _plainest(foreign, kind) for kind in (ClipKind.RUNS, ClipKind.STANDS) if kind in missing}
        if not has_walk:
            walks = sorted((each for each in foreign if each[1].kind == ClipKind.WALKS), key=lambda each: each[1].doubt)
            others += [clip for clip, _ in walks]
            others += [clip for clip, reading in foreign if reading.kind is None]
    walk, run, idle = (found[kind] for kind in (ClipKind.WALKS, ClipKind.RUNS, ClipKind.STANDS))
    return FoundClips(walk, run, idle, tuple(others[: CLIP_SEARCH.most_measured]), plays=bool(own))


def _moves_bones(clip: animation.Clip, armature: bpy.types.Object) -> bool:
    """Whether a clip has at least two keys for some bone of an armature."""
    bones = armature.pose.bones
    return any(
        (bone := bone_in(curve.data_path)) is not None and bone in bones and _moves(curve)
        for curve in animation.curves_of(clip)
    )


def _plainest(told: list[tuple[animation.Clip, NameReading]], kind: ClipKind) -> animation.Clip | None:
    named = [(reading.doubt, clip) for clip, reading in told if reading.kind == kind]
    return min(named, key=lambda each: each[0])[1] if named else None


def _clips_of_file() -> Iterator[tuple[animation.Clip, NameReading]]:
    for action in bpy.data.actions:
        if TAG not in action and FIGURE_TAG not in action:
            yield from ((clip, read_name(action.name)) for clip in animation.clips_of_action(action))


def _fits(clip: animation.Clip, armature: bpy.types.Object) -> bool:
    """Whether an armature has most of the bones that a clip moves."""
    paths = {curve.data_path for curve in animation.curves_of(clip)}
    names = {bone for path in paths if (bone := bone_in(path)) is not None}
    there = sum(name in armature.pose.bones for name in names)
    return there >= CLIP_SEARCH.fitting_bones * len(names) and _moves_bones(clip, armature)


def _moves(curve: bpy.types.FCurve) -> bool:
    first, last = curve.range()
    return last > first
