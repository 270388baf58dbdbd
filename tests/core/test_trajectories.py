# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectories on disk: what is saved is loaded, the same content is the same bytes, and no file is half written."""

import dataclasses
import io
import re
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import FootfallError, Trajectories

NAMES = {field.name for field in dataclasses.fields(Trajectories)} - {"arrived", "to_obstacles"}


def make(frames=5, agents=3, *, crowd_names=("Walkers", "Straße 1"), notices=("one", "two"), seed=0):
    rng = np.random.default_rng(seed)
    present = rng.random((frames, agents)) < 0.7
    return Trajectories(
        frames=np.arange(10, 10 + frames),
        fps=23.976,
        position=np.where(present[:, :, None], rng.normal(size=(frames, agents, 3)), np.nan),
        heading=np.where(present, rng.normal(size=(frames, agents)), np.nan),
        velocity=np.where(present[:, :, None], rng.normal(size=(frames, agents, 2)), np.nan),
        present=present,
        arrived_frame=rng.integers(-1, 20, agents),
        radius=rng.random(agents),
        crowd=rng.integers(0, 2, agents),
        crowd_names=crowd_names,
        unhindered_time=rng.random(agents),
        notices=notices,
        doing=np.where(present, rng.integers(0, 2, present.shape), -1).astype(np.int8),
        because_of=np.where(present, rng.integers(-1, agents, present.shape), -1).astype(np.int32),
        wish=np.where(present[:, :, None], rng.normal(size=(frames, agents, 2)), np.nan).astype(np.float16),
        doing_names=("walking", "held up"),
    )


def assert_same(one, other):
    for name in NAMES:
        a, b = getattr(one, name), getattr(other, name)
        if isinstance(a, np.ndarray):
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b, strict=True)
        else:
            assert type(a) is type(b)
            assert a == b


words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=10)


@settings(max_examples=30)
@given(
    st.integers(0, 4),
    st.integers(0, 4),
    st.lists(words, max_size=3).map(tuple),
    st.lists(words, max_size=3).map(tuple),
)
def test_what_is_saved_is_loaded(tmp_path_factory, frames, agents, crowd_names, notices):
    path = tmp_path_factory.mktemp("t") / "out.npz"
    trajectories = make(frames, agents, crowd_names=crowd_names, notices=notices)
    trajectories.save(path)
    assert_same(trajectories, Trajectories.load(path))


def test_the_arrays_are_those_of_the_contract_and_need_no_pickle(tmp_path):
    trajectories = make()
    trajectories.save(tmp_path / "out.npz")
    with np.load(tmp_path / "out.npz", allow_pickle=False) as archive:
        shapes = {name: (archive[name].dtype.kind, archive[name].shape) for name in archive.files}
        assert archive["crowd_names"].tolist() == ["Walkers", "Straße 1"]
    assert shapes == {
        "frames": ("i", (5,)),
        "fps": ("f", ()),
        "position": ("f", (5, 3, 3)),
        "heading": ("f", (5, 3)),
        "velocity": ("f", (5, 3, 2)),
        "present": ("b", (5, 3)),
        "arrived_frame": ("i", (3,)),
        "radius": ("f", (3,)),
        "crowd": ("i", (3,)),
        "crowd_names": ("U", (2,)),
        "unhindered_time": ("f", (3,)),
        "notices": ("U", (2,)),
        "box": ("f", (3, 2)),
        "group": ("i", (3,)),
        "doing": ("i", (5, 3)),
        "because_of": ("i", (5, 3)),
        "wish": ("f", (5, 3, 2)),
        "doing_names": ("U", (2,)),
    }


def test_the_same_content_is_the_same_bytes_at_any_time(tmp_path, monkeypatch):
    trajectories = make(seed=3)
    trajectories.save(tmp_path / "one.npz")
    monkeypatch.setattr(time, "time", lambda: 2_000_000_000.0)
    strided = dataclasses.replace(trajectories, position=np.asfortranarray(trajectories.position))
    strided.save(tmp_path / "two.npz")
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    make(seed=4).save(tmp_path / "three.npz")
    assert (tmp_path / "one.npz").read_bytes() != (tmp_path / "three.npz").read_bytes()


