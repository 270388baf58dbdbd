# SPDX-License-Identifier: GPL-3.0-or-later
"""How bodies change their velocity and turn: twins of `core.steering.body_limits` and of `facing`, a loop each."""

from __future__ import annotations

import math

import numpy as np

from ..array_types import Bool, Float64, Int64
from .circular import arctan2, cos_sin
from .compiling import entry, part
from .frames import PathRows, heading_at, is_missing, numbers_of

_TURN = 2.0 * math.pi


def limit_velocity(
    velocity: Float64, wanted: Float64, limits: Float64, turn: float, dt: float, still_speed: float
) -> Float64:
    """The velocities that bodies reach, float64 (A, 2); see `body_limits`.

    Args:
        velocity: float64 (A, 2) [m/s].
        wanted: float64 (A, 2) [m/s].
        limits: float64 (3, A): of speeding up, of braking, and in any direction [m/s2].
        turn: greatest angle of the direction in the step [rad].
        dt: the step [s].
        still_speed: [m/s].
    """
    reached = np.empty_like(velocity)
    _limit(velocity, wanted, limits, np.array([turn, dt, still_speed]), reached)
    return reached


def turn_towards(heading: Float64, velocity: Float64, still_speed: Float64, turn: float) -> Float64:
    """Headings after a step in which each turns by so much at most [rad], float64 (A,); see `body_limits`."""
    turned = np.empty_like(heading)
    _turn_towards(heading, velocity, still_speed, turn, turned)
    return turned


def hold_back(facing: Float64, velocity: Float64, wanted_speed: Float64, least: Float64, numbers: Float64) -> Float64:
    """Velocities at which people walk only where they face, float64 (R, 2); see `Facing.hold_back`.

    Args:
        facing: float64 (R,) [rad].
        velocity: float64 (R, 2) [m/s].
        wanted_speed: float64 (R,) [m/s].
        least: float64 (R,) [m/s].
        numbers: float64 (3,): `cos_behind`, `cos_ahead`, `step_speed`.
    """
    held = np.empty_like(velocity)
    _hold_back(facing, velocity, wanted_speed, least, numbers, held)
    return held


def lead(
    paths: PathRows,
    rows: Int64,
    leads: Bool,
    places: tuple[Int64, Float64, Float64, Float64, Float64],
    numbers: Float64,
) -> Float64 | None:
    """By how much the paths turn within the lead time, float64 (R,) [rad]; None where rows of the paths are missing.

    Args:
        paths: their rows.
        rows: int64 (R,), of whom.
        leads: bool (R,), whose; 0 of the others.
        places: of all agents: path, s, d, end, velocity.
        numbers: float64 (3,): `lead_time`, `least_radius_share`, `greatest_lead`.
    """
    found, missing = np.zeros(len(rows)), np.zeros(1, dtype=np.bool_)
    _lead(paths, rows, leads, places, numbers, found, missing)
    return None if missing[0] else found


def turn(
    rows: Int64,
    lead: Float64,
    bodies: tuple[Float64, Float64, Float64, Bool],
    state: tuple[Float64, ...],
    wish: Float64,
    still_speed: Float64,
    numbers: Float64,
) -> None:
    """Turn people; see `Facing.turn`.

    Args:
        rows: int64 (R,), whom.
        lead: float64 (R,), by how much their paths turn [rad].
        bodies: of all agents: heading, velocity, `faces`, `rolls`.
        state: of all agents: where they face, its rate, and the same of where they want to face; is changed.
        wish: float64 (R, 2) [m/s].
        still_speed: float64 (R,) [m/s].
        numbers: float64 (7,): greatest rate [rad/s], step [s], `hurried_speed`, `full_turn_speed`, `calm_turn_rate`,
            `angular_acceleration`, and the share of a new measurement of the rate.
    """
    _turn(rows, lead, bodies, state, wish, still_speed, numbers)


def warm_up() -> None:
    """Compile."""
    one, two, none, flag = np.ones(1), np.ones((1, 2)), np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.bool_)
    paths = PathRows(one, 0.0 * one, one, none + 1, none - 1, none + 1, none - 1, none + 1, np.zeros((5, 4)))
    limit_velocity(two, two, np.ones((3, 1)), 1.0, 1.0, 1.0)
    turn_towards(one, two, one, 1.0)
    hold_back(one, two, one, one, np.ones(3))
    lead(paths, none, flag, (none, one, one, one, two), np.ones(3))
    turn(none, one, (one, two, one, flag), (one, one, one, one), two, one, np.arange(7.0))


@entry
def _limit(velocity, wanted, limits, numbers, reached):
    most, dt, still_speed = numbers[0], numbers[1], numbers[2]
    cos, sin_most = cos_sin(min(most, math.pi))
    for k in range(len(velocity)):
        now_x, now_y, to_x, to_y = velocity[k, 0], velocity[k, 1], wanted[k, 0], wanted[k, 1]
        speed, size = math.sqrt(now_x * now_x + now_y * now_y), math.sqrt(to_x * to_x + to_y * to_y)
        forward_x, forward_y = (now_x / speed, now_y / speed) if speed > 0.0 else (1.0, 0.0)
        x, y = (to_x / size, to_y / size) if size > 0.0 else (forward_x, forward_y)
        ahead, aside = forward_x * x + forward_y * y, forward_x * y - forward_y * x
        if not (speed < still_speed or ahead >= cos):
            sin = sin_most if aside > 0.0 else -sin_most
            x, y = cos * forward_x - sin * forward_y, sin * forward_x + cos * forward_y
        along = to_x * x + to_y * y
        least, greatest = max(speed - limits[1, k] * dt, 0.0), speed + limits[0, k] * dt
        along = min(max(along, least), greatest)
        change_x, change_y = along * x - now_x, along * y - now_y
        change = math.sqrt(change_x * change_x + change_y * change_y)
        share = min(limits[2, k] * dt / max(change, 1e-12), 1.0)
        if share < 1.0:
            reached[k, 0], reached[k, 1] = now_x + share * change_x, now_y + share * change_y
        else:
            reached[k, 0], reached[k, 1] = along * x, along * y


