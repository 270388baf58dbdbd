# SPDX-License-Identifier: GPL-3.0-or-later
"""All built-in figures: the man, the woman, and others who are made of those by a few numbers each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .description import FACE, MAN, WOMAN, Description, Hair, Sleeve, Swell, table
from .skeleton import BELLY, Proportions
from .surface import interpolate_rows, smoothstep

_Rows = tuple[tuple[float, ...], ...]

_FRONT = 0.12
"""How far ahead of its middle the trunk of the man and the woman comes where bellies are [m]; measured on them."""

_LANDMARKS = ("ankle", "knee", "hip_joint", "waist", "chest", "shoulder", "neck", "head", "top")


def _stouter(base: Description, girth: float, belly: float = 0.0) -> Description:
    """A figure with wider sections, the shoulders less so, and a belly that comes out by so much [m]."""
    shoulders = base.shoulder_top
    middle = base.body.belly_height

    def wider(rows: _Rows) -> _Rows:
        values = np.array(rows)
        less = smoothstep(values[:, 0], base.armpit - 0.10, shoulders)
        values[:, 1:4] *= (1.0 + (girth - 1.0) * (1.0 - 0.7 * less))[:, None]
        out = belly * np.exp(-(((values[:, 0] - middle) / BELLY) ** 2))
        values[:, 1] += 0.25 * out
        values[:, 2] += out
        return _rows(values)

    thick = 1.0 + 0.6 * (girth - 1.0)
    front = belly + _FRONT * (girth - 1.0) if belly else 0.0
    return replace(
        base,
        body=replace(base.body, belly=front),
        shirt=wider(base.shirt),
        trousers=wider(base.trousers),
        legs=_rows(np.array(base.legs) * (1.0, thick, thick, thick, 1.0)),
        sleeve=replace(base.sleeve, radii=_rows(np.array(base.sleeve.radii) * (1.0, thick))),
        neck_scale=base.neck_scale * (1.0 + 0.5 * (girth - 1.0)),
        head_scale=(base.head_scale[0] * (1.0 + 0.25 * (girth - 1.0)), *base.head_scale[1:]),
        hand_scale=base.hand_scale * (1.0 + 0.2 * (girth - 1.0)),
    )


def _reshaped(base: Description, body: Proportions) -> Description:
    """A figure with other bones: what it wears follows them up and down, and their shoulders and hips in width."""
    old = np.array([0.0, *(getattr(base.body, name) for name in _LANDMARKS)])
    new = np.array([0.0, *(getattr(body, name) for name in _LANDMARKS)])
    shoulders, hips = body.shoulder_spread / base.body.shoulder_spread, body.hip_spread / base.body.hip_spread

    def lifted(height: float) -> float:
        return float(np.interp(height, old, new))

    def moved(rows: _Rows) -> _Rows:
        values = np.array(rows)
        wide = np.interp(values[:, 0], (base.body.hip_joint, base.body.shoulder), (hips, shoulders))
        values[:, 0] = np.interp(values[:, 0], old, new)
        values[:, 1:4] *= wide[:, None]
        return _rows(values)

    def swollen(swell: Swell) -> Swell:
        x, y, z = swell.centre
        return replace(swell, centre=(x * hips, y * hips, lifted(z)))

    foot = body.toe_forward / base.body.toe_forward
    return replace(
        base,
        body=body,
        shirt=moved(base.shirt),
        trousers=moved(base.trousers),
        legs=moved(base.legs),
        armpit=lifted(base.armpit),
        shoulder_top=lifted(base.shoulder_top),
        hem=lifted(base.hem),
        swells=tuple([swollen(swell) for swell in base.swells]),
        shoe_scale=(base.shoe_scale[0] * 0.5 * (1.0 + foot), base.shoe_scale[1] * foot),
    )


def _coated(base: Description, hem: float, thickness: float = 0.012) -> Description:
    """A figure in a coat down to a height over the floor; legs above it are left out."""
    values = np.array(base.shirt)
    under = smoothstep(values[:, 0], base.shoulder_top, base.armpit)
    values[:, 1:4] += thickness * (0.4 + 0.6 * under)[:, None]
    widest = values[values[:, 0] < base.body.waist][:, 1:4].max(axis=0)
    depth = base.hem - hem
    below = [(base.hem - part * depth, *(widest + part * 0.105 * depth + 0.006), 2.3) for part in (0.5, 1.0)]
    above = values[values[:, 0] >= base.hem + 0.02]
    radii = np.array(base.sleeve.radii) + np.array([0.0, 0.6 * thickness])
    return replace(
        base,
        shirt=_rows(np.concatenate([np.array(below), above])),
        hem=hem,
        sleeve=Sleeve(0.97, _rows(radii)),
        legs_from=hem + 0.09,
        neckline=base.neckline + 0.02,
    )


def _skirted(base: Description, hem: float, flare: float) -> Description:
    """A figure in a skirt, with bare legs and the shirt tucked in."""
    waist, ankle = base.body.waist - 0.01, base.body.ankle
    heights = np.array([waist, waist - 0.06, *(row[0] for row in base.trousers[1:4])])
    values, shirt = (interpolate_rows(table(rows), heights) for rows in (base.trousers, base.shirt))
    values[:2] = np.maximum(values, shirt)[:2]  # below, the shirt that is tucked in is at an end
    values[:, :3] += (0.014, 0.022, 0.010)  # room for the thighs in front
    widest = values[:, :3].max(axis=0)
    widest[1] = values[-1, 1]  # under the belly it hangs straight down
    depth = heights[-1] - hem
    below = [
        (heights[-1] - part * depth, *(widest + part * flare * np.array((1.0, 1.5, 1.0))), 2.15) for part in (0.5, 1.0)
    ]
    legs = np.array(base.legs) * (1.0, 0.92, 0.92, 0.92, 1.0)
    legs[-1] = (ankle + 0.004, 0.030, 0.033, 0.036, 2.0)
    return replace(
        base,
        skirt=_rows(np.concatenate([np.column_stack([heights, values]), np.array(below)])),
        hem=waist - 0.05,
        legs=_rows(legs),
        legs_from=hem + 0.09,
        bare_legs=True,
    )


def _rows(values: np.ndarray) -> _Rows:
    return tuple([tuple(row) for row in values.tolist()])


def _named(base: Description, name: str) -> Description:
    """A figure with the same bones and clips under a name of its own."""
    return replace(base, name=f"Footfall {name}")


def _with_clips(base: Description, name: str) -> Description:
    """A figure that moves in a way of its own."""
    return replace(base, **{clip: f"Footfall {clip} ({name})" for clip in ("walk", "idle", "run")})


def _cap(height: float) -> Hair:
    return Hair(
        edge=((0, 0.170), (60, 0.160), (100, 0.150), (180, 0.120)),
        thickness=((0, 0.017), (90, 0.014), (180, 0.014)),
        crown=height,
        hang=0.0,
        swells=(),
        ears=True,
    )


assert MAN.hair is not None
assert WOMAN.hair is not None
_SHORT, _BOB = MAN.hair, WOMAN.hair
_CROPPED = replace(_SHORT, crown=0.010, thickness=((0, 0.005), (180, 0.004)), swells=())
_LONG = replace(
    _BOB,
    edge=((0, 0.182), (28, 0.182), (44, 0.164), (58, 0.110), (72, -0.040), (88, -0.095), (115, -0.120), (180, -0.125)),
    thickness=((0, 0.010), (50, 0.012), (75, 0.017), (105, 0.020), (180, 0.014)),
)
_COMBED_BACK = Hair(
    edge=((0, 0.180), (40, 0.180), (60, 0.160), (78, 0.108), (90, 0.128), (105, 0.110), (130, 0.050), (180, 0.030)),
    thickness=((0, 0.005), (60, 0.006), (90, 0.006), (180, 0.008)),
    crown=0.013,
    hang=0.0,
    swells=(),
    ears=True,
)

_CHILD = Proportions(
    hips=0.897, hip_joint=0.846, knee=0.455, ankle=0.078, hip_spread=0.082, foot_spread=0.087, heel_back=0.058,
    ball_forward=0.108, toe_forward=0.208, waist=0.985, chest=1.125, neck=1.362, head=1.452, top=1.735,
    shoulder=1.300, shoulder_spread=0.160, upper_arm=0.282, forearm=0.240, hand=0.180,
)  # fmt: skip
"""A child of seven in the size of an adult: a large head, a long trunk and short legs (Snyder and others 1977)."""

_AGE = (
    Swell((0.052, -0.055, 0.058), (0.014, 0.05, 0.018), (-0.0045, 0.004, 0.0)),
    Swell((0.046, -0.050, 0.012), (0.016, 0.04, 0.012), (0.0030, -0.002, -0.003)),
    Swell((0.030, -0.088, 0.106), (0.012, 0.03, 0.004), (0.0, 0.0025, 0.0)),
)
"""Hollow cheeks, and pouches at the jaw and under the eyes."""

_FACE_OF_CHILD = tuple([replace(swell, push=tuple([0.6 * part for part in swell.push])) for swell in FACE])


def _young(base: Description, name: str, size: float) -> Description:
    """A child, dressed as an adult is."""
    child = _named(_with_clips(_reshaped(base, _CHILD), "child"), name)
    wide, deep, high = base.head_scale
    return replace(
        child,
        rig="Footfall child",
        swells=(),
        face=_FACE_OF_CHILD,
        hair_slot="Young hair",
        head_scale=(1.33 * wide, 1.27 * deep, 1.31 * high),
        neck_scale=0.88,
        sleeve=replace(base.sleeve, end=0.72),
        size=size,
        weight=0.5,
    )


PEOPLE: tuple[Description, ...] = (
    MAN,
    WOMAN,
    replace(
        _named(_coated(_stouter(WOMAN, 0.95), 0.53), "woman in a coat"),
        hair=_LONG, is_open=True, bag="shoulder bag", size=1.02,
    ),
    replace(
        _with_clips(_named(_stouter(MAN, 1.20, belly=0.085), "heavy man"), "heavy man"), hair=None, size=0.985
    ),
    replace(
        _named(_skirted(_stouter(WOMAN, 0.90), 0.53, 0.03), "woman in a skirt"),
        hair=_COMBED_BACK, bun=True, size=1.05,
    ),
    replace(
        _with_clips(_named(_skirted(_stouter(WOMAN, 1.16, belly=0.035), 0.49, 0.028), "old woman"), "old woman"),
        arms_out=5.0, hair=_COMBED_BACK, bun=True, hair_slot="Grey hair", face=(*WOMAN.face, *_AGE), bag="shoulder bag",
        size=0.95, weight=0.7,
    ),
    replace(
        _named(_stouter(MAN, 0.88), "student"),
        hair=_CROPPED, hair_slot="Young hair", cap=_cap(0.026), bag="backpack", size=1.04,
    ),
    replace(_skirted(_young(WOMAN, "girl", 0.685), 0.52, 0.035), hair=_BOB),
    replace(_young(MAN, "boy", 0.70), hair=replace(_SHORT, crown=0.021), bag="backpack"),
    replace(
        _with_clips(_named(_coated(_stouter(MAN, 1.02, belly=0.03), 0.66), "old man"), "old man"),
        hair=_COMBED_BACK, hair_slot="Grey hair", face=(*MAN.face, *_AGE), buttons=5, lean=15.0, arms_out=3.0,
        size=0.955, weight=0.7,
    ),
)  # fmt: skip
"""All built-in figures; of the first, crowds of instances are made: in turn, so that most of the others have somebody
who is like them in their place."""
