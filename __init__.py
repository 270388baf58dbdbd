# SPDX-License-Identifier: GPL-3.0-or-later
"""Footfall: planned motion of people and vehicles, baked into ordinary keyframes.

Blender enters here. Nothing but `register` and `unregister` lives in this file, and bpy is imported only inside
them: the same folder is a plain Python checkout for those who use `core` alone.
"""


def register() -> None:
    """Add Footfall's classes, properties and commands to Blender."""
    from .blender_addon import registration  # noqa: PLC0415 - it imports bpy

    registration.register()


def unregister() -> None:
    """Take everything that `register` added out of Blender again."""
    from .blender_addon import registration  # noqa: PLC0415 - it imports bpy

    registration.unregister()
