# SPDX-License-Identifier: GPL-3.0-or-later
"""Planned motion of people and vehicles along curves and round obstacles. Knows nothing of Blender."""

from .errors import BackendError, Fault, FootfallError, GeometryError, NoRoute, RequestError, SceneError
from .scene import Scene
from .scene.file import load_scene, save_scene
from .simulation import Simulation, simulate
from .trajectories import Trajectories

__all__ = [
    "BackendError",
    "Fault",
    "FootfallError",
    "GeometryError",
    "NoRoute",
    "RequestError",
    "Scene",
    "SceneError",
    "Simulation",
    "Trajectories",
    "load_scene",
    "save_scene",
    "simulate",
]
