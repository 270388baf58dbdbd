# SPDX-License-Identifier: GPL-3.0-or-later
"""Key poses of people who stand: at ease, with a phone, with raised arms, and looking round."""

from __future__ import annotations

from dataclasses import replace

from .arms import Hang, Reach
from .key_poses import KeyPose, Keys

EASE = KeyPose(ahead=0.004)
ON_LEFT = KeyPose(
    sway=0.058,
    ahead=0.006,
    up=-0.0115,
    hips_list=-4.5,
    hips_yaw=-5.0,
    chest_list=2.0,
    chest_yaw=-2.0,
    lean=0.5,
    head_list=-1.5,
    left=Hang(forward=-3.0, out=6.0, inward=14.0, elbow=20.0),
    right=Hang(forward=1.0, out=9.0, inward=16.0, elbow=14.0),
)
ON_RIGHT = KeyPose(
    sway=-0.055,
    ahead=0.006,
    up=-0.0115,
    hips_list=4.0,
    hips_yaw=4.0,
    chest_list=-1.8,
    chest_yaw=2.0,
    lean=1.5,
    head_list=1.5,
    left=Hang(forward=2.0, out=9.0, inward=16.0, elbow=15.0),
    right=Hang(forward=-4.0, out=6.0, inward=12.0, elbow=22.0),
)
AT_CHIN = Reach(
    -0.12, 0.28, -0.43, of="head", elbow=(0.5, 0.4, -1.0), palm=(-0.3, -0.8, 0.4), fingers=(-0.45, -0.35, 1.0)
)


def at_ease(_: float) -> Keys:
    """Arms hang; the weight goes from one leg to the other and back, with a glance to each side."""
    there = replace(ON_RIGHT, left=Hang(forward=8.0, out=8.0, inward=26.0, elbow=42.0))
    return [
        (0.0, ON_LEFT),
        (2.0, replace(ON_LEFT, head_yaw=-4.0, nod=2.0)),
        (2.7, replace(ON_LEFT, head_yaw=24.0, chest_yaw=2.0, nod=1.0)),
        (4.0, replace(ON_LEFT, head_yaw=21.0, chest_yaw=1.0)),
        (4.7, replace(ON_LEFT, head_yaw=2.0, nod=3.0)),
        (5.8, there),
        (7.4, replace(there, head_yaw=-3.0, nod=4.0)),
        (8.0, replace(there, head_yaw=-18.0, nod=1.0)),
        (8.9, replace(there, head_yaw=-15.0)),
        (9.4, replace(there, head_yaw=0.0)),
    ]


def hands_joined(_: float) -> Keys:
    """Hands joined low before the body, and lifted for a while."""
    left = Reach(-0.205, 0.30, -0.80, elbow=(0.8, -0.6, -0.6), palm=(-0.3, -1.0, 0.0), fingers=(-0.6, 0.15, -0.75))
    right = Reach(-0.190, 0.36, -0.80, elbow=(0.8, -0.6, -0.6), palm=(-0.3, -1.0, 0.0), fingers=(-0.6, 0.1, -0.75))
    lifted = {"up": -0.60, "ahead": 0.40}
    here = replace(ON_RIGHT, left=left, right=right, sway=-0.045)
    there = replace(ON_LEFT, left=left, right=right, sway=0.03, hips_list=-2.5)
    return [
        (0.0, here),
        (1.8, replace(here, head_yaw=-6.0, nod=6.0, sway=-0.05)),
        (2.5, replace(here, head_yaw=-27.0, chest_yaw=-3.0)),
        (3.9, replace(here, head_yaw=-24.0, chest_yaw=-3.0)),
        (4.6, replace(here, head_yaw=3.0, nod=2.0)),
        (5.1, replace(here, left=replace(left, **lifted), right=replace(right, **lifted), nod=6.0)),
        (6.2, replace(there, left=replace(left, **lifted), right=replace(right, **lifted), nod=4.0)),
        (6.7, there),
        (7.2, replace(there, head_yaw=14.0, nod=3.0)),
        (8.4, replace(there, head_yaw=11.0, nod=1.0)),
        (9.1, replace(there, head_yaw=0.0)),
    ]


