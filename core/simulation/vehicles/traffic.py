# SPDX-License-Identifier: GPL-3.0-or-later
"""The vehicles of a scene: they enter, follow, change lanes, give way at crossings, and leave.

lanes -> who is next ahead -> acceleration (IDM) -> lines not to be passed -> move -> (lane, s, d)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.reproducible_math import heading_vector
from ...scene import Crowd, Obstacle, Scene
from ...steering.traffic.car_following import advance
from ...steering.traffic.conflict_zones import HEADROOM
from ...steering.traffic.lane_order import LaneBodies
from ...steering.traffic.right_of_way import Approaching
from ...steering.traffic.settings import TrafficSettings
from ..settings.vehicle_settings import VEHICLES, VehicleSettings
from ..world.agents import ARRIVAL_DISTANCE, GONE, OUTSIDE, WALKING, PeopleOnFoot
from ..world.doing import NOBODY, AgentNumbers, Decisions, Doing
from ..world.environment import Environment
from ..world.vehicle_boxes import MovingBoxes, VehiclesNow, is_near
from .crosswalks import Crosswalks
from .driving import Driving, Leaders, Scenery, lay_out
from .driving_reasons import Ahead, StopLines, decide
from .lane_bend_notices import tell_of_bends_on_lanes
from .lane_bodies import LaneFinder, MovingOnLanes, passable, standing_on_lanes
from .lane_changes import LaneChanges
from .lane_position import driven_routes
from .road_crossings import find_road_crossings
from .roads import Roads, build_roads
from .vehicle_entrances import FreeLaneRoom, Queues, place_vehicles, set_moving
from .vehicles import Vehicles, gather_vehicles


def start_traffic(
    scene: Scene,
    environment: Environment,
    people: PeopleOnFoot,
    settings: TrafficSettings,
    own: VehicleSettings = VEHICLES,
) -> Traffic | None:
    """Return the vehicles of a scene, as they are at the first frame; None where there are none.

    Raises:
        SceneError: a road that cannot be driven on, or no room for all who are to be there.
    """
    driven = list(driven_routes(scene, own.lane_position))
    roads = build_roads(driven, settings.lateral_acceleration, own)
    if roads is None:
        return None
    vehicles = gather_vehicles(driven, roads, own)
    finder = LaneFinder(roads, own)
    obstacles = ObstaclesOnLanes(
        finder,
        standing_on_lanes(environment.ground.obstacles, environment.ground.walls, finder),
        MovingOnLanes([mover.obstacle for mover in environment.movers], environment.clock, finder),
    )
    crosswalks = Crosswalks(environment.crossings, roads, own.crosswalks)
    return Traffic(vehicles, roads, obstacles, crosswalks, people, settings, own)


class ObstaclesOnLanes(NamedTuple):
    """Obstacles that never move, and those that do, on the lanes; and what finds the lanes of people."""

    finder: LaneFinder
    standing: LaneBodies
    moving: MovingOnLanes


class Traffic:
    """All vehicles of a run.

    Args:
        vehicles: before any has entered.
        roads: their roads.
        obstacles: on the lanes.
        crosswalks: where they stop for people.
        people: pedestrians at the first frame.
        settings: of the models of driving.
        own: of entering, lanes and crossings.

    Raises:
        SceneError: there is no room for all who are to be there at the first frame.
    """

    def __init__(
        self,
        vehicles: Vehicles,
        roads: Roads,
        obstacles: ObstaclesOnLanes,
        crosswalks: Crosswalks,
        people: PeopleOnFoot,
        settings: TrafficSettings,
        own: VehicleSettings,
    ) -> None:
        self.vehicles, self.roads, self.settings, self._own = vehicles, roads, settings, own
        self._obstacles, self.crosswalks = obstacles, crosswalks
        self.crossings, self.joins = find_road_crossings(roads, settings)
        self._driving = Driving(
            self.vehicles, roads, settings, passable(self._obstacles.standing, roads), own.emergency_gap
        )
        self._changes = LaneChanges(self.vehicles, roads, settings, self._driving, self.crossings, own.lane_changes)
        self._queues = Queues(self.vehicles, roads, settings, self.joins, own.entry)
        places = FreeLaneRoom(roads, self.joins, self._blocked(people), settings.standing_gap, own.entry)
        place_vehicles(self.vehicles, roads, places)
        self._start_moving(people)
        whole = roads.length[self.vehicles.lane] - self.vehicles.length
        self._distance = np.where(vehicles.flow, whole, self._rest_of_road)
        self._parked = np.zeros(len(self.vehicles), dtype=bool)
        self._fastest = self.vehicles.speed.copy()
        self.decisions = Decisions.none(len(self.vehicles))
        self._enter(0.0, people)
        self._note_start()

    def __len__(self) -> int:
        return len(self.vehicles)

    def meets_the_same(self, obstacles: Sequence[Obstacle], walls: Sequence[Float64]) -> bool:
        """Return whether the fixed obstacles of another scene with the same roads cover the lanes as these do."""
        standing = standing_on_lanes(obstacles, walls, self._obstacles.finder)
        return all(map(np.array_equal, standing, self._obstacles.standing))

    @property
    def unhindered_time(self) -> Float64:
        """float64 (N,), time of each for its whole path alone at its wanted speed, NaN on closed roads [s]."""
        return self._time_alone(self._distance)

    @property
    def time_ahead(self) -> Float64:
        """float64 (N,), time of each for the rest of its road alone at its wanted speed, NaN on closed roads [s]."""
        return self._time_alone(self._rest_of_road)

    def _time_alone(self, distance: Float64) -> Float64:
        time = np.maximum(distance, 0.0) / self.vehicles.drivers.wanted_speed
        return np.where(self.vehicles.loops, np.nan, time)

    @property
    def _rest_of_road(self) -> Float64:
        """float64 (N,), how far each front is from the end of its road [m]."""
        vehicles = self.vehicles
        return self.roads.length[vehicles.lane] - vehicles.s - 0.5 * vehicles.length

    def advance(self, time: float, dt: float, people: PeopleOnFoot, numbers: AgentNumbers | None = None) -> None:
        """Move everybody by one time step.

        Args:
            time: at its beginning [s].
            dt: its length [s].
            people: on foot, where they are at its beginning.
            numbers: of people and vehicles in the reasons; by default vehicles are numbered after these people.
        """
        vehicles, changes = self.vehicles, self._changes
        scenery = self._enter(time, people, dt)
        rows = np.flatnonzero(vehicles.status == WALKING)
        if not len(rows):
            return
        if len(rows) != len(scenery.own.lane):
            scenery = self._scenery(rows, time, dt, people)
        wish, leaders = self._driving.follow(rows, scenery)
        lines = self._distance_to_line(rows, leaders, scenery, people, dt)
        changes.begin(rows, wish, leaders, scenery, time)
        wish = changes.make_room(rows, wish, leaders, scenery)
        vehicles.acceleration[rows] = self._driving.limited(rows, wish, leaders, lines.stop_in, dt)
        slowed = self._driving.slowed(rows, vehicles.acceleration[rows], self._own.reasons.slowed_by, dt)
        ahead = Ahead(leaders, scenery, lines)
        numbers = numbers or AgentNumbers(np.arange(len(people.radius)), len(people.radius))
        decided = decide(vehicles, rows, slowed, ahead, people, numbers, self.roads, self._own.reasons)
        self._move(rows, dt)
        np.maximum(self._fastest, vehicles.speed, out=self._fastest)
        changes.end(rows, time + dt)
        self._see_who_is_done(rows, leaders)
        decided.doing[self._parked[rows]] = Doing.ARRIVED
        self.decisions.put(rows, decided)

    @property
    def sizes(self) -> Float64:
        """float64 (N, 2), length and width of each [m]."""
        return np.stack((self.vehicles.length, self.vehicles.width), axis=1)

    def states(self, rows: Int64) -> Float64:
        """Return float64 (R, 6) of some of them: place x, y, z [m], heading [rad], velocity x, y [m/s]."""
        place, heading = self.vehicles.poses(rows, self.roads)
        velocity = self.vehicles.speed[rows, None] * heading_vector(self.vehicles.directions(rows, self.roads))
        return np.column_stack((place, heading, velocity))

    def seen_by(self, people: PeopleOnFoot) -> MovingBoxes | None:
        """Return the vehicles near people on their level, None where there are none."""
        if not len(people.radius):
            return None
        rows = np.flatnonzero(self.vehicles.present)
        sight = self._own.sight
        low, high = people.position.min(axis=0) - sight, people.position.max(axis=0) + sight
        boxes = self.vehicles.boxes(rows, self.roads)
        near = (boxes.x > low[0]) & (boxes.x < high[0]) & (boxes.y > low[1]) & (boxes.y < high[1])
        height = self.vehicles.poses(rows[near], self.roads)[0][:, 2]
        apart = np.abs(height[:, None] - people.height)
        near[near] = is_near(boxes.take(near), people.position, sight, ~(apart >= HEADROOM))
        if not near.any():
            return None
        rows = rows[near]
        moves = self.vehicles.speed[rows, None] * heading_vector(self.vehicles.directions(rows, self.roads))
        return MovingBoxes(boxes.take(near), moves)

    def now(self) -> VehiclesNow:
        """Return all vehicles as they are now."""
        vehicles = self.vehicles
        rows, place = np.flatnonzero(vehicles.present), np.full((len(vehicles), 2), np.nan)
        boxes = vehicles.boxes(rows, self.roads)
        place[rows] = np.column_stack((boxes.x, boxes.y))
        half = 0.5 * vehicles.length
        speeds = vehicles.speed, self._fastest
        return VehiclesNow(vehicles.crowd, vehicles.present, self.arrived(), place, *speeds, half)

    def arrived(self) -> Bool:
        """Return bool (N,), whether each is at the end of the road now, or has left there."""
        return self._parked | (self.vehicles.status == GONE)

    def notices(self, crowds: Sequence[Crowd], time: float) -> list[str]:
        """Return notices for the user about everything until a time [s], with the names of the crowds."""
        vehicles, notices = self.vehicles, [*self.roads.notices, *self.crosswalks.notices]
        notices += tell_of_bends_on_lanes(crowds, vehicles, self.roads, self._own.reported_slowing)
        outside = vehicles.status == OUTSIDE
        late = vehicles.entry_time > time
        for number, crowd in enumerate(crowds):
            members = vehicles.crowd == number
            for who, what in (
                (outside & ~late, "could not enter: there is no room at the start of the road."),
                (outside & late, "have not entered by the last frame."),
            ):
                count = int(np.count_nonzero(members & who))
                if count:
                    notices.append(f"{crowd.name}: {count} of {crowd.count} {what}")
        return notices

    def _start_moving(self, people: PeopleOnFoot) -> None:
        """Start vehicles that are spread over a road at the speed possible there."""
        rows = np.flatnonzero(self.vehicles.present)
        approaching = self._approaching(rows)
        to_line = self.crossings.stop_at(approaching) - approaching.front
        scenery = self._scenery(rows, 0.0, 1.0, people)
        set_moving(self.vehicles, self.roads, scenery, to_line, self.settings)

    def _blocked(self, people: PeopleOnFoot) -> LaneBodies:
        """Return where no vehicle may stand at the first frame."""
        stretches, walks, joins = self.crossings.stretches, self.crosswalks, self.joins
        own = self.roads.route[joins.lane] == self.roads.route[joins.other]  # a road that meets itself
        lane = np.concatenate((stretches.lane, walks.lane, joins.lane[own]))
        start = np.concatenate((stretches.start, walks.start, joins.start[own]))
        end = np.concatenate((stretches.end, walks.end, joins.end[own]))
        none = np.zeros(len(lane))
        free = LaneBodies(lane, start, end, none, none, none, none, np.full(len(lane), -1))
        feet = self._obstacles.finder.people(people, 0.0)
        return LaneBodies.joined(free, feet, self._obstacles.standing, self._obstacles.moving.at(0.0, 1.0))

    def _scenery(self, rows: Int64, time: float, dt: float, people: PeopleOnFoot) -> Scenery:
        moving = self._obstacles.moving.at(time, dt)
        if len(people.radius):
            feet = self._obstacles.finder.people(people, self.settings.foresight)
            moving = LaneBodies.joined(moving, feet)
        return lay_out(self.vehicles, rows, self.roads, self.joins, (self._obstacles.standing, moving), self.settings)

    def _enter(self, time: float, people: PeopleOnFoot, dt: float = 1.0) -> Scenery:
        """Let vehicles enter, and return what was on the lanes before."""
        rows = np.flatnonzero(self.vehicles.status == WALKING)
        scenery = self._scenery(rows, time, dt, people)
        if self._queues.waiting(time):
            taken = self.crossings.taken(self._approaching(rows))
            self._queues.enter(time, scenery, self.crossings, taken)
        return scenery

    def _approaching(self, rows: Int64) -> Approaching:
        vehicles = self.vehicles
        half, drivers = 0.5 * vehicles.length[rows], vehicles.drivers.take(rows)
        return Approaching(
            lane=vehicles.lane[rows],
            rear=vehicles.s[rows] - half,
            front=vehicles.s[rows] + half,
            speed=vehicles.speed[rows],
            acceleration=drivers.acceleration,
            deceleration=drivers.deceleration,
            wanted_speed=drivers.wanted_speed,
            clear_to=vehicles.clear_to[rows],
            waited=vehicles.waited[rows],
            room=vehicles.room[rows],
            flows=np.zeros(len(rows), dtype=bool),
            held_at=np.full(len(rows), np.inf),
        )

    def _distance_to_line(
        self, rows: Int64, leaders: Leaders, scenery: Scenery, people: PeopleOnFoot, dt: float
    ) -> StopLines:
        """How far each may go: to a crossing held by others, people on a marked crossing, the road's end."""
        vehicles, roads, who = self.vehicles, self.roads, self._approaching(rows)
        lane, front = who.lane, who.front
        stays = ~(vehicles.leaves[rows] | vehicles.loops[rows])
        stop = np.where(stays, roads.length[lane] - front, np.inf)
        doing, at_people = np.full(len(rows), Doing.DRIVING, dtype=np.int8), np.full(len(rows), np.inf)
        if len(self.crosswalks):
            at_people = self.crosswalks.stop_at(self.crosswalks.occupied(people), who, self.settings) - front
            doing[at_people < stop] = Doing.STOPPING_FOR_PEOPLE
            stop = np.minimum(stop, at_people)
        if not (len(self.crosswalks) or len(self.crossings)):
            return StopLines(stop, doing)
        room = self._room_behind_leaders(leaders, scenery)
        if len(self.crosswalks):
            slow = leaders.speed < self._own.crosswalks.queueing_speed
            clear = self.crosswalks.keep_clear_at(who._replace(room=np.where(slow, room, np.inf))) - front
            doing[clear < stop] = Doing.QUEUEING_IN_LANE
            stop = np.minimum(stop, clear)
        if not (len(self.crossings) or len(self.crosswalks)):
            return StopLines(stop, doing)
        beyond, behind = np.minimum(room, stop), self._stops_behind(rows, leaders)
        asking = who._replace(room=beyond, flows=leaders.speed > self.settings.waiting_speed)
        line = self._distance_to_turn(rows, asking, (at_people, behind), dt)
        if len(self.crossings):
            vehicles.room[rows] = np.minimum(beyond, line)
        line = np.where(vehicles.heeds[rows], line, np.inf)
        doing[line < stop] = Doing.GIVING_WAY
        stop = np.minimum(stop, line)
        vehicles.stop_in[rows] = np.minimum(stop, behind)
        return StopLines(stop, doing)

    def _stops_behind(self, rows: Int64, leaders: Leaders) -> Float64:
        """How far each is from where it will have to stop behind its leader, who has to stop, float64 (R,) [m]."""
        leader = self.vehicles.leader[rows]
        return np.where(leader >= 0, leaders.gap + self.vehicles.stop_in[leader] - self.settings.standing_gap, np.inf)

    def _distance_to_turn(self, rows: Int64, asking: Approaching, stops: tuple[Float64, Float64], dt: float) -> Float64:
        """How far each may go until it is its turn at a crossing of roads, or there is room behind a marked one [m].

        `stops`: how far each is from where it stops for people, and behind its leader.
        """
        vehicles, crossings, crosswalks = self.vehicles, self.crossings, self.crosswalks
        to_line, at_people, to_stop = crossings.stop_at(asking) - asking.front, stops[0], np.minimum(*stops)
        held_at = crosswalks.hold_at(asking, to_line, to_stop)
        held = np.isfinite(held_at)
        asking = asking._replace(held_at=held_at, flows=asking.flows | held & (at_people <= asking.room))
        waited = np.where(crossings.waits(asking), asking.waited + dt, 0.0)
        creeps = held & (waited > self._own.crosswalks.patience)
        cleared = np.where(creeps, asking.front + np.minimum(to_line, to_stop), asking.clear_to)
        vehicles.waited[rows] = waited
        vehicles.clear_to[rows] = crossings.grant(asking._replace(waited=waited, clear_to=cleared))
        who = self._approaching(rows)
        line = crossings.stop_at(who)
        return np.minimum(line, crosswalks.hold_at(who, line - who.front, to_stop)) - who.front

    def _note_start(self) -> None:
        """Note for those who are there at the first frame, before the first decision, that they drive as they start."""
        rows = np.flatnonzero(self.vehicles.present)
        doing = np.full(len(rows), Doing.DRIVING, dtype=np.int8)
        velocity = self.vehicles.speed[rows, None] * heading_vector(self.vehicles.directions(rows, self.roads))
        nobody = np.full(len(rows), NOBODY, dtype=np.int64)
        self.decisions.put(rows, Decisions(doing, nobody, velocity, nobody))

    def _room_behind_leaders(self, leaders: Leaders, scenery: Scenery) -> Float64:
        """How far vehicles could go if those ahead stopped where they can and must, float64 (R,) [m]."""
        vehicles, body = self.vehicles, leaders.body
        owner = np.where(body >= 0, scenery.bodies.owner[body], -1)
        vehicle = np.maximum(owner, 0)
        braking = 0.5 * leaders.speed**2 / np.where(owner >= 0, vehicles.drivers.deceleration[vehicle], np.inf)
        moves = np.where(owner >= 0, np.minimum(braking, np.maximum(vehicles.room[vehicle], 0.0)), 0.0)
        return leaders.gap + moves - self.settings.standing_gap

    def _move(self, rows: Int64, dt: float) -> None:
        vehicles = self.vehicles
        before = vehicles.speed[rows]
        distance, vehicles.speed[rows] = advance(before, vehicles.acceleration[rows], dt)
        vehicles.acceleration[rows] = (
            vehicles.speed[rows] - before
        ) / dt  # zero for standing vehicles, whatever they wanted
        s = vehicles.s[rows] + distance / vehicles.stretch(rows, self.roads)
        vehicles.s[rows] = s
        lap = self.roads.lap[vehicles.lane[rows]]
        round_ = rows[vehicles.loops[rows] & (s >= lap)]
        over = self.roads.lap[vehicles.lane[round_]]
        vehicles.s[round_] -= over
        vehicles.change_start[round_] -= over
        vehicles.clear_to[round_] -= over
        vehicles.turn(rows, self.roads)

    def _see_who_is_done(self, rows: Int64, leaders: Leaders) -> None:
        """Remove vehicles that leave at the end of the road, and park those that stop there, or behind one that did."""
        vehicles = self.vehicles
        rest = self._rest_of_road[rows]
        ends = ~vehicles.loops[rows]
        vehicles.status[rows[ends & vehicles.leaves[rows] & (rest <= 0.0)]] = GONE
        leader = vehicles.leader[rows]
        driving = self.settings
        stands = vehicles.speed[rows] < driving.standing_speed
        in_queue = leaders.gap < driving.standing_gap + driving.start_gap
        queued = (leader >= 0) & self._parked[leader] & in_queue & stands
        self._parked[rows] |= ends & ((rest <= ARRIVAL_DISTANCE) | queued)
