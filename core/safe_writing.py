# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are there whole or not at all, and never in place of a Blender file."""

from __future__ import annotations

import gzip
import os
import secrets
import stat
import zlib
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import BinaryIO

from .errors import FootfallError, RequestError

BLEND_SUFFIX = ".blend"
_BLEND, _GZIP, _ZSTD = b"BLENDER", b"\x1f\x8b", b"\x28\xb5\x2f\xfd"  # how files of Blender begin


@contextmanager
def whole_file(path: str | Path, *, blend: bool = False) -> Generator[BinaryIO]:
    """Give a file to write to that takes its place only when everything is written and safe on the disk.

    It is written beside its place under another name and renamed at the end. Whatever happens before (a full disk, an
    error in the block, Ctrl-C), what stood there is untouched and nothing new is left.

    Args:
        path: where the file shall be; a link is followed.
        blend: it is a Blender file itself.

    Raises:
        FootfallError: it cannot be written; the message names the file and the reason.
    """
    target = Path(path)
    check_writable_place(target, blend=blend)
    target = Path(os.path.realpath(target))
    beside = target.with_name(f".footfall-{secrets.token_hex(8)}.tmp")
    try:
        with beside.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(target)
    except OSError as error:
        raise FootfallError(f"cannot write '{path}': {reason(error)}; the earlier file is unchanged") from error
    finally:
        with suppress(OSError):  # renamed already, or never made; a disk that has gone takes its files along
            beside.unlink(missing_ok=True)


def check_writable_place(path: str | Path, *, blend: bool = False) -> None:
    """Make sure that a file can stand at a place, before the work that fills it begins.

    Args:
        path: where the file shall be; a link is followed.
        blend: it is a Blender file; every other file is kept away from names and from files of Blender.

    Raises:
        RequestError: the folder is not there, or something that is no plain file stands there, or a Blender file.
        FootfallError: the system allows no file there.
    """
    if not blend and any(_is_blend_name(each) for each in (path, _behind_links(path))):
        raise RequestError(f"cannot write '{path}': its name is that of a Blender file; give another one")
    try:
        mode = Path(path).stat().st_mode
    except FileNotFoundError:
        _check_folder(path)
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        raise FootfallError(f"cannot write '{path}': {reason(error)}") from error
    else:
        if stat.S_ISDIR(mode):
            raise RequestError(f"cannot write '{path}': it is a folder; add a file name")
        if not stat.S_ISREG(mode):
            raise RequestError(f"cannot write '{path}': it is not a plain file")
        if not blend and is_blend_file(path):
            raise RequestError(f"cannot write '{path}': a Blender file stands there; give another name")


def file_identity(path: str | Path, rules: ModuleType = os.path) -> str:
    """Return what is equal for two paths of one file: links followed, and on Windows without regard to case.

    Args:
        path: of a file, which need not be there yet.
        rules: of the system's paths, `posixpath` or `ntpath`.
    """
    return rules.normcase(rules.realpath(path))


def _is_blend_name(path: str | Path) -> bool:
    """Return whether a name is that of a Blender file; Windows drops dots and blanks at its end."""
    return Path(path).name.rstrip(". ").lower().endswith(BLEND_SUFFIX)


def _behind_links(path: str | Path) -> str | Path:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):  # a name that no file can have: reported elsewhere
        return path


def is_blend_file(path: str | Path) -> bool:
    """Return whether a plain file begins as Blender's do, also compressed; whatever is packed with zstd counts."""
    try:
        if not Path(path).is_file():
            return False
        with Path(path).open("rb") as stream:
            begin = stream.read(len(_BLEND))
        if begin.startswith(_GZIP):
            with gzip.open(path) as stream:
                begin = stream.read(len(_BLEND))
    except (OSError, ValueError, EOFError, zlib.error):  # none that can be read, or a broken archive
        return False
    return begin == _BLEND or begin.startswith(_ZSTD)


def _check_folder(path: str | Path) -> None:
    folder = Path(path).parent
    if not folder.is_dir():
        raise RequestError(f"cannot write '{path}': there is no folder '{folder}'; create it first")
    if not os.access(folder, os.W_OK):
        raise FootfallError(f"cannot write '{path}': the folder '{folder}' is not writable")


def reason(error: OSError | ValueError) -> str:
    """Return why the system refused, in a few words."""
    return (isinstance(error, OSError) and error.strerror) or str(error)
