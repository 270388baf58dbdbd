# SPDX-License-Identifier: GPL-3.0-or-later
"""The backends: which there are, and that they are twins."""

from __future__ import annotations

import inspect
import os
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from core.compiled import twins
from core.errors import BackendError
from core.steering import available_backends, backends, choose_backend, orca, warm_up, warming_up
from core.steering.backends import kernels_of, model_kernel
from core.steering.bodies import Bodies
from core.steering.model import MODELS, ModelSettings

FEW = os.environ.get("NUMBA_DISABLE_JIT", "0") == "1"  # without its compiler numba is slow


@pytest.fixture
def no_numba(monkeypatch):
    """A Python in which numba cannot be imported."""
    monkeypatch.setitem(sys.modules, "numba", None)
    for name in [name for name in sys.modules if "steering.kernels" in name and name.endswith(("_numba", "compiling"))]:
        monkeypatch.delitem(sys.modules, name)
    backends.numba_kernels.cache_clear()
    yield
    backends.numba_kernels.cache_clear()


def public_functions(module):
    return {
        name: list(inspect.signature(function).parameters)
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_")
    }


def test_twins_have_the_same_functions_and_arguments(numba):
    for ours, twin in zip(kernels_of("numpy"), kernels_of(numba), strict=True):
        wanted = public_functions(twin)
        assert wanted
        assert {name: arguments for name, arguments in public_functions(ours).items() if name in wanted} == wanted


def test_twins_have_the_same_files():
    kernels = Path(backends.__file__).parent / "kernels"
    names = [sorted(path.name for path in (kernels / folder).glob("*.py")) for folder in ("reference", "compiled")]
    assert names[0] == names[1]


def scene(crowd, agents, density, seed):
    side = np.sqrt(agents / density)
    block, moving = (
        np.array([[0.1, 0.1], [0.4, 0.12], [0.3, 0.2], [0.35, 0.4], [0.1, 0.4]]),
        [[0.6, 0.6], [0.8, 0.6], [0.7, 0.8]],
    )
    obstacles = orca.prepare_obstacles(
        [side * block, side * np.array(moving)],
        walls=[side * np.array([[0.0, 0.5], [0.5, 0.52], [0.9, 0.45]])],
        velocities=[None, [0.4, -0.3]],
    )
    return crowd(agents, density=density, seed=seed), obstacles


@pytest.mark.parametrize("density", [0.3, 1.5, 6.0])
def test_twins_give_the_same_bits(density, numba, crowd, settings):
    """From a sparse crowd to one where nearly nobody finds a way out and all programs are needed."""
    state, obstacles = scene(crowd, 60 if FEW else 600, density, seed=int(10 * density))
    position, velocity, preferred, radius, max_speed = state
    avoids = np.arange(len(radius)) % 7 > 0
    precedence = 0.05 * (np.arange(len(radius)) % 9 - 4)
    for _ in range(1 if FEW else 20):
        found = [
            orca.new_velocity(
                position,
                velocity,
                preferred,
                radius,
                max_speed,
                avoids=avoids,
                precedence=precedence,
                obstacles=obstacles,
                symmetry=orca.SymmetryBreaking(),
                backend=backend,
                **settings,
            )
            for backend in ("numpy", numba)
        ]
        assert found[0].tobytes() == found[1].tobytes()
        velocity = found[0]
        position = position + velocity * settings["dt"]


def test_twins_agree_in_scenes_full_of_equal_distances_and_parallel_lines(numba, settings):
    grid = np.stack(np.meshgrid(np.arange(8.0), np.arange(6.0)), axis=-1).reshape(-1, 2)
    angle = np.linspace(0.0, 2.0 * np.pi, 16, endpoint=False)
    ring = 2.0 * np.stack((np.cos(angle), np.sin(angle)), axis=1)
    heap = np.zeros((7, 2))
    for position in (grid, 0.45 * grid, ring, heap):
        velocity = 0.5 * (position.mean(axis=0) - position)
        found = [
            orca.new_velocity(
                position, velocity, 2.0 * velocity, 0.25, 2.0, obstacles=[0.2 * ring + 1.0], backend=backend, **settings
            )
            for backend in ("numpy", numba)
        ]
        assert found[0].tobytes() == found[1].tobytes()


@pytest.mark.parametrize("threads", ["1", "2", "3"])
def test_threads_change_no_bit(threads, numba, crowd, settings, monkeypatch):
    from core.compiled import compiling

    state, obstacles = scene(crowd, 50 if FEW else 900, 1.5, seed=4)
    expected = orca.new_velocity(*state, obstacles=obstacles, backend="numpy", **settings)
    monkeypatch.setenv("FOOTFALL_THREADS", threads)
    monkeypatch.setattr(compiling, "HAND_OVER", 1e-6)
    found = orca.new_velocity(*state, obstacles=obstacles, backend=numba, **settings)
    assert found.tobytes() == expected.tobytes()


def test_chunks_change_no_bit(crowd, settings, monkeypatch):
    from core.steering.kernels.reference import edges, linear_program, neighbours, planes, symmetry
    from core.steering.kernels.reference import orca as orca_numpy

    state, obstacles = scene(crowd, 300, 3.0, seed=5)
    expected = orca.new_velocity(
        *state, obstacles=obstacles, symmetry=orca.SymmetryBreaking(), backend="numpy", **settings
    )
    for module in (edges, linear_program, neighbours, orca_numpy, planes, symmetry):
        monkeypatch.setattr(module, "CHUNK", 37)
    found = orca.new_velocity(
        *state, obstacles=obstacles, symmetry=orca.SymmetryBreaking(), backend="numpy", **settings
    )
    assert found.tobytes() == expected.tobytes()


