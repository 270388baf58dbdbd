# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways that are kept up to date while something is dragged: as those that are looked for anew, and clear of it."""

from dataclasses import replace

import numpy as np
import pytest

from core.inspection import live_routes
from core.inspection.live_routes import LiveRouteSettings, LiveWays
from core.scene import Agent, Crowd, Obstacle, Scene
from core.simulation.settings.population_settings import RouteSettings

pytestmark = pytest.mark.once

FOREVER = 1e9  # [s]
BOUNDS = np.array([[-2, -2], [22, -2], [22, 14], [-2, 14]], dtype=np.float64)


def box(x, y, width, depth):
    return np.array([[x, y], [x + width, y], [x + width, y + depth], [x, y + depth]], dtype=np.float64)


@pytest.fixture
def scene():
    """Thirty people who cross a hall with two blocks in it, every tenth of them broad, one deleted."""
    rng = np.random.default_rng(7)
    ends = rng.uniform((0.0, 0.0), (1.5, 12.0), (30, 2)), rng.uniform((18.5, 0.0), (20.0, 12.0), (30, 2))
    people = [
        Agent(tuple(start), tuple(goal), 0.6 if number % 10 == 0 else None)
        for number, (start, goal) in enumerate(zip(*ends, strict=True))
    ]
    blocks = Obstacle("Left", box(6, 4, 2, 4)), Obstacle("Right", box(12, 2, 2, 5))
    crowd = Crowd("Walkers", agents=tuple(people), count=30, absent=(3,))
    return Scene(bounds=BOUNDS, obstacles=blocks, crowds=(crowd,))


def length(way):
    return np.sqrt((np.diff(way, axis=0) ** 2).sum(axis=1)).sum()


def clearance(way, low, high):
    """How near a way comes to a box, from a point every centimetre."""
    steps = np.maximum(np.ceil(np.sqrt((np.diff(way, axis=0) ** 2).sum(axis=1)) / 0.01).astype(int), 1)
    pieces = zip(way[:-1], way[1:], steps, strict=True)
    points = np.concatenate([np.linspace(begin, end, count) for begin, end, count in pieces])
    return np.sqrt((np.maximum(np.maximum(low - points, points - high), 0.0) ** 2).sum(axis=1)).min()


def test_who_is_deleted_has_no_way_and_everybody_has_the_body_that_was_given(scene):
    who = LiveWays(scene).journeys
    assert len(who.radius) == 29
    assert set(who.radius) == {0.6, scene.crowds[0].radius[1]}
    assert (who.radius == 0.6).sum() == 3


@pytest.mark.parametrize("places", [[(9, 5)], [(9, 5), (3, 0), (6, 8)]])
def test_ways_after_drags_are_as_long_as_on_a_map_of_its_own(scene, places, monkeypatch):
    monkeypatch.setattr(live_routes, "_SETTINGS", LiveRouteSettings(batch=4))
    live = LiveWays(scene)
    live.work(FOREVER)
    kept = [0]
    for x, y in places:
        kept = live.put(kept, [((box(x, y, 2, 4), ()), True)])
        live.work(0.0)  # four people, and the next drag comes
    assert live.work(FOREVER)
    x, y = places[-1]
    moved = (Obstacle("Left", box(x, y, 2, 4)), scene.obstacles[1])
    fresh = LiveWays(replace(scene, obstacles=moved))
    fresh.work(FOREVER)
    assert all(way is not None for way in live.routes)
    np.testing.assert_allclose([length(way) for way in live.routes], [length(way) for way in fresh.routes], rtol=0.01)
    for way, radius in zip(live.routes, live.journeys.radius, strict=True):
        for block in moved:
            assert (
                clearance(way, block.outline.min(axis=0), block.outline.max(axis=0))
                >= radius + RouteSettings.least_clearance - 1e-6
            )


def test_what_is_taken_away_gives_its_place_free(scene):
    live = LiveWays(scene)
    live.work(FOREVER)
    live.put([0, 1], [])
    assert live.waiting
    live.work(FOREVER)
    assert not live.waiting
    for way, start, goal in zip(live.routes, live.journeys.starts, live.journeys.goals, strict=True):
        assert length(way) <= 1.001 * np.sqrt(((goal - start) ** 2).sum()) + 0.3
