# SPDX-License-Identifier: GPL-3.0-or-later
"""Trails and density: what is drawn of many people, characters or instances, without a window."""

import bpy
import numpy as np
import pytest


@pytest.fixture
def overlays(addon):
    """A door to the overlays' modules."""
    return lambda name: addon.module(f"blender_addon.interface.overlays.{name}")


@pytest.fixture
def look(street, overlays):
    """The street after a bake of two seconds, as overlays see it; `as_instances` for one of instances."""

    def at(frame, active=None, *, as_instances=False):
        street.scene.frame_end = 48
        street.crowd.output = "INSTANCES" if as_instances else "CHARACTERS"
        if not street.crowd.baked:
            bpy.ops.footfall.bake()
        street.scene.frame_set(frame)
        return overlays("view").look(street.scene, active, overlays("layers.overlay").Need.BAKE)

    return at


def painted(trails, frame):
    """All points that are painted of trails at a frame."""
    bands = trails.bands(frame)
    return np.concatenate([trails.points[first : first + count] for first, count, _ in bands] or [np.empty((0, 3))])


def test_a_trail_leads_from_where_somebody_was_to_where_they_are(street, look, overlays):
    street.settings.overlays.trail_seconds = 1.0
    chosen = bpy.data.objects.get
    look(40)
    view = look(40, chosen("Crowd 001"))
    _, own = overlays("layers.trails").draw(view)
    points = painted(own, 40)
    np.testing.assert_allclose(points[-1, :2], chosen("Crowd 001").matrix_world.translation.xy, atol=1e-3)
    street.scene.frame_set(16)
    np.testing.assert_allclose(points[0, :2], chosen("Crowd 001").matrix_world.translation.xy, atol=1e-3)
    assert len(points) == 2 * 24


def test_trails_are_handed_over_once_and_only_their_frame_changes(street, look, overlays):
    (early,), (late,) = (overlays("layers.trails").draw(look(frame)) for frame in (10, 30))
    np.testing.assert_array_equal(early.points, late.points)
    assert len(painted(early, 10)) < len(painted(early, 30))
    assert not len(painted(early, 1))
    assert not overlays("layers.trails").OVERLAY.each_frame


def test_a_trail_grows_fainter_the_older_it_is(look, overlays):
    (trails,) = overlays("layers.trails").draw(look(48))
    shares = [share for _, _, share in trails.bands(48)]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_only_the_selected_has_a_trail_when_that_is_asked(street, look, overlays):
    street.settings.overlays.trails_of = "SELECTED"
    assert overlays("layers.trails").draw(look(48)) == []
    (own,) = overlays("layers.trails").draw(look(48, bpy.data.objects["Crowd 002"]))
    assert len(own.points) == 2 * 47


def test_who_leaps_or_is_away_leaves_no_line(overlays):
    way = np.zeros((6, 1, 3))
    way[:, 0, 0] = [0.0, 0.1, 5.0, 5.1, np.nan, 5.3]
    trails = overlays("layers.marks").trails(way, (1, 1, 1, 1), first_frame=1, span=10, longest=1.0)
    assert trails.points[:, 0] == pytest.approx([0.0, 0.1, 5.0, 5.1])
    assert trails.begin.tolist() == [0, 1, 1, 2, 2, 2]


@pytest.mark.parametrize("over", ["NOW", "MEAN", "MOST"])
def test_the_ground_is_coloured_where_people_are(street, look, overlays, over):
    street.settings.overlays.density_over = over
    view = look(24)
    (surface,) = overlays("layers.density").draw(view)
    assert len(surface.points)
    near = np.abs(surface.points[:, None, :2] - view.people.replay.position[:, :, :2].reshape(1, -1, 2)).max(axis=2)
    assert near.min(axis=1).max() < 2.5
    assert surface.colours[:, 3].max() > 0.3


def test_instances_are_looked_at_as_characters_are(street, look, overlays):
    characters = look(24).people.replay.position
    bpy.ops.footfall.clear()
    view = look(24, as_instances=True)
    np.testing.assert_allclose(view.people.replay.position, characters, atol=1e-4)
    shown = next(each for each in street.scene.objects if "footfall_people" in each)
    assert look(24, shown, as_instances=True).people.selected == 0
    street.settings.overlays.person = 3
    assert look(24, shown, as_instances=True).people.selected == 2
    street.settings.overlays.person = 9
    assert look(24, shown, as_instances=True).people.selected is None


def test_who_was_made_a_character_is_known_as_such(street, look):
    look(24, as_instances=True)
    bpy.context.view_layer.objects.active = next(each for each in street.scene.objects if "footfall_people" in each)
    street.scene.cursor.location = tuple(look(24, as_instances=True).people.moment.position[1])
    bpy.ops.footfall.make_real(reach=0.1)
    real = bpy.data.objects["Crowd 002"]
    assert look(24, real, as_instances=True).people.selected == 1


def test_who_is_pinned_is_drawn_where_they_are(street, look, overlays):
    look(24)
    bpy.ops.object.select_all(action="DESELECT")
    bpy.data.objects["Crowd 002"].select_set(True)
    bpy.ops.footfall.pin_people()
    bpy.ops.footfall.bake()
    view = look(24)
    layer = overlays("layers.people")
    (label,) = [mark for mark in layer.draw(view) if isinstance(mark, overlays("layers.marks").Label)]
    assert label.text == "Crowd 002"
    street.scene.frame_set(24)
    assert label.place[:2] == pytest.approx(bpy.data.objects["Crowd 002"].location[:2], abs=0.02)