def hand_on_hip(_: float) -> Keys:
    """The weight on the right leg and the right hand on the hip; a look at the watch."""
    watch = Reach(-0.22, 0.50, -0.46, elbow=(1.0, -0.2, -0.5), palm=(0.0, -0.4, -1.0), fingers=(-1.0, 0.25, 0.1))
    hand = Reach(0.165, 0.02, -0.70, elbow=(1.0, -0.55, -0.15), palm=(-1.0, 0.1, -0.1), fingers=(-0.35, 0.75, -0.6))
    here = replace(
        ON_RIGHT,
        sway=-0.062,
        hips_list=5.5,
        hips_yaw=7.0,
        chest_list=-2.5,
        right=hand,
        left=Hang(forward=3.0, out=8.0, inward=18.0, elbow=19.0),
    )
    return [
        (0.0, here),
        (1.5, replace(here, head_yaw=5.0, nod=1.0)),
        (2.3, replace(here, head_yaw=30.0, chest_yaw=7.0, nod=-1.0)),
        (3.8, replace(here, head_yaw=27.0, chest_yaw=6.0, sway=-0.057)),
        (4.6, replace(here, head_yaw=-2.0, nod=2.0)),
        (5.3, replace(here, head_yaw=0.0, nod=4.0, sway=-0.055)),
        (6.0, replace(here, left=watch, head_yaw=6.0, nod=22.0, sway=-0.050, hips_list=4.0)),
        (6.9, replace(here, left=watch, head_yaw=5.0, nod=20.0, sway=-0.050, hips_list=4.0)),
        (7.6, replace(here, head_yaw=-4.0, nod=3.0)),
        (8.3, replace(here, head_yaw=-12.0, nod=0.0)),
        (9.2, replace(here, head_yaw=-10.0)),
    ]


def hands_behind(_: float) -> Keys:
    """Hands joined behind the back, upright, with slow looks and a quick one."""
    left = Reach(-0.225, -0.255, -0.80, elbow=(0.9, -0.7, -0.3), palm=(0.3, -1.0, 0.0), fingers=(-0.8, -0.1, -0.6))
    right = Reach(-0.215, -0.315, -0.79, elbow=(0.9, -0.7, -0.3), palm=(0.3, -1.0, 0.0), fingers=(-0.8, -0.1, -0.6))
    here = replace(EASE, left=left, right=right, lean=-1.0, sway=0.012, hips_tilt=3.0, nod=-1.0)
    there = replace(here, sway=-0.03, hips_list=2.0, chest_list=-1.0)
    return [
        (0.0, here),
        (1.6, replace(here, head_yaw=4.0, sway=0.02)),
        (2.8, replace(here, head_yaw=34.0, chest_yaw=6.0, hips_yaw=2.0)),
        (4.3, replace(here, head_yaw=31.0, chest_yaw=6.0, hips_yaw=2.0, nod=2.0)),
        (5.6, replace(there, head_yaw=0.0, nod=1.0)),
        (6.6, replace(there, head_yaw=-4.0, chest_yaw=2.0)),
        (7.1, replace(there, head_yaw=-46.0, chest_yaw=-26.0, hips_yaw=-12.0)),
        (8.3, replace(there, head_yaw=-42.0, chest_yaw=-24.0, hips_yaw=-11.0, nod=3.0)),
        (9.0, replace(there, head_yaw=-2.0)),
    ]


def arms_aside(_: float) -> Keys:
    """Arms behind and beside the hips, on the way to the back or from there: for moments of other clips."""
    arm = Hang(forward=-31.0, out=28.0, inward=10.0, elbow=13.0)
    return [(0.0, replace(EASE, left=arm, right=arm))]


