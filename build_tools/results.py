# SPDX-License-Identifier: GPL-3.0-or-later
"""What came of the checks: counted from pytest's record, summed up, and told in one closing line."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Tally:
    """How many checks passed and failed, and the names of those that failed.

    Attributes:
        passed: number of checks that passed.
        skipped: number of tests that pytest skipped or expected to fail.
        failures: one line for each that failed.
        cpu: processor time that the tests took, with what they started [s].
    """

    passed: int = 0
    skipped: int = 0
    cpu: float = 0.0
    failures: list[str] = field(default_factory=list)

    def note(self, name: str, succeeded: bool) -> None:
        """Count one check.

        Args:
            name: what was checked.
            succeeded: whether it passed.
        """
        if succeeded:
            self.passed += 1
        else:
            self.failures.append(name)

    def add(self, other: Tally) -> None:
        """Count what another one has counted."""
        self.passed += other.passed
        self.skipped += other.skipped
        self.failures += other.failures
        self.cpu += other.cpu

    def add_record(self, part: str, record: Path, code: int | None) -> None:
        """Count the tests of one pytest process from its record (tests/conftest.py).

        A process that crashed or was ended by its time limit counts one failure more: the test it died in, or the
        process itself. So does one that says it failed while no test of it did.

        Args:
            part: name of this part of the checks.
            record: the file it wrote.
            code: its exit code, None when the time limit ended it.
        """
        lines = record.read_text(encoding="utf-8").splitlines() if record.exists() else []
        last: dict[str, str] = {}
        finished = False
        for line in map(json.loads, lines):
            finished = finished or line["outcome"] == "finished"
            self.cpu += line.get("cpu", 0.0)
            if last.get(line["test"]) != "failed":
                last[line["test"]] = line["outcome"]
        last.pop("", None)
        outcomes = list(last.values())
        self.passed += outcomes.count("passed")
        self.skipped += outcomes.count("skipped")
        end = "was ended by its time limit" if code is None else f"ended the process (exit code {code})"
        bad = [f"{part}: {test}" for test, outcome in last.items() if outcome == "failed"]
        bad += [f"{part}: {test} {end}" for test, outcome in last.items() if outcome == "started"]
        if not bad and (not finished or code != 0):
            bad.append(f"{part}: pytest {end}")
        self.failures += bad

    def closing_lines(self) -> list[str]:
        """Print what failed, and last of all `N passed, N failed`."""
        lines = [f"FAILED {name}" for name in self.failures]
        if self.skipped:
            lines.append(f"{self.skipped} skipped")
        return [*lines, f"{self.passed} passed, {len(self.failures)} failed"]
