# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters of all sources walk at the first bake, no setting touched: judged by what is seen of their feet.

They come from Blender's own importers and exporters, from Rigify, or have the bones of other programs.
"""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector

from tests.sweeps import sweep

from .statues import Statue, a_pose, long_tails, loosen_feet, t_pose, upward_bones
from .test_foreign_clips import walking
from .test_imported_characters import by_fbx, by_gltf, dancer, stretched
from .test_rigs import enabled, rigify_person  # noqa: F401

pytestmark = pytest.mark.each_blender("importers, Rigify, and what is evaluated")

FRAMES, SPEED = 84, 1.3
FEET = (("foot.L", "toe.L"), ("foot.R", "toe.R"))


def gltf(make, addon, path, enable):
    dancer(make, addon, path)
    by_gltf(path / "dancer")
    return imported(), FEET


def small_gltf(make, addon, path, enable):
    dancer(make, addon, path, names=("Take 1", "Take 2", "Take 3"), scale=0.01)
    by_gltf(path / "dancer")
    return imported(), FEET


def fbx(make, addon, path, enable):
    dancer(make, addon, path, scale=0.01)
    by_fbx(path / "dancer")
    return imported(), FEET


def fast_fbx(make, addon, path, enable):
    dancer(make, addon, path, names=("Dance", "Walking", "Jog"))
    by_fbx(path / "dancer")
    bpy.context.scene.render.fps = 24  # importers take over the rate of the file
    return imported(), FEET


def stands_after_its_walk(make, addon, path, enable):
    """As exporters do that give all clips the length of the longest one."""
    rig, _ = dancer(make, addon, path)
    clips = [track.strips[0].action for track in rig.animation_data.nla_tracks]
    next(clip for clip in clips if clip.name.startswith("walk")).frame_end += 30
    return imported(), FEET


def bvh(make, addon, path, enable):
    enable("io_anim_bvh")
    rig, _ = dancer(make, addon, path)
    for track in rig.animation_data.nla_tracks:
        track.mute = track.strips[0].action.name != "walk"
    bpy.context.view_layer.objects.active = rig
    file = str(path / "walk.bvh")
    bpy.ops.export_anim.bvh(filepath=file, frame_start=1, frame_end=33)
    bpy.data.batch_remove([*bpy.data.objects, *bpy.data.actions, *bpy.data.armatures, *bpy.data.meshes])
    bpy.ops.import_anim.bvh(filepath=file, axis_forward="Y", axis_up="Z")  # as Blender writes them
    return imported(), FEET


def take(make, addon, path, enable):
    """A recording: somebody stands, and walks four strides then."""
    enable("io_anim_bvh")
    rig, _ = dancer(make, addon, path)
    for track in rig.animation_data.nla_tracks:
        (strip,) = track.strips
        track.mute = strip.action.name != "walk"
        strip.repeat, strip.frame_start = 4.0, 20
    frames = strip.action_frame_end - strip.action_frame_start
    bpy.context.view_layer.objects.active = rig
    file = path / "take.bvh"
    bpy.ops.export_anim.bvh(filepath=str(file), frame_start=1, frame_end=100)
    stride = addon.module("blender_addon.figures.figure").ensure_figures([0])[0].stride
    head, times, moments = file.read_text(encoding="ascii").partition("Frame Time:")
    first, *rows = moments.splitlines()
    for number, row in enumerate(rows):
        x, y, *rest = row.split()
        rows[number] = " ".join([x, str(float(y) - stride * max(number - 19, 0) / frames), *rest])
    file.write_text("\n".join([head + times + first, *rows]), encoding="ascii")
    bpy.data.batch_remove([*bpy.data.objects, *bpy.data.actions, *bpy.data.armatures, *bpy.data.meshes])
    bpy.ops.import_anim.bvh(filepath=str(file), axis_forward="Y", axis_up="Z")  # as Blender writes them
    return imported(), FEET


def rigify(make, addon, path, enable):
    enable("rigify")
    return rigify_person(make, 1.25), (("DEF-foot.L", "DEF-toe.L"), ("DEF-foot.R", "DEF-toe.R"))


def rigify_without_a_clip(make, addon, path, enable):
    found, feet = rigify(make, addon, path, enable)
    found[0].animation_data.action = None
    bpy.data.actions.remove(bpy.data.actions["Walk"])
    return found, feet


def no_bone_means_its_length(make, addon, path, enable):
    rig, body = dancer(make, addon, path, names=("Idle", "Walk_Loop", "Run_Loop"))
    stretched(rig, 100.0)
    return (rig, body), FEET


def with_scaled_parent(make, addon, path, enable):
    rig, body = dancer(make, addon, path, scale=100.0)
    parent = bpy.data.objects.new("Root", None)
    make.link(parent)
    parent.scale = (0.01,) * 3
    rig.parent = parent
    for block in (rig, body):
        block.data.transform(Matrix.Scale(100.0, 4))
    clips = make.actions.clips_in_strips(rig.animation_data)
    for curve in (curve for clip in clips for curve in make.actions.curves_of(clip)):
        for key in curve.keyframe_points if curve.data_path.endswith(".location") else ():
            for point in (key.co, key.handle_left, key.handle_right):
                point.y *= 100.0
    return (parent, rig, body), FEET


def named(statue):
    feet = [[statue.names[f"{part}.{side}"] for part in ("foot", "toe")] for side in "LR"]
    return (statue.rig, statue.body), feet


def vrm(make, addon, path, enable):
    statue = Statue(make, addon, "VRM")
    t_pose(statue)
    hair_and_skirt(statue)
    return named(statue)


def unreal(make, addon, path, enable):
    statue = Statue(make, addon, "Unreal")
    a_pose(statue)
    with_ik_bones(statue)
    return named(statue)


def bones_that_all_point_up(make, addon, path, enable):
    statue = Statue(make, addon, "Unreal")
    upward_bones(statue)
    return named(statue)


def resting_in_a_leap(make, addon, path, enable):
    """Its legs are swung back at rest, so that its feet are high above its origin."""
    statue = Statue(make, addon, "Unreal")

    def change(bones):
        for side in "LR":
            pivot = bones[f"thigh.{side}"].head.copy()
            turn = Matrix.Translation(pivot) @ Matrix.Rotation(0.8, 4, "X") @ Matrix.Translation(-pivot)
            for part in ("thigh", "shin", "foot", "toe"):
                bones[f"{part}.{side}"].transform(turn)

    return named(statue.edit(change))


def posed_large(make, addon, path, enable):
    """As a glTF file whose root joint is scaled is imported: the scale is in the pose, not at rest."""
    statue = Statue(make, addon, "VRM")
    for data in (statue.rig.data, statue.body.data):
        data.transform(Matrix.Scale(0.01, 4))

    def change(bones):
        root = statue.rig.data.edit_bones.new("Root")
        root.head, root.tail = (0.0, 0.0, 0.0), (0.0, 0.002, 0.0)
        bones["hips"].parent = root

    statue.edit(change)
    statue.rig.pose.bones["Root"].scale = (100.0,) * 3
    return named(statue)


def mixamo_without_clips(make, addon, path, enable):
    statue = Statue(make, addon, "Mixamo")
    t_pose(statue)
    long_tails(statue)
    return named(statue)


def make_human(make, addon, path, enable):
    statue = Statue(make, addon, "MakeHuman")
    in_two_pieces(statue)
    pelvis_shoulders_and_toes(statue)
    return named(statue)


def make_human_on_its_back(make, addon, path, enable):
    """As the FBX importer shows files of MakeHuman: it lies at rest, and the poses of root and hips stand it up."""
    statue = Statue(make, addon, "Unreal")
    for data in (statue.rig.data, statue.body.data):
        data.transform(Matrix.Rotation(-np.pi / 2.0, 4, "X"))

    def change(bones):
        root = statue.rig.data.edit_bones.new("Root")
        root.head, root.tail = (0.0, 0.0, 0.0), (0.2, 0.0, 0.0)
        bones["hips"].parent = root

    statue.edit(change)
    root, hips = (statue.rig.pose.bones[name] for name in ("Root", statue.names["hips"]))
    root.matrix = Matrix.Rotation(1.0, 4, "Z") @ root.bone.matrix_local
    bpy.context.view_layer.update()
    hips.matrix = Matrix.Rotation(np.pi / 2.0, 4, "X") @ hips.bone.matrix_local
    bpy.context.view_layer.update()
    return named(statue)


def feet_on_the_root(make, addon, path, enable):
    statue = Statue(make, addon)
    loosen_feet(statue)
    return named(statue)


def bare_bones_that_lie(make, addon, path, enable):
    """As BVH files are often imported: in a unit of 2.5 cm, on the back, and with the origin at the hips."""
    statue = Statue(make, addon, "BVH")
    bpy.data.objects.remove(statue.body)
    hips = statue.rig.data.bones[statue.names["hips"]].head_local
    rig = statue.rig.data
    rig.transform(Matrix.Scale(40.0, 4) @ Matrix.Rotation(-np.pi / 2.0, 4, "X") @ Matrix.Translation(-hips))
    return (statue.rig,), [[statue.names[f"{part}.{side}"] for part in ("foot", "toe")] for side in "LR"]


def hair_and_skirt(statue):
    def change(bones):
        edit = statue.rig.data.edit_bones
        for name, carrier, x in (("Hair1", "head", 0.0), ("Skirt_L", "hips", 0.2), ("Skirt_R", "hips", -0.2)):
            before = bones[carrier]
            for number in range(3):
                bone = edit.new(f"J_Sec_{name}_{number}")
                bone.parent = before
                _, y, z = bones[carrier].head
                bone.head, bone.tail = (x, y + 0.1, z - 0.2 * number), (x, y + 0.1, z - 0.2 * number - 0.2)
                before = bone

    statue.edit(change)


def with_ik_bones(statue):
    def change(bones):
        edit = statue.rig.data.edit_bones
        root = edit.new("ik_foot_root")
        root.head, root.tail = (0.0, 0.0, 0.0), (0.0, 0.1, 0.0)
        for side in "LR":
            bone = edit.new(f"ik_foot_{side.lower()}")
            bone.parent, bone.head = root, bones[f"foot.{side}"].head
            bone.tail = bone.head + bones[f"foot.{side}"].vector

    statue.edit(change)


def in_two_pieces(statue):
    """As MakeHuman has thighs and shins: a second bone carries what follows."""

    def change(bones):
        edit = statue.rig.data.edit_bones
        for side in "LR":
            for part, following in (("thigh", "shin"), ("shin", "foot")):
                first, after = bones[f"{part}.{side}"], bones[f"{following}.{side}"]
                second = edit.new(first.name.replace("01", "02"))
                end, first.tail = first.tail.copy(), first.head.lerp(first.tail, 0.5)
                second.head, second.tail, second.parent, second.roll = first.tail, end, first, first.roll
                after.parent = second

    statue.edit(change)


def pelvis_shoulders_and_toes(statue):
    """The bones that MakeHuman's default rig has between trunk and limbs, and five toes on each foot."""

    def change(bones):
        edit = statue.rig.data.edit_bones

        def add(name, parent, head, tail):
            bone = edit.new(name)
            bone.parent, bone.head, bone.tail = parent, head, tail
            return bone

        for side in "LR":
            hips, thigh, arm, toe = (
                bones[name] for name in ("hips", f"thigh.{side}", f"upper_arm.{side}", f"toe.{side}")
            )
            thigh.parent = add(f"pelvis.{side}", hips, hips.head, thigh.head)
            clavicle = bones[f"clavicle.{side}"]
            arm.parent = add(f"shoulder01.{side}", clavicle, clavicle.head.lerp(arm.head, 0.6), arm.head)
            for number in range(2, 6):
                aside = Vector((0.015 * (number - 2) * (1.0 if side == "L" else -1.0), 0.0, 0.0))
                first = add(f"toe{number}-1.{side}", bones[f"foot.{side}"], toe.head + aside, toe.center + aside)
                add(f"toe{number}-2.{side}", first, toe.center + aside, toe.tail + aside)

    statue.edit(change)


