# SPDX-License-Identifier: GPL-3.0-or-later
"""Key poses of people who sit, sit down and stand up; the feet stand where they stood before the seat."""

from __future__ import annotations

from dataclasses import replace

from .arms import Hang, Reach
from .key_poses import SEAT_REACH, KeyPose, Keys

SIT_DOWN_SECONDS, STAND_UP_SECONDS = 1.6, 1.5

_ON_THIGH = Reach(
    0.03, 0.05, 0.212, of="thigh", elbow=(0.75, -0.7, -0.3), palm=(0.0, 0.1, -1.0), fingers=(-0.15, 1.0, -0.06)
)


def _seated(hips: float) -> KeyPose:
    return KeyPose(ahead=-SEAT_REACH, up=hips, hips_tilt=-13.0, lean=-2.0, nod=2.0, left=_ON_THIGH, right=_ON_THIGH)


def sit_upright(hips: float) -> Keys:
    """Sit with the hands on the thighs, and look about.

    Args:
        hips: height of the hips, from standing with straight legs, as a part of the leg.
    """
    here = _seated(hips)
    return [
        (0.0, here),
        (1.7, replace(here, head_yaw=5.0, nod=4.0, lean=-1.0)),
        (2.5, replace(here, head_yaw=33.0, chest_yaw=7.0, nod=1.0)),
        (4.1, replace(here, head_yaw=29.0, chest_yaw=7.0, nod=3.0)),
        (5.0, replace(here, head_yaw=0.0, nod=5.0, lean=-4.0)),
        (5.6, replace(here, head_yaw=-8.0, nod=2.0, lean=2.0, right=replace(_ON_THIGH, ahead=0.20, up=0.20))),
        (7.4, replace(here, head_yaw=-24.0, chest_yaw=-4.0, lean=1.0, right=replace(_ON_THIGH, ahead=0.20, up=0.20))),
        (8.6, replace(here, head_yaw=-20.0, chest_yaw=-4.0)),
        (9.4, here),
    ]


def sit_leaning(hips: float) -> Keys:
    """Sit bent forwards, the forearms on the thighs and the hands together."""
    left = Reach(
        -0.15, 0.30, 0.17, of="thigh", elbow=(0.9, -0.7, -0.4), palm=(-0.6, -0.7, -0.3), fingers=(-0.7, 0.55, -0.5)
    )
    right = Reach(
        -0.13, 0.34, 0.21, of="thigh", elbow=(0.9, -0.7, -0.4), palm=(-0.6, -0.7, -0.3), fingers=(-0.7, 0.55, -0.5)
    )
    here = replace(_seated(hips), hips_tilt=4.0, lean=33.0, nod=9.0, left=left, right=right)
    return [
        (0.0, here),
        (2.0, replace(here, nod=14.0, head_yaw=-4.0, lean=34.0)),
        (2.9, replace(here, nod=4.0, head_yaw=-28.0, chest_yaw=-5.0)),
        (4.4, replace(here, nod=6.0, head_yaw=-25.0, chest_yaw=-5.0)),
        (5.2, replace(here, nod=12.0, lean=32.0)),
        (5.8, replace(here, nod=9.0, lean=22.0, left=replace(left, out=-0.05), right=replace(right, out=-0.03))),
        (7.4, replace(here, nod=16.0, head_yaw=6.0, lean=33.0, chest_list=2.0)),
        (8.3, replace(here, nod=5.0, head_yaw=14.0)),
        (9.2, replace(here, nod=7.0, head_yaw=9.0)),
    ]


def sit_with_crossed_arms(hips: float) -> Keys:
    """Sit back, the arms crossed on the chest."""
    left = Reach(-0.34, 0.38, -0.42, elbow=(1.0, 0.3, -0.7), palm=(0.0, -1.0, 0.1), fingers=(-1.0, -0.1, 0.15))
    right = Reach(-0.30, 0.47, -0.39, elbow=(1.0, 0.3, -0.7), palm=(0.0, -1.0, 0.1), fingers=(-1.0, -0.1, 0.25))
    here = replace(_seated(hips), hips_tilt=-17.0, lean=-7.0, nod=3.0, knees=6.0, left=left, right=right)
    return [
        (0.0, here),
        (2.2, replace(here, nod=6.0, head_list=3.0)),
        (3.1, replace(here, head_yaw=-30.0, chest_yaw=-6.0, nod=1.0)),
        (5.0, replace(here, head_yaw=-26.0, chest_yaw=-6.0, head_list=2.0)),
        (5.6, replace(here, head_yaw=4.0, nod=6.0, lean=3.0)),
        (7.2, replace(here, head_yaw=6.0, nod=3.0, lean=1.0)),
        (8.2, replace(here, head_yaw=22.0, chest_yaw=4.0, knees=8.0)),
        (9.6, replace(here, head_yaw=18.0, chest_yaw=4.0, nod=4.0)),
    ]


