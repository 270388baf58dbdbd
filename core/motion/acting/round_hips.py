# SPDX-License-Identifier: GPL-3.0-or-later
"""Arms that swing aside while their hands go behind the back or come from there, so that these go round the hips."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from .cues import ACTING, Cue

ASIDE = "arms_aside"
"""Clips of arms that are held aside; the sides follow, as in "arms_aside_LR"."""


def swing_round_hips(cues: Sequence[Cue], behind: Mapping[str, str]) -> tuple[Cue, ...]:
    """Return what arms play over the clips of somebody, in the order of the frames.

    A straight blend of joints leads from a hand that hangs to one behind the back through the hip.

    Args:
        cues: the clips, in their order.
        behind: the sides of the hands that are behind the back in clips in which some are, as "LR".
    """
    return tuple(_swings(cues, behind)) if any(cue.act in behind for cue in cues) else ()


def _swings(cues: Sequence[Cue], behind: Mapping[str, str]) -> Iterator[Cue]:
    before, last = "", -1
    for cue in cues:
        here = behind.get(cue.act, "")
        yield from _swing({*(before if last >= cue.first else "")} ^ {*here}, cue.first, cue.fade_in)
        yield from _swing({*here}, cue.last - cue.fade_out, cue.fade_out)
        before, last = here, cue.last - (cue.covered == 0)


def _swing(sides: Collection[str], first: int, rows: int) -> Iterator[Cue]:
    """Yield how the arms of some sides swing aside and back in some rows, where these are enough for it."""
    if sides and rows > 2:
        rise = rows // 2
        act = f"{ASIDE}_{''.join(sorted(sides))}"
        yield Cue(act, first, first + rows, rise, rows - rise - 1, 0.0, 1.0, most=ACTING.aside)
