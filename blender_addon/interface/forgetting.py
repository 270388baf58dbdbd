# SPDX-License-Identifier: GPL-3.0-or-later
"""What is kept of a file for its next bake, or its next reading, is forgotten when another file is opened."""

from __future__ import annotations

import bpy
from bpy.app.handlers import persistent

from ..baking import known_maps, written_before
from ..reading import terrain
from .handlers import Handlers


@persistent
def _forget(*_: object) -> None:
    for each in (known_maps, written_before, terrain):
        each.forget()


_HANDLERS = Handlers((bpy.app.handlers.load_post, _forget))


def attach() -> None:
    """Forget with each file that is opened."""
    _HANDLERS.attach()


def detach() -> None:
    """Forget everything."""
    _HANDLERS.detach()
    _forget()
