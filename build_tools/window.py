# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests in the window of a real Blender: found, given a screen, the zip and the scenarios, and asked how it went."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from . import packaging
from .blender import profile_variables
from .environments import ROOT, BuildError, run
from .results import Tally

PROGRAM = "FOOTFALL_BLENDER"  # the variable that names a Blender
SECONDS = 1800
INSTALL_SECONDS = 180
SIZE = (1400, 900)


def test_in_window(pictures: Path, words: Sequence[str], tally: Tally) -> None:
    """Install the zip into a Blender with a window, run the scenarios of `tests/window` in it, and count.

    Args:
        pictures: folder for the pictures that they take.
        words: only the scenarios with these in their names.
        tally: where to count.

    Raises:
        BuildError: there is no Blender or no screen, or the zip cannot be installed.
    """
    program = _program()
    pictures.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="footfall-window-", ignore_cleanup_errors=True) as folder,
        _screen(Path(folder)) as screen,
    ):
        profile, record = Path(folder) / "profile", Path(folder) / "results.json"
        archive = packaging.build_zip(packaging.running_platform(), Path(folder))
        variables = profile_variables(profile) | screen
        _install(program, archive, variables)
        command = [program, "--factory-startup", "--enable-event-simulate", "--no-window-focus"]
        command += ["-p", "0", "0", *(str(length) for length in SIZE)]
        command += ["--python", str(ROOT / "tests" / "window" / "driver.py"), "--", str(record), str(pictures), *words]
        finished = run(command, seconds=SECONDS, variables=variables, catch=True)
        _count(record, finished.output, tally)


def _program() -> str:
    program = os.environ.get(PROGRAM) or shutil.which("blender")
    if program is None:
        raise BuildError(f"no Blender with a window was found: put it on PATH, or name its program in {PROGRAM}")
    return program


@contextmanager
def _screen(folder: Path) -> Generator[dict[str, str]]:
    """Variables that name a screen: on Linux a virtual one of known size, which keeps its pixels in a file."""
    if sys.platform != "linux":
        yield {}
        return
    server = shutil.which("Xvfb")
    if server is None:
        raise BuildError("window tests need a virtual screen; Debian, Ubuntu: sudo apt-get install xvfb")
    reading, writing = os.pipe()
    words = ["-displayfd", str(writing), "-screen", "0", f"{SIZE[0]}x{SIZE[1]}x24", "-nolisten", "tcp"]
    words += ["-fbdir", str(folder)]
    with subprocess.Popen([server, *words], pass_fds=(writing,), stderr=subprocess.DEVNULL) as process:
        os.close(writing)
        try:
            with os.fdopen(reading) as stream:
                number = stream.readline().strip()
            if not number:
                raise BuildError("Xvfb did not start")
            pixels = str(folder / "Xvfb_screen0")
            yield {"DISPLAY": f":{number}", "LIBGL_ALWAYS_SOFTWARE": "1", "FOOTFALL_SCREEN": pixels}
        finally:
            process.terminate()


def _install(program: str, archive: Path, variables: dict[str, str]) -> None:
    script = ROOT / "build_tools" / "install_in_blender.py"
    command = [program, "--background", "--factory-startup", "--python", str(script), "--", str(archive)]
    finished = run(command, seconds=INSTALL_SECONDS, variables=variables, catch=True)
    if not finished.succeeded:
        raise BuildError(f"{finished.output}\n{program} refused {archive.name}; the reason stands above")


def _count(record: Path, output: str, tally: Tally) -> None:
    """Count what the driver wrote down; a Blender that wrote nothing has failed as a whole."""
    results = json.loads(record.read_text(encoding="utf-8")) if record.exists() else []
    for result in results:
        tally.note(f"window: {result['name']}", succeeded=not result["fault"])
        if result["fault"]:
            print(result["fault"])
    if not results or results[-1]["name"] != "the end":
        print(output[-4000:])
        tally.note("window: all scenarios ran", succeeded=False)
    print(time.strftime("window tests ended at %H:%M:%S"))
