# SPDX-License-Identifier: GPL-3.0-or-later
"""Chooses walk, run and idle among a character's clips, by name or else by speed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import bpy
import numpy as np

from ...core.array_types import Bool
from ...core.motion.blending import running_speed
from ..blender_data import animation
from ..blender_data.evaluation import frames_per_second
from ..blender_data.tags import without_number
from ..figures.figure import STRIDE_PROPERTY
from ..figures.motion.gait import FEET_PASS
from .character import Character
from .clips.act_names import read_act_name
from .clips.clip_faults import say_not_played
from .clips.clip_names import ClipKind, leaps, read_name
from .clips.clip_search import fitting
from .clips.clips import Clips, WalkCycle
from .clips.jointed_parts import join_parts
from .clips.joints import FEWEST_BONES
from .clips.walk_cycles import CLIP_SETTINGS, blend, make_idle, make_walk, within_reach
from .retargeting.foreign_clips import adapted_to
from .retargeting.humanoids import is_held
from .retargeting.made_clips import AHEAD_PROPERTY, make_clips
from .retargeting.standing import make_standing, stand_at_origin, yaw_in_walk
from .retargeting.stood_up import stand_as_in_clip
from .suitability import why_it_is_broken

_GAITS = {ClipKind.WALKS: "walk", ClipKind.STANDS: "idle", ClipKind.RUNS: "run"}


def with_clips(character: Character, parts: list[bpy.types.Object], scene: bpy.types.Scene) -> Character:
    """Give a character with a human body the clips that it lacks: those brought for others, or the figures' gait.

    A body of objects that are animated themselves gets bones, and their clips.

    Args:
        character: the character.
        parts: copies of its objects; the first is at the world's origin. The armature of new bones is added.
        scene: provides frame rate and units.
    """
    jointed = join_parts(parts, [part.name for part in character.parts])
    if jointed is not None:
        parts.append(jointed.rig)
        own = {_GAITS[kind]: clip for kind, clip in jointed.clips.items()}
        every, made = (*character.parts, jointed.rig), tuple(own.values())
        return replace(character, parts=every, walker=jointed.rig, made=made, **own)
    if character.walker is not None:
        armature = parts[character.parts.index(character.walker)]
        adapted = _adapted(character, armature, parts[0], scene)
        adapted |= _chosen_for_other_bones(character, armature, parts[0], scene)
        return replace(character, made=tuple(adapted.values()), **adapted)
    made = make_clips(character.name, parts)
    if made is None:
        return character
    adapted = _adapted(character, parts[made.part], parts[0], scene)
    bpy.data.batch_remove([clip.action for gait, clip in made.by_gait.items() if gait in adapted])
    clips = made.by_gait | adapted
    why = f"'{character.name}' has no clip of its own: it walks with Footfall's"
    if "walk" in adapted:
        walk = without_number(adapted["walk"].action.name)
        why = f"'{character.name}' has no walk of its own: it plays '{walk}', made for other bones"
    return replace(character, walker=character.parts[made.part], made=tuple(clips.values()), walks_as=why, **clips)


def say_it_slides(character: Character, parts: Sequence[bpy.types.Object]) -> str:
    """Compose the notice about a character without a walk.

    Args:
        character: the character.
        parts: copies of its objects; the first is at the world's origin.
    """
    name = character.name
    broken = why_it_is_broken(character.parts)
    if broken:
        return f"'{name}' slides along in its current pose: {broken}"
    if any(part.type == "ARMATURE" and is_held(part, parts[0]) for part in parts):
        return (
            f"'{name}' has no walk clip, and constraints move its legs: it slides along in its current pose. Animate a "
            "walk with its controls, or use an armature without constraints"
        )
    return (
        f"'{name}' has no walk clip: it slides along in its current pose, and Footfall's walk does not fit its body. "
        "Choose a clip for its Walk in the cast table, or name its legs in Parts of the Body"
    )


def say_unplayed(character: Character, walk: WalkCycle | None) -> list[str]:
    """Compose the notices about clips of a character's own that cannot be played, or about what breaks it.

    Args:
        character: whose armatures may play clips.
        walk: that it walks with, if it does.
    """
    broken = why_it_is_broken(character.parts)
    if broken:  # who has no walk is reported without it, and so is who loses bones in it
        return [f"'{character.name}': {broken}"] if walk is not None and not walk.lost else []
    rigs = [part for part in character.parts if part.type == "ARMATURE" and character.walker in {part, None}]
    instead = walk.source.action.name if walk is not None and walk.source is not None else ""
    return say_not_played(character.name, rigs, instead)


def _adapted(
    character: Character, armature: bpy.types.Object, mover: bpy.types.Object, scene: bpy.types.Scene
) -> dict[str, animation.Clip]:
    """Adapt the first clip of each kind that was brought for a character and can be adapted."""
    found: dict[str, animation.Clip] = {}
    for clip in character.brought:
        kind = read_name(clip.action.name).kind
        gait = _GAITS.get(kind) if kind is not None else None
        if gait is None or gait in found or gait in character.chosen:
            continue
        adapted = adapted_to(clip, armature, mover, scene)
        if adapted is not None:
            found[gait] = adapted
    return found


def _chosen_for_other_bones(
    character: Character, armature: bpy.types.Object, mover: bpy.types.Object, scene: bpy.types.Scene
) -> dict[str, animation.Clip]:
    """Adapt clips that the user has chosen whose bones have the same names and other axes, where that can be done."""
    fits, found = fitting(armature), dict[str, animation.Clip]()
    for gait in _GAITS.values():
        clip: animation.Clip | None = getattr(character, gait)
        if gait in character.chosen and clip is not None and not fits(clip):
            adapted = adapted_to(clip, armature, mover, scene)
            if adapted is not None:
                found[gait] = adapted
    return found


def choose_clips(
    character: Character,
    *,
    walker: bpy.types.Object,
    mover: bpy.types.Object,
    scene: bpy.types.Scene,
    unit: float,
    runs: bool = False,
) -> tuple[Clips, list[str]]:
    """Measure the clips of a character, and combine them.

    Args:
        character: a character with a walk.
        walker: a copy of its armature, without animation.
        mover: a copy of the object that moves it, at the world's origin; may be the same.
        scene: provides frame rate and units.
        unit: metres per Blender unit.
        runs: its people run, and need a clip for that.

    Returns:
        The clips, and sentences for the user.
    """
    if character.walk is not None:
        stand_as_in_clip(walker, mover, character.walk, scene)
    measuring = _Measuring(character, walker, mover, scene, unit)
    chosen, unused = measuring.choose()
    notices = [f"'{character.name}': {doubt}" for _, doubt in character.doubts]
    if character.walks_as:
        notices.insert(0, character.walks_as)
    for name, each in chosen.items():
        if each.clip in character.made or each.source in character.made:
            chosen[name] = _as_made(each)
    added = measuring.complete(chosen, runs=runs)  # the cast table shows them
    notices += measuring.say_it_lacks_walk(chosen, added)
    unused += [chosen[name] for name in added if name in chosen]
    chosen |= added
    if chosen["walk"] is chosen.get("run"):
        del chosen["run"]
    chosen["walk"] = measuring.within_reach(chosen["walk"])
    for name, stride in character.own_strides:
        if name in chosen:
            own = chosen[name]
            chosen[name] = replace(own, stride=stride / unit, notices=own.notices if own.steps else ())
    walk, idle, run = (chosen.get(name) for name in ("walk", "idle", "run"))
    assert walk is not None
    clips, why = blend(walk, idle=idle, run=run, armature=walker)
    clips = stand_at_origin(clips, armature=walker, mover=mover, scene=scene)
    made: Any = walker.data if walker == character.walker else None  # with the bones of a body of objects
    clips = replace(clips, yaw=measuring.yaw_in(walk), rig=made)
    if character.run_ahead is not None:
        clips = replace(clips, run_ahead=character.run_ahead)
    if run is not None and clips.run is None:
        notices.append(f"'{character.name}' does not use the run clip '{run.name}': {why}")
        unused.append(run)
    left = {each.clip.action for each in unused if each.is_copy} | {clip.action for clip in character.made}
    bpy.data.batch_remove(list(left - {each.clip.action for each in clips.all}))
    return clips, [*walk.notices, *notices]


@dataclass(frozen=True)
class _Measuring:
    """Measures the clips of one character; see `choose_clips`."""

    character: Character
    walker: bpy.types.Object
    mover: bpy.types.Object
    scene: bpy.types.Scene
    unit: float

    def measure(self, clip: animation.Clip, known: float | None = None, feet: Bool | None = None) -> WalkCycle:
        """Measure a clip, unless its stride [m] is known."""
        if known is None:
            name, scene = self.character.name, self.scene
            return make_walk(clip, name=name, armature=self.walker, mover=self.mover, scene=scene, feet=feet)
        first, last = animation.clip_range(clip)
        cycle = WalkCycle(clip.action.name, clip, is_copy=False, length=last - first, source=clip)
        return replace(cycle, stride=known / self.unit, passing=FEET_PASS, is_exact=True)

    def choose(self) -> tuple[dict[str, WalkCycle], list[WalkCycle]]:
        """Return the clips by their gaits, as named, chosen or measured, and those that were measured in vain."""
        character = self.character
        assert character.walk is not None
        walk = self.measure(character.walk, character.stride)
        run = None
        if character.run is not None:
            run = self.measure(character.run, character.run_stride, walk.feet)
        idle = make_idle(character.idle) if character.idle is not None else None
        unused: list[WalkCycle] = []
        if character.others:
            rate = frames_per_second(self.scene)
            found = [walk, *(self.measure(clip) for clip in character.others)]
            kinds = [self._shown_in(each, rate) for each in found]
            if "walk" in character.chosen:
                kinds = [ClipKind.WALKS, *(None if kind == ClipKind.WALKS else kind for kind in kinds[1:])]
            walk, other_idle, other_run = _by_kind(found, kinds, idle, run)
            idle = idle if "idle" in character.chosen else other_idle
            run = run if "run" in character.chosen else other_run
            unused = [each for each in found if not any(each is used for used in (walk, idle, run))]
        named = zip(("walk", "idle", "run"), (walk, idle, run), strict=True)
        return {name: each for name, each in named if each is not None}, unused

    def _shown_in(self, cycle: WalkCycle, rate: float) -> ClipKind | None:
        """What a clip is used for by its name, or else by its speed; one of talking is no walk, wherever it goes."""
        kind = read_name(cycle.name).kind
        if kind is not None:
            return kind
        if read_act_name(cycle.name):
            return ClipKind.STANDS
        by_speed = _kind(cycle, rate, self.unit)
        return None if by_speed == ClipKind.WALKS and not _steps_on(cycle, rate) else by_speed

    def within_reach(self, walk: WalkCycle) -> WalkCycle:
        """Return a walk with a stride that its feet can carry; runs that were taken for want of a walk also fly."""
        is_run = self._shown_in(walk, frames_per_second(self.scene)) == ClipKind.RUNS
        return walk if is_run or walk.direction is None else within_reach(walk)

    def complete(self, chosen: dict[str, WalkCycle], *, runs: bool) -> dict[str, WalkCycle]:
        """Return clips of ours for what a body like ours has no clip for; the built-in figures have all."""
        idle, walk = chosen.get("idle"), chosen["walk"]
        wanted = {
            "walk": self.lacks_walk(chosen),
            "idle": idle is None or (idle.source is not None and _says_something_else(idle.name)),
            "run": runs and "run" not in chosen,
        }
        missing = [gait for gait, is_wanted in wanted.items() if is_wanted and gait not in self.character.chosen]
        if not missing or self.character.stride is not None:
            return {}
        found: dict[str, WalkCycle] = {}
        if "walk" in missing and "run" not in chosen and read_name(walk.name).kind == ClipKind.RUNS:
            found["run"] = walk  # which was taken for want of a walk
            missing = [gait for gait in missing if gait != "run"]
        stands = idle is None and self._shows_standing(walk)
        if stands and {"walk", "idle"} <= set(missing):
            missing.remove("idle")  # an idle that was taken for want of a walk
            found["idle"] = make_idle(walk.source or walk.clip)
        yaw = self.yaw_in(chosen["walk"]) if "walk" not in missing else 0.0
        made = make_clips(self.character.name, list(dict.fromkeys((self.mover, self.walker))), missing, yaw)
        for gait, clip in made.by_gait.items() if made is not None else ():
            feet = found.get("walk", walk).feet if gait == "run" else None
            found[gait] = _as_made(make_idle(clip) if gait == "idle" else self.measure(clip, None, feet))
        if "idle" in missing and "idle" not in found and idle is None and self._may_stand(chosen["walk"]):
            places = {"armature": self.walker, "mover": self.mover, "scene": self.scene}
            found["idle"] = make_standing(chosen["walk"], name=self.character.name, **places)
        return found

    def _shows_standing(self, cycle: WalkCycle) -> bool:
        """Whether a clip is of somebody who stands, by its name, or by its motion where its name says nothing."""
        kind, doubt = read_name(cycle.name)
        says_nothing = kind is None and not doubt and not read_act_name(cycle.name)
        is_still = not cycle.steps or cycle.stride < CLIP_SETTINGS.root_motion * cycle.height
        return kind == ClipKind.STANDS or (says_nothing and cycle.moves and not cycle.lost and is_still)

    def yaw_in(self, walk: WalkCycle) -> float:
        """How the body is turned in a walk of the user's from where it looks at rest [rad]."""
        if self.character.stride is not None or walk.source is None or walk.lost:
            return 0.0
        return yaw_in_walk(walk, armature=self.walker, mover=self.mover, scene=self.scene)

    def say_it_lacks_walk(self, chosen: dict[str, WalkCycle], added: dict[str, WalkCycle]) -> list[str]:
        """Compose the notice about what was taken as the walk and is none, if it is none."""
        walk = chosen["walk"]
        goes_nowhere = read_name(walk.name).kind == ClipKind.WALKS and walk.stride < walk.height
        why = f"its feet go nowhere in '{walk.name}'" if goes_nowhere else f"'{walk.name}' is not one"
        no_walk = f"'{self.character.name}' has no walk: {why}"
        if "walk" in added:
            return [f"{no_walk}; it walks with Footfall's"]
        if self.lacks_walk(chosen, by_feet=False):
            return [f"{no_walk}, and Footfall's does not fit its body: choose a walk in the cast table"]
        return []

    def lacks_walk(self, chosen: dict[str, WalkCycle], *, by_feet: bool = True) -> bool:
        """Whether what was taken as the walk, and was not chosen by the user, is none.

        Args:
            chosen: the clips.
            by_feet: a clip whose feet do not alternate is none either; a body unlike ours may have nothing better.
        """
        return "walk" not in self.character.chosen and self._is_no_walk(chosen["walk"], by_feet=by_feet)

    def _is_no_walk(self, cycle: WalkCycle, *, by_feet: bool) -> bool:
        """Whether a clip that was taken for want of a walk shows something else: a wave, or a turn on the spot.

        A name that says so is believed, whatever the feet do, unless nobody could take such strides, or its feet
        go nowhere, as in a take in which somebody walks to and fro, or a clip that moves other objects than bones.
        """
        kind, rate = read_name(cycle.name).kind, frames_per_second(self.scene)
        if cycle.lost or cycle.source is None:
            return False
        if 0.0 < CLIP_SETTINGS.longest_stride * cycle.height * cycle.strides < cycle.stride:
            return True
        if kind == ClipKind.WALKS:
            goes = cycle.alternates or _kind(cycle, rate, self.unit) != ClipKind.STANDS
            return cycle.steps and not goes
        if by_feet and not (cycle.moves and _steps_on(cycle, rate)):
            return True
        return kind is not None or bool(read_act_name(cycle.name)) or _kind(cycle, rate, self.unit) == ClipKind.STANDS

    def _may_stand(self, walk: WalkCycle) -> bool:
        return walk.moves and not walk.lost and len(self.walker.pose.bones) >= FEWEST_BONES


