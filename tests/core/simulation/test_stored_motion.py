# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion of stored scenes is, bit for bit, that of when its hashes were stored.

A change that is to leave all motion as it is must leave every hash as it is, with numba and without it, on any numpy.
Where motion is meant to change, the hashes are written anew, by hand only, and the commit says why:

    python -m tests.core.simulation.test_stored_motion
"""

from __future__ import annotations

import hashlib
import json
import platform
from pathlib import Path

import numpy as np
import pytest

from core import Simulation, Trajectories, load_scene, simulate
from tests.sweeps import sweep

FOLDER = Path(__file__).resolve().parents[2] / "data" / "scenes"
HASHES = FOLDER / "motion_hashes.json"
CHAIN = "rebake_"
CHAIN_LENGTH = 6  # a first bake, and five that go on from the one before
ARRAYS = {
    "frames": "<i8",
    "position": "<f8",
    "heading": "<f8",
    "velocity": "<f8",
    "present": "|b1",
    "arrived_frame": "<i8",
    "radius": "<f8",
    "crowd": "<i8",
    "group": "<i8",
    "box": "<f8",
}
# In these something depends on numba that others do not show.
EVERYWHERE = ("crossing", "flock", "heroes", "opening_door", "two_way_human_like")
# The motion of these must be the stored one also where work is handed to threads row by row.
IN_PARTS = ("avenue", "traffic_at_crossings")
SCENES = sorted(path.stem for path in FOLDER.glob("*.json") if path != HASHES and not path.stem.startswith(CHAIN))


def motion_hash(made: Trajectories) -> str:
    """A SHA-256 of every array that describes motion, in a fixed order, type and layout, as hexadecimal digits."""
    total = hashlib.sha256()
    for name, kind in ARRAYS.items():
        array = np.asarray(getattr(made, name)).astype(kind, order="C", casting="equiv")
        total.update(f"{name} {array.shape}\n".encode() + array.tobytes())
    return total.hexdigest()


def scene_hash(name: str) -> str:
    return motion_hash(simulate(load_scene(FOLDER / f"{name}.json")))


def rebaked() -> list[Simulation]:
    """The scenes of the chain, each simulated from where it parts from the one before."""
    chain: list[Simulation] = []
    for number in range(CHAIN_LENGTH):
        scene = load_scene(FOLDER / f"{CHAIN}{number}.json")
        chain.append(Simulation(scene, remembers=True, earlier=chain[-1] if chain else None))
        while not chain[-1].done:
            chain[-1].step()
    return chain


@pytest.fixture(scope="module")
def stored() -> dict[str, str]:
    return json.loads(HASHES.read_text(encoding="utf-8"))


ONCE = pytest.mark.once
needs_x86 = pytest.mark.skipif(
    platform.machine() not in {"x86_64", "AMD64"}, reason="the stored motion is promised for this kind of processor"
)


@needs_x86
@pytest.mark.parametrize(
    "name",
    [
        name if name in EVERYWHERE else pytest.param(name, marks=pytest.mark.thorough if name in IN_PARTS else ONCE)
        for name in SCENES
    ],
)
def test_the_motion_of_a_scene_is_the_stored_one(name: str, stored: dict[str, str]) -> None:
    assert scene_hash(name) == stored[name]


@needs_x86
@pytest.mark.once
def test_rebakes_one_after_another_give_the_stored_motion_and_that_of_fresh_simulations(stored: dict[str, str]) -> None:
    chain = rebaked()
    for number, simulation in enumerate(chain):
        name = f"{CHAIN}{number}"
        assert motion_hash(simulation.result()) == stored[name], name
    assert scene_hash(f"{CHAIN}{CHAIN_LENGTH - 1}") == motion_hash(chain[-1].result())
    assert any(simulation.taken_over for simulation in chain)


@needs_x86
@pytest.mark.once
@pytest.mark.parametrize("name", sweep([*IN_PARTS, "market"], usual=2))
def test_work_handed_to_threads_row_by_row_gives_the_stored_motion(
    name: str, stored: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    compiling = pytest.importorskip("core.compiled.compiling", reason="numba is not installed")
    monkeypatch.setenv("FOOTFALL_THREADS", "3")
    monkeypatch.setattr(compiling, "HAND_OVER", 1e-6)
    monkeypatch.setattr(compiling, "PARTS_PER_THREAD", 10**6)
    assert scene_hash(name) == stored[name]


def test_every_stored_hash_is_of_a_scene_that_is_there(stored: dict[str, str]) -> None:
    assert sorted(stored) == sorted([*SCENES, *(f"{CHAIN}{number}" for number in range(CHAIN_LENGTH))])


def store() -> None:
    """Write all hashes anew, of fresh simulations."""
    names = sorted([*SCENES, *(f"{CHAIN}{number}" for number in range(CHAIN_LENGTH))])
    hashes = {name: scene_hash(name) for name in names}
    HASHES.write_text(json.dumps(hashes, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    store()