def imported():
    found = [each for each in bpy.context.scene.objects if each.type in {"ARMATURE", "MESH", "EMPTY"}]
    rig = next(each for each in found if each.type == "ARMATURE")
    if not any(each.type == "MESH" for each in found):
        body = bpy.data.objects.new("Body", bpy.data.meshes.new("Body"))
        body.data.from_pydata([(0, 0, 0), (0.2, 0, 0), (0, 0, 1.7)], [], [(0, 1, 2)])
        bpy.context.scene.collection.objects.link(body)
        body.parent = rig
        found.append(body)
    return found


SOURCES = [
    *(gltf, fbx, rigify_without_a_clip, bones_that_all_point_up),
    *(take, small_gltf, fast_fbx, bvh, rigify, no_bone_means_its_length, with_scaled_parent),
    *(vrm, posed_large, resting_in_a_leap, unreal, mixamo_without_clips, make_human, feet_on_the_root),
    *(make_human_on_its_back, stands_after_its_walk),
]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Blender's own reader leaves it open
@pytest.mark.parametrize("source", sweep(SOURCES, everywhere=4), ids=lambda source: source.__name__)
def test_who_comes_from_there_walks_at_once(make, stage, enabled, tmp_path, source):  # noqa: F811
    objects, feet = source(make, stage.addon, tmp_path, enabled)
    stage.crowd.characters = make.collection("Characters", *objects)
    stage.crowd.forward_axis = "AUTO"
    (mover,) = stage.bake(make.walk(agents=1, frames=(1, FRAMES), speed=SPEED))
    stance, swing, slide = walked(mover, feet)
    assert 0.5 < stance.mean() < 0.65
    assert np.ptp(stance) < 0.1
    assert 0.6 < swing < 0.85
    assert slide < 0.01


