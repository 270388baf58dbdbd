# SPDX-License-Identifier: GPL-3.0-or-later
"""Which code runs now: numpy's, or compiled twins of it; and where compiled code is kept.

The result is the same bits, so that no result says which code ran. Compiled code is kept outside the add-on's own
folder, one folder for each version of the kernels.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

ALL = (
    "aims",
    "circular",
    "distances",
    "doors",
    "frames",
    "lines",
    "moving",
    "pairs",
    "path_rows",
    "planning.ahead",
    "planning.choice",
    "planning.courses",
    "planning.lattice",
    "planning.plans",
    "room_beside",
    "routes",
    "strips",
)
(
    AIMS,
    CIRCULAR,
    DISTANCES,
    DOORS,
    FRAMES,
    LINES,
    MOVING,
    PAIRS,
    PATH_ROWS,
    AHEAD,
    CHOICE,
    COURSES,
    LATTICE,
    PLANS,
    ROOM_BESIDE,
    ROUTES,
    STRIPS,
) = ALL

_compiled: ContextVar[bool] = ContextVar("compiled", default=False)

_CORE = Path(__file__).resolve().parents[1]
_chosen_folder: list[Path] = []


@contextmanager
def compiled(wanted: bool) -> Generator[None]:
    """Use compiled twins meanwhile, if wanted; numba must be there."""
    before = _compiled.set(wanted)
    try:
        yield
    finally:
        _compiled.reset(before)


def twin(name: str) -> ModuleType | None:
    """Return compiled kernels by name; None where numpy's code is to be used."""
    return _kernels(name) if _compiled.get() else None


def warm_up() -> None:
    """Have all twins compiled, or loaded if an earlier run compiled them."""
    for name in ALL:
        _kernels(name).warm_up()


@cache
def _kernels(name: str) -> ModuleType:
    with cache_folder_set():
        return import_module(f"{__package__}.{name}")


@contextmanager
def cache_folder_set() -> Generator[None]:
    """Let compiled code be kept outside the add-on's own folder, unless the user has said where; then as before."""
    config: Any = import_module("numba").config
    before = config.CACHE_DIR
    config.CACHE_DIR = before or str(cache_folder())
    try:
        yield
    finally:
        config.CACHE_DIR = before


def keep_compiled_code_in(folder: Path) -> None:
    """Say where compiled code is kept, before kernels are first asked for; where that fails, it is kept elsewhere."""
    _chosen_folder[:] = [folder]


def cache_folder() -> Path:
    """A writable folder for compiled code, another one for each version of the kernels."""
    sources = sorted(path for folder in ("compiled", "steering/kernels") for path in (_CORE / folder).rglob("*.py"))
    version = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:16]
    home = os.environ.get("LOCALAPPDATA") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    usual = [base / "footfall" / "kernels" for base in (Path(home).expanduser(), Path(tempfile.gettempdir()))]
    for base in (*_chosen_folder, *usual):
        folder = base / version
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.mkdtemp(prefix="footfall_kernels_"))
