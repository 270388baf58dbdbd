# SPDX-License-Identifier: GPL-3.0-or-later
"""What a simulation writes down: where everybody was, frame by frame."""

from __future__ import annotations

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...errors import Fault, SceneError
from ...scene.basics.clock import Clock
from .activities import ShownActivities
from .doing import NOBODY, NOT_RECORDED, Decisions

BYTES_A_FRAME = 3 * 8 + 8 + 2 * 8 + 3 + 11
"""What one person takes in one frame of the trajectories; the last 11 for what it is doing, why, and what it wants."""

BYTES_OF_POSES = 1 + 3 * 4 + 4
"""And for its activity, where that is recorded."""

MOST_BYTES = 16 * 2**30


_COPIED = ("position", "heading", "velocity", "present", "strides", "doing", "because_of", "wish", "stop", "arrived")
_COPIED += ("activity", "gaze", "seat_height")


class Recording:
    """Arrays of frames and agents, filled one frame after the other.

    Args:
        clock: of the scene.
        count: A, how many agents there are.
        with_poses: whether to record their activities.

    Attributes:
        clock: as given.
        made: how many frames are filled.
        position, heading, velocity, present, doing, because_of, wish, stop: (F, A, ...) as in `Trajectories`.
        strides: bool (F, A), who is on foot and wants to walk no more slowly than people step.
        activity, gaze, seat_height: (F, A, ...) as well, of no agents where poses are not recorded.
        arrived: bool (F, A), who has arrived by then, and has not been sent on since.

    Raises:
        SceneError: no machine holds so much.
    """

    def __init__(self, clock: Clock, count: int, *, with_poses: bool = False) -> None:
        frames = clock.last - clock.first + 1
        _check_memory(frames, count, BYTES_A_FRAME + (BYTES_OF_POSES if with_poses else 0))
        self.clock, self.made = clock, 0
        self.position = np.full((frames, count, 3), np.nan)
        self.heading = np.full((frames, count), np.nan)
        self.velocity = np.full((frames, count, 2), np.nan)
        self.present = np.zeros((frames, count), dtype=bool)
        self.strides = np.zeros((frames, count), dtype=bool)
        self.doing = np.full((frames, count), NOT_RECORDED, dtype=np.int8)
        self.because_of = np.full((frames, count), NOBODY, dtype=np.int32)
        self.wish = np.full((frames, count, 2), np.nan, dtype=np.float16)
        self.stop = np.full((frames, count), -1, dtype=np.int16)
        posing = count if with_poses else 0
        self.activity = np.zeros((frames, posing), dtype=np.int8)
        self.gaze = np.full((frames, posing, 3), np.nan, dtype=np.float32)
        self.seat_height = np.full((frames, posing), np.nan, dtype=np.float32)
        self.arrived = np.zeros((frames, count), dtype=bool)

    @property
    def frame(self) -> int:
        """The last frame that is filled."""
        return self.clock.first + self.made - 1

    @property
    def arrived_frame(self) -> Int64:
        """int64 (A,), since which frame each has arrived; -1 for who has not."""
        backwards = self.arrived[: self.made][::-1]
        since = np.where(backwards.all(axis=0), self.made, np.argmin(backwards, axis=0))  # how many frames
        return np.where(since > 0, self.clock.first + self.made - since, -1)

    def take_over(self, other: Recording, made: int) -> None:
        """Begin with the first frames of another recording of the same agents."""
        for name in _COPIED:
            getattr(self, name)[:made] = getattr(other, name)[:made]
        self.made = made

    def note(
        self,
        here: Bool,
        position: Float64,
        heading: Float64,
        velocity: Float64,
        arrived: Bool,
        decisions: Decisions,
        poses: ShownActivities | None = None,
    ) -> None:
        """Write down the next frame.

        Args:
            here: bool (A,), whether each is in the scene.
            position: float64 (H, 3), of those who are here [m].
            heading: float64 (H,), [rad].
            velocity: float64 (H, 2), as wanted last; what was really moved since the last frame goes before [m/s].
            arrived: bool (A,), whether each has arrived by now.
            decisions: of those who are here, in the last time step.
            poses: of those who are here, where poses are recorded.
        """
        number = self.made
        self.present[number] = here
        some = slice(None) if here.all() else here.nonzero()[0]
        self.position[number, some] = position
        self.heading[number, some] = heading
        self.velocity[number, some] = velocity
        self.doing[number, some] = decisions.doing
        self.because_of[number, some] = decisions.because_of
        self.wish[number, some] = decisions.wish
        self.stop[number, some] = decisions.stop
        if poses is not None:
            self.activity[number, some] = poses.activity
            self.gaze[number, some] = poses.gaze
            self.seat_height[number, some] = poses.seat_height
        if number:
            # As seen, pushes out of each other and out of walls included.
            moved = self.present[number] & self.present[number - 1]
            move = self.position[number, moved, :2] - self.position[number - 1, moved, :2]
            self.velocity[number, moved] = move * self.clock.fps
        self.arrived[number] = arrived
        self.made += 1


def _check_memory(frames: int, people: int, bytes_each: int) -> None:
    """Refuse what no machine holds before anything is simulated."""
    needed = frames * people * bytes_each
    if needed > MOST_BYTES:
        memory = f"{needed / 2**30:.0f} GiB of memory, and the limit is {MOST_BYTES / 2**30:.0f}"
        message = f"{frames} frames of {people} people need {memory}; simulate fewer frames or fewer people"
        raise SceneError([Fault("frames", message)])
