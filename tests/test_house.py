# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of the house: who may import whom, which file is the door to what, and how files begin.

Each rule is a function from source text to broken rules, tried on text that breaks it and then held against the
repository.
"""

import ast
import re
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
OURS = ("core", "blender_addon")
SOURCES = sorted(path for folder in OURS for path in (ROOT / folder).rglob("*.py"))
SKIPPED_FOLDERS = {".venv", ".git", "out", "dist"}
ALL_PYTHON = sorted(
    path for path in ROOT.rglob("*.py") if not SKIPPED_FOLDERS.intersection(path.relative_to(ROOT).parts)
)

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
CURVE_WORDS = {"channelbag", "channelbags", "action_slot", "keyframe_points", "nla_tracks"}
CURVE_DOOR = "blender_addon/blender_data/"

ELEMENTARY = "core/geometry/reproducible_math.py"
KEYS_ARE_MADE = tuple(
    f"blender_addon/{part}"
    for part in (
        "baking/",
        "blender_data/",
        "characters/acts/gaze",
        "characters/legs/",
        "characters/performances",
        "characters/planted_feet",
        "characters/ready/body_width",
        "characters/ready/seen_feet",
        "characters/wheels",
    )
)
MOTION_IS_MADE = (
    *(f"core/{part}/" for part in ("geometry", "motion", "planning", "routing", "steering", "simulation")),
    "blender_addon/reading/",
    *KEYS_ARE_MADE,
)
WAVERING = re.compile(
    "(arc)?(sin|cos|tan)(h|c)?|arctan2|exp2?|expm1|log(2|10|1p)?|(float_)?power|cbrt|angle|hypot|v?dot|inner|matmul|tensordot|"
    "convolve|correlate|polyfit"
)

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
FEWEST, MOST = 4, 13  # files in a folder, without `__init__`
OTHER_SIZES = {
    "blender_addon": "registration and the command line are all that belong to no wing",
    "blender_addon/farm": "what stands beside Blender on a farm; its other files are no Python",
    "blender_addon/headless": "one file for each of variants, settings by words, and pictures",
    "blender_addon/interface/languages": "one file for each language",
    "core/simulation": "the loop and its random numbers; everything else is in a folder",
    "core/steering/kernels": "two folders of twins, and what both share",
}


@cache
def walked(text):
    """All nodes of a source text."""
    return tuple(ast.walk(ast.parse(text)))


def imports_in(text):
    """All imports of a source text, also those inside functions: (level, module, name) with level 0 for absolute."""
    for node in walked(text):
        if isinstance(node, ast.Import):
            yield from ((0, alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.level, node.module or "", alias.name) for alias in node.names)


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


def twice(things):
    """What stands at more than one place: thing -> places."""
    places = {}
    for thing, place in things:
        places.setdefault(thing, []).append(place)
    return {thing: where for thing, where in places.items() if len(where) > 1}


def curve_words(place, text):
    """Where an action's F-curves live differs between Blender's versions: only one folder may know."""
    if place.startswith(CURVE_DOOR):
        return []
    return [
        f"{place}:{node.lineno} touches {ast.unparse(node)}"
        for node in walked(text)
        if isinstance(node, ast.Attribute)
        and (node.attr in CURVE_WORDS or (node.attr == "fcurves" and "action" in ast.unparse(node.value).lower()))
    ]


def crashing_calls(place, text):
    """`bpy.data.scenes.remove` crashes Blender up to 4.3 where there is no window; `batch_remove` does not."""
    return [
        f"{place}:{node.lineno} removes a scene by itself: use bpy.data.batch_remove"
        for node in walked(text)
        if isinstance(node, ast.Attribute) and ast.unparse(node).endswith("data.scenes.remove")
    ]


def wavering_calls(place, text):
    """What numpy does in its own way on each processor may not be used where motion is made.

    The last bit would differ, and with it, some steps later, who goes where. `core/geometry/reproducible_math` has the
    same of additions, products and roots alone. Powers are plain in the second and the half only. Where keys are made,
    most of what is multiplied by @ are matrices of Blender's, which has one way to do it: only numpy's are looked for.
    """
    if place == ELEMENTARY or not place.startswith(MOTION_IS_MADE):
        return []
    broken = []
    for node in walked(text):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in {"np", "np.linalg", "np.fft"}:
            if WAVERING.fullmatch(node.attr) or ast.unparse(node.value) != "np":
                broken.append(f"{place}:{node.lineno} uses {ast.unparse(node)}: take it from {ELEMENTARY}")
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            if place.startswith(KEYS_ARE_MADE) and "np." not in ast.unparse(node):
                continue
            broken.append(f"{place}:{node.lineno} multiplies by @")
    return broken


def unencoded_texts(place, text):
    """Files and pipes of text without a named encoding: on Windows that is not UTF-8."""
    broken = []
    for node in walked(text):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name, words = node.func.attr, {keyword.arg for keyword in node.keywords}
            plain = (name == "read_text" and not node.args) or (name == "write_text" and len(node.args) < 2)
            plain |= name in {"run", "Popen", "check_output"} and "text" in words
            if plain and "encoding" not in words:
                broken.append(f"{place}:{node.lineno} names no encoding")
    return broken


SOURCE_WORDS = re.compile(r"\b(chosen|measured|counted|by eye|as in|default|(19|20)\d\d)\b", re.IGNORECASE)


def unexplained_settings(place, text):
    """Numbers of settings that the docstring does not name, or whose source neither it nor the file's says."""
    broken = []
    for node in walked(text):
        if not isinstance(node, ast.ClassDef) or not node.name.endswith("Settings"):
            continue
        fields = [
            ast.unparse(each.target)
            for each in node.body
            if isinstance(each, ast.AnnAssign) and re.search(r"\b(float|int)\b", ast.unparse(each.annotation))
        ]
        docstring = ast.get_docstring(node) or ""
        names = re.findall(r"^ +([a-z_0-9]+(?:, [a-z_0-9]+)*): ", docstring, flags=re.MULTILINE)
        named = {name for each in names for name in each.split(", ")}
        broken += [f"{place}: {node.name}.{each} is not explained" for each in fields if each not in named]
        if fields and not SOURCE_WORDS.search(docstring + (ast.get_docstring(ast.parse(text)) or "")):
            broken.append(f"{place}: {node.name} names no source")
    return broken


