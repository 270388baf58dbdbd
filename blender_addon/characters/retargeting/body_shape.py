# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the limbs of a body by its shape, where the names of bones say nothing: by joints, hierarchy and symmetry.

Legs are the two chains that hang side by side down to the ground, arms the two longest of those that leave the trunk
above them, and the head is in the middle above these; robots may have no two arms alike. Whether it is a body like ours
is judged by who asks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log

import numpy as np

from ....core.array_types import Float64
from ..clips.skeletons import RestBone


@dataclass(frozen=True)
class ShapeSettings:
    """How limbs are recognised; lengths in parts of the height of all joints. Chosen by trial on the rigs of the tests.

    Attributes:
        mirrored: joints of a left and a right limb are nearer to mirror images.
        aside: they are further from the middle.
        sole: legs end lower.
        lowest_hip: hip joints are higher.
        down: cosine of the angle to the vertical of all parts of a leg, at least.
        shortest: parts of legs and arms are longer.
        arm: usual lengths of upper arm, forearm and hand.
        longest_misfit: the sum of squares of the logarithms of an arm's lengths over the usual ones.
        neck: usual height of the joint between neck and head, over that of the shoulders.
        branches: what carries more bones is a hand, not a forearm with another one that twists.
        upright: cosine of the angle to the vertical of the way from hips to head of a body without arms, at least.
        trunk: it is longer.
    """

    mirrored: float = 0.03
    aside: float = 0.015
    sole: float = 0.1
    lowest_hip: float = 0.22
    down: float = 0.8
    shortest: float = 0.03
    arm: tuple[float, float, float] = (0.165, 0.15, 0.105)
    longest_misfit: float = 1.5
    neck: float = 1.12
    branches: int = 2
    upright: float = 0.94
    trunk: float = 0.2


SHAPE = ShapeSettings()


class _Shape:
    """The joints of a skeleton in the world, in units of its height, above its lowest."""

    def __init__(self, bones: Sequence[RestBone], begin: Float64, end: Float64) -> None:
        heights = np.concatenate([begin[:, 2], end[:, 2]])
        low, height = float(heights.min()), max(float(np.ptp(heights)), 1e-9)
        base = np.array([0.0, 0.0, low])
        ends = zip((begin - base) / height, (end - base) / height, strict=True)
        self.ends: dict[RestBone, tuple[Float64, Float64]] = dict(zip(bones, ends, strict=True))
        self.children = Counter(bone.parent for bone in bones)
        self.leaves = [bone for bone in bones if bone not in self.children]

    def begin(self, bone: RestBone) -> Float64:
        return self.ends[bone][0]

    def points(self, chain: Sequence[RestBone]) -> Float64:
        """The joints of a chain and its end, float64 (N + 1, 3)."""
        return np.array([*(self.begin(bone) for bone in chain), self.ends[chain[-1]][1]])


def limbs_by_shape(bones: Sequence[RestBone], begin: Float64, end: Float64) -> dict[str, RestBone]:
    """Find the bones of legs, arms and head; none unless legs and head are there.

    Args:
        bones: of a skeleton, parents first.
        begin: float64 (B, 3), where they begin at rest, in the world.
        end: float64 (B, 3), where they end.

    Returns:
        Bones by their roles, such as "thigh.L"; left and right may be swapped.
    """
    if len(bones) < 2:
        return {}
    shape = _Shape(bones, begin, end)
    legs = _legs(shape)
    if legs is None:
        return {}
    across = shape.begin(legs[0]["thigh"]) - shape.begin(legs[1]["thigh"])
    middle = (shape.begin(legs[0]["thigh"]) + shape.begin(legs[1]["thigh"])) / 2.0
    across[2] = 0.0
    across /= np.linalg.norm(across)
    arms = _arms(shape, legs, middle, across)
    if arms is None:  # or one is a tool, as robots have them
        head = _head_without_arms(shape, legs, middle)
        return _by_roles(legs, [{}, {}], head) if head is not None else {}
    chest = _meeting(arms[0]["upper_arm"], arms[1]["upper_arm"])
    head = _head(shape, chest, arms, middle, across)
    if head is None:
        return {}
    for arm in arms:
        clavicle = arm["upper_arm"].parent
        if clavicle is not None and clavicle != chest and _apart(shape, clavicle, arm["upper_arm"]) > SHAPE.aside:
            arm["clavicle"] = clavicle
    return _by_roles(legs, arms, head)


def _by_roles(legs: list[dict[str, RestBone]], arms: list[dict[str, RestBone]], head: RestBone) -> dict[str, RestBone]:
    sides = zip(("L", "R"), legs, arms, strict=True)
    found = {f"{part}.{side}": bone for side, *limbs in sides for limb in limbs for part, bone in limb.items()}
    return found | {"head": head}


