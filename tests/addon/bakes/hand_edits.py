# SPDX-License-Identifier: GPL-3.0-or-later
"""What an animator may do by hand to a baked person, and under which name a bake asks about it."""

import bpy
from mathutils import Matrix


def new_action(person, block):
    action = bpy.data.actions.new(f"Mine {person.name}")
    person.actions.assign_clip(block, person.clip_of(action))
    return action


def keyed(block, path, *values):
    """Key a property as the I key does."""
    owner, _, name = path.rpartition(".")
    target = block.path_resolve(owner) if owner else block
    for frame, value in enumerate(values, 1):
        setattr(target, name, value)
        block.keyframe_insert(path, frame=frame)


def own_mesh(person):
    person.body.data = person.body.data.copy()
    return person.body.data


def shape_keys(person):
    mesh = own_mesh(person)
    person.body.shape_key_add(name="Basis")
    smile = person.body.shape_key_add(name="Smile")
    for frame, value in ((1, 0.0), (3, 1.0)):
        smile.value = value
        mesh.shape_keys.keyframe_insert('key_blocks["Smile"].value', frame=frame)


def own_track(person):
    track = person.data.nla_tracks.new()
    person.actions.add_strip(track, "Wave", person.clip_of(bpy.data.actions.new("Wave")), 1)


def node_modifier(person):
    modifier = person.body.modifiers.new("Nodes", "NODES")
    modifier.node_group = bpy.data.node_groups.new("Mine", "GeometryNodeTree")


def driver(block, path, expression):
    curve = block.driver_add(path)
    (curve[0] if isinstance(curve, list) else curve).driver.expression = expression


def material_of_its_own(person):
    slot = person.body.material_slots[0]
    slot.link = "OBJECT"
    slot.material = bpy.data.materials.new(f"Red {person.name}")


def with_context(person, operator):
    with bpy.context.temp_override(object=person.body, active_object=person.body, selected_objects=[person.body]):
        operator()


def change(owner, name, value):
    """Set a property to another value than it has."""
    assert getattr(owner, name) != value
    setattr(owner, name, value)


def child_of(person):
    person.rig.constraints.new("CHILD_OF").target = bpy.data.objects["Kiosk"]


def bone_follows(person):
    person.bone.constraints.new("COPY_ROTATION").target = person.rig


def light_only(person):
    person.body.light_linking.receiver_collection = bpy.data.collections["Obstacles"]


def parented_inverse(person):
    person.body.matrix_parent_inverse = Matrix.Translation((0.0, 0.0, 0.3))


def bezier(person):
    for point in person.path.keyframe_points:
        point.interpolation = "BEZIER"
        point.handle_left.y += 0.2


def parented_to_the_kiosk(person):
    person.rig.parent = bpy.data.objects["Kiosk"]


def parented_to_a_bone(person):
    person.body.parent_type, person.body.parent_bone = "BONE", person.bone.name


def removed(*blocks):
    bpy.data.batch_remove(blocks)


KEYS, ACTION, NLA, STRIPS = {"keys"}, {"Action"}, {"NLA tracks"}, {"keys of NLA strips"}
TRANSFORM, VISIBILITY, SETTINGS = {"transform"}, {"visibility"}, {"object settings"}
PARENT, DATA, MATERIALS = {"parent"}, {"data"}, {"materials"}
MODIFIERS, CONSTRAINTS, BONE_CONSTRAINTS = {"modifiers"}, {"constraints"}, {"bone constraints"}
POSE, BONES, PROPERTIES, DRIVERS = {"pose"}, {"pose bones"}, {"custom properties"}, {"drivers"}

