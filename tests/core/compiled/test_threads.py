# SPDX-License-Identifier: GPL-3.0-or-later
"""Work that is handed to threads: each row once, errors arrive, and nobody waits for who never begins."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

compiling = pytest.importorskip("core.compiled.compiling", reason="numba is not installed")

ROOT = Path(__file__).resolve().parents[3]
FORKED = """
import os
import time
import numpy as np
from core.compiled.compiling import run_over

def kernel(begin, end, done):
    time.sleep(0.01)  # so that all threads begin
    done[begin:end] += 1

kernel.row_time = 1e6
run_over(1000, kernel, np.zeros(1000))  # now there are threads
child = os.fork()
done = np.zeros(1000)
run_over(1000, kernel, done)
if child == 0:
    os._exit(0 if (done == 1.0).all() else 1)
assert os.waitpid(child, 0)[1] == 0
"""


def counting(begin, end, done):
    done[begin:end] += 1


counting.row_time = 1e6


@pytest.mark.parametrize("threads", ["1", "2", "7", "64"])
@pytest.mark.parametrize("rows", [0, 1, 2, 3, 12, 1000])
def test_each_row_is_done_once(rows, threads, monkeypatch):
    monkeypatch.setenv("FOOTFALL_THREADS", threads)
    done = np.zeros(rows)
    compiling.run_over(rows, counting, done)
    assert (done == 1.0).all()


@pytest.mark.parametrize("row", [0, 500, 999])
def test_an_error_in_any_part_arrives_when_nobody_writes_any_more(row, monkeypatch):
    monkeypatch.setenv("FOOTFALL_THREADS", "3")

    def failing(begin, end, done):
        if begin <= row < end:
            raise ZeroDivisionError
        done[begin:end] += 1

    failing.row_time = 1e6
    done = np.zeros(1000)
    with pytest.raises(ZeroDivisionError):
        compiling.run_over(1000, failing, done)
    assert (done <= 1.0).all()


def test_little_work_stays_on_its_thread(monkeypatch):
    monkeypatch.setenv("FOOTFALL_THREADS", "8")
    parts = []

    def kernel(begin, end):
        parts.append((begin, end))

    kernel.row_time = 0.1
    compiling.run_over(1000, kernel)
    assert parts == [(0, 1000)]


@pytest.mark.parametrize("asked", ["", "0", "-3", "two", "²", "1e3"])
def test_what_is_no_number_of_threads_means_all_cores(asked, monkeypatch):
    monkeypatch.delenv("FOOTFALL_THREADS", raising=False)
    cores = compiling.thread_count()
    monkeypatch.setenv("FOOTFALL_THREADS", asked)
    assert compiling.thread_count() == cores >= 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_copy_of_a_process_that_has_threads_does_not_wait_for_them():
    environment = os.environ | {"FOOTFALL_THREADS": "3", "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
    ended = subprocess.run(
        [sys.executable, "-c", FORKED], env=environment, timeout=30, check=False, capture_output=True
    )
    assert ended.returncode == 0, ended.stderr.decode()
