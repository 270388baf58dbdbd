# SPDX-License-Identifier: GPL-3.0-or-later
"""The interface in other languages: words are looked up, and none stands for nothing."""

import ast
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


def labels_of(classes):
    """Names of panels, operators, settings and their choices, as Blender shows them, and where each is from."""
    for each in classes:
        yield getattr(each, "bl_label", ""), each.__name__
        own = {name for base in each.__mro__ for name in vars(base).get("__annotations__", {})}
        for setting in each.bl_rna.properties:
            is_group = setting.type == "COLLECTION" or (setting.type == "POINTER" and not setting.name[:1].isupper())
            if setting.identifier not in own - {"name"} or setting.is_hidden or is_group:
                continue
            yield setting.name, f"{each.__name__}.{setting.identifier}"
            for item in setting.enum_items_static if setting.type == "ENUM" else ():
                yield item.name, f"{each.__name__}.{setting.identifier}"


def texts_of(folder):
    """Words that panels and menus write themselves, and the file of each."""
    for path in folder.rglob("*.py"):
        calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
        for word in (word.value for call in calls for word in call.keywords if word.arg in ("text", "heading")):
            parts = [word.body, word.orelse] if isinstance(word, ast.IfExp) else [word]
            yield from ((each.value, path.name) for each in parts if isinstance(each, ast.Constant))


def test_every_label_has_its_word_in_each_language(addon, words):
    labels = dict(labels_of(addon.module("blender_addon.registration").CLASSES))
    labels |= dict(texts_of(Path(words.__file__).parents[1]))
    labels = {label: place for label, place in labels.items() if sum(map(str.isalpha, label or "")) > 1}
    assert len(labels) > 250
    for language, messages in words.LANGUAGES.items():
        assert {label: place for label, place in labels.items() if label not in messages} == {}, language


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
