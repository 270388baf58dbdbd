# SPDX-License-Identifier: GPL-3.0-or-later
"""Pythons and virtual environments: which there are, which are made, and how a command runs in them."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TypeVar

ROOT = Path(__file__).resolve().parents[1]
VENVS = ROOT / ".venv"
TYPES_FOLDER = VENVS / "types"

TEST_TOOLS = ("pytest==9.2.0", "hypothesis==6.170.15")
LINT_TOOLS = ("ruff==0.17.5", "ty==0.0.108")
TYPES = "fake-bpy-module-5.0==20260128"
CORE_PACKAGES = ("numpy==2.4.6", "numba==0.68.1", "pyclipper==1.4.0", "pyvoronoi==1.2.8")
PLAIN_PACKAGES = ("pyclipper==1.4.0", "pyvoronoi==1.2.8")
OLDEST_NUMPY = {"3.11": "1.24.4", "3.12": "1.26.4", "3.13": "2.1.3", "3.14": "2.3.5"}

INSTALL_SECONDS = 1800

PurePathT = TypeVar("PurePathT", bound=PurePath)


class BuildError(Exception):
    """Something that the user has to put right; the message says what and how."""


@dataclass(frozen=True)
class Finished:
    """How a command ended.

    Attributes:
        code: exit code; None when the time limit ended it.
        output: what it wrote to standard output and standard error, if that was caught.
    """

    code: int | None
    output: str = ""

    @property
    def succeeded(self) -> bool:
        """Whether it ended by itself, with exit code 0."""
        return self.code == 0


def run(
    command: Sequence[str | Path],
    *,
    seconds: float,
    variables: Mapping[str, str] | None = None,
    catch: bool = False,
    folder: Path = ROOT,
) -> Finished:
    """Run a command to its end, or end it and all that it started when its time is over.

    Args:
        command: program and arguments.
        seconds: time limit [s].
        variables: environment variables to add.
        catch: keep the output instead of letting it through.
        folder: working folder.
    """
    sys.stdout.flush()
    process = subprocess.Popen(
        [str(part) for part in command],
        cwd=folder,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **(variables or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if catch else None,
        stderr=subprocess.STDOUT if catch else None,
        text=True,
        encoding="utf-8",
        errors="replace",
        start_new_session=os.name == "posix",
    )
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        _end(process)
        output, _ = process.communicate()
        return Finished(None, output or "")
    finally:
        if process.poll() is None:
            _end(process)
    return Finished(process.returncode, output or "")


def _end(process: subprocess.Popen[str]) -> None:
    """Kill a process and, where the system can, everything that it started."""
    if os.name == "posix":
        os.killpg(process.pid, signal.SIGKILL)
    else:
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], check=False, capture_output=True)
    process.wait()


def running_version() -> str:
    """The running Python, such as `3.11`."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def find_python(version: str) -> Path | None:
    """Find a CPython of a version (`3.13`): the running one, the py launcher's, one on PATH, one of pyenv's."""
    for command in _python_commands(version):
        try:
            found = subprocess.run(
                [*command, "-c", "import sys; print(sys.implementation.name, *sys.version_info[:2], sys.executable)"],
                env={**os.environ, "PYTHONIOENCODING": "utf-8"},
                capture_output=True,
                text=True,
                encoding="utf-8",
                errors="replace",
                timeout=30,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        name, _, rest = found.stdout.strip().partition(" ")
        if found.returncode == 0 and name == "cpython" and rest.split(" ")[:2] == version.split("."):
            return Path(rest.split(" ", 2)[2])
    return None


def _python_commands(version: str) -> Iterator[list[str]]:
    if version == running_version():
        yield [sys.executable]
    if os.name == "nt":
        yield ["py", f"-{version}"]
    if on_path := shutil.which(f"python{version}"):
        yield [on_path]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    for versions in (pyenv / "versions", pyenv / "pyenv-win" / "versions"):
        for folder in sorted(versions.glob(f"{version}.*"), reverse=True):
            yield [str(folder / ("python.exe" if os.name == "nt" else "bin/python"))]


def python_inside(environment: PurePathT, *, system: str = os.name) -> PurePathT:
    """The Python of a virtual environment.

    Args:
        environment: its folder.
        system: `nt` for Windows, anything else for the others.
    """
    return environment / ("Scripts/python.exe" if system == "nt" else "bin/python")


def ensure_environment(name: str, python: Path, packages: Sequence[str]) -> Path:
    """Make a virtual environment under .venv with exactly these packages, or find it made already.

    Args:
        name: folder under .venv.
        python: the interpreter to make it with.
        packages: requirements for pip, pinned.

    Returns:
        The environment's Python.

    Raises:
        BuildError: venv or pip failed; the message ends with what they said.
    """
    folder = VENVS / name
    inside = python_inside(folder)
    stamp = folder / "footfall_packages.txt"
    wanted = "\n".join([str(python), *packages])
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted and inside.exists():
        return inside
    print(f"Making .venv/{name}: {', '.join(packages)}")
    _install([python, "-m", "venv", "--clear", folder], "On Debian and Ubuntu: sudo apt-get install python3-venv")
    _install([inside, *_PIP_INSTALL, *packages], _NETWORK)
    stamp.write_text(wanted, encoding="utf-8")
    return inside


def ensure_types(python: Path) -> None:
    """Put the types of bpy where ty looks for them (extra-paths in pyproject.toml) and Python does not.

    Args:
        python: a Python that has pip.
    """
    folder = TYPES_FOLDER
    stamp = folder / "footfall_packages.txt"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == TYPES:
        return
    shutil.rmtree(folder, ignore_errors=True)
    _install([python, *_PIP_INSTALL, "--no-deps", "--target", folder, TYPES], _NETWORK)
    stamp.write_text(TYPES, encoding="utf-8")


_PIP_INSTALL = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "--only-binary=:all:")
_PIP_INSTALL += ("--no-compile",)  # bpy has thousands of modules, of which a hundred are used

_NETWORK = "Is the network there, and PyPI in reach?"


def _install(command: Sequence[str | Path], hint: str) -> None:
    finished = run(command, seconds=INSTALL_SECONDS, catch=True)
    if not finished.succeeded:
        line = " ".join(str(part) for part in command)
        how = "took too long" if finished.code is None else "failed"
        raise BuildError(f"{finished.output}\nThis {how}: {line}\n{hint}")
