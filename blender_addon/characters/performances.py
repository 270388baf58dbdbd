# SPDX-License-Identifier: GPL-3.0-or-later
"""Converts trajectories [m], with gaps, to performances of characters [Blender units], without."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ...core import Trajectories
from ...core.array_types import Bool, Float64, Int64
from ...core.geometry.reproducible_math import length
from ...core.motion.acting.cues import SIT, STAND, Cue
from ...core.motion.acting.look_at import LOOK, nearest_of
from ...core.motion.acting.seats import Seat, find_seats, hold_seated
from ...core.motion.blending import Strides, blended_phase, find_gait, smooth_speed, stride_of
from ...core.motion.feet.uneven_ground import HIGHEST_STEP, smooth_steps
from ...core.motion.gait import distance_ahead, distance_in_steps, distance_walked, fit_steps
from ...core.motion.heading import LEAN, LeanSettings, continuous_heading, hold_absent, lean_into_bends
from ...core.report.nearest_others import find_elbow_room, find_variants
from ..bakes.sampled_crowd import Samples
from .clips.clips import WalkCycle

_EYES = 1.55  # height of the eyes of people [m]; Winter 1991
_LIFT = 0.3  # of storeys that are nearly as high, the upper carries [m]; chosen
_DROP = 1.0  # who comes over a gap deeper than this is on the same storey again behind it [m]; chosen
_CHUNK = 256  # agents: the arrays of more do not fit into the processor's cache


class HasHeights(Protocol):
    """Anything with heights, such as the ground."""

    def heights(self, xy: Float64, near_z: Float64) -> Float64:
        """Return heights at points [m]; of several storeys that of the nearest to `near_z`."""
        ...


@dataclass(frozen=True, eq=False)
class Acting:
    """What is recorded of one agent beside where it goes.

    Attributes:
        activity: int8 (F,), an index into `names`.
        names: of the activities.
        seats: on which it sits [Blender units].
    """

    activity: NDArray[np.int8]
    names: tuple[str, ...]
    seats: tuple[Seat, ...]


class PlayedClip(NamedTuple):
    """A clip that an agent plays, and when.

    Attributes:
        cue: when, and how it is blended.
        clip: the clip, from frame 0 to its length.
        is_cycle: it begins again at its end.
        phase: float64, cycles of the clip at the rows of the cue.
    """

    cue: Cue
    clip: WalkCycle
    is_cycle: bool
    phase: Float64


@dataclass(frozen=True, eq=False)
class Performance:
    """The motion of one agent, ready for keys.

    Attributes:
        frames: float64 (F,), frames of the keys.
        location: float64 (F, 3) [Blender units]; held where absent.
        heading: float64 (F,) [rad], continuous; held where absent.
        phase: float64 (F,), continuous, in cycles of the walk.
        gait: float64 (F,), 0 stands, 1 walks, 2 runs.
        present: bool (F,).
        fps: frames per second.
        lean: float64 (F,), roll to its left, into bends [rad].
        ground: heights of the ground near points float64 (N, 3), both in Blender units; None: it is level.
        size: scale relative to its character.
        acting: what it does besides walking; None: nothing is recorded of it.
        played: the clips of that, in their order.
        arms: what arms play over them for moments.
        gaze: float64 (F, 3), at what it looks [Blender units]; NaN for nowhere in particular. None: it looks ahead.
        companion: float64 (F, 3), where the nearest of its group stands [Blender units]; NaN for nobody, or None.
        look: float64 (F, 2), yaw and pitch of its head that follow from this [rad]; None: it looks ahead.
        room: float32 (S,), how near the nearest other is while it stands, see `find_elbow_room`; empty: nobody is [m].
        variants: int16 (S,), which variant of what it does it plays, see `find_variants`; empty: drawn by lot.
        pitch: float64 (F,), of a vehicle whose front is higher [rad]; None: it is level.
        road: like `ground`, of the line along which a vehicle drives; None: it walks.
    """

    frames: Float64
    location: Float64
    heading: Float64
    phase: Float64
    gait: Float64
    present: Bool
    fps: float
    lean: Float64
    ground: Callable[[Float64], Float64] | None = None
    size: float = 1.0
    acting: Acting | None = None
    played: tuple[PlayedClip, ...] = ()
    arms: tuple[PlayedClip, ...] = ()
    gaze: Float64 | None = None
    companion: Float64 | None = None
    look: Float64 | None = None
    room: NDArray[np.float32] = field(default_factory=lambda: np.empty(0, dtype=np.float32))
    variants: NDArray[np.int16] = field(default_factory=lambda: np.empty(0, dtype=np.int16))
    pitch: Float64 | None = None
    road: Callable[[Float64], Float64] | None = None

    @property
    def seated(self) -> Bool:
        """When it sits, sits down or stands up, bool (F,)."""
        found = np.zeros(len(self.frames), dtype=bool)
        for seat in self.acting.seats if self.acting is not None else ():
            found[seat.first : seat.last + 1] = True
        return found

    def speed(self, unit: float) -> Float64:
        """Return float64 (F,), how fast it moves to the next frame, 0 at the last [m/s]; `unit`: metres per unit."""
        return length(np.diff(self.location[:, :2], axis=0, append=self.location[-1:, :2])) * unit * self.fps


def carried(performances: Sequence[Performance], height: Float64, least: float = 0.0) -> list[Performance]:
    """Return the same performances with bodies that are higher by float64 (A, F), in units of their size.

    Those of which none is higher or lower by more than `least` stay.
    """
    found = list(performances)
    for agent in np.flatnonzero(np.abs(height).max(axis=1) > least).tolist():
        old = found[agent]
        found[agent] = replace(old, location=old.location + old.size * height[agent][:, None] * (0.0, 0.0, 1.0))
    return found


def lean_performances(
    performances: Sequence[Performance], amount: float, unit: float, settings: LeanSettings = LEAN
) -> list[Performance]:
    """Return the same performances leaning into bends.

    Args:
        performances: upright, over the same frames.
        amount: share of the lean that balances the centrifugal force.
        unit: metres per Blender unit.
        settings: smoothing and limit.
    """
    if not amount or not performances:
        return list(performances)
    places = np.stack([each.location[:, :2] for each in performances], axis=1)
    present = np.stack([each.present for each in performances], axis=1)
    heading = np.stack([each.heading for each in performances], axis=1)
    lean = lean_into_bends(heading, distance_walked(places * unit, present), performances[0].fps, amount, settings)
    return [replace(each, lean=own) for each, own in zip(performances, _rows(lean), strict=True)]


def find_strides(
    motion: tuple[Float64, Float64, Bool], fps: float, strides: Strides, start_phases: Float64
) -> tuple[Float64, Float64]:
    """Return phase [cycles] and gait of people, float64 (F, N), from where they are.

    Args:
        motion: places float64 (F, N, 3) [m], continuous headings float64 (F, N) [rad], and who is present, bool (F, N).
        fps: frames per second.
        strides: of their clips [m].
        start_phases: float64 (N,) [cycles].
    """
    position, heading, present = motion
    walked, ahead = distance_walked(position, present), distance_ahead(position, heading, present)
    speed, own, turning = (smooth_speed(each, fps) for each in (walked, ahead, heading))
    gait = find_gait(speed, strides, fps, own, turning)
    height = hold_absent(position[..., 2], present)
    usual = stride_of(gait, strides) / strides.steps
    phase = blended_phase(distance_in_steps(walked, own, height, usual, fps), gait, strides, start_phases)
    return fit_steps(phase, gait, (heading, present), strides, fps), gait


def heights_of(ground: HasHeights | None, unit: float) -> Callable[[Float64], Float64] | None:
    """Return a function for heights at points float64 (N, 3), in Blender units of `unit` metres, or None."""
    if ground is None:
        return None

    def heights(places: Float64) -> Float64:
        return ground.heights(places[:, :2] * unit, places[:, 2] * unit) / unit

    return heights


class Performances:
    """The performances of all agents.

    Args:
        trajectories: of all agents.
        ground: the ground; None: agents keep the height of their trajectory.
        unit: metres per Blender unit.
        key_rate: frames of keys in a frame, see `key_frames_per_frame`.
        heroes: float64 (H, F, 3), where heroes are [m]; NaN while absent.
        roads: of the crowds that drive along a line, by their names.

    Attributes:
        frames: float64 (F,), frames of the keys.
    """

    def __init__(
        self,
        trajectories: Trajectories,
        *,
        ground: HasHeights | None,
        unit: float,
        key_rate: float = 1.0,
        heroes: Float64 | None = None,
        roads: Mapping[str, HasHeights] | None = None,
    ) -> None:
        self.frames = trajectories.frames.astype(np.float64) * key_rate
        self._trajectories = trajectories
        self._fps = trajectories.fps
        self._ground = ground
        self._unit = unit
        self._roads = {name: heights_of(road, unit) for name, road in (roads or {}).items()}
        self._heroes = np.zeros((0, len(self.frames), 3)) if heroes is None else heroes

    def of(self, agents: Int64, *, strides: Strides, start_phases: Float64, looks: bool = False) -> list[Performance]:
        """Return the performances of some agents.

        Args:
            agents: int64 (N,), their rows in the trajectories.
            strides: of the clips of N agents [m].
            start_phases: float64 (N,), phase of the walk at which they start [cycles].
            looks: they turn their heads to what they look at.
        """
        of_all = vars(self._of_some(agents, strides, start_phases))
        columns: dict[str, Any] = {name: _rows(values) for name, values in of_all.items()}
        heights = heights_of(self._ground, self._unit)
        upright, own_floor = np.zeros(len(self.frames)), self._trajectories.keeps_height[agents].tolist()
        return [
            Performance(
                self.frames,
                fps=self._fps,
                lean=upright,
                ground=None if own_floor[k] else heights,
                acting=self._acting_of(agent),
                room=self._room[:, agent],
                variants=self._variants[:, agent],
                road=self._roads.get(self._trajectories.crowd_names[self._trajectories.crowd[agent]]),
                **(self._attention_of(agent) if looks else {}),
                **{key: columns[key][k] for key in columns},
            )
            for k, agent in enumerate(agents.tolist())
        ]

    @cached_property
    def _room(self) -> NDArray[np.float32]:
        """How near others are, float32 (S, A)."""
        return find_elbow_room(self._trajectories)

    @cached_property
    def _variants(self) -> NDArray[np.int16]:
        """Which variants of what they do all play, int16 (S, A)."""
        return find_variants(self._trajectories, self._room)

    def who_acts(self, agents: Int64) -> Bool:
        """Return bool (N,), which agents do more than walk and stand."""
        known = self._trajectories
        if not known.activity_names:
            return np.zeros(len(agents), dtype=bool)
        does_more = known.activity[:, agents] > known.activity_names.index(STAND)
        return np.asarray(does_more.any(axis=0))

    def _acting_of(self, agent: int) -> Acting | None:
        known = self._trajectories
        if not known.activity_names:
            return None
        activity, present = known.activity[:, agent], known.present[:, agent]
        motion = known.position[:, agent], known.seat_height[:, agent].astype(np.float64), known.heading[:, agent]
        seats = find_seats(activity == known.activity_names.index(SIT), *motion, present)
        seats = tuple([replace(seat, place=seat.place / self._unit) for seat in seats])
        return Acting(activity, known.activity_names, seats)

    def _attention_of(self, agent: int) -> dict[str, Any]:
        """What an agent looks at, and where the nearest of its group is [Blender units]."""
        known = self._trajectories
        place, gaze = known.position[:, agent], np.full((len(self.frames), 3), np.nan)
        if len(self._heroes):
            apart = self._heroes - place
            apart = np.where(np.isnan(apart[..., 0]), np.inf, length(apart[..., :2]))  # (H, F)
            nearest = apart.argmin(axis=0)
            heroes = self._heroes[nearest, np.arange(len(gaze))]
            heroes[:, 2] = place[:, 2] + _EYES
            gaze = np.where((apart.min(axis=0) < LOOK.hero)[:, None], heroes, gaze)
        if known.activity_names:
            own = known.gaze[:, agent].astype(np.float64)
            gaze = np.where(np.isnan(own), gaze, own)
        companion = None
        if known.group[agent] >= 0:
            others = np.flatnonzero((known.group == known.group[agent]) & (np.arange(len(known.group)) != agent))
            companion = nearest_of(known.position[:, others], place) / self._unit if len(others) else None
        return {"gaze": gaze / self._unit, "companion": companion}

    def samples_of(self, agents: Int64, *, strides: Strides, start_phases: Float64) -> Samples:
        """Return the performances of many agents as arrays of float32, the type of mesh attributes.

        Args:
            agents: int64 (N,), their rows in the trajectories.
            strides: of the clips of N agents [m].
            start_phases: float64 (N,) [cycles].
        """
        shape = len(self.frames), len(agents)
        location, heading, phase, gait = (
            np.empty(size, dtype=np.float32) for size in ((*shape, 3), shape, shape, shape)
        )
        found = Samples(location, heading, phase, gait, np.empty(shape, dtype=bool))
        for first in range(0, len(agents), _CHUNK):
            own = slice(first, first + _CHUNK)
            some = self._of_some(agents[own], strides.take(own, len(agents)), start_phases[own])
            for name, values in vars(some).items():
                getattr(found, name)[:, own] = values
        return found

    def _of_some(self, agents: Int64, strides: Strides, start_phases: Float64) -> Samples:
        columns, known = _columns(agents), self._trajectories
        present, position = known.present[:, columns], known.position[:, columns]
        if known.activity_names:
            sits = known.activity[:, columns] == known.activity_names.index(SIT)
            position = hold_seated(position, sits, present)
        location = hold_absent(position, present)
        if self._ground is not None:
            follows = np.flatnonzero(~known.keeps_height[columns])
            location[:, follows, 2] = heights_along(self._ground, location[:, follows])
        heading = continuous_heading(known.heading[:, columns], present)
        phase, gait = find_strides((location, heading, present), self._fps, strides, start_phases)
        if self._ground is not None:
            location[..., 2] = smooth_steps(location[..., 2], distance_walked(position, present), gait, self._fps)
        return Samples(location / self._unit if self._unit != 1.0 else location, heading, phase, gait, present)


def heights_along(ground: HasHeights, places: Float64) -> Float64:
    """Return the heights of the ground under people, float64 (F, N) [m].

    Of several storeys each takes that of the route, unless it is more than a step from where the person stood before:
    nobody sinks through a bridge or rises through its deck.

    Args:
        ground: the ground.
        places: float64 (F, N, 3), where they walk, at the heights of their routes [m].
    """
    found = ground.heights(places[..., :2].reshape(-1, 2), places[..., 2].ravel()).reshape(places.shape[:2])
    some = np.flatnonzero((np.abs(np.diff(found, axis=0)) > HIGHEST_STEP).any(axis=0))
    near = found[0, some]
    for frame in range(len(found) if len(some) else 0):
        here = found[frame, some]
        off = np.flatnonzero(np.abs(here - near) > HIGHEST_STEP)
        if len(off):
            here[off] = ground.heights(places[frame, some[off], :2], near[off] + _LIFT)
            found[frame, some] = here
        near = np.where(np.abs(here - near) > _DROP, near, here)
    return found


def _rows(values: NDArray[Any]) -> NDArray[Any]:
    """Transpose values (F, A, ...) to (A, F, ...), contiguous for each agent."""
    return np.ascontiguousarray(np.moveaxis(values, 1, 0))


def _columns(agents: Int64) -> slice | Int64:
    """Return consecutive columns as a slice, so that millions of values are not copied."""
    first, last = int(agents[0]), int(agents[-1])
    return slice(first, last + 1) if np.array_equal(agents, np.arange(first, last + 1)) else agents
