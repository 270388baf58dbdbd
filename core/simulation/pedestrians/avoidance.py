# SPDX-License-Identifier: GPL-3.0-or-later
"""How people avoid each other and obstacles, each by the avoidance model of its crowd."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...array_types import Bool, Float64, Int64
from ...geometry.reproducible_math import arctan2, cos_sin, length, length2, vectors_of
from ...planning import ReferenceSet
from ...scene import MODEL_NAMES, ORCA, Flocking
from ...scene.avoidance_models import HUMAN_LIKE, POWER_LAW
from ...steering import flocking, human_like, orca
from ...steering.bodies import Bodies
from ...steering.half_planes import HalfPlanes, half_planes
from ...steering.kernels.arrays import Herds, take_rows
from ...steering.model import MODELS, AvoidanceModel
from ...steering.neighbours import NearPairs
from ...steering.power_law import ContactTimes, PowerLaw
from ..behaviours.behaviour import Step, Surroundings
from ..behaviours.door_queues import DoorQueues
from ..behaviours.precedence import find_leads
from ..settings import SimulationSettings
from ..world.agents import STOPPED, WALKING, Agents
from ..world.environment import Environment
from ..world.heroes import HeroBodies, followed_by
from .insisting import shown_on_the_way, squeezing_past
from .progress import Progress

ESCAPE = MODEL_NAMES.index(ORCA)
"""The model of people in the path of a hero and in a jam: others do not move people who prefer to stand."""

HEADINGS = MODEL_NAMES.index(HUMAN_LIKE)
"""The model of those of `ESCAPE` who make little progress in the open: half-planes lead nobody round a throng."""

FORCES = MODEL_NAMES.index(POWER_LAW)
"""The model with which people keep to it before a door, unless they insist."""

FARTHEST = 1e6
"""No drawn route is as long [m]."""


class Exempt(NamedTuple):
    """Who turns to no side before others, as known in each step.

    Attributes:
        held_up: bool (A,), who has been held up for long: not while they insist.
        on_detour: bool (A,), who leaves the drawn route for a while, round all others.
    """

    held_up: Bool
    on_detour: Bool


class Avoidance:
    """Turns preferred velocities into velocities that do not collide.

    Args:
        agents: all agents.
        environment: obstacles and heroes.
        settings: of the simulation.
        backend: name of the kernels.
        herds: for each crowd, how it keeps together, or None.
        door_queues: queues at doors; None where nobody queues.
        exempt: who turns to no side before others; None for nobody.

    Attributes:
        progress: that people have made; whoever makes the step notes it.
    """

    def __init__(
        self,
        agents: Agents,
        environment: Environment,
        settings: SimulationSettings,
        backend: str,
        herds: Sequence[Flocking | None] = (),
        door_queues: DoorQueues | None = None,
        exempt: Exempt | None = None,
    ) -> None:
        self._exempt = exempt or Exempt(*np.zeros((2, len(agents)), dtype=bool))
        self.agents, self.settings = agents, settings
        self.progress = Progress(len(agents), settings.avoidance.progress_time)
        self._door_queues = door_queues
        self._environment, self._backend = environment, backend
        self._herds = _herds(herds, agents.crowd) if any(herds) else None
        models = settings.avoidance.models
        vision = replace(models.vision, max_turn_rate=settings.max_turn_rate)
        self._model_settings = replace(models, vision=vision)
        self._models = self._make_models(backend)
        self._horizons = np.array([model.obstacle_horizon for model in self._models])

    def _make_models(self, backend: str) -> list[AvoidanceModel]:
        """Return the models, in the order of their numbers."""
        return [make(self._model_settings, backend) for make in MODELS.values()]

    def use_backend(self, backend: str) -> None:
        """Use the kernels of another backend from now on; the result is the same."""
        self._backend, self._models = backend, self._make_models(backend)

    def look_around(self, rows: Int64, time: float, dt: float) -> Surroundings:
        """Return what is round the people present during a step that begins at a time [s]."""
        position = self.agents.position.take(rows, 0)
        given = self._environment.given_bodies(position, time, dt)
        everybody = followed_by(position, given.position)
        farthest = self.settings.behaviours.overtaking.reach + 2.0 * float(self.agents.radius[rows].max(initial=0.0))
        return Surroundings(given, NearPairs(everybody, len(rows), farthest), self._is_in_heroes_path(rows, time))

    def new_velocity(self, step: Step, around: Surroundings, time: float) -> Float64:
        """Return float64 (R, 2), velocities without collision as near to the preferred ones as possible.

        Each model considers all agents, and assumes that those of other models avoid others as its own do.

        Args:
            step: after all behaviours.
            around: what is round those present at that time,
            time: from which on they take the velocities [s].
        """
        rows, preferred, dt, own = step.rows, step.preferred, step.dt, self.settings.avoidance
        slow = own.insistence_speed
        insists = step.insists & (length2(self.agents.velocity.take(rows, 0)) < slow * slow)
        numbers = self._models_of(rows, around.in_heroes_path, time)
        # Forces and headings find no way through an arch of people; in half-planes everybody makes room.
        numbers[step.jammed | step.insists] = ESCAPE
        straight = insists & self._exempt.held_up[rows]
        seen = self._bodies(rows, around.given, preferred, straight, step.paths)
        obstacles = self._obstacles(numbers, seen, time, dt)
        how = (numbers, insists, step.jammed)
        bodies = self._with_clearance(rows, around.near, preferred, seen, how, time)
        if insists.any():
            bodies = shown_on_the_way(bodies, insists, slow)
            bodies = squeezing_past(bodies, insists & step.squeezes & ~step.jammed, seen.radius, own.squeeze)
        followed = np.bincount(numbers).nonzero()[0]
        if len(followed) == 1:
            return self._models[followed[0]].new_velocity(bodies, obstacles, dt)[: len(rows)]
        found = preferred
        for number in followed:
            asked = np.zeros(len(seen.radius), dtype=bool)
            asked[: len(rows)] = some = numbers == number
            taken = self._models[number].new_velocity(bodies, obstacles, dt, asked)[: len(rows)]
            found = np.where(some[:, None], taken, found)
        return found

    def _models_of(self, rows: Int64, in_heroes_path: Bool, time: float) -> NDArray[np.int8]:
        """Return int8 (R,), the model that each follows now, by its number: right before a door that of an escape."""
        numbers = self.agents.model[rows]
        numbers[self._look_for_a_way(rows, time)] = HEADINGS
        numbers[in_heroes_path] = ESCAPE
        if self._door_queues is not None:
            numbers[self._door_queues.may_be_next(rows) & (numbers != FORCES)] = ESCAPE
        return numbers

    def _look_for_a_way(self, rows: Int64, time: float) -> Int64:
        """Return int64 (N,), who of the rows makes little progress by half-planes; between walls lanes have to do."""
        agents, settings = self.agents, self.settings.avoidance
        slow = (agents.model[rows] == ESCAPE) & (self.progress.share[rows] < settings.full_progress)
        slow &= agents.have_goals(rows) & (agents.status[rows] == WALKING) & ~agents.rolls[rows]
        if self._door_queues is not None:
            slow &= self._door_queues.distance[rows] > settings.door_distance
        some, wide = slow.nonzero()[0], settings.open_ground
        if not len(some):
            return some
        return some[self._environment.clearance(agents.position[rows[some]], time, wide, heroes=False) >= wide]

    def model_of(self, rows: Int64, agent: int, time: float) -> str:
        """Return the name of the model that one of the rows, by its number among them, follows now."""
        return MODEL_NAMES[self._models_of(rows, self._is_in_heroes_path(rows, time), time)[agent]]

    def _is_in_heroes_path(self, rows: Int64, time: float) -> Bool:
        """Return bool (R,), whether each is in the path of a hero."""
        heroes, agents = self._environment.heroes, self.agents
        horizon = self._model_settings.orca.time_horizon
        return heroes.come_upon(agents.position.take(rows, 0), agents.radius[rows], time, horizon)

    def _obstacles(self, numbers: NDArray[np.int8], seen: Bodies, time: float, dt: float) -> orca.ObstacleSegments:
        """Return all obstacles within the range of the models that some agents follow, int8 (R,) their numbers."""
        count = len(numbers)
        horizon = np.maximum(self._horizons[numbers], self._horizons[ESCAPE])
        reach = horizon * seen.max_speed[:count] + seen.radius[:count] + self.settings.avoidance.comfort
        return self._environment.orca_obstacles(time, dt, seen.position[:count], reach)

    def _bodies(
        self,
        rows: Int64,
        heroes: HeroBodies,
        preferred: Float64,
        straight: Bool | None = None,
        paths: ReferenceSet | None = None,
    ) -> Bodies:
        """Return the bodies of R agents with their final preferred velocities, followed by those of H heroes.

        Heroes, and bystanders nearby, are assumed to keep their velocities; who walks `straight` turns to no side.
        """
        agents = self.agents
        x, y = heroes.velocity.T
        room = np.where(agents.rolls[rows], self.settings.avoidance.rolling_room, 0.0)
        seen = Bodies(
            followed_by(agents.position.take(rows, 0), heroes.position),
            followed_by(agents.velocity.take(rows, 0), heroes.velocity),
            followed_by(self._with_flocking(rows, preferred), heroes.velocity),
            followed_by(agents.radius[rows] + room, heroes.radius),
            followed_by(self.settings.haste * agents.wanted_speed[rows], np.sqrt(x * x + y * y)),
            followed_by(agents.heading[rows], arctan2(y, x)),
            followed_by(agents.avoids[rows] & ~agents.firm[rows], np.zeros(len(x), dtype=bool)),
            along=followed_by(self._along(rows), np.full(len(x), np.nan)),
        )
        return replace(seen, preferred=self._with_sides(rows, seen, straight, paths))

    def _with_clearance(
        self,
        rows: Int64,
        near: NearPairs,
        preferred: Float64,
        seen: Bodies,
        how: tuple[NDArray[np.int8], Bool, Bool],
        time: float,
    ) -> Bodies:
        """Return bodies as the models expect them: with clearance, but not of who insists, and precedence.

        `how` are the numbers of their models, int8 (R,), who insists and who is jammed, bool (R,) each.
        """
        numbers, insists, jammed = how
        comfort = self._comfort(rows, seen, time)
        keeps = jammed & (self.agents.model[rows] == ESCAPE)  # those who share changes need a gap
        comfort[: len(rows)][insists & ~keeps] = 0.0
        precedence = None
        if (numbers == ESCAPE).any():
            precedence = self._precedence(rows, near, preferred, numbers, len(seen.radius))
        return replace(seen, radius=seen.radius + comfort, precedence=precedence)

    def _comfort(self, rows: Int64, seen: Bodies, time: float) -> Float64:
        """Return float64 (R + H,), the room kept round bodies; for shoulders and arms where the ground is free [m]."""
        agents, settings = self.agents, self.settings.avoidance
        comfort = np.full(len(seen.radius), settings.comfort)
        progress = (self.progress.share[rows] - settings.full_progress) / (1.0 - settings.full_progress)
        share = np.where(agents.have_goals(rows), progress, 1.0)
        walks = (agents.status[rows] == WALKING) & (agents.stop[rows] < 0) & (agents.model[rows] != FORCES)
        some = (walks & (share > 0.0) & (length2(seen.preferred[: len(rows)]) > 0.0)).nonzero()[0]
        if len(some):
            near, far = settings.shoulder_room_from
            free = self._environment.clearance(agents.position[rows[some]], time, far, heroes=False)
            comfort[some] += share[some] * (settings.shoulder_room * ((free - near) / (far - near)).clip(0.0, 1.0))
        return comfort

    def _with_flocking(self, rows: Int64, preferred: Float64) -> Float64:
        """Return preferred velocities, float64 (R, 2), changed for people whose crowd keeps together [m/s]."""
        if self._herds is None:
            return preferred
        agents, herds = self.agents, take_rows(self._herds, rows)
        max_speed = self.settings.haste * agents.wanted_speed[rows]
        bodies = Bodies(
            agents.position.take(rows, 0), agents.velocity.take(rows, 0), preferred, agents.radius[rows], max_speed
        )
        shifted = flocking.keep_together(bodies, herds, backend=self._backend)
        return np.where((herds.number >= 0)[:, None], shifted, preferred)

    def _precedence(
        self, rows: Int64, near: NearPairs, preferred: Float64, numbers: NDArray[np.int8], count: int
    ) -> Float64:
        """Return float64 (R + H,), precedence where two meet, by their models: of who is in front, else as drawn."""
        settings = self.settings.avoidance
        lead = find_leads(self.agents, rows, near, preferred, self.settings.behaviours.precedence)
        drawn = self.agents.precedence[rows]
        own = settings.precedence * (drawn + settings.weight_lead * lead).clip(-1.0, 1.0)
        # Who looks along headings takes it that others go on as they do: these make way.
        own[(numbers == HEADINGS) & (self.agents.model[rows] == ESCAPE)] = settings.precedence
        return followed_by(own, np.zeros(count - len(rows)))

    def half_planes(
        self, rows: Int64, agent: int, preferred: Float64, time: float, dt: float, paths: ReferenceSet | None = None
    ) -> HalfPlanes:
        """Return the half-planes of one of the rows, by its number among them; heroes are numbered after the rows."""
        around = self.look_around(rows, time, dt)
        seen = self._bodies(rows, around.given, preferred, None, paths)
        numbers = self._models_of(rows, around.in_heroes_path, time)
        precedence = self._precedence(rows, around.near, preferred, numbers, len(seen.radius))
        bodies = replace(seen, radius=seen.radius + self._comfort(rows, seen, time), precedence=precedence)
        return half_planes(agent, bodies, self._model_settings.orca, self._obstacles(numbers, seen, time, dt), dt)

    def headings(
        self, rows: Int64, agent: int, preferred: Float64, time: float, dt: float, paths: ReferenceSet | None = None
    ) -> human_like.Headings:
        """Return the headings from which one of the rows, by its number among them, chooses."""
        given = self._environment.given_bodies(self.agents.position.take(rows, 0), time, dt)
        seen = self._bodies(rows, given, preferred, None, paths)
        bodies = replace(seen, radius=seen.radius + self._comfort(rows, seen, time))
        settings = self._model_settings
        model = human_like.HumanLike(settings.vision, settings.human_like, backend="numpy")
        return model.headings(agent, bodies, self._obstacles(self.agents.model[rows], seen, time, dt))

    def contact_times(
        self, rows: Int64, agent: int, preferred: Float64, time: float, dt: float, paths: ReferenceSet | None = None
    ) -> ContactTimes:
        """Return when one of the rows would touch others, by numbers among the rows; heroes come after them."""
        given = self._environment.given_bodies(self.agents.position.take(rows, 0), time, dt)
        seen = self._bodies(rows, given, preferred, None, paths)
        wish = np.concatenate([preferred, seen.preferred[len(rows) :]])  # before they have chosen a side
        bodies = replace(seen, preferred=wish, radius=seen.radius + self._comfort(rows, seen, time))
        return PowerLaw(self._model_settings.power_law, "numpy").contact_times(agent, bodies)

    def _with_sides(self, rows: Int64, seen: Bodies, straight: Bool | None, paths: ReferenceSet | None) -> Float64:
        """Return preferred velocities, float64 (R + H, 2), turned aside where two would come too close [m/s].

        On drawn routes people do not turn before doors: all who walk there converge. Those who walk `straight` insist:
        others turn for them.
        """
        agents, settings = self.agents, self.settings.avoidance
        turns, radius = np.zeros(len(seen.radius), dtype=bool), seen.radius.copy()
        in_the_open = self._door_queues is None or self._door_queues.distance[rows] > settings.door_distance
        walks = agents.status[rows] != STOPPED  # who stands at a stop turns to nobody
        turns[: len(rows)] = (
            agents.avoids[rows] & walks & ~self._exempt.on_detour[rows] & (in_the_open | agents.have_goals(rows))
        )
        if straight is not None:
            turns[: len(rows)] &= ~straight
        if not turns.any():
            return seen.preferred
        radius[: len(rows)] += np.where(in_the_open, settings.share_of_space * agents.personal_space[rows], 0.0)
        wish = seen.preferred.copy()
        # As if they stood: nobody turns from those on a detour, who find their way round all others.
        wish[: len(rows)][self._exempt.on_detour[rows]] = 0.0
        bodies = Bodies(seen.position, seen.velocity, wish, radius, seen.max_speed, along=seen.along)
        turning = orca.SideTurning(
            bodies,
            neighbour_distance=settings.side_distance,
            max_neighbours=settings.side_neighbours,
            settings=settings.symmetry,
            backend=self._backend,
        )
        turned = np.where(turns[:, None], turning.turned(wish, turns), seen.preferred)
        if paths is None:
            return turned
        some, beside = self._beside_line(rows, seen.preferred[: len(rows)], turned[: len(rows)], paths)
        if len(some):
            wish[some] = beside
            returns = np.zeros(len(turns), dtype=bool)
            returns[some] = True
            turned[some] = turning.turned(wish, returns)[some]
        return turned

    def _along(self, rows: Int64) -> Float64:
        """Return float64 (R,), where each is along its drawn route, which lie far apart; NaN without one [m]."""
        agents = self.agents
        drawn = ~agents.have_goals(rows) & (agents.path[rows] >= 0)
        return np.where(drawn, agents.path[rows] * FARTHEST + agents.s[rows], np.nan)

    def _beside_line(
        self, rows: Int64, preferred: Float64, turned: Float64, paths: ReferenceSet
    ) -> tuple[Int64, Float64]:
        """Return who would return to their drawn line into somebody, from whom they turn, and velocities along it.

        int64 (N,), by their numbers among the rows, and float64 (N, 2) [m/s].
        """
        agents = self.agents
        some = (~agents.have_goals(rows) & np.logical_or(*(turned != preferred).T)).nonzero()[0]
        if not len(some):
            return some, np.zeros((0, 2))
        who = rows[some]
        cos, sin = cos_sin(paths.heading(agents.path[who], agents.s[who])[0])
        wish = preferred.take(some, 0)
        across = cos * wish[:, 1] - sin * wish[:, 0]
        off = agents.d[who] - agents.wanted_offset[who] - agents.beside[who]
        back = across * off < 0.0
        some, speed = some[back], length(wish)[back]
        return some, vectors_of(speed * cos[back], speed * sin[back])


def _herds(herds: Sequence[Flocking | None], crowd: Int64) -> Herds:
    """Return the flocking weights of each agent, as arrays (A,); each crowd is a herd."""
    rules = [herd or Flocking() for herd in herds]
    number = np.where([herd is not None for herd in herds], np.arange(len(herds)), -1)
    weights = ("separation", "alignment", "cohesion", "distance")
    each = (np.array([getattr(rule, name) for rule in rules], dtype=np.float64)[crowd] for name in weights)
    return Herds(number[crowd], *each)
