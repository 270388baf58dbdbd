# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender as a Python module: its environments, its system libraries, its profiles, and the zip installed in one."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .environments import ROOT, TEST_TOOLS, BuildError, Finished, ensure_environment, find_python, run, running_version

HANGING_SECONDS = 900  # of the clock: whatever takes so long hangs, on a busy machine too


@dataclass(frozen=True)
class Blender:
    """A Blender that PyPI has as a module.

    Attributes:
        version: of the package bpy.
        python: the one CPython that it is made for.
        numpy: the one that the Blender of that version brings along, or the nearest to be had.
    """

    version: str
    python: str
    numpy: str


BLENDERS = {
    blender.version: blender
    for blender in (
        Blender("4.2.23", "3.11", "1.24.4"),
        Blender("4.5.15", "3.11", "1.26.4"),
        Blender("5.0.1", "3.11", "1.26.4"),
        Blender("5.2.3", "3.13", "2.3.5"),
    )
}

LIBRARIES = {  # file: (package of Debian and Ubuntu, package of Fedora)
    "libX11.so.6": ("libx11-6", "libX11"),
    "libXrender.so.1": ("libxrender1", "libXrender"),
    "libXfixes.so.3": ("libxfixes3", "libXfixes"),
    "libXi.so.6": ("libxi6", "libXi"),
    "libxkbcommon.so.0": ("libxkbcommon0", "libxkbcommon"),
    "libSM.so.6": ("libsm6", "libSM"),
    "libICE.so.6": ("libice6", "libICE"),
    "libXext.so.6": ("libxext6", "libXext"),
    "libXxf86vm.so.1": ("libxxf86vm1", "libXxf86vm"),
    "libGL.so.1": ("libgl1", "libglvnd-glx"),
    "libEGL.so.1": ("libegl1", "libglvnd-egl"),
    "libgomp.so.1": ("libgomp1", "libgomp"),
}
DRIVERS = ("libgl1-mesa-dri", "mesa-dri-drivers")


def missing_libraries() -> list[str]:
    """The system libraries that bpy needs and this Linux has not; empty on other systems."""
    return [name for name in LIBRARIES if not _can_load(name)] if sys.platform == "linux" else []


def _can_load(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def packages_advice(missing: Sequence[str]) -> str:
    """Say which packages bring missing libraries, for the two families of Linux that most people have.

    Args:
        missing: names of libraries, keys of LIBRARIES.
    """
    debian, fedora = zip(*(LIBRARIES[name] for name in missing), DRIVERS, strict=True)
    return (
        f"Blender needs system libraries that are not here: {', '.join(missing)}\n"
        f"  Debian, Ubuntu: sudo apt-get install {' '.join(debian)}\n"
        f"  Fedora:         sudo dnf install {' '.join(fedora)}"
    )


def default_blender() -> Blender:
    """The newest Blender for the running Python, or else for another Python that is found.

    Raises:
        BuildError: bpy is made for none of the Pythons here.
    """
    fitting = [blender for blender in BLENDERS.values() if blender.python == running_version()]
    if fitting:
        return fitting[-1]
    for blender in reversed(BLENDERS.values()):
        if find_python(blender.python):
            return blender
    raise BuildError(
        f"Blender's module bpy is made for CPython 3.11 (up to Blender 5.0) and 3.13 (Blender 5.2); this is "
        f"{running_version()}, and neither was found on PATH, in pyenv or by the py launcher.\n"
        f"Install one of the two and run: python3.13 build_addon.py ..."
    )


def ensure_blender(blender: Blender) -> Path:
    """Make the environment of a Blender, or find it made, and see that it starts.

    Args:
        blender: one of BLENDERS.

    Returns:
        The Python that can `import bpy`, with the tools for tests.

    Raises:
        BuildError: its Python is not here, the installation failed, or bpy does not start.
    """
    python = find_python(blender.python)
    if python is None:
        raise BuildError(f"Blender {blender.version} needs CPython {blender.python}, which was not found here")
    packages = (f"bpy=={blender.version}", f"numpy=={blender.numpy}", *TEST_TOOLS)
    inside = ensure_environment(f"bpy-{blender.version}", python, packages)
    started = run([inside, "-c", "import bpy"], seconds=HANGING_SECONDS, catch=True)
    missing = missing_libraries()
    if missing and (not started.succeeded or "libEGL.so.1" in missing):  # without EGL a render ends the process
        raise BuildError(packages_advice(missing))
    if not started.succeeded:
        raise BuildError(f"{started.output}\nbpy {blender.version} does not start; the reason stands above")
    return inside


def profile_variables(profile: Path) -> dict[str, str]:
    """Environment variables that keep a Blender to a profile of its own.

    Args:
        profile: folder for settings and extensions.
    """
    return {"BLENDER_USER_RESOURCES": str(profile.resolve()), "PYTHONNOUSERSITE": "1"}


def install_zip(python: Path, archive: Path, profile: Path) -> None:
    """Install the zip into a profile the way a user does, and enable it.

    Args:
        python: a Python that can `import bpy`.
        archive: the extension's zip.
        profile: folder for settings and extensions.

    Raises:
        BuildError: Blender refused it.
    """
    profile.mkdir(parents=True, exist_ok=True)
    command = [python, ROOT / "build_tools" / "install_in_blender.py", archive]
    finished = run(command, seconds=HANGING_SECONDS, variables=profile_variables(profile), catch=True)
    if not finished.succeeded:
        raise BuildError(f"{finished.output}\nBlender refused {archive.name}; the reason stands above")


def validate_zip(python: Path, archive: Path) -> Finished:
    """Let Blender's own validator judge a zip.

    Args:
        python: a Python that can `import bpy`.
        archive: the extension's zip.

    Raises:
        BuildError: it found something wrong.
    """
    finished = run([python, _extension_tool(python), "validate", archive], seconds=HANGING_SECONDS, catch=True)
    if not finished.succeeded:
        raise BuildError(f"{finished.output}\nBlender's validator refuses {archive.name}")
    return finished


def list_repository(python: Path, folder: Path) -> None:
    """Let Blender's own tool write `index.json`, which makes a folder of zips a static extension repository.

    Args:
        python: a Python that can `import bpy`.
        folder: of the zips.

    Raises:
        BuildError: the tool failed.
    """
    command = [python, _extension_tool(python), "server-generate", f"--repo-dir={folder}"]
    finished = run(command, seconds=HANGING_SECONDS, catch=True)
    if not finished.succeeded:
        raise BuildError(f"{finished.output}\nBlender could not list the zips of {folder}")


def _extension_tool(python: Path) -> Path:
    """The script behind `blender --command extension`, which needs no Blender around it."""
    scripts = list(python.parents[1].glob("**/bpy/*/scripts/addons_core/bl_pkg/cli/blender_ext.py"))
    if not scripts:
        raise BuildError(f"Blender's tool blender_ext.py was not found under {python.parents[1]}")
    return scripts[0]
