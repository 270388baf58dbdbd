# SPDX-License-Identifier: GPL-3.0-or-later
"""The gait of the built-in figures, planned for legs of other lengths, as turns of a body's bones.

The figures' walk is planned from the lengths of a leg and a foot. It is planned here for those of the body, so that its
feet roll over their own balls; only directions of limbs are then different.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ....core.array_types import Float64
from ....core.motion.quaternions import NO_TURN, about, about_z, between, inverse, quaternions, times, turned
from ....core.motion.retargeting import limb_alignment, turn_of, turns_along
from ...figures.figure import CYCLE_FRAMES, IDLE_FRAMES, RUN_FRAMES
from ...figures.mesh.skeleton import Bone, Proportions, build_skeleton
from ...figures.motion.gait import BALL_HEIGHT, RUN, Gait, leg_length, stride_length
from ...figures.motion.walk import RUNNING, Bearing, FigureMotion, plan_stand, plan_walk
from .humanoids import SIDES, Humanoid

_LIMBS = {"thigh": "shin", "shin": "foot", "upper_arm": "forearm", "forearm": "hand"}
_ARM = ("upper_arm", "forearm", "hand")
_ASIDE = 0.4  # of the height: hips farther from the origin at rest are not over it; chosen
_UP, _LEANS = np.array([0.0, 0.0, 1.0]), 0.94  # cosine of 20 degrees, by which nobody leans at rest; chosen
_OFF_GROUND = 0.15  # of a leg: soles farther than this from the origin at rest do not stand there; chosen
_WIDEST_SPREAD = 0.2  # sine of the largest turn outwards; chosen
_ABOVE_HIP_JOINT = Proportions().hips - Proportions().hip_joint

Plan = Callable[[Proportions, dict[str, Bone], Float64], FigureMotion]

_STRIDES = {"walk": Gait(), "run": RUN}

GAITS: dict[str, tuple[int, Plan]] = {
    "walk": (CYCLE_FRAMES, lambda body, bones, phase: plan_walk(body, bones, phase, _clear(body, Gait()), Bearing())),
    "idle": (IDLE_FRAMES, plan_stand),
    "run": (RUN_FRAMES, lambda body, bones, phase: plan_walk(body, bones, phase, _clear(body, RUN), RUNNING)),
}
"""Frames of a cycle, and what plans it."""


@dataclass(frozen=True)
class PlannedGait:
    """One cycle of a body, the last of N moments equal to the first.

    Attributes:
        turns: its bone -> float64 (4, N), turn in the world from rest.
        middle: float64 (3, N), way of the middle between its hip joints from rest, in the world.
        stride: distance of the cycle, in the unit of the world; 0: not known, or it stands.
    """

    turns: dict[str, Float64]
    middle: Float64
    stride: float = 0.0


def plan_body(body: Humanoid, gait: str) -> PlannedGait:
    """Plan a cycle of a gait, a key of `GAITS`, for a body."""
    frames, plan = GAITS[gait]
    planned = plan_as_figure(body, lambda own, bones: plan(own, bones, np.arange(frames + 1) / frames))
    if gait not in _STRIDES:
        return planned
    scale = size_of(body)
    return replace(planned, stride=scale * stride_length(_proportions(body, scale), _STRIDES[gait]))


def size_of(body: Humanoid) -> float:
    """How many times as long as the man's the legs of a body are."""
    return sum(_length(body, part, _LIMBS[part]) for part in ("thigh", "shin")) / leg_length(Proportions())


def plan_as_figure(body: Humanoid, plan: Callable[[Proportions, dict[str, Bone]], FigureMotion]) -> PlannedGait:
    """Plan a motion for a body that a figure with legs of its lengths would make, in the size of the figures."""
    scale = size_of(body)
    proportions = _proportions(body, scale)
    bones = build_skeleton(proportions)
    motion = plan(proportions, bones)
    figure = _turns(motion, bones)
    ahead = body.ahead
    facing = about_z(np.array([np.arctan2(ahead[0], -ahead[1])]))  # the figures look along -Y
    world = {role: times(facing, times(turn, inverse(facing))) for role, turn in figure.items()}

    upright = _upright(body)
    world |= {role: times(world[role], upright) for role in ("hips", "chest", "head", "clavicle.L", "clavicle.R")}
    turns = {body.bones["hips"]: world["hips"]}
    for chain, low, high in ((body.spine, "hips", "chest"), (body.neck, "chest", "head")):
        turns |= zip(chain, turns_along([world[low], world[high]], len(chain)), strict=True)
    for side in SIDES:
        turns |= _limb_turns(body, side, world, bones, facing)
    yaw = about_z(np.array([body.yaw]))
    middle = turned(yaw, _middle(body, motion, bones, figure, facing, scale)) - off_origin(body)[:, None]
    return PlannedGait({bone: times(yaw, turn) for bone, turn in turns.items()}, middle)


