# SPDX-License-Identifier: GPL-3.0-or-later
"""Riders of bicycles pedal as fast as their wheels turn, with both feet on the pedals, and not where they slow down."""

import math

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector


@pytest.fixture
def street(addon):
    """A crowd of bicycles on a street that bends."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 60
    bpy.ops.curve.primitive_bezier_circle_add(radius=20.0)
    bpy.ops.footfall.crowd_add()
    crowd = scene.footfall.crowds[0]
    crowd.route, crowd.kind, crowd.arrival = bpy.context.object, "VEHICLE", "LOOP"
    crowd.vehicle.kind, crowd.count, crowd.spawn.mode = "BICYCLE", 2, "SPREAD"
    return crowd


def bicycles(crowd):
    """Bake, and return the parts of each bicycle by the ends of their names."""
    assert bpy.ops.footfall.bake() == {"FINISHED"}
    made = [each for each in bpy.context.scene.objects if each.get("footfall_crowd") == crowd.uid]
    movers = sorted((each for each in made if each.parent is None), key=lambda each: each.name)
    return [{each.name[len(mover.name) + 1 :]: each for each in (mover, *mover.children)} for mover in movers]


def at(frame, part):
    """Where a part is in the axes of its vehicle."""
    bpy.context.scene.frame_set(frame)
    return part.parent.matrix_world.inverted() @ part.matrix_world


def feet_on_pedals(parts, before, frames):
    """How far at most a pedal is from its arm, a foot from its pedal, a knee from its thigh, given how all were."""
    far = 0.0
    for side in "LR":
        pedal, thigh, shank = (parts[f"{name}.{side}"] for name in ("Pedal", "Thigh", "Shank"))
        own = [before[f"{name}.{side}"] for name in ("Pedal", "Thigh", "Shank")]
        foot, knee = own[2].inverted() @ own[0].translation, own[1].inverted() @ own[2].translation
        arm = before["Crank"].inverted() @ own[0].translation
        for frame in frames:
            far = max(far, (at(frame, parts["Crank"]) @ arm - at(frame, pedal).translation).length)
            far = max(far, (at(frame, shank) @ foot - at(frame, pedal).translation).length)
            far = max(far, (at(frame, thigh) @ knee - at(frame, shank).translation).length)
    return far


def angles_of(part, frames):
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found.append(part.delta_rotation_euler.y)
    return np.array(found)


@pytest.mark.each_blender("keys of delta transforms are evaluated")
def test_the_built_in_rider_pedals_with_both_feet_on_the_pedals(street, addon):
    models = addon.module("blender_addon.characters.vehicles.models")
    made, _ = models.make_vehicle("bicycle", 1.8, 0.6)
    before = {part.name: part.matrix_basis.copy() for part in made[1:]}
    bpy.data.batch_remove(made)
    first, second = bicycles(street)
    frames = range(1, 61, 3)
    assert feet_on_pedals(first, before, frames) < 1e-4
    crank, wheel = angles_of(first["Crank"], frames), angles_of(first["Wheel.R"], frames)
    assert np.ptp(crank) > 2.0 * math.pi
    turns = np.diff(wheel) / np.diff(crank)
    assert turns.min() == pytest.approx(2.2, abs=0.01)  # the gear, where nobody coasts
    heights = np.array([at(frame, first["Pedal.L"]).translation.z for frame in range(1, 61)])
    assert np.ptp(heights) == pytest.approx(0.34, abs=0.01)
    for frame in frames:
        assert at(frame, first["Pedal.L"]).to_3x3().col[2] @ Vector((0.0, 0.0, 1.0)) == pytest.approx(1.0)
        assert at(frame, first["Thigh.L"]).to_3x3().col[0].x == pytest.approx(1.0, abs=1e-5)  # it bends in one plane
    assert angles_of(second["Crank"], [1]) % (2.0 * math.pi) != pytest.approx(crank[:1] % (2.0 * math.pi), abs=0.1)


def test_a_bicycle_of_the_user_pedals_in_the_direction_that_it_looks_in(street, addon):
    places = {"Wheel.R": (-0.5, 0.0, 0.3), "Wheel.F": (0.6, 0.0, 0.3), "Crank": (0.0, 0.0, 0.3)}
    places |= {"Pedal.L": (0.16, 0.1, 0.3), "Thigh.L": (-0.1, 0.1, 1.0), "Shank.L": (0.25, 0.1, 0.75)}
    places |= {"Pedal.R": (-0.16, -0.1, 0.3)}
    body = bpy.data.objects.new("Mine", bpy.data.meshes.new("Mine"))
    mine = bpy.data.collections.new("Bicycles")
    mine.objects.link(body)
    bpy.ops.mesh.primitive_cube_add(size=0.6)
    cube = bpy.context.object.data
    bpy.data.objects.remove(bpy.context.object)
    for name, place in places.items():
        part = bpy.data.objects.new(f"my {name}.001", cube)
        part.parent, part.location = body, place
        part.rotation_euler = (0.4, -0.3, 0.2) if name in {"Crank", "Shank.L"} else (0.0, 0.0, 0.0)
        part.matrix_parent_inverse = Matrix.Translation((0.05, 0.0, 0.02))
        mine.objects.link(part)
    before = {
        name: (Matrix.Translation((0.05, 0.0, 0.02)) @ Matrix.Translation(place)) for name, place in places.items()
    }
    street.characters, street.forward_axis, street.count = mine, "POS_X", 1
    (made,) = bicycles(street)
    parts = {next(name for name in places if name in each): part for each, part in made.items() if each}
    own = Matrix.Rotation(0.2, 4, "Z") @ Matrix.Rotation(-0.3, 4, "Y") @ Matrix.Rotation(0.4, 4, "X")
    for turned in ("Shank.L", "Crank"):
        before[turned] = before[turned] @ own
    foot, arm = (before[name].inverted() @ before["Pedal.L"].translation for name in ("Shank.L", "Crank"))
    for frame in range(1, 61, 5):
        assert (at(frame, parts["Shank.L"]) @ foot - at(frame, parts["Pedal.L"]).translation).length < 1e-4
        assert (at(frame, parts["Crank"]) @ arm - at(frame, parts["Pedal.L"]).translation).length < 1e-4
        arms = [at(frame, parts[f"Pedal.{side}"]).translation - at(frame, parts["Crank"]).translation for side in "LR"]
        assert tuple(arms[0].xz) == pytest.approx(tuple(-arms[1].xz), abs=1e-5)
    assert np.ptp(angles_of(parts["Crank"], [1, 60])) > math.pi
    knees = [at(frame, parts["Shank.L"]).translation.x for frame in range(1, 61)]
    hip, pedals = at(1, parts["Thigh.L"]).translation.x, [at(f, parts["Pedal.L"]).translation.x for f in range(1, 61)]
    assert all(knee > 0.5 * (hip + pedal) for knee, pedal in zip(knees, pedals, strict=True))


@pytest.fixture
def cranked(addon):
    """How far the pedals turn from frame to frame, relative to who pedals all the time: of speeds [m/s] and a pitch."""
    pedals, wheels = (addon.module(f"blender_addon.characters.vehicles.{name}") for name in ("pedals", "wheels"))

    def turned(speed, pitch=None, present=None):
        way = np.cumsum(np.asarray(speed) / 24.0)
        there = np.ones(len(way), dtype=bool) if present is None else present
        drive = wheels.Drive(np.arange(len(way)), way, there, np.zeros_like(way), pitch, 0.0, 24.0)
        return np.diff(pedals.crank_angle(drive, 0.3)) * 0.3 * 2.2 / np.diff(way)

    return turned


def test_who_rides_steadily_or_speeds_up_pedals_and_who_brakes_or_rolls_downhill_does_not(cranked):
    assert cranked(np.full(48, 5.0)) == pytest.approx(1.0)
    assert cranked(np.linspace(1.0, 5.0, 48)) == pytest.approx(1.0)
    braking = cranked(np.concatenate([np.full(48, 5.0), np.linspace(5.0, 1.0, 48)]))
    assert braking[:30] == pytest.approx(1.0)
    assert braking[50:] == pytest.approx(0.0)
    assert np.abs(np.diff(braking)).max() < 0.5  # they do not stop from one frame to the next
    downhill = cranked(np.full(48, 5.0), pitch=np.full(48, -0.06))
    assert downhill == pytest.approx(0.0)
    assert cranked(np.full(48, 5.0), pitch=np.full(48, 0.06)) == pytest.approx(1.0)


def test_who_rides_to_the_end_of_the_street_pedals_until_they_are_gone(cranked):
    speed = np.concatenate([np.full(48, 5.0), np.zeros(24)])
    with np.errstate(invalid="ignore"):
        shares = cranked(speed, present=np.arange(72) < 48)
    assert shares[:47] == pytest.approx(1.0)


def test_a_bake_of_one_frame_is_that_frame_of_a_longer_one(street):
    def posed():
        return [
            [tuple(at(1, parts[name]).translation) for name in ("Pedal.L", "Shank.R")] for parts in bicycles(street)
        ]

    longer = posed()
    bpy.context.scene.frame_end = 1
    assert np.array(posed()) == pytest.approx(np.array(longer), abs=1e-5)
