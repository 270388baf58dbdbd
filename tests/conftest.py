# SPDX-License-Identifier: GPL-3.0-or-later
"""What all tests share: hypothesis settings, and a record of results that survives a crash of the process.

Blender can take the whole process with it. `build_addon.py test` therefore asks for a record (FOOTFALL_RESULTS): one
line of JSON when a test starts and one when it is over, flushed at once, and a last line when pytest is through.
A test that computes for longer than TEST_CPU_SECONDS shows where it stands and ends the process: a limit that counts
processor time, so that other work on the machine changes no verdict.
"""

import faulthandler
import json
import os
import signal
from pathlib import Path

import hypothesis
import pytest

hypothesis.settings.register_profile("footfall", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("footfall")


TEST_CPU_SECONDS = 240


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
        spent = os.times()
        cpu = spent.user + spent.system + spent.children_user + spent.children_system
        self.write(test="", outcome="finished", status=int(exitstatus), cpu=cpu)


def pytest_runtest_logstart() -> None:
    """A test begins: its processor time is counted from here, where the system can (not on Windows)."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, TEST_CPU_SECONDS)


def pytest_configure(config: pytest.Config) -> None:
    """Keep a record if one is asked for; whoever meets the limit says where it stands, and the signal ends it."""
    if hasattr(signal, "SIGPROF"):
        faulthandler.register(signal.SIGPROF, file=os.dup(2), chain=True)  # pytest keeps what goes to 2 to itself
    if path := os.environ.get("FOOTFALL_RESULTS"):
        config.pluginmanager.register(ResultRecord(Path(path)))
