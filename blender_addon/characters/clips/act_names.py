# SPDX-License-Identifier: GPL-3.0-or-later
"""Which activity the name of a clip says that it shows, as downloads call them: "Sitting Idle", "Talking", "Waving"."""

from __future__ import annotations

import re

_WORD = re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_PATTERNS = (
    ("sit_down", "(stand(ing)? to sit|sit(ting)?( chair)? down)"),
    ("stand_up", "(sit(ting)? to stand|(stand|get)(t?ing)? up)"),
    ("phone", "(phone|telephone|cell|calling)"),
    ("cheer", "(cheer(ing|s)?|celebrat(e|ing)|rallying)"),
    ("clap", "(clap(ping|s)?|applau(d|se|ding))"),
    ("wave", "(wav(e|es|ing))"),
    ("point", "(point(ing|s)?)"),
    ("look_round", "(look(ing)? a?round)"),
    ("listen", "(listen(ing|s)?)"),
    ("talk", "(talk(ing|s)?|speak(ing|s)?|conversation|arguing|telling)"),
    ("sit", "(sit|sits|sitting|seated)"),
    ("turn", "(turn(ing|s)?)"),
)
"""Activities and once-played clips, the more special first: who sits and talks on the phone has a phone."""

_ONCE = ("sit_down", "stand_up")
_COMPILED = tuple((act, re.compile(rf"\b{pattern}\b")) for act, pattern in _PATTERNS)
_SEATED = ("sit", "sit_down", "stand_up")
_ON_GROUND = re.compile(r"\b(floor|ground|lie|lies|lying|lay|laying|prone|kneel(ing)?|bed)\b")  # not on seats
_MOVES = re.compile(r"\b(walk(ing)?|run(ning)?|jog(ging)?|strafe|jump(ing)?)\b")


def read_act_name(name: str) -> str:
    """Return what the name of a clip says that it shows: an activity, "sit_down" or "stand_up"; empty for nothing.

    Examples:
        "Armature|Sitting Idle" says "sit", "HumanF@Talking01" says "talk"; "Walking While Texting" and "Sit_Floor_Idle"
        say nothing.
    """
    _, _, without_object = name.partition("|")
    words = " ".join(word.lower() for word in _WORD.findall(without_object or name))
    if _MOVES.search(words):
        return ""
    act = next((act for act, pattern in _COMPILED if pattern.search(words)), "")
    return "" if act in _SEATED and _ON_GROUND.search(words) else act


def name_of_variant(role: str, number: int) -> str:
    """Return the name of a clip for a role of the cast table: "talk_2"; those that are played once have no variants."""
    return role if role in _ONCE else f"{role}_{number}"