def place_of(path):
    """A file's path in the repository, with forward slashes."""
    return path.relative_to(ROOT).as_posix()


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


@pytest.mark.parametrize(
    "text",
    ["walk_action.fcurves.new('location')", "rig.animation_data.action_slot = slot", "rig.animation_data.nla_tracks"],
)
def test_a_word_about_curves_outside_its_door_is_seen(text):
    assert curve_words("blender_addon/baking/bake.py", text)


def test_the_curves_of_a_strip_are_the_same_in_every_blender():
    assert curve_words("blender_addon/baking/bake.py", "strip.fcurves.find('strip_time')") == []


def test_a_scene_that_is_removed_by_itself_is_seen():
    assert crashing_calls("blender_addon/blender_data/evaluation.py", "bpy.data.scenes.remove(scene)")
    assert crashing_calls("blender_addon/blender_data/evaluation.py", "bpy.data.batch_remove([scene])") == []


@pytest.mark.parametrize("text", ["np.sin(x)", "np.linalg.solve(a, b)", "np.fft.rfft(x)", "a @ b", "wave = np.cos"])
def test_a_call_that_wavers_between_processors_is_seen(text):
    assert wavering_calls("core/planning/planner.py", text)
    assert wavering_calls(ELEMENTARY, text) == []


def test_only_products_of_blenders_own_matrices_may_be_written_shorter():
    place = "blender_addon/characters/legs/ik_legs.py"
    assert wavering_calls(place, "to_world @ np.array(bone.matrix)[:3, :3]")
    assert wavering_calls(place, "to_world @ bone.matrix @ Vector(place)") == []


def test_imports_keep_to_the_house():
    broken = []
    for path in SOURCES:
        text, place = path.read_text(encoding="utf-8"), place_of(path)
        found = foreign_imports(place, text) + upward_imports(place, text)
        found += curve_words(place, text) + crashing_calls(place, text) + wavering_calls(place, text)
        broken += [(place, each) for each in found]
    assert broken == []


