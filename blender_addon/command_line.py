# SPDX-License-Identifier: GPL-3.0-or-later
"""`blender -b FILE.blend --command footfall ...`: bake or export without a window.

Blender has loaded the file by the time `run` is called, and ends with the code that it gives back. Whatever goes
wrong is reported on standard error, one line for each fault, and then all files are as they were.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import bpy

from ..core import SceneError, save_scene
from ..core.errors import FootfallError, RequestError
from ..core.report import report_lines, report_to_json
from ..core.safe_writing import check_writable_place, file_identity, whole_file
from .bakes.edited_people import ASK
from .baking.bake import bake
from .headless.overrides import set_by_words
from .headless.pictures import check_picture, render_picture
from .headless.variants import AT_FAULT, Variants, bake_variants, seeds_of, variant_path
from .reading import read_scene
from .runtime import last_bakes
from .settings.scene_settings import scene_of, settings_of

NAME = "footfall"
DONE, FAILED = 0, 1


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
    except (SceneError, RequestError) as error:
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
        description="Bake the crowds of the scene that is active in the file. Without --output the opened file is "
        "overwritten, after the bake has succeeded.",
    )
    baking.add_argument("--crowd", metavar="NAME", help="write the characters of this crowd only")
    baking.add_argument(
        "--output", metavar="OUT.blend", type=Path, help="save to this file, and leave the opened file unchanged"
    )
    baking.add_argument("--report", metavar="REPORT.json", type=Path, help="also write the report, as JSON")
    baking.add_argument(
        "--edited",
        choices=("keep", "overwrite"),
        help="keep or overwrite people who were edited by hand; without it, such a file is not baked",
    )
    baking.add_argument(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="change a setting first, for example crowds.Walkers.count=80",
    )
    baking.add_argument("--seed", metavar="N", help="the scene's seed; a range as 1..20 bakes that many variants")
    baking.add_argument("--picture", metavar="OUT.png", type=Path, help="also render one small picture")
    baking.add_argument(
        "--picture-frame", metavar="FRAME", type=int, help="frame of the picture; default: the middle frame"
    )
    baking.add_argument(
        "--contact-sheet", metavar="OUT.png", type=Path, help="variants: write their pictures to one sheet"
    )
    baking.add_argument(
        "--workers", metavar="N", type=_at_least_one, default=0, help="variants: how many are baked at a time"
    )
    baking.set_defaults(act=_bake)
    exporting = actions.add_parser(
        "export",
        help="write the scene file",
        description="Write crowds, routes and obstacles to a scene file for Footfall's core: "
        "python -m core simulate SCENE.json -o OUT.npz",
    )
    exporting.add_argument("scene", metavar="SCENE.json", type=Path, help="file to write")
    exporting.set_defaults(act=_export)
    return parser


def _at_least_one(word: str) -> int:
    if not word.isdecimal() or not int(word):
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, got '{word}'")
    return int(word)


def _bake(options: argparse.Namespace) -> None:
    """Bake and save, one scene or variants of it; what can be checked of the places is checked before the work."""
    seeds = seeds_of(options.seed) if options.seed is not None else []
    if len(seeds) > 1 or options.contact_sheet is not None:
        _bake_variants(options, seeds)
        return
    _check_places(options.output, options.report, options.picture)
    scene = scene_of(bpy.context)
    if options.picture is not None:
        check_picture(scene, options.picture)
    set_by_words(scene, [*options.set, *(f"seed={seed}" for seed in seeds)])
    edited, memory = (options.edited or ASK).upper(), last_bakes.memory_of(scene)
    result = bake(scene, crowd=options.crowd, edited=edited, memory=memory)
    _save(options.output, report_to_json(result.report), options.report)
    for line in report_lines(result.report):
        print(line)
    print(f"Motion {result.report['motion']}")
    if options.picture is not None:
        frame = options.picture_frame
        frame = (scene.frame_start + scene.frame_end) // 2 if frame is None else frame
        render_picture(scene, options.picture, frame=frame, caption=_caption(result.report, seeds))
    print(result.summary)


def _caption(report: dict[str, Any], seeds: list[int]) -> str:
    """What a picture says of its bake."""
    total = report["total"]
    words = [f"seed {seed}" for seed in seeds] + [f"{total['arrived']} of {total['agents']} arrived"]
    return ", ".join(words) + f", overlap {100 * (total['deepest_overlap'] or 0.0):.1f} cm"


def _bake_variants(options: argparse.Namespace, seeds: list[int]) -> None:
    file = bpy.data.filepath
    if not file:
        raise RequestError("no file is open: name one before --command; variants are baked from a saved file")
    if options.contact_sheet is None and options.output is None and options.report is None:
        raise RequestError(
            "choose what to keep of the variants: --contact-sheet OUT.png, --output OUT.blend or --report"
        )
    if options.picture is not None:
        raise RequestError("variants need --contact-sheet instead of --picture")
    saved = [] if options.output is None else [variant_path(options.output, seed) for seed in seeds]
    taken = {file_identity(file): "the opened file"}
    places = [(path, True) for path in saved]
    places += [(path, False) for path in (options.report, options.contact_sheet) if path is not None]
    for path, blend in places:
        check_writable_place(path, blend=blend)
        place = file_identity(path)
        if place in taken:
            raise RequestError(f"cannot write to '{path}': it is {taken[place]}; name another one")
        taken[place] = "the file of another output"
    if options.contact_sheet is not None:
        check_picture(scene_of(bpy.context), options.contact_sheet)
    set_by_words(scene_of(bpy.context), options.set)  # so that a wrong word is reported once, and before the work
    words = [word for each in options.set for word in ("--set", each)]
    words += ["--crowd", options.crowd] if options.crowd else []
    words += ["--edited", options.edited] if options.edited else []
    words += ["--picture-frame", str(options.picture_frame)] if options.picture_frame is not None else []
    seeds = seeds or [settings_of(scene_of(bpy.context)).seed]
    wanted = Variants(seeds, words, options.contact_sheet, options.output, options.report, options.workers)
    bake_variants(Path(file), wanted, partial(print, flush=True))


def _export(options: argparse.Namespace) -> None:
    check_writable_place(options.scene)
    reading = read_scene(scene_of(bpy.context))
    save_scene(reading.scene, options.scene)
    for notice in reading.notices:
        print(notice)
    print(f"Wrote '{options.scene}'")


def _check_places(output: Path | None, report: Path | None, picture: Path | None = None) -> None:
    """Make sure that what comes out can be written, and that no other file replaces a .blend file."""
    opened = Path(bpy.data.filepath) if bpy.data.filepath else None
    blend = output or opened
    if blend is None:
        raise RequestError("no file is open: name one before --command, or give --output")
    check_writable_place(blend, blend=True)
    taken = {file_identity(path) for path in (blend, opened) if path is not None}
    for what, path in (("report", report), ("picture", picture)):
        if path is None:
            continue
        check_writable_place(path)
        if file_identity(path) in taken:
            raise RequestError(f"cannot write the {what} to '{path}': another file has this name; give another one")
        taken.add(file_identity(path))


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
