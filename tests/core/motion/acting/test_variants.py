# SPDX-License-Identifier: GPL-3.0-or-later
"""Neighbours who do the same look different."""

import numpy as np
import pytest

from core.motion.acting.elbow_room import ELBOW_ROOM
from core.motion.acting.variants import VARIANTS
from core.report.nearest_others import find_elbow_room, find_variants
from core.trajectories import Trajectories

FPS = 24.0
NAMES = ("none", "stand", "talk", "sit", "clap")


def standing(places, *, activity="stand", frames=2400, late=7, crowd=None):
    """People who stand at places from other frames on."""
    count = len(places)
    position = np.broadcast_to(np.column_stack([places, np.zeros(count)]), (frames, count, 3)).copy()
    present = np.arange(frames)[:, None] >= late * np.arange(count)
    position[~present] = np.nan
    does = np.where(present, NAMES.index(activity), 0).astype(np.int8)
    crowd = np.zeros(count, dtype=np.int64) if crowd is None else np.array(crowd)
    return Trajectories(
        np.arange(1, frames + 1),
        FPS,
        position,
        np.where(present, 0.0, np.nan),
        np.where(present[..., None], np.zeros(2), np.nan),
        present,
        np.full(count, -1),
        np.full(count, 0.25),
        crowd,
        tuple(f"Crowd {number}" for number in range(crowd.max() + 1)),
        np.full(count, np.nan),
        activity=does,
        activity_names=NAMES,
    )


def variants_of(t):
    return find_variants(t, find_elbow_room(t))


def pairs_near(places, distance):
    places = np.array(places)
    apart = np.linalg.norm(places[:, None] - places, axis=2)
    return np.argwhere(np.triu(apart < distance, 1))


@pytest.mark.parametrize("activity", ["stand", "sit", "talk"])
@pytest.mark.parametrize("step", [(0.6, 0.0), (0.0, -0.95), (0.6, -0.7), (0.42, 0.42)])
def test_no_two_neighbours_ever_play_the_same_clip(activity, step):
    """Twelve in a row, in any direction, for a minute and a half, in two crowds: as in a queue, or on a bench."""
    places = [np.array(step) * number for number in range(12)]
    crowd = [number % 2 for number in range(12)]
    shown = variants_of(standing(places, activity=activity, crowd=crowd)).astype(int)
    clips = VARIANTS.clips_of(activity)
    reach = 1.6 if clips > 4 else np.linalg.norm(step) + 0.01  # six clips do for two to each side, three for one
    pairs = pairs_near(places, reach)
    assert len(pairs) >= 11
    for one, other in pairs:
        both = (shown[:, one] >= 0) & (shown[:, other] >= 0)
        assert both.sum() > 300
        same = shown[both, one] % clips == shown[both, other] % clips
        assert not same.any(), (one, other, int(same.sum()))
    for one, other in pairs_near(places, VARIANTS.neighbours):
        both = (shown[:, one] >= 0) & (shown[:, other] >= 0)
        assert (shown[both, one] != shown[both, other]).all(), "those a little farther are at other parts of it"
    if clips > 4:
        assert len(set((shown[shown[:, 0] >= 0, 0] % clips).tolist())) >= 3, "each does it in several ways"


def test_those_who_have_to_share_a_clip_are_at_different_parts_of_it():
    """Five who clap in a ring; there is one clip."""
    angle = 2.0 * np.pi * np.arange(5) / 5
    places = 0.6 * np.column_stack([np.cos(angle), np.sin(angle)])
    shown = variants_of(standing(places, activity="clap"))
    parts = {tuple(sorted(VARIANTS.part_of(int(number), "clap") for number in row)) for row in shown[50:]}
    assert all(len(set(row)) == 5 for row in parts)


def test_somebody_far_away_or_on_another_floor_changes_nobody():
    places = [(0.0, 0.0), (0.7, 0.0), (1.4, 0.0)]
    alone = variants_of(standing(places))
    more = standing([*places, (5.0, 0.0), (0.7, 0.3)])
    more.position[:, 4, 2] = 3.0
    np.testing.assert_array_equal(variants_of(more)[:, :3], alone)


def test_nobody_beside_somebody_is_given_the_clip_with_a_hand_on_the_hip():
    near = variants_of(standing([(0.0, 0.0), (ELBOW_ROOM.wide - 0.1, 0.0)], frames=9600))
    far = variants_of(standing([(0.0, 0.0), (ELBOW_ROOM.wide + 0.3, 0.0)], frames=9600))
    clips, wide = VARIANTS.clips_of("stand"), VARIANTS.wide[1]
    assert not (near[near >= 0] % clips == wide).any()
    assert (far[far >= 0] % clips == wide).any()