@pytest.mark.once
def test_bones_without_a_mesh_stand_up_on_the_ground_in_the_size_of_people(make, stage, enabled, tmp_path):  # noqa: F811
    objects, feet = bare_bones_that_lie(make, stage.addon, tmp_path, enabled)
    stage.crowd.characters = make.collection("Characters", *objects)
    stage.crowd.forward_axis = "AUTO"
    (mover,) = stage.bake(make.walk(agents=1, frames=(1, FRAMES), speed=SPEED))
    stance, swing, slide = walked(mover, feet)
    assert 0.5 < stance.mean() < 0.65
    assert 0.6 < swing < 0.85
    assert slide < 0.01
    ground = mover.matrix_world.translation.z
    heights = [(mover.matrix_world @ bone.head).z - ground for bone in mover.pose.bones]
    assert 0.0 < min(heights) < 0.05
    assert 1.4 < max(heights) < 1.8
    lie, measure, *_ = stage.notices
    assert lie.startswith("'Statue' has no mesh, and its bones lie:")
    assert measure.startswith("'Statue' has no mesh, and its bones measure 69.")
    assert objects[0].scale[:] == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("behind", sweep([0.15, 2.0], everywhere=0))
def test_a_body_walks_where_it_stands(make, stage, tmp_path, behind):
    """Whose walk is behind its origin would hop back as it starts."""
    rig, body = dancer(make, stage.addon, tmp_path)
    (walk,) = (clip for clip in make.actions.clips_in_strips(rig.animation_data) if clip.action.name == "walk")
    curve = next(
        each
        for each in make.actions.curves_of(walk)
        if each.data_path == 'pose.bones["hips"].location' and each.array_index == 2
    )
    for key in curve.keyframe_points:
        for point in (key.co, key.handle_left, key.handle_right):
            point.y -= behind  # the bone points up, and the body looks along -Y
    values = [key.co.y for key in curve.keyframe_points]
    stage.crowd.characters = make.collection("Characters", rig, body)
    (mover,) = stage.bake(make.walk(agents=1, frames=(1, FRAMES), speed=SPEED))
    hips = np.zeros((FRAMES, 3))
    for frame in range(FRAMES):
        bpy.context.scene.frame_set(frame + 1)
        seen = mover.evaluated_get(bpy.context.view_layer.depsgraph)
        hips[frame] = (seen.matrix_world @ seen.pose.bones["hips"].head) - seen.matrix_world.translation
    assert np.abs(hips[24:].mean(axis=0)[:2]).max() < 0.05
    assert [key.co.y for key in curve.keyframe_points] == values  # the user's stay


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_rig_of_controls_plays_the_clip_of_another_skeleton(make, stage, enabled, tmp_path):  # noqa: F811
    objects, feet = rigify_without_a_clip(make, stage.addon, tmp_path, enabled)
    walking(make, stage.addon, "Mixamo")
    stage.crowd.characters = make.collection("Characters", *objects)
    stage.crowd.forward_axis = "AUTO"
    (mover,) = stage.bake(make.walk(agents=1, frames=(1, FRAMES), speed=SPEED))
    stance, swing, slide = walked(mover, feet)
    assert stage.notices == ["'rig' (Person body) has no walk of its own: it plays 'Walking', made for other bones"]
    assert 0.45 < stance.mean() < 0.65  # 0.49; with the gait that is made for its own legs 0.57
    assert 0.6 < swing < 0.85
    assert slide < 0.01


