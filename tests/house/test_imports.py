# SPDX-License-Identifier: GPL-3.0-or-later
"""Who may import whom: what from outside, which part of a wing which other, and what never goes in a circle."""

import ast
import sys
from pathlib import Path

import pytest

from .sources import ALL_PYTHON, OURS, ROOT, SOURCES, broken_in_sources, imports_in, place_of

BLENDER_MODULES = {
    "bpy",
    "mathutils",
    "bmesh",
    "gpu",
    "gpu_extras",
    "blf",
    "addon_utils",
    "bl_ui",
    "bl_operators",
    "bpy_extras",
}
DOORS = {  # package: where alone it may be imported
    "pyclipper": "core/geometry/polygons.py",
    "pyvoronoi": "core/routing/medial_axis/voronoi.py",
    "numba": "core/compiled/",
}

FLOORS = {  # wing: its parts from the ground up; each may import only those below it, and itself
    "core": (
        ("errors", "array_types", "garbage_collection", "wording"),
        ("safe_writing",),
        ("trajectories",),
        ("compiled",),
        ("geometry",),
        ("scene",),
        ("motion", "planning", "routing", "steering"),
        ("simulation",),
        ("inspection", "report"),
        ("__init__",),
        ("__main__",),
    ),
    "core/simulation": (
        ("settings",),
        ("world",),
        ("population",),
        ("places",),
        ("guidance",),
        ("visits",),
        ("reactions",),
        ("behaviours", "movement"),
        ("pedestrians", "vehicles"),
        ("resuming",),
        ("simulation",),
        ("__init__",),
    ),
    "blender_addon": (
        ("blender_data",),
        ("settings",),
        ("figures",),
        ("bakes",),
        ("characters",),
        ("reading",),
        ("baking",),
        ("runtime",),
        ("interface",),
        ("headless", "presets"),
        ("command_line",),
        ("farm",),
        ("registration",),
        ("__init__",),
    ),
}


def resolve(place, level, module, name):
    """The dotted parts that a relative import reaches, as far as modules go, from the file at `place`."""
    package = Path(place).parts[:-1]
    if level > len(package) + 1:
        return ("outside",)
    parts = (*package[: len(package) - level + 1], *(module.split(".") if module else ()))
    is_module = (ROOT.joinpath(*parts, f"{name}.py")).exists() or (ROOT.joinpath(*parts, name, "__init__.py")).exists()
    return (*parts, name) if is_module else parts


def foreign_imports(place, text):
    """Absolute imports that this file may not have."""
    broken = []
    for level, module, _ in imports_in(text):
        package = module.partition(".")[0]
        if level or package in sys.stdlib_module_names or package == "numpy":
            continue
        door = DOORS.get(package)
        if door is not None and place.startswith(door):
            continue
        if package in BLENDER_MODULES and place.startswith("blender_addon/"):
            continue
        broken.append(f"{place} imports {module}")
    return broken


def targets_of(place, text):
    """The dotted parts of every module of the repository that a file imports relatively."""
    return [resolve(place, level, module, name) for level, module, name in imports_in(text) if level]


def upward_imports(place, text):
    """Relative imports that leave their wing, go up a floor, or reach a neighbour on the same floor."""
    own = Path(place).with_suffix("").parts
    broken = []
    for target in targets_of(place, text):
        if own[0] == "core" and target[0] != "core":
            broken.append(f"{place} leaves core for {'.'.join(target)}")
            continue
        for wing, floors in FLOORS.items():
            depth = wing.count("/") + 1
            if "/".join(own[:depth]) == wing == "/".join(target[:depth]):
                part, other = own[depth], target[depth] if len(target) > depth else "__init__"
                level = {name: number for number, names in enumerate(floors) for name in names}
                assert part in level, f"{part} stands on no floor of {wing}"
                if part != other and level.get(other, len(floors)) >= level[part]:
                    broken.append(f"{place} ({part}) imports {other}")
    return broken


def circles(arrows):
    """Groups of files that import each other in a circle (strongly connected, Tarjan 1972), each sorted."""
    number, low, stack, found = {}, {}, [], []

    def visit(place):
        number[place] = low[place] = len(number)
        stack.append(place)
        for other in arrows.get(place, ()):
            if other not in number:
                visit(other)
            if other in stack:
                low[place] = min(low[place], low[other])
        if low[place] == number[place]:
            group = stack[stack.index(place) :]
            del stack[stack.index(place) :]
            if len(group) > 1 or place in arrows.get(place, ()):
                found.append(sorted(group))

    for place in arrows:
        if place not in number:
            visit(place)
    return found


