# SPDX-License-Identifier: GPL-3.0-or-later
"""What meshes show of feet: soles, and where shins end of legs that have no bone for a foot.

Figures of boxes and machines end with the shin, and files that know only joints do not say where a last bone ends. The
mesh shows it: the lowest vertices that the shin moves.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Container, Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, cast

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ....core.array_types import Float64
from ....core.geometry.reproducible_math import dot, heading_vector, length, matrix_product
from ...blender_data.evaluation import evaluation_scene
from .joints import believed_tails, points_of_bones


@dataclass(frozen=True)
class ShinEndSettings:
    """Which last bones end on the ground; in parts of the height of the body. Chosen.

    Attributes:
        least_drop: they end this far below their joint.
        highest: and lower than this, where ankles are, and begin higher.
        lowest_hip: what carries them begins higher than this.
        lowest_whole: bones that are a whole leg begin higher than this; figures of boxes have short legs.
        level: bones whose joints differ in height by less are as low as each other.
        alike: as far as another one, but for this share: legs come in pairs.
        beside: the foot of an end is no farther from it.
        sole: of the drop; vertices that are lower than this above the lowest are the sole.
        least_weight: with which a vertex follows a bone.
        directions: in which a sole is touched, from below and beside.
    """

    least_drop: float = 0.1
    highest: float = 0.2
    lowest_hip: float = 0.22
    lowest_whole: float = 0.15
    level: float = 0.05
    alike: float = 0.2
    beside: float = 0.15
    sole: float = 0.15
    least_weight: float = 0.5
    directions: int = 64


ENDS = ShinEndSettings()


@dataclass(frozen=True)
class ShinEnd:
    """The end of a shin in the place of a foot: what it has in common with a bone.

    Attributes:
        name: of this foot; no bone has it.
        parent: the shin.
        offset: from the joint of the shin, in its axes.
    """

    name: str
    parent: Any
    offset: Vector
    children: tuple[Any, ...] = ()
    children_recursive: tuple[Any, ...] = ()
    use_deform: bool = True

    @property
    def matrix_local(self) -> Matrix:
        """Its rest pose in the armature: as the shin is turned."""
        return self.parent.matrix_local @ Matrix.Translation(self.offset)

    @property
    def head_local(self) -> Vector:
        """Where it is at rest, in the armature."""
        return self.matrix_local.translation

    @property
    def parent_recursive(self) -> list[Any]:
        """The bones that carry it."""
        return [self.parent, *self.parent.parent_recursive]


_Ends = list[tuple[str, Vector]]
_kept: ContextVar[dict[Hashable, _Ends] | None] = ContextVar("shin_ends", default=None)


@contextmanager
def keep_shin_ends() -> Generator[None]:
    """Search for the ends of shins once for bodies alike, while nobody changes the meshes of a character."""
    token = _kept.set({})
    try:
        yield
    finally:
        _kept.reset(token)


def find_shin_ends(armature: bpy.types.Object, to_world: Any) -> list[ShinEnd]:
    """Find the last bones of an armature that end on the ground, far below their joints.

    Args:
        armature: may be evaluated.
        to_world: transform (4, 4) or (3, 3) from its axes to the world.
    """
    data: Any = armature.data
    down = -np.array(to_world, dtype=np.float64)[2, :3]
    begin = points_of_bones(data.bones, "head_local")
    kept = _kept.get()
    if kept is None:
        found = _search(data, begin, down)
    else:
        joints = begin.tobytes(), points_of_bones(data.bones, "tail_local").tobytes()
        key = (*(bone.name for bone in data.bones), *joints, *np.round(down / max(np.abs(down).max(), 1e-12), 6))
        found = kept[key] if key in kept else kept.setdefault(key, _search(data, begin, down))
    return [ShinEnd(f"{name} (foot)", data.bones[name], offset) for name, offset in found]  # ty: ignore[invalid-argument-type]


def _search(data: Any, begin: Float64, down: Float64) -> _Ends:
    """Return the names of shins, and where these end from their joints, in their axes.

    Where there are none, bones that are a whole leg are looked for: the lowest ones, which hang on a body themselves.
    """
    if len(begin) < 3 or not np.isfinite(begin).all() or not down.any():
        return []
    depth = dot(begin, down / length(down))
    hanging = [bone for bone in data.bones if _hangs(bone, down)]
    shins = _find_pairs(data, hanging, depth, down)
    return shins or _find_pairs(data, _whole_legs(data, hanging, depth), depth, down, are_whole=True)


def _find_pairs(data: Any, last: list[Any], depth: Float64, down: Float64, *, are_whole: bool = False) -> _Ends:
    """Find last bones that end on the ground, in pairs: shins, or each a whole leg."""
    if len(last) < 2:
        return []
    tails = believed_tails(data.bones)
    ends = {} if tails is None else {bone: bone.tail_local.copy() for bone in last if tails[_row(bone, data)]}
    middle = max(float(np.mean([depth.min(), depth.max()])), min(float(depth[_row(bone, data)]) for bone in last))
    ends |= _ends_of_meshes(data.original, [bone for bone in last if bone not in ends], down, middle)
    found = {bone: float(Vector(down.tolist()).normalized() @ end) for bone, end in ends.items()}
    lowest = max([*found.values(), float(depth.max())])
    height = lowest - min(float(depth.min()), *found.values(), lowest)
    least, highest = ENDS.least_drop * height, lowest - ENDS.highest * height
    begins = lowest - (ENDS.lowest_whole if are_whole else ENDS.highest) * height
    drops = {
        bone: found[bone] - float(depth[_row(bone, data)])
        for bone in ends
        if found[bone] > highest
        and begins > depth[_row(bone, data)]  # what begins lower is a foot
        and (are_whole or lowest - depth[_row(bone.parent, data)] > ENDS.lowest_hip * height)
    }
    pairs = [
        bone
        for bone, drop in drops.items()
        if drop > least and any(abs(drop - its) < ENDS.alike * drop for other, its in drops.items() if other != bone)
    ]
    free = [bone for bone in pairs if not _has_loose_foot(data, bone, ends[bone], ENDS.beside * height)]
    return [(bone.name, bone.matrix_local.inverted_safe() @ ends[bone]) for bone in free]


def _whole_legs(data: Any, hanging: list[Any], depth: Float64) -> list[Any]:
    """Return the last bones that may be a whole leg: none begins lower, they hang on a body, and no shin is above them.

    A body carries several of them, or begins no higher than they do; a shin, with its one foot, does neither.
    """
    size, last = float(np.ptp(depth)), [bone for bone in data.bones if not len(bone.children)]
    level, near = ENDS.level * size, ENDS.beside * size
    deepest = max((float(depth[_row(bone, data)]) for bone in last), default=0.0) - level
    lowest = [bone for bone in last if bone.parent is not None and depth[_row(bone, data)] >= deepest]
    carried, shins = Counter(bone.parent.name for bone in lowest), [bone for bone in hanging if bone not in lowest]
    return [
        bone
        for bone in lowest
        if (carried[bone.parent.name] > 1 or depth[_row(bone, data)] < depth[_row(bone.parent, data)] + level)
        and not any(_apart(bone, shin, data, depth) < near for shin in shins)
    ]


def _apart(one: Any, other: Any, data: Any, depth: Float64) -> float:
    """Return how far apart two bones begin, seen from above."""
    rise = float(depth[_row(one, data)] - depth[_row(other, data)])
    return math.sqrt(max((one.head_local - other.head_local).length_squared - rise**2, 0.0))


def bone_or_end(armature: bpy.types.Object, name: str, to_world: Any) -> Any:
    """Return a bone of an armature, or the end of a shin, by its name."""
    data: Any = armature.data
    if name in data.bones:
        return data.bones[name]
    return next(end for end in find_shin_ends(armature, to_world) if end.name == name)


def _row(bone: Any, data: Any) -> int:
    return data.bones.find(bone.name)


def _hangs(bone: Any, down: Float64) -> bool:
    """Whether a last bone may be a shin: it hangs below another, which hangs on a body."""
    thigh = bone.parent
    if len(bone.children) or thigh is None or thigh.parent is None:
        return False
    return float(Vector(down.tolist()) @ (bone.head_local - thigh.head_local)) > 0.0


def _has_loose_foot(data: Any, shin: Any, end: Vector, near: float) -> bool:
    """Whether another bone moves vertices where a shin ends: a foot that hangs on something else."""
    kin = {shin, *shin.parent_recursive}
    beside = {bone.name for bone in data.bones if bone not in kin and (bone.head_local - end).length < near}
    return any(
        names.keys() & {each.group for vertex in mesh.vertices for each in vertex.groups if each.weight > 0.0}
        for mesh, names, _ in (meshes_of(bpy.data.objects, data.original, beside) if beside else ())
    )


def meshes_of(
    parts: Iterable[Any], data: Any, bones: Container[str]
) -> Iterator[tuple[bpy.types.Mesh, dict[int, str], Matrix]]:
    """Yield the meshes of an armature, their groups of some bones by their numbers, and where they are in its axes."""
    seen = set()
    for part in parts:
        mesh = part.data
        if not isinstance(mesh, bpy.types.Mesh) or mesh in seen or not len(part.vertex_groups):
            continue
        modifiers = (each for each in part.modifiers if isinstance(each, bpy.types.ArmatureModifier))
        rig = next((each.object for each in modifiers), None)
        if rig is None or rig.data != data:
            continue
        seen.add(mesh)
        names = {group.index: group.name for group in part.vertex_groups if group.name in bones}
        if part.parent == rig:
            yield mesh, names, part.matrix_parent_inverse @ part.matrix_basis
        else:
            yield mesh, names, rig.matrix_world.inverted_safe() @ part.matrix_world


def _ends_of_meshes(data: Any, bones: list[Any], down: Float64, above: float) -> Iterator[tuple[Any, Vector]]:
    """Yield where bones end by the vertices that follow them alone and lie below a depth, in axes of the armature."""
    along = Vector(down.tolist()).normalized()
    points: dict[str, list[Vector]] = {bone.name: [] for bone in bones}
    for mesh, names, placed in meshes_of(bpy.data.objects, data, points) if points else ():
        for number in _deeper(mesh, placed, along, above) if names else ():
            vertex = mesh.vertices[number]
            for each in vertex.groups:
                if each.group in names and each.weight > ENDS.least_weight:
                    points[names[each.group]].append(placed @ vertex.co)
    for bone in bones:
        depths = np.array([along @ (point - bone.head_local) for point in points[bone.name]])
        if not len(depths) or depths.max() <= 0.0:
            continue
        sole = np.array(points[bone.name])[depths > (1.0 - ENDS.sole) * depths.max()]
        middle = Vector(sole.mean(axis=0).tolist())
        yield bone, middle + along * (float(depths.max()) - along @ (middle - bone.head_local))


def _deeper(mesh: bpy.types.Mesh, placed: Matrix, along: Vector, above: float) -> list[int]:
    """Return the numbers of the vertices of a mesh that lie below a depth."""
    points = points_of_bones(mesh.vertices, "co")
    depths = dot(points, np.array(placed.to_3x3().transposed() @ along)) + along @ placed.translation
    return np.flatnonzero(depths > above).tolist()


def find_soles(
    parts: Sequence[bpy.types.Object],
    armature: bpy.types.Object,
    bones: Sequence[Any],
    to_world: Any,
    scene: bpy.types.Scene,
) -> list[Float64]:
    """Return the points of meshes on bones and on what they carry that may be the lowest, in the axes of these bones.

    Args:
        parts: objects of the character; those that renders do not show are left out.
        armature: among them, at rest.
        bones: of feet and toes; what a toe carries is not the foot's.
        to_world: transform (4, 4) from the axes of the armature to the world.
        scene: provides units and frames.

    Returns:
        Of each bone float64 (N, 3); empty where no mesh follows it.
    """
    data: Any = armature.data
    owner: dict[str, int] = {}
    for number, bone in enumerate(bones):
        owner |= {each.name: number for each in (bone, *bone.children_recursive)}
    parts = [part for part in parts if not part.hide_render]
    up = np.array(to_world, dtype=np.float64)[:3, :3]
    highest = max(float(dot(up[2], np.array(bone.head_local))) for bone in bones)
    found: list[list[Float64]] = [[] for _ in bones]
    with _shapes_at_rest(parts, scene) as shapes:
        for mesh, names, placed in meshes_of(parts, data.original, owner):
            if not names:
                continue
            shape = shapes.get(mesh, mesh)
            points = _vertices(shape, placed)
            number_of = {group: owner[name] for group, name in names.items()}
            low = np.flatnonzero(dot(points, up[2]) < highest)
            followed = np.array([_followed(shape.vertices[number], number_of) for number in low.tolist()], dtype=int)
            for number, own in enumerate(found):
                own.append(points[low[followed == number]])
    for part in parts:
        hangs = part.parent == armature and part.parent_type == "BONE" and part.parent_bone in owner
        if hangs and isinstance(part.data, bpy.types.Mesh):
            bone = data.bones[part.parent_bone]
            tail = bone.matrix_local @ Matrix.Translation((0.0, bone.length, 0.0))
            placed = (Matrix() if bone.use_relative_parent else tail) @ part.matrix_parent_inverse @ part.matrix_basis
            found[owner[part.parent_bone]].append(_vertices(part.data, placed))
    directions = matrix_product(_below(), up)
    return [
        _outermost(np.concatenate([np.zeros((0, 3)), *own]), directions, bone)
        for own, bone in zip(found, bones, strict=True)
    ]


def _followed(vertex: bpy.types.MeshVertex, number_of: Mapping[int, int]) -> int:
    """Return which foot or toe a vertex follows most, of numbers by group, -1: none; between both it follows both."""
    shares: dict[int, float] = {}
    for each in vertex.groups:
        if each.group in number_of:
            number = number_of[each.group]
            shares[number] = shares.get(number, 0.0) + each.weight
    return max(shares, key=shares.__getitem__) if sum(shares.values()) >= ENDS.least_weight else -1


@contextmanager
def _shapes_at_rest(
    parts: Sequence[bpy.types.Object], scene: bpy.types.Scene
) -> Generator[dict[bpy.types.Mesh, bpy.types.Mesh]]:
    """Yield meshes as modifiers before that of their armature make them, such as mirrored halves; few have any."""
    shaped: dict[Any, tuple[bpy.types.Object, int]] = {}
    for part in filter(_on_armature, parts):
        place = [each.type for each in part.modifiers].index("ARMATURE")
        if place:
            shaped.setdefault(part.data, (part, place))
    if not shaped:
        yield {}
        return
    with evaluation_scene(scene, remapped=False) as evaluation:
        copies = {mesh: evaluation.copy(part) for mesh, (part, _) in shaped.items()}
        for mesh, (_, place) in shaped.items():
            for each in list(copies[mesh].modifiers)[place:]:
                copies[mesh].modifiers.remove(each)
        graph = evaluation.evaluate(0)
        yield {mesh: cast("bpy.types.Mesh", copy.evaluated_get(graph).data) for mesh, copy in copies.items()}


def _on_armature(part: bpy.types.Object) -> bool:
    """Whether a mesh is deformed by an armature."""
    return isinstance(part.data, bpy.types.Mesh) and any(each.type == "ARMATURE" for each in part.modifiers)


def digest_of_shape(part: bpy.types.Object) -> str:
    """Return a digest of the vertices of a mesh that bones move, on which soles depend; "" of other objects.

    It is asked for while the user works: what is edited counts when they leave Edit Mode.
    """
    mesh: Any = part.data
    if not (_on_armature(part) or (isinstance(mesh, bpy.types.Mesh) and part.parent_type == "BONE")):
        return ""
    points = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", points)
    return hashlib.blake2b(points.astype("<f4").tobytes(), digest_size=16).hexdigest()


def _vertices(mesh: bpy.types.Mesh, matrix: Matrix) -> Float64:
    """Return where a matrix puts the vertices of a mesh, float64 (V, 3)."""
    turned = np.array(matrix, dtype=np.float64)
    return matrix_product(points_of_bones(mesh.vertices, "co"), turned[:3, :3].T) + turned[:3, 3]


def _below() -> Float64:
    """Directions over the lower half of a sphere, evenly, float64 (N, 3); a Fibonacci lattice (Gonzalez 2010)."""
    number = np.arange(ENDS.directions)
    z = -(number + 0.5) / ENDS.directions
    level = np.sqrt(1.0 - z * z)[:, None]
    return np.column_stack([level * heading_vector(number * np.pi * (3.0 - np.sqrt(5.0))), z])


def _outermost(points: Float64, directions: Float64, bone: Any) -> Float64:
    """Return those of points (N, 3) in the axes of the armature that are farthest in a direction, in a bone's axes."""
    if not len(points):
        return points
    outer = points[np.unique(matrix_product(points, directions.T).argmax(axis=0))]
    matrix = np.array(bone.matrix_local.inverted(), dtype=np.float64)
    return matrix_product(outer, matrix[:3, :3].T) + matrix[:3, 3]