def sit_with_phone(hips: float) -> Keys:
    """Look down at a phone in the right hand, and up from it; the left hand types, or lies on the thigh."""
    hold = Reach(-0.13, 0.58, -0.54, elbow=(0.6, -0.5, -1.0), palm=(-0.35, -0.75, 0.6), fingers=(-0.35, 0.6, 0.7))
    types = Reach(-0.20, 0.56, -0.56, elbow=(0.6, -0.5, -1.0), palm=(-0.5, -0.1, -0.8), fingers=(-0.65, 0.75, 0.1))
    here = replace(_seated(hips), hips_tilt=-8.0, lean=9.0, nod=27.0, left=types, right=hold)
    up = replace(here, nod=1.0, lean=4.0, left=_ON_THIGH, right=replace(hold, up=-0.60, ahead=0.52))
    return [
        (0.0, here),
        (1.3, replace(here, nod=30.0, left=replace(types, up=-0.54, ahead=0.58))),
        (1.9, replace(here, nod=28.0, head_yaw=2.0)),
        (3.2, replace(here, nod=31.0, left=replace(types, up=-0.54, out=-0.18))),
        (4.4, replace(here, nod=26.0, left=_ON_THIGH)),
        (5.2, replace(up, head_yaw=26.0, chest_yaw=5.0)),
        (6.5, replace(up, head_yaw=22.0, chest_yaw=5.0, nod=3.0)),
        (7.4, replace(here, left=_ON_THIGH, nod=25.0)),
    ]


def sit_with_folded_hands(hips: float) -> Keys:
    """Sit with one hand in the other on the lap, and look far ahead."""
    left = Reach(
        -0.13, -0.04, 0.265, of="thigh", elbow=(0.9, -0.6, -0.4), palm=(0.0, 0.1, -1.0), fingers=(-0.9, 0.4, -0.1)
    )
    right = replace(left, out=-0.10, ahead=0.02, up=0.30)
    here = replace(_seated(hips), knees=-2.0, left=left, right=right)
    return [
        (0.0, here),
        (2.0, replace(here, nod=-2.0, head_list=-2.0)),
        (3.9, replace(here, nod=8.0, lean=8.0, left=replace(left, ahead=0.06), right=replace(right, ahead=0.12))),
        (5.2, replace(here, nod=6.0, lean=6.0, left=replace(left, ahead=0.06), right=replace(right, ahead=0.12))),
        (6.6, replace(here, head_yaw=-36.0, chest_yaw=-9.0)),
        (8.4, replace(here, head_yaw=-31.0, chest_yaw=-9.0, nod=4.0)),
        (9.7, replace(here, head_yaw=6.0, nod=0.0, lean=-4.0)),
    ]


def sit_to_one_side(hips: float) -> Keys:
    """Lean on the left forearm, the right hand on its knee."""
    left = Reach(
        0.02, -0.14, 0.26, of="thigh", elbow=(0.5, -1.0, 0.1), palm=(-0.5, 0.1, -0.9), fingers=(-0.75, 0.7, 0.05)
    )
    right = replace(_ON_THIGH, out=-0.02, ahead=0.24, up=0.20)
    here = replace(
        _seated(hips), hips_list=2.0, hips_tilt=-4.0, chest_list=7.0, chest_yaw=-7.0, head_list=-2.0, lean=14.0,
        nod=4.0, knees=10.0, left=left, right=right,
    )  # fmt: skip
    return [
        (0.0, here),
        (1.6, replace(here, nod=6.0, head_yaw=-5.0)),
        (2.4, replace(here, head_yaw=-34.0, chest_yaw=-12.0, nod=1.0)),
        (4.3, replace(here, head_yaw=-30.0, chest_yaw=-11.0, chest_list=6.0)),
        (5.3, replace(here, head_yaw=5.0, nod=9.0, lean=20.0, right=replace(right, ahead=0.08, up=0.21))),
        (7.0, replace(here, head_yaw=18.0, nod=3.0, lean=17.0, knees=7.0, right=replace(right, ahead=0.08, up=0.21))),
        (8.6, replace(here, head_yaw=12.0, nod=6.0)),
    ]


def sit_down(hips: float) -> Keys:
    """From standing before the seat: the trunk bends ahead as the hips go back and down, and comes up on the seat."""
    there = _seated(hips)
    reach = replace(_ON_THIGH, up=0.26, ahead=0.10)
    return [
        (0.0, KeyPose()),
        (
            0.30,
            KeyPose(
                ahead=-0.05,
                up=-0.02,
                hips_tilt=9.0,
                lean=12.0,
                nod=12.0,
                left=Hang(forward=4.0),
                right=Hang(forward=4.0),
            ),
        ),
        (0.85, KeyPose(ahead=-0.40, up=0.70 * hips, hips_tilt=24.0, lean=40.0, nod=16.0, left=reach, right=reach)),
        (1.12, replace(there, ahead=-SEAT_REACH, up=0.985 * hips, hips_tilt=14.0, lean=32.0, nod=14.0)),
        (1.25, replace(there, hips_tilt=6.0, lean=22.0, nod=10.0)),
        (SIT_DOWN_SECONDS, there),
    ]


def stand_up(hips: float) -> Keys:
    """From the seat: the trunk bends ahead first, then the legs lift it."""
    here = _seated(hips)
    pushed = replace(_ON_THIGH, up=0.22, ahead=0.14)
    return [
        (0.0, here),
        (0.42, replace(here, hips_tilt=16.0, lean=34.0, nod=12.0, ahead=-SEAT_REACH + 0.03)),
        (0.70, KeyPose(ahead=-0.34, up=0.80 * hips, hips_tilt=24.0, lean=42.0, nod=16.0, left=pushed, right=pushed)),
        (
            1.05,
            KeyPose(
                ahead=-0.10,
                up=0.22 * hips,
                hips_tilt=13.0,
                lean=19.0,
                nod=9.0,
                left=Hang(forward=10.0, elbow=26.0),
                right=Hang(forward=10.0, elbow=26.0),
            ),
        ),
        (1.30, KeyPose(ahead=0.0, up=-0.008, hips_tilt=3.0, lean=3.0, nod=2.0)),
        (STAND_UP_SECONDS, KeyPose()),
    ]
