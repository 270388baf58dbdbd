# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways on which people are baked, and how far their feet slide there, measured on evaluated bones."""

import bpy
import numpy as np

FPS = 24.0
FEET = ("foot.L", "foot.R")
WAYS = {
    "everything": lambda t: (0.9 * np.sin(t), 1.3 * np.clip(np.abs(t - 5.0) - 0.6, 0.0, 1.0)),
    "bend, faster and slower": lambda t: (0.9 + 0.4 * np.sin(1.3 * t), 0.9 + 0.4 * np.sin(1.3 * t)),  # of 1 m radius
    "running": lambda t: (0.3 * np.sin(t), 2.8 + 0.0 * t),
    "stop and go": lambda t: (0.0 * t, 1.3 * np.clip(np.abs(t - 4.0) - 1.0, 0.0, 1.0)),
    "straight": lambda t: (0.0 * t, 1.3 + 0.0 * t),
    "bend": lambda t: (1.1 / 1.0 + 0.0 * t, 1.1 + 0.0 * t),
    "speeding": lambda t: (0.0 * t, 1.0 + 0.5 * np.sin(1.3 * t)),
    "walking and running": lambda t: (0.0 * t, 2.0 + 0.9 * np.sin(0.9 * t)),
}


def on_a_way(make, turn, speed, fps=FPS):
    """Trajectories of two people by turn rate [rad/s] and speed [m/s], float64 (F,), 5 m apart."""
    frames = len(speed)
    heading = 0.4 + np.concatenate([[0.0], np.cumsum((turn[1:] + turn[:-1]) / 2) / fps])
    velocity = speed[:, None] * np.stack([np.cos(heading), np.sin(heading)], axis=1)
    way = np.concatenate([[[0.0, 0.0]], np.cumsum((velocity[1:] + velocity[:-1]) / 2, axis=0) / fps])
    trajectories = make.walk(agents=2, frames=(1, frames), fps=fps)
    trajectories.position[:] = 0.0
    trajectories.position[:, 0, :2] = way
    trajectories.position[:, 1, :2] = way + np.array([0.0, 5.0])
    trajectories.velocity[:] = velocity[:, None]
    trajectories.heading[:] = heading[:, None]
    return trajectories


class Slope:
    """A ground that rises by 12 cm a metre along x."""

    def heights(self, xy, near_z):
        return 0.12 * xy[:, 0]


def balls(make, figures, frames, feet=FEET):
    """Where the balls of the feet of figures are, float64 (G, F, 2 feet, 3); their bodies are hidden meanwhile."""
    bodies = [body for figure in figures for body in figure.children_recursive if not body.hide_viewport]
    found = []
    for body in bodies:
        body.hide_viewport = body.type == "MESH"
    for frame in range(1, frames + 1):
        bpy.context.scene.frame_set(frame)
        graph = bpy.context.view_layer.depsgraph
        seen = [figure.evaluated_get(graph) for figure in figures]
        found.append([[each.matrix_world @ each.pose.bones[name].tail for name in feet] for each in seen])
    for body in bodies:
        body.hide_viewport = False
    return np.array(found).swapaxes(0, 1)


def slides(places):
    """How far each foot moves over the ground in each contact: while it is as low as it gets [m]."""
    found = []
    for foot in np.moveaxis(places, 1, 0):
        low = foot[:, 2] < foot[:, 2].min() + 0.008
        edges = np.flatnonzero(np.diff(np.concatenate([[False], low, [False]])))
        for first, end in zip(edges[::2] + 1, edges[1::2] - 1, strict=True):  # landing and leaving are no standing
            if end - first >= 3:
                contact = foot[first:end, :2]
                found.append(np.linalg.norm(contact[:, None] - contact[None], axis=2).max())
    return np.array(found)
