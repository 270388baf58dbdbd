# SPDX-License-Identifier: GPL-3.0-or-later
"""The checks: lint, types, the core's tests in three modes, and the add-on's tests on the installed zip in Blender."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from . import environments, packaging
from .blender import BLENDERS, Blender, default_blender, ensure_blender, install_zip, profile_variables, validate_zip
from .environments import ROOT, BuildError, ensure_environment, ensure_types, find_python, run, running_version
from .results import Tally

PART_SECONDS = 3 * 3600  # of the clock, for what hangs: whoever computes too long meets the limit of tests/conftest.py
TEST_SECONDS = 1800  # of the clock, too
KERNEL_TESTS = ("tests/core/steering",)
SIMULATION = "tests/core/simulation"
PEOPLE = tuple(f"{SIMULATION}/{part}" for part in ("behaviours", "guidance", "pedestrians"))
APART_IN_ADDON = {
    "characters": (("tests/addon/characters", "tests/addon/whole_jobs"), 260.0),
    "interface": (("tests/addon/interface",), 110.0),
}
"""Folders of tests that run apart in the newest Blender, and the processor time that they once took [s]."""
LINT_COST = 15.0


@dataclass(frozen=True)
class Choice:
    """What to check.

    Attributes:
        blenders: the Blenders to test the add-on in.
        paths: tests to run, relative to the repository; empty = all.
        lint: whether to run ruff and ty.
        addon: whether to run the tests in Blender.
        thorough: every test everywhere: the long sweeps too, all of the add-on's in each Blender, all without numba.
    """

    blenders: tuple[Blender, ...]
    paths: tuple[str, ...] = ()
    lint: bool = True
    addon: bool = True
    thorough: bool = False


@dataclass(frozen=True)
class Part:
    """One run of pytest.

    Attributes:
        name: as it is printed.
        python: of the environment.
        arguments: for pytest.
        cost: processor time that it once took [s].
        variables: of the environment, to add.
        compiles: whether numba's kernels are compiled, unless an earlier run has left them on the disk.
    """

    name: str
    python: Path
    arguments: Sequence[str]
    cost: float = 0.0
    variables: Mapping[str, str] = field(default_factory=dict)
    compiles: bool = False


class Job(NamedTuple):
    """What is done beside other jobs.

    Attributes:
        cost: processor time that it once took [s].
        name: as it is printed.
        work: called with `catch`, whether output is kept for later or shown at once.
        compiles: as in `Part`.
    """

    cost: float
    name: str
    work: Callable[..., tuple[Tally, str]]
    compiles: bool = False


def choose_blenders(wish: str | None) -> tuple[Blender, ...]:
    """Which Blenders to test in.

    Args:
        wish: a version, `all`, or None: the running Python's; on a CI machine the oldest and the newest that can run.

    Raises:
        BuildError: a Python that was asked for is not here.
    """
    if wish == "all":
        return tuple(BLENDERS.values())
    if wish is not None:
        return (BLENDERS[wish],)
    if os.environ.get("CI", "").lower() in {"1", "true"}:
        can_run = [blender for blender in BLENDERS.values() if find_python(blender.python)]
        if can_run:
            return tuple(dict.fromkeys((can_run[0], can_run[-1])))
    return (default_blender(),)


def run_checks(choice: Choice) -> Tally:
    """Run everything that was chosen and count.

    Args:
        choice: what to check.

    Raises:
        BuildError: an environment could not be made.
    """
    core_paths, addon_paths = (_paths_in(choice.paths, addon=addon) for addon in (False, True))
    addon_paths = addon_paths if choice.addon else []
    pythons = _make_environments(choice, core=bool(core_paths), addon=bool(addon_paths))
    jobs: list[Job] = []
    with tempfile.TemporaryDirectory(prefix="footfall-", ignore_cleanup_errors=True) as folder:
        # A hundred processes begin: those of one Python compile modules once, also where it is told to keep none.
        os.environ |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(Path(folder) / "bytecode")}
        if core_paths:
            parts = _parts_of_core(pythons, core_paths, choice)
            jobs += [Job(part.cost, part.name, partial(_run_pytest, part), part.compiles) for part in parts]
        if addon_paths:
            archive = packaging.build_zip(packaging.running_platform(), Path(folder))
            for number, part in enumerate(_parts_of_addon(pythons, addon_paths, choice)):
                work = partial(_install_and_test, part, archive, Path(folder) / str(number))
                jobs.append(Job(part.cost, part.name, work))
        if choice.lint:
            jobs.append(Job(LINT_COST, "style and types", partial(_lint, pythons["core"])))
        return _run_jobs(_in_order(jobs))


def _in_order(jobs: Sequence[Job]) -> list[Job]:
    """What costs most begins first, so that all processors end together; but beside the first, one of another kind.

    Of two that begin together both would compile the kernels; whoever begins later finds them on the disk.
    """
    ordered = sorted(jobs, key=lambda job: -job.cost)
    beside = next((job for job in ordered if not job.compiles), None)
    if beside is not None and ordered[0].compiles:
        ordered.remove(beside)
        ordered.insert(1, beside)
    return ordered


def _run_jobs(jobs: Sequence[Job]) -> Tally:
    """Run jobs side by side, as many as there are processors, and tell of each when it has ended."""
    tally, several = Tally(), len(jobs) > 1
    print(f"\n{', '.join(job.name for job in jobs)}{': reported as they end' if several else ''}", flush=True)
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        running = {pool.submit(job.work, catch=several): job.name for job in jobs}
        for each in as_completed(running):
            ended, output = each.result()
            print(f"\n== {running[each]}\n{output}", flush=True)
            tally.add(ended)
    return tally


def _paths_in(paths: Sequence[str], *, addon: bool) -> list[str]:
    """Of the tests asked for, those of the add-on or the others."""
    if not paths:
        return ["tests/addon"] if addon else ["tests"]
    plain = [path.replace("\\", "/") for path in paths]  # as they are typed on Windows
    return [path for path in plain if path.startswith("tests/addon") == addon]


def _make_environments(choice: Choice, *, core: bool, addon: bool) -> dict[str, Path]:
    """Make the environments that are needed, side by side; return their Pythons: of "core", "plain", and Blenders."""
    makers: dict[str, Callable[[], Path]] = {}
    if addon:
        makers |= {blender.version: partial(ensure_blender, blender) for blender in choice.blenders}
    if core or choice.lint:
        makers["core"] = partial(_core_environment, types=choice.lint)
    if core:
        makers["plain"] = _plain_environment
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        made = {name: pool.submit(make) for name, make in makers.items()}
    return {name: each.result() for name, each in made.items()}


def _core_environment(*, types: bool) -> Path:
    packages = (*environments.CORE_PACKAGES, *environments.TEST_TOOLS, *environments.LINT_TOOLS)
    python = ensure_environment("core", Path(sys.executable), packages)
    if types:
        ensure_types(python)
    return python


def _plain_environment() -> Path:
    packages = (f"numpy=={_oldest_numpy()}", *environments.PLAIN_PACKAGES, *environments.TEST_TOOLS)
    return ensure_environment("plain", Path(sys.executable), packages)


def _oldest_numpy() -> str:
    """The oldest numpy that there is for the running Python."""
    return environments.OLDEST_NUMPY.get(running_version(), environments.CORE_PACKAGES[0].partition("==")[2])


def _lint(python: Path, *, catch: bool) -> tuple[Tally, str]:
    tally, told = Tally(), ""
    with tempfile.TemporaryDirectory(prefix="footfall-types-", ignore_cleanup_errors=True) as above:
        copied = _named_footfall(Path(above))
        for name, arguments, folder in (
            ("ruff check", (".",), ROOT),
            ("ruff format", ("--check", "."), ROOT),
            ("ty check", ("--error-on-warning", "--python", str(python.parents[1])), copied),
        ):
            finished = run([python, "-m", *name.split(), *arguments], seconds=PART_SECONDS, folder=folder, catch=catch)
            tally.note(name, finished.succeeded)
            told += f"{name}:\n{finished.output}"
    return tally, told


def _named_footfall(above: Path) -> Path:
    """Copy what ty reads: it knows `...core` of the add-on only where the folder's name can be a package's."""
    folder = above / "footfall"
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(".*", "docs", "out", "dist"))
    shutil.copytree(environments.TYPES_FOLDER, folder / environments.TYPES_FOLDER.relative_to(ROOT))
    return folder


def _parts_of_core(pythons: Mapping[str, Path], paths: Sequence[str], choice: Choice) -> Iterator[Part]:
    """Tests with numba; without it on the oldest numpy what differs by them; kernels with numba's compiler off."""
    python, plain, numpy = pythons["core"], pythons["plain"], _oldest_numpy()
    usual, most = _marked(choice), _marked(choice, "not once")
    if paths == ["tests"]:
        others = tuple(f"--ignore={path}" for path in PEOPLE)
        yield Part("core, people", python, (*usual, *PEOPLE), 440.0, compiles=True)
        yield Part("core, the rest of simulation", python, (*usual, *others, SIMULATION), 230.0, compiles=True)
        without_simulation = ("--ignore=tests/addon", f"--ignore={SIMULATION}", *paths)
        yield Part("core", python, (*usual, *without_simulation), 290.0, compiles=True)
        same = () if choice.thorough else others  # what people do there is, by the stored motion, what they do with it
        yield Part(f"core without numba, numpy {numpy}", plain, (*most, *same, "tests/core"), 105.0)
        yield Part("kernels, numba's compiler off", python, (*usual, *KERNEL_TESTS), 33.0, {"NUMBA_DISABLE_JIT": "1"})
    else:
        yield Part("core", python, (*usual, *paths))
        yield Part(f"core without numba, numpy {numpy}", plain, (*usual, *paths))


