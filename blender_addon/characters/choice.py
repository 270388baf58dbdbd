# SPDX-License-Identifier: GPL-3.0-or-later
"""Chooses the characters of a crowd: the user's, or the built-in ones, made once for all crowds of a bake."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import bpy

from ..figures.figure import Figure, ensure_figures
from .character import Character, find_characters
from .templates import Template, TemplateSettings
from .vehicle_models import make_vehicle


class KnownTemplates:
    """Templates and figures that crowds of one bake share.

    Attributes:
        templates: by character and settings.
        figures: the built-in figures; empty until a crowd needs them.
    """

    def __init__(self) -> None:
        self.templates: dict[tuple[Character, TemplateSettings], Template] = {}
        self.figures: tuple[Figure, ...] = ()


def choose_characters(
    crowd: Any, known: KnownTemplates, *, scene: bpy.types.Scene, frames: tuple[int, int], unit: float
) -> Iterator[tuple[Character, TemplateSettings]]:
    """Yield the characters of a crowd: its own, or the built-in ones, which are made in metres and face -Y."""
    if crowd.characters is not None:
        settings = TemplateSettings(
            scene, frames, unit=unit, forward_axis=crowd.forward_axis, stride_length=crowd.stride_length
        )
        for character in find_characters(crowd.characters):
            yield character, settings
        return
    settings = TemplateSettings(scene, frames, unit=unit, stride_length=crowd.stride_length, scale=1.0 / unit)
    if crowd.drives:
        vehicle = crowd.vehicle
        character, size = make_vehicle(vehicle.kind.lower(), vehicle.length, vehicle.width)
        yield character, replace(settings, scale=size / unit)
        return
    known.figures = known.figures or ensure_figures()
    for built_in in known.figures:
        yield _character_of(built_in), settings


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
    )
