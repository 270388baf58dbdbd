# SPDX-License-Identifier: GPL-3.0-or-later
"""The portraits of the cast table as icons, made when they are first drawn and freed with the add-on."""

from __future__ import annotations

from typing import Any

import bpy.utils.previews

from ..characters.ready.portraits import pixels_of

_icons: Any = None


def icon_of(portrait: str) -> int:
    """Return the number of the icon of a portrait; 0 where there is none."""
    global _icons  # noqa: PLW0603 - icons are of the session
    if not portrait:
        return 0
    if _icons is None:
        _icons = bpy.utils.previews.new()
    key = str(hash(portrait))
    if key not in _icons:
        pixels = pixels_of(portrait)
        size = round((len(pixels) / 4) ** 0.5)
        icon = _icons.new(key)
        icon.icon_size = icon.image_size = (size, size)
        icon.icon_pixels_float = icon.image_pixels_float = pixels.tolist()
    return _icons[key].icon_id


def attach() -> None:
    """Icons are made when they are needed."""


def detach() -> None:
    """Free the icons."""
    global _icons  # noqa: PLW0603
    if _icons is not None:
        bpy.utils.previews.remove(_icons)
        _icons = None
