# SPDX-License-Identifier: GPL-3.0-or-later
"""A crowd as one object of instances: still poses, shown where and as everybody is by geometry nodes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import count, groupby
from typing import Any

import bpy
import numpy as np

from ....core.array_types import Float64, Int64
from ....core.errors import FootfallError
from ....core.motion.blending import Strides
from ....core.motion.whole_steps import STEPPING, Cycles, take_steps
from ...bakes import sampled_crowd
from ...bakes.instance_crowds import FRAMES_PROPERTY, KEY_RATE_PROPERTY, PEOPLE_PROPERTY, people_made_real
from ...bakes.roles import Role
from ...blender_data.evaluation import frames_per_second, key_frames_per_frame
from ...blender_data.tags import SHARED
from ...characters.acts.stored_acts import keep_acts
from ...characters.performances import Performance, Performances
from ...characters.ready.held_feet import HeldPoses
from ...characters.ready.poses import POSE_SETTINGS, make_act_poses, make_poses
from ...characters.templates import Template
from ...settings.properties.identities import identities_of
from ..casting.cast import Cast, is_in_file
from ..casting.character_keys import in_handfuls
from .instance_acts import ActPoses, InstancedPeople, pose_acts
from .playback_nodes import make_playback_nodes, make_pose_nodes

MODIFIER = "Footfall"

_POSES = "poses"  # of one clip, among what is watched of a template
_GAITS = (_POSES, "")

_LOOKED_AT = 100  # people of a character, to find one who walks


class InstanceCast(Cast):
    """The people of one crowd as instances: made aside, in no scene, until `replace_bake` shows them all at once."""

    kind = "instance"
    most = 100_000
    has_legs = False

    _real: Cast | None = None  # makes those who have been made real characters again
    _aside: bpy.types.Collection | None = None  # holds the poses until all is made

    def __init__(self, crowd: Any, **given: Any) -> None:
        alone: dict[str, Any] = given | {"earlier": None}
        super().__init__(crowd, **alone)
        self._told: list[str] = []
        self._poses: list[tuple[int, HeldPoses]] = []
        self._with_body: list[int] = []
        self._pose_objects: list[bpy.types.Object] = []
        self._numbers = count()
        for repertoire in self._repertoires:
            repertoire.is_coarse = True
        try:
            if not self._is_empty:
                self._make_poses()
            self._ready.draw_among(self._with_body)
            self._made_real = {(role.crowd, role.number) for role in people_made_real(self._scene, self.uid)}
            if self._made_real:
                given["count"] = len(self._made_real)
                self._real = Cast(crowd, **given)
        except BaseException:
            self.discard()
            raise

    def write(self, performances: Performances, entries: Sequence[tuple[Role, int]]) -> Iterator[None]:
        """Make the crowd's object, with a pause wherever one is possible."""
        if not entries or not self._pose_objects:
            return
        roles = [role for role, _ in entries]
        agents = np.array([agent for _, agent in entries])
        characters = np.array([self._ready.number_of(role) for role in roles])
        strides, starts = self.strides_of(roles, characters.tolist()), self.start_phases(roles)
        done = performances.samples_of(agents, strides=strides, start_phases=starts)
        moves = done.location, done.heading, done.present
        take_steps(done.phase, done.gait, moves, self._cycles(strides, characters), frames_per_second(self._scene))
        self._leave_out_unused(done.gait, characters)
        people = self._people(roles, characters)
        yield
        instanced = InstancedPeople(agents, roles, characters, strides, starts)
        acting: dict[int, Performance] = {}
        given = {"draws": self._draws, "size": self._size, "make": self._make_act, "kept": acting}
        acts = pose_acts(instanced, performances, self._repertoires, done, **given)
        mesh = sampled_crowd.make_samples_mesh(self.name, done, people, acts)
        keep_acts(mesh, acting)
        self._made.append((mesh, self.name))
        frames = self._frames
        playing = {"poses": self._gather(), "key_rate": key_frames_per_frame(self._scene), "acts": acts is not None}
        trees = make_playback_nodes(f"Footfall {self.name}", agents=len(agents), frames=frames, **playing)
        self._made += trees
        self._show(mesh, trees[0][0], roles, frames)
        self.size += len(agents)
        if self._real is not None:
            yield from self._keep_real(self._real, mesh, performances, entries)
        yield
        self._look_at_feet(done, roles, people.character, performances.frames)

    def _cycles(self, strides: Strides, characters: Int64) -> Cycles:
        half, mid_stance = (np.array([getattr(held, key) for _, held in self._poses]) for key in ("step", "mid_stance"))
        return Cycles(strides, half[characters], mid_stance[characters], self._unit)

    def _look_at_feet(self, done: sampled_crowd.Samples, roles: list[Role], characters: Int64, frames: Float64) -> None:
        """Look at the feet of the first of each character who walks for a while, of some."""
        upright = np.zeros(len(frames))
        for number, template in enumerate(self._templates):
            own = np.flatnonzero(characters == number).tolist()
            if template.walk is None or not own:
                continue
            self.feet.plays |= {roles[column][:2]: template.names[0] for column in own}
            for column in own[:_LOOKED_AT] if template.names[0] not in self.feet.seen else ():
                place, heading, phase, gait = (
                    np.asarray(each[:, column], dtype=np.float64)
                    for each in (done.location, done.heading, done.phase, done.gait)
                )
                performance = Performance(
                    frames=frames,
                    location=place,
                    heading=heading,
                    phase=phase,
                    gait=gait,
                    present=done.present[:, column],
                    fps=frames_per_second(self._scene),
                    lean=upright,
                    size=self._size(roles[column]),
                )
                if self.feet.note_shown(roles[column], template, self._poses[number][1], performance):
                    break

    def _keep_real(
        self, real: Cast, mesh: bpy.types.Mesh, performances: Performances, entries: Sequence[tuple[Role, int]]
    ) -> Iterator[None]:
        """Make characters of those who were such before this bake, in the place of their instances."""
        places = [k for k, (role, _) in enumerate(entries) if (role.crowd, role.number) in self._made_real]
        for some in in_handfuls([entries[place] for place in places]):
            numbers = [self._ready.number_of(role) for role, _ in some]  # as drawn among those that have a body
            yield from real.act(performances, some, numbers)
        sampled_crowd.mark_real(mesh, np.array(places, dtype=np.int64))
        gone = len(self._made_real) - len(places)
        if gone:
            self._told.append(f"'{self.name}': {gone} of the people who were made real no longer exist")
        self._made, real._made = [*self._made, *real._made], []
        self._called |= real._called
        self.feet, self.bodies = real.feet, real.bodies

    @property
    def notices(self) -> list[str]:
        """Sentences for the user."""
        return [*super().notices, *self._told]

    def join_bake(self) -> list[bpy.types.Object]:
        """Show what was made beside what there is of the crowd's bake, without poses that no crowd shows."""
        alone = [pose for pose in self._aside.objects if pose.users == 1] if self._aside is not None else []
        gone: set[bpy.types.ID] = {block for pose in alone for block in (pose, pose.data) if block is not None}
        self._made = [each for each in self._made if each[0] not in gone]
        bpy.data.batch_remove(list(gone))
        return super().join_bake()

    def discard(self) -> None:
        """Remove all that was made and is not shown: the file is as before."""
        super().discard()
        if self._aside is not None and is_in_file(self._aside):
            bpy.data.collections.remove(self._aside)
        self._aside = None
        if self._real is not None:
            self._real.discard()

    def _make_poses(self) -> None:
        """Make the poses of all gaits as objects, in the order in which they count; only nodes speak of them."""
        self._aside = bpy.data.collections.new(f"{self.name} poses")  # what lies in a collection is not shown by a bake
        for number, template in enumerate(self._templates):
            if _GAITS not in template.watched:
                poses = make_poses(template, f"{self.name} {template.names[0]}", self._scene)
                template.watched[_GAITS] = poses.held, self._objects_of(poses.meshes, template)
            held, objects = template.watched[_GAITS]
            self._poses.append((len(self._pose_objects), held))
            self._pose_objects += objects
            if objects:
                self._with_body.append(number)
            else:
                self._told.append(f"'{template.names[0]}' has no geometry for instances and is left out")
        if not self._pose_objects:
            names = ", ".join(f"'{template.names[0]}'" for template in self._templates)
            raise FootfallError(f"{names}: no geometry for instances; add a mesh, or bake characters")

    def _objects_of(self, meshes: list[bpy.types.Mesh], template: Template) -> list[bpy.types.Object]:
        """Make objects of new poses, for all crowds of the bake that have the character."""
        assert self._aside is not None
        made = []
        for mesh in meshes:
            name = f"{self.name} pose {next(self._numbers):05d}"
            pose = bpy.data.objects.new(name, mesh)
            mesh[SHARED] = pose[SHARED] = self.uid
            self._made += [(mesh, f"{name} {template.names[0]}"), (pose, name)]
            self._aside.objects.link(pose)
            made.append(pose)
        return made

    def _leave_out_unused(self, gait: Float64, characters: Int64) -> None:
        """Leave out the poses of gaits that nobody has: each takes time at every frame.

        Args:
            gait: float32 (F, N), of the people.
            characters: int64 (N,), whom they play.
        """
        used: list[bpy.types.Object] = []
        for number, (first, held) in enumerate(self._poses):
            own = gait[:, characters == number]
            cycles = np.rint((own - held.lowest) / STEPPING.gait_step)
            low, high = (int(cycles.min()), int(cycles.max()) + 1) if cycles.size else (0, 0)
            self._poses[number] = len(used), held.keep(slice(low, high))
            used += self._pose_objects[first + low * held.count : first + high * held.count]
        self._pose_objects = used

    def _make_act(self, number: int, act: str) -> ActPoses:
        """Make the poses of one clip of a character."""
        template, clip = self._templates[number], self._repertoires[number].clip(act)
        made = template.watched  # by any crowd of the bake
        if (_POSES, act) not in made:
            phase = np.arange(clip.poses) / (clip.poses if clip.is_cycle else clip.poses - 1)
            title = f"{self.name} {template.names[0]}"
            meshes = make_act_poses(template, clip.cycle, phase, title, self._scene)
            made[_POSES, act] = self._objects_of(meshes, template)
        first = len(self._pose_objects)
        self._pose_objects += made[_POSES, act]
        return ActPoses(first, clip.poses, clip.is_cycle)

    def _gather(self) -> bpy.types.Object:
        """Make an object that has all poses as instances."""
        assert self._aside is not None
        for pose in self._pose_objects:
            if pose.vertex_groups:
                pose.vertex_groups.clear()  # a still needs no weights, which take more room than all the rest
        name = f"{self.name} all poses"
        trees = make_pose_nodes(name, self._pose_objects, together=POSE_SETTINGS.poses_per_cycle)
        self._made += trees
        mesh = bpy.data.meshes.new(name)
        self._made.append((mesh, name))
        gathered = bpy.data.objects.new(name, mesh)
        self._made.append((gathered, name))
        modifier: Any = gathered.modifiers.new(MODIFIER, "NODES")
        modifier.node_group = trees[0][0]
        self._aside.objects.link(gathered)
        return gathered

    def _people(self, roles: list[Role], character: Int64) -> sampled_crowd.SampledPeople:
        idle = [template.idle.length if template.idle is not None else 1.0 for template in self._templates]
        held = [each for _, each in self._poses]
        return sampled_crowd.SampledPeople(
            first_pose=np.array([_beginning(first, each) for first, each in self._poses])[character],
            poses=np.array([each.count for each in held])[character],
            idle_cycle=np.array(idle)[character],
            walk_way=np.array([each.ways[0] for each in held])[character],
            run_way=np.array([each.ways[1] for each in held])[character],
            still_height=np.array([each.still_height for each in held])[character],
            scale=np.array([self._size(role) for role in roles]),
            colour=np.array([self._draws.shirt(role) for role in roles]),
            variation=np.array([self._draws.draw(role, "variation") for role in roles]),
            character=character,
            number=np.array([role.number for role in roles]),
        )

    def _show(
        self, mesh: bpy.types.Mesh, nodes: bpy.types.NodeTree, roles: list[Role], frames: tuple[int, int]
    ) -> None:
        shown = bpy.data.objects.new(self.name, mesh)
        crowds: Any = self._scene.footfall.crowds  # ty: ignore[missing-attribute]
        identities = zip(crowds, identities_of(crowds), strict=True)
        known_as = next((known_as for crowd, known_as in identities if crowd.uid == self.uid), self.name)
        self._made.append((shown, known_as))  # by which what is aimed at it finds the next one, whatever that is called
        self._called[known_as] = self.name
        modifier: Any = shown.modifiers.new(MODIFIER, "NODES")
        modifier.node_group = nodes
        runs = groupby((role.crowd, role.called) for role in roles)
        groups = [(crowd, len(list(run)), called) for (crowd, called), run in runs]
        shown[PEOPLE_PROPERTY] = json.dumps(groups)
        shown[FRAMES_PROPERTY] = frames
        shown[KEY_RATE_PROPERTY] = key_frames_per_frame(self._scene)


def _beginning(first: int, held: HeldPoses) -> int:
    """Where the cycle of gait 0 begins, or would begin, when the lowest begins at pose `first`."""
    return first - round(held.lowest / STEPPING.gait_step) * held.count
