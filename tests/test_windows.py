# SPDX-License-Identifier: GPL-3.0-or-later
"""What Windows asks for, told on every system: names that it allows, paths in its way, nothing that only POSIX has."""

import ast
import os
import re
import sys
from pathlib import Path, PurePosixPath, PureWindowsPath
from types import SimpleNamespace

import pytest

from build_tools import checks, environments, packaging

ROOT = packaging.ROOT
PRODUCT = [
    path
    for folder in ("core", "blender_addon", "blend_examples", "build_tools")
    for path in sorted((ROOT / folder).rglob("*.py"))
]
POSIX_MODULES = {"fcntl", "grp", "posix", "pwd", "pty", "resource", "termios", "tty"}
POSIX_CALLS = {"chown", "fork", "getuid", "geteuid", "killpg", "mkfifo", "setitimer", "symlink", "symlink_to", "uname"}
GUARDED = {("environments.py", "killpg"), ("packaging.py", "symlink_to")}  # each with another way for Windows
EXTENSIONS = (
    r"C:\Users\somebody with a name\AppData\Roaming\Blender Foundation\Blender\5.0\extensions\user_default\footfall"
)
FORBIDDEN = re.compile(r'[<>:"\\|?*\x00-\x1f]|[. ]$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)', re.IGNORECASE)


def test_windows_allows_the_names_of_all_files_and_finds_them_short_enough():
    names = [path.as_posix() for path in packaging.source_files()]
    assert not [name for name in names if any(FORBIDDEN.search(part) for part in name.split("/"))]
    assert len({name.lower() for name in names}) == len(names)
    longest = max(names, key=len)
    assert len(str(PureWindowsPath(EXTENSIONS, longest))) < 260, longest


def test_names_in_the_zip_have_forward_slashes_on_every_system():
    assert PureWindowsPath(r"core\scene\scene.py").as_posix() == "core/scene/scene.py"
    assert ".as_posix(): (ROOT / path)" in (ROOT / "build_tools" / "packaging.py").read_text(encoding="utf-8")


def test_the_python_of_an_environment_is_where_each_system_has_it():
    windows = environments.python_inside(PureWindowsPath(r"C:\footfall\.venv\core"), system="nt")
    assert windows == PureWindowsPath(r"C:\footfall\.venv\core\Scripts\python.exe")
    assert environments.python_inside(PurePosixPath("/a/.venv"), system="posix") == PurePosixPath("/a/.venv/bin/python")


@pytest.mark.parametrize(
    ("system", "machine", "expected"),
    [
        ("win32", "AMD64", "windows-x64"),
        ("win32", "ARM64", "windows-arm64"),
        ("darwin", "arm64", "macos-arm64"),
        ("linux", "x86_64", "linux-x64"),
    ],
)
def test_platforms_have_blenders_names(system, machine, expected):
    assert packaging.platform_of(system, machine) == expected


def test_tests_are_chosen_by_paths_as_windows_types_them():
    typed = [r"tests\addon\baking", r"tests\core\scene"]
    assert checks._paths_in(typed, addon=True) == ["tests/addon/baking"]
    assert checks._paths_in(typed, addon=False) == ["tests/core/scene"]


def test_where_links_are_forbidden_folders_are_joined_and_files_copied(monkeypatch, tmp_path):
    def forbid(*_, **__):
        raise OSError("a required privilege is not held by the client")

    joined = []
    monkeypatch.setattr(Path, "symlink_to", forbid)
    monkeypatch.setattr(packaging, "os", SimpleNamespace(name="nt"))
    monkeypatch.setitem(sys.modules, "_winapi", SimpleNamespace(CreateJunction=lambda *paths: joined.append(paths)))
    packaging._link(ROOT / "LICENSE", tmp_path / "LICENSE")
    packaging._link(ROOT / "core", tmp_path / "core")
    assert (tmp_path / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    assert joined == [(str(ROOT / "core"), str(tmp_path / "core"))]


def posix_only(name, text):
    """What a file uses that Windows has not: modules, calls, folders."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name in POSIX_MODULES]
        elif isinstance(node, ast.Attribute) and node.attr in POSIX_CALLS and (name, node.attr) not in GUARDED:
            found.append(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n" not in node.value:
            found += re.findall(r"^/(?:tmp|dev|usr|home|var|bin)\b", node.value)
    return found


@pytest.mark.parametrize("text", ["import fcntl", "os.uname()", "open('/tmp/a')", "path.symlink_to(other)"])
def test_what_only_posix_has_is_seen(text):
    assert posix_only("any.py", text)


def test_nothing_that_is_shipped_needs_posix():
    broken = {path.name: posix_only(path.name, path.read_text(encoding="utf-8")) for path in PRODUCT}
    assert {name: found for name, found in broken.items() if found} == {}


@pytest.mark.skipif(os.name == "nt", reason="told by the system itself there")
def test_no_file_of_the_repository_is_a_link():
    assert not [path for path in (ROOT / "tests").rglob("*") if path.is_symlink()]
    assert not [path for path in packaging.source_files() if (ROOT / path).is_symlink()]
