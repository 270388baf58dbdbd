# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays a character's clips on a copy and samples its legs in all gaits."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import bpy
import numpy as np

from ....core.array_types import Float64
from ....core.geometry.reproducible_math import length
from ....core.motion.blending import RUNS, STANDS, WALKS
from ....core.motion.feet.foot_contacts import CONTACT as CONTACT_SETTINGS
from ....core.motion.feet.foot_contacts import FootPath, Stance, Window, find_contacts, match, roll_over
from ....core.motion.legs import BALL, CONTACT
from ...blender_data import animation
from ...blender_data.evaluation import evaluation_scene
from ..clips.clips import Clips


@dataclass(frozen=True)
class ObservationSettings:
    """How densely clips are sampled; chosen by trial: planted feet stay within a centimetre.

    Attributes:
        phases: samples of one cycle of the walk, at least and at most; else one for each of its frames.
        breaths: samples of one cycle of the idle clip.
        slow_gaits: gaits between standing and walking that are sampled.
        fast_gaits: gaits between walking and running that are sampled.
    """

    phases: tuple[int, int] = (48, 144)
    breaths: int = 16
    slow_gaits: tuple[float, ...] = (STANDS, 0.25, 0.5, 0.75)
    fast_gaits: tuple[float, ...] = (1.25, 1.5, 1.75, RUNS)


_OBSERVATION = ObservationSettings()

_GLIDES = (0.2, 0.3, 0.4, 0.5)
"""How fast a foot may glide that stands in a walk, tried one after the other as in `ContactSettings.max_speed`: feet in
the clips of games do; chosen."""

PoseReader = Callable[[bpy.types.Object], tuple[Float64, Float64]]
"""Reads joints float64 (J, 3) and rotations (B, 3, 3) of an evaluated armature, in the world."""


class ObservedPoses(NamedTuple):
    """Sampled poses, in the layout of `PoseTable`.

    The last joint of a leg is the tip of its toes, or its ball where it has none; `standing_on` puts the point there on
    which the foot stands.
    """

    gaits: Float64
    joints: Float64
    turns: Float64
    standing: tuple[Float64, Float64] | None


@dataclass(frozen=True, eq=False)
class ClipObservation:
    """Copies of a character made for observation; the first, which moves all, is at the origin and faces +X.

    Attributes:
        copies: the objects.
        walker: number of the armature among them.
        clips: its clips.
        strides: length of one cycle of the walk, and of the run over as many strides [Blender units].
        scene: provides frame rate and units.
    """

    copies: list[bpy.types.Object]
    walker: int
    clips: Clips
    strides: tuple[float, float]
    scene: bpy.types.Scene

    @property
    def armature(self) -> bpy.types.Object:
        """The armature that walks."""
        return self.copies[self.walker]

    @property
    def phases(self) -> int:
        """Samples of one cycle of the walk: a recording shakes from frame to frame."""
        least, most = _OBSERVATION.phases
        return min(max(least, round(self.clips.walk.length)), most)

    @cached_property
    def played(self) -> Hashable:
        """What poses depend on of walk, idle and run."""
        clips = self.clips.walk, self.clips.idle, self.clips.run
        return tuple([clip and (clip.length, clip.strides, animation.digest_with_handles(clip.clip)) for clip in clips])

    @cached_property
    def keyed_in_all(self) -> set[str]:
        """Data paths that all clips animate."""
        return set.intersection(
            *({curve.data_path for curve in animation.curves_of(clip.clip)} for clip in self.clips.all)
        )

    def observe(self, readers: Sequence[PoseReader]) -> list[ObservedPoses]:
        """Sample poses with each reader, at all gaits and phases and while standing."""
        frames = self.show_all()
        return [self.arranged(*seen) for seen in self.sample(readers, frames)]

    def show_all(self) -> int:
        """Animate the armature to show all gaits and phases and how it stands; return the number of frames."""
        gaits = _gaits(self.clips)
        phase = np.tile(np.arange(self.phases + 1) / self.phases, len(gaits))
        gait = np.repeat(gaits, self.phases + 1)
        breath = np.zeros(len(phase))
        if self.clips.idle is not None:
            more = np.arange(_OBSERVATION.breaths + 1) / _OBSERVATION.breaths
            phase, gait = np.append(phase, 0.0 * more), np.append(gait, 0.0 * more)
            breath = np.append(breath, more)
        self.clips.show_poses(self.armature, gait=gait, phase=phase, breath=breath)
        return len(phase)

    def sample(self, readers: Sequence[PoseReader], frames: int) -> list[tuple[Float64, Float64]]:
        """Return joints (T, J, 3) and rotations (T, B, 3, 3) from each reader at the frames from 0 on."""
        with evaluation_scene(self.scene, remapped=False) as evaluation:
            seen = map(evaluation.watch(self.copies[0], self.armature), range(frames))
            moments = [[reader(each) for reader in readers] for each in seen]
        return [
            (np.array([each[number][0] for each in moments]), np.array([each[number][1] for each in moments]))
            for number in range(len(readers))
        ]

    def arranged(self, joints: Float64, turns: Float64) -> ObservedPoses:
        """Arrange what was read in all frames by gaits and phases: joints (T, J, 3) and rotations (T, B, 3, 3)."""
        gaits = _gaits(self.clips)
        blended = len(gaits) * (self.phases + 1)
        grids = [each[:blended].reshape(len(gaits), self.phases + 1, *each.shape[1:]) for each in (joints, turns)]
        standing = (joints[blended:], turns[blended:]) if self.clips.idle is not None else None
        return ObservedPoses(gaits, grids[0], grids[1], standing)

    def find_stance(
        self, seen: ObservedPoses, strides: tuple[float, float] | None = None, *, is_stiff: bool = False
    ) -> Stance | None:
        """Find when the foot of a leg stands on the ground, and how high; None where it never does.

        Args:
            seen: its poses.
            strides: as those of the clips; None: these.
            is_stiff: the leg has no knee, and its foot may stand while it swings back, whatever its height.
        """
        of_walk, of_run = strides or self.strides
        least = 0.0 if self.clips.walk.is_exact else CONTACT_SETTINGS.least_share
        walked, ran = (seen.joints[seen.gaits == gait] for gait in (WALKS, RUNS))
        path = _path(walked[0], of_walk)
        settings = [replace(CONTACT_SETTINGS, max_speed=share) for share in _GLIDES]
        settings += [replace(CONTACT_SETTINGS, max_speed=1.0, max_height=1.0)] if is_stiff else []
        tried = (find_contacts(path, each, least_share=least) for each in settings)
        walking: tuple[Window, ...] = next((found for found in tried if found), ())
        if not walking:
            return None
        running = match(walking, find_contacts(_path(ran[0], of_run))) if len(ran) else ()
        floor = _floor(walked[0, :, BALL], walking)
        floors = floor, _floor(ran[0, :, BALL], running) if running else floor
        return Stance(walking, running, floors, _toe(walked[0]), lowest=float(walked[0, :, CONTACT, 2].min()))


