# SPDX-License-Identifier: GPL-3.0-or-later
"""From the motion of one agent to the keys of one copied character."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

from . import actions
from .actions import CONSTANT, Channel
from .performances import Performance
from .planted_feet import Slides, Steps, key_feet, plan_steps
from .templates import Template
from .walks import Clips
from .wheels import drive_wheels

_TRANSFORMS = "Object Transforms"
_VISIBILITY = "Visibility"


NamedAction = tuple[bpy.types.Action, str]


class Animated(NamedTuple):
    """What was made for a character.

    Attributes:
        actions: the Actions, and what each is to be called once that name is free.
        slides: how far its feet slide [Blender units].
    """

    actions: list[NamedAction]
    slides: Slides


class Part(NamedTuple):
    """What one character plays.

    Attributes:
        performance: what its agent does.
        breath: float64 (F,), runs of its idle clip; zeros where it has none.
        steps: what its feet do; None where it has no legs that are known.
    """

    performance: Performance
    breath: NDArray[np.float64]
    steps: Steps | None


def rehearse(template: Template, performances: Sequence[Performance]) -> list[Part]:
    """Work out what several copies of a character play, of all at once."""
    breath = np.stack([_breath(template, each) for each in performances])
    if template.walk is None or not template.legs:
        return [Part(each, own, None) for each, own in zip(performances, breath, strict=True)]
    steps = plan_steps(template.legs, performances, breath=breath, plants=template.plants_feet)
    return [Part(each.performance, own, each) for each, own in zip(steps, breath, strict=True)]


def _breath(template: Template, performance: Performance) -> NDArray[np.float64]:
    if template.idle is None:
        return np.zeros(len(performance.frames))
    since = performance.frames - performance.frames[0]
    return performance.phase[0] + since / template.idle.length  # drawn by lot as the walk: none breathe in step


def animate(copies: list[bpy.types.Object], template: Template, part: Part, name: str) -> Animated:
    """Give the copies of a character the keys of an agent.

    Args:
        copies: what the template's `copy` has made.
        template: of the character.
        part: what it plays.
        name: of the Actions.
    """
    performance = part.performance
    path = actions.new_clip(name, _path_channels(copies[0], template, performance), group=_TRANSFORMS)
    actions.assign_clip(copies[0], path)
    made: list[NamedAction] = [(path.action, name)]
    if template.walker is not None and template.clips is not None:
        made += _walk_and_stand(copies[template.walker], template.clips, part, f"{name} feet")
    rolling = list(drive_wheels(copies, template.wheels, performance, -template.turn, name))
    made += [(clip.action, title) for clip, title in rolling]
    if not performance.present.all():
        fresh = [path, *(clip for clip, _ in rolling)]
        made += _hide_while_absent(copies, fresh, performance, name)
    return Animated(made, part.steps.slides if part.steps is not None else Slides.joined([]))


def _walk_and_stand(walker: bpy.types.Object, clips: Clips, part: Part, name: str) -> list[NamedAction]:
    """Drive the clips of a character and keep its feet on the ground."""
    performance = part.performance
    clips.drive(walker, performance.frames, gait=performance.gait, phase=performance.phase, breath=part.breath)
    feet = key_feet(walker, part.steps, name) if part.steps is not None else None
    return [(feet, name)] if feet is not None else []


def _path_channels(mover: bpy.types.Object, template: Template, performance: Performance) -> Iterator[Channel]:
    for axis in range(3):
        yield _channel("location", axis, performance.frames, performance.location[:, axis])
    if performance.lean.any():
        for axis, angles in enumerate(_leaning(mover, template, performance).T):
            yield Channel("rotation_euler", axis, performance.frames, angles)
        return
    if template.keyed_tilt:
        for axis in range(2):
            yield Channel("rotation_euler", axis, performance.frames[:1], [mover.rotation_euler[axis]])
    yield _channel("rotation_euler", 2, performance.frames, performance.heading + template.turn)


def _leaning(mover: bpy.types.Object, template: Template, performance: Performance) -> NDArray[np.float64]:
    """Float64 (F, 3), XYZ Euler angles of a body that leans to the side, about the way that it looks."""
    upright = mover.rotation_euler.copy()
    upright.z = template.turn
    own = np.array(upright.to_matrix(), dtype=np.float64)  # of a body that looks along +X
    sin, cos, none = np.sin(performance.lean), np.cos(performance.lean), np.zeros_like(performance.lean)
    lean = np.stack([none + 1.0, none, none, none, cos, sin, none, -sin, cos], axis=-1).reshape(-1, 3, 3)
    turned = lean @ own  # (F, 3, 3), before it is turned by its heading
    z = np.unwrap(np.arctan2(turned[:, 1, 0], turned[:, 0, 0]) + performance.heading)
    z += 2.0 * np.pi * np.round((performance.heading[0] + template.turn - z[0]) / (2.0 * np.pi))
    y = np.arcsin(np.clip(-turned[:, 2, 0], -1.0, 1.0))
    return np.column_stack([np.arctan2(turned[:, 2, 1], turned[:, 2, 2]), y, z])


def _channel(data_path: str, index: int, frames: NDArray[np.int64], values: NDArray[np.float64]) -> Channel:
    """A key at every frame; a single one for a value that never changes, such as the height of level ground."""
    if np.all(values == values[0]):
        return Channel(data_path, index, frames[:1], values[:1])
    return Channel(data_path, index, frames, values)


def _hide_while_absent(
    copies: list[bpy.types.Object], fresh: list[actions.Clip], performance: Performance, name: str
) -> list[NamedAction]:
    """Key every object of a character to be seen only while its agent is there; Actions just made take these keys."""
    present = performance.present
    changes = np.concatenate([[0], np.flatnonzero(np.diff(present)) + 1])
    frames, hidden = performance.frames[changes], ~present[changes]
    channels = [Channel(path, 0, frames, hidden, CONSTANT) for path in ("hide_viewport", "hide_render")]
    for clip in fresh:
        actions.add_channels(clip, channels, group=_VISIBILITY)
    known = {clip.action for clip in fresh}
    made = []
    shared = None
    for part in copies[1:]:
        own = actions.active_clip(part.animation_data)
        if own is not None and own.action in known:
            continue
        if own is not None:
            own = actions.copy_clip(own)
            actions.add_channels(own, channels, group=_VISIBILITY)
            made.append((own.action, f"{name} {part.name}"))
            actions.assign_clip(part, own)
            continue
        if shared is None:
            shared = actions.new_clip(f"{name} presence", channels, group=_VISIBILITY)
            made.append((shared.action, f"{name} presence"))
        actions.assign_clip(part, shared)
    return made
