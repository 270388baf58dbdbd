# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole job: read the scene, simulate it, write keyframed characters; in slices, and all or nothing.

Until the very end everything new is made aside, in no scene. Only then the old bake goes and the new one is shown, in
one piece; whatever fails or is cancelled before leaves the file as it was.
"""

from __future__ import annotations

import json
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core import Trajectories
from ...core.errors import Fault, FootfallError, SceneError
from ...core.report import make_report
from ...core.simulation import Simulation
from ..bakes import ownership
from ..bakes.edited_people import ASK, OVERWRITE, keep_or_refuse, let_go, pinned_movers
from ..bakes.roles import Role
from ..characters.choice import KnownTemplates
from ..characters.performances import Performances
from ..reading import Reading, read_scene
from ..reading.findings import in_the_users_words
from ..settings.crowd.crowd import CHARACTERS, INSTANCES
from ..settings.crowd.edits import people_who
from ..settings.identities import identities_of
from ..settings.problems import list_problems
from ..settings.scene_settings import ensure_identities
from .bake_memory import BakeMemory, CharacterKeys, key_of
from .cast import Cast
from .instances.instance_cast import InstanceCast
from .reporting import Person, complete_report
from .summary import count_left_out, describe_changes, describe_map, describe_people, describe_reuse, describe_unit

SIMULATING, WRITING, FINISHED, CANCELLED = "Simulating", "Writing", "Finished", "Cancelled"
CASTS = {CHARACTERS: Cast, INSTANCES: InstanceCast}
_SHARE_OF_SIMULATING = 0.85  # of the whole time, roughly


@dataclass(frozen=True, eq=False)
class BakeResult:
    """What a bake has come to.

    Attributes:
        summary: one sentence for the user.
        report: the figures of `core.report`, with the notices of every stage.
        trajectories: where everybody is.
        reading: what was read.
        characters: how many were made.
        seconds: how long it took.
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
        crowd: name of the crowd to write; all of them move, as they meet. None: all are written.
        backend: kernels of the simulation, `auto`, `numpy` or `numba`.
        edited: what to do with characters whose keys were edited by hand, see `bakes.edited_people`.
        memory: of the last bake of the scene, which this one reuses and replaces; None: nothing is reused.

    Attributes:
        scene: what is baked, whatever scene a window shows meanwhile.

    Raises:
        FootfallError: something cannot be read or used; the file is as before.
    """

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
        self.stage = SIMULATING
        self.fraction = 0.0
        ensure_identities(scene)
        indices = _indices_to_write(scene, crowd)
        settings: Any = scene.footfall  # pyright: ignore[reportAttributeAccessIssue]
        self._kept = keep_or_refuse(scene, [settings.crowds[index] for index in indices], edited)
        try:
            self._reading = read_scene(scene)
            with _memory_is_told():
                templates, character_keys = KnownTemplates(), CharacterKeys()
                for index in indices:
                    self._casts[index] = self._cast(index, templates, None if edited == OVERWRITE else character_keys)
                self._simulation = self._simulate(backend)
        except BaseException:
            self._discard()
            raise
        self._work = self._run()

    @property
    def frame(self) -> int:
        """The frame that was simulated last."""
        return self._simulation.frame

    @property
    def result(self) -> BakeResult:
        """What the bake has come to.

        Raises:
            RuntimeError: it has not ended.
        """
        if self._result is None:
            raise RuntimeError("the bake has not ended")
        return self._result

    def run_for(self, seconds: float) -> bool:
        """Work for about so long.

        Args:
            seconds: after which to come back.

        Returns:
            Whether the bake is finished.

        Raises:
            FootfallError: something stands in the way; the file is as before.
        """
        deadline = time.perf_counter() + seconds
        try:
            with _memory_is_told():
                for _ in self._work:
                    if time.perf_counter() >= deadline:
                        return False
        except BaseException:
            self.cancel()
            raise
        return self._result is not None

    def cancel(self) -> None:
        """Give up; the file is as before. Too late, it does nothing."""
        if self._result is None and self.stage != CANCELLED:
            self._work.close()
            self._discard()
            self.stage = CANCELLED

    def _cast(self, index: int, known: KnownTemplates, character_keys: CharacterKeys | None) -> Cast:
        """The cast of a crowd; without `character_keys` every character is written again."""
        settings: Any = self.scene.footfall.crowds[index]  # pyright: ignore[reportAttributeAccessIssue]
        ownership.check_removable(self.scene, settings.uid)
        read = self._reading
        given: Any = {"frames": read.scene.frames, "unit": read.unit, "seed": read.scene.seed}
        earlier = None
        if character_keys is not None and settings.makes == CHARACTERS:
            key = key_of(settings, **given, ground=self._ground_corners, character_keys=character_keys)
            earlier = self._memory.last_written(settings.uid, key)
        return CASTS[settings.makes](settings, scene=self.scene, known=known, earlier=earlier, **given)

    @property
    def _ground_corners(self) -> NDArray[np.float64] | None:
        return None if self._reading.ground is None else self._reading.ground.corners

    def _note_written(self, trajectories: Trajectories) -> None:
        """Keep what the next bake may leave as it is."""
        read, character_keys = self._reading, CharacterKeys()
        for index, cast in self._casts.items():
            settings: Any = self.scene.footfall.crowds[index]  # pyright: ignore[reportAttributeAccessIssue]
            given: Any = {"frames": read.scene.frames, "unit": read.unit, "seed": read.scene.seed}
            key = None
            if cast.has_legs:
                key = key_of(settings, **given, ground=self._ground_corners, character_keys=character_keys)
            self._memory.note_written(cast.uid, None if key is None else cast.written(key, trajectories))

    def _simulate(self, backend: str) -> Simulation:
        """The simulation at its first frame; what it refuses is told by the names of the user's crowds."""
        try:
            return Simulation(
                self._reading.scene,
                backend=backend,
                ground_map=self._memory.ground_map,
                remembers=True,
                earlier=self._memory.simulation,
            )
        except SceneError as error:
            settings: Any = self.scene.footfall  # pyright: ignore[reportAttributeAccessIssue]
            names = {
                "crowds": [settings.crowds[read.index].name for read in self._reading.crowds],
                "routes": [route.name for route in self._reading.scene.routes],
                "bounds": [settings.bounds.name] if settings.bounds else [],
            }
            raise in_the_users_words(error, names) from error

    def _run(self) -> Generator[None, None, None]:
        """The job, with a pause wherever one is possible."""
        simulation = self._simulation
        first, last = self._reading.scene.frames
        while not simulation.done:
            simulation.step()
            self.fraction = _SHARE_OF_SIMULATING * (simulation.frame - first + 1) / (last - first + 1)
            yield
        self.stage = WRITING
        trajectories = simulation.result()
        performances = Performances(trajectories, ground=self._reading.ground, unit=self._reading.unit)
        agents = self._agents_to_write(trajectories)
        for cast in self._casts.values():
            entries = [(role, agent) for owner, role, agent in agents if owner is cast]
            for _ in cast.write(performances, cast.leave(entries, trajectories)):
                done = sum(each.size for each in self._casts.values()) / len(agents)
                self.fraction = _SHARE_OF_SIMULATING + (1.0 - _SHARE_OF_SIMULATING) * done
                yield
        report = make_report(trajectories, self._reading.scene, refused=simulation.refused, memory=self._memory.report)
        yield
        self._finish(trajectories, report)

    def _agents(self, trajectories: Trajectories) -> list[tuple[Cast, Role, int]]:
        """Who belongs to a crowd that is written: the cast, the part in it, the agent."""
        found = []
        for number, read in enumerate(self._reading.crowds):
            agents = np.flatnonzero(trajectories.crowd == number)
            if read.index in self._casts:
                cast = self._casts[read.index]
                roles = (Role(read.known_as, place, len(agents), read.name) for place in range(len(agents)))
                found += [(cast, role, int(agent)) for role, agent in zip(roles, agents, strict=True)]
        return found

    def _agents_to_write(self, trajectories: Trajectories) -> list[tuple[Cast, Role, int]]:
        """Who of these is seen at some frame."""
        settings: Any = self.scene.footfall  # pyright: ignore[reportAttributeAccessIssue]
        hidden = {name for crowd in settings.crowds for name in people_who(crowd, "hidden")}
        seen, everybody = trajectories.present, self._agents(trajectories)
        return [entry for entry in everybody if seen[:, entry[2]].any() and entry[1].title not in hidden]

    def _finish(self, trajectories: Trajectories, report: dict[str, Any]) -> None:
        """Show the new bake in the place of the old one: all at once, and nothing in it is expected to fail."""
        for index in self._casts:
            ownership.check_removable(self.scene, self._casts[index].uid)
        people, say = self._people(trajectories), self._reading.in_the_users_words
        complete_report(report, trajectories, self._casts.values(), people, say=say)
        notices = [*report["notices"], *self._reading.notices]
        written = {cast.uid for cast in self._casts.values()}
        self._forget_lost_pins(written)
        for cast in self._casts.values():
            notices += [*cast.notices, *cast.replace_bake()]
        settings: Any = self.scene.footfall  # pyright: ignore[reportAttributeAccessIssue]
        for crowd, known_as in zip(settings.crowds, identities_of(settings.crowds), strict=True):
            if crowd.uid in written:
                crowd.baked, crowd.known_as = self._reading.fingerprint, known_as
        report["notices"] = list(dict.fromkeys([*notices, *describe_unit(notices, self._reading.unit)]))
        adoption = self._simulation.adoption
        if adoption is not None:
            report["corridor_map"] = describe_map(adoption)
        report["changes"] = describe_changes(self.scene, self._memory, self._simulation, trajectories)
        report["simulated"] = self._reading.in_the_users_words(
            describe_reuse(self._simulation, is_first=not settings.report)
        )
        self._memory.simulation, self._memory.motion = self._simulation, report["motion"]
        self._note_written(trajectories)
        settings.report = json.dumps(report)
        list_problems(settings.problems, report)
        settings.active_problem_index = -1
        characters = sum(cast.size for cast in self._casts.values())
        seconds = time.perf_counter() - self._began
        summary = self._summary(trajectories, report, characters, seconds)
        self._result = BakeResult(summary, report, trajectories, self._reading, characters, seconds)
        self.stage, self.fraction = FINISHED, 1.0

    def _summary(self, trajectories: Trajectories, report: dict[str, Any], characters: int, seconds: float) -> str:
        """What the bake has come to, in one sentence."""
        settings: Any = self.scene.footfall  # pyright: ignore[reportAttributeAccessIssue]
        kinds = {cast.kind for cast in self._casts.values()}
        seen, everybody = trajectories.present, self._agents(trajectories)
        comes = ((role.title, bool(seen[:, agent].any())) for _, role, agent in everybody)
        left_out = count_left_out(settings.crowds, comes)
        people, why = describe_people(characters, kinds.pop() if len(kinds) == 1 else "person", left_out)
        written = [agent for _, _, agent in self._agents_to_write(trajectories)]
        arrived = int(np.count_nonzero(trajectories.arrived_frame[written] >= 0))
        first, last = self._reading.scene.frames
        said = [f"{people} baked over frames {first}-{last} in {seconds:.1f} s{why}", f"{arrived} arrived"]
        return "; ".join([*said, *filter(None, map(report.get, ("corridor_map", "changes", "simulated")))])

    def _forget_lost_pins(self, written: set[str]) -> None:
        """Those of some crowds whose pinned character the user has removed are as all others again."""
        crowds: Any = self.scene.footfall.crowds  # pyright: ignore[reportAttributeAccessIssue]
        for crowd in crowds:
            if crowd.uid in written and (pinned := people_who(crowd, "pinned")):
                let_go(self.scene, crowd, pinned - pinned_movers(self.scene, crowd.uid).keys())

    def _people(self, trajectories: Trajectories) -> list[Person]:
        """Who each agent is, by the panel's crowds."""
        crowds: Any = self.scene.footfall.crowds  # pyright: ignore[reportAttributeAccessIssue]
        counts = np.bincount(trajectories.crowd, minlength=len(self._reading.crowds)).tolist()
        by_hand = {crowd.uid: ownership.names_by_hand(self.scene, crowd.uid) for crowd in crowds}
        found = []
        for read, count in zip(self._reading.crowds, counts, strict=True):
            uid = crowds[read.index].uid
            roles = (Role(read.known_as, number, count, read.name) for number in range(count))
            found += [Person(uid, role, by_hand[uid].get(role.title, role.name)) for role in roles]
        return found

    def _discard(self) -> None:
        for crowd, people in self._kept:
            let_go(self.scene, crowd, people, as_they_are=True)
        for cast in self._casts.values():
            cast.discard()


