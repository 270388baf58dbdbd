# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole body of a built-in figure, dressed, as one surface with the weights of its skin."""

from __future__ import annotations

import numpy as np

from .belongings import add_bag, add_buttons, add_phone
from .clothes import add_shirt, add_trousers
from .description import Description
from .hands import add_hand
from .head import HeadMaterials, add_hair, add_head, swollen
from .shoes import add_ankle, add_shoe
from .skeleton import PHONE, build_rig
from .surface import FigureSurface
from .weights import weigh

SLOTS = ("Shirt", "Trousers", "Skin", "Hair", "Shoes", "Soles", "Eyes", "Lips", "Whites", "Grey hair", "Inner", "Bag")
SLOTS += ("Young hair",)
"""Material slots of all figures, in their order; each has those of them that it needs."""

_SHIRT, _TROUSERS, _SKIN, _, _SHOES, _SOLES, _EYES, _LIPS, _WHITES, _, _INNER, _BAG, _ = range(len(SLOTS))


def build_body(figure: Description) -> tuple[FigureSurface, np.ndarray]:
    """Model a figure: its surface, and float64 (V, B) weights in the order of the bones of its skeleton."""
    surface, bones = FigureSurface(), build_rig(figure.body)
    hair = SLOTS.index(figure.hair_slot)
    legs = _SKIN if figure.bare_legs else _TROUSERS
    inner, below = (_INNER, _TROUSERS) if figure.is_open else (_SHIRT, _SHIRT)
    add_shirt(surface, figure, bones, (_SHIRT, inner, below), ("trunk", "arm.L", "arm.R"))
    add_trousers(surface, figure, bones, (_TROUSERS, legs), ("hips", "leg.L", "leg.R"))
    add_bag(surface, figure, _BAG)
    add_buttons(surface, figure, _EYES)
    swells = np.isin(surface.parts, ("trunk", "hips", "leg.L", "leg.R"))
    points = surface.points
    for swell in figure.swells:
        points[swells] = swollen(points[swells], swell)
    surface.move(points)
    add_head(surface, figure, HeadMaterials(_SKIN, _EYES, _WHITES, hair, _LIPS), "head")
    add_hair(surface, figure, hair, _BAG, "head")
    for side in ("L", "R"):
        add_hand(surface, figure, bones[f"hand.{side}"], _SKIN, f"hand.{side}")
        add_ankle(surface, figure, bones[f"shin.{side}"], _SKIN, f"leg.{side}")
        add_shoe(surface, figure, bones[f"foot.{side}"], (_SHOES, _SOLES), f"foot.{side}")
    add_phone(surface, figure, bones[PHONE], _EYES)
    surface.drop_loose_points()
    return surface, weigh(surface, bones, figure.trousers[-1][0])
