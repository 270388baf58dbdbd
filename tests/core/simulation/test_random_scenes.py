# SPDX-License-Identifier: GPL-3.0-or-later
"""In random scenes nobody overlaps with others, or with an obstacle, by more than 2 cm."""

import pytest

from tests.sweeps import sweep

from .random_scenes import DEEPEST, judge, random_scene

pytestmark = pytest.mark.once


@pytest.mark.parametrize("seed", sweep(range(500), usual=3))
def test_nobody_overlaps_in_a_random_scene(seed):
    between, within = judge(random_scene(seed))
    assert between.depth <= DEEPEST, between
    assert within.depth <= DEEPEST, within
