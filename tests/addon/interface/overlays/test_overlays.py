# SPDX-License-Identifier: GPL-3.0-or-later
"""What overlays are shown and draw, without a window: the drawing itself is looked at in a real one."""

import pkgutil
import re

import bpy
import numpy as np
import pytest


@pytest.fixture
def overlays(addon):
    """A door to the overlays' modules."""
    return lambda name: addon.module(f"blender_addon.interface.overlays.{name}")


@pytest.fixture
def catalogue(addon):
    """The rows of all overlays."""
    return addon.module("blender_addon.settings.overlay_catalogue").CATALOGUE


@pytest.fixture
def look(street, overlays):
    """What an overlay is shown of the street with an active object."""
    needs, view = overlays("layers.overlay").Need, overlays("view")
    return lambda needed, active=None: view.look(street.scene, active, needs[needed])


def bake(street, frames=(1, 24)):
    street.scene.frame_start, street.scene.frame_end = frames
    bpy.ops.footfall.bake()


def test_each_overlay_has_a_toggle_that_is_off(street, catalogue):
    toggles = street.settings.overlays
    for row in catalogue:
        assert getattr(toggles, row.name) is False
        assert toggles.bl_rna.properties[row.name].description == row.description


def test_each_row_of_the_catalogue_has_its_layer_and_each_layer_its_row(overlays, catalogue):
    rows = [row.name for row in catalogue]
    layers = {module.name for module in pkgutil.iter_modules(overlays("layers").__path__)} - {
        "overlay",
        "marks",
    }  # what they share
    assert layers == set(rows) == set(overlays("registry").OVERLAYS)
    assert len(rows) == len(layers), "a row stands there twice"
    for name in rows:
        layer = overlays(f"layers.{name}")
        assert overlays("registry").OVERLAYS[name] is layer.OVERLAY
        assert layer.OVERLAY.draw is layer.draw


def test_what_is_missing_is_said(street, look):
    assert look("BAKE") == "Nothing is baked yet: press Bake"
    bake(street)
    assert look("SELECTED") == "Select a baked character"
    assert look("SELECTED", street.kiosk) == "Select a baked character"


@pytest.mark.each_blender("handlers and evaluated objects")
def test_the_people_are_where_their_characters_are(street, look):
    bake(street)
    characters = [bpy.data.objects[f"Crowd {number:03d}"] for number in (1, 2, 3)]
    last = None
    for frame in (12, 13, 24):
        street.scene.frame_set(frame)
        moment = look("BAKE").people.moment
        places = np.array([character.matrix_world.translation for character in characters])
        np.testing.assert_allclose(moment.position, places, atol=1e-5)
        if frame == 13:
            np.testing.assert_allclose(moment.velocity, 24 * (places - last)[:, :2], atol=1e-3)
        last = places


def test_the_units_of_the_scene_are_none_of_the_overlays_business(street, look):
    street.scene.unit_settings.system, street.scene.unit_settings.scale_length = "METRIC", 0.01
    for spline in street.path.data.splines:
        for point in spline.points:
            point.co.x *= 100.0
    bake(street)
    people = look("BAKE").people
    place = bpy.data.objects["Crowd 001"].location
    assert people.moment.position[0] == pytest.approx(np.array(place) * 0.01, abs=1e-5)


def test_a_character_is_known_by_any_of_its_parts_and_by_no_name(street, look):
    street.crowd.characters = None
    bake(street)
    armature = bpy.data.objects["Crowd 002"]
    armature.name = "Somebody"
    body = next(child for child in armature.children if child.type == "MESH")
    assert look("SELECTED", armature).selected[1] == look("SELECTED", body).selected[1] == 1


def test_who_is_not_there_cannot_be_looked_at(street, look):
    street.crowd.spawn.mode, street.crowd.spawn.rate = "FLOW", 3.0
    bake(street, (1, 60))
    late = bpy.data.objects["Crowd 003"]
    street.scene.frame_set(1)
    told = look("SELECTED", late)
    assert re.fullmatch(r"'Crowd 003' is not present at frame 1, only from frame (\d+) to 60", told)
    assert np.isfinite(look("BAKE").people.replay.position[int(told.split()[-3]) - 1, 2, 0])
    assert not np.isfinite(look("BAKE").people.replay.position[int(told.split()[-3]) - 2, 2, 0])
    street.scene.frame_set(60)
    assert look("SELECTED", late).selected[1] == 2


