# SPDX-License-Identifier: GPL-3.0-or-later
"""The words of the interface in other languages: Blender looks each label up here when it draws it.

To add a language: a module beside this one with `MESSAGES`, from the English words as they stand in the code to those
of the language, and a line in `LANGUAGES`. Words that Blender itself translates need no entry. A test lists which
entries stand for nothing any more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import bpy

from . import german

LANGUAGES: Mapping[str, Mapping[str, str]] = {"de_DE": german.MESSAGES}

_CONTEXTS = ("*", "Operator")  # of names and tooltips, and of the buttons of operators


def translations() -> dict[str, dict[tuple[str, str], str]]:
    """All words, as Blender wants them: by language, then by context and English words."""
    return {
        language: {(context, english): words for english, words in messages.items() for context in _CONTEXTS}
        for language, messages in LANGUAGES.items()
    }


def attach() -> None:
    """Have Blender look words up here."""
    words: Any = translations()  # its keys are pairs, which the stub of Blender's types does not know
    bpy.app.translations.register(__package__, words)


def detach() -> None:
    """Have it look them up no more."""
    bpy.app.translations.unregister(__package__)
