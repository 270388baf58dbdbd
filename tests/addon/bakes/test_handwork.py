# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever an animator does by hand to a baked person, the next bake asks about it, keeps it, or saves the user's data.

Each kind of handwork is done to a person of its own, all in one bake.
"""

from functools import partial

import bpy
import pytest
from mathutils import Matrix

from tests.sweeps import sweep

from ..street import own_figures


class Person:
    """One baked person: the object that moves it, and the body that the armature deforms."""

    def __init__(self, actions, name):
        self.actions, self.name = actions, name
        self.rig = bpy.data.objects[name]
        self.body = next(each for each in self.rig.children if each.type == "MESH")

    @property
    def data(self):
        return self.rig.animation_data

    @property
    def track(self):
        return self.data.nla_tracks[0]

    @property
    def strip(self):
        return self.track.strips[0]

    @property
    def clip(self):
        return self.actions.active_clip(self.data)

    def clip_of(self, action):
        """An Action with a slot for objects, where there are slots."""
        slot = action.slots.new(id_type="OBJECT", name="Own") if hasattr(action, "slots") else None
        return self.actions.Clip(action, slot)

    @property
    def curves(self):
        return self.actions.curves_of(self.clip)

    @property
    def path(self):
        return next(curve for curve in self.curves if curve.data_path == "location" and curve.array_index == 0)

    @property
    def bone(self):
        return self.rig.pose.bones["thigh.L"] if "thigh.L" in self.rig.pose.bones else self.rig.pose.bones[3]


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


class Crowded:
    """A bake of several people, and what was found on them."""

    def __init__(self, street, addon, count, characters=None):
        self.scene, self.crowd = street.scene, street.crowd
        self.scene.frame_end = 4
        self.crowd.characters, self.crowd.count = characters, count
        self.crowd.path_width, self.crowd.avoidance, self.crowd.spawn.mode = 30.0, "NONE", "AT_ONCE"
        self._addon = addon
        bpy.ops.footfall.bake()

    def person(self, number):
        """One of the people, from 0."""
        return Person(self._addon.module("blender_addon.blender_data.animation"), f"Crowd {number + 1:03d}")

    def found(self):
        """What was changed on whom, without the names of what was deleted."""
        edited = self._addon.module("blender_addon.bakes.edited_people")
        found = edited.find_handwork(self.scene, self.crowd)
        return {each.person: {what.split(" '")[0] for what in each.what} for each in found}

    def reopen(self, where):
        """Save the file and open it."""
        bpy.ops.wm.save_as_mainfile(filepath=str(where))
        bpy.ops.wm.open_mainfile(filepath=str(where))
        self.scene = bpy.context.scene
        self.crowd = self.scene.footfall.crowds[0]


@pytest.mark.each_blender("every property that an animator can change is read")
def test_no_kind_of_handwork_is_overwritten_unasked(street, addon, tmp_path):
    crowded = Crowded(street, addon, len(EDITS) + 1)
    crowded.reopen(tmp_path / "edited.blend")
    crowded.scene.frame_set(3)
    bpy.ops.object.select_all(action="SELECT")
    assert not crowded.found()
    for number, (_, edit, _) in enumerate(EDITS):
        edit(crowded.person(number))
    bpy.context.view_layer.update()
    people = [f"Crowd {number + 1:03d}" for number in range(len(EDITS))]
    found = crowded.found()
    assert found.keys() == set(people)
    assert len(EDITS) >= 100
    wrong = {kind: found[who] for who, (kind, _, what) in zip(people, EDITS, strict=True) if not what <= found[who]}
    assert not wrong
    with pytest.raises(RuntimeError, match=r"'Crowd 001' \(Action.*edited by hand: choose whether to keep"):
        bpy.ops.footfall.bake()
    crowded.reopen(tmp_path / "edited.blend")
    assert crowded.found() == found
    assert [line.name for line in crowded.scene.footfall.handwork] == people
    before = {each.name: each.session_uid for each in crowded.scene.objects if each.name[:9] in people}
    bpy.ops.footfall.bake(edited="KEEP")
    after = {each.name: each.session_uid for each in crowded.scene.objects if each.name[:9] in people}
    assert after == before
    assert not crowded.found()
    assert not len(crowded.scene.footfall.handwork)
    bpy.ops.footfall.bake()


def give_things(person):
    """An Action, a strip, a material and a mesh of somebody's own, and a key that was dragged."""
    person.path.keyframe_points[1].co.y = 9.0
    own_track(person)
    material_of_its_own(person)
    own_mesh(person).name = "Sculpted"
    node_modifier(person)
    return [bpy.data.actions["Wave"], bpy.data.materials[f"Red {person.name}"], bpy.data.meshes["Sculpted"],
            bpy.data.node_groups["Mine"], person.clip.action]  # fmt: skip


