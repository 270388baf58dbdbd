# SPDX-License-Identifier: GPL-3.0-or-later
"""Where compiled code is kept: outside the add-on's own folder, one folder for each version of the kernels."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

_CORE = Path(__file__).resolve().parents[1]
_chosen_folder: list[Path] = []


@contextmanager
def cache_folder_set() -> Generator[None]:
    """Let compiled code be kept outside the add-on's own folder, unless the user has said where; then as before."""
    config = import_module("numba").config
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
