# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension's zip: which files, which wheels, which manifest; and the same thing live, as a folder of links."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .environments import ROOT, VENVS, BuildError, run
from .manual import make_manual

CODE_FOLDERS = ("core", "blender_addon", "blend_examples")
SINGLE_FILES = ("__init__.py", "LICENSE")
LOCK = ROOT / "bundled_wheels.txt"
COMPILER_LOCK = ROOT / "compiler_wheels.txt"
MANIFEST = ROOT / "blender_manifest.toml"
ZIP_TIME = (1980, 1, 1, 0, 0, 0)


COMPILED = {"3.11": ("4.2.0", "5.1.0"), "3.13": ("5.1.0", "")}
"""For each Python of Blender's own builds the first Blender that has it, and the first that has it no more."""


@dataclass(frozen=True)
class Wheel:
    """One line of bundled_wheels.txt or compiler_wheels.txt.

    Attributes:
        platform: Blender's word, such as `linux-x64`.
        file: name of the wheel.
        sha256: of its bytes.
    """

    platform: str
    file: str
    sha256: str

    @property
    def python(self) -> str:
        """The Python that it is for, such as `3.11`."""
        tag = self.file.split("-")[2]
        return f"{tag[2]}.{tag[3:]}"


def read_lock(path: Path = LOCK) -> list[Wheel]:
    """All wheels that may travel in a zip, as bundled_wheels.txt or another file lists them."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [Wheel(*line.split()) for line in lines if line and not line.startswith("#")]


def platforms() -> list[str]:
    """The platforms there are wheels for, in Blender's words."""
    return sorted({wheel.platform for wheel in read_lock()})


def running_platform() -> str:
    """This machine's platform in Blender's words; it may be one without wheels."""
    return platform_of(sys.platform, platform.machine())


def platform_of(system: str, machine: str) -> str:
    """A platform in Blender's words.

    Args:
        system: as `sys.platform` names it.
        machine: as `platform.machine()` names it, which is in capitals on Windows.
    """
    system = {"linux": "linux", "win32": "windows", "darwin": "macos"}.get(system, system)
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(machine.lower(), machine.lower())
    return f"{system}-{machine}"


def fetch_wheels(target: str, compiled_for: str = "") -> list[Path]:
    """Download a platform's wheels from PyPI, unless they are there, and check every byte.

    Args:
        target: platform in Blender's words.
        compiled_for: a Python, for which the compiler comes too; empty: those of all Pythons, without a compiler.

    Raises:
        BuildError: no wheels are known for it, a download failed, or a file is not the one that was pinned.
    """
    known = [*read_lock(), *(read_lock(COMPILER_LOCK) if compiled_for else ())]
    wheels = [wheel for wheel in known if wheel.platform == target and compiled_for in {"", wheel.python}]
    if not wheels:
        raise BuildError(f"There are no wheels for {target}; there are: {', '.join(platforms())}")
    folder = VENVS / "wheels" / target
    folder.mkdir(parents=True, exist_ok=True)
    for wheel in wheels:
        if not _is_pinned(folder / wheel.file, wheel):
            _download(wheel, folder)
    return [folder / wheel.file for wheel in wheels]


def _is_pinned(path: Path, wheel: Wheel) -> bool:
    return path.exists() and hashlib.sha256(path.read_bytes()).hexdigest() == wheel.sha256


def _download(wheel: Wheel, folder: Path) -> None:
    name, version, python, abi, tags = wheel.file.removesuffix(".whl").split("-")
    print(f"Fetching {wheel.file}")
    path = folder / wheel.file
    path.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--only-binary=:all:", "--implementation=cp", f"--python-version={python[2:]}", f"--abi={abi}"]
    command += [f"--platform={tag}" for tag in tags.split(".")]
    finished = run([*command, "--dest", folder, f"{name}=={version}"], seconds=300, catch=True)
    if not _is_pinned(path, wheel):
        what = "is not the file that is pinned here" if path.exists() else "could not be downloaded"
        path.unlink(missing_ok=True)
        raise BuildError(f"{finished.output}\n{wheel.file} {what}")