@pytest.mark.parametrize(
    "text", ["path.read_text()", "path.write_text('a')", "subprocess.run(['a'], text=True, check=True)"]
)
def test_a_text_without_an_encoding_is_seen(text):
    assert unencoded_texts("tests/test_house.py", text)
    assert unencoded_texts("tests/test_house.py", f"{text[:-1]}, encoding='utf-8')".replace("(, ", "(")) == []


def test_settings_without_an_explanation_or_a_source_are_seen():
    body = "class WalkSettings:\n    '''How.\n\n    Attributes:\n        {}: [m/s]{}\n    '''\n    pace: float = 1.0"
    assert unexplained_settings("a.py", body.format("pace", " (Weidmann 1993).")) == []
    assert unexplained_settings("a.py", body.format("speed, pace", "; chosen.")) == []
    assert len(unexplained_settings("a.py", body.format("pace", "."))) == 1
    assert len(unexplained_settings("a.py", body.format("speed", "; chosen."))) == 1


def test_numbers_of_settings_are_explained_and_have_a_source():
    texts = {place_of(path): path.read_text(encoding="utf-8") for path in SOURCES}
    assert [each for place, text in texts.items() for each in unexplained_settings(place, text)] == []


def test_every_text_names_its_encoding():
    texts = {place_of(path): path.read_text(encoding="utf-8") for path in ALL_PYTHON}
    candidates = {place: text for place, text in texts.items() if re.search(r"(read|write)_text\(|text=True", text)}
    assert len(candidates) > 20
    assert [each for place, text in candidates.items() for each in unencoded_texts(place, text)] == []


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


def test_a_folder_holds_what_one_can_see_at_a_glance_and_says_what_may_be_in_it():
    for folder in sorted({path.parent for path in SOURCES}):
        place, files = place_of(folder), [path for path in folder.glob("*.py") if path.name != "__init__.py"]
        if place.startswith("blender_addon/presets"):
            continue  # Blender lists what lies there by its name
        assert (FEWEST <= len(files) <= MOST) != (place in OTHER_SIZES), f"{place} holds {len(files)} files"
        if place != "blender_addon/farm":
            assert ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))), place


def test_a_thing_that_stands_twice_is_seen():
    assert twice([("Ground", "a.py"), ("Walk", "a.py"), ("Ground", "b.py")]) == {"Ground": ["a.py", "b.py"]}


def test_no_two_classes_have_one_name():
    nodes = ((path, node) for path in SOURCES for node in walked(path.read_text(encoding="utf-8")))
    classes = ((node.name, place_of(path)) for path, node in nodes if isinstance(node, ast.ClassDef))
    assert twice(classes) == {}


def test_no_two_files_of_a_wing_have_one_name():
    places = [place_of(path) for path in SOURCES if path.name != "__init__.py"]
    twins = "core/steering/kernels/"  # of the same names on purpose
    assert (
        twice((tuple(place.split("/")[:2] + place.split("/")[-1:]), place) for place in places if twins not in place)
        == {}
    )


def test_a_module_holds_one_idea():
    lengths = {place_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES}
    assert len(lengths) > 500
    assert {place: lines for place, lines in lengths.items() if lines > 400} == {}


def test_every_file_names_its_licence():
    beginnings = {place_of(path): path.read_text(encoding="utf-8").splitlines()[:2] for path in ALL_PYTHON}
    first = {place: lines[lines[0].startswith("#!")] for place, lines in beginnings.items()}
    assert {place for place, line in first.items() if line != "# SPDX-License-Identifier: GPL-3.0-or-later"} == set()


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


def test_version_is_one():
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert manifest["version"] == project["project"]["version"]
    assert manifest["version"] in re.findall(r"^## (\S+)", changes, flags=re.MULTILINE)


@pytest.mark.parametrize("path", [ROOT / "build_addon.py", *(ROOT / "build_tools").glob("*.py")], ids=place_of)
def test_the_build_needs_nothing_but_python(path):
    reached = {
        module.partition(".")[0] for level, module, _ in imports_in(path.read_text(encoding="utf-8")) if not level
    }
    beyond = reached - sys.stdlib_module_names - {"build_tools"}
    assert beyond == ({"bpy", "addon_utils"} if path.name == "install_in_blender.py" else set())
