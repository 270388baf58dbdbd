# SPDX-License-Identifier: GPL-3.0-or-later
"""Long sweeps: the first few parameters are tried every time, the others by `build_addon.py test --thorough`."""

from collections.abc import Iterable
from itertools import islice
from typing import Any

import pytest


def sweep(values: Iterable[Any], *, usual: int) -> list[Any]:
    """Return parameters of which all but the first few wait for a thorough run.

    Args:
        values: the parameters; a tuple stands for several arguments.
        usual: how many of them are tried every time.
    """
    every = iter(values)
    first = list(islice(every, usual))
    rest = (value if isinstance(value, tuple) else (value,) for value in every)
    return [*first, *(pytest.param(*value, marks=pytest.mark.thorough) for value in rest)]