@part
def _off(angle):
    """The same angle, at most half a turn [rad]."""
    return angle - _TURN * np.rint(angle / _TURN)


@entry
def _turn_towards(heading, velocity, still_speed, most, turned):
    for k in range(len(heading)):
        x, y = velocity[k, 0], velocity[k, 1]
        off = _off(arctan2(y, x) - heading[k])
        moves = math.sqrt(x * x + y * y) >= still_speed[k]
        turned[k] = heading[k] + min(max(off, -most), most) if moves else heading[k]


@entry
def _hold_back(facing, velocity, wanted_speed, least, numbers, held):
    cos_behind, cos_ahead, step_speed = numbers[0], numbers[1], numbers[2]
    for k in range(len(facing)):
        cos, sin = cos_sin(facing[k])
        x, y = velocity[k, 0], velocity[k, 1]
        speed = max(math.sqrt(x * x + y * y), 1e-9)
        ahead = (cos * x + sin * y) / speed
        share = min(max((ahead - cos_behind) / (cos_ahead - cos_behind), 0.0), 1.0)
        most = math.inf
        if share < 1.0:
            most = step_speed + share * max(wanted_speed[k] - step_speed, 0.0)
        slower = min(1.0, max(most, least[k]) / speed)
        held[k, 0], held[k, 1] = x * slower, y * slower


@entry
def _lead(paths, rows, leads, places, numbers, found, missing):
    path_of, s_of, d_of, end_of, velocity = places
    lead_time, least, greatest = numbers[0], numbers[1], numbers[2]
    for k in range(rows.size):
        if not leads[k]:
            continue
        row = rows[k]
        number, s = path_of[row], s_of[row]
        path, low, high = numbers_of(paths, number), paths.low[number], paths.high[number]
        if is_missing(path, low, high, s, 0):
            missing[0] = True
            return
        heading, curvature = heading_at(paths.columns, path, paths.turn[number], s)
        cos, sin = cos_sin(heading)
        ahead = lead_time * max(velocity[row, 0] * cos + velocity[row, 1] * sin, 0.0)
        ahead = ahead / max(1.0 - curvature * d_of[row], least)
        there = min(s + ahead, max(end_of[row], s))
        if is_missing(path, low, high, there, 0):
            missing[0] = True
            return
        soon, _ = heading_at(paths.columns, path, paths.turn[number], there)
        found[k] = min(max(soon - heading, -greatest), greatest)


@entry
def _turn(rows, lead, bodies, state, wish, still_speed, numbers):
    heading, velocity, faces, rolls = bodies
    angle, rate, aim_before, aim_rate = state
    max_turn_rate, dt, hurried, full_speed, slowest, acceleration, new = (
        numbers[0],
        numbers[1],
        numbers[2],
        numbers[3],
        numbers[4],
        numbers[5],
        numbers[6],
    )
    step = acceleration * dt
    for k in range(rows.size):
        row, still = rows[k], still_speed[k]
        if math.isnan(angle[row]):
            angle[row] = heading[row] + lead[k]
        speed = math.sqrt(velocity[row, 0] * velocity[row, 0] + velocity[row, 1] * velocity[row, 1])
        wish2 = wish[k, 0] * wish[k, 0] + wish[k, 1] * wish[k, 1]
        face = faces[row] if speed <= still else math.nan
        moves = wish2 >= still * still or math.isfinite(face)
        preferred = face if math.isfinite(face) else arctan2(wish[k, 1], wish[k, 0]) + lead[k]
        share = min(max(max(speed, math.sqrt(wish2)) - hurried, 0.0) / (full_speed - hurried), 1.0)
        most = min(slowest + share * (max_turn_rate - slowest), max_turn_rate)
        if not moves:
            aim_before[row], aim_rate[row], preferred = math.nan, 0.0, angle[row]
        elif math.isfinite(aim_before[row]) and math.isfinite(preferred):
            change = _off(preferred - aim_before[row])
            smoothed = aim_rate[row] + new * (change / dt - aim_rate[row])
            aim_before[row], aim_rate[row] = preferred, min(max(smoothed, -most), most)
        else:
            aim_before[row], aim_rate[row] = preferred, 0.0
        if rolls[row]:
            angle[row], rate[row] = heading[row], 0.0
            continue
        rest = _off(preferred - angle[row]) - aim_rate[row] * dt
        size = abs(rest) / (step * dt)
        steps = max(math.ceil(math.sqrt(0.25 + 2.0 * size) - 0.5) * 1.0, 1.0)
        wanted = aim_rate[row] + math.copysign(step * (size / steps + 0.5 * (steps - 1.0)), rest)
        change = min(max(min(max(wanted, -most), most) - rate[row], -step), step)
        rate[row] = rate[row] + change
        angle[row] = angle[row] + rate[row] * dt
