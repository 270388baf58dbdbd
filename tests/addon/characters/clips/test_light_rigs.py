# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs that are reduced to the bones that deform the body: the same surface, planted feet, and far fewer bones."""

import bpy
import numpy as np
import pytest
from mathutils import Vector

from ..legs.ways import balls, on_a_way, slides
from ..strangers import foreign_rig, rigify_person

pytestmark = pytest.mark.each_blender("constraints, bendy bones and Rigify")


def skin(rig, body):
    """Give a mesh points round each deforming bone, which it shares with the bone that carries it."""
    points, weights = [], []
    for bone in [each for each in rig.data.bones if each.use_deform]:
        carrier = bone.parent if bone.parent is not None and bone.parent.use_deform else bone
        for along in (0.0, 0.3, 0.6, 1.0):
            for x, z in ((0.2, 0.0), (-0.1, 0.2), (-0.1, -0.2)):
                points.append(bone.matrix_local @ Vector((bone.length * x, bone.length * along, bone.length * z)))
                weights.append((bone.name, carrier.name, 0.5 + 0.5 * along))
    body.data.clear_geometry()
    body.data.from_pydata(points, [], [])
    body.vertex_groups.clear()
    for row, (own, carrier, share) in enumerate(weights):
        for name, weight in ((carrier, 1.0 - share), (own, share)):
            group = body.vertex_groups.get(name) or body.vertex_groups.new(name=name)
            group.add([row], weight, "ADD")


def surfaces(stage, character, *, only_deforms):
    """Where the points of a body are over its walk, (T, P, 3), with one or the other rig; and the template's bones."""
    templates = stage.addon.module("blender_addon.characters.templates")
    evaluation = stage.addon.module("blender_addon.blender_data.evaluation")
    settings = templates.TemplateSettings(stage.scene, (1, 50), only_deforms=only_deforms)
    template = templates.make_template(character, settings)
    copies = template.copy_to_watch()
    count = round(template.clips.walk.length)
    phase = np.arange(count) / count
    template.clips.show_poses(copies[template.walker], gait=np.ones(count), phase=phase, breath=phase)
    found = []
    with evaluation.evaluation_scene(stage.scene) as seen:
        for each in copies:
            seen.bring(each)
        (body,) = (each for each in copies if each.type == "MESH")
        for frame in range(count):
            mesh = body.evaluated_get(seen.evaluate(frame)).data
            found.append([vertex.co[:] for vertex in mesh.vertices])
    return np.array(found), template.parts[template.walker]


@pytest.mark.thorough
def test_a_light_rigify_rig_has_the_surface_of_the_full_one_and_plants_its_feet(make, stage, enabled):
    enabled("rigify")
    rig, body = rigify_person(make, 0.9)
    skin(rig, body)
    stage.crowd.characters = make.collection("People", rig, body)
    (character,) = stage.addon.module("blender_addon.characters.character").find_characters(stage.crowd.characters)
    wanted, _ = surfaces(stage, character, only_deforms=False)
    there, light = surfaces(stage, character, only_deforms=True)
    assert np.abs(wanted - wanted[0]).max() > 0.2
    assert np.linalg.norm(there - wanted, axis=-1).max() < 0.001
    names = {bone.name for bone in rig.data.bones if bone.use_deform}
    assert {bone.name for bone in light.data.bones} == names
    for name in names:
        own, its = (each.data.bones[name].matrix_local for each in (rig, light))
        assert np.abs(np.array(own) - np.array(its)).max() < 1e-5
    assert not any(bone.constraints for bone in light.pose.bones)
    assert not light.animation_data.drivers

    before = make.data_blocks()
    stage.crowd.motion.rig = "DEFORM_ONLY"
    frames = 72
    for _ in range(2):  # the second in the place of the first
        figures = stage.bake(on_a_way(make, np.full(frames, 0.8), np.full(frames, 1.0)))
        once = make.data_blocks()
    assert len({figure.data for figure in figures} - {rig.data}) == 1
    assert len(once["armatures"]) == len(before["armatures"]) + 1
    for places in balls(make, figures, frames, ("DEF-foot.L", "DEF-foot.R")):
        found = slides(places)
        assert len(found) >= 4
        assert found.mean() < 0.01
    stage.clear()
    assert make.data_blocks() == before


def test_bones_that_other_parts_follow_stay_and_drivers_of_others_go_on(make, stage):
    """A hat on a bone that deforms nothing, and eyes that look where another such bone is."""
    rig, body = foreign_rig(make, stage.addon, "XYZ")
    control = rig.data.bones["mixamorig:head"]
    for name in ("mixamorig:head", "mixamorig:hand_L", "mixamorig:hand_R"):
        rig.data.bones[name].use_deform = False
    hat, eyes = make.cube("Hat", 0.2), make.cube("Eyes", 0.1)
    make.link(hat, eyes)
    hat.parent, hat.parent_type, hat.parent_bone = rig, "BONE", control.name
    eyes.parent = rig
    look = eyes.constraints.new("COPY_LOCATION")
    look.target, look.subtarget = rig, "mixamorig:hand_L"
    stage.crowd.characters = make.collection("People", rig, body, hat, eyes)
    trajectories = on_a_way(make, np.zeros(40), np.full(40, 1.0))

    def places():
        (figure, *_) = stage.bake(trajectories)
        parts = [each for each in figure.children if "Hat" in each.name or "Eyes" in each.name]
        assert len(parts) == 2
        return figure, np.array([make.matrices(parts, frame) for frame in range(1, 41, 3)])

    _, wanted = places()
    stage.crowd.motion.rig = "DEFORM_ONLY"
    figure, there = places()
    assert "mixamorig:head" in figure.data.bones
    assert "mixamorig:hand_L" in figure.data.bones
    assert "mixamorig:hand_R" not in figure.data.bones
    assert np.abs(there - wanted).max() < 0.001


def test_a_rig_that_is_light_already_stays_as_it_is(make, stage):
    rig, body = foreign_rig(make, stage.addon, "XYZ")
    stage.crowd.characters = make.collection("People", rig, body)
    stage.crowd.motion.rig = "DEFORM_ONLY"
    cast = stage.cast(make.walk())
    (template,) = cast._templates
    assert template.parts[template.walker].data == rig.data
    assert not template.walk.is_copy
    cast.discard()
    for bone in rig.data.bones:
        bone.use_deform = False
    cast = stage.cast(make.walk())
    assert any("'Stranger' has no deforming bones: its full rig is used" in notice for notice in cast.notices)
    cast.discard()
    assert bpy.data.armatures[:] == [rig.data]
