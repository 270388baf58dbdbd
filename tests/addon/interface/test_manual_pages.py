# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual opens from the panel, and Blender finds the page of every operator and setting (but names, its own)."""

from urllib.parse import unquote, urlparse

import bpy
import pytest

pytestmark = pytest.mark.each_blender("the manual's map is registered")


@pytest.fixture
def manual(addon):
    return addon.module("blender_addon.interface.manual")


@pytest.fixture
def opened(manual, monkeypatch):
    """Addresses that were to be opened in a browser."""
    import webbrowser

    addresses = []
    monkeypatch.setattr(webbrowser, "open", lambda address, *_, **__: addresses.append(address) or True)
    return addresses


def path_of(address):
    return unquote(urlparse(address).path.split("#")[0])


def test_the_manual_opens_in_the_browser(manual, opened):
    assert bpy.ops.footfall.open_manual() == {"FINISHED"}
    assert bpy.ops.footfall.open_manual(page="people.html") == {"FINISHED"}
    assert [path_of(address).rpartition("/")[2] for address in opened] == ["index.html", "people.html"]
    with pytest.raises(RuntimeError, match=r"There is no page 'gone\.html'"):
        bpy.ops.footfall.open_manual(page="gone.html")


def test_every_page_that_is_named_is_there(manual):
    for _, page in manual.PAGES:
        assert (manual.FOLDER / page).is_file(), page


@pytest.mark.once
def test_blender_finds_the_page_of_every_operator_and_setting(addon, manual, opened):
    names = [f"footfall.{name}" for name in dir(bpy.ops.footfall)]
    for group in addon.module("blender_addon.settings.scene_settings").CLASSES:
        names += [f"{group.__name__}.{name}" for name in group.__annotations__ if name != "name"]
    for name in names:
        assert bpy.ops.wm.doc_view_manual(doc_id=name) == {"FINISHED"}, name
    assert len(opened) == len(names)
    assert {path_of(address).rpartition("/")[0] for address in opened} == {manual.FOLDER.as_posix()}


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("footfall.bake", "first_bake"),
        ("footfall.pin_people", "people"),
        ("FootfallVehicle.lanes", "traffic"),
        ("FootfallOverlays.density", "overlays"),
        ("FootfallCrowd.count", "first_bake"),
    ],
)
def test_a_page_is_about_what_was_asked(manual, opened, name, page):
    bpy.ops.wm.doc_view_manual(doc_id=name)
    assert path_of(opened[0]).endswith(f"/{page}.html")


def test_the_menu_offers_what_there_is(addon, everything_in_the_menu):
    hidden = {"cancel_bake", "rebake_quietly", "bake_edited", "look_again", "crowd_preset_add", "restore_person"}
    there = {f"footfall.{name}" for name in set(dir(bpy.ops.footfall)) - hidden - {"go_to_problem"}}
    assert set(everything_in_the_menu) == there


@pytest.fixture
def everything_in_the_menu(addon):
    """What the menu Object > Footfall holds."""
    from types import SimpleNamespace

    drawn = []

    class Layout:
        def operator(self, name, **_):
            drawn.append(name)

        def operator_menu_enum(self, name, _choice):
            drawn.append(name)

        def separator(self):
            pass

    menu = addon.module("blender_addon.interface.menus").FootfallMenu
    menu.draw(SimpleNamespace(layout=Layout()), bpy.context)
    return drawn
