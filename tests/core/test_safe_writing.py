# SPDX-License-Identifier: GPL-3.0-or-later
"""A file is there whole or not at all, whatever happens while it is written."""

import errno
import gzip
import ntpath
import os
import posixpath
from pathlib import Path

import pytest

from core import FootfallError
from core.safe_writing import check_writable_place, file_identity, is_blend_file, whole_file

BROKEN = b"\x1f\x8b\x08" + bytes(7) + b"\xff" * 30  # begins as gzip does, and goes on as nothing does


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


@pytest.mark.parametrize("name", ["shot.blend", "shot.BLEND", "shot.json.blend", ".blend", "shot.blend."])
def test_no_other_file_takes_the_name_of_a_blender_file(tmp_path, name):
    with pytest.raises(FootfallError, match="its name is that of a Blender file"), whole_file(tmp_path / name):
        pass
    assert not list(tmp_path.iterdir())
    with whole_file(tmp_path / name, blend=True) as stream:
        stream.write(b"BLENDER-v405")
    assert is_blend_file(tmp_path / name)


def test_one_file_has_one_identity():
    assert file_identity("a/../out.npz") == file_identity("out.npz")
    assert file_identity("out.npz", posixpath) != file_identity("OUT.npz", posixpath)
    windows = {file_identity(path, ntpath) for path in (r"C:\Shot\out.npz", "c:/shot/OUT.NPZ", r"C:\Shot\a\..\Out.npz")}
    assert windows == {r"c:\shot\out.npz"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_nobody_waits_for_what_a_pipe_may_hold(tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(FootfallError, match="not a plain file"):
        check_writable_place(tmp_path / "pipe.json")
    assert not is_blend_file(tmp_path / "pipe.json")


@pytest.mark.parametrize(
    "begin",
    [b"BLENDER-v405RENDH", b"BLENDER17-01v0502", gzip.compress(b"BLENDER_V249"), b"\x28\xb5\x2f\xfd\x60"],
    ids=["plain", "of 5.0", "gzip", "zstd"],
)
def test_nothing_is_written_over_a_blender_file_of_any_name(tmp_path, begin):
    path = tmp_path / "renamed.json"
    path.write_bytes(begin)
    with pytest.raises(FootfallError, match=r"renamed\.json.*a Blender file stands there"), whole_file(path) as stream:
        stream.write(b"new")
    assert path.read_bytes() == begin


@pytest.mark.parametrize(
    "begin", [b"", b"{}", b"BLEND", b"\x1f\x8b", gzip.compress(b"{}", mtime=0), BROKEN, b"\x28\xb5"]
)
def test_what_is_no_blender_file_is_replaced(tmp_path, begin):
    path = tmp_path / "out.json"
    path.write_bytes(begin)
    with whole_file(path) as stream:
        stream.write(b"new")
    assert path.read_bytes() == b"new"


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_to_a_blender_file_is_followed_before_it_is_judged(tmp_path):
    (tmp_path / "shot.blend").write_bytes(b"BLENDER-v405")
    (tmp_path / "scene.json").symlink_to(tmp_path / "shot.blend")
    with pytest.raises(FootfallError, match="its name is that of a Blender file"):
        check_writable_place(tmp_path / "scene.json")
