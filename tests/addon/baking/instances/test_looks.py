# SPDX-License-Identifier: GPL-3.0-or-later
"""Instances in rendered pictures: as blurred, and in the same clothes, as characters of the same people."""

import math

import bpy
import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("one_figure")

SIZE = 80


@pytest.fixture
def picture(make, stage, tmp_path):
    """Renders what stands near the origin at a frame, from the side: float32 (SIZE, SIZE, 4), the first row below."""
    scene = stage.scene
    eye = bpy.data.objects.new("Eye", bpy.data.cameras.new("Eye"))
    eye.data.type, eye.data.ortho_scale = "ORTHO", 2.4
    eye.location, eye.rotation_euler = (1.9, -20.0, 1.1), (math.pi / 2, 0.0, 0.0)
    make.link(eye)
    scene.camera = eye
    scene.world = bpy.data.worlds.new("Grey")
    scene.world.color = (0.8, 0.8, 0.8)
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising, scene.cycles.device = 32, False, "CPU"
    scene.render.resolution_x = scene.render.resolution_y = SIZE
    scene.render.resolution_percentage = 100
    scene.render.film_transparent = True
    scene.render.image_settings.color_mode = "RGBA"
    scene.view_settings.view_transform = "Standard"
    scene.render.motion_blur_shutter = 1.0

    def render(frame, *, blurred):
        scene.frame_set(frame)
        scene.render.use_motion_blur = blurred
        scene.render.filepath = str(tmp_path / "picture.png")
        bpy.ops.render.render(write_still=True)
        image = bpy.data.images.load(scene.render.filepath)
        pixels = np.empty(4 * SIZE * SIZE, dtype=np.float32)
        image.pixels.foreach_get(pixels)
        bpy.data.images.remove(image)
        return pixels.reshape(SIZE, SIZE, 4)

    return render


def apart(one, other):
    """How far each colour of a picture is from the nearest within 2 pixels of another, in which limbs are elsewhere."""
    near = [np.roll(other, (up, right), (0, 1)) for up in range(-2, 3) for right in range(-2, 3)]
    return np.min([np.abs(one - each).max(axis=2) for each in near], axis=0)


def runner(make):
    """Somebody who runs along +X, and is in the middle of the picture at the frame 16."""
    trajectories = make.walk(agents=1, frames=(1, 40), speed=3.0)
    there = np.arange(40) * 3.0 / 24.0
    trajectories.position[:, 0] = np.column_stack([there, 0.0 * there, 0.0 * there])
    trajectories.velocity[:, 0] = (3.0, 0.0)
    trajectories.heading[:] = 0.0
    return trajectories


@pytest.mark.once
def test_instances_are_blurred_as_characters_are_though_their_poses_change(make, stage, picture):
    """Within the shutter of most frames the pose changes: limbs are blurred from one to the next, nothing doubles."""
    frames = (16, 17)
    shown = {}
    for bake in (stage.bake, stage.bake_instances):
        bake(runner(make))
        shown[bake.__name__] = [[picture(frame, blurred=on) for on in (False, True)] for frame in frames]
    half = {
        name: [[np.count_nonzero((each[..., 3] > 0.05) & (each[..., 3] < 0.95)) for each in pair] for pair in pairs]
        for name, pairs in shown.items()
    }
    for pairs in half.values():
        assert all(blurred > 1.5 * sharp for sharp, blurred in pairs)
    for characters, instances in zip(*half.values(), strict=True):
        assert instances[1] == pytest.approx(characters[1], rel=0.25)
    for characters, instances in zip(*shown.values(), strict=True):
        covered = [each[1][..., 3].sum() for each in (characters, instances)]
        assert covered[1] == pytest.approx(covered[0], rel=0.05)
        assert np.abs(instances[1][..., 3] - characters[1][..., 3]).mean() < 0.015


def test_who_becomes_an_instance_keeps_face_hair_and_clothes(make, stage, picture):
    pictures = []
    for seed in (0, 1):
        for bake in (stage.bake, stage.bake_instances):
            bake(runner(make), seed=seed)
            pictures.append(picture(16, blurred=False))
    for characters, instances in zip(pictures[::2], pictures[1::2], strict=True):
        both = (characters[..., 3] > 0.99) & (instances[..., 3] > 0.99)
        assert both.sum() > 250
        other = apart(characters, instances)[both] > 0.1
        assert other.mean() < 0.01
