# SPDX-License-Identifier: GPL-3.0-or-later
"""What the name of a clip says about it.

A name is read word by word, as exporters join it: `Armature|Armature|walk_Armature`, `HumanF@Walk01_Forward`,
`WalkJump`. Words for a gait say what the clip shows; words that every clip bears say nothing; any other word makes it
less likely to be the plain gait.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple


class ClipKind(Enum):
    """What a clip may be used for."""

    STANDS = "stands"
    WALKS = "walks"
    RUNS = "runs"


class NameReading(NamedTuple):
    """What a name says.

    Attributes:
        kind: of the clip, or None.
        doubt: number of words that say something else.
    """

    kind: ClipKind | None
    doubt: int


_WORD = re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_KINDS = (
    (re.compile("walk|stroll"), ClipKind.WALKS),
    (re.compile("run|jog|sprint"), ClipKind.RUNS),
    (re.compile("idle|idling|stand"), ClipKind.STANDS),
)
_SILENT = re.compile(
    "action|anim|armature|base|basic|breathing|character|clip|com|cycle|default|female|forwards?|fwd|human|humanoid|in|inplace|"
    "layer|loops?|looping|loopable|male|metarig|mixamo|motion|normal|place|rig|root|scene|skeleton|standard|take|the|track|[a-z]"
)
_LAYER = re.compile(r"\|(base ?layer|layer ?\d+)$", re.IGNORECASE)
_NOT_UPRIGHT = re.compile("sit|sits|sitting|seated|crouch(ing|ed)?|kneel(ing|s)?|laying|lying|prone")
_GOES = re.compile("forwards?|fwd|move|moving|locomotion")  # where no word names the gait
_LEAPS = re.compile("(hop|jump|leap|fly|swim|slither|crawl)(s|[pm]?ing)?|flies")  # of bodies that have nothing else
_SECOND_CHOICE = re.compile("stand|sprint")  # "Standing" may also be somebody who gets up, and a run is no sprint


def read_name(name: str) -> NameReading:
    """Read the name of a clip.

    Importers put the name of the object first: `Walker|mixamo.com|Layer0` says nothing about the clip.

    Examples:
        "Walking", "Armature|Armature|walk_Armature", "Forward" and "Move" name the plain walk, "WalkJump" one with a
        doubt; "mixamo.com" says nothing, and "Dance" something else, as does "Sitting Idle": nobody stands in it.
    """
    words = [word.lower() for word in _WORD.findall(name_without_object(name))]
    kinds = [(word, kind) for word in words for pattern, kind in _KINDS if _names(pattern, word, kind)]
    if any(_NOT_UPRIGHT.fullmatch(word) for word in words):
        kinds = [each for each in kinds if each[1] != ClipKind.STANDS]
    first, kind = kinds[0] if kinds else ("", None)
    doubts = [word for word in words if word != first and _SILENT.fullmatch(word) is None]
    if kind is None and any(map(_GOES.fullmatch, words)) and all(map(_GOES.fullmatch, doubts)):
        return NameReading(ClipKind.WALKS, 0)
    return NameReading(kind, len(doubts) + (_SECOND_CHOICE.match(first) is not None))


def name_without_object(name: str) -> str:
    """Return the name of a clip without what importers add: once or twice the object before it, and the layer last."""
    whole = _LAYER.sub("", name)
    first, _, rest = whole.partition("|")
    return rest.removeprefix(f"{first}|") or whole


def _names(pattern: re.Pattern[str], word: str, kind: ClipKind) -> bool:
    """Whether a word names a gait; "sleepwalk" is a walk, but neither trunk nor crunch is a run."""
    return (pattern.search(word) if kind == ClipKind.WALKS else pattern.match(word)) is not None


def leaps(name: str) -> bool:
    """Whether a clip shows how a body goes on that does not walk, as frogs, fish and snakes do."""
    return any(_LEAPS.fullmatch(word.lower()) for word in _WORD.findall(name))