@pytest.mark.parametrize("how", sweep(["overwrite", "delete", "clear", "reset"], usual=2))
def test_what_the_user_made_stays_in_the_file_when_a_person_is_replaced(street, addon, how, tmp_path):
    crowded = Crowded(street, addon, 3)
    person = crowded.person(1)
    things = [(type(each).__name__, each.session_uid, each) for each in give_things(person)]
    if how == "overwrite":
        bpy.ops.footfall.bake(edited="OVERWRITE")
    elif how == "clear":
        bpy.ops.footfall.clear()
    else:
        bpy.ops.object.select_all(action="DESELECT")
        person.rig.select_set(True)
        if how == "delete":
            bpy.ops.footfall.delete_people()
        else:
            bpy.ops.footfall.pin_people()
            bpy.ops.footfall.restore_people()
            things = things[:-1]  # its own keys are what it is to forget
            bpy.ops.footfall.bake()
    assert all(each.use_fake_user for _, _, each in things)
    names = [each.name for _, _, each in things]
    if how != "reset":
        assert names[-1] == "Crowd 002 by hand"
    crowded.reopen(tmp_path / "kept.blend")
    assert {names[0], *names[-1:]} <= set(bpy.data.actions.keys()) | set(bpy.data.node_groups.keys())
    assert names[1] in bpy.data.materials
    assert names[2] in bpy.data.meshes
    if how != "clear":
        bpy.ops.footfall.bake()
        assert not crowded.found()


@pytest.mark.thorough
def test_changes_of_the_users_own_character_are_no_handwork_on_its_copies(street, addon):
    """New materials, clips and shape keys reach everybody with the next bake."""
    own_figures(street.crowd, 2)
    street.scene.frame_end, street.crowd.count = 4, 3
    bpy.ops.footfall.bake()
    for own in [each for each in street.crowd.characters.all_objects if each.type == "MESH"]:
        own.material_slots[0].material.name = "Renamed"
        own.material_slots[1].material = bpy.data.materials.new("Another")
        own.vertex_groups.new(name="Mine")
        own.shape_key_add(name="Basis")
        own.modifiers.new("Smooth", "SUBSURF")
        own.parent.name = "Marta"
    bpy.ops.footfall.bake()
    bodies = [each for each in street.scene.objects if "footfall_crowd" in each and each.type == "MESH"]
    assert any("Smooth" in each.modifiers for each in bodies)


@pytest.mark.parametrize("how", ["FULL_COPY", "LINK_COPY"])
def test_a_copied_scene_is_no_handwork(street, addon, how):
    crowded = Crowded(street, addon, 3)
    bpy.ops.scene.new(type=how)
    crowded.scene = bpy.context.scene
    assert not crowded.found()


def test_instances_are_asked_about_and_cannot_be_pinned(street, addon):
    street.crowd.output = "INSTANCES"
    bpy.ops.footfall.bake()
    edited = addon.module("blender_addon.bakes.edited_people")
    (shown,) = [each for each in street.scene.objects if "footfall_people" in each]
    for edit, what in (
        (lambda: shown.modifiers.new("Smooth", "SUBSURF"), "modifiers"),
        (lambda: setattr(shown.data.vertices[0].co, "z", 4.0), "data"),
        (lambda: setattr(shown, "scale", (2.0, 2.0, 2.0)), "transform"),
        (lambda: shown.modifiers[0].node_group.nodes.new("GeometryNodeJoinGeometry"), "nodes"),
    ):
        edit()
        (found,) = edited.find_handwork(street.scene, street.crowd)
        assert what in found.what
    with pytest.raises(RuntimeError, match="is a crowd of instances, which cannot be pinned"):
        bpy.ops.footfall.bake(edited="KEEP")
    bpy.ops.footfall.bake(edited="OVERWRITE")
    bpy.ops.footfall.bake()


