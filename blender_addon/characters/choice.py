# SPDX-License-Identifier: GPL-3.0-or-later
"""Chooses the characters of a crowd: the user's, or the built-in ones, made once for all crowds of a bake."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import bpy

from ...core.motion.blending import running_speed
from ..figures.figure import Figure, ensure_figures
from ..figures.mesh.description import Description
from ..figures.mesh.people import PEOPLE
from ..settings.cast_rows import USUAL_HEIGHT
from ..settings.crowd.crowd import INSTANCES
from .character import Character
from .chosen_clips import characters_of
from .clips.walk_cycles import CLIP_SETTINGS
from .legs.find import KnownLegs
from .templates import Template, TemplateSettings
from .vehicles.models import make_vehicle

_FIGURES_OF_INSTANCES = 3
"""Each takes a hundred poses and more, which are as many meshes in the file."""


class KnownTemplates:
    """Templates and figures that crowds of one bake share.

    Attributes:
        templates: by character and settings.
        figures: built-in figures that a crowd needed, by number.
        legs: of all characters, also of those that play clips of a crowd's own and are made for each crowd.
    """

    def __init__(self) -> None:
        self.templates: dict[tuple[Character, TemplateSettings], Template] = {}
        self.figures: dict[int, Figure] = {}
        self.legs: KnownLegs = {}


def figures_for(crowd: Any) -> Sequence[Description]:
    """The built-in figures of whom those of a crowd's people are that have no characters of their own."""
    return PEOPLE[:_FIGURES_OF_INSTANCES] if crowd.makes == INSTANCES else PEOPLE


def choose_characters(
    crowd: Any,
    known: KnownTemplates,
    *,
    scene: bpy.types.Scene,
    frames: tuple[int, int],
    unit: float,
    figures: Sequence[int] = (),
) -> Iterator[tuple[Character, TemplateSettings]]:
    """Yield the characters of a crowd: its own, or built-in ones, which are made in metres and face -Y.

    Args:
        crowd: its settings.
        known: figures that need not be made again; those that are made here are added.
        scene: where it is baked.
        frames: first and last frame.
        unit: metres per Blender unit.
        figures: numbers of the built-in figures that are wanted.
    """
    if crowd.characters is not None:
        settings = TemplateSettings(
            scene,
            frames,
            unit=unit,
            forward_axis=crowd.forward_axis,
            stride_length=crowd.stride_length,
            runs=_runs(crowd),
        )
        for character in characters_of(crowd):
            stride = 0.0 if dict(character.own_strides).get("walk") else crowd.stride_length
            yield (
                character,
                replace(
                    settings,
                    forward_axis=character.facing or crowd.forward_axis,
                    stride_length=stride,
                    scale=character.scale,
                ),
            )
        return
    settings = TemplateSettings(scene, frames, unit=unit, stride_length=crowd.stride_length, scale=1.0 / unit)
    if crowd.drives:
        vehicle = crowd.vehicle
        parts, size = make_vehicle(vehicle.kind.lower(), vehicle.length, vehicle.width)
        yield Character(parts[0].name, tuple(parts), stride=1.0), replace(settings, scale=size / unit)
        return
    for number in figures:
        if number not in known.figures:
            (known.figures[number],) = ensure_figures([number])
        yield _character_of(known.figures[number]), settings


def _runs(crowd: Any) -> bool:
    """Whether some people of a crowd, of the usual size, run."""
    return crowd.speed.mean + crowd.speed.sd > float(running_speed(CLIP_SETTINGS.usual_stride * USUAL_HEIGHT))


def _character_of(figure: Figure) -> Character:
    return Character(
        figure.name,
        (figure.armature, *figure.meshes),
        figure.armature,
        figure.walk,
        stride=figure.stride,
        idle=figure.idle,
        run=figure.run,
        run_stride=figure.run_stride,
        run_ahead=figure.run_ahead,
        weight=figure.weight,
    )