def test_the_hash_is_of_all_that_moves_and_of_no_words():
    hashes = [
        make(**words).digest()
        for words in ({}, {"crowd_names": ("Friends", "Others")}, {"notices": ()}, {"seed": 1}, {"crowd_names": ("A",)})
    ]
    assert hashes[0] == hashes[1] == hashes[2]
    assert len(set(hashes[2:])) == 3


def test_the_path_is_taken_as_it_is(tmp_path):
    make().save(tmp_path / "result")
    assert [each.name for each in tmp_path.iterdir()] == ["result"]


class _FullDisk(io.FileIO):
    """A file on a disk that has room for 1,000 bytes."""

    def write(self, data):
        if self.tell() + len(data) > 1000:
            raise OSError(28, "No space left on device")
        return super().write(data)


def test_a_full_disk_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "out.npz"
    old = make(seed=1)
    old.save(path)
    monkeypatch.setattr("pathlib.Path.open", lambda self, mode: _FullDisk(self, mode.replace("b", "")))
    with pytest.raises(FootfallError, match=r"out\.npz.*No space left"):
        make(100, 20).save(path)
    monkeypatch.undo()
    assert [each.name for each in tmp_path.iterdir()] == ["out.npz"]
    assert_same(old, Trajectories.load(path))


def test_a_file_that_is_not_there_or_no_npz_is_told(tmp_path):
    with pytest.raises(FootfallError, match=r"none\.npz.*No such file"):
        Trajectories.load(tmp_path / "none.npz")
    for content in (b"", b"hello", b"PK\x03\x04" + bytes(50)):
        (tmp_path / "bad.npz").write_bytes(content)
        with pytest.raises(FootfallError, match=r"bad\.npz.*damaged or not an npz file"):
            Trajectories.load(tmp_path / "bad.npz")
    np.save(tmp_path / "array.npy", np.arange(3))
    with pytest.raises(FootfallError, match=r"array\.npy"):
        Trajectories.load(tmp_path / "array.npy")


def test_every_cut_and_a_changed_byte_are_noticed(tmp_path):
    make().save(tmp_path / "out.npz")
    content = (tmp_path / "out.npz").read_bytes()
    for size in range(0, len(content), 97):
        (tmp_path / "cut.npz").write_bytes(content[:size])
        with pytest.raises(FootfallError):
            Trajectories.load(tmp_path / "cut.npz")
    spot = content.index(b"position.npy") + 300
    (tmp_path / "cut.npz").write_bytes(content[:spot] + bytes([content[spot] ^ 1]) + content[spot + 1 :])
    with pytest.raises(FootfallError):
        Trajectories.load(tmp_path / "cut.npz")


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_missing_array_is_named(tmp_path, name):
    # Without stops and activities their arrays are left out.
    dataclasses.replace(make(), stop_names=("Kiosk",), activity_names=("none",)).save(tmp_path / "out.npz")
    with zipfile.ZipFile(tmp_path / "out.npz") as old, zipfile.ZipFile(tmp_path / "less.npz", "w") as new:
        for entry in old.namelist():
            if entry != f"{name}.npy":
                new.writestr(entry, old.read(entry))
    with pytest.raises(FootfallError, match=rf"less\.npz.*no array {name}"):
        Trajectories.load(tmp_path / "less.npz")


def test_arrays_that_do_not_fit_together_are_told(tmp_path):
    trajectories = make()
    arrays = {name: np.asarray(getattr(trajectories, name)) for name in NAMES}
    np.savez(tmp_path / "odd.npz", **arrays | {"heading": np.zeros((5, 4))})
    with pytest.raises(FootfallError, match=r"heading is float64 \(5, 4\), not float64 \(5, 3\)"):
        Trajectories.load(tmp_path / "odd.npz")
    np.savez(tmp_path / "odd.npz", **arrays | {"present": np.zeros((5, 3))})
    with pytest.raises(FootfallError, match="present is float64"):
        Trajectories.load(tmp_path / "odd.npz")


def test_the_documentation_names_every_array_of_the_file():
    page = (Path(__file__).parents[2] / "docs" / "scene_file.md").read_text(encoding="utf-8")
    told = page[page.index("`OUT.npz` holds") :]
    assert {name for name in NAMES if not re.search(rf"`{name}[ `]", told)} == set()