def _head_without_arms(shape: _Shape, legs: list[dict[str, RestBone]], middle: Float64) -> RestBone | None:
    """The bone of the head of a body without two arms alike: the highest, straight above the hips."""
    hips = _meeting(legs[0]["thigh"], legs[1]["thigh"])
    tops = [leaf for leaf in shape.leaves if hips in leaf.lineage[1:]]
    head = max(tops, key=lambda leaf: shape.ends[leaf][1][2], default=None)
    if head is None:
        return None
    up = shape.begin(head) - middle
    is_upright = up[2] > SHAPE.upright * float(np.linalg.norm(up)) and up[2] > SHAPE.trunk
    return head if is_upright else None


def _legs(shape: _Shape) -> list[dict[str, RestBone]] | None:
    """The only two legs, one on each side of the middle."""
    found: dict[RestBone, dict[str, RestBone]] = {}
    for leaf in shape.leaves:
        if min(shape.ends[leaf][0][2], shape.ends[leaf][1][2]) < SHAPE.sole:
            leg = _leg(shape, leaf.lineage[::-1])
            if leg is not None and _is_longer_foot(shape, leg, found.get(leg["thigh"])):
                found[leg["thigh"]] = leg
    if len(found) != 2:
        return None
    one, other = found.values()
    joints = [[shape.begin(leg[part]) for part in ("thigh", "shin", "foot")] for leg in (one, other)]
    across = joints[0][0] - joints[1][0]
    are_level = all(abs(a[2] - b[2]) < SHAPE.mirrored for a, b in zip(*joints, strict=True))
    is_apart = float(np.hypot(*across[:2])) > 2.0 * SHAPE.aside
    carrier = _meeting(one["thigh"], other["thigh"])
    is_leg_of_other = carrier in (one["thigh"], other["thigh"])
    return [one, other] if are_level and is_apart and carrier is not None and not is_leg_of_other else None


def _leg(shape: _Shape, chain: list[RestBone]) -> dict[str, RestBone] | None:
    """The parts of a leg among bones from the root to the ground."""
    points = shape.points(chain)
    ways = np.diff(points, axis=0)
    lengths = np.linalg.norm(ways, axis=1)
    is_down = (lengths > SHAPE.shortest) & (-ways[:, 2] > SHAPE.down * lengths)
    is_short = lengths <= SHAPE.shortest
    runs = _runs_of(is_down, is_short)
    first, last = max(runs, key=lambda run: points[run[0]][2] - points[run[1]][2], default=(0, 0))
    if first == 0 or last - first < 2 or last >= len(chain) or points[first][2] < SHAPE.lowest_hip:
        return None
    upper = np.linalg.norm(points[first + 1 : last] - points[first], axis=1)
    lower = np.linalg.norm(points[last] - points[first + 1 : last], axis=1)
    knee = first + 1 + int(np.argmin(np.abs(np.log((upper + 1e-9) / (lower + 1e-9)))))
    parts = {"thigh": chain[first], "shin": chain[knee], "foot": chain[last]}
    toe = next((bone for bone in chain[last + 1 :] if _apart(shape, bone, chain[last]) > SHAPE.shortest), None)
    return parts if toe is None else parts | {"toe": toe}


def _runs_of(is_part: Sequence[bool] | Float64, is_between: Sequence[bool] | Float64) -> list[tuple[int, int]]:
    """First and last joint of each run of parts; what is between two of them may be very short."""
    runs: list[tuple[int, int]] = []
    first, last = -1, -1
    for place in range(len(is_part)):
        if is_part[place]:
            first, last = (place if first < 0 else first), place + 1
        elif first >= 0 and not is_between[place]:
            runs.append((first, last))
            first = -1
    return [*runs, (first, last)] if first >= 0 else runs


def _is_longer_foot(shape: _Shape, leg: dict[str, RestBone], known: dict[str, RestBone] | None) -> bool:
    """Whether the toe of a leg is further ahead than another bone of the same foot, such as a heel."""
    if known is None:
        return True
    lengths = [_apart(shape, each["toe"], each["foot"]) if "toe" in each else 0.0 for each in (leg, known)]
    return shape.begin(leg["foot"])[2] <= shape.begin(known["foot"])[2] + 1e-6 and lengths[0] > lengths[1] + 1e-6


def _apart(shape: _Shape, one: RestBone, other: RestBone) -> float:
    return float(np.linalg.norm(shape.begin(one) - shape.begin(other)))


def _arms(
    shape: _Shape, legs: list[dict[str, RestBone]], middle: Float64, across: Float64
) -> list[dict[str, RestBone]] | None:
    """The arms, on the sides of the legs: of all mirrored chains above these the most like arms."""
    of_legs = {bone for leg in legs for bone in leg.values()}
    sides: tuple[dict[int, list[RestBone]], dict[int, list[RestBone]]] = ({}, {})
    for number, leaf in enumerate(shape.leaves):
        lineage = leaf.lineage[::-1]
        aside = float((shape.ends[leaf][0] - middle) @ across)
        if abs(aside) > SHAPE.aside and of_legs.isdisjoint(lineage):
            sides[0 if aside > 0.0 else 1][number] = lineage
    return _mirrored_arms(shape, sides, middle, across) or _mirrored_arms(shape, sides, middle, across, alike=False)


