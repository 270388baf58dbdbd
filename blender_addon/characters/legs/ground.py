# SPDX-License-Identifier: GPL-3.0-or-later
"""The ground under the feet of people: how high it is, and how their soles lie on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from ....core.array_types import Bool, Float64, Int64
from ....core.geometry.ragged import runs_in
from ....core.geometry.reproducible_math import heading_vector, length
from ....core.motion.feet.body_motion import BodyMotion, turned
from ....core.motion.feet.foot_planting import FootCorrection, fade, find_footholds
from ....core.motion.feet.slopes import Soles, lay_soles, push_off, rest_soles
from ....core.motion.feet.uneven_ground import Footholds, carry_bodies, clear_edges, keep_off_risers
from ....core.motion.legs import ANKLE, BALL, too_far
from .find import AnyLeg

_SOLE = 0.05
"""The slope of the ground is taken from so far around a foot, as a share of the leg; chosen."""

_SOLE_POINTS = 16
"""On each side of the ball of a foot, at which the ground under its sole is looked at; chosen."""

_REST_POINTS = 5
"""The same where it rests on rough ground: between them lie three centimetres; chosen."""

_TOES, _HEEL = 0.21, 0.075
"""How far ahead of its ankle a foot ends whose toes are not known, and behind it, as shares of the leg: a foot is 0.152
of the height long, a leg 0.53 (Winter 2009, fig. 4.1), and a quarter of it lies behind the ankle; chosen."""

_BRUSH = 0.03
"""Tips of toes brush so far over an edge, as a share of the leg: a foot that clears it by all of its toes, which stand
close to it, would leap up before it goes ahead; chosen."""

_EVEN = 0.03
"""Ground under a swing that is even but for this share of the leg has no edges; chosen."""


class UnderFeet(NamedTuple):
    """The ground under A agents over F frames.

    Attributes:
        grounds: of each, its height at places float64 (N, 3) near them; None for who keeps the height of a path.
        height: float64 (A, F), of the bodies [Blender units].
        size: float64 (A,), Blender units in one unit of the motion.
    """

    grounds: list[Callable[[Float64], Float64] | None]
    height: Float64
    size: Float64

    def rise(self, motion: BodyMotion, feet: Float64) -> Float64:
        """Return the height of the ground under feet over the body, float64 (A, F) [unit of the motion].

        Args:
            motion: of the agents.
            feet: float64 (A, F, 2), positions of the feet in the axes of the bodies.
        """
        agent, frame = np.divmod(np.arange(self.height.size), self.height.shape[1])
        return self._rise_at(_places(motion, feet).reshape(-1, 2), agent, frame).reshape(self.height.shape)

    def keep_off_risers(
        self, motion: BodyMotion, ball: Float64, planned: FootCorrection, leg: AnyLeg
    ) -> FootCorrection:
        """Set feet down where their soles reach into no step; arguments as of `rise_of_steps`, float64 (A, F, 3)."""
        contacts = runs_in(planned.planted)
        if not len(contacts.first) or all(ground is None for ground in self.grounds):
            return planned
        toe, heel = _ends(leg)
        points = np.append(np.linspace(-heel, 0.0, _SOLE_POINTS), np.linspace(0.0, toe, _SOLE_POINTS)[1:])
        agent, frame = np.divmod(contacts.first, self.height.shape[1])
        turn = (motion.heading + planned.twist)[agent, frame]
        along = heading_vector(turn)  # (K, 2)
        place = _places(motion, ball[..., :2] + planned.shift)[agent, frame]
        under = (place[:, None] + points[:, None] * along[:, None]).reshape(-1, 2)
        each = np.repeat(np.arange(len(agent)), len(points))
        ground = self._rise_at(under, agent[each], frame[each]).reshape(-1, len(points))
        moved = keep_off_risers(ground, points, leg=leg.length)[:, None] * along
        if not moved.any():
            return planned
        shift, (inside, number) = np.zeros((planned.planted.size, 2)), contacts.inside()
        cos, sin = motion.towards
        shift[inside] = turned(moved[number], cos.ravel()[inside], -sin.ravel()[inside])
        shift = shift.reshape(planned.shift.shape)
        fade(shift, np.zeros_like(planned.twist), planned.planted)
        return replace(planned, shift=planned.shift + shift)

    def heights_of_contacts(self, motion: BodyMotion, ball: Float64, planned: FootCorrection) -> Float64:
        """Return how high the ground is where feet are set down, float64 (C,); arguments as of `keep_off_risers`."""
        agent, frame = np.divmod(runs_in(planned.planted).first, self.height.shape[1])
        places = _places(motion, ball[..., :2] + planned.shift)[agent, frame]
        return self.height[agent, frame] / self.size[agent] + self._rise_at(places, agent, frame)

    def rise_of_steps(
        self, motion: BodyMotion, feet: Float64, planned: FootCorrection, leg: AnyLeg, *, half: int
    ) -> Float64:
        """Return as `rise`, for feet that are planned: free ones are led over edges, with toes and heels."""
        body = self.height / self.size[:, None]
        lead = partial(
            clear_edges,
            places=_places(motion, feet),
            planted=planned.planted,
            present=motion.present,
            least=_EVEN * leg.length,
            half=half,
        )
        there = body + self.rise(motion, feet)
        led = lead(there)
        if (led > there).any():
            along = heading_vector(planned.twist)
            toe, heel = _ends(leg)
            ends = [self.rise(motion, feet + way * along) for way in (toe - _BRUSH * leg.length, -heel)]
            led = lead(there, tips=body + np.maximum(*ends))
        return led - body

    def carry(self, motion: BodyMotion, legs: Sequence[AnyLeg], feet: Sequence[Float64], *, half: int) -> Float64:
        """Return how much higher bodies are carried over their feet than the ground under them, float64 (A, F).

        Args:
            motion: of the agents.
            legs: of the character.
            feet: of each leg as of `rise`.
            half: frames to both sides over which the velocity of a body changes.
        """
        body = self.height / self.size[:, None]
        frames, grounds = [], []
        for leg, own in zip(legs, feet, strict=True):
            found = find_footholds(motion, leg.stance)
            agent, frame = np.divmod(found, self.height.shape[1])
            frames.append(found)
            grounds.append(body[agent, frame] + self._rise_at(_places(motion, own)[agent, frame], agent, frame))
        carried = carry_bodies(body, Footholds(np.concatenate(frames), np.concatenate(grounds)), half=half)
        on_ground = np.array([each is not None for each in self.grounds])[:, None]
        return np.where(on_ground, carried - body, 0.0)

    def lay_soles(
        self, motion: BodyMotion, feet: Float64, planted: Bool, leg: AnyLeg, twist: Float64 | float = 0.0
    ) -> Soles:
        """Return how feet, as of `rise`, lie on the ground while they are planted, bool (A, F), and in between."""
        agent, frame = np.divmod(runs_in(planted).first, planted.shape[1])
        places = _places(motion, feet)[agent, frame]
        step, slope = _SOLE * leg.length, np.zeros((len(agent), 2))
        for axis, aside in enumerate(step * np.eye(2)):
            before, behind = (self._rise_at(places + side * aside, agent, frame) for side in (1.0, -1.0))
            slope[:, axis] = (before - behind) / (2.0 * step)
        toe, heel = _ends(leg)
        along = heading_vector((motion.heading + twist)[agent, frame])  # (C, 2)
        points = np.append(np.linspace(-heel, 0.0, _REST_POINTS), np.linspace(0.0, toe, _REST_POINTS)[1:])
        under = (places[:, None] + points[:, None] * along[:, None]).reshape(-1, 2)
        each = np.repeat(np.arange(len(agent)), len(points))
        ground = self._rise_at(under, agent[each], frame[each]).reshape(-1, len(points))
        slope, over = rest_soles(slope, along, ground, points, leg=leg.length)
        return lay_soles(motion, feet, planted, slope, over, leg=leg.length, toe=leg.stance.toe)

    def _rise_at(self, places: Float64, agent: Int64, frame: Int64) -> Float64:
        """Return the height of the ground at places (N, 2) of agents int64 (N,) at frames, over the bodies."""
        rise, height, size = np.zeros(len(places)), self.height[agent, frame], self.size[agent]
        for ground in {each for each in self.grounds if each is not None}:
            own = np.array([each is ground for each in self.grounds])[agent]
            there = np.column_stack([size[own, None] * places[own], height[own]])
            rise[own] = (ground(there) - height[own]) / size[own]
        return rise


def push_off_from(rise: Float64, feet: Float64, soles: Soles, leg: AnyLeg, joints: Float64, shift: Float64) -> Soles:
    """Return how feet lie on the ground when legs whose feet are on a lower step than their bodies reach down by heels.

    Args:
        rise: float64 (A, F), as of `rise_of_steps`.
        feet: positions of the feet in the axes of the bodies.
        soles: of feet that lie on the ground.
        leg: of the character.
        joints: float64 (J, 3, A F), of the leg in the clips.
        shift: float64 (2, A F), of the foot from there.
    """
    if not (rise < 0.0).any():
        return soles
    far = too_far(joints, (rise + soles.lift).ravel(), soles.tilt.reshape(-1, 2), leg.length, shift)
    far = np.where(rise < 0.0, far.reshape(rise.shape), 0.0)
    return push_off(soles, far, feet, length=_length_of_foot(leg) + leg.stance.toe, toe=leg.stance.toe)


def _length_of_foot(leg: AnyLeg) -> float:
    """Return how far the ball of the foot of a leg is ahead of its ankle."""
    ankles, balls = np.moveaxis(leg.table.joints[..., [ANKLE, BALL], :2], -2, 0)
    return float(length(ankles - balls).max())


def _ends(leg: AnyLeg) -> tuple[float, float]:
    """Return how far ahead of the ball of its foot the toes of a leg end, and how far behind it its heel."""
    foot = _length_of_foot(leg)
    return leg.stance.toe or max(_TOES * leg.length - foot, 0.0), foot + _HEEL * leg.length


def _places(motion: BodyMotion, feet: Float64) -> Float64:
    """Return where feet are, float64 (A, F, 2), by their positions in the axes of the bodies."""
    return motion.position + turned(feet, *motion.towards)