def test_a_file_that_is_opened_again_shows_the_same(street, look, overlays, tmp_path):
    bake(street)
    before = look("BAKE").people
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "street.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "street.blend"))
    view, need = overlays("view"), overlays("layers.overlay").Need.BAKE
    assert view.look(bpy.context.scene, None, need) == "Reading the scene"  # a moment later, where there is a window
    bpy.ops.footfall.look_again()
    after = view.look(bpy.context.scene, None, need).people
    np.testing.assert_array_equal(before.moment.position, after.moment.position)
    np.testing.assert_array_equal(before.replay.agents.wanted_speed, after.replay.agents.wanted_speed)


def test_a_change_after_the_bake_leaves_what_was_baked(street, look, addon):
    bake(street)
    before = look("BAKE").people
    street.kiosk.location.x += 1.0
    addon.module("blender_addon.runtime.freshness").compare(street.scene)
    after = look("BAKE")
    assert after.people.reading is before.reading
    assert after.reading is not before.reading


def test_a_toggle_leaves_the_bake_up_to_date(street, addon, catalogue):
    bake(street)
    staleness = addon.module("blender_addon.runtime.freshness")
    setattr(street.settings.overlays, catalogue[0].name, True)
    staleness.judge_all()
    assert staleness.freshness(street.crowd) is staleness.Freshness.UP_TO_DATE


def test_an_overlay_that_fails_is_off_until_it_is_switched(street, addon, overlays, catalogue):
    showing, state = overlays("showing"), addon.module("blender_addon.runtime.overlay_state").OVERLAY_STATE
    row = catalogue[0]

    def fail(_overlay):
        raise ZeroDivisionError("of all things")

    showing._guarded(row, fail)
    assert row.name in state.errors
    assert "of all things" in state.about(row.name)
    setattr(street.settings.overlays, row.name, True)
    assert row.name not in state.errors


def test_bodies_are_drawn_for_those_who_are_there(street, look, overlays):
    bake(street)
    rings, arrows = overlays("layers.people").draw(look("BAKE"))
    assert rings.points.shape == (2 * 24 * 3, 3)
    centres = rings.points.reshape(3, -1, 3).mean(axis=1)
    np.testing.assert_allclose(centres[:, :2], look("BAKE").people.moment.position[:, :2], atol=1e-5)
    assert len(arrows.points) == 3 * 3 * 2


def test_marks_take_one_colour_or_one_each(overlays):
    marks = overlays("layers.marks")
    red, blue = (1, 0, 0, 1), (0, 0, 1, 1)
    square = np.array([[(0, 0, 0), (1, 0, 0), (1, 1, 0)]] * 2, dtype=float)
    chains = marks.chains(square, [red, blue], closed=True)
    assert chains.points.shape == (12, 3)
    np.testing.assert_array_equal(chains.colours[[0, 6]], [red, blue])
    np.testing.assert_array_equal(chains.points[5], chains.points[0])
    assert marks.discs(square[0], 1.0, red, sides=8).points.shape == (3 * 8 * 3, 3)
    assert marks.segments(square[0], square[0] + 1.0, red).colours.tolist() == [[1, 0, 0, 1]] * 6
    merged = marks.join([chains, marks.segments(square[0], square[0], red, width=3.0), chains])
    assert [len(each.points) for each in merged] == [24, 6]


@pytest.fixture
def walker(street):
    """Somebody under way on the line, with a kiosk on it ahead."""
    street.kiosk.location.y, street.crowd.count, street.crowd.speed.sd = 0.0, 1, 0.0
    bake(street, (1, 60))
    street.scene.frame_set(55)
    return bpy.data.objects["Crowd 001"]


def test_the_plan_begins_at_the_selected_person_and_goes_round_the_kiosk(walker, look, overlays):
    others, plan, _, label = overlays("layers.plan").draw(look("SELECTED", walker))
    first, last = plan.points[0], plan.points[-1]
    np.testing.assert_allclose(first[:2], np.array(walker.location)[:2], atol=0.02)
    assert last[0] > first[0] + 2.0
    inside = (np.abs(plan.points[:, :2] - (5.0, 0.0)) < 0.5 + 0.2).all(axis=1)
    assert not inside.any()
    assert label.text.startswith("cost ")
    assert plan.width > others.width


