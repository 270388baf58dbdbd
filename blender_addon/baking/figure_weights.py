# SPDX-License-Identifier: GPL-3.0-or-later
"""Skin weights of a built-in figure: smooth from bone to bone, and alike in clothes that lie over each other."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from .figure_skeleton import Bone
from .figure_surface import Surface, smoothstep

MOST_INFLUENCES = 4


def weigh(surface: Surface, bones: dict[str, Bone], crotch: float) -> np.ndarray:
    """How much each bone moves each point.

    Args:
        surface: a finished figure; its parts are named trunk, hips, head, and arm, hand, leg, foot with their side.
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
    if kind in {"trunk", "arm"}:
        return _trunk_and_arm(points, bones, side)
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
    along = upper.axes[:, 1] + lower.axes[:, 1]
    return along / np.linalg.norm(along)


def _trunk_and_arm(points: np.ndarray, bones: dict[str, Bone], side: str) -> dict[str, np.ndarray]:
    shares = _chain(points, [bones["hips"], bones["spine"], bones["chest"]], 0.085)
    below = shares["hips"]  # the hem goes with the thighs as the trousers under it do
    shares.update({name: share * below for name, share in _hips_and_thighs(points, bones).items()})
    for each, sign in (("L", 1.0), ("R", -1.0)):
        outwards = points * (sign, 1.0, 1.0)
        upper = bones[f"upper_arm.{each}"]
        shoulder = upper.head * (sign, 1.0, 1.0)
        lift = smoothstep(outwards[:, 2], shoulder[2] - 0.12, shoulder[2] + 0.01)
        collar = 0.85 * smoothstep(outwards[:, 0], 0.03, shoulder[0] - 0.02) * lift
        way = bones[f"clavicle.{each}"].axes[:, 1] + upper.axes[:, 1]
        way = way / np.linalg.norm(way)
        arm = smoothstep((points - upper.head) @ way, -0.035, 0.115)
        if not side:
            near = smoothstep(outwards[:, 2], shoulder[2] - 0.17, shoulder[2] - 0.07)
            arm = arm * near * smoothstep(outwards[:, 0], 0.05, 0.13)
        elif side != each:
            arm = np.zeros(len(points))
        rest = (1.0 - collar) * (1.0 - arm)
        chest = shares["chest"]
        for name in shares:
            if name.startswith(("hips", "spine", "chest", "thigh")):
                shares[name] = shares[name] * rest if name == "chest" else shares[name] * (1.0 - arm)
        shares[f"clavicle.{each}"] = chest * collar * (1.0 - arm)
        shares.update(_split(arm, points, bones, each))
    return shares


def _split(arm: np.ndarray, points: np.ndarray, bones: dict[str, Bone], side: str) -> dict[str, np.ndarray]:
    limb = _chain(points, [bones[f"{name}.{side}"] for name in ("upper_arm", "forearm")], 0.05)
    return {name: share * arm for name, share in limb.items()}


def _hips_and_thighs(points: np.ndarray, bones: dict[str, Bone]) -> dict[str, np.ndarray]:
    """Weights of hips and thighs by height and side, the same for all clothes."""
    joint = bones["thigh.L"].head[2]
    down = smoothstep(points[:, 2], joint + 0.05, joint - 0.13)
    left = smoothstep(points[:, 0], -0.05, 0.05)
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
    on_head = smoothstep(height, head[2] - 0.055, head[2] + 0.0)
    on_neck = smoothstep(points[:, 2], neck[2] - 0.05, neck[2] + 0.02)
    return {"head": on_head, "neck": (1.0 - on_head) * on_neck, "chest": (1.0 - on_head) * (1.0 - on_neck)}


def _smoothed(weights: np.ndarray, surface: Surface, passes: int = 2) -> np.ndarray:
    """Weights evened out along the edges."""
    edges = surface.edges
    count = np.bincount(edges.ravel(), minlength=len(weights))[:, None]
    for _ in range(passes):
        total = np.zeros_like(weights)
        np.add.at(total, edges[:, 0], weights[edges[:, 1]])
        np.add.at(total, edges[:, 1], weights[edges[:, 0]])
        weights = 0.5 * weights + 0.5 * total / count
    return weights


def _limited(weights: np.ndarray) -> np.ndarray:
    """Only the strongest influences of each point, adding up to 1."""
    least = np.sort(weights, axis=1)[:, -MOST_INFLUENCES, None]
    kept = np.where((weights >= least) & (weights > 0.01), weights, 0.0)
    return kept / kept.sum(axis=1, keepdims=True)
