# SPDX-License-Identifier: GPL-3.0-or-later
"""The clips of a character for what it does besides walking: the user's own, or ours; made when they are played."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

import bpy
import numpy as np

from ....core.array_types import Float64
from ....core.motion.acting.cues import ONCE, SIT, STAND, activity_of
from ....core.motion.pose_tables import PoseTable
from ....core.motion.solid_body import SolidPoses
from ...blender_data import animation, fcurves
from ...blender_data.bulk_clips import Note
from ...figures.figure import body_of, ensure_act
from ...figures.mesh.skeleton import Proportions
from ...figures.motion.repertoire import ACTS, OURS, SEAT_THICKNESS, distance_from_seat, plan_act
from ...settings.cast_rows import fitting_clip
from ..clips.blendable import make_blendable
from ..clips.clip_search import fitting
from ..clips.clips import Clips, WalkCycle
from ..legs.bone_legs import Leg, watch_legs
from ..legs.bone_poses import sample_bones
from ..legs.loose_feet import LooseFootLeg
from ..legs.observed_clips import ClipObservation
from ..legs.stiff_legs import StiffLeg
from ..retargeting.fitted_gait import plan_as_figure, size_of
from ..retargeting.foreign_clips import adapted_to
from ..retargeting.humanoids import Humanoid, find_humanoid, is_held
from ..retargeting.made_clips import write_clip
from ..retargeting.standing import moved_cycle
from ..templates import Template
from .gaze import LookingBones, find_looking_bones
from .own_acts import own_acts
from .solid_bodies import SolidBody, make_solid_body, watch_act

_SEAT_STEP = 0.02  # between heights of seats that have clips of their own, in the size of the figures [m]; chosen
_SEAT_TOLERANCE = 0.04  # feet that are farther from the ground than this are reported [m]; chosen
_COARSE, _FEW = 3, ("_1", "_2")  # the same in such steps, and the variants, where each takes many meshes
_STILL = 1e-3  # keys that differ less do not move anything, over their size or 1; chosen

_Watched = TypeVar("_Watched")


@dataclass(frozen=True, eq=False)
class ActClip:
    """A clip that a character plays.

    Attributes:
        cycle: the clip, from frame 0 to its length.
        seconds: that it takes.
        is_cycle: it begins again at its end.
        back: how far the hips are behind the place of the body, on a seat [Blender units].
        top: height of the seat that it is made for; of a clip of the user's, where that would be.
        is_own: it is a clip of the user's, for one height of seats only.
        poses: meshes that stand for it where people are instances.
    """

    cycle: WalkCycle
    seconds: float
    is_cycle: bool
    back: float = 0.0
    top: float = 0.0
    is_own: bool = False
    poses: int = 12


@dataclass(eq=False)
class Repertoire:
    """The clips of one character.

    Attributes:
        template: the character.
        scene: provides frame rate and units.
        unit: metres per Blender unit.
        figure: name of the built-in figure that it is; empty: none.
        note: called with each Action that belongs to the bake.
        chosen: roles and clips that the user has chosen for it; None: nothing is played.
        is_coarse: its poses are instances: fewer clips and heights of seats.
    """

    template: Template
    scene: bpy.types.Scene
    unit: float
    figure: str
    note: Note
    chosen: tuple[tuple[str, animation.Clip | None], ...] = ()
    is_coarse: bool = False
    _clips: dict[str, ActClip] = field(default_factory=dict)
    _tables: dict[str, list[PoseTable | None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        parts, walker = self.template.parts, self.template.walker
        self._armature = parts[walker] if walker is not None and self.template.clips is not None else None
        self._body: Humanoid | None = None
        self._own: dict[str, animation.Clip] = {}
        self._adapted: list[bpy.types.Action] = []
        self._refused: set[str] = set()
        if self._armature is not None:
            body = self._watched("body", "", lambda armature=self._armature: find_humanoid(armature, parts[0]))
            clips = self.template.clips
            self._body = replace(body, yaw=clips.yaw) if body is not None and clips is not None else None
            self._own = {} if self.figure else own_acts(self._armature, self.chosen, self._body)

    @cached_property
    def looking(self) -> LookingBones | None:
        """The bones that turn when somebody looks at something; None where there are none."""
        if self._body is None or self._armature is None:
            return None
        return find_looking_bones(self._body, self._armature, self.template.parts[0])

    @property
    def seconds(self) -> Mapping[str, float]:
        """Length of each clip that the character can play, by its name."""
        own = {act: _seconds(clip, self.scene) for act, clip in self._own.items()}
        if self._body is None:
            return own
        replaced = {activity_of(act) for act in own} | {role for role, _ in self.chosen}
        if not self._stands_as_ours:
            replaced.add(STAND)
        once = ONCE if SIT not in replaced else ()  # ours end in a pose that is not the user's
        ours = {
            act: each.seconds for act, each in ACTS.items() if act in once or activity_of(act) not in replaced | {""}
        }
        found = ours | own
        if self.is_coarse:
            found = {act: length for act, length in found.items() if act in ONCE or act[-2:] in _FEW}
        return {act: length for act, length in found.items() if not (self.is_coarse and activity_of(act) == STAND)}

    @property
    def reaches(self) -> Mapping[str, float]:
        """How far elbows are from the middle of the body in those of our clips in which they are held out [m]."""
        return {act: each.reach * self._metre * self.unit for act, each in ACTS.items() if each.reach > 0.0}

    @property
    def behind(self) -> Mapping[str, str]:
        """The sides of the hands that are behind the back in those of our clips in which some are."""
        return {act: each.behind for act, each in ACTS.items() if each.behind and act not in self._own}

    @cached_property
    def _stands_as_ours(self) -> bool:
        """Whether it has no clip of its own for standing, or one in which nothing moves."""
        idle = self.template.idle
        return bool(self.figure) or idle is None or idle.source is None or _is_still(idle.source)

    @property
    def makes_clips(self) -> bool:
        """Whether some of its clips belong to the bake."""
        return self.template.makes_clips or any(each.cycle.is_copy for each in self._clips.values())

    def offer(self, activity: str) -> None:
        """Take an Action of the file that the scene names, as "play_clip:Dance", for one of the clips."""
        _, _, title = activity.partition(":")
        act, action = f"{activity}_1", bpy.data.actions.get(title)
        if act in self._own or activity in self._refused:
            return
        if self._armature is None or action is None:
            what = "has no skeleton" if self._armature is None else "finds no such action in the file"
            self._refuse(activity, f"and {what}: it stands. Choose a character with a skeleton, or another clip")
            return
        clip = fitting_clip(action, self._armature)
        if self._body is not None and not (clip is not None and fitting(self._armature)(clip)):
            clip = self._adapted_of(animation.clips_of_action(action))
        if clip is not None:
            self._own[act] = clip
            return
        way_out = "Choose a clip that fits its bones, or one made for a human body"
        self._refuse(activity, f"which moves other bones: it stands. {way_out}")

    def _adapted_of(self, clips: Iterable[animation.Clip]) -> animation.Clip | None:
        """Adapt the first of some clips of other bones, or of other axes, for which that can be done."""
        assert self._armature is not None
        for clip in clips:
            adapted = adapted_to(clip, self._armature, self.template.parts[0], self.scene)
            if adapted is not None:
                self.note(adapted.action, clip.action.name)
                self._adapted.append(adapted.action)
                return adapted
        return None

    def note_held(self) -> None:
        """Report once that somebody stands where others sit or talk, because controls hold the legs of its body."""
        armature, parts = self._armature, self.template.parts
        if armature is None or "" in self._refused:
            return
        self._refused.add("")
        if self._watched("held", "", lambda: is_held(armature, parts[0])):
            self.template.notices.append(
                f"'{self.template.names[0]}' stands where others sit, talk or wave, because controls hold its legs: "
                "choose Rig: Deform Only, and it does what they do"
            )

    def note_seat(self, clip: ActClip, height: float) -> None:
        """Report once where the feet are if a clip of the user's is played on a seat of another height than its own.

        Args:
            clip: that is played.
            height: of the seat over the ground [Blender units, at the size of 1].
        """
        off = (height - clip.top) * self.unit
        known = clip.is_own and clip.top > 0.0  # 0: its legs are not known
        if not known or abs(off) < _SEAT_TOLERANCE or clip.cycle.name in self._refused:
            return
        self._refused.add(clip.cycle.name)
        feet = "hang" if off > 0.0 else "are sunk"
        made_for, here = clip.top * self.unit, height * self.unit
        self.template.notices.append(
            f"'{self.template.names[0]}' sits in '{clip.cycle.name}', which fits seats {made_for:.2f} m high: on "
            f"{here:.2f} m its feet {feet} by {abs(off):.2f} m. Change the height of the seat, or choose no clip for "
            "Sit in the cast table and use the built-in one, which fits any seat"
        )

    @cached_property
    def solid(self) -> SolidBody | None:
        """The character as a solid; None where it has no clips or no mesh."""
        return self._watched("solid", "", lambda: make_solid_body(self.template, self.scene))

    def solid_in(self, act: str) -> SolidPoses:
        """Where the solid is in a clip."""
        solid = self.solid
        assert solid is not None
        return self._watched("solid", act, lambda: watch_act(self.template, self.clip(act).cycle, self.scene, solid))

    def _watched(self, what: str, act: str, watch: Callable[[], _Watched]) -> _Watched:
        """Return what is found by watching the character in a clip, unless a repertoire of another crowd found it."""
        found = self.template.watched
        if (what, act) not in found:
            found[what, act] = watch()
        return found[what, act]

    def _refuse(self, activity: str, why: str) -> None:
        """Report once that a clip that the scene names cannot be played."""
        self._refused.add(activity)
        title = activity.partition(":")[2]
        self.template.notices.append(f"'{self.template.names[0]}' cannot play '{title}', {why}")

    def added_for(self, height: float) -> str:
        """Return what is added to the names of clips on a seat of some height [Blender units, at the size of 1]."""
        if self._is_own(SIT):
            return ""
        step = _COARSE if self.is_coarse else 1
        return f"@{step * round(height / self._metre / _SEAT_STEP / step)}"

    def clip(self, act: str) -> ActClip:
        """Return a clip by its name, made now if it has not been."""
        if act not in self._clips and act in self._own:
            self._clips[act] = self._adopt(act)
        elif act not in self._clips:
            name, _, seat = act.partition("@")
            self._clips[act] = self._make(name, _SEAT_STEP * float(seat or 0))
        return self._clips[act]

    def tables(self, acts: Iterable[str]) -> dict[str, list[PoseTable | None]]:
        """Return the poses of each leg in some clips; None for a leg that follows controls."""
        for act in acts:
            if act not in self._tables:
                clip = self.clip(act)
                self._tables[act] = self._watched("legs", act, lambda clip=clip: self._watch(clip))
        return self._tables

    @property
    def _metre(self) -> float:
        """Blender units of a metre in which clips are planned: of a figure's own mesh, or of the man with such legs."""
        return self.template.parts[0].scale[0] if self.figure else self._size

    @property
    def _size(self) -> float:
        """How many times as long as the man's its legs are, in Blender units for metres."""
        return size_of(self._body) if self._body is not None else 1.0 / self.unit

    def _is_own(self, activity: str) -> bool:
        return any(activity_of(act) == activity for act in self._own)

    def _make(self, act: str, seat: float) -> ActClip:
        """Make a clip of ours; `seat` is a height in the size of the figures [m]."""
        ours = OURS[act]
        name = act.replace("_", " ")
        if self.figure:
            clip = ensure_act(self.figure, act, seat)
        else:
            assert self._body is not None
            assert self._armature is not None
            frames = ours.key_frames
            motion = plan_as_figure(self._body, lambda own, bones: plan_act(act, own, bones, frames, seat))
            title = f"{self.template.names[0]} {name}"
            only = [self._body.bones[bone] for bone in ours.moves if bone in self._body.bones] if ours.moves else None
            clip = write_clip(title, self._body, motion, self._armature, self.template.parts[0], frames, only=only)
            self.note(clip.action, title)
            clip = self._blendable(clip, is_copy=True)
        back = 0.0
        if ours.is_seated:
            body, metre = body_of(self.figure) if self.figure else Proportions(), self._metre
            back = metre * distance_from_seat(body, seat, metre * self.unit)
        cycle = WalkCycle(name, clip, is_copy=not self.figure, length=float(ours.frames), stride=1.0)
        return ActClip(cycle, ours.seconds, ours.is_cycle, back, seat * self._metre, poses=ours.poses)

    def _adopt(self, act: str) -> ActClip:
        """Take a clip of the user's, which may begin at any frame."""
        clip = self._own[act]
        name = clip.action.name
        if self._armature is not None and not fitting(self._armature)(clip):  # chosen, for bones with other axes
            clip = self._adapted_of([clip]) or clip
        is_adapted = clip.action in self._adapted
        first, last = animation.clip_range(clip)
        if first != 0.0:
            clip = animation.copy_clip(clip)
            for curve in animation.curves_of(clip):
                fcurves.shift_keys(curve, -first)
            clip.action.use_frame_range = True
            clip.action.frame_start, clip.action.frame_end = 0.0, last - first
            self.note(clip.action, name)
        is_copy = first != 0.0 or is_adapted
        blendable = self._blendable(clip, is_copy=is_copy)
        if blendable.action != clip.action:
            clip, is_copy = blendable, True
            self.note(clip.action, name)
        cycle = WalkCycle(name, clip, is_copy=is_copy, length=last - first, stride=1.0)
        cycle = cycle if is_adapted else self._raised(cycle)
        own = ActClip(cycle, _seconds(self._own[act], self.scene), act not in ONCE, is_own=True)
        if activity_of(act) != SIT and act not in ONCE:
            return own
        hip = self._watch_hip(own)
        if hip is None:
            return own
        thick = SEAT_THICKNESS * float(np.mean([leg.length for leg in self.template.legs]))
        return ActClip(cycle, own.seconds, own.is_cycle, -float(hip[0]), float(hip[2]) - thick, is_own=True)

    def _raised(self, cycle: WalkCycle) -> WalkCycle:
        """Return a clip of the user's that stands as high as the one for standing: on a seat only hips count."""
        clips, armature = self.template.clips, self._armature
        if clips is None or armature is None or not clips.raised:
            return cycle
        moved = moved_cycle(cycle, np.array([0.0, 0.0, clips.raised]), armature, self.template.parts[0])
        if not cycle.is_copy:
            self.note(moved.clip.action, cycle.name)
        return moved

    def _blendable(self, clip: animation.Clip, *, is_copy: bool) -> animation.Clip:
        """Return a clip that can be blended with the walk."""
        clips = self.template.clips
        return clip if clips is None else make_blendable(clip, clips.walk.clip, is_copy=is_copy)

    @contextmanager
    def _played(self, act: ActClip) -> Generator[ClipObservation | None]:
        """Provide copies of the character that play a clip; None where its legs are not known."""
        walker, clips = self.template.walker, self.template.clips
        if walker is None or clips is None or not self.template.legs:
            yield None
            return
        copies = self.template.copy_to_watch()
        try:
            yield ClipObservation(copies, walker, Clips(act.cycle), (1.0, 0.0), self.scene)
        finally:
            bpy.data.batch_remove(copies)

    def _watch(self, act: ActClip) -> list[PoseTable | None]:
        """Look at the legs in a clip, but for those whose feet are controls."""
        legs = self.template.legs
        bent = [leg for leg in legs if isinstance(leg, Leg) and not isinstance(leg, LooseFootLeg | StiffLeg)]
        with self._played(act) as seen:
            tables = iter(watch_legs(seen, bent) if seen is not None else ())
            return [next(tables) if leg in bent else None for leg in legs]

    def _watch_hip(self, act: ActClip) -> Float64 | None:
        """Where the hips usually are in a clip, float64 (3,) [Blender units]; None where only controls are known."""
        thighs = [leg.bones[0] for leg in self.template.legs if isinstance(leg, Leg)]
        with self._played(act) as seen:
            if seen is None or not thighs:
                return None
            poses = sample_bones(seen, thighs)
        return np.mean([np.median(poses.in_world(k)[:, :3, 3], axis=0) for k in range(len(thighs))], axis=0)


def _is_still(clip: animation.Clip) -> bool:
    """Whether nothing moves in a clip."""
    values = [keys[0, 1::2] for _, keys in animation.keys_of(clip)]
    return all(np.ptp(each) < _STILL * max(1.0, float(np.abs(each).max())) for each in values if len(each))


def _seconds(clip: animation.Clip, scene: bpy.types.Scene) -> float:
    first, last = animation.clip_range(clip)
    return max(last - first, 1.0) * scene.render.fps_base / scene.render.fps
