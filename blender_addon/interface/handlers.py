# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions that Blender calls when something happens, put into its lists and taken out again together."""

from __future__ import annotations

from collections.abc import Callable

import bpy

Handler = Callable[..., None]
Pair = tuple[list[Handler], Handler]


def when_replaced(handler: Handler) -> tuple[Pair, ...]:
    """The pairs by which a function is called once another file, or another state of this one, is there."""
    after = bpy.app.handlers
    return (after.load_post, handler), (after.undo_post, handler), (after.redo_post, handler)


class Handlers:
    """Some of `bpy.app.handlers` with what to call.

    Args:
        pairs: (one list of `bpy.app.handlers`, a function marked as persistent).
    """

    def __init__(self, *pairs: Pair) -> None:
        self._pairs = pairs

    def attach(self) -> None:
        """Be called from now on."""
        for handlers, handler in self._pairs:
            handlers.append(handler)

    def detach(self) -> None:
        """Be called no more; what somebody else has taken out already is no error."""
        for handlers, handler in self._pairs:
            if handler in handlers:
                handlers.remove(handler)
