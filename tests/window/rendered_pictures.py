# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of the manual that are rendered, and not taken of the window; `build_addon.py pictures` puts them there."""

import math

import bpy
import hand
import numpy as np
import scenarios
from mathutils import Vector

APART = 1.15  # from person to person [m]
SEAT, BEHIND = 0.45, 0.4  # how high it is, and how far behind where people stood [m]
ACTS = (  # the figure's number, what it does, after how many seconds of it, and which way it turns [degrees]
    (0, "talk_1", 2.0, 55),
    (1, "listen_1", 2.0, -55),
    (2, "phone_1", 3.0, 0),
    (3, "sit_3", 3.0, 0),
    (4, "sit_4", 3.0, 0),
    (5, "sit_5", 3.0, 0),
    (6, "sit_1", 3.0, 0),
    (7, "cheer_1", 1.0, 0),
    (8, "clap_1", 1.0, 0),
    (9, "wave_1", 1.0, 0),
    (0, "point_1", 2.0, 0),
    (2, "look_round_1", 2.0, 0),
)
GOLDEN = 0.618  # from one to the next, of the circle of looks and of the cycle of the walk: all differ
IN_STRIDE = (8, 0, 4, 1, 6, 3, 2, 7, 5, 9)  # numbers of the figures


def scenario_manual_built_in():
    """The ten built-in people one behind the other in their walk, each elsewhere in it."""
    people = yield from figures()
    for place, number in enumerate(IN_STRIDE):
        walk = people[number].walk
        frame = round(place * GOLDEN % 1.0 * walk.action.frame_end)
        stand(people[number], walk, frame, place, math.radians(90.0))
        yield
    surroundings(Vector((0.5 * (len(IN_STRIDE) - 1) * APART, 0.0, 0.95)), len(IN_STRIDE) * APART)
    render("people_built_in", width=1400, height=420)


def scenario_manual_activities():
    """Twelve people side by side, each at something else."""
    people = yield from figures()
    acts = scenarios.module("figures.figure")
    for place, (number, act, second, turn) in enumerate(ACTS):
        clip = acts.ensure_act(people[number].name, act, SEAT if act.startswith("sit") else 0.0)
        frame = round(second * bpy.context.scene.render.fps)
        stand(people[number], clip, frame, place, math.radians(turn))
        yield
    sitting = [place * APART for place, (_, act, *_) in enumerate(ACTS) if act.startswith("sit")]
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(np.mean(sitting), BEHIND, SEAT - 0.04))
    bpy.context.object.scale = (np.ptp(sitting) + 0.9, 0.4, 0.08)
    bpy.context.object.data.materials.append(paint("Bench", (0.35, 0.14, 0.04)))
    surroundings(Vector((0.5 * (len(ACTS) - 1) * APART, 0.0, 0.95)), len(ACTS) * APART)
    render("people_activities", width=1400, height=295)


def figures():
    """Make the ten built-in people in a new file, and return them."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    yield from hand.wait(10)
    return scenarios.module("figures.figure").ensure_figures()


def stand(figure, clip, frame, place, turn):
    """Let a figure stand at its place in a row in a pose of a clip, some frames after it begins.

    It has skin and hair of its own, and faces the camera but for a turn.
    """
    scene, rig = bpy.context.scene, figure.armature.copy()
    scene.collection.objects.link(rig)
    for mesh in figure.meshes:
        body = mesh.copy()
        scene.collection.objects.link(body)
        body["variation"] = place * GOLDEN % 1.0
        body.parent, body.hide_viewport, body.hide_render = rig, False, False
        for modifier in body.modifiers:
            if modifier.type == "ARMATURE":
                modifier.object = rig
    animation = scenarios.module("blender_data.animation")
    animation.assign_clip(rig, clip)
    scene.frame_set(round(animation.clip_range(clip)[0]) + frame)
    posed = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    pose = [bone.matrix_basis.copy() for bone in posed.pose.bones]
    rig.animation_data_clear()
    for bone, matrix in zip(rig.pose.bones, pose, strict=True):
        bone.matrix_basis = matrix
    rig.location, rig.rotation_euler, rig.hide_viewport = (place * APART, 0.0, 0.0), (0.0, 0.0, turn), False


def surroundings(middle, wide):
    """A floor, sun and sky, and a camera that sees all of a row of people, without perspective."""
    bpy.ops.mesh.primitive_plane_add(size=400.0)
    bpy.context.object.data.materials.append(paint("Ground", (0.8, 0.8, 0.8)))
    bpy.ops.object.light_add(type="SUN", rotation=(0.75, 0.1, 0.5))
    bpy.context.object.data.energy = 3.0
    scene = bpy.context.scene
    scene.world = bpy.data.worlds.new("Sky")
    if not scene.world.node_tree:
        scene.world.use_nodes = True
    sky = next(node for node in scene.world.node_tree.nodes if node.type == "BACKGROUND")
    sky.inputs["Color"].default_value = (0.42, 0.5, 0.58, 1.0)
    bpy.ops.object.camera_add(location=middle + Vector((0.0, -20.0, 1.2)))
    camera = scene.camera = bpy.context.object
    camera.rotation_euler = (middle - camera.location).to_track_quat("-Z", "Y").to_euler()
    camera.data.type, camera.data.ortho_scale = "ORTHO", wide


def paint(name, colour):
    """A plain material."""
    made = bpy.data.materials.new(name)
    if not made.node_tree:
        made.use_nodes = True
    shader = next(node for node in made.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    shader.inputs["Base Color"].default_value = (*colour, 1.0)
    return made


def render(name, *, width, height):
    """Render a picture into the folder of the manual."""
    scene = bpy.context.scene
    scene.render.engine, scene.cycles.samples, scene.view_settings.view_transform = "CYCLES", 32, "Standard"
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = width, height, 100
    scene.render.image_settings.file_format, scene.render.image_settings.quality = "WEBP", 75
    scene.render.filepath = str(hand.PICTURES / f"{name}.webp")
    bpy.ops.render.render(write_still=True)


SCENARIOS = [value for name, value in list(globals().items()) if name.startswith("scenario_")]
