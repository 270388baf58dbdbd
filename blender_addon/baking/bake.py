# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole bake: read the scene, simulate it, write keyframed characters; in slices, and all or nothing.

Everything new is made outside of all scenes until the end, when it replaces the old bake at once. An error or a cancel
before that leaves the file as it was.
"""

from __future__ import annotations

import json
import time
from collections.abc import Generator, Hashable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core import Trajectories
from ...core.errors import Fault, SceneError
from ...core.motion.acting.look_at import places_of
from ...core.report import make_report
from ...core.report.comparison import moved_alike
from ...core.report.nearest_others import find_room_to_obstacles
from ...core.simulation import Simulation
from ..bakes import ownership
from ..bakes.edited_people import ASK, OVERWRITE, keep_or_refuse, let_go, let_go_of_lost, list_handwork
from ..bakes.stored_reasons import store_reasons
from ..blender_data.evaluation import key_frames_per_frame
from ..characters.choice import KnownTemplates
from ..characters.performances import Performances
from ..characters.ready.cast_table import CastEntry, note_cast
from ..reading import Reading, read_scene
from ..reading.objects.findings import with_object_names
from ..settings.cast_rows import WIDE_BODIES
from ..settings.crowd.crowd import CHARACTERS, INSTANCES
from ..settings.problems import list_problems
from ..settings.properties.identities import identities_of
from ..settings.scene_settings import ensure_identities
from .bake_memory import BakeMemory, CharacterKeys, key_of
from .baked_motion import pack_reasons
from .casting.cast import Cast
from .casting.vehicle_tilt import roads_of
from .explained_errors import errors_explained
from .instances.instance_cast import InstanceCast
from .people_of_bake import PeopleOfBake
from .reporting import complete_report, originals_among
from .seen_clipping import SeenBefore, bodies_of, find_seen_clipping
from .seen_in_obstacles import find_seen_in_obstacles
from .summary import describe_changes, describe_map, describe_people, describe_reuse, describe_unit

SIMULATING, WRITING, FINISHED, CANCELLED = "Simulating", "Writing", "Finished", "Cancelled"
CASTS = {CHARACTERS: Cast, INSTANCES: InstanceCast}


@dataclass(frozen=True, eq=False)
class BakeResult:
    """The result of a bake.

    Attributes:
        summary: one sentence for the user.
        report: the figures of `core.report`, with the notices of every stage.
        trajectories: the motion.
        reading: the scene as read.
        characters: number of characters made.
        seconds: duration [s].
    """

    summary: str
    report: dict[str, Any]
    trajectories: Trajectories
    reading: Reading
    characters: int
    seconds: float


class BakeJob:
    """A bake in slices.

    Args:
        scene: what to bake.
        crowd: name of the crowd to write; the others are simulated too. None: all are written.
        backend: kernels of the simulation, `auto`, `numpy` or `numba`.
        edited: what to do with people who were edited by hand, see `bakes.edited_people`.
        memory: of the last bake of the scene, which this one reuses and replaces; None: nothing is reused.

    Attributes:
        scene: what is baked, whichever scene a window shows meanwhile.
        stage: what is being done, in one word.
        fraction: share of the work that is done, 0 to 1.

    Raises:
        FootfallError: an input cannot be read or used; the file is as before.
    """

    _simulating_share = 0.85  # of the whole time; chosen by trial on the example scenes

    def __init__(
        self,
        scene: bpy.types.Scene,
        *,
        crowd: str | None = None,
        backend: str = "auto",
        edited: str = ASK,
        memory: BakeMemory | None = None,
    ) -> None:
        self._began = time.perf_counter()
        self.scene = scene
        self._memory = memory or BakeMemory()
        self._result: BakeResult | None = None
        self._casts: dict[int, Cast] = {}
        self._edited, self._may_be_edited = edited, False
        self.stage = SIMULATING
        self.fraction = 0.0
        self._noted: set[bpy.types.Object] = set()  # new in the cast table
        ensure_identities(scene)
        indices = _indices_to_write(scene, crowd)
        settings: Any = scene.footfall  # ty: ignore[missing-attribute]
        self._kept, self._unchanged = keep_or_refuse(scene, [settings.crowds[index] for index in indices], edited)
        try:
            self._reading = read_scene(scene)
            with errors_explained():
                templates, character_keys = KnownTemplates(), CharacterKeys()
                for index in indices:
                    self._casts[index] = self._cast(index, templates, None if edited == OVERWRITE else character_keys)
                if self._note_wide():
                    self._reading = read_scene(scene)
                self._simulation = self._simulate(backend)
        except BaseException:
            self._discard()
            raise
        self._work = self._run()

    @property
    def frame(self) -> int:
        """The last simulated frame."""
        return self._simulation.frame

    @property
    def result(self) -> BakeResult:
        """The result.

        Raises:
            RuntimeError: the bake has not ended.
        """
        if self._result is None:
            raise RuntimeError("the bake has not ended")
        return self._result

    def run_for(self, seconds: float) -> bool:
        """Work for about this time.

        Args:
            seconds: after which to return [s].

        Returns:
            Whether the bake is finished.

        Raises:
            FootfallError: it cannot be baked; the file is as before.
        """
        deadline = time.perf_counter() + seconds
        try:
            with errors_explained():
                for _ in self._work:
                    if time.perf_counter() >= deadline:
                        self._may_be_edited = self._edited != OVERWRITE
                        return False
        except BaseException:
            self.cancel()
            raise
        return self._result is not None

    def cancel(self) -> None:
        """Cancel; the file is as before. Does nothing once the bake has ended."""
        if self._result is None and self.stage != CANCELLED:
            self._work.close()
            self._discard()
            self.stage = CANCELLED

    def _cast(self, index: int, known: KnownTemplates, character_keys: CharacterKeys | None) -> Cast:
        """The cast of a crowd; without `character_keys` every character is written again."""
        settings: Any = self.scene.footfall.crowds[index]  # ty: ignore[missing-attribute]
        earlier = None
        if character_keys is not None and settings.makes == CHARACTERS:
            earlier = self._memory.last_written(settings.uid, self._key_of(settings, character_keys))
        return CASTS[settings.makes](settings, scene=self.scene, known=known, earlier=earlier, **self._given)

    @property
    def _given(self) -> dict[str, Any]:
        """What every cast is given."""
        read = self._reading
        return {"frames": read.scene.frames, "unit": read.unit, "seed": read.scene.seed}

    def _key_of(self, settings: Any, character_keys: CharacterKeys) -> Hashable | None:
        read = self._reading
        ground = None if read.ground is None else read.ground.corners
        key = key_of(settings, **self._given, ground=ground, character_keys=character_keys)
        heroes = places_of(read.scene.heroes, np.arange(read.scene.frames[0], read.scene.frames[1] + 1))
        roads = [route.points.tobytes() for route in read.scene.routes if settings.drives]  # vehicles tilt on them
        return None if key is None else (key, key_frames_per_frame(self.scene), heroes.tobytes(), *roads)

    def _note_written(self, trajectories: Trajectories) -> None:
        """Remember what was written, for the next bake."""
        character_keys = CharacterKeys()
        for index, cast in self._casts.items():
            settings: Any = self.scene.footfall.crowds[index]  # ty: ignore[missing-attribute]
            key = cast.key_of_all_left
            if key is None and cast.has_legs:
                key = self._key_of(settings, character_keys)
            self._memory.note_written(cast.uid, None if key is None else cast.written(key, trajectories))

    def _note_wide(self) -> bool:
        """Note who of the characters is wide; returns whether people are wider by it than was read."""
        settings: Any = self.scene.footfall  # ty: ignore[missing-attribute]
        wide = [entry for entry in self._seen if entry.half_width >= WIDE_BODIES.usual]
        if not wide:
            return False
        before, known = [crowd.widths for crowd in settings.crowds], {row.mover for row in settings.cast}
        note_cast(self.scene, wide)
        self._noted = {entry.mover for entry in wide} - known
        return [crowd.widths for crowd in settings.crowds] != before

    @property
    def _seen(self) -> list[CastEntry]:
        """What was found of all characters."""
        return [entry for cast in self._casts.values() for entry in cast.seen]

    def _simulate(self, backend: str) -> Simulation:
        """The simulation at its first frame; its errors name the user's crowds."""
        try:
            return Simulation(
                self._reading.scene,
                backend=backend,
                shared_map=self._memory.shared_map,
                remembers=True,
                earlier=self._memory.simulation,
            )
        except SceneError as error:
            settings: Any = self.scene.footfall  # ty: ignore[missing-attribute]
            names = {
                "crowds": [settings.crowds[read.index].name for read in self._reading.crowds],
                "routes": [route.name for route in self._reading.scene.routes],
                "bounds": [settings.bounds.name] if settings.bounds else [],
            }
            raise with_object_names(error, names) from error

    def _run(self) -> Generator[None, None, None]:
        """The job, with a pause wherever one is possible."""
        simulation = self._simulation
        first, last = self._reading.scene.frames
        while not simulation.done:
            simulation.step()
            self.fraction = self._simulating_share * (simulation.frame - first + 1) / (last - first + 1)
            yield
        self.stage = WRITING
        trajectories = simulation.result()
        with simulation.own_kernels():
            to_obstacles = find_room_to_obstacles(trajectories, self._reading.scene)
        trajectories = replace(trajectories, to_obstacles=to_obstacles)
        performances = Performances(
            trajectories,
            ground=self._reading.ground,
            unit=self._reading.unit,
            key_rate=key_frames_per_frame(self.scene),
            heroes=places_of(self._reading.scene.heroes, trajectories.frames),
            roads=roads_of(self._reading.scene),
        )
        people = PeopleOfBake(self.scene, self._reading, trajectories, self._casts)
        everybody = range(len(trajectories.radius))
        alike = cache(lambda before: moved_alike(before, trajectories, everybody))
        for cast in self._casts.values():
            entries = [(role, agent) for owner, role, agent in people.entries if owner is cast]
            for _ in cast.write(performances, cast.leave(entries, alike)):
                done = sum(each.size for each in self._casts.values()) / len(people.entries)
                self.fraction = self._simulating_share + (1.0 - self._simulating_share) * done
                yield
        bodies = bodies_of(self._casts.values(), people.roles)
        seen = find_seen_clipping(trajectories, bodies, self._reading.unit, self._memory.seen)
        yield
        given: dict[str, Any] = {"refused": simulation.refused, "memory": self._memory.report, "seen": seen}
        with simulation.own_kernels():
            solids, known = self._reading.sources.solids, self._memory.in_obstacles
            in_obstacles = find_seen_in_obstacles(trajectories, bodies, solids, self._reading.unit, known)
            report = make_report(trajectories, self._reading.scene, limbs=in_obstacles.limbs, **given)
        yield
        reasons = pack_reasons(trajectories, self._reading)
        self._finish(trajectories, people, report, reasons)
        self._memory.seen, self._memory.in_obstacles = SeenBefore(bodies, seen.pairs), in_obstacles

    def _finish(
        self,
        trajectories: Trajectories,
        people: PeopleOfBake,
        report: dict[str, Any],
        reasons: dict[int, NDArray[np.int32]],
    ) -> None:
        """Show the new bake in the place of the old one: all at once, and nothing in it is expected to fail."""
        for index in self._casts:
            ownership.check_removable(self.scene, self._casts[index].uid)
        if self._may_be_edited:  # between two slices
            crowds: Any = self.scene.footfall.crowds  # ty: ignore[missing-attribute]
            left = {cast.uid: cast.left for cast in self._casts.values()}
            chosen = [crowds[index] for index in self._casts]
            self._unchanged = keep_or_refuse(self.scene, chosen, ASK, left).unchanged
        say = self._reading.with_object_names
        complete_report(report, trajectories, self._casts.values(), people.named(), say=say)
        notices = [*report["notices"], *originals_among(trajectories, self._casts.values(), self._reading.unit)]
        notices += self._reading.notices
        written = {cast.uid for cast in self._casts.values()}
        let_go_of_lost(self.scene, written)
        for index, cast in self._casts.items():
            notices += [*cast.notices, *cast.replace_bake(self._unchanged)]
            store_reasons(self.scene, cast.uid, reasons.get(index))
        settings: Any = self.scene.footfall  # ty: ignore[missing-attribute]
        for crowd, known_as in zip(settings.crowds, identities_of(settings.crowds), strict=True):
            if crowd.uid in written:
                crowd.baked, crowd.known_as = self._reading.fingerprint, known_as
        report["notices"] = list(dict.fromkeys([*notices, *describe_unit(notices, self._reading.unit)]))
        adoption = self._simulation.adoption
        if adoption is not None:
            report["corridor_map"] = describe_map(adoption)
        report["left_out"] = dict(people.count_left_out())
        report["changes"] = describe_changes(self.scene, self._memory, self._simulation, trajectories)
        report["simulated"] = say(describe_reuse(self._simulation, is_first=not settings.report))
        self._memory.simulation, self._memory.trajectories = self._simulation, trajectories
        self._memory.motion = report["motion"]
        self._note_written(trajectories)
        settings.report = json.dumps(report)
        list_problems(settings.problems, report)
        settings.active_problem_index = -1
        list_handwork(self.scene, (), written)
        note_cast(self.scene, self._seen)
        seconds = time.perf_counter() - self._began
        summary = self._summary(trajectories, people, report, seconds)
        characters = sum(cast.size for cast in self._casts.values())
        self._result = BakeResult(summary, report, trajectories, self._reading, characters, seconds)
        self.stage, self.fraction = FINISHED, 1.0

    def _summary(self, trajectories: Trajectories, people: PeopleOfBake, report: dict[str, Any], seconds: float) -> str:
        """The result in one sentence."""
        kinds = {cast.kind for cast in self._casts.values()}
        made = sum(cast.size for cast in self._casts.values())
        who, why = describe_people(made, kinds.pop() if len(kinds) == 1 else "person", people.count_left_out())
        written = [agent for _, _, agent in people.entries]
        arrived = int(np.count_nonzero(trajectories.arrived_frame[written] >= 0))
        first, last = self._reading.scene.frames
        said = [f"{who} baked over frames {first}-{last} in {seconds:.1f} s{why}", f"{arrived} arrived"]
        return "; ".join([*said, *filter(None, map(report.get, ("corridor_map", "changes", "simulated")))])

    def _discard(self) -> None:
        for crowd, people in self._kept:
            let_go(self.scene, crowd, people, as_they_are=True)
        for cast in self._casts.values():
            cast.discard()
        table: Any = self.scene.footfall.cast  # ty: ignore[missing-attribute]
        for number in reversed([number for number, row in enumerate(table) if row.mover in self._noted]):
            table.remove(number)


