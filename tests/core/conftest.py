# SPDX-License-Identifier: GPL-3.0-or-later
"""What all tests of the core share: Python seldom looks for garbage in cycles.

While numba compiles, objects come by the million, and all are in use: with Python's own thresholds (700, 10, 10) that
search takes about 15 % of the time. It still takes place, so that memory grows by a tenth only.
"""

import gc

gc.set_threshold(50_000, 20, 50)
