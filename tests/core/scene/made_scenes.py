# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of scenes made in Python, and what is wrong with these."""

import numpy as np

from core import SceneError
from core.scene import (
    Motion,
    Route,
    Scene,
)

SQUARE = [[0, 0], [4, 0], [4, 4], [0, 4]]


def points(*rows):
    return np.array(rows, dtype=np.float64)


def outline(rows, *, scale=1.0, shift=(0.0, 0.0)):
    return scale * np.array(rows, dtype=np.float64) + np.array(shift, dtype=np.float64)


def route(name="Path", *, closed=False, ends=((0, 0, 0), (9, 0, 0)), **settings):
    return Route(name, points(*ends), closed, **settings)


def faults(**parts):
    try:
        Scene(**parts)
    except SceneError as error:
        return {fault.place: fault.message for fault in error.faults}
    return {}


def motion(frames=(1, 9), x=(0, 5), y=(0, 0), yaw=(0, 0)):
    return Motion(*(np.array(values, dtype=np.float64) for values in (frames, x, y, yaw)))