def _mirrored_arms(
    shape: _Shape,
    sides: tuple[dict[int, list[RestBone]], dict[int, list[RestBone]]],
    middle: Float64,
    across: Float64,
    *,
    alike: bool = True,
) -> list[dict[str, RestBone]] | None:
    """Of chains on both sides that are mirror images those most like arms; not `alike`: one may go on, with a tool."""
    best: tuple[float, list[dict[str, RestBone]]] | None = None
    for one in sides[0].values():
        found = _arm(shape, one, middle, across)
        if found is None or (best is not None and found[0] >= best[0]):
            continue
        for other in sides[1].values():
            joints = min(len(one), len(other))
            if (alike and len(one) != len(other)) or not _are_mirrored(shape, one, other, joints, middle, across):
                continue
            own, its = (_arm(shape, chain[:joints], middle, across) for chain in (one, other))
            if own is not None and its is not None and _meeting(one[joints - 1], other[joints - 1]) is not None:
                best = own[0], [own[1], its[1]]
                break
    return best[1] if best is not None else None


def _are_mirrored(
    shape: _Shape, one: list[RestBone], other: list[RestBone], joints: int, middle: Float64, across: Float64
) -> bool:
    points, others = shape.points(one)[:joints], shape.points(other)[:joints]
    aside = (others - middle) @ across
    return bool(np.linalg.norm(points - (others - 2.0 * aside[:, None] * across), axis=1).max() < SHAPE.mirrored)


def _arm(
    shape: _Shape, chain: list[RestBone], middle: Float64, across: Float64
) -> tuple[float, dict[str, RestBone]] | None:
    """The parts of an arm among bones from the root to a finger, and how unlike those of people it is."""
    points = shape.points(chain)
    aside = np.abs((points - middle) @ across) > SHAPE.aside
    outside = [place for place in range(len(chain)) if aside[place:].all() and points[place][2] > middle[2]]
    best = None
    for shoulder, elbow, wrist in combinations(outside, 3):
        ways = [points[elbow] - points[shoulder], points[wrist] - points[elbow], points[-1] - points[wrist]]
        lengths = [float(np.linalg.norm(way)) for way in ways]
        is_finger = shape.children[chain[wrist - 1]] > SHAPE.branches
        if is_finger or min(lengths[:2]) < SHAPE.shortest or not _is_straight(points, shoulder, elbow, wrist):
            continue
        usual = SHAPE.arm
        misfit = sum(log(own / its) ** 2 for own, its in zip(lengths[:2], usual, strict=False))
        misfit += 0.2 * log(max(lengths[2], 0.3 * usual[2]) / usual[2]) ** 2
        if misfit < SHAPE.longest_misfit and (best is None or misfit < best[0]):
            best = misfit, {"upper_arm": chain[shoulder], "forearm": chain[elbow], "hand": chain[wrist]}
    return best


def _is_straight(points: Float64, shoulder: int, elbow: int, wrist: int) -> bool:
    """Whether upper arm and forearm go straight through the joints between."""
    for first, last in ((shoulder, elbow), (elbow, wrist)):
        way = np.linalg.norm(np.diff(points[first : last + 1], axis=0), axis=1).sum()
        if np.linalg.norm(points[last] - points[first]) < 0.98 * way:
            return False
    return True


def _meeting(one: RestBone, other: RestBone) -> RestBone | None:
    carriers = other.lineage
    return next((bone for bone in one.lineage if bone in carriers), None)


def _head(
    shape: _Shape,
    chest: RestBone | None,
    arms: list[dict[str, RestBone]],
    middle: Float64,
    across: Float64,
) -> RestBone | None:
    """The bone of the head: of those in the middle above the chest, the one that begins where necks end."""
    shoulder = min(float(shape.begin(arm["upper_arm"])[2]) for arm in arms)
    chains = [list(_above(leaf, chest)) for leaf in shape.leaves]
    in_middle = [
        chain
        for chain in chains
        if chain and all(abs((shape.begin(bone) - middle) @ across) < SHAPE.aside for bone in chain)
    ]
    highest = max(in_middle, key=lambda chain: shape.ends[chain[-1]][1][2], default=[])
    above: list[RestBone] = [bone for bone in highest if shape.begin(bone)[2] > shoulder - SHAPE.shortest]
    return min(above, key=lambda bone: abs(shape.begin(bone)[2] - SHAPE.neck * shoulder), default=None)


def _above(leaf: RestBone, chest: RestBone | None) -> Iterator[RestBone]:
    """Bones from above the chest to a leaf; none where that hangs on something else."""
    lineage = leaf.lineage
    if chest in lineage:
        yield from lineage[: lineage.index(chest)][::-1]
