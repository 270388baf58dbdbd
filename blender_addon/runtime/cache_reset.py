# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of a file beside what it holds itself is forgotten when another one is opened."""

from __future__ import annotations

from ..baking import bake_memory
from ..blender_data.handlers import Handlers
from . import failed_bakes


def _forget(*_: object) -> None:
    for each in (bake_memory, failed_bakes):
        each.forget()


_HANDLERS = Handlers(("load_post", _forget))


def attach() -> None:
    """Forget with each file that is opened."""
    _HANDLERS.attach()


def detach() -> None:
    """Forget everything."""
    _HANDLERS.detach()
    _forget()
