# SPDX-License-Identifier: GPL-3.0-or-later
"""How each overlay is drawn: every row of the catalogue joined with the layer of its name."""

from __future__ import annotations

from importlib import import_module

from ...settings.overlay_catalogue import CATALOGUE
from . import layers
from .layers.overlay import Overlay

OVERLAYS: dict[str, Overlay] = {row.name: import_module(f"{layers.__name__}.{row.name}").OVERLAY for row in CATALOGUE}
"""By their names."""
