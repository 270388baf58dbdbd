# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of how a drawn line becomes a reference path.

Where no source is named, the default was chosen by trial on the curves of the tests and the example scenes.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class BendSettings:
    """How bends limit the offset d, at the bend and ahead of it.

    Attributes:
        nearest_to_centre: share of the distance to the centre of a bend that an offset may reach; below 1, so that the
            map from (s, d) to the plane stays one to one.
        least_radius: of the turn of people on the inner side of a bend [m]; where the bend itself is tighter, they come
            to its line. Share of their speed that they keep on a path of 8 m, with 0.3 m and with 1.5 m: 0.69 and 0.88
            where it turns by 35 degrees, 0.48 and 0.76 by 60 degrees.
        flattest: curvature below which a bend does not limit the offset [1/m].
        margin: distance along the path over which the limit of a bend is extended to both sides [m].
        slope: how fast the limits of d change ahead of a bend, far from it [m/m].
        rounding: length near the bend over which they change more gently [m].
        reach: distance ahead and behind that a bend can limit [m].
    """

    nearest_to_centre: float = 0.8
    least_radius: float = 1.5
    flattest: float = 1e-3
    margin: float = 0.15
    slope: float = 0.35
    rounding: float = 0.5
    reach: float = 3.5


@dataclass(frozen=True)
class ReferenceSettings:
    """How a drawn line becomes a path that can be walked.

    Attributes:
        smoothing: standard deviation of the smoothing along the line [m].
        corner_rounding: by which arcs at gentle corners may leave the line; at sharp ones less [m].
        end_chord: length of the chord that gives an open end its direction [m].
        look_ahead: distance ahead of the aim of pure pursuit; longer is softer and cuts more [m].
        max_curvature: sharpest turn [1/m].
        max_curvature_rate: largest change of curvature [1/m2].
        least_progress: share of the walked distance that counts as progress along the line in any case.
        run_out: length of table past the end of an open path, in which curvature fades out [m].
        farthest: a path that would leave the drawn line by more is turned more sharply, if that helps [m].
        sharper: how many times as sharply; each further factor only for paths that are still too far off.
        bends: limits of the offset in bends.
    """

    smoothing: float = 0.06
    corner_rounding: float = 0.0
    end_chord: float = 0.15
    look_ahead: float = 0.4
    max_curvature: float = 4.5
    max_curvature_rate: float = 15.0
    least_progress: float = 0.3
    run_out: float = 1.0
    farthest: float = 0.45
    sharper: tuple[float, ...] = (1.35, 1.7, 2.2, 3.0)
    bends: BendSettings = field(default_factory=BendSettings)
