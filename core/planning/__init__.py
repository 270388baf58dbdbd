# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths that can be followed, and plans along them."""

from .reference import ReferencePath, ReferenceSet
from .tables import ReferenceSettings

__all__ = ["ReferencePath", "ReferenceSet", "ReferenceSettings"]
