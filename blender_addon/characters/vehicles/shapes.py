# SPDX-License-Identifier: GPL-3.0-or-later
"""The shapes of the built-in vehicles: bodies from side views, wheels as bodies of revolution, riders of tubes.

In metres, forwards is -Y, the ground is z = 0, the origin is under the middle. Side views are (u, z), u forwards. No
bpy here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ....core.array_types import Float64

PAINT, GLASS, TYRE, METAL, LAMP, TAIL, DARK, SKIN = range(8)
"""Materials, by their number."""


@dataclass(frozen=True)
class VehicleStyle:
    """Numbers of the models; all chosen by looking at pictures of them.

    Attributes:
        wheel_sides: sides of a wheel.
        edge_width: of the bevels [m].
        pane_offset: by which panes and lamps stand out [m].
        bicycle_wheel: radius of a bicycle's wheels [m].
        shortest: a vehicle that is shorter, relative to its model, is smaller altogether.
        narrowest: least width relative to the model.
    """

    wheel_sides: int = 20
    edge_width: float = 0.06
    pane_offset: float = 0.004
    bicycle_wheel: float = 0.33
    shortest: float = 0.7
    narrowest: float = 0.6


STYLE = VehicleStyle()

Point = tuple[float, float]
Place = tuple[float, float, float]


@dataclass(frozen=True)
class Coach:
    """A body with windows, as a side view.

    Attributes:
        outline: clockwise from the lower rear corner, without wheel arches; it crosses `belt` at two corners.
        belt: height above which the sides lean inwards [m].
        lean: inwards, per metre of height.
        width: [m].
        axles: positions of the axles, u [m].
        wheel_radius: [m].
        panes: windows of the sides.
        screens: edges of the outline that are glass, by their first corner.
        lamps: heights of the front and rear lamps [m].
    """

    outline: tuple[Point, ...]
    belt: float
    lean: float
    width: float
    axles: tuple[float, float]
    wheel_radius: float
    panes: tuple[tuple[Point, ...], ...]
    screens: tuple[int, ...]
    lamps: tuple[float, float]

    def stretched(self, along: float, across: float) -> Coach:
        """Scale length and width, but not height; the wheels stay round."""
        return replace(
            self,
            outline=tuple((along * u, z) for u, z in self.outline),
            panes=tuple(tuple((along * u, z) for u, z in pane) for pane in self.panes),
            axles=(along * self.axles[0], along * self.axles[1]),
            width=across * self.width,
        )

    def wheels(self) -> list[SeparatePart]:
        """Its four wheels."""
        width = 0.22 if self.wheel_radius < 0.4 else 0.3
        x = 0.5 * self.width - 0.5 * width - 0.01
        rear, front = self.axles
        corners = (("FL", x, front), ("FR", -x, front), ("RL", x, rear), ("RR", -x, rear))
        turned = wheel(self.wheel_radius, width)
        return [SeparatePart(f"Wheel.{name}", (side, -u, self.wheel_radius), turned) for name, side, u in corners]


@dataclass
class VehicleSurface:
    """Corners, faces and the material of each face."""

    corners: list[Place] = field(default_factory=list)
    faces: list[tuple[int, ...]] = field(default_factory=list)
    materials: list[int] = field(default_factory=list)

    def add(self, corners: ArrayLike, faces: Sequence[Sequence[int]], material: int) -> None:
        """Add faces of one material; corners float64 (N, 3)."""
        first = len(self.corners)
        self.corners += [(float(x), float(y), float(z)) for x, y, z in np.asarray(corners)]
        self.faces += [tuple(first + k for k in face) for face in faces]
        self.materials += [material] * len(faces)

    def add_tube(self, start: ArrayLike, end: ArrayLike, radii: Point, material: int, *, sides: int = 8) -> None:
        """Add a tube between two points, a radius at each [m]."""
        ends = np.asarray([start, end], dtype=np.float64)
        along = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
        across = np.cross(along, (1.0, 0.0, 0.0) if abs(along[0]) < 0.9 else (0.0, 1.0, 0.0))
        across /= np.linalg.norm(across)
        angle = 2.0 * math.pi * np.arange(sides)[:, None] / sides
        ring = np.cos(angle) * across + np.sin(angle) * np.cross(along, across)
        around = [(k, (k + 1) % sides, sides + (k + 1) % sides, sides + k) for k in range(sides)]
        caps = [tuple(reversed(range(sides))), tuple(range(sides, 2 * sides))]
        self.add(np.concatenate([ends[0] + radii[0] * ring, ends[1] + radii[1] * ring]), [*around, *caps], material)

    def add_ball(
        self, middle: Place, radius: float, material: int, *, height: float = 0.0, cap: int | None = None
    ) -> None:
        """Add a ball, or an upright spheroid of a height [m], its upper half of another material if that is given."""
        half = 0.5 * height or radius
        turns = [math.pi * k / 6.0 for k in range(7)]
        rings = [(middle[2] - half * math.cos(turn), max(radius * math.sin(turn), 0.002)) for turn in turns]
        for k, ((low, first), (high, last)) in enumerate(pairwise(rings)):
            ends = (middle[0], middle[1], low), (middle[0], middle[1], high)
            self.add_tube(*ends, (first, last), material if cap is None or k < 3 else cap, sides=12)


class SeparatePart(NamedTuple):
    """A part beside the body: the name of its object, its origin (x, y, z) [m], and its surface about that."""

    name: str
    place: Place
    surface: VehicleSurface

    def moved_out(self, share: float) -> SeparatePart:
        """The same part, so much farther from the middle."""
        x, y, z = self.place
        return self._replace(place=(share * x, y, z))


def coach_body(coach: Coach) -> VehicleSurface:
    """Model a closed body with bevels, wheel arches, windows and lamps."""
    made = VehicleSurface()
    outline = _with_arches(coach)
    half = 0.5 * coach.width
    rings = [_ring(coach, outline, half - STYLE.edge_width, 0.0), _ring(coach, _inset(outline), half, 0.0)]
    layers = [rings[1], rings[0], rings[0] * (-1.0, 1.0, 1.0), rings[1] * (-1.0, 1.0, 1.0)]
    count = len(outline)
    for low in range(3):
        quads = [(k, (k + 1) % count, count + (k + 1) % count, count + k) for k in range(count)]
        made.add(np.concatenate(layers[low : low + 2]), quads, PAINT)
    upper = [k for k, (_, z) in enumerate(outline) if z >= coach.belt - 1e-9]
    lower = [k for k, (_, z) in enumerate(outline) if z <= coach.belt + 1e-9]
    for ring, turn in ((layers[0], -1), (layers[3], 1)):
        made.add(ring, [tuple(lower[::turn]), tuple(upper[::turn])], PAINT)
    _add_panes(made, coach)
    _add_screens(made, coach)
    _add_lamps(made, coach)
    return made


def wheel(radius: float, width: float) -> VehicleSurface:
    """Model a tyre on a rim with five spokes, about the X axis."""
    made, count = VehicleSurface(), STYLE.wheel_sides
    half = 0.5 * width
    profile = [(-half, 0.64), (-half, 0.94), (-0.7 * half, 1.0), (0.7 * half, 1.0), (half, 0.94), (half, 0.64)]
    angle = 2.0 * math.pi * np.arange(count) / count
    rings = [
        np.column_stack([np.full(count, x), share * radius * np.cos(angle), share * radius * np.sin(angle)])
        for x, share in profile
    ]
    around = [(k, count + k, count + (k + 1) % count, (k + 1) % count) for k in range(count)]
    for first, second in pairwise(rings):
        made.add(np.concatenate([first, second]), around, TYRE)
    for side in (-1.0, 1.0):
        rim = rings[0] * (0.0, 1.0, 1.0) + (side * 0.8 * half, 0.0, 0.0)
        middle = np.array([[side * 0.95 * half, 0.0, 0.0]])
        sectors = [(count, k, (k + 1) % count)[:: int(side)] for k in range(count)]
        disc = np.concatenate([rim, middle])
        made.add(disc, [each for k, each in enumerate(sectors) if k % 4 < 2], METAL)  # five spokes
        made.add(disc, [each for k, each in enumerate(sectors) if k % 4 >= 2], DARK)
    return made


def spoked_wheel(radius: float) -> VehicleSurface:
    """Model the wheel of a bicycle, about the X axis."""
    made, count = VehicleSurface(), STYLE.wheel_sides
    angle = 2.0 * math.pi * np.arange(count + 1) / count
    rim = radius * 0.97 * np.column_stack([np.zeros(count + 1), np.cos(angle), np.sin(angle)])
    for start, end in pairwise(rim):
        made.add_tube(start, end, (0.02, 0.02), TYRE, sides=6)
    for end in rim[: count : count // 5]:
        made.add_tube((0.0, 0.0, 0.0), end, (0.006, 0.004), METAL, sides=4)
    made.add_tube((-0.05, 0.0, 0.0), (0.05, 0.0, 0.0), (0.025, 0.025), METAL)
    return made


def _ring(coach: Coach, outline: Sequence[Point], half: float, out: float) -> Float64:
    """Return the outline on the left side, leaning inwards above the belt: float64 (N, 3)."""
    u, z = np.asarray(outline, dtype=np.float64).T
    return np.column_stack([half + out - coach.lean * np.maximum(z - coach.belt, 0.0), -u, z])


def _with_arches(coach: Coach) -> list[Point]:
    """Cut wheel arches into the underside of the outline, which is its last edge, from front to rear."""
    radius, low = 1.16 * coach.wheel_radius, coach.outline[0][1]
    lift = coach.wheel_radius - low
    reach = math.acos(max(-1.0, min(1.0, lift / radius)))  # from straight down to where the arch meets the underside
    angle = np.linspace(reach, 2.0 * math.pi - reach, 11)
    arches = [
        [(u + radius * math.sin(a), coach.wheel_radius - radius * math.cos(a)) for a in angle]
        for u in reversed(coach.axles)
    ]
    return [*coach.outline, *arches[0], *arches[1]]


def _inset(outline: Sequence[Point]) -> list[Point]:
    """Move the outline, clockwise, inwards by the width of a bevel."""
    places = np.asarray(outline, dtype=np.float64)
    edges = np.roll(places, -1, axis=0) - places
    inwards = np.column_stack([edges[:, 1], -edges[:, 0]]) / np.linalg.norm(edges, axis=1)[:, None]
    before = np.roll(inwards, 1, axis=0)
    share = np.maximum(1.0 + (inwards * before).sum(axis=1), 0.5)
    moved = places + 0.5 * STYLE.edge_width * (inwards + before) / share[:, None]
    return [(float(u), float(z)) for u, z in moved]


def _add_panes(made: VehicleSurface, coach: Coach) -> None:
    for pane in coach.panes:
        left = _ring(coach, pane, 0.5 * coach.width, STYLE.pane_offset)
        corners = tuple(range(len(pane)))
        made.add(left, [corners[::-1]], GLASS)
        made.add(left * (-1.0, 1.0, 1.0), [corners], GLASS)


def _add_screens(made: VehicleSurface, coach: Coach) -> None:
    for first in coach.screens:
        ends = np.asarray(coach.outline[first : first + 2], dtype=np.float64)
        edge = ends[1] - ends[0]
        outwards = np.array([-edge[1], edge[0]]) / np.linalg.norm(edge)
        ends = ends + ((0.06 * edge), (-0.06 * edge)) + STYLE.pane_offset * outwards
        left = _ring(coach, [(float(u), float(z)) for u, z in ends], 0.5 * coach.width - 1.6 * STYLE.edge_width, 0.0)
        made.add(np.concatenate([left, left[::-1] * (-1.0, 1.0, 1.0)]), [(3, 2, 1, 0)], GLASS)


def _add_lamps(made: VehicleSurface, coach: Coach) -> None:
    """Two lamps at each end."""
    u = [place for place, _ in coach.outline]
    for end, height, material in ((max(u), coach.lamps[0], LAMP), (min(u), coach.lamps[1], TAIL)):
        deep = math.copysign(0.05, end)
        for side in (1.0, -1.0):
            x = side * (0.5 * coach.width - 0.3)
            near, far = -(end + math.copysign(STYLE.pane_offset, end)), -(end - deep)
            low, high = height - 0.06, height + 0.06
            box = [
                (x + a, y, z) for y in (near, far) for a, z in ((-0.15, low), (0.15, low), (0.15, high), (-0.15, high))
            ]
            faces = [(0, 1, 2, 3), (7, 6, 5, 4), (0, 4, 5, 1), (1, 5, 6, 2), (2, 6, 7, 3), (3, 7, 4, 0)]
            made.add(box, faces if end > 0.0 else [face[::-1] for face in faces], material)
