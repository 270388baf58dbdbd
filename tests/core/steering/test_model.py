# SPDX-License-Identifier: GPL-3.0-or-later
"""The avoidance models: one list for scene, panel and kernels, and a new one is a row and a kernel."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from core.scene import AVOIDANCES, NO_AVOIDANCE, PEDESTRIAN
from core.scene.avoidance_models import AVOIDANCE_MODELS, MODEL_NAMES
from core.steering import backends, orca
from core.steering.bodies import Bodies
from core.steering.model import MODELS, KernelModel, ModelSettings

CORE = Path(backends.__file__).resolve().parents[1]
FACE = "core/steering/orca.py"  # its `new_velocity` is what scripts call


def test_scene_files_take_the_names_of_all_models_and_of_none():
    assert tuple(MODELS) == MODEL_NAMES
    assert AVOIDANCES[PEDESTRIAN] == (*MODELS, NO_AVOIDANCE)
    assert len({row.label for row in AVOIDANCE_MODELS}) == len(MODELS)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_says_its_name_and_how_far_it_looks_and_lets_somebody_alone_go_as_preferred(name, backend):
    model = MODELS[name](ModelSettings(), backend)
    assert model.name == name
    assert model.obstacle_horizon > 0.0
    alone = Bodies(np.zeros((1, 2)), np.zeros((1, 2)), np.array([[1.3, 0.0]]), np.array([0.25]), np.array([2.0]))
    np.testing.assert_array_equal(model.new_velocity(alone, orca.prepare_obstacles(), 0.05), [[1.3, 0.0]])


def test_a_model_of_a_kernel_alone_takes_the_compiled_one_if_there_is_one(monkeypatch, backend):
    """Who has somebody near stands; who avoids nobody goes on."""
    kernel = ModuleType("stand")
    kernel.new_velocity = lambda agents, near, *_: np.where((near[:1] >= 0).T, 0.0, agents.preferred)
    monkeypatch.setitem(sys.modules, "core.steering.kernels.reference.stand", kernel)
    backends.model_kernel.cache_clear()
    position = np.array([[0.0, 0.0], [1.0, 0.0], [50.0, 0.0]])
    wish = np.ones((3, 2))
    avoids = np.array([True, False, True])
    bodies = Bodies(position, wish, wish, np.full(3, 0.25), np.full(3, 2.0), avoids=avoids)
    found = KernelModel("stand", orca.OrcaSettings(), backend).new_velocity(bodies, orca.prepare_obstacles(), 0.05)
    np.testing.assert_array_equal(found, [[0.0, 0.0], [1.0, 1.0], [1.0, 1.0]])
    compiled = backends.model_kernel("orca", backend).__name__
    assert ("compiled" in compiled) == (backend == "numba")


def long_argument_lists(place, text):
    """Functions, and calls of functions, with more than eight arguments; records may have as many fields as need be."""
    broken = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            arguments = node.args
            if len(arguments.posonlyargs + arguments.args + arguments.kwonlyargs) > 8:
                broken.append(f"{place}: {node.name}")
        elif isinstance(node, ast.Call):
            name = ast.unparse(node.func).rpartition(".")[2]
            if not name.lstrip("_")[:1].isupper() and name != "replace" and len(node.args + node.keywords) > 8:
                broken.append(f"{place}:{node.lineno} calls {name}")
    return broken


def test_a_long_argument_list_is_seen():
    assert long_argument_lists("a.py", "f(1, 2, 3, 4, 5, 6, 7, g=8, h=9)")
    assert long_argument_lists("a.py", "def f(a, b, c, d, e, f, g, *, h, i): pass")
    assert long_argument_lists("a.py", "Record(1, 2, 3, 4, 5, 6, 7, 8, 9)") == []


@pytest.mark.once
def test_no_function_takes_more_than_eight_arguments_but_the_face_for_scripts():
    found = []
    for path in sorted(CORE.rglob("*.py")):
        found += long_argument_lists(path.relative_to(CORE.parent).as_posix(), path.read_text(encoding="utf-8"))
    assert found == [f"{FACE}: new_velocity"]
