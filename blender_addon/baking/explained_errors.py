# SPDX-License-Identifier: GPL-3.0-or-later
"""What to do about errors that neither Footfall nor its settings have caused."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from ...core.errors import FootfallError


@contextmanager
def errors_explained() -> Generator[None]:
    """Say what to do when there is not enough memory, or something was removed from the file that a bake works with."""
    try:
        yield
    except MemoryError as error:
        raise FootfallError(
            "there is not enough memory for this many people and frames: bake fewer people, or a shorter range"
        ) from error
    except ReferenceError as error:
        raise FootfallError(
            "something that this bake works with was removed from the file while it ran, as by Purge: bake again"
        ) from error
