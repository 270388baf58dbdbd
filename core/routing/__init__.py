# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways from a start to a goal: for now the straight one; a corridor map has its place here."""

from ..errors import NoRoute
from .direct import direct_clearance, route_directly

__all__ = ["NoRoute", "direct_clearance", "route_directly"]