@pytest.mark.once
def test_legs_are_planted_that_are_too_short_to_be_known_by_their_place(make, stage):
    """As cartoons have them: hips lower than a quarter of the height, and carrying both legs."""
    statue = Statue(make, stage.addon, "Unreal")

    def change(bones):
        low = 0.3 * bones["thigh.L"].head.z
        for name, bone in bones.items():
            is_leg = name[:-2] in ("thigh", "shin", "foot", "toe")
            bone.head.z, bone.tail.z = (0.3 * z if is_leg else z - 0.7 / 0.3 * low for z in (bone.head.z, bone.tail.z))

    statue.edit(change)
    objects, feet = named(statue)
    stage.crowd.characters = make.collection("Characters", *objects)
    (mover,) = stage.bake(make.walk(agents=1, frames=(1, FRAMES), speed=0.5))
    stance, _, slide = walked(mover, feet)
    assert 0.5 < stance.mean() < 0.65
    assert slide < 0.01


def walked(mover, feet):
    """Share of the time that each foot stands, how far they are apart over the height, and how far they slide [m]."""
    rig = next(each for each in (mover, *mover.children_recursive) if each.type == "ARMATURE")
    joints, body = np.zeros((2, 2, FRAMES, 3)), np.zeros((FRAMES, 3))
    height = 0.0
    for each in bpy.context.scene.objects:
        each.hide_viewport = each.type == "MESH"
    for frame in range(FRAMES):
        bpy.context.scene.frame_set(frame + 1)
        graph = bpy.context.view_layer.depsgraph
        seen = rig.evaluated_get(graph)
        body[frame] = mover.evaluated_get(graph).matrix_world.translation
        for side, bones in enumerate(feet):
            for part, bone in enumerate(bones):
                joints[side, part, frame] = seen.matrix_world @ seen.pose.bones[bone].head
        if not frame:
            height = 1.04 * max((seen.matrix_world @ bone.head).z for bone in seen.pose.bones) - body[0, 2]
    steps = np.diff(joints[..., :2], axis=2)
    moved, speed = np.linalg.norm(steps, axis=3), np.linalg.norm(np.diff(body, axis=0), axis=1)
    stands = moved < 0.15 * speed
    ahead = (body[-1] - body[0]) / np.linalg.norm(body[-1] - body[0])
    apart = np.ptp((joints[0, 0] - joints[1, 0]) @ ahead)
    down = joints[..., 2] < joints[..., 2].min(axis=2, keepdims=True) + 0.01
    stands_on_ball = stands[:, 1] & down[:, 1, 1:] & down[:, 1, :-1]
    slides = [
        np.linalg.norm(np.ptp(joints[side, 1, first : last + 1, :2], axis=0))
        for side in (0, 1)
        for first, last in runs(stands_on_ball[side])
        if last - first > 3
    ]
    shares = np.array([share_in_strides(each) for each in stands.any(axis=1)])
    return shares, apart / height, np.median(slides or [np.inf])


