# SPDX-License-Identifier: GPL-3.0-or-later
"""Random numbers for twins."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def rng():
    return np.random.default_rng(8)
