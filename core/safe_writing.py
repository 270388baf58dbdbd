# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from .errors import FootfallError, RequestError


@contextmanager
def whole_file(path: str | Path) -> Generator[BinaryIO]:
    """Give a file to write to that takes its place only when everything is written and safe on the disk.

    It is written beside its place under another name and renamed at the end. Whatever happens before (a full disk, an
    error in the block, Ctrl-C), what stood there is untouched and nothing new is left.

    Args:
        path: where the file shall be; a link is followed.

    Raises:
        FootfallError: it cannot be written; the message names the file and the reason.
    """
    target = Path(path)
    check_writable_place(target)
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


def check_writable_place(path: str | Path) -> None:
    """Make sure that a file can stand at a place, before the work that fills it begins.

    Raises:
        RequestError: the folder is not there, or something that is no plain file stands there.
        FootfallError: the system allows no file there.
    """
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


def _check_folder(path: str | Path) -> None:
    folder = Path(path).parent
    if not folder.is_dir():
        raise RequestError(f"cannot write '{path}': there is no folder '{folder}'; create it first")
    if not os.access(folder, os.W_OK):
        raise FootfallError(f"cannot write '{path}': the folder '{folder}' is not writable")


def reason(error: OSError | ValueError) -> str:
    """Return why the system refused, in a few words."""
    return (isinstance(error, OSError) and error.strerror) or str(error)
