# SPDX-License-Identifier: GPL-3.0-or-later
"""A digest of everything that a bake depends on: the same scene has the same digest, also after reloading."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.array_types import Float64
from ...core.scene import Scene
from ...core.scene.file import scene_to_json
from ..characters.fingerprint import fingerprint_of
from ..characters.ready.variety import looks_of
from ..settings.crowd.crowd import FootfallCrowd
from ..settings.crowd.motion import FULL


def fingerprint(
    scene: Scene,
    crowds: Sequence[FootfallCrowd],
    ground: Float64 | None,
    unit: float,
    key_rate: float = 1.0,
) -> str:
    """Return the digest of a reading; it changes when a bake would change.

    Args:
        scene: of the core, as read.
        crowds: of the panel, for what the core does not use: characters and how they are shown.
        ground: float64 (T, 3, 3), triangles of the ground [m], or None.
        unit: metres per Blender unit.
        key_rate: frames of keys in a frame, see `key_frames_per_frame`.

    Returns:
        64 hexadecimal digits.

    Source: SHA-256, FIPS 180-4.
    """
    content = {"scene": scene_to_json(scene), "output": [_output_of(crowd) for crowd in crowds], "unit": unit}
    if key_rate != 1.0:
        content["key_rate"] = key_rate
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode())
    if ground is not None:
        digest.update(np.ascontiguousarray(ground, dtype="<f8").tobytes())
    return digest.hexdigest()


def _output_of(crowd: FootfallCrowd) -> dict[str, Any]:
    """Return the settings that determine how the people of a crowd are shown."""
    edits = [[edit.name, edit.hidden, edit.character] for edit in crowd.edits if edit.hidden or edit.character]
    return {
        "name": crowd.name,
        "output": crowd.makes,
        "forward_axis": crowd.forward_axis,
        "stride_length": crowd.stride_length,
        "plants_feet": crowd.motion.plants_feet,
        "keys_ik_feet": crowd.motion.keys_ik_feet,
        "lean": crowd.motion.lean,
        "size_variation": crowd.motion.size_variation,
        "characters": fingerprint_of(crowd),
        **({"rig": crowd.motion.rig} if crowd.motion.rig != FULL else {}),
        **({"looks": _looks_of(crowd)} if crowd.varies_looks else {}),
        **({"edits": edits} if edits else {}),
    }


def _looks_of(crowd: FootfallCrowd) -> list[Any]:
    return [crowd.motion.hue_variation, crowd.motion.brightness_variation, looks_of(crowd)]