def share_in_strides(stands):
    """Share of the time that a foot stands in whole strides, from its first landing to its last."""
    landings = np.flatnonzero(np.diff(stands.astype(int)) > 0) + 1
    return stands[landings[0] : landings[-1]].mean() if len(landings) > 1 else stands.mean()


def runs(mask):
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(int), [0]])))
    return edges.reshape(-1, 2)


def observation_of(statue):
    """What a search for loose feet is given; which bones its clip moves is said by each test."""
    bpy.context.view_layer.update()
    walk = SimpleNamespace(walk=SimpleNamespace(clip=None))
    return SimpleNamespace(armature=statue.rig, copies=[statue.rig, statue.body], clips=walk)


@pytest.mark.once
@pytest.mark.parametrize("are_loose", [True, False])
def test_feet_that_hang_on_no_bone_belong_to_the_legs_above_them(make, addon, monkeypatch, are_loose):
    statue = Statue(make, addon, "Mixamo")
    if are_loose:
        loosen_feet(statue)
        statue.edit(lambda bones: [setattr(bones[name], "parent", None) for name in ("foot.L", "foot.R")])
    loose, legs = (addon.module(f"blender_addon.characters.legs.{name}") for name in ("loose_feet", "bone_legs"))
    monkeypatch.setattr(loose, "moved_by", lambda clip: set(statue.names.values()))
    observation = observation_of(statue)
    found = loose.find_loose_chains(observation, legs.RestPose.of(statue.rig, statue.rig))
    wanted = {tuple(statue.names[f"{part}.{side}"] for part in ("thigh", "shin", "foot")) for side in "LR"}
    first: dict[str, tuple[str, ...]] = {}
    for chain in found:  # its toes come after it
        first.setdefault(chain[0].name, legs.named(chain))
    assert set(first.values()) == (wanted if are_loose else set())