def opposite(stance: Stance, seen: ObservedPoses, strides: int) -> Stance:
    """Return when a foot stands that is never seen to, where another does: half a stride later; at its own height."""
    beside = tuple(sorted(Window((start + 0.5 / strides) % 1.0, length) for start, length in stance.walking))
    (walked,) = seen.joints[seen.gaits == WALKS]
    floor = _floor(walked[:, BALL], beside)
    return Stance(beside, (), (floor, floor), _toe(walked), lowest=float(walked[:, CONTACT, 2].min()))


def _toe(joints: Float64) -> float:
    """Length from the ball of a foot to the tip of its toes, of the joints float64 (K, J, 3) of its leg."""
    return float(np.median(length(joints[:, CONTACT] - joints[:, BALL])))


def standing_on(
    seen: ObservedPoses,
    stance: Stance,
    strides: tuple[float, float],
    sole: ObservedPoses | None = None,
    *,
    rolls: bool = False,
) -> tuple[ObservedPoses, Stance]:
    """Put the point on which a foot stands in the place of the tip of its toes, and the stance on its lowest point.

    Args:
        seen: poses of a leg.
        stance: of its foot.
        strides: of walk and run.
        sole: the points of its sole as joints; None: not known, and the tip of the toes is the lowest.
        rolls: it rolls over its sole; else over its tip.
    """
    walk, run = strides
    joints = seen.joints.copy()
    for number, gait in enumerate(seen.gaits.tolist()):
        path = _path(seen.joints[number], walk * min(gait, WALKS) + (run - walk) * max(gait - WALKS, 0.0))
        rolled = roll_over(path, stance.contacts(gait), sole.joints[number] if sole is not None and rolls else None)
        joints[number, :, CONTACT, :2] = joints[number, :, BALL, :2] + rolled
    if sole is not None:
        joints[..., CONTACT, 2] = sole.joints[..., 2].min(axis=-1)
        lowest = _floor(joints[seen.gaits == WALKS][0, :, CONTACT], stance.walking)
        stance = replace(stance, lowest=lowest, has_sole=True)
    standing = seen.standing
    if standing is not None:
        points = standing[0].copy()
        points[:, CONTACT, :2] = points[:, BALL, :2]
        if sole is not None and sole.standing is not None:
            points[:, CONTACT, 2] = sole.standing[0][..., 2].min(axis=-1)
        standing = points, standing[1]
    return seen._replace(joints=joints, standing=standing), stance


def _path(joints: Float64, stride: float) -> FootPath:
    return FootPath(joints[:, BALL], joints[:, CONTACT], stride)


def _floor(ball: Float64, contacts: tuple[Window, ...]) -> float:
    phase = np.arange(len(ball)) / (len(ball) - 1)
    return float(np.median(ball[Stance(contacts).holds(phase, np.full(len(ball), WALKS)), 2]))


def _gaits(clips: Clips) -> Float64:
    slower = _OBSERVATION.slow_gaits if clips.idle is not None else ()
    return np.array([*slower, WALKS, *(_OBSERVATION.fast_gaits if clips.run is not None else ())])