def file_of(parts):
    """The file of a module, by its dotted parts."""
    path = ROOT.joinpath(*parts)
    return place_of(path / "__init__.py" if path.is_dir() else path.with_suffix(".py"))


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("core/scene/scene.py", "import bpy"),
        ("core/scene/scene.py", "def f():\n    from mathutils import Vector"),
        ("core/steering/orca.py", "from core.errors import FootfallError"),
        ("core/steering/orca.py", "import scipy.spatial"),
        ("core/steering/orca.py", "import numba"),
        ("core/planning/planner.py", "import pyclipper"),
        ("core/routing/graph/search.py", "import pyvoronoi"),
        ("blender_addon/reading/curves.py", "import pyclipper"),
        ("blender_addon/reading/curves.py", "import core"),
        ("blender_addon/reading/curves.py", "from blender_addon.baking import bake"),
    ],
)
def test_a_foreign_import_is_seen(place, text):
    assert foreign_imports(place, text)


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("core/geometry/polygons.py", "from ..scene import Scene"),
        ("core/geometry/polygons.py", "from .. import scene"),
        ("core/planning/planner.py", "from ..steering import orca"),
        ("core/steering/orca.py", "from ..simulation import loop"),
        ("core/steering/kernels/compiled/orca.py", "from ....routing import wayfinding"),
        ("core/scene/scene.py", "def f():\n    from ..simulation import simulate"),
        ("core/scene/scene.py", "from .. import Trajectories"),
        ("core/scene/scene.py", "from ...blender_addon import reading"),
        ("core/simulation/simulation.py", "from ....outside import anything"),
        ("core/simulation/simulation.py", "from . import simulate"),
        ("core/simulation/world/agents.py", "from ..pedestrians.avoidance import Avoidance"),
        ("core/simulation/pedestrians/avoidance.py", "from ..vehicles import traffic"),
        ("blender_addon/settings/values.py", "from ..interface import menus"),
        ("blender_addon/reading/scene.py", "def f():\n    from ..runtime import freshness"),
    ],
)
def test_an_upward_import_is_seen(place, text):
    assert upward_imports(place, text)


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("core/simulation/simulation.py", "from ..steering import orca"),
        ("core/simulation/simulation.py", "from .world.agents import Agents"),
        ("blender_addon/interface/menus.py", "from ...core.errors import FootfallError"),
        ("core/steering/orca.py", "from ..errors import FootfallError"),
        ("core/steering/kernels/compiled/orca.py", "from ...body_limits import limit_velocity"),
        ("core/scene/scene.py", "from ..trajectories import Trajectories"),
        ("core/__init__.py", "from .simulation import simulate"),
    ],
)
def test_a_downward_import_is_right(place, text):
    assert upward_imports(place, text) == []


def test_imports_keep_to_the_house():
    assert broken_in_sources(foreign_imports) == []
    assert broken_in_sources(upward_imports) == []


def test_a_circle_of_imports_is_seen():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set()}) == [["a", "b", "c"]]
    assert circles({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []
    assert circles({"a": {"a"}}) == [["a"]]


def arrows_of_files():
    """The files that each file imports from."""
    arrows = {}
    for path in SOURCES:
        place = place_of(path)
        targets = targets_of(place, path.read_text(encoding="utf-8"))
        arrows[place] = sorted({file_of(parts) for parts in targets if parts[0] in OURS} - {place})
    return arrows


def test_no_files_import_each_other_in_a_circle():
    assert circles(arrows_of_files()) == []


def pairs_both_ways(arrows):
    """Folders of which each imports from the other, given the imports of each file."""
    folders = {(str(Path(place).parent), str(Path(to).parent)) for place in arrows for to in arrows[place]}
    return sorted((one, other) for one, other in folders if one < other and (other, one) in folders)


def test_folders_that_import_one_another_are_seen():
    assert pairs_both_ways({"a/b.py": {"c/d.py"}, "c/e.py": {"a/f.py"}, "c/d.py": set()}) == [("a", "c")]
    assert pairs_both_ways({"a/b.py": {"c/d.py"}, "c/d.py": {"c/e.py"}, "c/e.py": {"g/h.py"}}) == []


def test_no_two_folders_import_one_another():
    pairs = [pair for pair in pairs_both_ways(arrows_of_files()) if pair[0] != "core"]  # its face offers what they hold
    assert pairs == []


def test_the_root_is_importable_without_blender():
    tree = ast.parse((ROOT / "__init__.py").read_text(encoding="utf-8"))
    assert not any(isinstance(node, ast.Import | ast.ImportFrom) for node in tree.body)
    assert [node.name for node in tree.body if isinstance(node, ast.FunctionDef)] == ["register", "unregister"]


def test_tests_of_the_addon_use_the_installed_core():
    paths = [path for path in ALL_PYTHON if "tests/addon/" in path.as_posix()]
    imports = {place_of(path): imports_in(path.read_text(encoding="utf-8")) for path in paths}
    reached = [(place, module) for place, found in imports.items() for level, module, _ in found if not level]
    wrong = [each for each in reached if each[1].partition(".")[0] in {"core", "blender_addon"}]
    assert wrong == [], "use the addon fixture: addon.module('core...')"


def test_tests_do_not_import_benchmarks():
    tests = [path for path in ALL_PYTHON if place_of(path).startswith("tests/")]
    reached = {place_of(path): imports_in(path.read_text(encoding="utf-8")) for path in tests}
    modules = [(place, module) for place, imports in reached.items() for _, module, _ in imports]
    assert len(modules) > 100
    assert not [each for each in modules if each[1].partition(".")[0] == "benchmarks"]


@pytest.mark.parametrize("path", [ROOT / "build_addon.py", *(ROOT / "build_tools").glob("*.py")], ids=place_of)
def test_the_build_needs_nothing_but_python(path):
    reached = {
        module.partition(".")[0] for level, module, _ in imports_in(path.read_text(encoding="utf-8")) if not level
    }
    beyond = reached - sys.stdlib_module_names - {"build_tools"}
    assert beyond == ({"bpy", "addon_utils"} if path.name == "install_in_blender.py" else set())
