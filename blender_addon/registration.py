# SPDX-License-Identifier: GPL-3.0-or-later
"""All that Footfall adds to Blender, in order, and how it is taken out again."""

from __future__ import annotations

import bpy

from .interface import properties

CLASSES = properties.CLASSES


def register() -> None:
    """Add classes, properties, handlers and the command; leave nothing behind when one of them fails."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    properties.attach()


def unregister() -> None:
    """Take all of it out again, backwards."""
    properties.detach()
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