@pytest.mark.once
@pytest.mark.parametrize("is_raised", [False, True])
def test_loose_feet_belong_to_legs_that_rest_on_bent_knees_too(make, addon, monkeypatch, is_raised):
    """Also below knees that are higher than the hips, as robots have them."""
    statue = Statue(make, addon, "Mixamo")
    loosen_feet(statue)

    def bend(bones):
        for side in "LR":
            shin, hip = bones[f"shin.{side}"], bones[f"thigh.{side}"].head
            shin.head = hip + Vector((0.0, 0.0, 0.6)) if is_raised else (shin.head.x, -0.4, shin.head.z)

    statue.edit(bend)
    loose, legs = (addon.module(f"blender_addon.characters.legs.{name}") for name in ("loose_feet", "bone_legs"))
    monkeypatch.setattr(loose, "moved_by", lambda clip: {statue.names["foot.L"], statue.names["foot.R"]})
    observation = observation_of(statue)
    rest = legs.RestPose.of(statue.rig, statue.rig)
    straight = loose.find_loose_chains(observation, rest)
    found = straight or loose.find_loose_chains(observation, rest, legs.LEG_SEARCH.below_bent_knee)
    assert bool(straight) == is_raised
    assert {legs.named(chain) for chain in found} == {
        tuple(statue.names[f"{part}.{side}"] for part in ("thigh", "shin", "foot")) for side in "LR"
    }


@pytest.mark.once
@pytest.mark.parametrize("are_loose", [True, False])
def test_bones_that_exporters_add_at_the_end_of_shins_are_no_feet(make, addon, monkeypatch, are_loose):
    statue = Statue(make, addon, "Mixamo")
    if are_loose:
        loosen_feet(statue)

    def add_ends(bones):
        for side in "LR":
            end = statue.rig.data.edit_bones.new(f"End {side}")
            end.head = bones[f"foot.{side}"].head
            end.tail, end.parent = end.head - Vector((0.0, 0.0, 0.1)), bones[f"shin.{side}"]

    statue.edit(add_ends)
    loose, legs, find = (
        addon.module(f"blender_addon.characters.legs.{name}") for name in ("loose_feet", "bone_legs", "find")
    )
    monkeypatch.setattr(loose, "moved_by", lambda clip: {statue.names["foot.L"], statue.names["foot.R"]})
    observation = observation_of(statue)
    rest = legs.RestPose.of(statue.rig, statue.rig)
    found = find.legs_on_bones(observation, rest, loose.find_loose_chains(observation, rest), [])
    assert len(found) == (0 if are_loose else 2)
