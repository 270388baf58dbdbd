# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: python -m core simulate SCENE.json -o OUT.npz [--report REPORT.json] [--backend NAME].

Exit codes: 0 done; 1 it could not be done; 2 the scene or the command line is at fault, as where there is no folder to
write to; 130 stopped by Ctrl-C. Whatever is not 0 leaves no file half written.
"""

from __future__ import annotations

import os
import signal
import sys

DONE, FAILED, AT_FAULT, STOPPED = 0, 1, 2, 130


def _say_stopped(*_: object) -> None:
    """End at once: while modules are loaded, nothing has been begun that would have to be left in order."""
    os.write(2, b"stopped\n")
    os._exit(STOPPED)


if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not ignored
    signal.signal(signal.SIGINT, _say_stopped)

# ruff: noqa: E402 - numpy takes longer to load than people take to press Ctrl-C
import argparse
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

from .errors import FootfallError, RequestError, SceneError
from .report import make_report, report_lines, report_to_json
from .safe_writing import check_writable_place, file_identity, whole_file
from .scene.file import load_scene
from .simulation import simulate
from .trajectories import Trajectories

_BAR = 30


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Args:
        arguments: the words after the program's name; None = those it was started with.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names may hold what a Windows console cannot show
    options = _parser().parse_args(arguments)
    try:
        if signal.getsignal(signal.SIGINT) is _say_stopped:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        _simulate(options.scene, options.output, options.report, options.backend)
    except (SceneError, RequestError) as error:
        print(error, file=sys.stderr)
        return AT_FAULT
    except FootfallError as error:
        print(error, file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return STOPPED
    return DONE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m core", description="Simulate crowds without Blender.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    simulate = commands.add_parser("simulate", help="simulate a scene file", description="Simulate a scene file.")
    simulate.add_argument("scene", type=Path, metavar="SCENE.json", help="the scene, JSON")
    simulate.add_argument(
        "-o", "--output", type=Path, required=True, metavar="OUT.npz", help="file for the trajectories, npz"
    )
    simulate.add_argument("--report", type=Path, metavar="REPORT.json", help="also write the report, as JSON")
    simulate.add_argument("--backend", choices=("auto", "numpy", "numba"), default="auto", help="default: %(default)s")
    return parser


def _simulate(scene_path: Path, output: Path, report_path: Path | None, backend: str) -> None:
    scene = load_scene(scene_path)
    _check_places(scene_path, output, report_path)
    with_progress = _progress_on(sys.stderr) if sys.stderr.isatty() else None
    trajectories = simulate(scene, backend=backend, progress=with_progress)
    report = make_report(trajectories, scene)
    _save(trajectories, output, report_to_json(report), report_path)
    for line in report_lines(report):
        print(line)
    print(f"Motion {report['motion']}")


def _save(trajectories: Trajectories, output: Path, report: bytes, report_path: Path | None) -> None:
    """Write both files or none: the report waits beside its place until the trajectories are safe."""
    if report_path is None:
        trajectories.save(output)
        return
    with whole_file(report_path) as stream:
        stream.write(report)
        stream.flush()
        trajectories.save(output)


def _check_places(scene_path: Path, output: Path, report_path: Path | None) -> None:
    """Make sure that what comes out can be written, before the work, and that it overwrites nothing that went in."""
    places = {file_identity(scene_path): "the scene"}
    for path, what in ((output, "the trajectories"), (report_path, "the report")):
        if path is None:
            continue
        check_writable_place(path)
        taken = places.setdefault(file_identity(path), what)
        if taken != what:
            raise RequestError(f"cannot write {what} to '{path}': it is the file of {taken}; give another one")


def _progress_on(stream: TextIO) -> Callable[[int, int], None]:
    """Return what draws a bar on a terminal."""

    def show(done: int, every: int) -> None:
        filled = _BAR * done // max(every, 1)
        end = "\n" if done >= every else ""
        stream.write(f"\r[{'#' * filled}{'.' * (_BAR - filled)}] frame {done} of {every}{end}")
        stream.flush()

    return show


if __name__ == "__main__":
    sys.exit(main())
