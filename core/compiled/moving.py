# SPDX-License-Identifier: GPL-3.0-or-later
"""How bodies move in a step: twins of `core.simulation.movement.movement`, `facing` and `core.steering.body_limits`."""

from __future__ import annotations

import math

import numpy as np

from ..array_types import Bool, Float64, Int64
from .circular import arctan2, cos_sin
from .compiling import each_row, part, run_over
from .frames import PathRows, Search, follow_one, heading_at, is_missing, numbers_of

_TURN = 2.0 * math.pi


def reach(rows: Int64, wanted: Float64, bodies: tuple, intents: tuple, arrived: int, numbers: Float64) -> Float64:
    """Set the velocities that people reach, and return where these bring them, float64 (R, 2) [m].

    Args:
        rows: int64 (R,), whom; nobody who rolls.
        wanted: float64 (R, 2) [m/s].
        bodies: of all agents: position, velocity, which is changed, where they face, wanted speed, and status.
        intents: of all agents: grip [m/s2], who is in danger, who hurries, and who is at a door.
        arrived: the status of who has arrived.
        numbers: float64 (14,): greatest acceleration and deceleration, those of who hurries, that of who makes room
            [m/s2], `standing_speed` [m/s], greatest angle of the step [rad], the step [s], `STILL_SPEED`,
            `cos_back`, `cos_behind`, `cos_ahead`, `step_speed`, `side_step_speed`.
    """
    position = np.empty((len(rows), 2))
    run_over(len(rows), _reach_all, rows, wanted, bodies, intents, (arrived, numbers), position)
    return position


def turn(
    paths: PathRows,
    rows: Int64,
    bodies: tuple,
    state: tuple[Float64, ...],
    wishes: tuple[Float64, Float64, Bool],
    statuses: tuple[int, int, int],
    settings: tuple[Float64, tuple[int, int, float]],
) -> Bool:
    """Turn people and project them onto their paths; see `Movement`.

    Args:
        paths: their rows.
        rows: int64 (R,), whom.
        bodies: of all agents: path, s, d, end, position, velocity, heading, `faces`, `rolls`, status; s, d and heading
            are changed.
        state: of all agents: where they face, its rate, and the same of where they want to face; is changed.
        wishes: of all agents: preferred velocities, those without the others [m/s], and who is at a door.
        statuses: of who walks, has arrived, and is at a stop.
        settings: float64 (18,): greatest rate [rad/s], step [s], `hurried_speed`, `full_turn_speed`, `calm_turn_rate`,
            `angular_acceleration`, the share of a new measurement of the rate, `lead_time`, `least_radius_share`,
            `greatest_lead`, `standing_speed`, `sidling_speed`, `LEAST_STRETCH`, `side_step_speed`, `door_turn_rate`,
            `aside_speed`, `side_weight`, `cos_behind`; and how the feet of normals are searched.

    Returns:
        bool (R,), for whom rows of the paths are missing: of them nothing is changed.
    """
    missing, numbers = np.zeros(len(rows), dtype=np.bool_), (statuses, settings[0], Search(*settings[1]))
    run_over(len(rows), _turn_all, paths, rows, bodies, (state, wishes), numbers, missing)
    return missing


def warm_up() -> None:
    """Compile."""
    one, two, none, flag = np.ones(1), np.ones((1, 2)), np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.bool_)
    paths = PathRows(one, 0.0 * one, one, none + 1, none - 1, none + 1, none - 1, none + 1, np.zeros((5, 4)))
    status = none.astype(np.int8)
    reach(none, two, (two, two.copy(), one, one, status), (one, flag, flag, flag), 1, np.ones(14))
    bodies = none, one, one, one, two, two, one, one, flag, status
    state = one.copy(), one.copy(), one.copy(), one.copy()
    turn(paths, none, bodies, state, (two, two, flag), (0, 1, 2), (np.arange(18.0), (10, 40, 1e-6)))


@each_row(takes=0.08)
def _reach_all(begin, end, rows, wanted, bodies, intents, settings, reached):
    arrived, numbers = settings
    position, velocity, facing, wanted_speed, status = bodies
    grip, in_danger, hurries, at_door = intents
    standing_speed, dt = numbers[5], numbers[7]
    cos, sin_most = cos_sin(min(numbers[6], math.pi))
    for k in range(begin, end):
        row = rows[k]
        now_x, now_y = velocity[row, 0], velocity[row, 1]
        speed = math.sqrt(now_x * now_x + now_y * now_y)
        hardest, brakes = (numbers[2], numbers[3]) if hurries[row] else (numbers[0], numbers[1])
        if status[row] == arrived and not in_danger[row]:
            hardest = numbers[4]
            if speed < standing_speed:
                brakes = numbers[4]
        x, y = _limited(
            now_x, now_y, wanted[k, 0], wanted[k, 1], (hardest, brakes, grip[row], dt, numbers[8], cos, sin_most)
        )
        least = math.inf if in_danger[row] else speed - brakes * dt
        steps = numbers[9], numbers[10], numbers[11], numbers[12], numbers[13] if at_door[row] else numbers[12]
        slower = _share_ahead(x, y, facing[row], wanted_speed[row], least, steps)
        x, y = x * slower, y * slower
        velocity[row, 0], velocity[row, 1] = x, y
        reached[k, 0], reached[k, 1] = position[row, 0] + x * dt, position[row, 1] + y * dt