def test_candidates_that_run_into_the_kiosk_are_red(walker, look, overlays):
    plan = overlays("layers.plan")
    others = plan.draw(look("SELECTED", walker))[0]
    red = np.array({text: colour for colour, text in plan.OVERLAY.legend}["hits an obstacle"], np.float32)
    hits = others.points[(others.colours == red).all(axis=1)]
    assert (np.abs(hits[:, :2] - (5.0, 0.0)) < 0.5).all(axis=1).any()
    clean = others.points[~(others.colours == red).all(axis=1)]
    assert not (np.abs(clean[:, :2] - (5.0, 0.0)) < 0.4).all(axis=1).any()


def test_who_has_arrived_has_no_plan(street, look, overlays):
    for point, x in zip(street.path.data.splines[0].points, (0.0, 0.5, 1.0), strict=True):
        point.co.x = x
    street.crowd.count = 1
    bake(street, (1, 100))
    street.scene.frame_set(100)
    (label,) = overlays("layers.plan").draw(look("SELECTED", bpy.data.objects["Crowd 001"]))
    assert label.text == "has arrived: no plan"


def test_forbidden_velocities_lie_in_shade_and_the_taken_one_does_not(street, look, overlays):
    bake(street, (1, 30))
    street.scene.frame_set(20)
    walker = bpy.data.objects["Crowd 002"]
    drawn = overlays("layers.steering").draw(look("SELECTED", walker))
    *shades, limit, _others, wanted, taken = drawn
    place = np.array(walker.location)
    fastest = look("SELECTED", walker).people.replay.fastest(1)
    np.testing.assert_allclose(np.hypot(*(limit.points - place)[:, :2].T), fastest, atol=1e-4)
    for arrow in (wanted, taken):
        np.testing.assert_allclose(arrow.points[0, :2], place[:2], atol=1e-4)
    tip = taken.points[1, :2]
    for shade in shades[:1]:
        corners = shade.points.reshape(-1, 3, 3)[:, :, :2]
        assert np.hypot(*(corners - place[:2]).reshape(-1, 2).T).max() < fastest + 1e-4
        assert not any(is_inside(tip, triangle, margin=0.01) for triangle in corners)


def is_inside(point, triangle, margin):
    """Whether a point lies in a triangle, farther than a margin from its sides."""
    edges = np.roll(triangle, -1, axis=0) - triangle
    lengths = np.hypot(*edges.T)
    if lengths.min() < 1e-6:
        return False
    off = point - triangle
    depth = (edges[:, 0] * off[:, 1] - edges[:, 1] * off[:, 0]) / lengths
    return bool((depth > margin).all() or (depth < -margin).all())


def test_who_avoids_nobody_has_no_forbidden_velocities(street, look, overlays):
    street.crowd.avoidance = "NONE"
    bake(street)
    (label,) = overlays("layers.steering").draw(look("SELECTED", bpy.data.objects["Crowd 001"]))
    assert label.text == "avoids nobody"


def test_who_looks_along_headings_shows_how_far_they_are_free(walker, street, look, overlays):
    street.crowd.avoidance = "HUMAN_LIKE"
    bpy.ops.footfall.bake()
    walker = bpy.data.objects["Crowd 001"]
    rays, wanted, taken = overlays("layers.steering").draw(look("SELECTED", walker))
    place = np.array(walker.location)[:2]
    np.testing.assert_allclose(rays.points[::2, :2], np.tile(place, (len(rays.points) // 2, 1)), atol=1e-4)
    lengths = np.hypot(*(rays.points[1::2, :2] - place).T)
    assert len(lengths) > 20
    assert lengths.min() < 0.8 * lengths.max()  # the kiosk closes some
    assert np.hypot(*(taken.points[1] - taken.points[0])[:2]) > 0.5
    np.testing.assert_allclose(wanted.points[0, :2], place, atol=1e-4)


def test_who_anticipates_shows_circles_round_those_who_are_considered(street, look, overlays):
    street.crowd.avoidance = "POWER_LAW"
    bake(street)
    circles, wanted, taken = overlays("layers.steering").draw(look("SELECTED", bpy.data.objects["Crowd 001"]))
    others = [np.array(bpy.data.objects[name].location)[:2] for name in ("Crowd 002", "Crowd 003")]
    for place in others:
        assert np.hypot(*(circles.points[:, :2] - place).T).min() < 0.35  # on the rim of a body
    np.testing.assert_allclose(wanted.points[0, :2], taken.points[0, :2], atol=1e-4)
