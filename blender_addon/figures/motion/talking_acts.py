# SPDX-License-Identifier: GPL-3.0-or-later
"""Key poses of people who talk with each other while they stand, and of those who listen."""

from __future__ import annotations

from dataclasses import replace

from .arms import Hang, Reach
from .key_poses import Keys
from .standing_acts import AT_CHIN, EASE, ON_LEFT, ON_RIGHT, arms_crossed, hands_behind


def _open_hand(out: float, ahead: float, up: float, palm_up: float = 0.6) -> Reach:
    """A hand that speaks: before the body, the palm inwards and up."""
    return Reach(
        out, ahead, up, elbow=(0.55, -0.5, -1.0), palm=(-1.0 + 0.5 * palm_up, -0.1, palm_up), fingers=(0.05, 0.9, 0.25)
    )


def talk_with_one_hand(_: float) -> Keys:
    """The right hand beats time and opens; the head goes with it."""
    low, high = _open_hand(-0.05, 0.42, -0.52), _open_hand(0.0, 0.50, -0.38)
    wide = _open_hand(0.20, 0.46, -0.42, 0.9)
    hang = Hang(forward=3.0, out=8.0, inward=22.0, elbow=28.0)
    here = replace(ON_LEFT, sway=0.035, hips_list=-2.5, left=hang, right=low, lean=2.0)
    return [
        (0.0, here),
        (0.40, replace(here, right=high, nod=-2.0)),
        (0.66, replace(here, nod=5.0, head_yaw=3.0)),
        (0.98, replace(here, right=high, nod=-1.0)),
        (1.26, replace(here, nod=4.0, head_yaw=-2.0)),
        (2.0, replace(here, nod=0.0, head_list=3.0)),
        (2.5, replace(here, right=wide, head_list=-3.0, chest_yaw=-5.0, head_yaw=-4.0)),
        (3.1, replace(here, right=replace(wide, up=-0.46), chest_yaw=-5.0, nod=4.0)),
        (3.7, replace(here, right=replace(low, up=-0.58), nod=2.0)),
        (4.4, replace(here, right=replace(low, up=-0.60), head_yaw=5.0)),
        (4.8, replace(here, right=high, nod=-3.0)),
        (5.05, replace(here, nod=5.0)),
        (5.6, replace(here, right=replace(low, up=-0.56))),
    ]


def talk_with_both_hands(_: float) -> Keys:
    """Both hands show how large it was, and weigh one thing against another."""
    near, far = _open_hand(-0.12, 0.42, -0.48, 0.3), _open_hand(0.12, 0.48, -0.40, 0.3)
    up, down = _open_hand(0.02, 0.47, -0.34, 1.2), _open_hand(0.02, 0.45, -0.58, 0.9)
    here = replace(EASE, sway=-0.02, hips_list=1.5, left=near, right=near, lean=3.0)
    return [
        (0.0, here),
        (0.5, replace(here, left=far, right=far, nod=-2.0, lean=1.0)),
        (0.9, replace(here, left=far, right=far, nod=3.0)),
        (1.3, replace(here, nod=4.0)),
        (1.7, replace(here, left=replace(far, up=-0.46), right=replace(far, up=-0.46), nod=0.0)),
        (2.3, replace(here, nod=2.0, head_yaw=4.0)),
        (
            2.9,
            replace(here, left=up, right=down, head_list=4.0, chest_list=3.0, chest_yaw=4.0, sway=0.02, head_yaw=6.0),
        ),
        (3.4, replace(here, left=up, right=down, head_list=3.0, chest_list=3.0, chest_yaw=4.0, sway=0.02, nod=3.0)),
        (
            4.0,
            replace(
                here, left=down, right=up, head_list=-4.0, chest_list=-3.0, chest_yaw=-4.0, sway=-0.04, head_yaw=-5.0
            ),
        ),
        (4.6, replace(here, left=down, right=up, head_list=-3.0, chest_list=-3.0, chest_yaw=-4.0, sway=-0.04, nod=3.0)),
        (5.3, replace(here, left=replace(near, up=-0.60), right=replace(near, up=-0.60))),
    ]


