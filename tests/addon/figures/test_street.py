# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is who in a baked street of built-in people, and how much they differ where Blender shows no nodes."""

from itertools import pairwise

import bpy
import pytest

pytestmark = pytest.mark.each_blender("materials of slots are those of objects")


@pytest.fixture
def people(street):
    """Bakes so many built-in people, and gives their bodies by name."""
    street.crowd.characters, street.scene.frame_end = None, 3

    def bake(count):
        street.crowd.count = count
        assert bpy.ops.footfall.bake(edited="OVERWRITE") == {"FINISHED"}
        bodies = [each for each in street.scene.objects if each.type == "MESH" and "Footfall" in each.data.name]
        return {each.parent.name: each for each in bodies}

    return bake


def solid_colours(body):
    return tuple(tuple(slot.material.diffuse_color) for slot in body.material_slots)


@pytest.mark.thorough
def test_neighbours_differ_and_one_more_changes_nobody(people):
    bodies = people(13)
    figures = {name: body.data.name for name, body in bodies.items()}
    colours = {name: solid_colours(body) for name, body in bodies.items()}
    assert all(one != other for one, other in pairwise([figures[name] for name in sorted(figures)]))
    assert len(set(figures.values())) >= 5
    assert len(set(colours.values())) == 13  # nobody looks like another in Solid mode
    shirts = [bodies[name].material_slots[0].material.diffuse_color[:] for name in sorted(bodies)]
    assert all(one != other for one, other in pairwise(shirts))
    assert shirts == [pytest.approx(bodies[name].color[:]) for name in sorted(bodies)]  # as in renders
    more = people(14)
    assert {name: more[name].data.name for name in figures} == figures
    assert {name: solid_colours(more[name]) for name in colours} == colours


@pytest.mark.once
def test_only_those_who_are_seen_are_in_the_file(people):
    bodies = people(2)
    assert len({body.data for body in bodies.values()}) == 2
    assert sum("footfall_figure" in mesh for mesh in bpy.data.meshes) == 2


def test_dressing_changes_nothing_that_others_share(people):
    """What a slot shows is the object's own; the mesh keeps the materials it was made with."""
    for body in people(6).values():
        own = [slot.material for slot in body.material_slots if slot.link == "OBJECT"]
        assert len(own) >= 3
        assert all(material.name.startswith("Footfall") for material in body.data.materials)
