# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions that Blender calls when something happens, put into its lists and taken out again together."""

from __future__ import annotations

from collections.abc import Callable

import bpy
from bpy.app.handlers import persistent

Handler = Callable[..., None]
Pair = tuple[str, Handler]


def when_replaced(handler: Handler) -> tuple[Pair, ...]:
    """The pairs by which a function is called once another file, or another state of this one, is there."""
    return ("load_post", handler), ("undo_post", handler), ("redo_post", handler)


class Handlers:
    """What to call when something happens, also in the files that are opened later.

    Args:
        pairs: (name of one of `bpy.app.handlers`, function).
    """

    def __init__(self, *pairs: Pair) -> None:
        self._pairs = [(name, persistent(handler)) for name, handler in pairs]

    def attach(self) -> None:
        """Be called from now on."""
        for name, handler in self._pairs:
            getattr(bpy.app.handlers, name).append(handler)

    def detach(self) -> None:
        """Be called no more; what somebody else has taken out already is no error."""
        for name, handler in self._pairs:
            handlers = getattr(bpy.app.handlers, name)
            if handler in handlers:
                handlers.remove(handler)
