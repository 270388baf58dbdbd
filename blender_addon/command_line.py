# SPDX-License-Identifier: GPL-3.0-or-later
"""`blender -b FILE.blend --command footfall ...`: bake or export without a window.

Blender has loaded the file by the time `run` is called, and ends with the code that it gives back. Whatever goes
wrong is told on standard error, one line for each fault, and then all files are as they were.
"""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import ExitStack
from pathlib import Path

import bpy

from ..core import SceneError, save_scene
from ..core.errors import FootfallError
from ..core.report import report_lines, report_to_json
from ..core.safe_writing import check_writable_place, whole_file
from .baking.approving import ASK
from .baking.bake import bake
from .interface.properties import scene_of
from .reading import read_scene

NAME = "footfall"
DONE, FAILED, AT_FAULT = 0, 1, 2


def run(argv: list[str]) -> int:
    """Do what the words after `--command footfall` say.

    Args:
        argv: those words.

    Returns:
        The exit code of Blender: 0 done; 1 it could not be done; 2 the scene or the command line is at fault.
    """
    try:
        options = _parser().parse_args(argv)
    except SystemExit as leaving:  # argparse has said why; Blender has yet to close in good order
        return int(leaving.code or DONE)
    try:
        options.act(options)
    except SceneError as error:
        print(error, file=sys.stderr)
        return AT_FAULT
    except FootfallError as error:
        print(error, file=sys.stderr)
        return FAILED
    return DONE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="blender -b FILE.blend --command footfall",
        description="Bake the crowds of a .blend file, or write its scene for Footfall's core, without a window.",
    )
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    baking = actions.add_parser(
        "bake",
        help="bake the crowds and save the file",
        description="Bake the crowds of the scene that is active in the file. Without --output the opened file "
        "itself is saved, and only after all went well.",
    )
    baking.add_argument("--crowd", metavar="NAME", help="make the characters of this crowd only")
    baking.add_argument(
        "--output", metavar="OUT.blend", type=Path, help="save here, and leave the opened file as it is"
    )
    baking.add_argument("--report", metavar="REPORT.json", type=Path, help="also write how good it is")
    baking.add_argument(
        "--edited",
        choices=("keep", "overwrite"),
        help="what becomes of characters whose keys were edited by hand; without it nothing is baked over them",
    )
    baking.set_defaults(act=_bake)
    exporting = actions.add_parser(
        "export",
        help="write the scene file",
        description="Write crowds, routes and obstacles to a scene file for Footfall's core: "
        "python -m core simulate SCENE.json -o OUT.npz",
    )
    exporting.add_argument("scene", metavar="SCENE.json", type=Path, help="where to write it")
    exporting.set_defaults(act=_export)
    return parser


def _bake(options: argparse.Namespace) -> None:
    """Bake and save; what can be checked of the places is checked before the work."""
    _check_places(options.output, options.report)
    result = bake(scene_of(bpy.context), crowd=options.crowd, edited=(options.edited or ASK).upper())
    _save(options.output, report_to_json(result.report), options.report)
    for line in report_lines(result.report):
        print(line)
    print(result.summary)


def _export(options: argparse.Namespace) -> None:
    check_writable_place(options.scene)
    reading = read_scene(scene_of(bpy.context))
    save_scene(reading.scene, options.scene)
    for notice in reading.notices:
        print(notice)
    print(f"Wrote '{options.scene}'")


def _check_places(output: Path | None, report: Path | None) -> None:
    """Make sure that what comes out can be written, and that the report does not replace a .blend file."""
    opened = Path(bpy.data.filepath) if bpy.data.filepath else None
    blend = output or opened
    if blend is None:
        raise FootfallError("no file is open: name one before --command, or say with --output where to save")
    check_writable_place(blend)
    if report is None:
        return
    check_writable_place(report)
    if os.path.realpath(report) in {os.path.realpath(path) for path in (blend, opened) if path is not None}:
        raise FootfallError(f"cannot write the report to '{report}': the .blend file stands there; name another file")


def _save(output: Path | None, report: bytes, report_path: Path | None) -> None:
    """Write both files or none: the report waits beside its place until the .blend file is safe."""
    with ExitStack() as stack:
        if report_path is not None:
            stream = stack.enter_context(whole_file(report_path))
            stream.write(report)
            stream.flush()
        _save_blend(output)


def _save_blend(output: Path | None) -> None:
    """Save the opened file in place, or a copy of it; Blender writes beside it and renames."""
    try:
        if output is None:
            bpy.ops.wm.save_mainfile()
        else:
            bpy.ops.wm.save_as_mainfile(filepath=str(output.absolute()), copy=True)
    except RuntimeError as error:
        raise FootfallError(f"cannot save '{output or bpy.data.filepath}': {str(error).strip()}") from error
