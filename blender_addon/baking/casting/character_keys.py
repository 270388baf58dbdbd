# SPDX-License-Identifier: GPL-3.0-or-later
"""From the motion of one agent to the keys of one copied character."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import NamedTuple, TypeVar

import bpy
import numpy as np

from ....core.array_types import Float64
from ....core.geometry.reproducible_math import arcsin, arctan2, cos_sin
from ....core.motion.gait import distance_walked
from ...blender_data import animation
from ...blender_data.bulk_clips import ClipWriter, Grouped, Note
from ...blender_data.fcurves import CONSTANT, Channel
from ...characters.acts.act_clips import Repertoire
from ...characters.acts.act_strips import put_acts_on
from ...characters.acts.acting import blends_of
from ...characters.acts.gaze import LookingBones, key_looks, put_looks_on
from ...characters.performances import Performance
from ...characters.planted_feet import Steps, key_feet, plan_steps, put_feet_on
from ...characters.templates import Template
from ...characters.vehicles.running_gear import write_running_gear
from ...characters.vehicles.wheels import Drive

_TRANSFORMS = "Object Transforms"
_VISIBILITY = "Visibility"
_EARLIER = 1e-3  # frames
_HANDFUL = 96  # people that are worked out together: so there are several of most characters
OF_ONE_CHARACTER = 24  # at once: more are no faster

Each = TypeVar("Each")


NamedAction = tuple[bpy.types.Action, str]


class Part(NamedTuple):
    """What one character plays.

    Attributes:
        performance: what its agent does.
        breath: float64 (F,), runs of its idle clip; zeros where it has none.
        steps: what its feet do; None where it has no legs that are known.
        tilt: float64 (F, 3), XYZ Euler angles of its body [rad]; None where that neither leans nor pitches.
        looking: the bones that turn when it looks at something.
    """

    performance: Performance
    breath: Float64
    steps: Steps | None
    tilt: Float64 | None
    looking: LookingBones | None = None


def rehearse(
    template: Template, performances: Sequence[Performance], repertoire: Repertoire | None = None
) -> list[Part]:
    """Work out what several copies of a character play, of all at once; `repertoire`: of what they do."""
    breath = np.stack([_breath(template, each) for each in performances])
    tilts = _tilted(template, performances)
    looking = repertoire.looking if repertoire is not None else None
    if template.walk is None or not template.legs:
        return [Part(*each, looking) for each in zip(performances, breath, repeat(None), tilts, strict=False)]
    blends = blends_of(repertoire, performances) if repertoire is not None else []
    steps = plan_steps(template.legs, performances, breath=breath, plants=template.plants_feet, blends=blends)
    done = zip(steps, breath, tilts, strict=True)
    return [Part(each.performance, own, each, tilt, looking) for each, own, tilt in done]


def _breath(template: Template, performance: Performance) -> Float64:
    if template.idle is None:
        return np.zeros(len(performance.frames))
    since = performance.frames - performance.frames[0]
    return performance.phase[0] + since / template.idle.length  # drawn by lot as the walk: none breathe in step


class Score(NamedTuple):
    """The Actions by which one character plays its part, not given to anybody yet.

    Attributes:
        name: of the Actions.
        path: of the object that moves all others.
        feet: keeps feet where they stand; None where the clips do.
        look: turns the head; None where that looks ahead.
        turning: Actions of wheels and pedals, what each is called, and numbers of the objects that share it.
        seen: when the character is there; without channels it always is.
    """

    name: str
    path: animation.Clip
    feet: animation.Clip | None
    look: animation.Clip | None
    turning: list[tuple[animation.Clip, str, list[int]]]
    seen: Grouped

    @property
    def actions(self) -> list[NamedAction]:
        """All of them, and what each is to be called once that name is free."""
        feet = [(self.feet.action, f"{self.name} feet")] if self.feet is not None else []
        look = [(self.look.action, f"{self.name} look")] if self.look is not None else []
        return [(self.path.action, self.name), *feet, *look, *((clip.action, title) for clip, title, _ in self.turning)]


def write_score(template: Template, part: Part, name: str, writer: ClipWriter) -> Score:
    """Write what one copy of a character plays.

    Args:
        template: of the character.
        part: what it plays.
        name: of the Actions.
        writer: makes those.
    """
    performance = part.performance
    seen = Grouped(_VISIBILITY, _visibility(performance))
    path = writer.new_clip(name, [Grouped(_TRANSFORMS, list(_path_channels(template, part))), seen])
    feet = None
    if template.walker is not None and part.steps is not None:
        feet = key_feet(template.parts[template.walker], part.steps, f"{name} feet", writer)
    look = None
    if template.walker is not None and performance.look is not None and part.looking is not None:
        walker = template.parts[template.walker]
        look = key_looks(walker, part.looking, performance.look, performance.frames, f"{name} look", writer)
    turning = []
    if template.gear.wheels:
        drive, facing = _drive(performance), -template.turn
        turning += write_running_gear(template.gear, drive, facing, name=name, also=seen, writer=writer)
    return Score(name, path, feet, look, turning, seen)


def _drive(performance: Performance) -> Drive:
    """How a vehicle goes that does what an agent does."""
    there = performance.present
    distance = distance_walked(performance.location[:, None], there[:, None], counts_climbs=True)[:, 0]
    start, fps = float(performance.phase[0]), performance.fps  # drawn by lot as the walk: no two pedal in step
    return Drive(performance.frames, distance, there, performance.heading, performance.pitch, start, fps)


def animate(copies: list[bpy.types.Object], template: Template, part: Part, score: Score, note: Note) -> None:
    """Give the copies of a character what it plays.

    Args:
        copies: what the template's `copy` has made.
        template: of the character.
        part: what it plays.
        score: the same as Actions.
        note: receives more Actions as they are made, and what each is to be called once that name is free.
    """
    performance = part.performance
    animation.assign_clip(copies[0], score.path)
    if template.walker is not None and template.clips is not None:
        walker, frames = copies[template.walker], performance.frames
        template.clips.drive(walker, frames, gait=performance.gait, phase=performance.phase, breath=part.breath)
        if performance.played:
            put_acts_on(walker, performance.played, frames, performance.arms)
        if score.feet is not None and part.steps is not None:
            put_feet_on(walker, part.steps, score.feet, f"{score.name} feet")
        if score.look is not None:
            put_looks_on(walker, score.look, frames, f"{score.name} look")
    for clip, _, numbers in score.turning:
        for number in numbers:
            animation.assign_clip(copies[number], clip)
    if score.seen.channels:
        _hide_while_absent(copies, score, note)


def _path_channels(template: Template, part: Part) -> Iterator[Channel]:
    performance = part.performance
    for axis in range(3):
        yield _channel("location", axis, performance.frames, performance.location[:, axis])
    if part.tilt is not None:
        for axis, angles in enumerate(part.tilt.T):
            yield Channel("rotation_euler", axis, performance.frames, angles)
        return
    if template.keyed_tilt:
        for axis in range(2):
            yield Channel("rotation_euler", axis, performance.frames[:1], [template.parts[0].rotation_euler[axis]])
    yield _channel("rotation_euler", 2, performance.frames, performance.heading + template.turn)


def _tilted(template: Template, performances: Sequence[Performance]) -> Iterator[Float64 | None]:
    """Float64 (F, 3), XYZ Euler angles of each body that leans to the side, or pitches."""
    leans = [each.pitch is not None or bool(each.lean.any()) for each in performances]
    leaning = [each for each, does in zip(performances, leans, strict=True) if does]
    found = iter(_euler_angles(template, leaning)) if leaning else iter(())
    yield from (next(found) if does else None for does in leans)


def _euler_angles(template: Template, performances: Sequence[Performance]) -> Float64:
    """Float64 (A, F, 3), XYZ Euler angles of bodies that look, pitch and lean as several agents do."""
    upright = template.parts[0].rotation_euler.copy()
    upright.z = template.turn
    own = np.array(upright.to_matrix(), dtype=np.float64)  # of a body that looks along +X
    heading = np.stack([each.heading for each in performances])  # (A, F)
    lean = np.stack([each.lean for each in performances])
    pitch = np.stack([np.zeros(len(each.frames)) if each.pitch is None else each.pitch for each in performances])
    cos, sin = cos_sin(lean)
    turned = cos * own[1, 0] + sin * own[2, 0]  # of the leaning body's matrix, before it is turned by its heading
    low = [cos * own[2, column] - sin * own[1, column] for column in range(3)]
    cos, sin = cos_sin(pitch)
    ahead = cos * own[0, 0] - sin * low[0]
    low = [cos * low[column] + sin * own[0, column] for column in range(3)]
    z = np.unwrap(arctan2(turned, ahead) + heading)
    z += 2.0 * np.pi * np.round((heading[:, :1] + template.turn - z[:, :1]) / (2.0 * np.pi))
    return np.stack([arctan2(low[1], low[2]), arcsin(-low[0]), z], axis=-1)


def _channel(data_path: str, index: int, frames: Float64, values: Float64) -> Channel:
    """A key at every frame; a single one for a value that never changes, such as the height of level ground."""
    if np.all(values == values[0]):
        return Channel(data_path, index, frames[:1], values[:1])
    return Channel(data_path, index, frames, values)


def _visibility(performance: Performance) -> list[Channel]:
    """Keys to be seen only while the agent is there; none for who always is."""
    present = performance.present
    if present.all():
        return []
    changes = np.concatenate([[0], np.flatnonzero(np.diff(present)) + 1])
    # Under Time Remapping a frame may fall just before its key, and a key that holds does nothing before it.
    frames = performance.frames[changes] - _EARLIER * (np.diff(performance.frames[:2]) != 1.0).any()
    hidden = ~present[changes]
    return [Channel(path, 0, frames, hidden, CONSTANT) for path in ("hide_viewport", "hide_render")]


def _hide_while_absent(copies: list[bpy.types.Object], score: Score, note: Note) -> None:
    """Key every object of a character to be seen only while its agent is there, but those whose Actions say so."""
    seeing = {score.path.action, *(clip.action for clip, _, _ in score.turning)}
    shared = None
    for part in copies[1:]:
        own = animation.active_clip(part.animation_data)
        if own is not None and own.action in seeing:
            continue
        if own is not None:
            own = animation.copy_clip(own)
            note(own.action, f"{score.name} {part.name}")
            animation.add_channels(own, score.seen.channels, group=score.seen.group)
            animation.assign_clip(part, own)
            continue
        if shared is None:
            shared = animation.new_clip(f"{score.name} presence", score.seen.channels, group=score.seen.group)
            note(shared.action, f"{score.name} presence")
        animation.assign_clip(part, shared)


def in_handfuls(entries: Sequence[Each], most: int = _HANDFUL) -> Iterator[Sequence[Each]]:
    """Yield as many at a time as are worked out together."""
    for first in range(0, len(entries), most):
        yield entries[first : first + most]
