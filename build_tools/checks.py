# SPDX-License-Identifier: GPL-3.0-or-later
"""The checks: lint, types, the core's tests in three modes, and the add-on's tests on the installed zip in Blender."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from . import environments, packaging
from .blender import BLENDERS, Blender, default_blender, ensure_blender, install_zip, profile_variables, validate_zip
from .environments import ROOT, BuildError, ensure_environment, ensure_types, find_python, run, running_version
from .results import Tally

CORE_SECONDS = 1800
ADDON_SECONDS = 1800
TEST_SECONDS = 240
LINT_SECONDS = 300
KERNEL_TESTS = ("tests/core/steering",)


@dataclass(frozen=True)
class Choice:
    """What to check.

    Attributes:
        blenders: the Blenders to test the add-on in.
        paths: tests to run, relative to the repository; empty = all.
        lint: whether to run ruff and pyright.
    """

    blenders: tuple[Blender, ...]
    paths: tuple[str, ...] = ()
    lint: bool = True


@dataclass(frozen=True)
class Part:
    """One run of pytest.

    Attributes:
        name: as it is told.
        python: of the environment.
        arguments: for pytest.
        seconds: time limit [s].
        variables: of the environment, to add.
    """

    name: str
    python: Path
    arguments: Sequence[str]
    seconds: float
    variables: Mapping[str, str] = field(default_factory=dict)


def choose_blenders(wish: str | None) -> tuple[Blender, ...]:
    """Which Blenders to test in.

    Args:
        wish: a version, `all`, or None: the running Python's; on a CI machine the oldest and the newest too.

    Raises:
        BuildError: a Python that was asked for is not here.
    """
    if wish == "all":
        return tuple(BLENDERS.values())
    if wish is not None:
        return (BLENDERS[wish],)
    chosen = {default_blender()}
    if os.environ.get("CI", "").lower() in {"1", "true"}:
        versions = list(BLENDERS.values())
        wanted = {versions[0], versions[-1], BLENDERS["5.0.1"]}
        chosen |= {blender for blender in wanted if find_python(blender.python)}
    return tuple(blender for blender in BLENDERS.values() if blender in chosen)


def run_checks(choice: Choice) -> Tally:
    """Run everything that was chosen and count.

    Args:
        choice: what to check.

    Raises:
        BuildError: an environment could not be made.
    """
    tally = Tally()
    core_paths = _paths_in(choice.paths, addon=False)
    parts: list[Part] = []
    if choice.lint or core_paths:
        core = _core_environment()
        if choice.lint:
            _lint(core, tally)
        if core_paths:
            parts += _parts_of_core(core, core_paths)
    addon_paths = _paths_in(choice.paths, addon=True)
    with tempfile.TemporaryDirectory(prefix="footfall-", ignore_cleanup_errors=True) as folder:
        if addon_paths:
            archive = packaging.build_zip(packaging.running_platform(), Path(folder))
            for blender in choice.blenders:
                parts += _parts_of_addon(blender, archive, Path(folder) / blender.version, addon_paths, tally)
        _run_parts(parts, tally)
    return tally


def _run_parts(parts: Sequence[Part], tally: Tally) -> None:
    """Run parts side by side, as many as there are processors, and tell of each when it has ended."""
    alone = len(parts) == 1
    with ThreadPoolExecutor(max_workers=max(1, min(len(parts), os.cpu_count() or 1))) as pool:
        if not alone:
            print(f"\n{len(parts)} parts, told of as they end: {', '.join(part.name for part in parts)}", flush=True)
        running = [pool.submit(_run_pytest, part, catch=not alone) for part in parts]
        for each in as_completed(running):
            ended, output = each.result()
            print(output, flush=True)
            tally.add(ended)


def _paths_in(paths: Sequence[str], *, addon: bool) -> list[str]:
    """Of the tests asked for, those of the add-on or the others."""
    if not paths:
        return ["tests/addon"] if addon else ["tests"]
    return [path for path in paths if path.startswith("tests/addon") == addon]


def _core_environment() -> Path:
    packages = (*environments.CORE_PACKAGES, *environments.TEST_TOOLS, *environments.LINT_TOOLS)
    return ensure_environment("core", Path(sys.executable), packages)


def _lint(python: Path, tally: Tally) -> None:
    ensure_types(python)
    for name, arguments in (
        ("ruff check", ("-m", "ruff", "check", ".")),
        ("ruff format", ("-m", "ruff", "format", "--check", ".")),
        ("pyright", ("-m", "pyright", "--pythonpath", str(python))),
    ):
        _headline(name)
        tally.note(name, run([python, *arguments], seconds=LINT_SECONDS).succeeded)


def _parts_of_core(python: Path, paths: Sequence[str]) -> list[Part]:
    """Tests with numba, most without it on the oldest numpy, and with its compiler off where kernels are concerned."""
    numpy = environments.OLDEST_NUMPY.get(running_version(), environments.CORE_PACKAGES[0].partition("==")[2])
    packages = (f"numpy=={numpy}", *environments.PLAIN_PACKAGES, *environments.TEST_TOOLS)
    plain = ensure_environment("plain", Path(sys.executable), packages)
    core_only = ["-m", "not once", "tests/core"] if paths == ["tests"] else paths
    parts = [
        Part("core", python, ["--ignore=tests/addon", *paths], CORE_SECONDS),
        Part(f"core without numba, numpy {numpy}", plain, core_only, CORE_SECONDS),
    ]
    if paths == ["tests"]:
        off = {"NUMBA_DISABLE_JIT": "1"}
        parts.append(Part("kernels, numba's compiler off", python, KERNEL_TESTS, CORE_SECONDS, off))
    return parts


def _parts_of_addon(blender: Blender, archive: Path, profile: Path, paths: Sequence[str], tally: Tally) -> list[Part]:
    """Install the zip into a fresh profile of this Blender; the tests there, or none where it cannot be installed."""
    python = ensure_blender(blender)
    name = f"add-on in Blender {blender.version}"
    try:
        validate_zip(python, archive)
        install_zip(python, archive, profile)
    except BuildError as error:
        print(error)
        tally.note(f"{name}: the zip installs", succeeded=False)
        return []
    tally.note(f"{name}: the zip installs", succeeded=True)
    return [Part(name, python, paths, ADDON_SECONDS, {**profile_variables(profile), "FOOTFALL_ZIP": str(archive)})]


def _run_pytest(part: Part, *, catch: bool) -> tuple[Tally, str]:
    """Run the tests of a part; return what was counted, and what is to be told."""
    tally, started = Tally(), time.monotonic()
    if not catch:
        _headline(part.name)
    with tempfile.TemporaryDirectory(prefix="footfall-results-", ignore_cleanup_errors=True) as folder:
        record = Path(folder) / "results.jsonl"
        command = [part.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *_WATCH, *part.arguments]
        wanted = {**part.variables, "FOOTFALL_RESULTS": str(record)}
        finished = run(command, seconds=part.seconds, variables=wanted, folder=ROOT, catch=catch)
        tally.add_record(part.name, record, finished.code)
    heading = f"\n== {part.name}\n{finished.output}" if catch else ""
    return tally, f"{heading}{part.name}: {time.monotonic() - started:.0f} s"


# A test that hangs shows where it stands and ends its process, and the record names it.
_WATCH = ("-o", f"faulthandler_timeout={TEST_SECONDS}", "-o", "faulthandler_exit_on_timeout=true")


def _headline(name: str) -> None:
    print(f"\n== {name}", flush=True)