@part
def _limited(now_x, now_y, to_x, to_y, limits):
    """The velocity nearest to a wanted one that a body reaches: see `body_limits.limit_velocity`."""
    hardest, brakes, grip, dt, still_speed, cos, sin_most = limits
    speed, size = math.sqrt(now_x * now_x + now_y * now_y), math.sqrt(to_x * to_x + to_y * to_y)
    forward_x, forward_y = (now_x / speed, now_y / speed) if speed > 0.0 else (1.0, 0.0)
    x, y = (to_x / size, to_y / size) if size > 0.0 else (forward_x, forward_y)
    ahead, aside = forward_x * x + forward_y * y, forward_x * y - forward_y * x
    if not (speed < still_speed or ahead >= cos):
        sin = sin_most if aside > 0.0 else -sin_most
        x, y = cos * forward_x - sin * forward_y, sin * forward_x + cos * forward_y
    least = max(speed - brakes * dt, 0.0)
    along = min(max(to_x * x + to_y * y, least), speed + hardest * dt)
    change_x, change_y = along * x - now_x, along * y - now_y
    change = math.sqrt(change_x * change_x + change_y * change_y)
    share = min(grip * dt / max(change, 1e-12), 1.0)
    if share < 1.0:
        return now_x + share * change_x, now_y + share * change_y
    return along * x, along * y


@part
def _share_ahead(x, y, facing, wanted_speed, least, settings):
    """The share of a velocity at which people walk only where they face: see `Facing.hold_back`."""
    cos_back, cos_behind, cos_ahead, step_speed, side_step_speed = settings
    cos, sin = cos_sin(facing)
    speed = max(math.sqrt(x * x + y * y), 1e-9)
    ahead = (cos * x + sin * y) / speed
    share = min(max((ahead - cos_behind) / (cos_ahead - cos_behind), 0.0), 1.0)
    most = math.inf
    if share < 1.0:
        aside = min(max((ahead - cos_back) / (cos_behind - cos_back), 0.0), 1.0)
        most = step_speed + (side_step_speed - step_speed) * aside
        most = most + share * max(wanted_speed - most, 0.0)
    return min(1.0, max(most, least) / speed)


@part
def _off(angle):
    """The same angle, at most half a turn [rad]."""
    return angle - _TURN * np.rint(angle / _TURN)


@part
def _turned(heading, x, y, still_speed, most):
    """A heading after a step in which it turns by so much at most: see `body_limits.turn_towards`."""
    if not math.sqrt(x * x + y * y) >= still_speed:
        return heading
    return heading + min(max(_off(arctan2(y, x) - heading), -most), most)


@part
def _lead(columns, path, ends, place, velocity, numbers):
    """By how much a path turns within the lead time, and whether rows are missing: see `Facing`."""
    (turn, low, high), (s, d, end) = ends, place
    if is_missing(path, low, high, s, 0):
        return 0.0, True
    heading, curvature = heading_at(columns, path, turn, s)
    cos, sin = cos_sin(heading)
    ahead = numbers[7] * max(velocity[0] * cos + velocity[1] * sin, 0.0)
    ahead = ahead / max(1.0 - curvature * d, numbers[8])
    there = min(s + ahead, max(end, s))
    if is_missing(path, low, high, there, 0):
        return 0.0, True
    soon, _ = heading_at(columns, path, turn, there)
    return min(max(soon - heading, -numbers[9]), numbers[9]), False