def _parts_of_addon(pythons: Mapping[str, Path], paths: Sequence[str], choice: Choice) -> Iterator[Part]:
    """All tests in the newest of the Blenders, and in the others those that depend on the version."""
    usual = _marked(choice)
    for blender in choice.blenders:
        python, name = pythons[blender.version], f"add-on in Blender {blender.version}"
        if paths != ["tests/addon"]:
            yield Part(name, python, (*usual, *paths))
        elif blender != choice.blenders[-1]:
            yield Part(name, python, (*_marked(choice, "each_blender", "not once"), *paths), 200.0)
        else:
            for apart, (folders, cost) in APART_IN_ADDON.items():
                yield Part(f"{name}, {apart}", python, (*usual, *folders), cost)
            left_out = (f"--ignore={folder}" for folders, _ in APART_IN_ADDON.values() for folder in folders)
            yield Part(name, python, (*usual, *left_out, *paths), 330.0)


def _marked(choice: Choice, *terms: str) -> tuple[str, str]:
    """Options of pytest that choose tests by their markers, and never the long sweeps; all, where all are wanted."""
    return "-m", "" if choice.thorough else " and ".join(("not thorough", *terms))


def _install_and_test(part: Part, archive: Path, profile: Path, *, catch: bool) -> tuple[Tally, str]:
    """Install the zip into a fresh profile of the part's Blender; run the tests there, or none where it cannot be."""
    tally, check = Tally(), f"{part.name}: the zip installs"
    try:
        validate_zip(part.python, archive)
        install_zip(part.python, archive, profile)
    except BuildError as error:
        tally.note(check, succeeded=False)
        return tally, str(error)
    tally.note(check, succeeded=True)
    variables = {**profile_variables(profile), "FOOTFALL_ZIP": str(archive)}
    tested, output = _run_pytest(replace(part, variables=variables), catch=catch)
    tally.add(tested)
    return tally, output


def _run_pytest(part: Part, *, catch: bool) -> tuple[Tally, str]:
    """Run the tests of a part; return what was counted, and what is to be printed."""
    tally, started = Tally(), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="footfall-results-", ignore_cleanup_errors=True) as folder:
        record = Path(folder) / "results.jsonl"
        command = [part.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *_WATCH, *part.arguments]
        wanted = {**part.variables, "FOOTFALL_RESULTS": str(record)}
        finished = run(command, seconds=PART_SECONDS, variables=wanted, folder=ROOT, catch=catch)
        tally.add_record(part.name, record, finished.code)
    return tally, f"{finished.output}{part.name}: {time.monotonic() - started:.0f} s, {tally.cpu:.0f} s of CPU time"


# A test that hangs shows where it stands and ends its process, and the record names it.
_WATCH = ("-o", f"faulthandler_timeout={TEST_SECONDS}", "-o", "faulthandler_exit_on_timeout=true")
