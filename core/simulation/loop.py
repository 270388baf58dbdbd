# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulation of a scene, frame by frame."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..scene import Scene
from ..steering import choose_backend
from ..trajectories import Trajectories
from .ground_map import Adoption, GroundMap
from .recording import Recording
from .settings import SimulationSettings
from .surroundings import Surroundings
from .walkers import Walkers

Progress = Callable[[int, int], None]


class Simulation:
    """A scene in motion: `step` makes the next frame, until `done`.

    Args:
        scene: what the user asks for.
        backend: kernels to use, `auto`, `numpy` or `numba`.
        settings: how the layers are put together.
        ground_map: the corridor map of an earlier simulation, to be corrected where the ground is another.

    Raises:
        SceneError: something in the scene is not possible, or not in this version.
        BackendError: the backend is not there.
    """

    def __init__(
        self,
        scene: Scene,
        *,
        backend: str = "auto",
        settings: SimulationSettings | None = None,
        ground_map: GroundMap | None = None,
    ) -> None:
        self.scene = scene
        self.settings = settings or SimulationSettings()
        self._surroundings = Surroundings(scene, ground_map)
        self._walkers = Walkers(scene, self._surroundings, self.settings, choose_backend(backend))
        self.agents = self._walkers.agents
        self.frames = np.arange(scene.frames[0], scene.frames[1] + 1, dtype=np.int64)
        self._recording = Recording(self.frames, scene.fps, len(self._walkers))
        self._walkers.start()
        self._record()

    @property
    def done(self) -> bool:
        """Whether every frame is made."""
        return self.made == len(self.frames)

    @property
    def made(self) -> int:
        """How many frames are made."""
        return self._recording.made

    @property
    def frame(self) -> int:
        """The last frame that is made."""
        return int(self.frames[self.made - 1])

    @property
    def adoption(self) -> Adoption | None:
        """How the corridor map came to show the ground; None as long as nobody has asked for a way through it."""
        return self._surroundings.adoption

    @property
    def _time(self) -> float:
        """Time of the last frame that is made [s]."""
        return (self.made - 1) / self.scene.fps

    def step(self) -> None:
        """Make the next frame."""
        interval = 1.0 / self.scene.fps
        steps = max(1, int(np.ceil(interval / self.settings.longest_step - 1e-9)))
        begin = self._time
        for number in range(steps):
            self._walkers.advance(begin + number * interval / steps, interval / steps)
        self._record()

    def result(self) -> Trajectories:
        """Return where everybody was in all frames made so far."""
        made, recording = slice(0, self.made), self._recording
        return Trajectories(
            frames=self.frames[made],
            fps=self.scene.fps,
            position=recording.position[made],
            heading=recording.heading[made],
            velocity=recording.velocity[made],
            present=recording.present[made],
            arrived_frame=recording.arrived_frame,
            radius=self.agents.radius,
            crowd=self.agents.crowd,
            crowd_names=tuple(crowd.name for crowd in self.scene.crowds),
            unhindered_time=self.agents.unhindered_time,
            notices=tuple(self._walkers.notices(self._time)),
        )

    def _record(self) -> None:
        """Write down where everybody is as the next frame."""
        agents = self.agents
        rows = np.flatnonzero(agents.present)
        self._recording.note(
            agents.present,
            self._walkers.places(rows),
            agents.heading[rows],
            agents.velocity[rows],
            self._walkers.arrived(),
        )


def simulate(scene: Scene, *, backend: str = "auto", progress: Progress | None = None) -> Trajectories:
    """Return where everybody in a scene is, frame by frame.

    Args:
        scene: what the user asks for.
        backend: kernels to use, `auto`, `numpy` or `numba`; the result is the same bytes.
        progress: called after each frame with the frames made and all frames.

    Raises:
        SceneError: something in the scene is not possible, or not in this version.
        BackendError: the backend is not there.
    """
    simulation = Simulation(scene, backend=backend)
    while not simulation.done:
        simulation.step()
        if progress is not None:
            progress(simulation.made, len(simulation.frames))
    return simulation.result()
