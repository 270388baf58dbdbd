# SPDX-License-Identifier: GPL-3.0-or-later
"""*Vary Looks*: people of one of the user's characters wear different parts, materials and colours."""

import colorsys
from collections import Counter
from itertools import pairwise

import bpy
import numpy as np
import pytest

pytestmark = pytest.mark.each_blender("nodes of materials, objects removed in a batch")


def coloured(name, colour, picture=None):
    material = bpy.data.materials.new(name)
    if bpy.app.version < (5, 0):
        material.use_nodes = True
    material.diffuse_color = (*colour, 1.0)
    shader = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    shader.inputs["Base Color"].default_value = (*colour, 1.0)
    if picture is not None:
        node = material.node_tree.nodes.new("ShaderNodeTexImage")
        node.image = picture
        material.node_tree.links.new(node.outputs["Color"], shader.inputs["Base Color"])
    return material


def dressed_rig(make):
    """A rig with caps A and B, a shirt of one of two materials, trousers with a picture, and skin."""
    rig, body = make.rig()
    jeans = bpy.data.images.new("Jeans", 600, 600)
    jeans.pixels.foreach_set(np.tile(np.array([0.2, 0.3, 0.6, 1.0], dtype=np.float32), 600 * 600))
    jeans.pack()
    for material in (
        coloured("Shirt_Red", (0.5, 0.05, 0.05)),
        coloured("Skin", (0.5, 0.3, 0.2)),
        coloured("Jeans", (0.8, 0.8, 0.8), jeans),
    ):
        body.data.materials.append(material)
    slots = np.arange(len(body.data.polygons), dtype=np.int32) % 3
    body.data.polygons.foreach_set("material_index", slots)
    coloured("Shirt_Blue", (0.05, 0.05, 0.5)).use_fake_user = True
    coloured("Shirt_None", (0.5, 0.5, 0.5))["weight"] = 0
    parts = [rig, body]
    for name in ("Cap_A", "Cap_B", "Feather", "Eye_L", "Eye_R"):
        part = make.cube(name, 0.1)
        make.link(part)
        part.parent = rig
        part.location = (0.2 * ((name == "Eye_L") - (name == "Eye_R")), 0.0, 1.7)
        parts.append(part)
    parts[4].parent = parts[3]  # the feather is on the second cap
    parts[4].location.z = 0.0
    for cap in parts[2:4]:
        cap.data.materials.append(bpy.data.materials["Jeans"])
    return parts


def looks_of(figure):
    parts = {each.data.name: each for each in figure.children_recursive}
    worn = [slot.material for part in parts.values() for slot in part.material_slots if slot.material is not None]
    return set(parts), worn


def state(materials):
    return [
        (each.name, tuple(each.diffuse_color), len(each.node_tree.nodes), each.get("footfall_crowd"))
        for each in materials
    ]


