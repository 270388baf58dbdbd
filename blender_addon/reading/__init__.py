# SPDX-License-Identifier: GPL-3.0-or-later
"""From Blender to the core: evaluated curves, meshes and ground as a scene in metres."""

from .crowds import ReadCrowd
from .ground.ground import GroundMesh
from .ground.terrain import TerrainHeights
from .scene import Reading, read_scene

__all__ = ["GroundMesh", "ReadCrowd", "Reading", "TerrainHeights", "read_scene"]