def test_auto_takes_the_fastest_there_is():
    assert available_backends()[0] == "numpy"
    fastest = "numba" if "numba" in available_backends() and not FEW else "numpy"
    assert choose_backend() == choose_backend("auto") == fastest
    assert choose_backend("numpy") == "numpy"


def test_without_numba_there_is_numpy_and_a_word_about_the_way_out(no_numba, settings):
    assert available_backends() == ("numpy",)
    assert choose_backend("auto") == "numpy"
    with pytest.raises(BackendError, match=r"'numba' does not work here.*pip install numba.*'auto' or 'numpy'"):
        choose_backend("numba")
    nothing = np.zeros((1, 2))
    orca.new_velocity(nothing, nothing, nothing, 0.3, 1.0, **settings)


def test_compiled_code_is_kept_outside_the_sources(monkeypatch, tmp_path):
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = backends.cache_folder()
    assert folder.is_dir()
    assert tmp_path in folder.parents
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))  # nothing can be made in a file
    elsewhere = backends.cache_folder()
    assert elsewhere.is_dir()
    assert tmp_path not in elsewhere.parents
    assert Path(backends.__file__).parent not in elsewhere.parents


def test_compiled_code_is_kept_where_somebody_wants_it_if_that_can_be(monkeypatch, tmp_path):
    monkeypatch.setattr(twins, "_chosen_folder", [])
    backends.keep_compiled_code_in(tmp_path / "mine")
    assert backends.cache_folder().parent == tmp_path / "mine"
    (tmp_path / "file").write_text("", encoding="utf-8")
    backends.keep_compiled_code_in(tmp_path / "file")
    assert tmp_path not in backends.cache_folder().parents


def test_warming_in_the_background_happens_once_and_tells_how_far_it_is(monkeypatch):
    gate, runs = threading.Event(), []
    monkeypatch.setattr(warming_up, "warm_up", lambda: runs.append(gate.wait(30)))
    background = warming_up.Warming()
    assert background.state == "not asked"
    background.start()
    background.start()
    assert background.state == "under way"
    gate.set()
    background.wait()
    background.start()
    assert background.state == "ready"
    assert runs == [True]


def test_warming_up_compiles_all_that_a_crowd_needs_and_changes_no_result(numba, crowd, settings):
    from core.steering.kernels.compiled import human_like
    from core.steering.kernels.compiled import orca as orca_numba

    state, obstacles = scene(crowd, 20, 1.5, seed=6)
    options = {**settings, "obstacles": obstacles, "symmetry": orca.SymmetryBreaking(), "backend": numba}
    expected = orca.new_velocity(*state, **{**options, "backend": "numpy"})
    warm_up("numpy")
    warm_up()
    compiled = signatures(human_like, orca_numba)
    assert FEW or all(compiled.values())
    warm_up()
    assert orca.new_velocity(*state, **options).tobytes() == expected.tobytes()
    assert signatures(human_like, orca_numba) == compiled


@pytest.mark.skipif(FEW, reason="nothing is compiled without the compiler")
def test_a_few_who_ask_among_many_need_nothing_that_is_not_warmed_up(numba, crowd):
    warm_up(numba)
    kernels = [model_kernel(name, numba) for name in MODELS]
    compiled = signatures(*kernels)
    bodies, asks = Bodies(*crowd(80, density=1.0, seed=9)), np.arange(80) % 9 == 0
    walls = orca.prepare_obstacles([np.array([[0.0, 0.0], [3.0, 0.0], [3.0, 3.0]])])
    for make in MODELS.values():
        make(ModelSettings(), numba).new_velocity(bodies, walls, 0.1, asks)
    assert signatures(*kernels) == compiled


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("share", [0.0, 0.02, 0.2, 0.8, 1.0])
def test_who_asks_gets_what_they_get_where_all_ask_and_the_others_what_they_prefer(name, share, backend, crowd):
    rng, walls = np.random.default_rng(3), orca.prepare_obstacles([np.array([[0.0, 0.0], [3.0, 0.0], [3.0, 3.0]])])
    places, velocities, preferred, *rest = crowd(60, density=1.2, seed=4)
    insists, asks = rng.random(60) < 0.4, rng.random(60) < share
    among = {
        "insists": insists,
        "shown": 0.5 * velocities,
        "squeezes": rng.random(60) < 0.5,
        "avoids": rng.random(60) < 0.9,
    }
    bodies = Bodies(places, velocities, preferred, *rest, **among, squeezed=0.7 * rest[0])
    model = MODELS[name](ModelSettings(), backend)
    everybody, found = (model.new_velocity(bodies, walls, 0.1, *asked) for asked in ((), (asks,)))
    np.testing.assert_array_equal(found[asks], everybody[asks])
    np.testing.assert_array_equal(found[~asks], preferred[~asks])
    assert not np.allclose(everybody, preferred)


def signatures(*modules):
    """For what types of arguments each kernel that Python calls is compiled."""
    return {
        (module.__name__, name): list(kernel.signatures)
        for module in modules
        for name, kernel in vars(module).items()
        if hasattr(kernel, "signatures") and not kernel.targetoptions.get("no_cpython_wrapper")
    }
