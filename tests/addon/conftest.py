# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures for tests of the installed add-on, run by the Python of a bpy environment.

`build_addon.py test` installs the zip into a profile of its own and names it in BLENDER_USER_RESOURCES. Run by hand
without that variable, the add-on is used live from the repository, laid out in a temporary profile.

The add-on's modules must be reached through the `addon` fixture (`addon.module("core.scene")`), never as `core...`:
a second copy of core would have error classes of its own, and would not be the one that was installed.
"""

import importlib
import importlib.util
import os
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from build_tools.packaging import lay_out_live

NAME = "bl_ext.user_default.footfall"
REPOSITORY = Path(__file__).resolve().parents[2]
HAS_BPY = importlib.util.find_spec("bpy") is not None

collect_ignore_glob = [] if HAS_BPY else ["*"]


class Addon:
    """The enabled add-on, as installed: the door to its modules.

    Attributes:
        package: the extension's root module.
        repository: the folder of the repository, for test data.
    """

    def __init__(self, package: ModuleType) -> None:
        self.package = package
        self.repository = REPOSITORY

    def module(self, dotted: str) -> ModuleType:
        """Import a module of the installed add-on, such as `core.scene` or `blender_addon.blender_data.animation`."""
        return importlib.import_module(f"{NAME}.{dotted}")

    @property
    def core(self) -> ModuleType:
        """The installed `core` package."""
        return self.module("core")

    @property
    def errors(self) -> ModuleType:
        """The installed `core.errors`."""
        return self.module("core.errors")


def _live_profile() -> Path:
    """Lay out the repository as an installed extension in a temporary profile, for runs by hand."""
    profile = Path(tempfile.mkdtemp(prefix="footfall-profile-"))
    lay_out_live(profile / "extensions" / "user_default")
    return profile


LIVE_PROFILE = _live_profile() if HAS_BPY and "BLENDER_USER_RESOURCES" not in os.environ else None

if HAS_BPY:  # without it, no test of this folder is looked for
    if LIVE_PROFILE is not None:
        os.environ["BLENDER_USER_RESOURCES"] = str(LIVE_PROFILE)
    import bpy  # after the profile is named: bpy reads it when it is imported

    # Fixtures of all folders below
    from .bench import bench  # noqa: F401
    from .kept_figures import KeptFigures
    from .makers import cast, make, mixed, stage  # noqa: F401
    from .market import market, node_points  # noqa: F401
    from .street import kept_streets, one_figure, only_figures, street, two_figures  # noqa: F401


@pytest.fixture(scope="session")
def kept_figures(tmp_path_factory):
    """The built-in figures, made once; an add-on must be enabled before it is called."""
    return cache(lambda: KeptFigures(f"{NAME}.blender_addon.figures", tmp_path_factory.mktemp("figures")))


@pytest.fixture
def addon(kept_figures):
    """The add-on, enabled in an empty file with factory settings, with nothing that an earlier test has left in it.

    Its classes stay registered from the first test on, and the preferences name it, so that its wheels are unpacked
    once: 82 classes and their wheels would take as long as many a test.
    """
    import addon_utils

    named = NAME in bpy.context.preferences.addons
    if named:
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    else:
        bpy.ops.wm.read_factory_settings(use_empty=True)
    # The context of 4.2, once asked for its layer collection, as Rigify does, takes its windows for parts of the scene
    # of that moment, for good, and writes to it when they are changed: asked again, for parts of one that is there.
    _ = bpy.context.layer_collection
    if addon_utils.check(NAME)[1]:
        package = sys.modules[NAME]
    else:
        package = addon_utils.enable(NAME, default_set=True, refresh_handled=named, handle_error=_raise)
    assert package is not None, f"{NAME} could not be enabled; the reason stands above"
    kept_figures()
    yield Addon(package)
    if addon_utils.check(NAME)[1]:
        parts = importlib.import_module(f"{NAME}.blender_addon.registration")._PARTS
        for part in reversed(parts):
            part.detach()
        for part in parts:
            part.attach()


class RememberedBakes:
    """The functions of `baking.bake`, called as buttons do: with what is remembered of the scene's last bake."""

    def __init__(self, addon):
        self.module = addon.module("blender_addon.baking.bake")
        self._clearing = addon.module("blender_addon.baking.clearing")
        self._last_bakes = addon.module("blender_addon.runtime.last_bakes")
        self._bone_poses = addon.module("blender_addon.characters.legs.bone_poses")

    def __getattr__(self, name):
        return getattr(self.module, name)

    def BakeJob(self, scene, **options):  # noqa: N802 - stands for the class
        """A job, as `baking.bake.BakeJob`."""
        return self.module.BakeJob(scene, memory=self._last_bakes.memory_of(scene), **options)

    def bake(self, scene, **options):
        """A whole bake, as `baking.bake.bake`."""
        return self.module.bake(scene, memory=self._last_bakes.memory_of(scene), **options)

    def clear_crowd(self, scene, crowd):
        """Remove the bake of one crowd."""
        return self._clearing.clear_crowds(scene, [crowd])

    def last_simulation(self, scene):
        """What was simulated for the last bake of a scene."""
        return self._last_bakes.memory_of(scene).simulation

    def forget(self):
        """Have the next bake reuse nothing."""
        self._last_bakes.forget()
        self._bone_poses._kept.clear()


@pytest.fixture
def remembered_bakes(addon):
    """Bakes that reuse the last one of their scene."""
    return RememberedBakes(addon)


@pytest.fixture
def cast_told(addon):
    """The scenes whose cast tables are to be filled again, in the order in which this was reported."""
    listeners, told = addon.module("blender_addon.settings.properties.change_events").cast_listeners, []
    listeners.append(told.append)
    yield told
    listeners.remove(told.append)


def _raise(error):
    """What Blender would only print must fail the test."""
    raise error


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    """End the process at once, flushed: bpy 4.2 can crash and 4.5 can hang while Python tears it down."""
    if not HAS_BPY:
        return
    session = config.pluginmanager.get_plugin("session")
    status = int(session.exitstatus) if session is not None else 1
    if LIVE_PROFILE is not None:
        shutil.rmtree(LIVE_PROFILE, ignore_errors=True)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
