# SPDX-License-Identifier: GPL-3.0-or-later
"""What the name of a bone says about it, in any of the usual schemes.

A name is read word by word: `mixamorig:LeftUpLeg`, `thigh_l`, `J_Bip_L_UpperLeg`, `Bip01 L Thigh`, `upperleg01.L`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

LIMBS = {
    "thigh": (r"thigh|up(per)? ?leg|leg ?upper|femur", r"\bhip( joint)?\b"),
    "shin": (r"shin|calf|low(er)? ?leg|leg ?lower|knee|tibia", r"(?<!up )(?<!upper )\bleg\b"),
    "foot": (r"\bfoot|ankle",),
    "toe": (r"\btoes?\b|toe ?base|\bball\b",),
    "upper_arm": (
        r"up(per)? ?arm|arm ?upper|humerus|\bshldr",
        r"(?<!fore )(?<!low )(?<!lower )\barm\b",
        r"\bshoulder\b",
    ),
    "forearm": (r"fore ?arm|low(er)? ?arm|arm ?lower|elbow|\bulna",),
    "hand": (r"\bhand|wrist",),
    "clavicle": (r"clavicle|collar", r"\bshoulder|scapula"),
}
"""Words for each part of a limb; the later ones count where none has the earlier ones: `LeftHip` may be a thigh."""

HEAD = r"\bhead\b"

_WORD = re.compile(r"(?i:left|right)|[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SIDES = {"left": "L", "l": "L", "right": "R", "r": "R"}
_HELPERS = re.compile(
    r"\b(twist\w*|roll|ik|fk|pole|target|end|nub|tip|helper|ctrl|control|tweak|mch|org|vis|jiggle|sec|skirt|effector|socket)\b"
)


class BoneName(NamedTuple):
    """What a name says.

    Attributes:
        side: "L", "R", or empty.
        words: its other words, in small letters.
    """

    side: str
    words: str

    def says(self, pattern: str) -> bool:
        """Whether its words match one of the patterns of this file, and it is no helper of such a bone."""
        return re.search(pattern, self.words) is not None and _HELPERS.search(self.words) is None


def read_bone_name(name: str) -> BoneName:
    """Read the name of a bone; the namespace before a colon says nothing."""
    words = [word.lower() for word in _WORD.findall(name.rpartition(":")[2])]
    side = next((_SIDES[word] for word in words if word in _SIDES), "")
    return BoneName(side, " ".join(word for word in words if word not in _SIDES))
