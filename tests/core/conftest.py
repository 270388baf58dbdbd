# SPDX-License-Identifier: GPL-3.0-or-later
"""What all tests of the core share: Python seldom looks for garbage, as they compile the kernels that they call."""

import gc

from core.garbage_collection import SELDOM

gc.set_threshold(*SELDOM)
