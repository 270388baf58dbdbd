# SPDX-License-Identifier: GPL-3.0-or-later
"""Which moments of a bake tell whether the feet of a character stand as it walks."""

import numpy as np

FPS = 24


def test_feet_are_judged_in_steady_walking(addon):
    """Joggers who braked for a stop were said to glide: between two strides feet stand for less of the time."""
    look = addon.module("blender_addon.characters.ready.seen_feet").frames_to_look_at
    performance = addon.module("blender_addon.characters.performances").Performance

    def seen(*parts):
        gaits, speeds, counts = zip(*parts, strict=True)
        gait, speed = np.repeat(gaits, counts), np.repeat(speeds, counts)
        way, none = np.cumsum(speed) / FPS, np.zeros(len(speed))
        place, there = np.stack([way, none, none], axis=1), np.ones(len(way), dtype=bool)
        return look(performance(none, place, none, none, gait.astype(np.float64), there, FPS, none), 1.0)

    stands, walks, runs, brakes = (0.0, 0.0, 40), (1.0, 1.4, 90), (2.0, 3.0, 60), (0.8, 1.5, 40)
    assert seen(runs, brakes, stands) is None
    assert seen(stands, walks) is not None
    rows = seen(runs, walks, runs)
    assert (rows.start, rows.stop) == (60 + FPS, 60 + 90 - FPS)
