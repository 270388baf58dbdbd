# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of True in a mask, against a walk through it."""

from itertools import groupby

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.geometry.ragged import runs_of


@given(st.lists(st.booleans(), max_size=40))
def test_the_runs_of_a_mask(mask):
    expected, first = [], 0
    for value, group in groupby(mask):
        last = first + len(list(group))
        if value:
            expected.append([first, last])
        first = last
    assert runs_of(np.array(mask, dtype=bool)).tolist() == expected
