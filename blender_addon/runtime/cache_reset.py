# SPDX-License-Identifier: GPL-3.0-or-later
"""Caches of the open file are cleared when another one is opened."""

from __future__ import annotations

from ..blender_data.handlers import Handlers
from . import failed_bakes, last_bakes


def _forget(*_: object) -> None:
    for each in (last_bakes, failed_bakes):
        each.forget()


_HANDLERS = Handlers(("load_post", _forget), at_end=_forget)
attach, detach = _HANDLERS.attach, _HANDLERS.detach
