# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands that go behind the back, and come from there, go round the hips and not through them."""

import dataclasses

import numpy as np
import pytest

from ..statues import Statue, any_rolls, t_pose
from .acting import FPS, FRAMES, acting, joints_of

COMES, GOES = 30, 120
BEHIND = 3  # the variant with both hands behind the back


def halted(make, addon):
    """Somebody who walks, stands for four seconds with the hands behind the back, and walks on."""
    known = addon.module("core.motion.acting.variants").VARIANTS
    t = acting(make, ["stand"] * known.clips_of("stand"))  # each of a row stands in another way
    speed = np.interp(np.arange(FRAMES), (COMES - 6, COMES, GOES, GOES + 6), (1.0, 0.0, 0.0, 1.0))
    position, velocity, activity = t.position.copy(), t.velocity.copy(), np.zeros_like(t.activity)
    position[..., 0], velocity[..., 0] = np.cumsum(speed)[:, None] / FPS, speed[:, None]
    activity[COMES:GOES] = t.activity_names.index("stand")
    return dataclasses.replace(t, position=position, velocity=velocity, activity=activity)


def who_stands_so(movers):
    return [
        mover
        for mover in movers
        if any("stand 4" in strip.name for track in mover.animation_data.nla_tracks for strip in track.strips)
    ]


def wrists_from_thighs(joints, bones, names):
    """How far wrists are from the axes of the thighs, in parts of the width of the hips, float64 (F, 2, 2)."""
    hip, knee, wrist = (
        joints[:, 0, [bones.index(names[f"{part}.{side}"]) for side in "LR"]] for part in ("thigh", "shin", "hand")
    )
    along = (knee - hip)[:, None]
    off = wrist[:, :, None] - hip[:, None]
    share = np.clip((off * along).sum(axis=-1) / (along * along).sum(axis=-1), 0.0, 1.0)
    away = np.linalg.norm(off - share[..., None] * along, axis=-1)
    return away / np.linalg.norm(hip[:, 0] - hip[:, 1], axis=-1)[:, None, None]


@pytest.mark.each_blender("NLA strips of some bones lie over others")
@pytest.mark.parametrize("is_own", [False, True])
def test_hands_go_round_the_hips_on_their_way_behind_the_back(make, stage, addon, is_own):
    """Straight through them, in half a second: joints were blended, and a hand that hangs is before the hip."""
    stage.crowd.motion.looks_about = False
    names = None
    if is_own:
        statue = Statue(make, addon, "VRM")
        t_pose(statue)
        any_rolls(statue)
        stage.crowd.characters = make.collection("Statues", statue.rig, statue.body)
        stage.crowd.forward_axis = "AUTO"
        names = statue.names
    movers = who_stands_so(stage.bake(halted(make, addon)))
    assert movers
    bones = [bone.name for bone in movers[0].pose.bones]
    names = names or {bone: bone for bone in bones}
    for mover in movers[:1]:
        joints, _ = joints_of(make, [mover])
        assert wrists_from_thighs(joints, bones, names)[COMES:GOES].min() > 0.45
        seen = (
            joints[:, 0, [bones.index(names[f"hand.{side}"]) for side in "LR"]]
            - joints[:, :, bones.index(names["hips"])]
        )
        assert np.linalg.norm(np.diff(seen, axis=0), axis=-1).max() * FPS < 3.0
        (arms,) = (track for track in mover.animation_data.nla_tracks if track.name == "Footfall arms")
        assert len(arms.strips) == 2
        moved = {
            curve.data_path.split('"')[1]
            for clip in make.actions.clips_of_action(arms.strips[0].action)
            for curve in make.actions.curves_of(clip)
        }
        assert moved == {names[f"{part}.{side}"] for part in ("upper_arm", "forearm", "hand") for side in "LR"}


def test_who_does_not_put_the_hands_there_has_no_more_to_play(make, stage, addon):
    stage.crowd.motion.looks_about = False
    movers = stage.bake(halted(make, addon))
    others = [mover for mover in movers if mover not in who_stands_so(movers)]
    assert len(others) == len(movers) - 1
    assert not any("arms" in track.name for mover in others for track in mover.animation_data.nla_tracks)
