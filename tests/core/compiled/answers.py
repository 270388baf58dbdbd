# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers of numpy's code and of its compiled twins, and obstacles to ask about."""

from __future__ import annotations

import numpy as np

from core.compiled.twins import compiled


def outlines(rng, *, snapped):
    """Stars with and without a courtyard, some overlapping; on a lattice, many points lie on edges and corners."""
    shapes = []
    for number in range(25):
        angle = np.sort(rng.uniform(0.0, 2.0 * np.pi, 6))
        star = rng.uniform(0.5, 4.0) * np.stack((np.cos(angle), np.sin(angle)), axis=1)
        middle = rng.uniform(0.0, 40.0, 2)
        ring = middle + star
        shapes.append((np.round(ring) if snapped else ring, [middle + 0.3 * star] if number % 5 == 0 else []))
    return shapes


def both(question):
    """The answers of numpy's code and of the twins."""
    answers = []
    for wanted in (False, True):
        with compiled(wanted):
            answers.append(question())
    return answers
