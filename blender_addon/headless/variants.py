# SPDX-License-Identifier: GPL-3.0-or-later
"""Variants of a bake by seed, each in a Blender of its own, several at a time."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy

from ...core.errors import Fault, FootfallError, RequestError, SceneError
from ...core.safe_writing import whole_file
from ...core.scene.basics.value_checks import shown
from .pictures import make_sheet

_ROOT = __package__.rpartition(".blender_addon.")[0]  # the extension's package
_MOST_WORKERS = 4  # each loads the whole file
_LARGEST_SEED = 2**31 - 1  # that Blender keeps
AT_FAULT = 2
"""Exit code of a process that was asked for something wrong, or whose scene is at fault."""

# The bpy module has no command line: what Blender does for `--command`, this program does.
_IN_MODULE = Path(__file__).parents[1] / "farm" / "footfall_bpy.py"


@dataclass(frozen=True)
class Variants:
    """What is wanted of variants.

    Attributes:
        seeds: one variant for each.
        words: of the command line, alike for all: `--set ...`, `--crowd ...`.
        sheet: picture of all of them; None: none is made.
        output: where to save each, with its seed before the suffix; None: they are not saved.
        report: where to write the reports of all; None: nowhere.
        workers: how many at a time; 0: by the processor.
    """

    seeds: Sequence[int]
    words: Sequence[str]
    sheet: Path | None
    output: Path | None
    report: Path | None
    workers: int = 0


def seeds_of(word: str) -> list[int]:
    """Read `7`, `1..20` or `1,4,9..12`.

    Raises:
        SceneError: it is none of these, or a seed is negative, or there are more than a thousand.
    """
    seeds: list[int] = []
    for part in word.split(","):
        first, dots, last = part.partition("..")
        if not first.strip().isdecimal() or (dots and not last.strip().isdecimal()):
            raise SceneError([Fault("--seed", f"takes a number, or a range as 1..20; got {shown(word)}")])
        ends = [end.strip().lstrip("0") or "0" for end in (first, last or first)]
        if any(len(end) > len(str(_LARGEST_SEED)) or int(end) > _LARGEST_SEED for end in ends):
            raise SceneError([Fault("--seed", f"takes numbers up to {_LARGEST_SEED}; got {shown(word)}")])
        low, high = map(int, ends)
        if high < low or high - low >= 1000:
            raise SceneError([Fault("--seed", f"a range goes upwards, over at most 1000 seeds; got {shown(word)}")])
        seeds += range(low, high + 1)
    return list(dict.fromkeys(seeds))


def bake_variants(file: Path, wanted: Variants, tell: Callable[[str], None]) -> None:
    """Bake variants of a saved file; the file itself stays as it is.

    Args:
        file: the .blend file.
        wanted: which variants, and what of them to keep.
        tell: is given a sentence about each that is done, in the order of the seeds.

    Raises:
        RequestError: the scene or what is wanted of it is at fault, for one or more of them; nothing was written.
        FootfallError: one or more failed, with what they said; nothing was written.
    """
    with tempfile.TemporaryDirectory(prefix="footfall-") as folder:
        workers = wanted.workers or max(1, min(_MOST_WORKERS, (os.cpu_count() or 2) // 2))
        with ThreadPoolExecutor(max_workers=min(workers, len(wanted.seeds))) as pool:
            said = []
            for each in pool.map(lambda seed: _bake_one(file, Path(folder), seed, wanted), wanted.seeds):
                said.append(each)
                code, words = each
                if not code:
                    tell(f"Seed {wanted.seeds[len(said) - 1]}: {words}")
        _check_codes(wanted.seeds, said)
        _keep(Path(folder), wanted)


def _check_codes(seeds: Sequence[int], said: Sequence[tuple[int, str]]) -> None:
    """Raise what went wrong with variants, once for all those with which the same did."""
    failures: dict[str, list[int]] = {}
    for seed, (code, words) in zip(seeds, said, strict=True):
        if code:
            failures.setdefault(words, []).append(seed)
    if failures:
        told = (f"seed {', '.join(map(str, which))}: {words}" for words, which in failures.items())
        kind = RequestError if any(code == AT_FAULT for code, _ in said) else FootfallError
        raise kind("\n".join(told))


def _bake_one(file: Path, folder: Path, seed: int, wanted: Variants) -> tuple[int, str]:
    """Run one variant; return its exit code and its last words."""
    words = ["bake", *wanted.words, "--seed", str(seed), "--output", str(folder / f"{seed}.blend")]
    words += ["--report", str(folder / f"{seed}.json")]
    if wanted.sheet is not None:
        words += ["--picture", str(folder / f"{seed}.png")]
    done = subprocess.run(  # noqa: S603 - Blender itself, with words that were checked
        _command(file, words),
        env=os.environ | {"FOOTFALL_EXTENSION": _ROOT, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        encoding="utf-8",
    )
    lines = [line for line in (done.stderr if done.returncode else done.stdout).splitlines() if line.strip()]
    return done.returncode, "\n".join(lines) if done.returncode else _summary(lines)


def _command(file: Path, words: list[str]) -> list[str]:
    if bpy.app.binary_path:
        return [bpy.app.binary_path, "--background", str(file), "--command", "footfall", *words]
    return [sys.executable, str(_IN_MODULE), str(file), *words]


def _summary(lines: list[str]) -> str:
    """The sentence that sums a bake up; Blender says things of its own after it."""
    return next((line for line in reversed(lines) if " baked over frames " in line), "baked")


def _keep(folder: Path, wanted: Variants) -> None:
    """Move into place what is wanted."""
    if wanted.sheet is not None:
        make_sheet([folder / f"{seed}.png" for seed in wanted.seeds], folder / "sheet.png")
        _move(folder / "sheet.png", wanted.sheet)
    if wanted.output is not None:
        for seed in wanted.seeds:
            _move(folder / f"{seed}.blend", variant_path(wanted.output, seed), blend=True)
    if wanted.report is not None:
        reports: dict[str, Any] = {
            str(seed): json.loads((folder / f"{seed}.json").read_bytes()) for seed in wanted.seeds
        }
        with whole_file(wanted.report) as stream:
            stream.write((json.dumps({"seeds": reports}, indent=2, ensure_ascii=False) + "\n").encode())


def _move(made: Path, path: Path, *, blend: bool = False) -> None:
    with made.open("rb") as source, whole_file(path, blend=blend) as stream:
        shutil.copyfileobj(source, stream)


def variant_path(output: Path, seed: int) -> Path:
    """Return where the variant of a seed is saved: `crowd.blend` becomes `crowd_seed7.blend`."""
    return output.with_name(f"{output.stem}_seed{seed}{output.suffix}")