def _as_made(cycle: WalkCycle) -> WalkCycle:
    """Return a clip as one that was made for the bake, with the stride and direction for which it was planned."""
    stride, ahead = (cycle.clip.action.get(key) for key in (STRIDE_PROPERTY, AHEAD_PROPERTY))
    made = replace(cycle, is_copy=True, source=None)
    if stride:
        made = replace(made, stride=float(stride), steps=True, notices=())
    return made if ahead is None else replace(made, direction=np.array(ahead, dtype=np.float64))


def _says_something_else(name: str) -> bool:
    kind, doubt = read_name(name)
    return kind is None and doubt > 0


def _by_kind(
    found: list[WalkCycle], kinds: list[ClipKind | None], idle: WalkCycle | None, run: WalkCycle | None
) -> tuple[WalkCycle, WalkCycle | None, WalkCycle | None]:
    """Choose walk, idle and run of measured clips; the first is the walk unless only another one walks.

    Where none walks, the run does, or else a jump, as of frogs. A clip whose name says something else, such as Wave,
    is not for running; for standing it is better than none, as somebody would stop in the middle of a step.
    """
    walks = [each for each, kind in zip(found, kinds, strict=True) if kind == ClipKind.WALKS]
    best = next((each for each in found if leaps(each.name)), found[0])
    walk = next((each for each in walks if each.direction is not None), next(iter(walks), run or best))
    rest = [
        (read_name(each.name).doubt, each, kind) for each, kind in zip(found, kinds, strict=True) if each is not walk
    ]
    standing = [(doubt, each) for doubt, each, kind in rest if kind == ClipKind.STANDS]
    if idle is None and standing:
        _, idle = min(standing, key=lambda each: each[0])
    return walk, idle, run or next((each for doubt, each, kind in rest if kind == ClipKind.RUNS and not doubt), None)


def _steps_on(cycle: WalkCycle, rate: float) -> bool:
    """Whether a clip whose name says no gait is one by its feet: nobody walks who sways, leaps, or shifts on a seat."""
    return cycle.steps and cycle.alternates and cycle.length / cycle.strides > CLIP_SETTINGS.shortest_stride * rate


def _kind(walk: WalkCycle, rate: float, unit: float) -> ClipKind:
    """Classify a clip by its speed at the scene's frame rate."""
    speed = walk.stride * rate / walk.length  # [Blender units / s]
    if not walk.steps or speed < CLIP_SETTINGS.standing_speed * walk.height:
        return ClipKind.STANDS
    usual_stride = CLIP_SETTINGS.usual_stride * walk.height * unit
    return ClipKind.RUNS if speed * unit > running_speed(usual_stride) else ClipKind.WALKS
