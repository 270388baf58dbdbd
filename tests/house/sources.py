# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of the repository, as rules of the house read them.

Each rule is a function from source text to broken rules, tried on text that breaks it and then held against the
repository.
"""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OURS = ("core", "blender_addon")
SOURCES = sorted(path for folder in OURS for path in (ROOT / folder).rglob("*.py"))
SKIPPED_FOLDERS = {".venv", ".git", "out", "dist"}
ALL_PYTHON = sorted(
    path for path in ROOT.rglob("*.py") if not SKIPPED_FOLDERS.intersection(path.relative_to(ROOT).parts)
)


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


def place_of(path):
    """A file's path in the repository, with forward slashes."""
    return path.relative_to(ROOT).as_posix()


def broken_in_sources(rule):
    """All places of the product's files that break a rule."""
    assert len(SOURCES) > 500
    return [each for path in SOURCES for each in rule(place_of(path), path.read_text(encoding="utf-8"))]
