# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside a Blender with a window: one scenario after the other, a step at each tick, and writes down how it went.

    blender --factory-startup --enable-event-simulate --python driver.py -- RECORD.json PICTURES [WORD]

A scenario is a generator that yields to let Blender draw and handle events, and raises where something is not as it
should be. `build_addon.py test --window` calls this; with a word, only the scenarios that have it in their names.
"""

import importlib.util
import json
import os
import sys
import traceback
from pathlib import Path

import bpy

HERE = Path(__file__).resolve().parent
NAME = "bl_ext.user_default.footfall"
TICK = 0.1  # [s]
END = "the end"


def load(name):
    """A module beside this one, by its file's name; the folder is no package inside Blender."""
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


class Driver:
    """Plays the scenarios from a timer and ends Blender after the last."""

    def __init__(self, record, scenarios):
        self._record = record
        self._left = list(scenarios)
        self._results = []
        self._now = None

    def tick(self):
        """One step of the present scenario, or the first of the next."""
        try:
            if self._now is None:
                self._begin()
            next(self._now)
        except StopIteration:
            self._ended("")
        except BaseException:  # noqa: BLE001 - whatever it is, it is written down, and the next scenario begins
            self._ended(traceback.format_exc())
        return TICK

    def _begin(self):
        if not self._left:
            self._results.append({"name": END, "fault": ""})
            self._write()
            os._exit(0)
        self._now = self._left[0]()

    def _ended(self, fault):
        self._results.append({"name": self._left.pop(0).__name__.removeprefix("scenario_"), "fault": fault})
        self._now = None
        self._write()

    def _write(self):
        self._record.write_text(json.dumps(self._results), encoding="utf-8")


def main():
    """Enable the installed add-on and begin as soon as the window stands."""
    import addon_utils

    record, pictures, *chosen = sys.argv[sys.argv.index("--") + 1 :]
    assert addon_utils.enable(NAME, default_set=True) is not None, f"{NAME} could not be enabled"
    load("hand").PICTURES = Path(pictures)
    files = ("scenarios", "manual_pictures", "rendered_pictures")
    scenarios = [scenario for file in files for scenario in load(file).SCENARIOS]
    wanted = [scenario for scenario in scenarios if all(word in scenario.__name__ for word in chosen)]
    driver = Driver(Path(record), wanted)
    bpy.app.timers.register(driver.tick, first_interval=1.0, persistent=True)


if __name__ == "__main__":
    main()
