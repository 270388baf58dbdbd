# SPDX-License-Identifier: GPL-3.0-or-later
"""How the kernels of this folder are compiled: as all others, see `core.compiled.compiling`."""

from __future__ import annotations

from ...compiled.compiling import entry, part, run_over

__all__ = ["entry", "part", "run_over"]
