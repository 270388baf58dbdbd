# SPDX-License-Identifier: GPL-3.0-or-later
"""What the built-in figures are made of, kept from the first test that makes it: later tests read it from a file."""

import importlib
import pickle

import bpy

KINDS = ("meshes", "armatures", "actions")


class Kept:
    """A function that gives again what it has given for equal arguments."""

    def __init__(self, function):
        self._function, self._given = function, {}

    def __call__(self, *arguments):
        key = pickle.dumps(arguments)
        if key not in self._given:
            self._given[key] = self._function(*arguments)
        return self._given[key]


class KeptFigures:
    """Stands for the function that makes one figure; `folder` takes the files.

    Attributes:
        is_off: figures are made in each file, of plans that are kept.
    """

    def __init__(self, package, folder):
        self._module, parts, as_made = (
            importlib.import_module(f"{package}.{name}") for name in ("figure", "parts", "as_made")
        )
        self._found, self._is_edited = parts.found, as_made.is_edited
        self._make, self._folder, self.is_off = self._module._ensure_figure, folder, False
        self._files = {}
        self._module._ensure_figure = self
        for name in ("build_body", "plan_walk", "plan_stand", "plan_act"):
            setattr(self._module, name, Kept(getattr(self._module, name)))

    def __call__(self, number, figure):
        missing = () if self.is_off else self._missing(figure)
        key = number, missing  # colours are those of the number
        if key in self._files:
            self._read(*self._files[key])
        made = self._make(number, figure)
        if missing and key not in self._files:
            self._write(key)
        return made

    def _missing(self, figure):
        parts = [("meshes", figure.name), ("armatures", figure.rig)]
        parts += [("actions", name) for name in (figure.walk, figure.idle, figure.run)]
        return tuple([(kind, name) for kind, name in parts if self._found(getattr(bpy.data, kind), name) is None])

    def _write(self, key):
        _, parts = key
        blocks = {self._found(getattr(bpy.data, kind), name) for kind, name in parts}
        wears = {material for block in blocks for material in getattr(block, "materials", ())}
        if not any(map(self._is_edited, blocks | wears)):
            path = self._folder / f"{len(self._files)}.blend"
            bpy.data.libraries.write(str(path), blocks)
            self._files[key] = path, [(kind, self._found(getattr(bpy.data, kind), name).name) for kind, name in parts]

    def _read(self, path, names):
        libraries, materials = set(bpy.data.libraries), set(bpy.data.materials)
        with bpy.data.libraries.load(str(path)) as (_, wanted):
            for kind in KINDS:
                setattr(wanted, kind, [name for each, name in names if each == kind])
        for mesh in wanted.meshes:
            for place, material in enumerate(mesh.materials):
                tag = material[self._module.FIGURE_TAG]
                known = next((each for each in materials if each.get(self._module.FIGURE_TAG) == tag), material)
                mesh.materials[place] = known
        unused = [each for each in bpy.data.materials if each not in materials and not each.users]
        bpy.data.batch_remove([*unused, *(set(bpy.data.libraries) - libraries)])