@each_row(takes=1.0)
def _turn_all(begin, end, paths, rows, bodies, changes, settings, missing):
    path_of, s_of, d_of, end_of, position, velocity, heading, faces, rolls, status = bodies
    (state, (preferred, along_path, at_door)), ((walking, arrived, stopped), numbers, search) = changes, settings
    max_turn_rate, dt = numbers[0], numbers[1]
    for k in range(begin, end):
        row, now, lead = rows[k], status[rows[k]], 0.0
        x, y = velocity[row, 0], velocity[row, 1]
        s, d = s_of[row], d_of[row]
        if now == walking:
            number = path_of[row]
            path, ends = numbers_of(paths, number), (paths.turn[number], paths.low[number], paths.high[number])
            place = s, d, position[row, 0], position[row, 1]
            s, d, missing[k] = follow_one(paths.columns, path, ends, place, (x, y), (dt, numbers[12]), search)
            if not (missing[k] or rolls[row]):
                lead, missing[k] = _lead(paths.columns, path, ends, (s, d, end_of[row]), (x, y), numbers)
            if missing[k]:
                continue
            s_of[row], d_of[row] = s, d
        still = numbers[11] if now in (arrived, stopped) else numbers[10]
        if not rolls[row]:
            heading[row] = _turned(heading[row], x, y, still, max_turn_rate * dt)
        wish_x, wish_y = x, y
        sidling2 = numbers[13] * numbers[13] if at_door[row] else numbers[11] * numbers[11]
        if x * x + y * y < sidling2:  # people who are held up do not turn with each small step
            wish_x, wish_y = preferred[row, 0], preferred[row, 1]
            if wish_x * wish_x + wish_y * wish_y < sidling2:
                wish_x, wish_y = along_path[row, 0], along_path[row, 1]
        if at_door[row]:
            wish_x, wish_y = _beside(wish_x, wish_y, along_path[row], state[0][row], numbers[15:])
        moves = x, y, wish_x, wish_y, still, at_door[row]
        _swing(row, lead, moves, (heading[row], faces[row], rolls[row]), state, numbers)
        if now == stopped and not rolls[row]:
            heading[row] = state[0][row]


@part
def _beside(x, y, along_path, facing, settings):
    """What people close to a door turn to, at most to the side of their way: see `Facing.wish`."""
    (aside_speed, side_weight, cos_behind), speed = settings, math.sqrt(x * x + y * y)
    if x * along_path[0] + y * along_path[1] >= 0.0 or speed >= aside_speed:
        return x, y
    size = math.sqrt(along_path[0] * along_path[0] + along_path[1] * along_path[1])
    ahead_x, ahead_y = along_path[0] / size, along_path[1] / size
    cos, sin = cos_sin(facing)
    looks = side_weight * speed * (-ahead_y * cos + ahead_x * sin) + (-ahead_y * x + ahead_x * y)
    beside = math.sqrt(1.0 - cos_behind * cos_behind)
    beside = -beside if looks < 0.0 else beside
    return speed * (beside * -ahead_y - cos_behind * ahead_x), speed * (beside * ahead_x - cos_behind * ahead_y)


@part
def _swing(row, lead, moves, body, state, numbers):
    """Turn a body towards where it will walk in a moment: see `Facing.turn`."""
    angle, rate, aim_before, aim_rate = state
    (x, y, wish_x, wish_y, still, at_door), (heading, faces, rolls) = moves, body
    max_turn_rate, dt, hurried, full_speed, slowest = numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
    step, new = numbers[5] * dt, numbers[6]
    if math.isnan(angle[row]):
        angle[row] = heading + lead
    speed, wish2 = math.sqrt(x * x + y * y), wish_x * wish_x + wish_y * wish_y
    face = faces if speed <= still else math.nan
    turns = wish2 >= still * still or math.isfinite(face)
    preferred = face if math.isfinite(face) else arctan2(wish_y, wish_x) + lead
    share = min(max(max(speed, math.sqrt(wish2)) - hurried, 0.0) / (full_speed - hurried), 1.0)
    most = slowest + share * (max_turn_rate - slowest)
    most = min(numbers[14] if at_door else most, max_turn_rate)
    if not turns:
        aim_before[row], aim_rate[row], preferred = math.nan, 0.0, angle[row]
    elif math.isfinite(aim_before[row]) and math.isfinite(preferred):
        change = _off(preferred - aim_before[row])
        smoothed = aim_rate[row] + new * (change / dt - aim_rate[row])
        aim_before[row], aim_rate[row] = preferred, min(max(smoothed, -most), most)
    else:
        aim_before[row], aim_rate[row] = preferred, 0.0
    if rolls:
        angle[row], rate[row] = heading, 0.0
        return
    rest = _off(preferred - angle[row]) - aim_rate[row] * dt
    size = abs(rest) / (step * dt)
    steps = max(math.ceil(math.sqrt(0.25 + 2.0 * size) - 0.5) * 1.0, 1.0)
    wanted = aim_rate[row] + math.copysign(step * (size / steps + 0.5 * (steps - 1.0)), rest)
    rate[row] = rate[row] + min(max(min(max(wanted, -most), most) - rate[row], -step), step)
    angle[row] = angle[row] + rate[row] * dt
