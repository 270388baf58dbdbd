# SPDX-License-Identifier: GPL-3.0-or-later
"""How much a folder and a file may hold."""

import ast
from collections import Counter

from .sources import ALL_PYTHON, SOURCES, place_of

FEWEST, MOST = 4, 13  # files in a folder, without `__init__`; of tests there may be fewer
OTHER_SIZES = {
    "blender_addon": "registration and the command line are all that belong to no wing",
    "blender_addon/farm": "what stands beside Blender on a farm; its other files are no Python",
    "blender_addon/headless": "one file for each of variants, settings by words, and pictures",
    "blender_addon/interface/languages": "one file for each language",
    "core/simulation": "the loop and its random numbers; everything else is in a folder",
    "core/steering/kernels": "two folders of twins, and what both share",
}


def test_a_folder_holds_what_one_can_see_at_a_glance_and_says_what_may_be_in_it():
    for folder in sorted({path.parent for path in SOURCES}):
        place, files = place_of(folder), [path for path in folder.glob("*.py") if path.name != "__init__.py"]
        if place.startswith("blender_addon/presets"):
            continue  # Blender lists what lies there by its name
        assert (FEWEST <= len(files) <= MOST) != (place in OTHER_SIZES), f"{place} holds {len(files)} files"
        if place != "blender_addon/farm":
            assert ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))), place


def test_a_folder_of_tests_holds_no_more_than_one_of_the_product():
    tests = [path for path in ALL_PYTHON if place_of(path).startswith("tests/")]
    held = Counter(place_of(path.parent) for path in tests)
    assert len(held) > 50
    assert {place: count for place, count in held.items() if count > MOST} == {}


def test_a_module_holds_one_idea():
    lengths = {place_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in ALL_PYTHON}
    assert len(lengths) > 900
    assert {place: lines for place, lines in lengths.items() if lines > 400} == {}