def test_crowds_of_one_bake_share_their_poses_which_go_with_the_last(street, addon):
    """Whichever is baked anew or removed first, the other is shown as before and counts as untouched."""
    street.crowd.output, street.crowd.count = "INSTANCES", 3
    bpy.ops.footfall.crowd_add()
    other = street.scene.footfall.crowds[1]
    first = street.scene.footfall.crowds[0]  # adding one has moved it
    other.route, other.characters, other.output, other.count = first.route, first.characters, "INSTANCES", 3
    names, edited = (first.name, other.name), addon.module("blender_addon.bakes.edited_people")

    def poses():
        return [each for each in bpy.data.objects if " pose " in each.name]

    def shown():
        street.scene.frame_set(4)
        return sum(each.is_instance for each in bpy.context.evaluated_depsgraph_get().object_instances)

    bpy.ops.footfall.bake()
    once, seen = len(poses()), shown()
    assert len({each["footfall_crowd"] for each in poses()}) == 1
    for crowd in (names[0], names[1], names[1], names[0], ""):
        bpy.ops.footfall.bake(crowd=crowd)
        assert shown() == seen > 0
        assert not any(edited.find_handwork(street.scene, each) for each in street.scene.footfall.crowds)
    assert len(poses()) == once
    poses()[0].data.materials.append(bpy.data.materials.new("Mine"))
    assert any(edited.find_handwork(street.scene, each) for each in street.scene.footfall.crowds)
    for number in (0, 1):
        clear = addon.module("blender_addon.baking.clearing").clear_crowds
        clear(street.scene, [street.scene.footfall.crowds[number]])
        assert bool(poses()) == (number == 0)


def test_collections_that_the_user_chose_are_kept(street, addon):
    crowded = Crowded(street, addon, 3)
    mine = bpy.data.collections.new("Mine")
    street.scene.collection.children.link(mine)
    mine.objects.link(crowded.person(0).rig)
    body = crowded.person(1).body
    for holder in body.users_collection:
        holder.objects.unlink(body)
    mine.objects.link(body)
    held = {each.name: {*(holder.name for holder in each.users_collection)} for each in mine.objects}
    bpy.ops.footfall.bake(edited="OVERWRITE")
    assert {name: {holder.name for holder in bpy.data.objects[name].users_collection} for name in held} == held


def test_who_was_hidden_or_deleted_by_the_panel_and_reset_comes_back_unasked(street, addon):
    crowded = Crowded(street, addon, 3)
    for number, what in ((1, "hide_people"), (2, "delete_people")):
        bpy.ops.object.select_all(action="DESELECT")
        crowded.person(number).rig.select_set(True)
        getattr(bpy.ops.footfall, what)()
    for name in ("Crowd 002", "Crowd 003"):
        bpy.ops.footfall.restore_person(person=name)
    assert not crowded.found()
    bpy.ops.footfall.bake()
    assert {"Crowd 002", "Crowd 003"} <= set(bpy.data.objects.keys())


def test_who_was_edited_is_not_hidden_by_removing_the_objects(street, addon):
    crowded = Crowded(street, addon, 2)
    child_of(crowded.person(0))
    bpy.ops.object.select_all(action="DESELECT")
    crowded.person(0).rig.select_set(True)
    with pytest.raises(RuntimeError, match=r"'Crowd 001' was edited by hand \(constraints\)"):
        bpy.ops.footfall.hide_people()


def test_the_camera_stays_on_its_person(street, addon):
    crowded = Crowded(street, addon, 2)
    street.scene.camera = crowded.person(0).rig
    bpy.ops.footfall.bake(edited="OVERWRITE")
    assert street.scene.camera == bpy.data.objects["Crowd 001"]


