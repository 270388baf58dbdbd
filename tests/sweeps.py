# SPDX-License-Identifier: GPL-3.0-or-later
"""Long sweeps: the first few parameters are tried every time, the others by `build_addon.py test --thorough`."""

from collections.abc import Iterable
from typing import Any

import pytest


def sweep(values: Iterable[Any], *, usual: int | None = None, everywhere: int | None = None) -> list[Any]:
    """Return parameters of which all but the first few wait for a thorough run.

    Args:
        values: the parameters; a tuple stands for several arguments.
        usual: how many of them are tried every time; None: all.
        everywhere: how many of these are tried in every environment, the others in one; None: all.
    """
    parameters: list[Any] = []
    for number, value in enumerate(values):
        marks = []
        if usual is not None and number >= usual:
            marks.append(pytest.mark.thorough)
        elif everywhere is not None and number >= everywhere:
            marks.append(pytest.mark.once)
        values_of_one = value if isinstance(value, tuple) else (value,)
        parameters.append(pytest.param(*values_of_one, marks=marks) if marks else value)
    return parameters