def _clear(body: Proportions, gait: Gait) -> Gait:
    """Return a gait in which feet larger than the man's, for the same legs, clear the ground as far in the swing."""
    usual, leg = Proportions(), leg_length(Proportions())

    def depth(own: Proportions, pitch: float) -> float:
        """How far the tip of the toes is below the ankle, over the leg."""
        turn = np.radians(pitch)
        return float((own.ankle - BALL_HEIGHT) * np.cos(turn) - own.toe_forward * np.sin(turn)) / leg

    swing = (
        (phase, before, above + max(0.0, depth(body, pitch) - depth(usual, pitch)), pitch)
        for phase, before, above, pitch in gait.swing
    )
    return replace(gait, swing=tuple(swing))


def _length(body: Humanoid, part: str, following: str) -> float:
    """Mean length of a part of both limbs, from joint to joint."""
    return float(np.mean([np.linalg.norm(body.direction(f"{part}.{side}", f"{following}.{side}")) for side in SIDES]))


def _proportions(body: Humanoid, scale: float) -> Proportions:
    """The lengths of a body's legs and feet, in the size of the figures."""
    usual = Proportions()
    sole = float(off_origin(body)[2]) or min(body.rest.low, 0.0)
    ankles = [body.soles[side].ankle if body.soles else body.joint(f"foot.{side}")[2] - sole for side in SIDES]
    ankle = float(np.mean(ankles)) / scale
    ankle = float(np.clip(ankle, 0.5 * usual.ankle, 5.0 * usual.ankle))
    spread = float(np.linalg.norm(body.joint("thigh.L") - body.joint("thigh.R"))) / 2.0 / scale
    spread = float(np.clip(spread, 0.5 * usual.hip_spread, 2.0 * usual.hip_spread))
    ball = usual.ball_forward
    if _has_toes(body):
        ways = [turned(_levelled(body, side), _foot(body, side)[:, None])[:, 0] for side in SIDES]
        ball = float(np.clip(np.mean([np.hypot(*way[:2]) for way in ways]) / scale, 0.5 * ball, 3.0 * ball))
    hip_joint = ankle + leg_length(usual)
    return replace(
        usual,
        hips=hip_joint + _ABOVE_HIP_JOINT,
        hip_joint=hip_joint,
        knee=ankle + _length(body, "shin", "foot") / scale,
        ankle=ankle,
        hip_spread=spread,
        foot_spread=spread * usual.foot_spread / usual.hip_spread,
        ball_forward=ball,
        toe_forward=ball + usual.toe_forward - usual.ball_forward,
    )


def _turns(motion: FigureMotion, bones: dict[str, Bone]) -> dict[str, Float64]:
    """Turns of a figure's bones in its own axes, from rest."""
    turns: dict[str, Float64] = {}
    for name, bone in bones.items():  # parents come first
        parent = turns[bone.parent] if bone.parent is not None else NO_TURN
        turns[name] = turn_of(motion.rotations[name].T, quaternions(bone.axes[None]).T, parent)
    return turns


def _limb_turns(
    body: Humanoid, side: str, world: dict[str, Float64], bones: dict[str, Bone], facing: Float64
) -> dict[str, Float64]:
    """Turns of the bones of an arm and a leg: each is first turned into the direction of the figure's at rest."""
    turns: dict[str, Float64] = {}
    align = {"hand": NO_TURN}
    outwards = about(body.ahead[:, None], np.array([(1.0 if side == "L" else -1.0) * _spread_of_arms(body)]))
    for part, following in _LIMBS.items():
        if f"{part}.{side}" in body.bones:
            bone = bones[f"{part}.{side}"]
            figure = turned(facing, (bone.tail - bone.head)[:, None])[:, 0]
            own = body.direction(f"{part}.{side}", f"{following}.{side}")
            align[part] = limb_alignment(own, figure, body.ahead)
    align["hand"] = align.get("forearm", NO_TURN)
    align["foot"] = align["toe"] = _levelled(body, side)
    for part in ("thigh", "shin", "foot", "toe", "clavicle", "upper_arm", "forearm", "hand"):
        role = f"{part}.{side}"
        if role in body.bones:
            turn = times(outwards, world[role]) if part in _ARM else world[role]
            turns[body.bones[role]] = times(turn, align.get(part, NO_TURN))
    return turns


def _has_toes(body: Humanoid) -> bool:
    return all(f"toe.{side}" in body.bones for side in SIDES)


