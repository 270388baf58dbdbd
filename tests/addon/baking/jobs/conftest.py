# SPDX-License-Identifier: GPL-3.0-or-later
"""A short scene for whole bakes, with real reading and simulation."""

import pytest

from ...street import new_path


@pytest.fixture
def bake(remembered_bakes):
    return remembered_bakes


@pytest.fixture
def street(make, stage):
    """A short scene: five people on a bent curve for 40 frames, as plain boxes."""
    path = new_path("Path", stage.scene.collection, [(0, 0, 0), (4, 1, 0), (8, 0, 0)])
    stage.scene.frame_start, stage.scene.frame_end = 1, 40
    stage.crowd.route, stage.crowd.count = path, 5
    stage.crowd.characters, stage.crowd.forward_axis = make.collection("Props", make.cube("Box", 0.4)), "POS_X"
    return stage