def talk_with_shrugs(_: float) -> Keys:
    """Hands mostly low, a shrug, a hand to the chest."""
    rest = Hang(forward=6.0, out=8.0, inward=26.0, elbow=38.0)
    shrug = Reach(0.16, 0.36, -0.60, elbow=(0.5, -0.6, -1.0), palm=(0.1, 0.2, 1.0), fingers=(0.5, 0.8, 0.1), shrug=9.0)
    heart = Reach(-0.27, 0.33, -0.27, elbow=(0.9, 0.1, -1.0), palm=(-0.15, -1.0, 0.0), fingers=(-0.95, 0.15, 0.25))
    here = replace(ON_RIGHT, left=rest, right=rest, sway=-0.04, hips_list=3.0)
    return [
        (0.0, here),
        (0.6, replace(here, nod=5.0, head_yaw=-3.0)),
        (1.0, replace(here, nod=0.0)),
        (1.5, replace(here, left=shrug, right=shrug, head_list=6.0, nod=-2.0, lean=-1.0)),
        (2.1, replace(here, left=shrug, right=shrug, head_list=5.0, head_yaw=6.0, nod=-1.0)),
        (2.8, replace(here, nod=4.0)),
        (3.4, replace(here, right=heart, nod=2.0, lean=2.5)),
        (4.3, replace(here, right=heart, nod=5.0, head_list=-3.0, lean=2.5)),
        (5.0, here),
        (5.4, replace(here, nod=4.0, head_yaw=4.0)),
    ]


def listen(_: float) -> Keys:
    """Arms low, the head to one side; nods."""
    left = Reach(-0.20, 0.36, -0.72, elbow=(0.7, -0.5, -0.8), palm=(-0.4, -1.0, 0.3), fingers=(-0.8, 0.25, -0.4))
    right = Reach(-0.18, 0.42, -0.70, elbow=(0.7, -0.5, -0.8), palm=(-0.4, -1.0, 0.3), fingers=(-0.8, 0.25, -0.4))
    open_left, open_right = (replace(arm, out=0.10, ahead=0.46, up=-0.62) for arm in (left, right))
    here = replace(ON_LEFT, left=left, right=right, head_list=5.0, nod=2.0, lean=2.5)
    return [
        (0.0, here),
        (1.6, replace(here, nod=3.0, head_yaw=2.0)),
        (1.85, replace(here, nod=10.0)),
        (2.15, replace(here, nod=2.0)),
        (2.4, replace(here, nod=8.0)),
        (2.75, replace(here, nod=2.0, head_list=2.0)),
        (3.3, replace(here, head_list=-1.0, nod=0.0, left=open_left, right=open_right)),
        (3.9, replace(here, head_list=-3.0, left=replace(left, out=-0.08), right=replace(right, out=-0.06))),
        (4.6, replace(here, head_list=-4.0, head_yaw=-3.0, nod=3.0, sway=0.04)),
        (5.6, replace(here, head_list=-5.0, nod=2.0, sway=0.04)),
        (5.85, replace(here, head_list=-4.0, nod=9.0, sway=0.042)),
        (6.25, replace(here, head_list=-2.0, nod=2.0, sway=0.045)),
        (7.2, replace(here, head_list=4.0)),
    ]


def listen_with_crossed_arms(hips: float) -> Keys:
    """Arms crossed, the weight on the other leg, the head to the other side; nods; a hand at the chin."""
    (_, crossed), *_ = arms_crossed(hips)
    nods = listen(hips)
    found = []
    for time, pose in nods:
        mirrored = {"sway": -0.8 * pose.sway, "head_list": -pose.head_list, "nod": pose.nod, "head_yaw": -pose.head_yaw}
        left = AT_CHIN if pose.head_list <= -4.0 else crossed.left
        found.append((time, replace(ON_RIGHT, left=left, right=crossed.right, lean=0.5, **mirrored)))
    return found


def listen_with_hand_behind(hips: float) -> Keys:
    """One hand behind the back, the other hangs and is lifted; bent ahead a little; nods at other times."""
    (_, held), *_ = hands_behind(hips)
    here = replace(
        held,
        left=Hang(forward=4.0, out=8.0, inward=22.0, elbow=24.0),
        lean=4.0,
        sway=-0.02,
        hips_list=1.5,
        nod=4.0,
        head_list=-3.0,
    )
    return [
        (0.0, here),
        (0.9, replace(here, nod=11.0)),
        (1.25, replace(here, nod=4.0)),
        (2.8, replace(here, head_list=4.0, head_yaw=4.0, sway=0.02, hips_list=-1.0)),
        (3.9, replace(here, head_list=4.0, head_yaw=3.0, sway=0.025, hips_list=-1.0, nod=3.0)),
        (4.2, replace(here, head_list=3.0, sway=0.025, nod=10.0)),
        (4.6, replace(here, head_list=3.0, sway=0.02, nod=3.0)),
        (5.5, replace(here, left=Hang(forward=12.0, out=8.0, inward=30.0, elbow=62.0), lean=3.0)),
        (6.6, replace(here, lean=2.0, head_yaw=-4.0, nod=2.0)),
    ]
