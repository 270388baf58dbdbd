# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips added from files: their Actions are kept, each with its skeleton, and nothing else that an importer brings."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import bpy
import numpy as np

from ....core.errors import FootfallError
from ...blender_data import animation, fcurves
from ...blender_data.evaluation import frames_per_second
from ..clips.clip_names import read_name
from ..clips.clip_search import own_clips, suits
from ..clips.skeletons import Skeleton
from .humanoids import find_body

_QUARTER = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
_SAME_RATE = 1e-6
_HEADER = 20  # bytes before the JSON of a binary glTF file (glTF 2.0, 4.4)

Importer = Callable[[str], Any]


def files_of_clips(folder: Path) -> list[Path]:
    """Return the files of a folder that may hold clips, by name."""
    return sorted(each for each in folder.iterdir() if each.is_file() and each.suffix.lower() in _OPERATORS)


def add_clips(path: Path, context: bpy.types.Context) -> list[bpy.types.Action]:
    """Import a file and keep nothing but its clips.

    Args:
        path: of a file from `files_of_clips`.
        context: whose scene gives the frame rate: times in seconds are kept.

    Returns:
        The new Actions, which have fake users.

    Raises:
        FootfallError: there is no importer, the file cannot be read, or it holds no clip.
    """
    load = _importer(path.suffix.lower())
    if load is None:
        raise FootfallError(f"'{path.name}': no importer for this format is enabled: enable it in the Preferences")
    assert context.scene is not None
    before, wanted = _blocks(), frames_per_second(context.scene)
    kept: list[bpy.types.Action] = []
    try:
        with _scene_apart(context) as scene, TemporaryDirectory() as folder:
            load(str(_with_skin(path, Path(folder))))
            scene.view_layers[0].update()
            new = {uid: block for uid, block in _blocks().items() if uid not in before}
            kept = _keep_clips(path.stem, new)
            _rescale(kept, wanted / frames_per_second(scene))  # importers of FBX take over the frame rate of the file
    except RuntimeError as error:
        raise FootfallError(f"'{path.name}' could not be read: {_reason(error)}") from error
    finally:
        stays = {action.session_uid for action in kept} | set(before)
        bpy.data.batch_remove([block for uid, block in _blocks().items() if uid not in stays])
    if not kept:
        raise FootfallError(f"'{path.name}' holds no clip: no bone moves in it")
    return kept


def _keep_clips(name: str, new: Mapping[int, bpy.types.ID]) -> list[bpy.types.Action]:
    """Mark the Actions that move bones as clips, and store their skeletons."""
    actions = [block for block in new.values() if isinstance(block, bpy.types.Action)]
    rigs = [block for block in new.values() if isinstance(block, bpy.types.Object) and block.type == "ARMATURE"]
    kept = []
    for action in actions:
        clips = animation.clips_of_action(action)
        played = [rig for rig in rigs if any(clip in own_clips(rig) for clip in clips)]
        rig = next((rig for rig in [*played, *rigs] if any(suits(clip, rig) for clip in clips)), None)
        if rig is None:
            continue
        _upright(Skeleton.of(rig)).store(action)
        reading = read_name(action.name)
        if reading.kind is None and not reading.doubt:
            action.name = name
        action.use_fake_user = True
        kept.append(action)
    return kept


def _upright(skeleton: Skeleton) -> Skeleton:
    """Stand a skeleton upright in which a body lies: BVH does not say which axis is up."""
    for axes in (np.eye(4), _QUARTER, _QUARTER.T):
        turned = Skeleton(skeleton.bones, axes @ skeleton.world)
        if find_body(turned, turned.world) is not None:
            return turned
    return skeleton


def _rescale(actions: list[bpy.types.Action], factor: float) -> None:
    """Stretch the time of Actions, so that it is the same in seconds."""
    if abs(factor - 1.0) < _SAME_RATE:
        return
    for action in actions:
        for clip in animation.clips_of_action(action):
            for curve in animation.curves_of(clip):
                fcurves.shift_keys(curve, 0.0, stretch=factor)
        if action.use_frame_range:
            action.frame_start, action.frame_end = action.frame_start * factor, action.frame_end * factor


@contextmanager
def _scene_apart(context: bpy.types.Context) -> Generator[bpy.types.Scene]:
    """Have importers work in a new scene with the frame rate of the user's, which the caller removes."""
    own, window = context.scene, context.window
    assert own is not None
    scene = bpy.data.scenes.new("Footfall clips")
    scene.render.fps, scene.render.fps_base = own.render.fps, own.render.fps_base
    if window is None:
        with context.temp_override(scene=scene, view_layer=scene.view_layers[0]):
            yield scene
        return
    layer = window.view_layer
    window.scene = scene
    try:
        yield scene
    finally:
        window.scene = own
        window.view_layer = layer


def _blocks() -> dict[int, bpy.types.ID]:
    """All data-blocks of the file, by their identity."""
    lists = [getattr(bpy.data, each.identifier) for each in bpy.data.bl_rna.properties if each.type == "COLLECTION"]
    return {block.session_uid: block for blocks in lists for block in blocks}


def _importer(suffix: str) -> Importer | None:
    """The first operator for a format that is there; enabling add-ons is the user's."""
    for group, name, options in _OPERATORS[suffix]:
        operators = getattr(bpy.ops, group)
        if name in dir(operators):
            return lambda path: getattr(operators, name)(filepath=path, **options)
    return None


def _reason(error: RuntimeError) -> str:
    """The last line of what an importer said."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip() and not line.startswith("Location:")]
    return lines[-1].removeprefix("Error: ") if lines else "its importer gives no reason"


_FBX = (("wm", "fbx_import", {}), ("import_scene", "fbx", {}))
_GLTF = (("import_scene", "gltf", {}),)
_BVH = (("import_anim", "bvh", {"use_fps_scale": True}),)
_OPERATORS: Mapping[str, tuple[tuple[str, str, dict[str, Any]], ...]] = {
    ".fbx": _FBX,
    ".glb": _GLTF,
    ".gltf": _GLTF,
    ".bvh": _BVH,
}


def _with_skin(path: Path, folder: Path) -> Path:
    """Return a file in which the nodes that a clip moves are joints of a skin, so that they are imported as bones.

    Of joints without a skin, as of Ready Player Me's clips, which have no body, the importer makes empties.

    Args:
        path: of any file.
        folder: where a copy may be written.

    Returns:
        The copy, or the file itself where it is no binary glTF, cannot be read, or has skins or meshes.
    """
    content = path.read_bytes() if path.suffix.lower() == ".glb" else b""
    end = _HEADER + int.from_bytes(content[12:16], "little")
    try:
        scene = json.loads(content[_HEADER:end])
        targets = [channel["target"] for clip in scene["animations"] for channel in clip["channels"]]
    except (ValueError, LookupError, TypeError):  # the importer says what is wrong
        return path
    moved = sorted({target["node"] for target in targets if "node" in target})
    if not moved or scene.get("skins") or scene.get("meshes"):
        return path
    text = json.dumps(scene | {"skins": [{"joints": moved}]}).encode()
    text += b" " * (-len(text) % 4)
    sizes = [_HEADER + len(text) + len(content) - end, len(text)]
    whole, own = (size.to_bytes(4, "little") for size in sizes)
    copy = folder / path.name
    copy.write_bytes(content[:8] + whole + own + content[16:_HEADER] + text + content[end:])
    return copy
