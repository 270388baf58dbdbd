# SPDX-License-Identifier: GPL-3.0-or-later
"""Where numba is installed in Blender's Python, kernels are compiled in the background, once.

Compiling takes seconds the first time; later they are loaded from numba's cache, which lies in the extension's own
folder of the user. Until then bakes in a window use the kernels of numpy, with the same result bit for bit.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import bpy

from ...core.steering import AUTO, NUMPY, keep_compiled_code_in, warming_up
from ..blender_data.redraw import redraw_panels
from .pacing import PACING

_SENTENCES = {
    warming_up.NOT_ASKED: "Steering is not compiled",
    warming_up.UNDER_WAY: "Compiling faster steering ...",
    warming_up.READY: "Steering is compiled",
    warming_up.FAILED: "Steering could not be compiled",
}


def backend() -> str:
    """The kernels that a bake in a window uses now."""
    return NUMPY if is_compiling() else AUTO


def is_compiling() -> bool:
    """Whether kernels are being compiled, or will be in a moment: a bake must not begin to compile them itself."""
    return warming_up.state() == warming_up.UNDER_WAY or bpy.app.timers.is_registered(_start)


def state_sentence() -> str:
    """What the panel says of the kernels."""
    return _SENTENCES[warming_up.UNDER_WAY if is_compiling() else warming_up.state()]


def _keep_in_extension() -> None:
    """Keep compiled code where Blender lets an extension write; a module that is no extension has no such folder."""
    package = __package__.rpartition(".blender_addon.")[0]
    try:
        keep_compiled_code_in(Path(bpy.utils.extension_path_user(package, path="kernels", create=True)))
    except (OSError, ValueError):
        return  # read only, or not installed as an extension: the core finds a place


def attach() -> None:
    """Compile after a while; not without a window, where bakes run at once and the process ends."""
    if find_spec("numba") is None:
        return
    _keep_in_extension()
    if not bpy.app.background:
        bpy.app.timers.register(_start, first_interval=PACING.compile_delay, persistent=True)  # a file is opened soon


def detach() -> None:
    """Start nothing any more; a compilation that runs ends by itself."""
    for timer in (_start, _watch):
        if bpy.app.timers.is_registered(timer):
            bpy.app.timers.unregister(timer)


def _start() -> None:
    warming_up.warm_up_in_background()
    redraw_panels()
    bpy.app.timers.register(_watch, first_interval=PACING.compile_check, persistent=True)


def _watch() -> float | None:
    if is_compiling():
        return PACING.compile_check
    redraw_panels()
    return None
