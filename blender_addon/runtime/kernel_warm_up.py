# SPDX-License-Identifier: GPL-3.0-or-later
"""Where numba is installed in Blender's Python, the compiled kernels are made ready in the background, once.

Compiling takes seconds the first time, and loading what is kept a moment. Until it is done, bakes in a window take the
kernels of numpy: the result is the same, bit for bit.
"""

from __future__ import annotations

from importlib.util import find_spec

import bpy

from ...core.steering import AUTO, NUMPY, warming_up
from ..blender_data.redraw import redraw_panels

_DELAY = 2.0  # [s] after the start, which is busy enough
_LOOK = 0.5  # [s] between looks whether it is done


def backend() -> str:
    """The kernels that a bake in a window takes now."""
    return NUMPY if is_compiling() else AUTO


def is_compiling() -> bool:
    """Whether kernels are being compiled."""
    return warming_up.state() == warming_up.UNDER_WAY


def attach() -> None:
    """Compile in a while; not in the background, where what is asked for is done at once and the process ends."""
    if not bpy.app.background and find_spec("numba") is not None:
        bpy.app.timers.register(_start, first_interval=_DELAY)


def detach() -> None:
    """Start nothing any more; what has begun ends by itself."""
    for timer in (_start, _watch):
        if bpy.app.timers.is_registered(timer):
            bpy.app.timers.unregister(timer)


def _start() -> None:
    warming_up.warm_up_in_background()
    redraw_panels()
    bpy.app.timers.register(_watch, first_interval=_LOOK)


def _watch() -> float | None:
    if is_compiling():
        return _LOOK
    redraw_panels()
    return None
