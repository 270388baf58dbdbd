# SPDX-License-Identifier: GPL-3.0-or-later
"""Planned motion of people and vehicles along curves and round obstacles. Knows nothing of Blender.

What is named here is loaded when it is first asked for, so that the program `python -m core` can say that it was
stopped while it still loads.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

_HOMES = {"Scene": "scene", "Simulation": "simulation", "Trajectories": "trajectories"}
_HOMES |= {"load_scene": "scene.file", "save_scene": "scene.file", "simulate": "simulation"}


def __getattr__(name: str) -> Any:
    """Load what is named above; errors are those of `errors`."""
    if name not in __all__:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    found = getattr(import_module(f".{_HOMES.get(name, 'errors')}", __name__), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