def _foot(body: Humanoid, side: str) -> Float64:
    """Return the way from ankle to ball at rest, float64 (3,)."""
    return body.direction(f"foot.{side}", f"toe.{side}")


def _at_slope(foot: Float64) -> Float64:
    """Return a way from ankle to ball, float64 (3,), with the slope of the figures' foot on level ground."""
    usual = Proportions()
    slope = np.arctan2(BALL_HEIGHT - usual.ankle, usual.ball_forward)
    level = np.hypot(*foot[:2])
    along = foot[:2] / level if level else np.zeros(2)
    return float(np.linalg.norm(foot)) * np.array([*(np.cos(slope) * along), np.sin(slope)])


def _levelled(body: Humanoid, side: str) -> Float64:
    """Turn of a foot from rest that lays it level, without yaw, float64 (4, 1); none of one that is on the ground."""
    if off_origin(body)[2] <= 0.0:
        return NO_TURN
    if body.soles:
        return body.soles[side].turn
    if not _has_toes(body):
        return NO_TURN
    foot, level = _foot(body, side), _at_slope(_foot(body, side))
    return between((foot / np.linalg.norm(foot))[:, None], (level / np.linalg.norm(level))[:, None])


def _spread_of_arms(body: Humanoid) -> float:
    """How far arms turn outwards, so that hands of narrow shoulders are as far apart as the figure's [rad].

    With the figure's own angles they would hang into the thighs, and joined hands into one another.
    """
    if not all(f"{part}.{side}" in body.bones for part in _ARM for side in SIDES):
        return 0.0
    usual = build_skeleton(Proportions())["upper_arm.L"].head[0] * size_of(body)
    own = float(np.linalg.norm((body.joint("upper_arm.L") - body.joint("upper_arm.R"))[:2])) / 2.0
    arm = sum(_length(body, part, _LIMBS[part]) for part in ("upper_arm", "forearm"))
    return float(np.arcsin(np.clip((usual - own) / max(arm, 1e-9), 0.0, _WIDEST_SPREAD)))


def _middle(
    body: Humanoid,
    motion: FigureMotion,
    bones: dict[str, Bone],
    figure: dict[str, Float64],
    facing: Float64,
    scale: float,
) -> Float64:
    """Way of the middle between the hip joints: as the figure's, at the height at which straight legs would stand."""
    root = bones["hips"]
    hip = (bones["thigh.L"].head + bones["thigh.R"].head) / 2.0
    way = root.axes @ motion.hips.T + turned(figure["hips"], (hip - root.head)[:, None]) - (hip - root.head)[:, None]
    ankle = np.mean([body.joint(f"foot.{side}")[2] for side in SIDES])
    straight = scale * (hip[2] - bones["foot.L"].head[2])
    rise = straight - (body.hip[2] - ankle)
    return scale * turned(facing, way) + np.array([[0.0], [0.0], [rise]])


def _upright(body: Humanoid) -> Float64:
    """Turn of the trunk from rest to upright, float64 (4, 1): some bodies rest in a leap, and lean."""
    way = body.joint("head" if "head" in body.bones else "chest") - body.hip if body.spine or body.neck else _UP
    way = way / np.linalg.norm(way)
    return between(way[:, None], _UP[:, None]) if way @ _UP < _LEANS else NO_TURN


def off_origin(body: Humanoid) -> Float64:
    """How far a body is from its origin at rest, float64 (3,): hips aside, and soles above it; 0 where they are near.

    One that rests in a leap floats, its feet tipped, and where the origin is at the hips, as in BVH files, the soles
    are below it. How high a sole is under an ankle is only known of bodies with toes, or with meshes on their feet.
    """
    scale = size_of(body)
    toes = [body.joint(f"toe.{side}")[2] - scale * BALL_HEIGHT for side in SIDES if f"toe.{side}" in body.bones]
    ankles = [body.joint(f"foot.{side}")[2] - scale * Proportions().ankle for side in SIDES]
    sole = min(toes) if toes else min(*ankles, 0.0)
    if body.soles:
        sole = float(np.mean([body.joint(f"foot.{side}")[2] - own.ankle for side, own in body.soles.items()]))
    floats = abs(sole) > _OFF_GROUND * scale * leg_length(Proportions())
    if floats and sole > 0.0 and _has_toes(body) and not body.soles:
        ways = [(side, _at_slope(_foot(body, side))) for side in SIDES]
        sole = min(body.joint(f"foot.{side}")[2] + way[2] for side, way in ways) - scale * BALL_HEIGHT
    is_aside = np.hypot(*body.hip[:2]) > _ASIDE * body.rest.height
    return np.array([*(body.hip[:2] * is_aside), sole * floats])
