# SPDX-License-Identifier: GPL-3.0-or-later
"""From clip to clip of the built-in figures: joints are no faster there than one and a half times as in the clips."""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pytest

ACTIVITIES = ["none", "stand", "talk", "listen", "phone", "sit", "cheer", "clap", "wave", "point", "look_round"]
FPS, SEAT, MAN = 24.0, 0.45, 0
WALK = 2.0  # joint speed of feet in the slowest walk, seen from the body [m/s]


class Stretch(NamedTuple):
    """A change of clips: how fast the fastest joint is, the same within the clips that take part, and their names."""

    speed: float
    inside: float
    acts: list[str]


class Man:
    """The joints of one built-in figure as its clips and the blends between them turn its bones; without Blender."""

    def __init__(self, addon):
        motion = "blender_addon.figures.motion"
        self.acts, self.plan = (getattr(addon.module(f"{motion}.repertoire"), name) for name in ("ACTS", "plan_act"))
        self.body = addon.module("blender_addon.figures.mesh.people").PEOPLE[MAN].body
        self.bones = addon.module("blender_addon.figures.mesh.skeleton").build_skeleton(self.body)
        self.cues = addon.module("core.motion.acting.cue_planning")
        self.step = addon.module("core.motion.acting.elbow_room").step_of(FPS)

    @cached_property
    def poses(self):
        """Of each clip, the place of the hips and the quaternions of all bones, float64 (K, 3 + 4 B), at each frame."""
        found, rest = {}, None
        for name, act in self.acts.items():
            motion = self.plan(name, self.body, self.bones, act.key_frames, SEAT if act.is_seated else 0.0)
            turns = np.stack([motion.rotations[bone] for bone in self.bones], axis=1)  # (K, B, 4)
            rest = turns[0] if rest is None else rest
            turns *= np.where((turns[0] * rest).sum(axis=-1) < 0.0, -1.0, 1.0)[:, None]
            keys = np.concatenate([motion.hips, turns.reshape(len(turns), -1)], axis=1)
            rows = np.arange(act.frames + 1)
            found[name] = np.stack([np.interp(rows, act.key_frames, column) for column in keys.T], axis=1)
        return found

    @cached_property
    def inside(self):
        """The greatest joint speed in each clip [m/s]."""
        return {name: self.speeds(poses).max() for name, poses in self.poses.items()}

    def speeds(self, poses):
        """Speed of the fastest joint from row to row, float64 (F - 1,) [m/s]."""
        turns = poses[:, 3:].reshape(len(poses), -1, 4)
        w, v = turns[..., :1], turns[..., 1:]
        size = (turns**2).sum(axis=-1)
        turned, places = {}, {}
        for number, (name, bone) in enumerate(self.bones.items()):
            a, b, axes = v[:, None, number], w[:, None, number], np.broadcast_to(np.eye(3), (len(poses), 3, 3))
            images = axes + 2.0 * np.cross(a, np.cross(a, axes) + b * axes) / size[:, number, None, None]
            local = bone.axes @ images @ bone.axes.T  # turns rows, in the axes of the figure
            parent = self.bones.get(bone.parent)
            if parent is None:
                turned[name], places[name] = local, bone.head + poses[:, :3] @ bone.axes.T
                continue
            turned[name] = local @ turned[bone.parent]
            places[name] = places[bone.parent] + (bone.head - parent.head) @ turned[bone.parent]
        joints = np.stack(list(places.values()), axis=1)
        return np.linalg.norm(np.diff(joints, axis=0), axis=-1).max(axis=1) * FPS

    def day(self, rng):
        """Random activities, each for a while, and the clips that are played."""
        told = np.concatenate(
            [
                np.full(int(rng.choice([rng.integers(6, 60), rng.integers(40, 200), rng.integers(150, 500)])), activity)
                for activity in rng.integers(0, len(ACTIVITIES), int(rng.integers(2, 6)))
            ]
        ).astype(np.int8)
        moments = np.arange(0, len(told), self.step)
        turn = np.cumsum(
            (np.diff(told[moments], prepend=-1) != 0) | (rng.random(len(moments)) < self.step / FPS / 12.0)
        )
        variants = rng.integers(0, 200, turn[-1] + 1)[turn].astype(np.int16)
        seconds = {name: act.seconds for name, act in self.acts.items()}
        person = self.cues.Actor(FPS, seconds, float(rng.random()), variants=variants, last=len(told) - 1)
        return len(told), self.cues.plan_cues(told, ACTIVITIES, told > 0, np.ones(len(told), dtype=bool), person)

    def changes(self, count: int, cues) -> Iterator[Stretch]:
        """All changes of clips, as strips in turns in a lower and an upper track show them."""
        if not cues:
            return
        rows = np.arange(count)
        poses = np.repeat(self.poses["stand_up"][-1:], count, axis=0)
        share = np.zeros((len(cues), count))
        for number, cue in sorted(enumerate(cues), key=lambda each: each[0] % 2):
            follows = number > 0 and cues[number - 1].last >= cue.first
            rise, fall = cue.fade_in * (number % 2 == 1 or not follows), cue.fade_out + cue.covered * (number % 2 == 1)
            part = np.clip(
                np.minimum((rows - cue.first) / max(rise, 1e-9), (cue.last - rows) / max(fall, 1e-9)), 0.0, 1.0
            )
            part = np.where(rows == cue.first, float(rise == 0), np.where(rows == cue.last, float(fall == 0), part))
            weight = cue.most * part * part * (3.0 - 2.0 * part) * ((rows >= cue.first) & (rows <= cue.last))
            act, clip = self.acts[cue.act], self.poses[cue.act]
            passed = cue.start + (rows - cue.first) / FPS * cue.rate / act.seconds
            frame = act.frames * (passed % 1.0 if act.is_cycle else np.clip(passed, 0.0, 1.0))
            low = np.minimum(frame.astype(int), act.frames - 1)
            shown = clip[low] + (clip[low + 1] - clip[low]) * (frame - low)[:, None]
            poses = poses + weight[:, None] * (shown - poses)
            share *= 1.0 - weight
            share[number] = weight
        speed = self.speeds(poses)
        shown = np.maximum(share[:, 1:], share[:, :-1]) > 1e-3
        walks = share.sum(axis=0) < 0.999
        for first, end in stretches(np.maximum(share.max(axis=0), 1.0 - share.sum(axis=0)) < 0.999):
            parts = np.flatnonzero(shown[:, first:end].any(axis=1))
            inside = [self.inside[cues[k].act] * cues[k].rate for k in parts]
            inside += [WALK] * bool(walks[first:end].any())
            yield Stretch(speed[max(first - 1, 0) : end].max(), max(inside), [cues[k].act for k in parts])


def stretches(holds):
    """First rows, and those after the last, of what holds, (S, 2)."""
    return np.flatnonzero(np.diff(holds, prepend=False, append=False)).reshape(-1, 2)


@pytest.fixture
def man(addon):
    return Man(addon)


@pytest.mark.thorough
def test_no_change_of_clips_is_a_jolt_on_random_days(man):
    rng = np.random.default_rng(11)
    found = [change for _ in range(200) for change in man.changes(*man.day(rng))]
    assert len(found) > 300
    jolts = [each for each in found if each.speed > 1.5 * each.inside]
    assert not jolts, jolts[:5]


def test_everybody_moves_hands_or_head_in_standing_and_listening(man):
    """A body that is as still as a statue would be seen to move only as it changes its clip."""
    calm = [name for name in man.acts if name.startswith(("stand_", "listen", "look_round"))]
    assert min(man.inside[name] for name in calm) > 0.33