def test_people_of_one_character_wear_different_things_and_the_user_keeps_theirs(make, stage):
    parts = dressed_rig(make)
    stage.crowd.characters = make.collection("People", *parts)
    stage.crowd.motion.varies_looks = True
    own, before = list(bpy.data.materials), state(bpy.data.materials)
    slots = [slot.material for slot in parts[1].material_slots]
    looks = [looks_of(figure) for figure in stage.bake(make.walk(agents=24, frames=(1, 2)))]
    caps = Counter(frozenset(names & {"Cap_A", "Cap_B", "Feather"}) for names, _ in looks)
    assert set(caps) == {frozenset({"Cap_A"}), frozenset({"Cap_B", "Feather"})}
    assert min(caps.values()) >= 4
    assert all({"Eye_L", "Eye_R"} <= names for names, _ in looks)
    stems = Counter(material.name.partition(" ")[0] for _, worn in looks for material in worn)
    assert set(stems) == {"Shirt_Red", "Shirt_Blue", "Skin", "Jeans"}
    assert stems["Skin"] == 24
    made = {material for _, worn in looks for material in worn} - set(own)
    assert made == {each for each in bpy.data.materials if each not in own}
    assert len(made) <= 3 * 8
    jeans = [next(each for each in worn if each.name.startswith("Jeans")) for _, worn in looks]
    assert all(one != other for one, other in pairwise(jeans)), "nobody follows somebody who looks the same"
    assert all(each["footfall_crowd"] == stage.uid for each in made)
    # in Solid mode as in a render, also where a picture gives the colour
    for stem in ("Shirt_Red", "Jeans"):
        seen = {tuple(np.round(each.diffuse_color[:3], 4)) for each in made if each.name.startswith(stem)}
        hues = [colorsys.rgb_to_hsv(*colour)[0] for colour in seen]
        assert len(seen) >= 5
        assert min(colorsys.rgb_to_hsv(*colour)[1] for colour in seen) > 0.5
        assert 0.1 < np.ptp((np.array(hues) + (0.5 if stem == "Shirt_Red" else 0.0)) % 1.0) <= 0.3
    for each in made:
        shader = next(node for node in each.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
        if not each.name.startswith("Jeans"):
            np.testing.assert_allclose(shader.inputs["Base Color"].default_value, each.diffuse_color, atol=1e-6)
        else:
            assert shader.inputs["Base Color"].links[0].from_node.type == "HUE_SAT"
    # the user's own are as they were
    assert state(own) == before
    assert [slot.material for slot in parts[1].material_slots] == slots
    assert all(slot.link == "DATA" for slot in parts[1].material_slots)
    stage.clear()
    assert list(bpy.data.materials) == own
    assert not [each for each in bpy.data.objects if each.name.startswith("Walkers")]


def test_one_more_person_changes_nobody_and_a_file_shows_them_without_the_addon(make, stage, tmp_path):
    stage.crowd.characters = make.collection("People", *dressed_rig(make))
    stage.crowd.motion.varies_looks = True

    def worn(agents):
        looks = map(looks_of, stage.bake(make.walk(agents=agents, frames=(1, 2))))
        return [(names, [each.name for each in materials]) for names, materials in looks]

    before = worn(8)
    materials = sorted(each.name for each in bpy.data.materials)
    path = str(tmp_path / "looks.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    with bpy.data.libraries.load(path) as (there, _):
        assert {name for _, names in before for name in names} <= set(there.materials)
    assert worn(9)[:8] == before
    assert worn(8) == before
    assert sorted(each.name for each in bpy.data.materials) == materials


def test_what_varies_is_shown_and_may_be_said_by_hand(make, addon):
    find = addon.module("blender_addon.characters.ready.variety").find_variety
    parts = dressed_rig(make)
    bpy.context.view_layer.update()
    looks_of = addon.module("blender_addon.characters.ready.variety").looks_of
    crowd = bpy.context.scene.footfall.crowds.add()
    crowd.characters = make.collection("People", *parts)
    before = looks_of(crowd)
    shader = next(n for n in bpy.data.materials["Shirt_Blue"].node_tree.nodes if n.type == "BSDF_PRINCIPLED")
    shader.inputs["Roughness"].default_value = 0.1
    assert looks_of(crowd) != before  # copies of it have to be made anew
    assert str(find(parts)) == "Cap: A, B; Shirt: Blue, Red; colours of 3 materials"
    bpy.data.materials["Skin"]["varies"] = 0.5
    bpy.data.materials["Jeans"]["varies"] = 0
    parts[3]["weight"] = 0.0
    found = find(parts)
    assert str(found) == "Shirt: Blue, Red; colours of 3 materials"
    assert found.colours[bpy.data.materials["Skin"]] == 0.5
    parts[3].location.x = 3.0
    parts[3]["weight"] = 1.0
    bpy.context.view_layer.update()
    assert not find(parts).parts  # one beside the other are no alternatives


@pytest.mark.parametrize("link", ["DATA", "OBJECT"])
@pytest.mark.parametrize(("places", "varies"), [(0.25, False), (0.75, True)])
def test_a_picture_that_has_skin_on_some_faces_keeps_its_colours(make, addon, places, varies, link):
    rig, body = make.rig()
    picture = bpy.data.images.new("Palette", 8, 8)
    columns = np.where(np.arange(8)[:, None] < 4, [0.85, 0.6, 0.45, 1.0], [0.2, 0.3, 0.6, 1.0])  # skin on the left
    picture.pixels.foreach_set(np.tile(columns, (8, 1)).astype(np.float32).ravel())
    body.data.materials.append(None)
    body.material_slots[0].link = link
    body.material_slots[0].material = coloured("Knight", (0.8, 0.8, 0.8), picture)
    layer = body.data.uv_layers.new()
    layer.data.foreach_set("uv", np.full(2 * len(body.data.loops), places, dtype=np.float32))
    find = addon.module("blender_addon.characters.ready.variety").find_variety
    assert bool(find([rig, body]).colours) == varies
    picture.pixels.foreach_set(np.tile(columns[::-1], (8, 1)).astype(np.float32).ravel())  # painted: now on the right
    assert bool(find([rig, body]).colours) != varies


def test_a_picture_that_was_painted_and_saved_is_looked_at_again(make, addon, tmp_path):
    rig, body = make.rig()
    picture, path = bpy.data.images.new("Palette", 8, 8), str(tmp_path / "palette.png")
    body.data.materials.append(coloured("Knight", (0.8, 0.8, 0.8), picture))
    body.data.uv_layers.new()
    find = addon.module("blender_addon.characters.ready.variety").find_variety
    for colour, varies in (([0.85, 0.6, 0.45, 1.0], False), ([0.2, 0.3, 0.6, 1.0], True)):
        picture.pixels.foreach_set(np.tile(colour, 64).astype(np.float32))
        picture.filepath_raw, picture.file_format = path, "PNG"
        picture.save()
        picture.source = "FILE"
        assert bool(find([rig, body]).colours) == varies


def test_numbered_looks_are_sorted_and_named_as_people_do(make, addon):
    find = addon.module("blender_addon.characters.ready.variety").find_variety
    body = make.cube("Body")
    for number in range(1, 13):
        coloured(f"Citizen_{number}", (0.5, 0.2, 0.1)).use_fake_user = True
    body.data.materials.append(bpy.data.materials["Citizen_1"])
    listed = ", ".join(str(number) for number in range(1, 13))
    assert str(find([body])) == f"Citizen: {listed}; colours of 12 materials"
    hats = [make.cube(f"Hat_{number}") for number in (1, 2, 10)]
    for hat, name in zip(hats, ("Beret", "Cap", "Bowler"), strict=True):
        hat.data.name = name
    assert str(find([make.cube("Mover"), *hats])) == "Hat: Beret, Bowler, Cap"
    hats[1].data.name = "Hat_2"  # its mesh says no more than its own name
    assert str(find([make.cube("Mover 2"), *hats])) == "Hat: 1, 2, 10"


def test_parts_that_programs_number_or_that_are_worn_together_are_no_alternatives(make, addon):
    find = addon.module("blender_addon.characters.ready.variety").find_variety
    names = ["Object_7", "Object_8", "Beta_Joints", "Beta_Surface", "Ch03_Body", "Ch03_Shirt", "Hat", "Hat.001"]
    parts = [make.cube("Mover"), *map(make.cube, names)]
    for name, part in zip(["Mat_1", "Mat_2", "Wolf3D_Skin", "Wolf3D_Eye", "Wolf3D_Teeth"], parts, strict=False):
        part.data.materials.append(coloured(name, (0.5, 0.2, 0.1)))
    found = find(parts)
    assert (found.parts, found.materials) == ((), {})
    assert {each.name for each in found.colours} == {"Mat_1", "Mat_2"}
