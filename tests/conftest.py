# SPDX-License-Identifier: GPL-3.0-or-later
"""What all tests share: hypothesis settings, and a record of results that survives a crash of the process.

Blender can take the whole process with it. `build_addon.py test` therefore asks for a record (FOOTFALL_RESULTS): one
line of JSON when a test starts and one when it is over, flushed at once, and a last line when pytest is through.
"""

import json
import os
from pathlib import Path

import hypothesis
import pytest

hypothesis.settings.register_profile("footfall", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("footfall")


class ResultRecord:
    """Pytest plugin that writes the record, line by line.

    Attributes:
        path: the record's file, which grows.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, **line: object) -> None:
        """Add one line and let it reach the disk."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """A test begins."""
        self.write(test=nodeid, outcome="started")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test's set-up, body or tear-down is over; a passed set-up or tear-down says nothing."""
        if report.when == "call" or not report.passed:
            self.write(test=report.nodeid, outcome=report.outcome)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file could not be imported."""
        if report.failed:
            self.write(test=report.nodeid, outcome="failed")

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """All is over, in good order."""
        self.write(test="", outcome="finished", status=int(exitstatus))


def pytest_configure(config: pytest.Config) -> None:
    """Keep a record if one is asked for."""
    if path := os.environ.get("FOOTFALL_RESULTS"):
        config.pluginmanager.register(ResultRecord(Path(path)))