def arms_crossed(_: float) -> Keys:
    """Arms crossed on the chest, the weight on one leg and then on the other; a hand at the chin."""
    left = Reach(-0.34, 0.38, -0.42, elbow=(0.75, 0.25, -1.0), palm=(0.0, -1.0, 0.1), fingers=(-1.0, -0.1, 0.15))
    right = Reach(-0.30, 0.47, -0.39, elbow=(0.75, 0.25, -1.0), palm=(0.0, -1.0, 0.1), fingers=(-1.0, -0.1, 0.25))
    here = replace(ON_LEFT, left=left, right=right, lean=-2.0, nod=3.0)
    there = replace(ON_RIGHT, left=left, right=right, lean=-1.5, sway=-0.04, hips_list=3.0)
    thinks = replace(there, right=AT_CHIN)
    return [
        (0.0, here),
        (1.4, replace(here, nod=6.0, head_list=3.0)),
        (2.4, replace(here, head_yaw=26.0, chest_yaw=5.0, nod=1.0)),
        (4.0, replace(here, head_yaw=22.0, chest_yaw=5.0, nod=2.0)),
        (5.3, replace(there, head_yaw=0.0, nod=4.0)),
        (5.9, replace(thinks, head_yaw=0.0, nod=6.0)),
        (7.2, replace(thinks, nod=9.0, head_yaw=-4.0)),
        (7.9, replace(there, head_yaw=-20.0, chest_yaw=-3.0, nod=1.0)),
        (9.0, replace(there, head_yaw=-16.0, chest_yaw=-3.0, nod=2.0)),
    ]


def hand_on_arm(_: float) -> Keys:
    """One arm hangs, and the other hand holds it at the elbow; the head low, and up to look about, and at the hand."""
    held = Hang(forward=6.0, out=8.0, inward=18.0, elbow=26.0)
    lifted = replace(held, elbow=78.0, inward=24.0)
    hand = Reach(-0.43, 0.36, -0.52, elbow=(0.9, 0.1, -1.0), palm=(-0.2, -1.0, 0.1), fingers=(-1.0, -0.35, 0.1))
    here = replace(ON_RIGHT, left=held, right=hand, sway=-0.05, nod=6.0)
    there = replace(ON_LEFT, left=held, right=hand, sway=0.02, hips_list=-2.0, nod=2.0)
    return [
        (0.0, here),
        (1.7, replace(here, nod=10.0, head_list=-2.0)),
        (2.9, replace(here, nod=1.0, head_yaw=-25.0, chest_yaw=-4.0)),
        (4.2, replace(here, nod=2.0, head_yaw=-22.0, chest_yaw=-4.0)),
        (5.2, replace(here, head_yaw=5.0, nod=7.0)),
        (5.8, replace(here, left=lifted, head_yaw=14.0, nod=18.0)),
        (6.7, replace(here, left=lifted, head_yaw=12.0, nod=16.0)),
        (7.4, replace(there, head_yaw=20.0, chest_yaw=2.0)),
        (8.3, replace(there, head_yaw=17.0, chest_yaw=2.0, nod=4.0)),
        (9.2, replace(there, head_yaw=0.0, nod=5.0)),
    ]


def phone(_: float) -> Keys:
    """The right hand holds a phone to the ear, the other arm is bent; small steps of the weight, looks down."""
    ear = Reach(
        0.09,
        0.19,
        -0.25,
        of="head",
        elbow=(0.9, -0.2, -1.0),
        palm=(-1.0, -0.3, 0.1),
        fingers=(-0.2, -0.75, 0.9),
        shrug=5.0,
    )
    under = Reach(-0.36, 0.32, -0.50, elbow=(0.7, -0.4, -1.0), palm=(0.0, -1.0, 0.1), fingers=(-1.0, 0.1, 0.1))
    hang = Hang(forward=4.0, out=8.0, inward=24.0, elbow=24.0)
    here = replace(ON_RIGHT, right=ear, left=hang, head_list=-5.0, nod=8.0)
    there = replace(ON_LEFT, right=ear, left=hang, head_list=-4.0, nod=5.0)
    return [
        (0.0, here),
        (1.4, replace(here, nod=13.0, head_yaw=5.0)),
        (2.6, replace(here, nod=10.0, head_yaw=9.0)),
        (3.6, replace(there, head_yaw=-4.0, left=under)),
        (5.2, replace(there, head_yaw=-10.0, nod=9.0, left=under)),
        (6.0, replace(there, head_yaw=3.0, nod=2.0, left=under)),
        (7.0, replace(here, head_yaw=8.0, nod=4.0)),
    ]


