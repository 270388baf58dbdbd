# SPDX-License-Identifier: GPL-3.0-or-later
"""All that a file holds, as plain values by their places: to tell what a bake or an undo has changed, and what not.

Every property that Blender knows of a data-block is taken, down to single keys, whatever the add-on's own idea of it.
Left out is only what Blender derives or counts by itself.
"""

import warnings
from typing import Any

import bpy
import numpy as np

TAG, MADE_AS, PINNED, FIGURE = "footfall_crowd", "footfall_made_as", "footfall_pinned", "footfall_figure"
TAGS = {TAG, MADE_AS, "footfall_named", "footfall_shown_as"}
MINE = "mine"
"""Custom property by which tests mark what a user has copied from a bake."""

KINDS = (
    *("actions", "armatures", "cameras", "collections", "curves", "images", "lights", "materials", "meshes"),
    *("node_groups", "objects", "scenes", "texts", "worlds"),
)
RECORDS = {
    "uid",
    "known_as",
    "baked",
    "report",
    "problems",
    "active_problem_index",
    "edits",
    "cast",
    "active_cast_index",
}
"""What a bake writes into `scene.footfall`."""

_DERIVED = {
    *("selected_studio_light", "tool_settings"),  # of Blender more than of the file; in 4.2 some point nowhere
    *("rna_type", "bl_rna", "users", "session_uid", "is_evaluated", "is_missing", "is_runtime_data", "original"),
    *("preview", "tag", "depsgraph", "bound_box", "dimensions", "matrix_world", "matrix_local", "matrix_basis"),
    *("matrix", "matrix_channel", "head", "tail", "view_layers", "all_objects", "children_recursive"),
    "bake_state",
    "library_weak_reference",  # Blender drops it when the same file is appended again, as tests do for kept figures
    *("keying_sets", "keying_sets_all", "collection_objects", "collection_children", "is_dirty", "has_data"),
    *("texspace_location", "texspace_size", "is_valid", "fcurve_frame_range", "frame_range", "curve_frame_range"),
}
_KEYED = ("co", "handle_left", "handle_right")
_ATTRIBUTES = {
    "FLOAT": ("value", 1, np.float32),
    "INT": ("value", 1, np.int32),
    "INT8": ("value", 1, np.int8),
    "BOOLEAN": ("value", 1, np.bool_),
    "FLOAT_VECTOR": ("vector", 3, np.float32),
    "FLOAT2": ("vector", 2, np.float32),
    "FLOAT_COLOR": ("color", 4, np.float32),
    "BYTE_COLOR": ("color", 4, np.float32),
}
"""How the attributes of a mesh are read: by which word, how many numbers each has, of what kind."""

Values = dict[str, Any]


def was_baked(block):
    """Whether a bake has made a data-block, pinned or not; a copy that the user has made of one is the user's."""
    return (TAG in block or FIGURE in block) and MINE not in block


def is_ours(block):
    """Whether a data-block belongs to a bake still: it was baked, and is not pinned."""
    return was_baked(block) and PINNED not in block


def all_blocks():
    """Every data-block of the file that holds something of a scene, each with its kind."""
    return [(kind, block) for kind in KINDS for block in getattr(bpy.data, kind)]


def all_values() -> Values:
    """Everything in the file."""
    return _values(all_blocks(), ours=True)


def users_values() -> Values:
    """All that is the user's, as if no bake had been."""
    return _values([(kind, block) for kind, block in all_blocks() if not was_baked(block)], ours=False)


def differing(first: Values, second: Values) -> list[str]:
    """What differs, in words; for assertions, which must find nothing."""
    places = sorted(set(first) | set(second))
    told = [f"{place}: {first.get(place, 'none')!r} -> {second.get(place, 'none')!r}" for place in places
            if first.get(place, "none") != second.get(place, "none")]  # fmt: skip
    return [each if len(each) < 300 else f"{each[:300]} ..." for each in told]


def _values(blocks, *, ours: bool) -> Values:
    walk = _Walk(ours=ours)
    users_of = bpy.data.user_map(subset={block for _, block in blocks})
    for kind, block in blocks:
        place = f"{kind}['{block.name_full}']"
        with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
            walk.take(block, place)
        users = (user for user in users_of.get(block, ()) if ours or not was_baked(user))
        walk.told[f"{place}.used by"] = sorted(
            f"{user.bl_rna.identifier} {user.name_full}"
            for user in users
            if ours or not isinstance(user, bpy.types.Scene)  # whose cast table names it
        )
        if kind == "scenes":
            walk.take_layers(block, place)
    return walk.told