EDITS = [
    # Actions and keys
    ("an own Action in place of the path", lambda p: new_action(p, p.rig), ACTION),
    ("no Action", lambda p: setattr(p.data, "action", None), ACTION),
    ("all animation cleared", lambda p: p.rig.animation_data_clear(), ACTION),
    ("a key dragged", lambda p: setattr(p.path.keyframe_points[1].co, "y", 9.0), KEYS),
    ("a key moved in time", lambda p: setattr(p.path.keyframe_points[1].co, "x", 1.5), KEYS),
    ("a key removed", lambda p: p.path.keyframe_points.remove(p.path.keyframe_points[1]), KEYS),
    ("a key inserted", lambda p: p.path.keyframe_points.insert(2.5, 3.0), KEYS),
    ("keys that hold", lambda p: setattr(p.path.keyframe_points[0], "interpolation", "CONSTANT"), KEYS),
    ("smooth keys", bezier, KEYS),
    ("a channel that is muted", lambda p: setattr(p.path, "mute", True), KEYS),
    ("a channel with noise", lambda p: p.path.modifiers.new("NOISE"), KEYS),
    ("a channel that goes on", lambda p: setattr(p.path, "extrapolation", "LINEAR"), KEYS),
    ("keys of scale", lambda p: keyed(p.rig, "scale", (1, 1, 1), (2, 2, 2)), KEYS),
    ("keys of a custom property", lambda p: (p.rig.__setitem__("mood", 1.0), p.rig.keyframe_insert('["mood"]')), KEYS),
    ("keys of a bone", lambda p: keyed(p.rig, f'pose.bones["{p.bone.name}"].scale', (1, 1, 1), (2, 2, 2)), KEYS),
    ("keys of visibility", lambda p: keyed(p.rig, "hide_viewport", False, True), KEYS),
    ("a removed channel", lambda p: p.actions._ensure_bag(p.clip).fcurves.remove(p.path), KEYS),
    ("the influence of the Action", lambda p: setattr(p.data, "action_influence", 0.5), ACTION),
    ("the blending of the Action", lambda p: setattr(p.data, "action_blend_type", "ADD"), ACTION),
    ("the Action beyond its ends", lambda p: setattr(p.data, "action_extrapolation", "NOTHING"), ACTION),
    ("keys of the body", lambda p: keyed(p.body, "location", (0, 0, 0), (0, 0, 1)), ACTION),
    ("an own Action on the body", lambda p: new_action(p, p.body), ACTION),
    ("keys of shape keys", shape_keys, DATA),
    # NLA
    ("an own track", own_track, NLA),
    ("a muted track", lambda p: setattr(p.track, "mute", True), NLA),
    ("a track alone", lambda p: setattr(p.track, "is_solo", True), NLA),
    ("a removed track", lambda p: p.data.nla_tracks.remove(p.track), NLA),
    ("a muted strip", lambda p: setattr(p.strip, "mute", True), NLA),
    ("a strip that ends earlier", lambda p: setattr(p.strip, "frame_end", p.strip.frame_end - 1), NLA),
    ("a strip that blends in", lambda p: setattr(p.strip, "blend_in", 2.0), NLA),
    ("a strip that is added", lambda p: change(p.strip, "blend_type", "ADD"), NLA),
    ("a strip beyond its ends", lambda p: change(p.strip, "extrapolation", "NOTHING"), NLA),
    ("a strip in its own time", lambda p: change(p.strip, "use_animated_time", False), NLA),
    ("a strip that does not repeat", lambda p: change(p.strip, "use_animated_time_cyclic", False), NLA),
    ("a strip with another Action", lambda p: setattr(p.strip, "action", bpy.data.actions.new("Dance")), NLA),
    ("a removed strip", lambda p: p.track.strips.remove(p.strip), NLA),
    ("a strip backwards", lambda p: setattr(p.strip, "use_reverse", True), NLA),
    ("the stride at other times", lambda p: setattr(p.strip.fcurves[0].keyframe_points[1].co, "y", 77.0), STRIPS),
    ("the stride goes on", lambda p: change(p.strip.fcurves[0], "extrapolation", "LINEAR"), STRIPS),
    ("NLA switched off", lambda p: setattr(p.data, "use_nla", False), ACTION),
    # Where it is
    ("scale", lambda p: setattr(p.rig, "scale", (2.0, 2.0, 2.0)), TRANSFORM),
    ("scale of the body", lambda p: setattr(p.body, "scale", (1.0, 1.0, 1.3)), TRANSFORM),
    ("place of the body", lambda p: setattr(p.body, "location", (0.0, 0.0, 0.1)), TRANSFORM),
    ("turn of the body", lambda p: setattr(p.body, "rotation_euler", (0.0, 0.0, 1.0)), TRANSFORM),
    ("delta location", lambda p: setattr(p.rig, "delta_location", (0.0, 1.0, 0.0)), TRANSFORM),
    ("delta rotation", lambda p: setattr(p.rig, "delta_rotation_euler", (0.0, 0.0, 1.0)), TRANSFORM),
    ("delta scale", lambda p: setattr(p.rig, "delta_scale", (1.0, 1.0, 2.0)), TRANSFORM),
    ("rotation mode", lambda p: change(p.rig, "rotation_mode", "QUATERNION"), TRANSFORM),
    ("parented to a thing", parented_to_the_kiosk, PARENT),
    ("the body unparented", lambda p: setattr(p.body, "parent", None), PARENT),
    ("the body at a bone", parented_to_a_bone, PARENT),
    ("the body moved against its parent", parented_inverse, PARENT),
    # What it is
    ("a body of its own", own_mesh, DATA),
    ("another body", lambda p: setattr(p.body, "data", bpy.data.objects["Kiosk"].data), DATA),
    ("an armature of its own", lambda p: setattr(p.rig, "data", p.rig.data.copy()), DATA),
    ("a material of its own", material_of_its_own, MATERIALS),
    ("no material", lambda p: setattr(p.body.material_slots[0], "material", None), MATERIALS),
    ("a modifier", lambda p: p.body.modifiers.new("Smooth", "SUBSURF"), MODIFIERS),
    ("a modifier with nodes", node_modifier, MODIFIERS),
    ("particles", lambda p: p.body.modifiers.new("Dust", "PARTICLE_SYSTEM"), MODIFIERS),
    ("cloth", lambda p: p.body.modifiers.new("Cloth", "CLOTH"), MODIFIERS),
    ("collisions", lambda p: p.body.modifiers.new("Collision", "COLLISION"), MODIFIERS),
    ("no modifier", lambda p: p.body.modifiers.clear(), MODIFIERS),
    ("a modifier changed", lambda p: change(p.body.modifiers[0], "use_deform_preserve_volume", True), MODIFIERS),
    ("a modifier hidden", lambda p: setattr(p.body.modifiers[0], "show_render", False), MODIFIERS),
    ("a modifier of another armature", lambda p: setattr(p.body.modifiers[0], "object", None), MODIFIERS),
    ("a modifier renamed", lambda p: setattr(p.body.modifiers[0], "name", "Mine"), MODIFIERS),
    ("a constraint", child_of, CONSTRAINTS),
    ("a constraint without target", lambda p: p.rig.constraints.new("LIMIT_LOCATION"), CONSTRAINTS),
    ("a constraint of the body", lambda p: p.body.constraints.new("TRACK_TO"), CONSTRAINTS),
    ("a constraint of a bone", bone_follows, BONE_CONSTRAINTS),
    ("a bone posed", lambda p: setattr(p.bone, "scale", (1.0, 1.5, 1.0)), POSE),
    ("rotation mode of a bone", lambda p: change(p.bone, "rotation_mode", "XYZ"), POSE),
    ("a bone locked", lambda p: setattr(p.bone, "lock_ik_x", True), BONES),
    ("a bone stiff", lambda p: setattr(p.bone, "ik_stiffness_x", 0.5), BONES),
    ("the shape of a bone", lambda p: setattr(p.bone, "custom_shape", bpy.data.objects["Kiosk"]), BONES),
    ("a property of a bone", lambda p: p.bone.__setitem__("fk", 1.0), BONES),
    ("a driver", lambda p: driver(p.body, "location", "frame * 0.01"), DRIVERS),
    ("a driver of the rig", lambda p: driver(p.rig, "scale", "2.0"), DRIVERS),
    ("a driver of a bone", lambda p: driver(p.rig, f'pose.bones["{p.bone.name}"].scale', "2.0"), DRIVERS),
    ("a custom property", lambda p: p.rig.__setitem__("role", "nurse"), PROPERTIES),
    ("a number for the material", lambda p: p.body.__setitem__("variation", 7.0), PROPERTIES),
    ("a property removed", lambda p: p.body.pop("variation"), PROPERTIES),
    ("a property that is an object", lambda p: p.rig.__setitem__("friend", bpy.data.objects["Kiosk"]), PROPERTIES),
    ("a tilt that no key holds", lambda p: setattr(p.rig, "rotation_euler", (0.3, 0.0, 0.0)), TRANSFORM),
    ("a muted group of channels", lambda p: setattr(p.path.group, "mute", True), KEYS),
    ("a bone that cannot be moved", lambda p: setattr(p.bone, "lock_location", (True, True, True)), BONES),
    ("a property with parts", lambda p: p.rig.__setitem__("props", {"hat": 1}), PROPERTIES),
    ("a property with parts of a bone", lambda p: p.bone.__setitem__("props", {"ik": 1.0}), BONES),
    # How it is seen
    ("hidden", lambda p: setattr(p.body, "hide_viewport", True), VISIBILITY),
    ("hidden in renders", lambda p: setattr(p.body, "hide_render", True), VISIBILITY),
    ("not to be selected", lambda p: setattr(p.body, "hide_select", True), VISIBILITY),
    ("not seen by the camera", lambda p: setattr(p.body, "visible_camera", False), SETTINGS),
    ("without a shadow", lambda p: setattr(p.body, "visible_shadow", False), SETTINGS),
    ("without reflections", lambda p: setattr(p.body, "visible_glossy", False), SETTINGS),
    ("a holdout", lambda p: setattr(p.body, "is_holdout", True), SETTINGS),
    ("a shadow catcher", lambda p: setattr(p.body, "is_shadow_catcher", True), SETTINGS),
    ("a pass index", lambda p: setattr(p.body, "pass_index", 5), SETTINGS),
    ("locked", lambda p: setattr(p.rig, "lock_location", (True, True, True)), SETTINGS),
    ("locked in scale", lambda p: setattr(p.rig, "lock_scale", (True, False, False)), SETTINGS),
    ("instances on its faces", lambda p: setattr(p.body, "instance_type", "FACES"), SETTINGS),
    ("lines", lambda p: setattr(p.body.lineart, "usage", "EXCLUDE"), SETTINGS),
    ("lights of its own", light_only, SETTINGS),
    ("a force field", lambda p: with_context(p, bpy.ops.object.forcefield_toggle), SETTINGS),
    ("a rigid body", lambda p: with_context(p, bpy.ops.rigidbody.object_add), SETTINGS),
    # What is gone
    ("without motion blur in Cycles", lambda p: setattr(p.body.cycles, "use_motion_blur", False), SETTINGS),
    ("a colour of a bone", lambda p: setattr(p.bone.color, "palette", "THEME03"), BONES),
    ("another solver", lambda p: setattr(p.rig.pose, "ik_solver", "ITASC"), SETTINGS),
    ("an asset", lambda p: p.rig.asset_mark(), SETTINGS),
    ("a renamed track", lambda p: setattr(p.track, "name", "Mine"), NLA),
    ("a renamed strip", lambda p: setattr(p.strip, "name", "Mine"), NLA),
    ("a locked track", lambda p: setattr(p.track, "lock", True), NLA),
    ("a property of the Action", lambda p: p.clip.action.__setitem__("take", 3), ACTION),
    ("a renamed Action", lambda p: setattr(p.clip.action, "name", "Best Take"), {"name of the Action"}),
    ("a marker", lambda p: p.clip.action.pose_markers.new("Wave"), ACTION),
    ("a range of frames", lambda p: setattr(p.clip.action, "use_frame_range", True), ACTION),
    ("a record removed", lambda p: p.rig.pop("footfall_as_made"), {"its record was removed"}),
    ("the body deleted", lambda p: removed(p.body), {"deleted"}),
    ("the person deleted", lambda p: removed(p.body, p.rig), {"deleted"}),
]  # fmt: skip

ONE_OF_EACH_KIND = list({frozenset(edit[2]): edit for edit in reversed(EDITS)}.values())
"""The first edit of each kind that a bake names."""
