# SPDX-License-Identifier: GPL-3.0-or-later
"""The demo: what somebody sees first, from a fresh checkout to a rendered crowd."""

from __future__ import annotations

import tempfile
from pathlib import Path

from . import packaging
from .blender import default_blender, ensure_blender, install_zip, profile_variables, validate_zip
from .environments import ROOT, BuildError, run

DEFAULT_EXAMPLE = "plaza"
_SCRIPTS = ROOT / "blend_examples"
_NO_EXAMPLES = {"__init__", "scenery", "stage"}  # what makes them a package, and what they have in common
_SECONDS = 3600


def examples() -> list[str]:
    """The names of the example scenes: of their scripts, and of what they make."""
    return sorted(path.stem for path in _SCRIPTS.glob("*.py") if path.stem not in _NO_EXAMPLES)


def _duration(name: str, *, still_only: bool) -> str:
    """How long an example takes, as it is printed before it begins."""
    if name != DEFAULT_EXAMPLE:
        return "some minutes"
    return "half a minute" if still_only else "one to two minutes"


def show_example(name: str, out: Path, *, still_only: bool) -> None:
    """Build the zip, install it into a profile of its own, build, bake and render an example; say where it all is.

    Args:
        name: of the example, one of `examples`.
        out: folder for the results; made if need be.
        still_only: render the pictures and no clip.

    Raises:
        BuildError: a step failed; the message says which and why.
    """
    script = _SCRIPTS / f"{name}.py"
    blender = default_blender()
    print(
        f"Blender {blender.version}: this takes {_duration(name, still_only=still_only)} on two free processor cores."
    )
    print("The first time, some minutes more: 1 GB is downloaded into .venv.", flush=True)
    python = ensure_blender(blender)
    out.mkdir(parents=True, exist_ok=True)
    archive = packaging.build_zip(packaging.running_platform(), ROOT / "dist")
    validate_zip(python, archive)
    with tempfile.TemporaryDirectory(prefix="footfall-profile-", ignore_cleanup_errors=True) as profile:
        install_zip(python, archive, Path(profile))
        print(f"Installed {archive.name} into a profile of its own", flush=True)
        command = [python, script, "--out", out, *(["--still-only"] if still_only else [])]
        finished = run(command, seconds=_SECONDS, variables=profile_variables(Path(profile)))
    results = sorted(path for path in out.glob(f"{name}*") if path.is_file())
    if not finished.succeeded:
        raise BuildError(f"{script.relative_to(ROOT)} failed (exit code {finished.code}); the reason stands above")
    print("\nMade:")
    for path in (archive, *results):
        print(f"  {path}  {path.stat().st_size / 1e6:.1f} MB")
