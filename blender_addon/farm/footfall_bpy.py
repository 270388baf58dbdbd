# SPDX-License-Identifier: GPL-3.0-or-later
"""Footfall's command line with Blender's Python module: where `pip install bpy` is all that there is of Blender.

    python footfall_bpy.py FILE.blend bake --output baked.blend --report report.json

does what `blender -b FILE.blend --command footfall bake ...` does, with the same exit code. The add-on must be
installed as an extension. This file needs nothing beside it: it may be copied to wherever it is called from.
"""

import importlib
import io
import os
import sys
from pathlib import Path

import bpy

# isort: split
import addon_utils  # can be found once bpy is there

EXTENSION = os.environ.get("FOOTFALL_EXTENSION", "")
"""The package of the add-on, where several are installed; without it, the first that is found."""

AT_FAULT = 2
_INSTALL = "bpy.ops.extensions.package_install_files(filepath=ZIP, repo='user_default')"


def installed() -> str:
    """Return the package of the installed add-on, empty where there is none."""
    repositories = bpy.context.preferences.extensions.repos
    found = [repo.module for repo in repositories if repo.enabled and Path(repo.directory, "footfall").is_dir()]
    return f"bl_ext.{found[0]}.footfall" if found else ""


def run(words: list[str]) -> int:
    """Open a file and do what the words after it say; returns the exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names may hold what a Windows console cannot show
    if len(words) < 2 or words[0].startswith("-"):
        print("usage: footfall_bpy.py FILE.blend bake|export ...; for options: FILE.blend bake --help", file=sys.stderr)
        return AT_FAULT
    file, *words = words
    root = EXTENSION or installed()
    if not root:
        print(f"Footfall is not installed for this bpy: install its zip by {_INSTALL}", file=sys.stderr)
        return AT_FAULT
    if addon_utils.enable(root, default_set=True) is None:
        return 1  # why, it has said
    try:
        bpy.ops.wm.open_mainfile(filepath=str(Path(file).absolute()))
    except RuntimeError as error:
        print(str(error).strip(), file=sys.stderr)
        return AT_FAULT
    return importlib.import_module(f"{root}.blender_addon.command_line").run(words)


if __name__ == "__main__":
    code = run(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # bpy can hang or crash while Python takes it down
