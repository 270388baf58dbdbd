# SPDX-License-Identifier: GPL-3.0-or-later
"""From Blender to the core: evaluated curves, meshes and ground as a scene in metres."""

from .crowds import ReadCrowd
from .ground import Ground
from .scene import Reading, read_scene

__all__ = ["Ground", "ReadCrowd", "Reading", "read_scene"]
