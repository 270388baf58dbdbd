# SPDX-License-Identifier: GPL-3.0-or-later
"""What files say: where numbers of settings come from, licences, versions, and no name for two things."""

import ast
import re
import tomllib

from .sources import ALL_PYTHON, ROOT, SOURCES, broken_in_sources, place_of, walked


def twice(things):
    """What stands at more than one place: thing -> places."""
    places = {}
    for thing, place in things:
        places.setdefault(thing, []).append(place)
    return {thing: where for thing, where in places.items() if len(where) > 1}


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


def test_settings_without_an_explanation_or_a_source_are_seen():
    body = "class WalkSettings:\n    '''How.\n\n    Attributes:\n        {}: [m/s]{}\n    '''\n    pace: float = 1.0"
    assert unexplained_settings("a.py", body.format("pace", " (Weidmann 1993).")) == []
    assert unexplained_settings("a.py", body.format("speed, pace", "; chosen.")) == []
    assert len(unexplained_settings("a.py", body.format("pace", "."))) == 1
    assert len(unexplained_settings("a.py", body.format("speed", "; chosen."))) == 1


def test_numbers_of_settings_are_explained_and_have_a_source():
    assert broken_in_sources(unexplained_settings) == []


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


def test_every_file_names_its_licence():
    beginnings = {place_of(path): path.read_text(encoding="utf-8").splitlines()[:2] for path in ALL_PYTHON}
    first = {place: lines[lines[0].startswith("#!")] for place, lines in beginnings.items()}
    assert {place for place, line in first.items() if line != "# SPDX-License-Identifier: GPL-3.0-or-later"} == set()


def test_version_is_one():
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert manifest["version"] == project["project"]["version"]
    assert manifest["version"] in re.findall(r"^## (\S+)", changes, flags=re.MULTILINE)
