# SPDX-License-Identifier: GPL-3.0-or-later
"""Sizes of the panels, and sentences and values in them on as many lines as they need."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any

import bpy

_Context = bpy.types.Context
_Layout = bpy.types.UILayout


@dataclass(frozen=True)
class PanelLayout:
    """Sizes of the panels; chosen for legibility at the default width of the sidebar.

    Attributes:
        letter_width: of an average letter at scale 1 [pixels].
        figure_width: of an average letter of a value, among them many figures, at scale 1 [pixels].
        margin: of sentences, left and right together [pixels].
        least_letters: in a line of a sentence, however narrow the sidebar is.
        line_scale: height of the lines of a sentence, of an ordinary one.
        problem_rows: lines of the list of problems.
        problem_share: of the width of such a line, for what is wrong and with whom; the rest is for figures.
        edit_lines: edited people that are listed at most.
    """

    letter_width: float = 7.0
    figure_width: float = 5.5
    margin: float = 60.0
    least_letters: int = 20
    line_scale: float = 0.8
    problem_rows: int = 5
    problem_share: float = 0.52
    edit_lines: int = 12


PANEL_LAYOUT = PanelLayout()


def letters_that_fit(context: _Context) -> int:
    """So many letters stand side by side in a panel."""
    return max(PANEL_LAYOUT.least_letters, int(_free_width(context) / PANEL_LAYOUT.letter_width))


def _free_width(context: _Context) -> float:
    """What the margins of a panel leave at scale 1 [pixels]."""
    return context.region.width / context.preferences.system.ui_scale - PANEL_LAYOUT.margin


def translated(text: str) -> str:
    """Return a text of the interface in the user's language."""
    return bpy.app.translations.pgettext_iface(text) or text  # never None but in the types of bpy


def draw_sentence(
    layout: _Layout, context: _Context, sentence: str, *, is_fault: bool = False, icon: Any = "INFO"
) -> None:
    """A sentence on as many lines as it needs: labels do not wrap by themselves. What is wrong is red."""
    column = layout.column(align=True)
    column.alert = is_fault
    column.scale_y = PANEL_LAYOUT.line_scale
    for number, line in enumerate(textwrap.wrap(translated(sentence), letters_that_fit(context))):
        column.label(text=line, icon="BLANK1" if number else icon)


def draw_inside(layout: _Layout, data: Any, name: str) -> None:
    """A number with its name inside its field, over the whole width: names that are too long for the left column."""
    row = layout.row(align=True)
    row.use_property_split = False
    row.prop(data, name)


def draw_value(grid: _Layout, context: _Context, label: str, value: str, *, label_share: float) -> None:
    """A label, and beside it a value on as many lines as it needs; the label takes a share of the width."""
    letters = int((1.0 - label_share) * _free_width(context) / PANEL_LAYOUT.figure_width)
    for number, line in enumerate(textwrap.wrap(value, max(PANEL_LAYOUT.least_letters, letters))):
        row = grid.split(factor=label_share)
        row.label(text="" if number else label)
        row.label(text=line, translate=False)
