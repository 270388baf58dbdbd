# SPDX-License-Identifier: GPL-3.0-or-later
"""Skin weights of a built-in figure: smooth from bone to bone, and alike in clothes that lie over each other."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from .skeleton import Bone
from .surface import FigureSurface, smoothstep

MOST_INFLUENCES = 4

LAP, SIDES = 0.10, 0.26
"""How much the front and the sides of a skirt follow the hips: the lap lies down on the thighs of who sits, and the
sides hang beside them; chosen by eye."""

DRAPE = 0.54
"""How much the hem of a skirt follows the shins behind, where it lies on the seat; chosen by eye."""


def weigh(surface: FigureSurface, bones: dict[str, Bone], crotch: float) -> np.ndarray:
    """How much each bone moves each point.

    Args:
        surface: a finished figure; its parts are named trunk, skirt, hips, head, arm, hand, leg and foot with their
            side, and rigid with the bone that bears them.
        bones: the skeleton, whose order is that of the columns.
        crotch: height at which the legs part [m].

    Returns:
        float64 (V, B), rows that add up to 1 with at most `MOST_INFLUENCES` entries.
    """
    points, parts = surface.points, surface.parts
    number = {name: k for k, name in enumerate(bones)}
    weights = np.zeros((len(points), len(bones)))
    for part in dict.fromkeys(parts):
        rows = np.flatnonzero(parts == part)
        kind, _, side = part.partition(".")
        for name, weight in _of_part(kind, side, points[rows], bones, crotch).items():
            weights[rows, number[name]] = weight
    return _limited(_smoothed(weights, surface))


def _of_part(kind: str, side: str, points: np.ndarray, bones: dict[str, Bone], crotch: float) -> dict[str, np.ndarray]:
    if kind == "rigid":
        return {side: np.ones(len(points))}
    if kind in {"trunk", "arm", "skirt"}:
        return _trunk_and_arm(points, bones, side, is_skirt=kind == "skirt")
    if kind in {"hips", "leg"}:
        return _hips_and_leg(points, bones, side, crotch)
    if kind == "hand":
        return _chain(points, [bones[f"forearm.{side}"], bones[f"hand.{side}"]], 0.025)
    if kind == "foot":
        return _foot(points, bones, side)
    return _head(points, bones)


def _chain(points: np.ndarray, chain: list[Bone], blend: float) -> dict[str, np.ndarray]:
    """Weights along a limb: each joint's plane halves the angle of its two bones."""
    shares = {}
    left = np.ones(len(points))
    for upper, lower in pairwise(chain):
        beyond = smoothstep((points - lower.head) @ _normal(upper, lower), -blend, blend)
        shares[upper.name] = left * (1.0 - beyond)
        left = left * beyond
    shares[chain[-1].name] = left
    return shares


def _normal(upper: Bone, lower: Bone) -> np.ndarray:
    """Unit normal of the plane between two bones, towards the lower one."""
    along = upper.axes[:, 1] + lower.axes[:, 1]
    return along / np.linalg.norm(along)


def _trunk_and_arm(points: np.ndarray, bones: dict[str, Bone], side: str, *, is_skirt: bool) -> dict[str, np.ndarray]:
    shares = _chain(points, [bones["hips"], bones["spine"], bones["chest"]], 0.085)
    below = shares["hips"]  # the hem goes with the thighs as the trousers under it do
    shares.update({name: share * below for name, share in _hips_and_thighs(points, bones).items()})
    if not side:
        _drape(shares, points, bones, is_skirt=is_skirt)
    for each in ("L", "R") if not side else (side,):
        arm, collar = _shoulder(points, bones, each, sleeve=bool(side))
        shares = {name: share * (1.0 - arm) for name, share in shares.items()}
        shares[f"clavicle.{each}"] = shares["chest"] * collar
        shares["chest"] = shares["chest"] * (1.0 - collar)
        limb = _chain(points, [bones[f"{name}.{each}"] for name in ("upper_arm", "forearm")], 0.05)
        shares.update({name: share * arm for name, share in limb.items()})
    return shares


def _drape(shares: dict[str, np.ndarray], points: np.ndarray, bones: dict[str, Bone], *, is_skirt: bool) -> None:
    """Lay a skirt or a long coat on the legs of who sits: the hem behind also follows the shins, the rest the hips.

    The hem of a shirt follows the hips no more than the trousers under it do.
    """
    joint, knee = bones["thigh.L"].head, bones["shin.L"].head
    front = smoothstep(points[:, 1], joint[1] - 0.03, joint[1] - 0.11)
    behind = smoothstep(points[:, 1], joint[1] - 0.02, joint[1] + 0.08)
    beside = (1.0 - front) * smoothstep(np.abs(points[:, 0]), 0.11, 0.17)
    drape = DRAPE * behind * smoothstep(points[:, 2], joint[2] - 0.01, knee[2] + 0.06)
    lap = LAP * front + SIDES * beside
    if not is_skirt:
        lap = lap * smoothstep(points[:, 2], joint[2] - 0.04, joint[2] - 0.16)
    for side in "LR":
        thigh = shares[f"thigh.{side}"]
        shares[f"shin.{side}"] = thigh * drape
        shares["hips"] = shares["hips"] + thigh * (1.0 - drape) * lap
        shares[f"thigh.{side}"] = thigh * (1.0 - drape) * (1.0 - lap)