@contextmanager
def _memory_is_told() -> Generator[None]:
    """Tell the user what to do when the memory does not suffice."""
    try:
        yield
    except MemoryError as error:
        raise FootfallError(
            "there is not enough memory for this many people and frames: bake fewer people, or a shorter range"
        ) from error


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
        edited: what to do with characters whose keys were edited by hand.
        memory: of the last bake of the scene, see `BakeJob`.

    Raises:
        FootfallError: it cannot be baked; the file is as before.
    """
    job = BakeJob(scene, crowd=crowd, backend=backend, edited=edited, memory=memory)
    job.run_for(float("inf"))
    return job.result


def clear_crowd(scene: bpy.types.Scene, crowd: Any) -> list[str]:
    """Remove the bake of a crowd from a scene; see `clear_crowds`."""
    return clear_crowds(scene, [crowd])


def clear_crowds(scene: bpy.types.Scene, crowds: Sequence[Any]) -> list[str]:
    """Remove the bakes of crowds from a scene: all of them, or none when one cannot be removed.

    Args:
        scene: the scene.
        crowds: the crowds' settings, of `scene.footfall.crowds`.

    Returns:
        Sentences about what was kept.

    Raises:
        FootfallError: one is being edited, or lies in a collection that another scene shows too; nothing was removed.
    """
    for crowd in crowds:
        ownership.check_removable(scene, crowd.uid)
    notices = []
    for crowd in crowds:
        notices += ownership.clear(scene, crowd.uid)
        crowd.baked = ""
    return notices


def _indices_to_write(scene: bpy.types.Scene, crowd: str | None) -> list[int]:
    crowds: Any = scene.footfall.crowds  # pyright: ignore[reportAttributeAccessIssue]
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
