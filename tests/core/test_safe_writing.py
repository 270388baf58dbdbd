# SPDX-License-Identifier: GPL-3.0-or-later
"""A file is there whole or not at all, whatever happens while it is written."""

import errno
import os
from pathlib import Path

import pytest

from core import FootfallError
from core.safe_writing import check_writable_place, whole_file


def test_a_file_takes_its_place_when_all_is_written(tmp_path):
    path = tmp_path / "out.bin"
    path.write_bytes(b"old")
    with whole_file(path) as stream:
        stream.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert [each.name for each in tmp_path.iterdir()] == ["out.bin"]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, MemoryError, ZeroDivisionError])
def test_an_error_in_the_block_leaves_the_old_file_alone_and_goes_on(tmp_path, stop):
    path = tmp_path / "out.bin"
    path.write_bytes(b"old")

    def write_and_stop():
        with whole_file(path) as stream:
            stream.write(b"new")
            raise stop

    with pytest.raises(stop):
        write_and_stop()
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["out.bin"]


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_disk_that_refuses_is_told_with_the_name_of_the_file(tmp_path, monkeypatch, call):
    def refuse(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / "out.bin"
    path.write_bytes(b"old")
    monkeypatch.setattr(*{"fsync": (os, "fsync"), "replace": (Path, "replace")}[call], refuse)
    with pytest.raises(FootfallError, match=r"out\.bin.*No space left"), whole_file(path) as stream:
        stream.write(b"new")
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["out.bin"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device that is always full")
def test_a_device_is_not_replaced():
    with pytest.raises(FootfallError, match="not a plain file"), whole_file("/dev/full"):
        pass
    assert Path("/dev/full").is_char_device()


def test_places_where_no_file_can_stand_are_told_before_the_work(tmp_path):
    with pytest.raises(FootfallError, match="there is no folder"):
        check_writable_place(tmp_path / "none" / "out.bin")
    with pytest.raises(FootfallError, match="is a folder"):
        check_writable_place(tmp_path)
    with pytest.raises(FootfallError, match="cannot write"):
        check_writable_place("out\0bin")
    with pytest.raises(FootfallError, match="cannot write"), whole_file(tmp_path / ("x" * 300)):
        pass
    check_writable_place(tmp_path / "out.bin")
    assert [each.name for each in tmp_path.iterdir()] == []


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "far").mkdir()
    link = tmp_path / "link.bin"
    link.symlink_to(tmp_path / "far" / "out.bin")
    with whole_file(link) as stream:
        stream.write(b"new")
    assert link.is_symlink()
    assert (tmp_path / "far" / "out.bin").read_bytes() == b"new"
