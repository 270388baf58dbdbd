# SPDX-License-Identifier: GPL-3.0-or-later
"""How good trajectories are: arrivals, overlaps, stops, comfort; measured on the frames that are rendered.

Every figure is measured on the frames where an agent is present. Lengths are horizontal. A figure is `None` (null in
the file) if there is nothing to measure.

- `arrived`: people who have reached their goal; `arrived_elsewhere`: how many of these a trigger had sent to another
  goal: they fled, gathered, left or went elsewhere.
- `stopped_at`: how many people have been at each stop, by its name; only of scenes with stops.
- `time_ratio_mean`, `time_ratio_p95`: from first frame to arrival, over the time alone at preferred speed.
- `deepest_overlap` [m]: depth to which two bodies, discs and boxes, overlap, or 0; `deepest_overlap_at`: its
  frame and agents (array indices); `overlapping_pairs`: number of pairs that overlap at some frame. A crowd's figures
  include its pairs with others. Agents with 3.5 m or more between their heights do not overlap.
- `clipping_pairs`, `clipping_frames`: pairs of people whose bodies are seen to intersect at some frame, and the number
  of pairs and frames. In a bake, characters are seen in the clips that they play; elsewhere bodies are capsules as
  long as the reach of stride and arms: see `BodySettings`.
- `deepest_wall_penetration` [m]: largest radius less the distance to obstacles at that frame, to walls and to the
  scene's bounds, 0 when nobody touches; `deepest_wall_penetration_at`: its frame and agent. Where two obstacles
  overlap, the distance is that to the nearest edge of either. Boxes: how far their edges reach into obstacles; the
  bounds do not count, since roads lead out of them. Those on a seat do not count: the seat may be an obstacle.
- `deepest_limb_in_wall` [m], `deepest_limb_in_wall_at`: the same of people as they are seen, with their arms, legs and
  heads, in the meshes of obstacles. Only bakes measure it.
- `stopped_share`: share of agent-frames before arrival below 0.1 m/s, not counting those at a stop;
  `longest_stop` [s]: the longest time that anybody is held up: from such a frame on while slower than 0.25 m/s.
- `acceleration_mean`, `acceleration_p99` [m/s2], `jerk_p99` [m/s3]: differences of velocity between successive frames.
- `turn_rate_p99`, `turn_rate_max` [rad/s]: of the heading; `slip_mean` [rad]: between heading and velocity above
  0.2 m/s.
- `group_spread_median`, `group_spread_p95`, `group_spread_max` [m]: from people to the mean position
  of those of their group who are present and have not arrived.

`events` lists single faults, the worst first; see `events.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..array_types import Bool, Float64, Int64
from ..geometry.reproducible_math import arctan2
from ..scene import Scene
from ..trajectories import Trajectories
from .conduct import Conduct, HeldUp, find_conduct, find_creeping, find_halts, longest_of
from .contacts import MetPairs, SeenPairs, find_contacts
from .events import (
    clipping_events,
    conduct_events,
    creeping_events,
    face_off_events,
    halt_events,
    limb_events,
    overlap_events,
    ranked,
    refused_events,
    wall_events,
)
from .journeys import distances_to_middles, stay_on_purpose, time_ratios, were_sent_elsewhere
from .report_settings import REPORT, ReportSettings
from .walls import LimbDepths, WallDepths, distances, wall_depths

_IN_WALL, _LIMB_IN_WALL = "deepest_wall_penetration", "deepest_limb_in_wall"


@dataclass(eq=False)
class ReportMemory:
    """What the last report has measured, reused where motion and obstacles are unchanged.

    Attributes:
        of_motion: figures that depend on nothing but the motion.
        walls: depths to which people reach into obstacles.
        settings: with which both were measured.
    """

    of_motion: _OfMotion | None = None
    walls: WallDepths | None = None
    settings: ReportSettings | None = None


def make_report(
    trajectories: Trajectories,
    scene: Scene,
    *,
    refused: Mapping[int, str] | None = None,
    memory: ReportMemory | None = None,
    seen: SeenPairs | None = None,
    limbs: LimbDepths | None = None,
    settings: ReportSettings = REPORT,
) -> dict[str, Any]:
    """Measure trajectories.

    Args:
        trajectories: what to measure.
        scene: what they were simulated in.
        refused: agents without a route, and the reasons: `Simulation.refused`.
        memory: of the last report; updated. The report is the same without it.
        seen: pairs of characters that are seen to intersect; without it, bodies are guessed from the trajectories.
        limbs: who is seen in obstacles; None: it is not known.
        settings: what is measured and listed.

    Returns:
        `"total"` and `"crowds": {name: ...}` with the figures that the module names, `"notices"`, `"events"`,
        `"events_left_out": {kind: number}`, and `"motion"`, the SHA-256 of the trajectories; plain JSON.
    """
    memory = memory or ReportMemory()
    if memory.settings != settings:
        memory.of_motion, memory.walls, memory.settings = None, None, settings
    motion, everyone, known = trajectories.digest(), ~_left_out(trajectories, scene), memory.of_motion
    groups = [everyone, *(everyone & (trajectories.crowd == number) for number in range(len(trajectories.crowd_names)))]
    if known is None or known.motion != motion or not np.array_equal(known.everyone, everyone):
        known = _of_motion(trajectories, groups, motion, settings)
    walls = wall_depths(trajectories, scene, memory.walls, box_spacing=settings.box_spacing)
    memory.of_motion, memory.walls = known, walls
    if seen is not None:
        clipping = _visible(seen.instead_of(known.clipping), trajectories.fps, settings)
        figures = [each | _clipping_figures(clipping, of) for each, of in zip(known.figures, groups, strict=True)]
        known = replace(known, clipping=clipping, figures=figures)
    worst = walls.worst()
    in_walls = [(_IN_WALL, *worst), *([(_LIMB_IN_WALL, limbs.depth, limbs.frame)] if limbs is not None else [])]
    total, *crowds = (
        figures | {key: value for each in in_walls for key, value in _depth_figures(*each, of).items()}
        for figures, of in zip(known.figures, groups, strict=True)
    )
    return {
        "total": total,
        "crowds": dict(zip(trajectories.crowd_names, crowds, strict=True)),
        "notices": list(trajectories.notices),
        "motion": motion,
        **_events(trajectories, scene, known, (worst, limbs), refused or {}, settings),
    }


def _left_out(t: Trajectories, scene: Scene) -> Bool:
    """Return bool (A,), agents whom the user removed; they are not counted."""
    left_out = np.zeros(len(t.radius), dtype=bool)
    names = {crowd.name: np.array(crowd.absent, dtype=np.int64) for crowd in scene.crowds}
    for number, name in enumerate(t.crowd_names):
        left_out[np.flatnonzero(t.crowd == number)[names.get(name, [])]] = True
    return left_out


def _events(
    t: Trajectories,
    scene: Scene,
    known: _OfMotion,
    walls: tuple[tuple[Float64, Int64], LimbDepths | None],
    refused: Mapping[int, str],
    settings: ReportSettings,
) -> dict[str, Any]:
    found = overlap_events(t, known.overlaps, settings)
    found += clipping_events(t, known.clipping, found, settings)
    found += wall_events(t, *walls[0], settings)
    found += limb_events(t, walls[1], settings) if walls[1] is not None else []
    conduct = conduct_events(t, known.conduct, refused, _free_at(t, scene, settings.conduct.room_ahead), settings)
    facing = face_off_events(t, known.face_offs, settings)
    waits, told = known.conduct.waits, [*conduct, *facing]
    told += halt_events(t, known.halts, waits, refused, settings, known=told)
    found += [*told, *creeping_events(t, known.creeping, waits, refused, settings, known=told)]
    found += refused_events(t, known.longest_stop, known.stop_frame, refused, settings)
    events, left_out = ranked(found, settings)
    return {"events": events, "events_left_out": left_out}


def _free_at(t: Trajectories, scene: Scene, room: float) -> Callable[[Int64, Int64, Float64], Bool]:
    """Return a function that says whether bodies could stand at a distance from where they are [m].

    It takes N frames, N agents and the direction of each, float64 (N, 2), and returns bool (N,).
    """

    def is_free(row: Int64, agents: Int64, direction: Float64) -> Bool:
        if not len(row):
            return np.zeros(0, dtype=bool)
        length = np.maximum(np.hypot(direction[:, 0], direction[:, 1]), 1e-9)
        places = t.position[row, agents, :2] + room * direction / length[:, None]
        return distances(t, scene, row, places) >= t.radius[agents]

    return is_free


@dataclass(frozen=True, eq=False)
class _OfMotion:
    """The part of a report that depends on motion alone.

    Attributes:
        motion: digest of the trajectories.
        everyone: bool (A,), agents that are counted.
        figures: of everyone, and of each crowd; without contact with walls.
        overlaps, clipping: pairs that overlap, and that are seen to intersect, each at its worst.
        conduct: what each does that is conspicuous.
        face_offs: pairs that stand in each other's way.
        halts, creeping: times that agents are held up, and that they creep.
        longest_stop: float64 (A,) [s]; stop_frame: int64 (A,), its first frame.
    """

    motion: str
    everyone: Bool
    figures: Sequence[dict[str, Any]]
    overlaps: MetPairs
    clipping: MetPairs
    conduct: Conduct
    face_offs: MetPairs
    halts: HeldUp
    creeping: HeldUp
    longest_stop: Float64
    stop_frame: Int64


def _of_motion(t: Trajectories, groups: Sequence[Bool], motion: str, settings: ReportSettings) -> _OfMotion:
    """Measure the motion of everyone, bool (A,), the first of groups, and of each of the others."""
    measured = _measure(t, settings)
    total = _figures(measured, groups[0])
    figures = [total if np.array_equal(of, groups[0]) else _figures(measured, of) for of in groups]
    return _OfMotion(
        motion=motion,
        everyone=groups[0],
        figures=figures,
        overlaps=measured.overlaps,
        clipping=measured.clipping,
        conduct=measured.conduct,
        face_offs=measured.face_offs,
        halts=measured.halts,
        creeping=measured.creeping,
        longest_stop=measured.longest_stop,
        stop_frame=measured.stop_frame,
    )


@dataclass(frozen=True, eq=False)
class _Measured:
    """Measures of each agent's motion.

    Attributes:
        arrived, elsewhere: bool (A,), whether each has arrived, and whether a trigger had sent them elsewhere.
        at_stop: by the name of the stop, bool (A,), whether each has been at a stop there.
        time_ratio: float64 (A,), NaN where not known.
        overlaps, clipping: pairs that overlap, and that are seen to intersect, each at its worst.
        conduct: what each does that is conspicuous.
        face_offs: pairs that stand in each other's way.
        halts, creeping: times that agents are held up, and that they creep.
        stopped: bool (F, A); on_the_way: bool (F, A), present and not arrived; longest_stop: float64 (A,) [s];
            stop_frame: int64 (A,), its first frame.
        acceleration, jerk, turn_rate, slip, group_spread: float64 (.., A), NaN where not measured.
    """

    arrived: Bool
    elsewhere: Bool
    at_stop: dict[str, Bool]
    time_ratio: Float64
    overlaps: MetPairs
    clipping: MetPairs
    conduct: Conduct
    face_offs: MetPairs
    halts: HeldUp
    creeping: HeldUp
    stopped: Bool
    on_the_way: Bool
    longest_stop: Float64
    stop_frame: Int64
    acceleration: Float64
    jerk: Float64
    turn_rate: Float64
    slip: Float64
    group_spread: Float64


def _measure(t: Trajectories, settings: ReportSettings) -> _Measured:
    present = t.present
    velocity = np.where(present[:, :, None], t.velocity, np.nan)
    heading = np.where(present, t.heading, np.nan)
    speed = np.hypot(velocity[..., 0], velocity[..., 1])
    on_the_way = present & ~t.arrived
    at_stop = stay_on_purpose(t)
    stopped = on_the_way & (speed < settings.standing_speed) & ~at_stop
    acceleration = np.diff(velocity, axis=0) * t.fps  # (F - 1, A, 2)
    jerk = np.diff(acceleration, axis=0) * t.fps  # (F - 2, A, 2)
    pause, moves = round(settings.pause * t.fps), on_the_way & ~at_stop
    halts = find_halts(stopped, moves & (speed < settings.held_up_speed), pause)
    longest_stop, stop_row = longest_of(halts, len(t.radius))
    contacts = find_contacts(t, settings)
    return _Measured(
        arrived=t.arrived_frame >= 0,
        elsewhere=were_sent_elsewhere(t),
        at_stop={name: _have_been(t, at_stop, name) for name in t.stop_names},
        time_ratio=time_ratios(t),
        overlaps=contacts.overlaps,
        clipping=_visible(contacts.clipping, t.fps, settings),
        conduct=find_conduct(t, contacts, stopped, at_stop, settings.conduct),
        face_offs=contacts.face_offs,
        halts=halts,
        creeping=find_creeping(t, speed, moves, settings),
        stopped=stopped,
        on_the_way=on_the_way,
        longest_stop=longest_stop / t.fps,
        stop_frame=t.frames[stop_row] if len(t.frames) else stop_row,
        acceleration=np.hypot(acceleration[..., 0], acceleration[..., 1]),
        jerk=np.hypot(jerk[..., 0], jerk[..., 1]),
        turn_rate=np.abs(_wrapped(np.diff(heading, axis=0))) * t.fps,
        slip=np.where(
            speed > settings.moving_speed,
            np.abs(_wrapped(heading - arctan2(velocity[..., 1], velocity[..., 0]))),
            np.nan,
        ),
        group_spread=distances_to_middles(t, on_the_way),
    )


def _figures(measured: _Measured, of: Bool) -> dict[str, Any]:
    """Sum up the agents `of`, bool (A,)."""
    on_the_way = np.count_nonzero(measured.on_the_way[:, of])
    return {
        "agents": int(np.count_nonzero(of)),
        "arrived": int(np.count_nonzero(measured.arrived[of])),
        "arrived_elsewhere": int(np.count_nonzero((measured.arrived & measured.elsewhere)[of])),
        **_stop_figures(measured.at_stop, of),
        "time_ratio_mean": _mean(measured.time_ratio[of]),
        "time_ratio_p95": _percentile(measured.time_ratio[of], 95),
        **_overlap_figures(measured.overlaps, of),
        **_clipping_figures(measured.clipping, of),
        **_depth_figures(_IN_WALL, np.zeros(len(of)), np.zeros(len(of), dtype=np.int64), of),
        "stopped_share": float(np.count_nonzero(measured.stopped[:, of]) / on_the_way) if on_the_way else None,
        "longest_stop": float(np.max(measured.longest_stop[of], initial=0.0)),
        "acceleration_mean": _mean(measured.acceleration[:, of]),
        "acceleration_p99": _percentile(measured.acceleration[:, of], 99),
        "jerk_p99": _percentile(measured.jerk[:, of], 99),
        "turn_rate_p99": _percentile(measured.turn_rate[:, of], 99),
        "turn_rate_max": _largest(measured.turn_rate[:, of]),
        "slip_mean": _mean(measured.slip[:, of]),
        "group_spread_median": _percentile(measured.group_spread[:, of], 50),
        "group_spread_p95": _percentile(measured.group_spread[:, of], 95),
        "group_spread_max": _largest(measured.group_spread[:, of]),
    }


def _have_been(t: Trajectories, at_stop: Bool, stop: str) -> Bool:
    """Return bool (A,), who is at some frame at a stop of that name; stops of several crowds may have the same."""
    there = [number for number, name in enumerate(t.stop_names) if name == stop]
    return np.asarray((at_stop & np.isin(t.stop, there)).any(axis=0))


def _stop_figures(at_stop: dict[str, Bool], of: Bool) -> dict[str, Any]:
    return {"stopped_at": {name: int(np.count_nonzero(who[of])) for name, who in at_stop.items()}} if at_stop else {}


def _overlap_figures(overlaps: MetPairs, of: Bool) -> dict[str, Any]:
    concerned = np.flatnonzero(of[overlaps.agents].any(axis=1))
    if not len(concerned):
        return {"deepest_overlap": 0.0, "deepest_overlap_at": None, "overlapping_pairs": 0}
    worst = concerned[np.argmax(overlaps.depth[concerned])]
    return {
        "deepest_overlap": float(overlaps.depth[worst]),
        "deepest_overlap_at": {"frame": int(overlaps.frame[worst]), "agents": overlaps.agents[worst].tolist()},
        "overlapping_pairs": len(concerned),
    }


def _visible(clipping: MetPairs, fps: float, settings: ReportSettings) -> MetPairs:
    """Return those pairs that intersect by more than a touch."""
    return clipping.where((clipping.depth >= settings.least_clipping) | (clipping.frames >= fps))


def _clipping_figures(clipping: MetPairs, of: Bool) -> dict[str, int]:
    concerned = of[clipping.agents].any(axis=1)
    return {"clipping_pairs": int(concerned.sum()), "clipping_frames": int(clipping.frames[concerned].sum())}


def _depth_figures(name: str, depth: Float64, frame: Int64, of: Bool) -> dict[str, Any]:
    concerned = np.flatnonzero(of & (depth > 0.0))
    if not len(concerned):
        return {name: 0.0, f"{name}_at": None}
    worst = concerned[np.argmax(depth[concerned])]
    return {name: float(depth[worst]), f"{name}_at": {"frame": int(frame[worst]), "agent": int(worst)}}


def _wrapped(angle: Float64) -> Float64:
    """Return angles in [-pi, pi)."""
    return (angle + np.pi) % (2.0 * np.pi) - np.pi


def _mean(values: Float64) -> float | None:
    measured = values[np.isfinite(values)]
    return float(np.mean(measured)) if len(measured) else None


def _largest(values: Float64) -> float | None:
    measured = values[np.isfinite(values)]
    return float(np.max(measured)) if len(measured) else None


def _percentile(values: Float64, percent: float) -> float | None:
    measured = values[np.isfinite(values)]
    return float(np.percentile(measured, percent)) if len(measured) else None
