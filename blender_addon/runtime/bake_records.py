# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes as they were read back from the file, kept until another bake, an edit of keys, or another file."""

from __future__ import annotations

from dataclasses import dataclass

import bpy

from ...core.inspection.replay import Replay
from ..baking.baked_motion import BakedMotion, read_baked_motion
from ..blender_data.handlers import Handlers, when_replaced
from ..reading import Reading
from ..settings.scene_settings import settings_of


@dataclass(frozen=True, eq=False)
class BakeRecord:
    """The bakes of one scene, read back.

    Attributes:
        fingerprint: of the reading that they were made from.
        crowds: identity of each crowd, and the fingerprint that its bake was made from.
        motion: where everybody walked and why.
        replay: the same for the core.
    """

    fingerprint: str
    crowds: tuple[tuple[str, str], ...]
    motion: BakedMotion
    replay: Replay


_records: dict[int, BakeRecord] = {}


def record_of(scene: bpy.types.Scene, reading: Reading) -> BakeRecord:
    """Return the bakes of a scene, read once.

    Args:
        scene: with its bakes.
        reading: from which they were made.

    Raises:
        FootfallError: the scene that was baked cannot be set up again.
    """
    crowds = tuple((crowd.uid, crowd.baked) for crowd in settings_of(scene).crowds)
    known = _records.get(scene.session_uid)
    if known is None or (known.fingerprint, known.crowds) != (reading.fingerprint, crowds):
        motion = read_baked_motion(scene, reading)
        known = BakeRecord(reading.fingerprint, crowds, motion, Replay(reading.scene, motion.position, motion.reasons))
        _records[scene.session_uid] = known
    return known


def _on_update(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Keys may have been edited."""
    if depsgraph.id_type_updated("ACTION"):
        _records.pop(scene.session_uid, None)


def _on_another_file(*_: object) -> None:
    """Another file, or another state of this one."""
    _records.clear()


_HANDLERS = Handlers(("depsgraph_update_post", _on_update), *when_replaced(_on_another_file), at_end=_on_another_file)
attach, detach = _HANDLERS.attach, _HANDLERS.detach
