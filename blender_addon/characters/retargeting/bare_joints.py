# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips as glTF without a body, as of Ready Player Me: joints without a skin, of which the importer makes empties."""

from __future__ import annotations

import json
from pathlib import Path

_HEADER = 20  # bytes before the JSON of a binary glTF file (glTF 2.0, 4.4)


def with_skin(path: Path, folder: Path) -> Path:
    """Return a file in which the nodes that a clip moves are joints of a skin, so that they are imported as bones.

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