def _shoulder(points: np.ndarray, bones: dict[str, Bone], side: str, *, sleeve: bool) -> tuple[np.ndarray, np.ndarray]:
    """How much the arm moves each point, and how much of what the chest has left goes to the collarbone."""
    clavicle, upper = bones[f"clavicle.{side}"], bones[f"upper_arm.{side}"]
    outwards = points[:, 0] * np.sign(upper.head[0])
    spread, height = abs(upper.head[0]), upper.head[2]
    arm = smoothstep((points - upper.head) @ _normal(clavicle, upper), -0.035, 0.115)
    if not sleeve:  # the flank does not rise with the arm
        arm = arm * smoothstep(points[:, 2], height - 0.17, height - 0.07) * smoothstep(outwards, 0.05, 0.13)
    lift = smoothstep(points[:, 2], height - 0.12, height + 0.01)
    return arm, 0.85 * smoothstep(outwards, 0.03, spread - 0.02) * lift


def _hips_and_thighs(points: np.ndarray, bones: dict[str, Bone]) -> dict[str, np.ndarray]:
    """Weights of hips and thighs by height and side, the same for all clothes."""
    joint = bones["thigh.L"].head[2]
    down = smoothstep(points[:, 2], joint + 0.05, joint - 0.13)
    wide = 0.05 + 0.20 * np.clip(joint - 0.13 - points[:, 2], 0.0, 0.35)  # a skirt hangs from one thigh to the other
    left = smoothstep(points[:, 0], -wide, wide)
    return {"hips": 1.0 - down, "thigh.L": down * left, "thigh.R": down * (1.0 - left)}


def _hips_and_leg(points: np.ndarray, bones: dict[str, Bone], side: str, crotch: float) -> dict[str, np.ndarray]:
    shares = _hips_and_thighs(points, bones)
    if not side:
        return shares
    other = "R" if side == "L" else "L"
    own = smoothstep(points[:, 2], crotch, crotch - 0.07)
    shares[f"thigh.{side}"] = shares[f"thigh.{side}"] + own * shares[f"thigh.{other}"]
    shares[f"thigh.{other}"] = (1.0 - own) * shares[f"thigh.{other}"]
    limb = _chain(points, [bones[f"{name}.{side}"] for name in ("thigh", "shin")], 0.065)
    shares[f"shin.{side}"] = limb[f"shin.{side}"]
    shares[f"thigh.{side}"] = shares[f"thigh.{side}"] * limb[f"thigh.{side}"]
    return shares


def _foot(points: np.ndarray, bones: dict[str, Bone], side: str) -> dict[str, np.ndarray]:
    ankle, ball = bones[f"foot.{side}"].head, bones[f"toe.{side}"].head
    toe = smoothstep(points[:, 1], ball[1] + 0.022, ball[1] - 0.022)
    shin = smoothstep(points[:, 2], ankle[2] + 0.015, ankle[2] + 0.06)
    return {f"shin.{side}": shin, f"toe.{side}": (1.0 - shin) * toe, f"foot.{side}": (1.0 - shin) * (1.0 - toe)}


def _head(points: np.ndarray, bones: dict[str, Bone]) -> dict[str, np.ndarray]:
    neck, head = bones["neck"].head, bones["head"].head
    # The skull begins lower behind than the jaw does in front.
    height = points[:, 2] + 0.25 * (points[:, 1] - head[1])
    on_head = smoothstep(height, head[2] - 0.055, head[2])
    on_neck = smoothstep(points[:, 2], neck[2] - 0.05, neck[2] + 0.02)
    return {"head": on_head, "neck": (1.0 - on_head) * on_neck, "chest": (1.0 - on_head) * (1.0 - on_neck)}


def _smoothed(weights: np.ndarray, surface: FigureSurface, passes: int = 2) -> np.ndarray:
    """Weights evened out along the edges."""
    edges = surface.edges
    count = np.bincount(edges.ravel(), minlength=len(weights))[:, None]
    ends, others = edges.T.ravel(), edges[:, ::-1].T.ravel()
    for _ in range(passes):
        columns = [np.bincount(ends, weights=column[others], minlength=len(weights)) for column in weights.T]
        weights = 0.5 * weights + 0.5 * np.column_stack(columns) / count
    return weights


def _limited(weights: np.ndarray) -> np.ndarray:
    """Only the strongest influences of each point, adding up to 1; of two sides that are alike both or neither."""
    too_weak = np.sort(weights, axis=1)[:, -MOST_INFLUENCES - 1, None]
    kept = np.where((weights > too_weak + 1e-9) & (weights > 0.01), weights, 0.0)
    return kept / kept.sum(axis=1, keepdims=True)
