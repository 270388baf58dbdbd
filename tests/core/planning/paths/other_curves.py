# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves that people draw by accident and on purpose: name -> (points, closed)."""

from __future__ import annotations

import numpy as np

SHARE = np.linspace(0.0, 1.0, 200)
TURN = 2.0 * np.pi * SHARE


def around(count):
    return np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)


def points(*columns):
    return np.stack(np.broadcast_arrays(*columns), axis=-1).astype(np.float64)


def other_curves():
    spike = np.where(np.arange(10) % 2, 1.5, 4.0)
    rows = [(x, 0.6 * row) for row in range(6) for x in ((0.0, 6.0) if row % 2 == 0 else (6.0, 0.0))]
    radius = 3.0 * (1.0 + 0.3 * np.cos(3.0 * TURN))
    steps, teeth = np.arange(20), np.arange(32)
    crossing = [(0, 0), (8, 0), (8, 4), (4, 4), (4, 0), (12, 0), (0, 0), (12, 0)]
    return {
        "spiral inwards": (points((6 - 5.7 * SHARE) * np.cos(4 * TURN), (6 - 5.7 * SHARE) * np.sin(4 * TURN)), False),
        "spiral outwards": (points((0.1 + 5 * SHARE) * np.cos(4 * TURN), (0.1 + 5 * SHARE) * np.sin(4 * TURN)), False),
        "small figure eight": (points(np.sin(around(60)), 0.6 * np.sin(2 * around(60))), True),
        "figure eight, open": (points(5 * np.sin(TURN), 3 * np.sin(2 * TURN)), False),
        "knot": (points(radius * np.cos(2 * TURN), radius * np.sin(2 * TURN)), False),
        "zigzag": (points(0.3 * steps[:14], 1.5 * (steps[:14] % 2)), False),
        "narrow zigzag": (points(0.05 * steps[:10], 2.0 * (steps[:10] % 2)), False),
        "small zigzag": (points(0.2 * steps, 0.3 * (steps % 2)), False),
        "star": (points(spike * np.cos(around(10)), spike * np.sin(around(10))), True),
        "pentagram": (points(4 * np.cos(2 * around(5)), 4 * np.sin(2 * around(5))), True),
        "over itself": (
            points(*np.transpose(crossing)),
            False,
        ),
        "a square three times": (points(*np.transpose([(0, 0), (4, 0), (4, 4), (0, 4)] * 3)), False),
        "back and forth": (points(*np.transpose(rows)), False),
        "hairpins": (points(*np.transpose([(0, 0), (5, 0), (0, 0.1), (5, 0.2), (0, 0.3)])), False),
        "there and back, closed": (points([0, 5], [0, 0]), True),
        "a square of doubled points": (points(*np.repeat([(0, 0), (5, 0), (5, 5), (0, 5)], 2, axis=0).T), True),
        "far from the origin": (points(1e5 + 20 * SHARE, 1e5 + 3 * np.sin(6 * SHARE)), False),
        "30 cm": (points(0.3 * SHARE, 0.0), False),
        "30 cm with a corner": (points([0, 0.15, 0.15], [0, 0, 0.15]), False),
        "a ring of 30 cm": (points(0.15 * np.cos(around(12)), 0.15 * np.sin(around(12))), True),
        "stairs": (points(0.3 * steps, 0.0, 0.18 * steps), False),
        "spiral stairs": (points(1.2 * np.cos(3 * TURN), 1.2 * np.sin(3 * TURN), 6 * SHARE), False),
        "tiny zigzag": (points(0.05 * np.arange(120), 0.05 * (np.arange(120) % 2)), False),
        "a spike on a long straight": (points([0, 15, 15, 15.02, 30], [0, 0, 3, 0, 0]), False),
        "a drop, closed at its corner": (
            points(3 * np.sin(around(80)) * np.sin(around(80) / 2), 3 * np.cos(around(80))),
            True,
        ),
        "clover": (points(*(4 * np.cos(2 * around(120)) * (np.cos(around(120)), np.sin(around(120))))), True),
        "steps back after every metre": (points(np.cumsum(np.tile([1.0, -0.4], 12)), 0.0), False),
        "teeth of a comb": (points(0.5 * (teeth // 4) + 0.02 * (teeth % 4), np.isin(teeth % 4, (1, 2)) * 2.0), False),
        "cusps": (points(0.4 * (3 * TURN - np.sin(3 * TURN)), 0.4 * (1 - np.cos(3 * TURN))), False),
        "loops of a wheel": (points(1.2 * TURN - 1.2 * np.sin(3 * TURN), -1.2 * np.cos(3 * TURN)), False),
        "hand-drawn": (points(10 * SHARE, np.random.default_rng(0).normal(0.0, 0.02, 200)), False),
    }
