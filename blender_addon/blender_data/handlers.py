# SPDX-License-Identifier: GPL-3.0-or-later
"""Attaches functions to Blender's handlers, and detaches them together."""

from __future__ import annotations

from collections.abc import Callable

import bpy
from bpy.app.handlers import persistent

Handler = Callable[..., None]
Pair = tuple[str, Handler]


def when_replaced(handler: Handler) -> tuple[Pair, ...]:
    """Return the pairs that call a function after another file, or another state of this one, was loaded."""
    return ("load_post", handler), ("undo_post", handler), ("redo_post", handler)


class Handlers:
    """Functions to call on events, also in files that are opened later.

    Args:
        pairs: (name of one of `bpy.app.handlers`, function).
        at_end: is called when they are detached, to drop what they have kept.
    """

    def __init__(self, *pairs: Pair, at_end: Handler | None = None) -> None:
        self._pairs = [(name, persistent(handler)) for name, handler in pairs]
        self._at_end = at_end

    def attach(self) -> None:
        """Start calling the functions."""
        for name, handler in self._pairs:
            getattr(bpy.app.handlers, name).append(handler)

    def detach(self) -> None:
        """Stop calling the functions; one that was already removed is no error."""
        for name, handler in self._pairs:
            handlers = getattr(bpy.app.handlers, name)
            if handler in handlers:
                handlers.remove(handler)
        if self._at_end is not None:
            self._at_end()