def bake(
    scene: bpy.types.Scene,
    *,
    crowd: str | None = None,
    backend: str = "auto",
    edited: str = ASK,
    memory: BakeMemory | None = None,
) -> BakeResult:
    """Bake to the end, at once.

    Args:
        scene: what to bake.
        crowd: name of the crowd to write; None: all.
        backend: kernels of the simulation.
        edited: what to do with people who were edited by hand.
        memory: of the last bake of the scene, see `BakeJob`.

    Raises:
        FootfallError: it cannot be baked; the file is as before.
    """
    job = BakeJob(scene, crowd=crowd, backend=backend, edited=edited, memory=memory)
    job.run_for(float("inf"))
    return job.result


def _indices_to_write(scene: bpy.types.Scene, crowd: str | None) -> list[int]:
    crowds: Any = scene.footfall.crowds  # ty: ignore[missing-attribute]
    names = [each.name for each in crowds]
    if not names:
        raise SceneError([Fault("", f"the scene '{scene.name}' has no crowd: add one and choose a route")])
    if crowd is not None and crowd not in names:
        there_are = ", ".join(f"'{name}'" for name in names)
        raise SceneError([Fault("", f"no crowd is named '{crowd}'; there are: {there_are}")])
    indices = [index for index, name in enumerate(names) if crowd in {None, name}]
    if all(crowds[index].count == 0 for index in indices):
        raise SceneError([Fault(names[index], "there is nobody to bake: set its count") for index in indices])
    return indices
