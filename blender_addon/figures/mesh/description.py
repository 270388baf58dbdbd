# SPDX-License-Identifier: GPL-3.0-or-later
"""What describes a built-in figure in numbers: sections through body and clothes; and the two patterns of all."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from .skeleton import Proportions


@dataclass(frozen=True)
class Swell:
    """A soft push on the surface: muscle, bust, nose, eye socket; on both sides, unless on the middle plane."""

    centre: tuple[float, float, float]  # [m]
    size: tuple[float, float, float]  # how far it reaches along x, y and z [m]
    push: tuple[float, float, float]  # [m]


@dataclass(frozen=True)
class Sleeve:
    """A sleeve as radii along the arm, and where it ends."""

    end: float  # fraction of the arm, 0 at the shoulder and 1 at the wrist
    radii: tuple[tuple[float, ...], ...]  # fraction of the arm, radius [m]


@dataclass(frozen=True)
class Hair:
    """Hair as a shell round the skull; angles are turned away from straight ahead."""

    edge: tuple[tuple[float, float], ...]  # angle [degrees], height of the hair's edge over the chin [m]
    thickness: tuple[tuple[float, float], ...]  # angle [degrees], thickness near the edge [m]
    crown: float  # thickness on top [m]
    hang: float  # height over the chin below which the hair hangs free of the head [m]
    swells: tuple[Swell, ...]  # of the standard head
    ears: bool  # whether the ears are to be seen


@dataclass(frozen=True)
class Description:
    """All that makes one figure another: bones, sections, clothes and hair.

    Attributes:
        name: of the figure.
        rig: name of its armature, which figures with the same bones share.
        walk: name of its walk's Action, which figures that walk alike share.
        idle: name of the Action in which it stands at ease.
        run: name of its run's Action.
        body: lengths of its bones.
        shirt: sections of the trunk, upwards: height, half width, front, back [m], squareness.
        armpit: height of the armholes' lowest points [m].
        shoulder_top: height of the armholes' highest points [m].
        hem: height at which the shirt ends [m].
        neckline: how much lower the collar is in front [m].
        sleeve: both sleeves.
        trousers: sections of the hips, downwards to where the legs part; as of the shirt.
        legs: sections of one leg round its own middle, downwards to the cuff; as of the shirt.
        swells: muscles and the like, under shirt and trousers.
        head_scale: of the standard head, across, along and up.
        neck_scale: of the standard neck.
        face: features, on the standard head.
        lips: how full they are, over those of the man.
        brows: how thick they are, over those of the man.
        hair: its hair; None: it is bald.
        hand_scale: of the standard hand.
        shoe_scale: of the standard shoe, across and along.
        size: scale of all of it.
        weight: how often it is chosen, compared with others.
        lean: of its chest as it walks, forwards [degrees].
        arms_out: how much farther from the body its arms hang than those of others [degrees].
        legs_from: height above which its legs are hidden under a coat or a skirt and are not made; 0: none are [m].
        skirt: sections of a skirt; as of the shirt.
        is_open: whether the shirt is a coat that is open.
        bare_legs: whether its legs are bare.
        hair_slot: the material slot of its hair, from whose colours it is drawn.
        bun: whether it wears its hair in a bun.
        cap: a cap, as a shell like hair; None: it wears none.
        bag: what it carries.
        buttons: how many its coat has.
    """

    name: str
    rig: str
    walk: str
    idle: str
    run: str
    body: Proportions
    shirt: tuple[tuple[float, ...], ...]
    armpit: float
    shoulder_top: float
    hem: float
    neckline: float
    sleeve: Sleeve
    trousers: tuple[tuple[float, ...], ...]
    legs: tuple[tuple[float, ...], ...]
    swells: tuple[Swell, ...]
    head_scale: tuple[float, float, float]
    neck_scale: float
    face: tuple[Swell, ...]
    hair: Hair | None
    hand_scale: float
    shoe_scale: tuple[float, float]
    size: float = 1.0
    weight: float = 1.0
    lean: float = 3.0
    arms_out: float = 0.0
    legs_from: float = 0.0
    skirt: tuple[tuple[float, ...], ...] = ()
    is_open: bool = False
    bare_legs: bool = False
    lips: float = 1.0
    brows: float = 1.0
    hair_slot: Literal["Hair", "Grey hair", "Young hair"] = "Hair"
    bun: bool = False
    cap: Hair | None = None
    bag: Literal["", "backpack", "shoulder bag"] = ""
    buttons: int = 0


def table(rows: tuple[tuple[float, ...], ...]) -> np.ndarray:
    """Rows of a description as float64 (K, C), the first column rising."""
    values = np.array(rows, dtype=np.float64)
    return values[np.argsort(values[:, 0])]


FACE = (
    Swell((0.0, -0.105, 0.086), (0.0115, 0.03, 0.011), (0.0, -0.0225, -0.002)),
    Swell((0.0, -0.100, 0.104), (0.0095, 0.03, 0.013), (0.0, -0.0130, 0.0)),
    Swell((0.0, -0.100, 0.121), (0.0090, 0.03, 0.010), (0.0, -0.0060, 0.0)),
    Swell((0.033, -0.085, 0.121), (0.016, 0.04, 0.011), (0.0, 0.0085, 0.0)),
    Swell((0.030, -0.095, 0.139), (0.022, 0.04, 0.007), (0.0, -0.0030, 0.0)),
    Swell((0.045, -0.070, 0.095), (0.018, 0.05, 0.014), (0.002, -0.0030, 0.0)),
    Swell((0.0, -0.100, 0.052), (0.020, 0.03, 0.010), (0.0, -0.0050, 0.0)),
    Swell((0.0, -0.100, 0.037), (0.022, 0.03, 0.006), (0.0, 0.0030, 0.0)),
    Swell((0.0, -0.100, 0.014), (0.018, 0.04, 0.014), (0.0, -0.0060, 0.0)),
)

FACE_OF_WOMAN = (
    *(replace(swell, push=(swell.push[0], 0.78 * swell.push[1], swell.push[2])) for swell in FACE[:3]),
    *FACE[3:8],
    Swell((0.0, -0.100, 0.014), (0.014, 0.04, 0.014), (0.0, -0.0045, 0.0)),
    Swell((0.058, -0.010, 0.020), (0.022, 0.05, 0.026), (-0.0075, 0.0, 0.0)),
    Swell((0.040, -0.070, 0.016), (0.016, 0.03, 0.020), (-0.0050, 0.003, 0.0)),
    Swell((0.044, -0.072, 0.092), (0.014, 0.04, 0.012), (0.002, -0.0020, 0.0)),
)
"""A narrower jaw and chin, a smaller nose and fuller cheeks."""

MAN = Description(
    name="Footfall man",
    rig="Footfall man",
    walk="Footfall walk",
    idle="Footfall idle",
    run="Footfall run",
    body=Proportions(),
    shirt=(
        (0.850, 0.184, 0.116, 0.136, 2.3),
        (0.920, 0.181, 0.116, 0.134, 2.3),
        (1.000, 0.166, 0.114, 0.115, 2.3),
        (1.080, 0.156, 0.111, 0.100, 2.3),
        (1.160, 0.161, 0.115, 0.100, 2.35),
        (1.240, 0.172, 0.121, 0.109, 2.4),
        (1.305, 0.178, 0.121, 0.116, 2.45),
        (1.345, 0.186, 0.114, 0.116, 2.5),
        (1.380, 0.188, 0.102, 0.111, 2.5),
        (1.410, 0.182, 0.086, 0.103, 2.4),
        (1.434, 0.164, 0.070, 0.092, 2.25),
        (1.456, 0.120, 0.058, 0.082, 2.1),
        (1.474, 0.082, 0.050, 0.075, 2.0),
        (1.490, 0.065, 0.048, 0.067, 2.0),
    ),
    armpit=1.305,
    shoulder_top=1.434,
    hem=0.868,
    neckline=0.028,
    sleeve=Sleeve(end=0.95, radii=((0.0, 0.062), (0.22, 0.060), (0.5, 0.050), (0.75, 0.046), (1.0, 0.038))),
    trousers=(
        (1.040, 0.150, 0.100, 0.098, 2.3),
        (0.980, 0.160, 0.104, 0.110, 2.3),
        (0.920, 0.171, 0.105, 0.122, 2.3),
        (0.880, 0.176, 0.104, 0.124, 2.3),
        (0.845, 0.178, 0.100, 0.116, 2.3),
    ),
    legs=(
        (0.845, 0.090, 0.098, 0.112, 2.2),
        (0.780, 0.087, 0.096, 0.100, 2.1),
        (0.700, 0.082, 0.091, 0.088, 2.1),
        (0.600, 0.074, 0.083, 0.076, 2.1),
        (0.500, 0.067, 0.074, 0.068, 2.1),
        (0.400, 0.064, 0.064, 0.074, 2.1),
        (0.300, 0.061, 0.061, 0.072, 2.1),
        (0.180, 0.056, 0.060, 0.064, 2.1),
        (0.066, 0.055, 0.074, 0.060, 2.1),
    ),
    swells=(
        Swell((0.085, -0.125, 1.315), (0.065, 0.06, 0.045), (0.0, -0.008, 0.0)),
        Swell((0.090, 0.120, 1.340), (0.060, 0.06, 0.060), (0.0, 0.007, 0.0)),
        Swell((0.0, 0.120, 1.250), (0.022, 0.06, 0.140), (0.0, -0.008, 0.0)),
        Swell((0.085, 0.125, 0.890), (0.060, 0.06, 0.055), (0.0, 0.010, 0.0)),
    ),
    head_scale=(1.0, 1.0, 1.0),
    neck_scale=1.0,
    face=FACE,
    hair=Hair(
        edge=(
            (0, 0.172),
            (35, 0.175),
            (50, 0.165),
            (64, 0.146),
            (78, 0.098),
            (90, 0.126),
            (105, 0.112),
            (125, 0.064),
            (180, 0.046),
        ),
        thickness=((0, 0.010), (60, 0.006), (85, 0.004), (130, 0.005), (180, 0.006)),
        crown=0.019,
        hang=0.0,
        swells=(Swell((0.0, -0.085, 0.225), (0.045, 0.035, 0.03), (0.0, -0.004, 0.009)),),
        ears=True,
    ),
    hand_scale=1.0,
    shoe_scale=(1.08, 1.0),
)

WOMAN = Description(
    name="Footfall woman",
    rig="Footfall woman",
    walk="Footfall walk (woman)",
    idle="Footfall idle (woman)",
    run="Footfall run (woman)",
    body=Proportions(
        hips=0.930,
        hip_joint=0.882,
        knee=0.472,
        ankle=0.080,
        hip_spread=0.084,
        foot_spread=0.082,
        heel_back=0.058,
        ball_forward=0.108,
        toe_forward=0.2075,
        waist=1.030,
        chest=1.165,
        neck=1.386,
        head=1.476,
        top=1.665,
        shoulder=1.322,
        shoulder_spread=0.152,
        upper_arm=0.268,
        forearm=0.232,
        hand=0.168,
    ),
    shirt=(
        (0.780, 0.190, 0.118, 0.150, 2.2),
        (0.860, 0.184, 0.114, 0.140, 2.2),
        (0.930, 0.170, 0.108, 0.120, 2.2),
        (1.010, 0.144, 0.100, 0.095, 2.2),
        (1.065, 0.135, 0.098, 0.090, 2.2),
        (1.140, 0.144, 0.104, 0.094, 2.2),
        (1.195, 0.152, 0.106, 0.100, 2.3),
        (1.240, 0.157, 0.104, 0.104, 2.3),
        (1.280, 0.158, 0.096, 0.102, 2.3),
        (1.312, 0.155, 0.084, 0.097, 2.3),
        (1.340, 0.148, 0.072, 0.090, 2.2),
        (1.362, 0.128, 0.059, 0.080, 2.1),
        (1.382, 0.094, 0.050, 0.072, 2.0),
        (1.394, 0.068, 0.044, 0.065, 2.0),
        (1.406, 0.054, 0.042, 0.057, 2.0),
    ),
    armpit=1.238,
    shoulder_top=1.362,
    hem=0.800,
    neckline=0.045,
    sleeve=Sleeve(end=0.72, radii=((0.0, 0.052), (0.22, 0.050), (0.5, 0.043), (0.75, 0.041), (1.0, 0.034))),
    trousers=(
        (1.000, 0.134, 0.090, 0.085, 2.2),
        (0.930, 0.158, 0.098, 0.108, 2.2),
        (0.870, 0.170, 0.101, 0.124, 2.2),
        (0.835, 0.174, 0.100, 0.126, 2.2),
        (0.800, 0.173, 0.096, 0.116, 2.2),
    ),
    legs=(
        (0.800, 0.087, 0.094, 0.110, 2.1),
        (0.740, 0.084, 0.091, 0.096, 2.0),
        (0.660, 0.077, 0.085, 0.083, 2.0),
        (0.570, 0.066, 0.074, 0.070, 2.0),
        (0.475, 0.055, 0.062, 0.056, 2.0),
        (0.380, 0.051, 0.052, 0.064, 2.0),
        (0.310, 0.048, 0.048, 0.063, 2.0),
        (0.200, 0.041, 0.041, 0.048, 2.0),
        (0.125, 0.038, 0.041, 0.042, 2.0),
    ),
    swells=(
        Swell((0.072, -0.105, 1.215), (0.052, 0.06, 0.042), (0.004, -0.034, 0.0)),
        Swell((0.080, 0.110, 1.260), (0.050, 0.06, 0.055), (0.0, 0.005, 0.0)),
        Swell((0.0, 0.100, 1.150), (0.022, 0.06, 0.130), (0.0, -0.007, 0.0)),
        Swell((0.085, 0.125, 0.840), (0.060, 0.06, 0.055), (0.0, 0.012, 0.0)),
    ),
    head_scale=(0.94, 0.955, 0.955),
    neck_scale=0.84,
    face=FACE_OF_WOMAN,
    lips=1.45,
    brows=0.6,
    hair=Hair(
        edge=(
            (0, 0.178),
            (30, 0.176),
            (46, 0.162),
            (60, 0.100),
            (74, 0.020),
            (95, -0.008),
            (130, -0.020),
            (180, -0.024),
        ),
        thickness=((0, 0.008), (50, 0.011), (75, 0.020), (105, 0.027), (180, 0.022)),
        crown=0.022,
        hang=0.105,
        swells=(),
        ears=False,
    ),
    hand_scale=0.9,
    shoe_scale=(0.95, 0.915),
)
