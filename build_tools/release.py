# SPDX-License-Identifier: GPL-3.0-or-later
"""A release: a folder with one zip per platform, their checksums, and the listing of an extension repository."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from . import packaging
from .blender import default_blender, ensure_blender, list_repository, validate_zip
from .environments import BuildError

CHECKSUMS = "SHA256SUMS"
LISTING = "index.json"


def make_release(folder: Path) -> list[Path]:
    """Fill a folder with what a release offers; put on a web server as it is, it is an extension repository.

    Args:
        folder: where the release goes; an older release in it is removed.

    Returns:
        The files: the zips, the listing and the checksums of them all.

    Raises:
        BuildError: the folder holds something else, or a step failed.
    """
    _clear(folder)
    python = ensure_blender(default_blender())
    archives = [packaging.build_zip(target, folder) for target in packaging.platforms()]
    for archive in archives:
        validate_zip(python, archive)
    list_repository(python, folder)
    _check_listing(folder / LISTING, archives)
    files = [*archives, folder / LISTING]
    return [*files, write_checksums(folder, files)]


def _check_listing(listing: Path, archives: list[Path]) -> None:
    """Make sure that the listing names each zip: Blender's tool leaves out what it cannot read, and still succeeds."""
    listed = {entry["archive_url"] for entry in json.loads(listing.read_text(encoding="utf-8"))["data"]}
    missing = [path.name for path in archives if f"./{path.name}" not in listed]
    if missing:
        raise BuildError(f"{listing} leaves out {', '.join(missing)}")


def _clear(folder: Path) -> None:
    """Remove an older release; refuse a folder that holds anything else."""
    folder.mkdir(parents=True, exist_ok=True)
    present = sorted(folder.iterdir())
    foreign = [path.name for path in present if not _is_ours(path)]
    if foreign:
        raise BuildError(f"{folder} holds other files than a release: {', '.join(foreign)}. Choose another folder.")
    for path in present:
        path.unlink()


def _is_ours(path: Path) -> bool:
    named = path.name in {CHECKSUMS, LISTING} or (path.name.startswith("footfall-") and path.suffix == ".zip")
    return named and path.is_file()


def write_checksums(folder: Path, files: list[Path]) -> Path:
    """Write the SHA-256 of files as `sha256sum --check` reads it, with the same bytes on every system.

    Args:
        folder: where the checksums go, beside the files.
        files: what to sum.
    """
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    sums = folder / CHECKSUMS
    sums.write_text("".join(lines), encoding="utf-8", newline="\n")
    return sums