def make_manifest(target: str, wheels: list[str], compiled_for: str = "") -> str:
    """Write out the manifest for one platform: the repository's, with `platforms` and `wheels` added.

    Args:
        target: platform in Blender's words.
        wheels: names of the wheels in the folder `wheels`.
        compiled_for: a Python; only Blenders that have it are then allowed.
    """
    head, table, tables = MANIFEST.read_text(encoding="utf-8").partition("\n[")
    limits = []
    if compiled_for:
        head = "\n".join(line for line in head.splitlines() if not line.startswith("blender_version_"))
        names = "blender_version_min", "blender_version_max"
        limits = [f'{name} = "{limit}"' for name, limit in zip(names, COMPILED[compiled_for], strict=True) if limit]
    lines = [
        head.rstrip(),
        *limits,
        f'platforms = ["{target}"]',
        "wheels = [",
        *(f'    "./wheels/{name}",' for name in wheels),
        "]",
        "",
    ]
    return "\n".join(lines) + table + tables


def version() -> str:
    """The add-on's version, as the manifest says it."""
    return tomllib.loads(MANIFEST.read_text(encoding="utf-8"))["version"]


def source_files() -> Iterator[Path]:
    """The repository's files that a user needs, relative to its root."""
    yield from (Path(name) for name in SINGLE_FILES)
    for folder in CODE_FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            hidden = any(part.startswith(".") or part == "__pycache__" for part in path.relative_to(ROOT).parts)
            if path.is_file() and not hidden:
                yield path.relative_to(ROOT)


def build_zip(target: str, folder: Path, compiled_for: str = "") -> Path:
    """Build the extension's zip for one platform; the same sources and wheels give the same bytes everywhere.

    Args:
        target: platform in Blender's words.
        folder: where the zip goes.
        compiled_for: one of `COMPILED`, for a zip with a compiler for the Blenders with this Python; empty: for all.

    Raises:
        BuildError: the wheels could not be had.
    """
    wheels = fetch_wheels(target, compiled_for)
    entries = {path.as_posix(): (ROOT / path).read_bytes() for path in source_files()}
    entries |= {f"wheels/{path.name}": path.read_bytes() for path in wheels}
    entries |= {f"manual/{name}": content for name, content in make_manual().items()}
    entries["blender_manifest.toml"] = make_manifest(target, [path.name for path in wheels], compiled_for).encode()
    folder.mkdir(parents=True, exist_ok=True)
    kind = f"-compiled-python{compiled_for}" if compiled_for else ""
    path = folder / f"footfall-{version()}-{target}{kind}.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in sorted(entries):
            info = zipfile.ZipInfo(name, ZIP_TIME)  # stored, not packed: packers differ, and wheels are packed already
            info.create_system = 3
            info.external_attr = 0o100644 << 16
            archive.writestr(info, entries[name])
    return path


def lay_out_live(folder: Path) -> Path:
    """Lay out `footfall` inside a folder so that Blender runs the add-on straight from this repository.

    Args:
        folder: what Blender is given as the folder of a local extension repository.

    Returns:
        The extension's own folder in it.

    Raises:
        BuildError: something else lies there, or the wheels could not be had.
    """
    target = running_platform()
    wheels = fetch_wheels(target)
    extension = folder / "footfall"
    links = {name: ROOT / name for name in (*SINGLE_FILES, *CODE_FOLDERS)}
    links |= {"wheels": VENVS / "wheels" / target, "manual": _write_manual()}
    if extension.exists() and {path.name for path in extension.iterdir()} - {*links, MANIFEST.name, "__pycache__"}:
        raise BuildError(f"{extension} holds other files than links to this repository; choose another folder")
    extension.mkdir(parents=True, exist_ok=True)
    for name, source in links.items():
        _link(source, extension / name)
    manifest = make_manifest(target, [path.name for path in wheels])
    (extension / MANIFEST.name).write_bytes(manifest.encode())
    return extension


def _write_manual() -> Path:
    """Write the pages of the manual to where a live folder links to; return that folder."""
    folder = VENVS / "manual"
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in make_manual().items():
        (folder / name).write_bytes(content)
    return folder


def _link(source: Path, place: Path) -> None:
    """Link to a file or folder; where Windows forbids that, junction the folder or copy the file."""
    if place.is_symlink() or place.is_file():
        place.unlink()
    elif place.exists():
        try:
            place.rmdir()  # a junction
        except OSError as error:
            raise BuildError(f"{place} is a real folder; choose another place for the links") from error
    try:
        place.symlink_to(source, target_is_directory=source.is_dir())
    except OSError:
        if os.name != "nt":
            raise
        if source.is_dir():
            import _winapi  # noqa: PLC0415 - there is one on Windows only

            _winapi.CreateJunction(str(source), str(place))
        else:
            shutil.copyfile(source, place)