def read_phone(_: float) -> Keys:
    """Looks down at a phone in the right hand and types with the left, and up from it."""
    hold = Reach(-0.13, 0.52, -0.46, elbow=(0.6, -0.5, -1.0), palm=(-0.35, -0.75, 0.6), fingers=(-0.35, 0.6, 0.7))
    types = Reach(-0.20, 0.50, -0.48, elbow=(0.6, -0.5, -1.0), palm=(-0.5, -0.1, -0.8), fingers=(-0.65, 0.75, 0.1))
    hang = Hang(forward=5.0, out=8.0, inward=22.0, elbow=24.0)
    here = replace(ON_LEFT, left=types, right=hold, nod=26.0, lean=3.0)
    there = replace(ON_RIGHT, left=hang, right=replace(hold, up=-0.52), nod=22.0, lean=2.0)
    return [
        (0.0, here),
        (1.1, replace(here, nod=28.0, left=replace(types, up=-0.46))),
        (2.2, replace(here, nod=25.0, left=replace(types, out=-0.18))),
        (3.6, there),
        (4.4, replace(there, nod=2.0, head_yaw=24.0, chest_yaw=4.0)),
        (5.5, replace(there, nod=3.0, head_yaw=19.0, chest_yaw=4.0)),
        (6.4, there),
        (7.2, replace(here, left=replace(types, up=-0.46))),
    ]


def cheer(_: float) -> Keys:
    """Both arms are thrown up, before the body and not beside it, and pump; the heels leave the ground with them."""
    up = Reach(0.20, 0.20, 0.90, elbow=(0.55, 0.8, -0.3), palm=(-0.5, 0.9, 0.0), fingers=(0.1, 0.1, 1.0), shrug=22.0)
    bent = Reach(0.20, 0.42, 0.46, elbow=(0.55, 0.8, -0.6), palm=(-0.6, 0.8, 0.0), fingers=(0.0, 0.2, 1.0), shrug=14.0)
    high = KeyPose(up=0.030, heels=17.0, lean=-4.0, hips_tilt=3.0, nod=-10.0, left=up, right=up)
    low = KeyPose(up=-0.040, lean=2.0, hips_tilt=5.0, nod=-5.0, left=bent, right=bent)
    return [
        (0.0, low),
        (0.27, high),
        (0.56, replace(low, chest_yaw=4.0, head_yaw=6.0)),
        (0.83, replace(high, chest_yaw=5.0, head_yaw=8.0, right=replace(up, ahead=0.29, up=0.86))),
        (1.12, replace(low, sway=0.012)),
        (1.38, replace(high, sway=0.012, chest_yaw=-4.0, head_yaw=-6.0, left=replace(up, ahead=0.29, up=0.86))),
        (1.70, replace(low, chest_yaw=-4.0, head_yaw=-8.0)),
        (1.97, replace(high, head_yaw=-2.0, nod=-14.0)),
        (2.40, replace(high, nod=-12.0, heels=8.0, up=0.010, left=replace(up, up=0.84), right=replace(up, up=0.84))),
    ]


def clap(_: float) -> Keys:
    """Hands meet before the chest, twice a second."""
    together = Reach(-0.285, 0.50, -0.33, elbow=(0.9, -0.4, -0.9), palm=(-1.0, 0.0, 0.0), fingers=(0.0, 0.75, 0.65))
    apart = Reach(-0.04, 0.46, -0.37, elbow=(0.9, -0.4, -0.9), palm=(-0.95, 0.3, 0.2), fingers=(0.15, 0.75, 0.6))
    found = []
    for beat in range(4):
        sway, yaw = (0.012, 3.0) if beat < 2 else (-0.012, -2.0)
        met = KeyPose(sway=sway, lean=2.5, nod=3.0, head_yaw=yaw, left=together, right=together)
        off = replace(met, lean=1.5, nod=0.5, left=apart, right=apart)
        found += [(0.5 * beat, met), (0.5 * beat + 0.06, met), (0.5 * beat + 0.30, off)]
    return found


def wave(_: float) -> Keys:
    """The right hand is raised beside the head and waves from the elbow."""
    inner = Reach(0.10, 0.36, 0.38, elbow=(1.0, -0.2, -1.0), palm=(0.0, 1.0, 0.0), fingers=(-0.35, 0.1, 1.0), shrug=8.0)
    outer = Reach(0.52, 0.30, 0.32, elbow=(1.0, -0.2, -1.0), palm=(0.0, 1.0, 0.0), fingers=(0.60, 0.1, 1.0), shrug=8.0)
    here = replace(ON_LEFT, right=inner, chest_list=3.0, head_list=3.0, nod=-2.0, lean=0.0)
    there = replace(here, right=outer, chest_list=1.5, head_list=0.0)
    found = []
    for number in range(4):
        found += [(0.62 * number, replace(here, head_yaw=-2.0)), (0.62 * number + 0.31, there)]
    return found


