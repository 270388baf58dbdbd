# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectories of people who do something besides walking, and looks at them when they are baked."""

import dataclasses

import bpy
import numpy as np

NAMES = ("none", "stand", "talk", "listen", "phone", "sit", "cheer", "clap", "wave", "point", "look_round", "play_clip")

FRAMES, FIRST, LAST = 150, 24, 132  # who does something begins and ends so; the last sitter sits all the time
SEAT, FPS = 0.45, 24.0
ALWAYS = 9
SLIDE = 1.2  # for which somebody slides onto a seat in the recorded motion [s]


def acting(make, done, *, seat=SEAT, gaze=None):
    """Trajectories of people side by side who face +X and each do something in the same place."""
    agents = len(done)
    rows = np.arange(FRAMES)
    still = make.walk(agents=agents, frames=(1, FRAMES), speed=0.0)
    position, heading = np.zeros((FRAMES, agents, 3)), np.zeros((FRAMES, agents))
    position[..., 1] = 1.2 * np.arange(agents)
    activity = np.zeros((FRAMES, agents), dtype=np.int8)
    height = np.full((FRAMES, agents), np.nan, dtype=np.float32)
    for agent, name in enumerate(done):
        first, last = (0, FRAMES) if agent == ALWAYS or name == "stand" else (FIRST, LAST)
        activity[first:last, agent] = NAMES.index(name)
        if name == "sit":
            height[first:last, agent] = seat
            ends = np.minimum(rows - first, last - 1 - rows) if agent != ALWAYS else np.full(FRAMES, FRAMES)
            part = np.clip(ends / (SLIDE * FPS), 0.0, 1.0)
            position[:, agent, 0] -= 0.4 * part * part * (3.0 - 2.0 * part)
    looked_at = np.full((FRAMES, agents, 3), np.nan, dtype=np.float32) if gaze is None else gaze
    return dataclasses.replace(
        still,
        position=position,
        heading=heading,
        velocity=np.zeros((FRAMES, agents, 2)),
        activity=activity,
        activity_names=NAMES,
        seat_height=height,
        gaze=looked_at,
    )


def joints_of(make, movers, frames=range(1, FRAMES + 1)):
    """Where bones begin in the world, float64 (F, A, B, 3), and how they are turned, (F, A, B, 4)."""
    for each in bpy.context.scene.objects:
        each.hide_viewport = each.type == "MESH"  # nobody looks at bodies here
    places, turns = [], []
    for frame in frames:
        seen = make.all_evaluated(movers, frame)
        places.append([[(each.matrix_world @ bone.head)[:] for bone in each.pose.bones] for each in seen])
        turns.append([[bone.matrix_basis.to_quaternion()[:] for bone in each.pose.bones] for each in seen])
    return np.array(places), np.array(turns)


def points_of(mesh):
    points = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", points)
    return points.reshape(-1, 3)