class _Walk:
    """Takes down values of structs and of what they hold."""

    def __init__(self, *, ours: bool) -> None:
        self.told: Values = {}
        self._ours = ours
        self._seen: set[tuple[str, int]] = set()
        self._names: dict[str, list[tuple[str, str]]] = {}

    def take(self, struct, place: str) -> None:
        """Everything of a struct."""
        kind = struct.bl_rna.identifier
        key = (kind, struct.as_pointer())
        if key in self._seen:
            return
        self._seen.add(key)
        self._take_own(struct, place)
        if isinstance(struct, bpy.types.Mesh):
            self._take_mesh(struct, place)
            return
        if kind not in self._names:
            self._names[kind] = [(each.identifier, each.type) for each in struct.bl_rna.properties]
        for name, shape in self._names[kind]:
            if name in _DERIVED or (not self._ours and kind.startswith("Footfall") and name in RECORDS):
                continue
            self._take_value(getattr(struct, name), shape, f"{place}.{name}")

    def _take_value(self, value, shape: str, place: str) -> None:
        if shape == "COLLECTION":
            self._take_items(value, place)
        elif isinstance(value, bpy.types.ID) and not value.is_embedded_data:
            self.told[place] = self._name(value)
        elif shape == "POINTER":
            if value is not None:
                self.take(value, place)
        else:
            self.told[place] = plain(value)

    def _take_items(self, items, place: str) -> None:
        first = items[0] if len(items) else None
        if first is None or isinstance(first, bpy.types.ID):
            self.told[place] = sorted(self._name(each) for each in items if self._ours or not was_baked(each))
        elif isinstance(first, bpy.types.Keyframe):
            for name in _KEYED:
                row = np.empty(2 * len(items), dtype=np.float32)
                items.foreach_get(name, row)
                self.told[f"{place}.{name}"] = row.tobytes()
            self.told[f"{place} joined"] = [(key.interpolation, key.easing, key.handle_left_type) for key in items]
        else:
            for number, each in enumerate(items):
                if each is not None:
                    self.take(each, f"{place}[{number}]")
            self.told[f"{place} count"] = len(items)

    def _take_mesh(self, mesh, place: str) -> None:
        self.told[place] = [self._name(each) for each in mesh.materials if each is not None]
        rows = [("vertices", "co", 3, np.float32), ("loops", "vertex_index", 1, np.int32)]
        for name, word, size, kind in [*rows, ("polygons", "loop_start", 1, np.int32)]:
            self._take_row(getattr(mesh, name), word, size, kind, f"{place}.{name}")
        for each in mesh.attributes:
            if each.data_type in _ATTRIBUTES and not each.name.startswith("."):
                self._take_row(each.data, *_ATTRIBUTES[each.data_type], f"{place}.{each.name}")

    def _take_row(self, items, word: str, size: int, kind: type, place: str) -> None:
        row = np.empty(size * len(items), dtype=kind)
        items.foreach_get(word, row)
        self.told[place] = row.tobytes()

    def _take_own(self, struct, place: str) -> None:
        """Custom properties."""
        if not isinstance(struct, bpy.types.ID):
            return
        for key in struct.keys():  # noqa: SIM118 - not a dict
            is_registered = key == "footfall" or key.startswith("cycles")  # taken as what it is, or Blender's
            if not is_registered and (self._ours or key not in TAGS):
                self.told[f"{place}['{key}']"] = plain(struct[key])

    def take_layers(self, scene, place: str) -> None:
        """What is active, selected, and hidden in each view layer of a scene."""
        for layer in scene.view_layers:
            where = f"{place}.{layer.name}"
            shown = [obj for obj in layer.objects if self._ours or not was_baked(obj)]
            active = layer.objects.active
            self.told[f"{where}.active"] = self._name(active) if active is not None else None
            self.told[f"{where}.selected"] = sorted(obj.name_full for obj in shown if obj.select_get(view_layer=layer))
            self.told[f"{where}.hidden"] = sorted(obj.name_full for obj in shown if obj.hide_get(view_layer=layer))
            self._take_tree(layer.layer_collection, where)

    def _take_tree(self, branch, where: str) -> None:
        told = (branch.exclude, branch.hide_viewport, branch.holdout, branch.indirect_only)
        self.told[f"{where}/{branch.name}"] = told
        for child in branch.children:
            if self._ours or not was_baked(child.collection):
                self._take_tree(child, f"{where}/{branch.name}")

    def _name(self, block) -> str:
        if not self._ours and was_baked(block):
            return "of a bake"
        return f"{block.bl_rna.identifier} {block.name_full}"


def plain(value):
    """A value that can be compared: vectors, matrices, and custom properties as lists."""
    if isinstance(value, (bool, int, float, str, bytes, type(None))):
        return value
    if isinstance(value, set):
        return sorted(value)
    if isinstance(value, bpy.types.ID):
        return value.name_full
    if hasattr(value, "to_dict"):
        return str(value.to_dict())
    if hasattr(value, "to_list"):
        return value.to_list()
    return [plain(each) for each in value]