def test_what_the_user_deletes_is_not_kept_by_a_bake(street, addon):
    own_figures(street.crowd, 2)
    target = bpy.data.objects.new("Target", None)
    street.scene.collection.objects.link(target)
    rig = next(each for each in street.crowd.characters.all_objects if each.type == "ARMATURE")
    rig.pose.bones[0].constraints.new("COPY_SCALE").target = target
    street.scene.frame_end, street.crowd.count = 4, 3
    bpy.ops.footfall.bake()
    bpy.ops.object.select_all(action="DESELECT")
    target.select_set(True)
    bpy.ops.object.delete()
    assert "Target" not in bpy.data.objects


def test_properties_of_other_addons_are_no_handwork(street, addon):
    bpy.types.Object.studio_number = bpy.props.IntProperty()
    try:
        crowded = Crowded(street, addon, 2)
        for each in street.scene.objects:
            each.studio_number = 3
        assert not crowded.found()
    finally:
        del bpy.types.Object.studio_number
    bpy.ops.footfall.bake(edited="OVERWRITE")


def test_a_bake_in_tweak_mode_is_refused_by_name(street, addon):
    crowded = Crowded(street, addon, 2)
    data = crowded.person(0).data
    data.action = None
    data.nla_tracks[0].strips[0].select = True
    data.nla_tracks.active = data.nla_tracks[0]
    data.use_tweak_mode = True
    if data.use_tweak_mode:
        with pytest.raises(RuntimeError, match="'Crowd 001' is in Tweak Mode"):
            bpy.ops.footfall.bake()


def test_handwork_during_a_bake_in_slices_is_not_lost(street, addon):
    crowded = Crowded(street, addon, 3)
    job = addon.module("blender_addon.baking.bake").BakeJob(street.scene)
    while not job.run_for(0.0) and job.stage == "Simulating":
        pass
    crowded.person(0).rig.scale = (2.0, 2.0, 2.0)
    edited = addon.module("blender_addon.bakes.edited_people")
    with pytest.raises(edited.EditedByHandError, match=r"'Crowd 001' \(transform\)"):
        any(iter(partial(job.run_for, 0.0), True))
    assert tuple(bpy.data.objects["Crowd 001"].scale) == (2.0, 2.0, 2.0)


def test_how_people_are_shown_is_no_handwork_and_the_next_bakes_take_it_over(street, addon):
    crowded = Crowded(street, addon, 2)
    other = tuple(crowded.person(1).body.color)
    shown = crowded.person(0)
    shown.body.display_type, shown.body.color = "WIRE", (0.1, 0.2, 0.3, 1.0)
    shown.rig.show_name = shown.rig.show_in_front = True
    assert not crowded.found()
    for lean in (0.3, 0.4):
        crowded.crowd.motion.lean = lean
        bpy.ops.footfall.bake()
        assert not crowded.found()
        again = crowded.person(0)
        assert (again.body.display_type, again.rig.show_name, again.rig.show_in_front) == ("WIRE", True, True)
        assert tuple(again.body.color) == pytest.approx((0.1, 0.2, 0.3, 1.0))
        assert not crowded.person(1).rig.show_name
        assert tuple(crowded.person(1).body.color) == other


def test_records_of_earlier_versions_of_footfall_hold_how_people_are_shown_among_their_settings(
    street, addon, monkeypatch
):
    aspects = addon.module("blender_addon.bakes.aspects")
    with monkeypatch.context() as earlier:
        earlier.setattr(aspects, "_DISPLAY", ())
        crowded = Crowded(street, addon, 2)
    for each in street.scene.objects:
        if "footfall_as_made" in each:
            del each["footfall_as_made"][aspects.DISPLAY]
    assert not crowded.found()
    crowded.person(0).body.show_name = True
    assert crowded.found() == {"Crowd 001": SETTINGS}
    crowded.person(0).body.show_name, crowded.crowd.motion.lean = False, 0.3
    bpy.ops.footfall.bake()
    assert not crowded.found()
    crowded.person(0).body.show_name = True
    assert not crowded.found()  # their new records hold it apart
