# SPDX-License-Identifier: GPL-3.0-or-later
"""The zip in this Blender: accepted by its validator, installed, used, removed; and the live folder in its place.

Everything happens in processes and profiles of its own, as on a user's machine.
"""

import os
import sys
import textwrap
from pathlib import Path

import pytest

from build_tools import blender, environments, packaging

pytestmark = pytest.mark.each_blender("extensions, repositories and wheels")

PYTHON = Path(sys.executable)


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """The zip under test, or one built now when the tests are run by hand."""
    if given := os.environ.get("FOOTFALL_ZIP"):
        return Path(given)
    return packaging.build_zip(packaging.running_platform(), tmp_path_factory.mktemp("dist"))


def run_in_blender(profile, text):
    """Run statements in a Blender of their own with this profile; give back what they printed."""
    script = "import bpy, addon_utils, os, sys\n" + textwrap.dedent(text) + "\nsys.stdout.flush()\nos._exit(0)\n"
    variables = blender.profile_variables(profile)
    finished = environments.run([PYTHON, "-c", script], seconds=900, variables=variables, catch=True, folder=profile)
    assert finished.succeeded, finished.output
    return finished.output


def test_the_validator_accepts_the_zip(archive):
    blender.validate_zip(PYTHON, archive)


def test_the_validator_is_asked_in_earnest(tmp_path):
    broken = tmp_path / "broken.zip"
    broken.write_bytes(b"this is no zip")
    with pytest.raises(environments.BuildError, match=r"refuses broken\.zip"):
        blender.validate_zip(PYTHON, broken)


def test_a_user_installs_uses_and_removes_the_zip(archive, tmp_path):
    blender.install_zip(PYTHON, archive, tmp_path)
    printed = run_in_blender(
        tmp_path,
        """
        name = "bl_ext.user_default.footfall"
        addon_utils.enable(name, default_set=True)
        print("enabled:", hasattr(bpy.types.Scene, "footfall"), addon_utils.check(name))
        from bl_ext.user_default.footfall.core.geometry import polygons
        square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
        import numpy as np
        moved = [np.array(square), np.array(square) + 0.5]
        print("joined outlines:", len(polygons.union(moved, [])))
        repos = bpy.context.preferences.extensions.repos
        index = next(index for index, repo in enumerate(repos) if repo.module == "user_default")
        bpy.ops.extensions.package_uninstall(repo_index=index, pkg_id="footfall")
        print("left:", hasattr(bpy.types.Scene, "footfall"), addon_utils.check(name))
        """,
    )
    assert "enabled: True (True, True)" in printed
    assert "joined outlines: 1" in printed
    assert "left: False (False, False)" in printed
    assert not (tmp_path / "extensions" / "user_default" / "footfall").exists()
    assert not list(tmp_path.rglob("pyclipper"))


def test_a_release_on_a_server_is_a_repository_that_blender_installs_from(archive, tmp_path):
    folder, profile = tmp_path / "release", tmp_path / "profile"
    folder.mkdir()
    profile.mkdir()
    (folder / archive.name).write_bytes(archive.read_bytes())
    blender.list_repository(PYTHON, folder)
    printed = run_in_blender(
        profile,
        f"""
        bpy.context.preferences.system.use_online_access = True  # asked for before any repository that is not local
        repositories = bpy.context.preferences.extensions.repos
        repositories.new(name="Release", module="release", remote_url={(folder / "index.json").as_uri()!r})
        number = len(repositories) - 1
        bpy.ops.extensions.repo_sync(repo_index=number)
        bpy.ops.extensions.package_install(repo_index=number, pkg_id="footfall", enable_on_install=True)
        print("enabled:", addon_utils.check("bl_ext.release.footfall"), hasattr(bpy.types.Scene, "footfall"))
        addon_utils.disable("bl_ext.release.footfall")
        """,
    )
    assert "enabled: (True, True) True" in printed


@pytest.mark.once
def test_the_live_folder_runs_from_the_repository(tmp_path):
    folder = tmp_path / "live"
    packaging.lay_out_live(folder)
    printed = run_in_blender(
        tmp_path,
        f"""
        repos = bpy.context.preferences.extensions.repos
        repo = repos.new(name="Live", module="live", custom_directory={str(folder)!r})
        package = addon_utils.enable("bl_ext.live.footfall", default_set=True)
        print("settings:", hasattr(bpy.types.Scene, "footfall"))
        from bl_ext.live.footfall.core import scene
        print("core:", os.path.realpath(scene.__file__))
        import pyclipper
        print("wheels:", ".local" in pyclipper.__file__)
        addon_utils.disable("bl_ext.live.footfall", default_set=True)
        """,
    )
    assert "settings: True" in printed
    assert f"core: {packaging.ROOT / 'core' / 'scene' / '__init__.py'}" in printed
    assert "wheels: True" in printed
