# SPDX-License-Identifier: GPL-3.0-or-later
"""A crowd as one object of instances: still poses, shown where and as everybody is by geometry nodes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import bpy
import numpy as np

from ...core.motion.blending import Strides
from . import samples
from .casting import Cast, Role
from .performances import Performances
from .playback_nodes import make_playback_nodes
from .poses import GAIT_STEP, Poses, make_poses

PEOPLE_PROPERTY = "footfall_people"
"""Custom property of a crowd's object, JSON: names of the core's crowds, each with the number of its people there."""

FRAMES_PROPERTY = "footfall_frames"
"""Custom property of a crowd's object: first and last frame of its samples."""

MODIFIER = "Footfall"


class InstanceCast(Cast):
    """The people of one crowd as instances: made aside, in no scene, until `replace_bake` shows them all at once."""

    kind = "instance"
    most = 100_000
    has_legs = False

    def write(self, performances: Performances, entries: Sequence[tuple[Role, int]]) -> Iterator[None]:
        """Make the crowd's object, with a pause wherever one is possible."""
        if not entries:
            return
        roles = [role for role, _ in entries]
        agents = np.array([agent for _, agent in entries])
        poses = self._make_poses()
        yield
        people = self._people(roles)
        templates = [self._template(role) for role in roles]
        done = performances.together(
            agents,
            strides=Strides(
                np.array([template.stride or 1.0 for template in templates]),
                np.array([template.run_stride for template in templates]),
                np.array([template.idle is not None for template in templates]),
            ),
            start_phases=np.array([self.start_phase(role) for role in roles]),
        )
        yield
        mesh = samples.make_samples_mesh(self.name, done, people)
        self._made.append((mesh, self.name))
        first = int(performances.frames[0])
        frames = first, first + len(performances.frames) - 1
        nodes = make_playback_nodes(self.name, agents=len(agents), frames=frames, poses=poses)
        self._made.append((nodes, f"Footfall {self.name}"))
        self._show(mesh, nodes, roles, frames)
        self.size += len(agents)

    def _make_poses(self) -> bpy.types.Collection:
        """The collection of all poses, in the order of their names, as the nodes count them."""
        collection = bpy.data.collections.new(f"{self.name} poses")
        self._made.append((collection, f"{self.name} poses"))
        self._poses: list[tuple[int, Poses]] = []
        made = 0
        for template in self._templates:
            poses = make_poses(template, f"{self.name} {template.names[0]}", self._scene)
            self._poses.append((made, poses))
            for mesh in poses.meshes:
                name = f"{self.name} pose {made:05d}"
                pose = bpy.data.objects.new(name, mesh)
                self._made += [(mesh, f"{name} {template.names[0]}"), (pose, name)]
                collection.objects.link(pose)
                made += 1
        return collection

    def _people(self, roles: list[Role]) -> samples.People:
        character = np.array([self._number_of_template(role) for role in roles])
        idle = [template.idle.length if template.idle is not None else 1.0 for template in self._templates]
        return samples.People(
            first_pose=np.array([_beginning(first, poses) for first, poses in self._poses])[character],
            poses=np.array([poses.count for _, poses in self._poses])[character],
            idle_cycle=np.array(idle)[character],
            scale=np.ones(len(roles)),
            colour=np.array([self._shirt(role) for role in roles]),
            variation=np.array([self._draw(role, "variation") for role in roles]),
            character=character,
            number=np.array([role.number for role in roles]),
        )

    def _show(
        self, mesh: bpy.types.Mesh, nodes: bpy.types.NodeTree, roles: list[Role], frames: tuple[int, int]
    ) -> None:
        shown = bpy.data.objects.new(self.name, mesh)
        self._made.append((shown, self.name))
        modifier: Any = shown.modifiers.new(MODIFIER, "NODES")
        modifier.node_group = nodes
        groups = [(crowd, len(list(group))) for crowd, group in groupby(role.crowd for role in roles)]
        shown[PEOPLE_PROPERTY] = json.dumps(groups)
        shown[FRAMES_PROPERTY] = frames


def _beginning(first: int, poses: Poses) -> int:
    """Where the cycle of gait 0 begins, or would begin, when the lowest begins at pose `first`."""
    return first - round(poses.lowest / GAIT_STEP) * poses.count
