# SPDX-License-Identifier: GPL-3.0-or-later
"""The interface in other languages: words are looked up, and none stands for nothing."""

from pathlib import Path

import bpy
import pytest

pytestmark = pytest.mark.each_blender("translations are registered")


@pytest.fixture
def words(addon):
    return addon.module("blender_addon.interface.languages")


def test_every_entry_stands_for_words_of_the_interface(addon, words):
    folder = Path(words.__file__).parents[2]
    files = [path for path in folder.rglob("*.py") if path.parent.name != "languages"]
    files += [folder.parent / "core" / "scene" / name for name in ("avoidance_models.py", "lives/activities.py")]
    code = "".join(path.read_text(encoding="utf-8") for path in files)
    for language, messages in words.LANGUAGES.items():
        assert len(messages) > 50, language
        assert [english for english in messages if f'"{english}"' not in code] == [], language


@pytest.mark.skipif(not hasattr(bpy.app.translations, "pgettext_iface"), reason="no translations in this Blender")
def test_german_labels_are_shown_where_german_is_chosen(addon, words):
    view = bpy.context.preferences.view
    if "de_DE" not in bpy.app.translations.locales:
        pytest.skip("this Blender has no languages")
    before = view.language, view.use_translate_interface
    try:
        view.language, view.use_translate_interface = "de_DE", True
        assert bpy.app.translations.pgettext_iface("Deepest Overlap") == "Tiefste Überschneidung"
        assert bpy.app.translations.pgettext_iface("Pin People", "Operator") == "Personen festhalten"
    finally:
        view.language, view.use_translate_interface = before
    assert bpy.app.translations.pgettext_iface("Deepest Overlap") == "Deepest Overlap"


def test_words_can_be_registered_again(words):
    words.detach()
    words.attach()
    assert set(words.translations()) == set(words.LANGUAGES)
