# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user's hand and eye do in the window: press keys, open the sidebar, take a picture and measure it."""

import os

import bpy
import numpy as np

PICTURES = None  # the folder; set by the driver


def window():
    """The one window."""
    return bpy.context.window_manager.windows[0]


def view():
    """The 3D viewport: its area."""
    return next(area for area in window().screen.areas if area.type == "VIEW_3D")


def region(kind):
    """A region of the viewport: WINDOW or UI."""
    return next(each for each in view().regions if each.type == kind)


def in_view():
    """A context in which operators find the viewport."""
    return bpy.context.temp_override(window=window(), area=view(), region=region("WINDOW"))


def press(key, letter=""):
    """Press a key and let it go, the mouse over the viewport; a letter is typed where text is asked for."""
    place = region("WINDOW")
    middle = {"x": place.x + place.width // 2, "y": place.y + place.height // 2}
    window().event_simulate(type="MOUSEMOVE", value="NOTHING", **middle)
    typed = {"unicode": letter} if letter else {}
    window().event_simulate(type=key, value="PRESS", **typed, **middle)
    window().event_simulate(type=key, value="RELEASE", **middle)


def point(x, y):
    """Move the mouse to a point of the window."""
    window().event_simulate(type="MOUSEMOVE", value="NOTHING", x=x, y=y)


def open_sidebar():
    """Show our tab; yields until it is drawn."""
    view().spaces.active.show_region_ui = True
    yield from wait(5)
    region("UI").active_panel_category = "Footfall"
    yield from wait(5)


def wait(ticks):
    """Let Blender work for some ticks."""
    for _ in range(ticks):
        view().tag_redraw()
        yield


def wait_until(done, what, ticks=1200):
    """Let Blender work until something is so.

    Raises:
        AssertionError: it does not come.
    """
    for _ in range(ticks):
        if done():
            return
        yield
    raise AssertionError(f"waited in vain: {what}")


def picture(name):
    """Take a picture of the window and return its pixels, float32 (height, width, 3), the lowest row first."""
    pixels = screen()
    save(pixels, PICTURES / f"{name}.png")
    return pixels


def screen():
    """The pixels of the window, float32 (height, width, 3), the lowest row first."""
    if "FOOTFALL_SCREEN" in os.environ:
        return virtual_screen(os.environ["FOOTFALL_SCREEN"])
    path = PICTURES / "screen.png"
    with bpy.context.temp_override(window=window()):
        bpy.ops.screen.screenshot(filepath=str(path))
    image = bpy.data.images.load(str(path))
    try:
        width, height = image.size
        flat = np.empty(width * height * 4, dtype=np.float32)
        image.pixels.foreach_get(flat)
        return flat.reshape(height, width, 4)[..., :3]
    finally:
        bpy.data.images.remove(image)
        path.unlink()


def virtual_screen(path):
    """The pixels of Xvfb's screen from its file, an X window dump: a header of big-endian words, colours, pixels.

    A screenshot by Blender is black where a virtual screen has no graphics card.
    """
    data = np.fromfile(path, dtype=np.uint8)
    header = data[:100].view(">u4")
    size, width, height, stride, colours = (int(header[k]) for k in (0, 4, 5, 12, 19))
    start = size + 12 * colours
    rows = data[start : start + height * stride].reshape(height, stride)[:, : 4 * width].reshape(height, width, 4)
    return rows[::-1, :, 2::-1].astype(np.float32) / 255.0


def save(pixels, path, widest=None):
    """Write pixels to a PNG or WebP file, made smaller where they are wider than that."""
    height, width = pixels.shape[:2]
    image = bpy.data.images.new("Picture", width, height)
    try:
        image.pixels.foreach_set(np.dstack((pixels, np.ones((height, width), np.float32))).ravel())
        if widest is not None and width > widest:
            image.scale(widest, round(height * widest / width))
        image.filepath_raw, image.file_format = str(path), "WEBP" if path.suffix == ".webp" else "PNG"
        image.save(**({"quality": 75} if path.suffix == ".webp" else {}))
    finally:
        bpy.data.images.remove(image)


def cut(pixels, kind):
    """The part of a picture that a region of the viewport fills."""
    place = region(kind)
    return pixels[place.y : place.y + place.height, place.x : place.x + place.width]


def saturated(pixels):
    """How many pixels have a strong colour: the viewport and the panels are grey, overlays are not."""
    return int((np.ptp(pixels, axis=-1) > 0.25).sum())