def point(_: float) -> Keys:
    """The right arm points ahead and to the side, the head along it; it is drawn in and points again."""
    arm = Reach(
        0.03,
        0.95,
        0.04,
        elbow=(0.6, -0.2, -1.0),
        palm=(-0.75, 0.0, -0.65),
        fingers=(0.0, 1.0, 0.02),
        shrug=4.0,
        protract=9.0,
    )
    drawn = Reach(0.03, 0.56, -0.30, elbow=(0.6, -0.3, -1.0), palm=(-0.9, 0.0, 0.1), fingers=(0.0, 1.0, 0.35))
    here = replace(ON_LEFT, right=arm, chest_yaw=7.0, lean=4.0, sway=0.03, left=Hang(elbow=22.0, inward=18.0))
    there = replace(here, right=drawn, chest_yaw=3.0, lean=2.0, sway=0.045)
    return [
        (0.0, here),
        (0.7, replace(here, right=replace(arm, up=0.07), nod=1.0)),
        (1.0, replace(here, right=replace(arm, ahead=0.92, up=0.02))),
        (1.6, here),
        (2.2, replace(here, right=replace(arm, out=0.34, ahead=0.86, up=0.10), head_yaw=-24.0, chest_yaw=-8.0)),
        (
            3.1,
            replace(here, right=replace(arm, out=0.34, ahead=0.86, up=0.06), head_yaw=-20.0, chest_yaw=-8.0, nod=4.0),
        ),
        (3.8, replace(there, head_yaw=22.0)),
        (4.5, replace(there, head_yaw=0.0, nod=2.0)),
        (5.2, replace(here, right=replace(arm, up=0.06))),
        (5.6, replace(here, right=replace(arm, ahead=0.92, up=0.02))),
    ]


def point_with_left(hips: float) -> Keys:
    """The left arm points."""
    return _mirrored(point(hips))


def _mirrored(keys: Keys) -> Keys:
    """The same poses with left and right exchanged."""
    turned = ("sway", "hips_yaw", "hips_list", "chest_yaw", "chest_list", "head_yaw", "head_list")
    return [
        (time, replace(pose, left=pose.right, right=pose.left, **{name: -getattr(pose, name) for name in turned}))
        for time, pose in keys
    ]


def look_round(_: float) -> Keys:
    """Looks far to one side and to the other, the trunk with it; an arm that was bent hangs after that."""
    return _looks(replace(EASE, right=Hang(elbow=62.0, inward=30.0, forward=10.0)), right=Hang(elbow=22.0, inward=16.0))


def look_round_with_bent_arms(_: float) -> Keys:
    """The same to the other side first, both hands before the body, and one lower after that."""
    bent = Hang(elbow=70.0, inward=34.0, forward=16.0)
    return _mirrored(_looks(replace(EASE, left=bent, right=bent), right=Hang(elbow=34.0, inward=22.0, forward=4.0)))


def look_round_with_bent_arm(_: float) -> Keys:
    """The same as at first with the other arm bent, and more so after that."""
    bent = Hang(elbow=58.0, inward=30.0, forward=14.0)
    return _looks(replace(EASE, left=bent, nod=2.0), left=replace(bent, elbow=98.0, inward=36.0))


def _looks(here: KeyPose, **arm: Hang) -> Keys:
    """Look to one side and, with an arm in another pose, to the other."""
    there = replace(here, **arm)
    left = {"head_yaw": 62.0, "chest_yaw": 24.0, "hips_yaw": 9.0, "sway": 0.035, "hips_list": -2.0}
    right = {"head_yaw": -64.0, "chest_yaw": -25.0, "hips_yaw": -9.0, "sway": -0.035, "hips_list": 2.0}
    return [
        (0.0, here),
        (0.9, replace(here, **left, nod=-1.0)),
        (1.9, replace(here, **left, nod=2.0)),
        (2.8, replace(there, head_yaw=-10.0, chest_yaw=-4.0, nod=-2.0)),
        (3.5, replace(there, **right, nod=-1.0)),
        (4.6, replace(there, **right, nod=1.0)),
        (5.4, replace(here, head_yaw=4.0, nod=2.0)),
    ]
