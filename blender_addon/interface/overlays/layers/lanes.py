# SPDX-License-Identifier: GPL-3.0-or-later
"""The lanes of all roads: directions, entries and exits of vehicles, priority where roads cross."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .....core.array_types import Float64, Int64
from .....core.errors import FootfallError
from .....core.scene import Route
from .....core.simulation.settings.vehicle_settings import CrosswalkSettings
from .....core.simulation.vehicles.crosswalks import Crosswalks
from .....core.simulation.vehicles.lane_position import driven_routes
from .....core.simulation.vehicles.road_crossings import find_road_crossings
from .....core.simulation.vehicles.roads import Roads, build_roads
from .....core.steering.traffic.right_of_way import EQUAL, MAIN, STOP, RightOfWay
from .....core.steering.traffic.settings import TrafficSettings
from ....reading import Reading
from . import marks
from .marks import Colour, Mark
from .overlay import Overlay, View


@dataclass(frozen=True)
class LaneStyle:
    """How lanes are drawn; chosen for legibility.

    Attributes:
        lift, mark_lift: height of surfaces and of marks on them above the road [m].
        arrow_length, arrow_spacing: of arrows, and from one to the next [m].
        seam: share of a lane's half width that is left free between surfaces.
        bar_width, fault_width, arrow_width: of lines [pixels].
        along, against, edge, entry, exit, crosswalk, fault: colours.
    """

    lift: float = 0.03
    mark_lift: float = 0.05
    arrow_length: float = 3.0
    arrow_spacing: float = 15.0
    seam: float = 0.12
    bar_width: float = 4.0
    along: Colour = (0.25, 0.6, 1.0, 0.25)
    against: Colour = (1.0, 0.6, 0.2, 0.25)
    edge: Colour = (0.95, 0.95, 0.95, 0.6)
    entry: Colour = (0.2, 0.95, 0.35, 1.0)
    exit: Colour = (0.85, 0.4, 1.0, 1.0)
    crosswalk: Colour = (1.0, 1.0, 1.0, 0.5)
    fault: Colour = (1.0, 0.15, 0.1, 1.0)
    fault_width: float = 3.0
    arrow_width: float = 2.5


STYLE = LaneStyle()


_RANKS: dict[int, Colour] = {
    MAIN: (0.2, 0.9, 0.3, 0.55),
    EQUAL: (1.0, 0.85, 0.1, 0.55),
    STOP: (1.0, 0.2, 0.15, 0.55),
}
_WORDS = {"main": "main road", "equal": "priority to the right", "stop": "stops"}


class _Network(NamedTuple):
    """The roads of a reading: their lanes, their crossings, the crosswalks on them."""

    roads: Roads
    crossings: RightOfWay
    walks: Crosswalks


def draw(view: View) -> list[Mark]:
    """All lanes with their directions, ends and crossings; for roads that cannot be driven on, the reason."""
    try:
        network = _network(view.reading)
    except FootfallError as error:
        return _fault(view.reading, str(error))
    if network is None:
        return []
    drawing = _Drawing(view.reading, network.roads)
    return [
        *drawing.lanes(),
        *drawing.ends(),
        *drawing.crossings(network.crossings),
        *drawing.walks(network.walks),
        *(drawing.title(view.reading.scene.routes[number]) for number in np.unique(network.roads.route)),
    ]


@lru_cache(maxsize=2)
def _network(reading: Reading) -> _Network | None:
    """The roads of a scene, None where nobody drives; made once per reading.

    Raises:
        SceneError: a road cannot be driven on.
    """
    settings = TrafficSettings()
    roads = build_roads(list(driven_routes(reading.scene)), settings.lateral_acceleration)
    if roads is None:
        return None
    crossings, _ = find_road_crossings(roads, settings)
    return _Network(roads, crossings, Crosswalks(reading.scene.crossings, roads))


def _fault(reading: Reading, words: str) -> list[Mark]:
    """The drawn curves, and the error."""
    driven = {crowd.route for crowd in reading.scene.crowds if crowd.kind == "vehicle"}
    lines = [route.points for route in reading.scene.routes if route.name in driven]
    return [
        *(
            marks.chains(line + np.array([0.0, 0.0, STYLE.lift]), STYLE.fault, width=STYLE.fault_width)
            for line in lines
        ),
        *(marks.label_above(lines[0][0], text) for text in words.splitlines()[:1]),
    ]


class _Drawing:
    """Marks on lanes: places along and across them become places in the world.

    Args:
        reading: whose ground they lie on.
        roads: whose lanes.
    """

    def __init__(self, reading: Reading, roads: Roads) -> None:
        samples = roads.samples
        self._roads, self._ground = roads, reading.ground
        self._direction = np.column_stack([samples.direction, np.zeros(len(samples.s))])
        self._normal = self._direction[:, [1, 0, 2]] * (-1.0, 1.0, 0.0)
        self._half = 0.5 * roads.width[samples.lane][:, None]
        self._first, self._count = roads.first[:-1], np.diff(roads.first)

    def lanes(self) -> list[Mark]:
        """Surfaces, edges and arrows."""
        roads, samples = self._roads, self._roads.samples
        rows, after = self._pieces(np.arange(len(samples.s)))
        along = roads.forward[samples.lane]
        colours = np.where(along[:, None], STYLE.along, STYLE.against)
        edges = [marks.segments(self._at(rows, side), self._at(after, side), STYLE.edge) for side in (-1.0, 1.0)]
        place = samples.s / STYLE.arrow_spacing
        starts = np.flatnonzero(np.diff(np.floor(place), prepend=-1.0) != 0)
        starts = starts[samples.s[starts] + STYLE.arrow_length < roads.length[samples.lane[starts]]]
        bold = np.column_stack([colours[starts, :3], np.ones(len(starts))])
        arrows = marks.arrows(
            self._at(starts, 0.0, STYLE.mark_lift),
            STYLE.arrow_length * samples.direction[starts],
            bold,
            width=STYLE.arrow_width,
        )
        return [self._surface(rows, after, colours[rows]), *edges, arrows]

    def ends(self) -> list[Mark]:
        """A bar where vehicles enter, and one where they leave, for lanes that are no loops."""
        ends = np.flatnonzero(np.isinf(self._roads.lap))
        return [
            self._bars(self._first[ends], STYLE.entry),
            self._bars(self._first[ends] + self._count[ends] - 1, STYLE.exit),
        ]

    def crossings(self, crossings: RightOfWay) -> list[Mark]:
        """The part of each lane inside a crossing, coloured by priority, with the stop line."""
        stretches = crossings.stretches
        if not len(stretches.lane):
            return []
        colours = np.array([_RANKS[int(rank)] for rank in crossings.rank])
        lines = self._bars(self._rows(stretches.lane, stretches.start - TrafficSettings().stop_line), colours)
        return [self._strips(stretches.lane, stretches.start, stretches.end, colours), lines]

    def walks(self, walks: Crosswalks) -> list[Mark]:
        """Where people cross a lane, and the line at which vehicles stop for them."""
        if not len(walks):
            return []
        lines = self._bars(self._rows(walks.lane, walks.start - CrosswalkSettings.stop_distance), STYLE.crosswalk)
        return [self._strips(walks.lane, walks.start, walks.end, np.tile(STYLE.crosswalk, (len(walks), 1))), lines]

    @staticmethod
    def title(route: Route) -> marks.Label:
        """The name of a road with its lanes and its rank, where it begins."""
        lanes = (
            f"{route.lanes} {'lane' if route.lanes == 1 else 'lanes'}{' in each direction' if route.two_way else ''}"
        )
        return marks.label_above(route.points[0], f"{route.name}: {lanes}, {_WORDS[route.priority]}")

    def _rows(self, lane: Int64, s: Float64) -> Int64:
        """The samples nearest to places, round the end of a lap too."""
        lap = self._roads.lap[lane]
        return self._roads.row(lane, np.where(np.isfinite(lap), np.mod(s, np.where(np.isfinite(lap), lap, 1.0)), s))

    def _pieces(self, rows: Int64) -> tuple[Int64, Int64]:
        """Those samples that another follows on their lane, and those that follow, round the end of a lap too."""
        lane = self._roads.samples.lane[rows]
        last = rows + 1 == self._first[lane] + self._count[lane]
        after = np.where(last, self._first[lane], rows + 1)
        there = ~last | np.isfinite(self._roads.lap[lane])
        return rows[there], after[there]

    def _strips(self, lane: Int64, start: Float64, end: Float64, colours: Float64) -> Mark:
        """Surfaces of parts of lanes."""
        first, last = self._rows(lane, start), self._rows(lane, end)
        count = np.mod(last - first, self._count[lane]) + 1
        step = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
        lanes = np.repeat(lane, count)
        rows = self._first[lanes] + np.mod(np.repeat(first, count) - self._first[lanes] + step, self._count[lanes])
        inside = step < np.repeat(count, count) - 1
        rows, after = self._pieces(rows[inside])
        return self._surface(rows, after, np.repeat(colours, count, axis=0)[inside], STYLE.mark_lift)

    def _surface(self, rows: Int64, after: Int64, colours: Float64, lift: float = STYLE.lift) -> Mark:
        """The lanes from samples to those that follow."""
        share = 1.0 - STYLE.seam
        corners = [self._at(ends, side * share, lift) for ends in (rows, after) for side in (-1.0, 1.0)]
        right, left, right_after, left_after = corners
        both = np.stack([right, right_after, left_after, right, left_after, left], axis=1)
        return marks.surface(both.reshape(-1, 3, 3), np.repeat(colours, 2, axis=0))

    def _bars(self, rows: Int64, colour: Colour | Float64) -> Mark:
        """Lines across lanes."""
        colours = np.array(np.broadcast_to(np.asarray(colour, dtype=np.float64), (len(rows), 4)))
        colours[:, 3] = 1.0
        return marks.segments(
            self._at(rows, -0.9, STYLE.mark_lift), self._at(rows, 0.9, STYLE.mark_lift), colours, width=STYLE.bar_width
        )

    def _at(self, rows: Int64, side: float, lift: float = STYLE.lift) -> Float64:
        """Places at samples, a share of the half width to the left: float64 (N, 3) [m]."""
        samples = self._roads.samples
        places = np.column_stack([samples.position[rows], samples.height[rows]])
        places = places + side * self._half[rows] * self._normal[rows]
        if self._ground is not None:
            places[:, 2] = self._ground.heights(places[:, :2], places[:, 2])
        places[:, 2] += lift
        return places


OVERLAY = Overlay(
    draw,
    legend=(
        (STYLE.along, "lane along the curve"),
        (STYLE.against, "lane against the curve"),
        (STYLE.entry, "entry of vehicles"),
        (STYLE.exit, "exit of vehicles"),
        (_RANKS[MAIN], "crossing: goes first"),
        (_RANKS[EQUAL], "crossing: priority to the right"),
        (_RANKS[STOP], "crossing: stops and waits"),
        (STYLE.crosswalk, "stops for people"),
    ),
)
