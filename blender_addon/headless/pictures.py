# SPDX-License-Identifier: GPL-3.0-or-later
"""One small picture of a bake, and a sheet of many, to choose by eye."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.errors import FootfallError, RequestError

Pixels = NDArray[np.float32]


@dataclass(frozen=True)
class PictureSettings:
    """What pictures of bakes look like; chosen so that a picture is rendered in seconds and 25 fit on a screen.

    Attributes:
        width: of one picture [pixels].
        samples: of the renderer.
        gap: between pictures on a sheet [pixels].
        paper: grey between them, 0 to 1.
    """

    width: int = 480
    samples: int = 16
    gap: int = 6
    paper: float = 0.12


SETTINGS = PictureSettings()


def check_picture(scene: bpy.types.Scene, path: Path) -> None:
    """Make sure that a picture can be taken, before the work that it is to show.

    Args:
        scene: to be rendered.
        path: of the PNG file.

    Raises:
        RequestError: the scene has no camera, or the file would be of another kind.
    """
    if scene.camera is None:
        raise RequestError(f"the scene '{scene.name}' has no camera to take a picture with: add one")
    if path.suffix.lower() != ".png":
        raise RequestError(f"cannot write the picture '{path}': pictures are PNG files; end its name in .png")


def render_picture(scene: bpy.types.Scene, path: Path, *, frame: int, caption: str) -> None:
    """Render one frame, small, through the scene's own camera and light.

    A machine without a graphics card has no other renderer than Cycles; it renders what EEVEE would show, with few
    samples. The scene is changed by this: it is for processes that have saved all they are to save.

    Args:
        scene: with a camera.
        path: of the PNG file.
        frame: which frame.
        caption: written into the picture.

    Raises:
        RequestError: see `check_picture`.
        FootfallError: the picture cannot be rendered or written.
    """
    check_picture(scene, path)
    _make_small(scene.render, caption)
    if "cycles" in bpy.context.preferences.addons.keys():  # noqa: SIM118 - a collection without `in` for names
        scene.render.engine = "CYCLES"  # ty: ignore[invalid-assignment] - an add-on's engine
        cycles: Any = scene.cycles
        cycles.samples = SETTINGS.samples
    scene.render.filepath = str(path.absolute())
    scene.frame_set(frame)
    try:
        bpy.ops.render.render(write_still=True)
    except RuntimeError as error:
        raise FootfallError(f"cannot render '{path}': {str(error).strip()}") from error
    if not path.exists():
        raise FootfallError(f"cannot render '{path}': Blender wrote nothing there")


def _make_small(render: bpy.types.RenderSettings, caption: str) -> None:
    render.resolution_percentage = 100
    height = (
        SETTINGS.width * render.resolution_y * render.pixel_aspect_y / (render.resolution_x * render.pixel_aspect_x)
    )
    render.resolution_x, render.resolution_y = SETTINGS.width, max(2, 2 * round(height / 2))
    render.pixel_aspect_x = render.pixel_aspect_y = 1.0
    render.use_border = render.use_sequencer = False
    render.image_settings.file_format = "PNG"
    render.image_settings.color_mode = "RGB"
    render.use_stamp, render.use_stamp_labels = True, False
    for what in ("date", "time", "render_time", "frame", "frame_range", "memory", "hostname", "camera", "lens", "scene",
                 "marker", "filename", "sequencer_strip"):  # fmt: skip
        setattr(render, f"use_stamp_{what}", False)
    render.use_stamp_note, render.stamp_note_text = True, caption
    render.stamp_font_size, render.stamp_background = 12, (0.0, 0.0, 0.0, 1.0)


def make_sheet(pictures: Sequence[Path], path: Path) -> None:
    """Put pictures side by side into one PNG file, row by row from the top left.

    Args:
        pictures: PNG files, at least one; smaller ones are filled up.
        path: of the sheet.

    Raises:
        FootfallError: a picture cannot be read, or the sheet not be written.
    """
    tiles = [_pixels(picture) for picture in pictures]
    height, width = (max(tile.shape[axis] for tile in tiles) for axis in (0, 1))
    columns = math.ceil(math.sqrt(len(tiles)))
    rows = math.ceil(len(tiles) / columns)
    sheet = np.full(
        (rows * (height + SETTINGS.gap) + SETTINGS.gap, columns * (width + SETTINGS.gap) + SETTINGS.gap, 4),
        SETTINGS.paper,
        dtype=np.float32,
    )
    sheet[..., 3] = 1.0
    for number, tile in enumerate(tiles):
        row, column = divmod(number, columns)
        top, left = SETTINGS.gap + row * (height + SETTINGS.gap), SETTINGS.gap + column * (width + SETTINGS.gap)
        sheet[top : top + tile.shape[0], left : left + tile.shape[1]] = tile
    _write(sheet, path)


def _pixels(path: Path) -> Pixels:
    """The pixels of a file, float32 (height, width, 4), the top row first."""
    try:
        image = bpy.data.images.load(str(path))
    except RuntimeError as error:
        raise FootfallError(f"cannot read the picture '{path}': {str(error).strip()}") from error
    try:
        width, height = image.size
        flat = np.empty(width * height * 4, dtype=np.float32)
        pixels: Any = image.pixels
        pixels.foreach_get(flat)
        return flat.reshape(height, width, 4)[::-1]
    finally:
        bpy.data.images.remove(image)


def _write(pixels: Pixels, path: Path) -> None:
    height, width = pixels.shape[:2]
    image = bpy.data.images.new("Footfall contact sheet", width, height)
    try:
        array: Any = image.pixels
        array.foreach_set(np.ascontiguousarray(pixels[::-1]).ravel())
        image.filepath_raw, image.file_format = str(path.absolute()), "PNG"
        image.save()
    except RuntimeError as error:
        raise FootfallError(f"cannot write '{path}': {str(error).strip()}") from error
    finally:
        bpy.data.images.remove(image)
