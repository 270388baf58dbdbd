# SPDX-License-Identifier: GPL-3.0-or-later
"""Marks to the graphics card: those behind something are painted too, faintly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import blf
import bpy
import gpu
import numpy as np
from bpy_extras.view3d_utils import location_3d_to_region_2d
from gpu_extras.batch import batch_for_shader
from mathutils import Vector

from .layers.marks import Colour, Label, LineMarks, Mark, Trails, Triangles, join


@dataclass(frozen=True)
class PaintStyle:
    """What painted marks look like; chosen for legibility.

    Attributes:
        hidden_alpha: share of the alpha that is left of marks behind something.
        letter_size, line_height, margin: of labels and legend [pixels].
        shadow_blur: size of the blur of letters' shadows, as Blender counts it.
        shadow: colour of these.
    """

    hidden_alpha: float = 0.2
    letter_size: float = 11.0
    line_height: float = 17.0
    margin: float = 22.0
    shadow_blur: int = 5
    shadow: Colour = (0.0, 0.0, 0.0, 0.85)


STYLE = PaintStyle()

_PASSES: Any = (("LESS_EQUAL", 1.0), ("GREATER", STYLE.hidden_alpha))
_FONT = 0

_Batch = tuple[Any, str, float]  # what is painted, in which of the two passes, and the width of lines


class Painting:
    """Marks, handed to the graphics card once and painted any number of times.

    Args:
        drawn: the marks [m].
        unit: metres per Blender unit.
    """

    def __init__(self, drawn: Sequence[Mark], unit: float) -> None:
        self._labels = [(Vector(each.place) / unit, each) for each in drawn if isinstance(each, Label)]
        self._surfaces: list[_Batch] = []
        self._lines: list[_Batch] = []
        self._trails = [_trail_batch(each, unit) for each in drawn if isinstance(each, Trails) and len(each.points)]
        shader = gpu.shader.from_builtin("SMOOTH_COLOR")
        for each in drawn:
            if isinstance(each, Triangles) and len(each.points):
                self._surfaces += _batches(shader, "TRIS", each, unit, 0.0)
        shader = gpu.shader.from_builtin("POLYLINE_SMOOTH_COLOR")
        for each in join([each for each in drawn if isinstance(each, LineMarks) and len(each.points)]):
            self._lines += _batches(shader, "LINES", each, unit, each.width)

    def in_space(self, frame: int) -> None:
        """Paint surfaces, lines, and trails up to a frame; called while Blender draws the objects' space."""
        viewport: Any = gpu.state.viewport_get()
        gpu.state.blend_set("ALPHA")
        try:
            self._paint(gpu.shader.from_builtin("SMOOTH_COLOR"), self._surfaces)
            shader = gpu.shader.from_builtin("POLYLINE_SMOOTH_COLOR")
            shader.bind()
            _, _, width, height = viewport
            shader.uniform_float("viewportSize", (width, height))
            self._paint(shader, self._lines)
            self._paint_trails(frame)
        finally:
            gpu.state.depth_test_set("NONE")
            gpu.state.blend_set("NONE")

    def labels(self) -> None:
        """Write the labels; called while Blender draws the screen."""
        context: Any = bpy.context
        region, space = context.region, context.region_data
        for place, label in self._labels:
            at = location_3d_to_region_2d(region, space, place)
            if at is not None:
                _write(label.text, at.x, at.y, label.colour)

    @staticmethod
    def legend(lines: Sequence[tuple[Colour, str]]) -> None:
        """Write what colours mean into the lower left corner, top line first."""
        scale = bpy.context.preferences.system.ui_scale
        for number, (colour, text) in enumerate(reversed(lines)):
            height = (STYLE.margin + number * STYLE.line_height) * scale
            _write("\N{BLACK SQUARE}", STYLE.margin * scale, height, (*colour[:3], 1.0))
            _write(text, (STYLE.margin + STYLE.line_height) * scale, height, (1.0, 1.0, 1.0, 1.0))

    def _paint_trails(self, frame: int) -> None:
        """Paint the parts of trails that are to be seen at a frame; their points are on the card already."""
        shader = gpu.shader.from_builtin("UNIFORM_COLOR")
        for batch, trails in self._trails:
            for test, strength in _PASSES:
                gpu.state.depth_test_set(test)
                for first, count, share in trails.bands(frame):
                    *colour, alpha = trails.colour
                    shader.uniform_float("color", (*colour, alpha * share * strength))
                    batch.draw_range(shader, elem_start=first, elem_count=count)

    @staticmethod
    def _paint(shader: Any, batches: Sequence[_Batch]) -> None:
        for batch, test, width in batches:
            shader.bind()
            if width:
                shader.uniform_float("lineWidth", width * bpy.context.preferences.system.ui_scale)
            gpu.state.depth_test_set(test)
            batch.draw(shader)


def _batches(shader: Any, kind: str, mark: LineMarks | Triangles, unit: float, width: float) -> list[_Batch]:
    """One batch for what is seen, and a fainter one for what is hidden."""
    points: Any = mark.points / np.float32(unit)
    passes: Any = [(test, mark.colours * np.array([1.0, 1.0, 1.0, left], dtype=np.float32)) for test, left in _PASSES]
    return [(batch_for_shader(shader, kind, {"pos": points, "color": c}), test, width) for test, c in passes]


def _trail_batch(mark: Trails, unit: float) -> tuple[Any, Trails]:
    points: Any = mark.points / np.float32(unit)
    return batch_for_shader(gpu.shader.from_builtin("UNIFORM_COLOR"), "LINES", {"pos": points}), mark


def _write(text: str, x: float, y: float, colour: Colour) -> None:
    blf.size(_FONT, STYLE.letter_size * bpy.context.preferences.system.ui_scale)
    blf.enable(_FONT, blf.SHADOW)
    blf.shadow(_FONT, STYLE.shadow_blur, *STYLE.shadow)
    blf.color(_FONT, *colour)
    blf.position(_FONT, x, y, 0.0)
    blf.draw(_FONT, text)
    blf.disable(_FONT, blf.SHADOW)
