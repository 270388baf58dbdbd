# SPDX-License-Identifier: GPL-3.0-or-later
"""The types of arrays, by their names in annotations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
Int8 = NDArray[np.int8]
Int64 = NDArray[np.int64]
UInt64 = NDArray[np.uint64]
Bool = NDArray[np.bool_]
Complex128 = NDArray[np.complex128]
