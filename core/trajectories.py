# SPDX-License-Identifier: GPL-3.0-or-later
"""Where everybody is, frame by frame: what a simulation gives and a bake plays."""

from __future__ import annotations

import hashlib
import zipfile
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .array_types import Bool, Float64, Int64
from .errors import FootfallError
from .safe_writing import reason, whole_file

_SAME_DATE = (1980, 1, 1, 0, 0, 0)  # the first that a zip can tell: the same content gives the same bytes
_SYSTEM_UNIX = 3
_WORDS = ("crowd_names", "notices", "doing_names", "stop_names", "activity_names")
_REASONS = ("doing", "because_of", "wish", "stop")
_OF_STOPS = ("stop", "stop_names")  # in files of scenes with stops only
_OF_ACTIVITIES = (
    "activity",
    "gaze",
    "seat_height",
    "keeps_height",
    "activity_names",
)  # and these where somebody does not only walk
_NOT_SAVED = ("arrived", "to_obstacles")
_NOTHING: dict[str, float] = {
    "doing": -1, "because_of": -1, "wish": np.nan, "stop": -1, "activity": 0, "gaze": np.nan, "seat_height": np.nan,
    "keeps_height": False,
}  # fmt: skip
_READABLE = 0o644 << 16

# What zipfile and numpy raise at a file that is damaged or not theirs.
_UNREADABLE = (OSError, ValueError, EOFError, RuntimeError, KeyError, MemoryError, zipfile.BadZipFile)


@dataclass(frozen=True, eq=False)
class Reasons:
    """What A agents were doing over F frames, and why, as recorded.

    Attributes:
        doing: int8 (F, A), a number of `core.simulation.world.doing.Doing`; -1 where absent or not recorded.
        because_of: int32 (F, A), the agent that made each do so; -1 for nobody.
        wish: float16 (F, A, 2), preferred velocity before avoidance [m/s]; NaN where absent or not recorded.
        stop: int16 (F, A), the number of the stop to which each walks or at which each is; -1 for none.
    """

    doing: NDArray[np.int8]
    because_of: NDArray[np.int32]
    wish: NDArray[np.float16]
    stop: NDArray[np.int16] = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int16))

    def __post_init__(self) -> None:
        if not self.stop.size:
            object.__setattr__(self, "stop", np.full(self.doing.shape, -1, np.int16))

    @classmethod
    def none(cls, frames: int, agents: int) -> Reasons:
        """Return those of agents of whom nothing is recorded."""
        shape = (frames, agents)
        wish = np.full((*shape, 2), np.nan, np.float16)
        return cls(np.full(shape, -1, np.int8), np.full(shape, -1, np.int32), wish)


@dataclass(frozen=True, eq=False)
class Trajectories:
    """The motion of A agents over F frames.

    Attributes:
        frames: int64 (F,), frame numbers.
        fps: frames per second.
        position: float64 (F, A, 3) [m]; NaN where absent.
        heading: float64 (F, A) [rad], 0 = +x, counter-clockwise, unwrapped over time; NaN where absent.
        velocity: float64 (F, A, 2) [m/s]; NaN where absent.
        present: bool (F, A).
        arrived_frame: int64 (A,), since which frame each is at the goal; -1 = not in the end.
        radius: float64 (A,) [m].
        crowd: int64 (A,), index into `crowd_names`.
        crowd_names: names of the crowds.
        unhindered_time: float64 (A,), time from entry to arrival alone at the wanted speed [s]; NaN = not known.
        notices: sentences for the user.
        box: float64 (A, 2), length and width of bodies with corners, 0 of those that are discs [m]; empty: all are.
        group: int64 (A,), the number of the group that each walks in, -1 for those alone; empty: all are.
        doing: int8 (F, A), what each is doing, an index into `doing_names`: what it decided in the last time step
            before the frame; -1 where absent. Empty: nothing is recorded.
        because_of: int32 (F, A), the agent that made it do so, an index into these arrays; -1 for nobody. Empty: -1.
        wish: float16 (F, A, 2), preferred velocity before avoidance, in the same time step [m/s]; NaN where absent.
            Empty: NaN.
        doing_names: what the numbers in `doing` mean.
        stop: int16 (F, A), the stop to which each walks or at which each is, an index into `stop_names`; -1 for none.
            Empty: -1.
        stop_names: the names of the stops of all crowds, in their order.
        activity: int8 (F, A), what each does, an index into `activity_names`; 0, `none`: they walk or stand.
            Empty: 0.
        gaze: float32 (F, A, 3), the point at which each looks [m]; NaN for nowhere in particular. Empty: NaN.
        seat_height: float32 (F, A), height of the seat of those who sit, or step in front of it from beside it [m]; NaN
            for others. Of who sits `position` is the point of the ground under the hips, but for the time in which they
            sit down and stand up. Empty: NaN.
        keeps_height: bool (A,), whose place gives their height, and not the ground: those in the stands of a stadium.
            Empty: nobody.
        activity_names: what the numbers in `activity` mean; empty where nobody does anything but walk.
        arrived: bool (F, A), who is at the goal, or was there and was not sent on since. Not saved. Empty: from
            `arrived_frame` on.
        to_obstacles: float32 (S, A), how far obstacles are from those who stand, see `find_room_to_obstacles` [m]. Not
            saved. Empty: there are none.
    """

    frames: Int64
    fps: float
    position: Float64
    heading: Float64
    velocity: Float64
    present: Bool
    arrived_frame: Int64
    radius: Float64
    crowd: Int64
    crowd_names: tuple[str, ...]
    unhindered_time: Float64
    notices: tuple[str, ...] = ()
    box: Float64 = field(default_factory=lambda: np.zeros((0, 2)))
    group: Int64 = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    doing: NDArray[np.int8] = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int8))
    because_of: NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int32))
    wish: NDArray[np.float16] = field(default_factory=lambda: np.zeros((0, 0, 2), dtype=np.float16))
    doing_names: tuple[str, ...] = ()
    stop: NDArray[np.int16] = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int16))
    stop_names: tuple[str, ...] = ()
    activity: NDArray[np.int8] = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int8))
    gaze: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0, 3), dtype=np.float32))
    seat_height: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), dtype=np.float32))
    keeps_height: Bool = field(default_factory=lambda: np.zeros(0, dtype=bool))
    activity_names: tuple[str, ...] = ()
    arrived: Bool = field(default_factory=lambda: np.zeros((0, 0), dtype=bool))
    to_obstacles: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), dtype=np.float32))

    def __post_init__(self) -> None:
        shapes = _shapes(len(self.frames), len(self.radius))
        for name in _NOTHING:
            if not getattr(self, name).size:
                object.__setattr__(self, name, _nothing(name, shapes))
        if not len(self.box):
            object.__setattr__(self, "box", np.zeros((len(self.radius), 2)))
        if not len(self.group):
            object.__setattr__(self, "group", np.full(len(self.radius), -1))
        if not self.arrived.size:
            since = (self.arrived_frame >= 0) & (self.frames[:, None] >= self.arrived_frame)
            object.__setattr__(self, "arrived", since)

    @property
    def seated(self) -> Bool:
        """Who sits, sits down or stands up, bool (F, A)."""
        return ~np.isnan(self.seat_height)

    def save(self, path: str | Path) -> None:
        """Write an npz file with one array for each attribute; the same trajectories give the same bytes.

        The file takes its place only when it is whole.

        Raises:
            FootfallError: it cannot be written; what stood there before is untouched.
        """
        with whole_file(path) as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
            for name, array in self._arrays().items():
                entry = zipfile.ZipInfo(f"{name}.npy", _SAME_DATE)
                entry.create_system = _SYSTEM_UNIX
                entry.external_attr = _READABLE
                with archive.open(entry, "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, np.asarray(array, order="C"), allow_pickle=False)

    def digest(self) -> str:
        """Return a SHA-256 of all that moves, as hexadecimal digits: the same scene gives the same on every machine.

        Names, notices and the recorded reasons are left out, since they only describe the motion; the number of crowds
        is not.
        """
        total = hashlib.sha256(f"crowds {len(self.crowd_names)}\n".encode())
        for name, array in self._arrays().items():
            if name not in (*_WORDS, *_REASONS):
                total.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
                total.update(array.tobytes())
        return total.hexdigest()

    @classmethod
    def load(cls, path: str | Path) -> Trajectories:
        """Read what `save` wrote.

        Raises:
            FootfallError: there is no such file, or it holds no trajectories.
        """
        try:
            with zipfile.ZipFile(path) as archive:
                arrays = {entry.removesuffix(".npy"): _read(archive, entry) for entry in archive.namelist()}
        except _UNREADABLE as error:
            why = reason(error) if isinstance(error, OSError) else "it is damaged or not an npz file"
            raise FootfallError(f"cannot read trajectories from '{path}': {why}") from error
        return cls(**_checked(arrays, path))

    def reasons_of_people(self) -> Reasons:
        """Return what people were doing and why, without vehicles: agents are numbered by their place among people."""
        people = np.flatnonzero(self.box[:, 0] == 0.0)
        place = np.full(len(self.radius) + 1, -1, dtype=np.int32)  # the last is that of nobody
        place[people] = np.arange(len(people))
        return Reasons(
            self.doing[:, people], place[self.because_of[:, people]], self.wish[:, people], self.stop[:, people]
        )

    def _arrays(self) -> dict[str, NDArray[Any]]:
        """Return each attribute as an array of its documented type."""
        agents, frames = len(self.radius), len(self.frames)
        shapes = _shapes(frames, agents)
        arrays = {
            name: np.asarray(getattr(self, name), dtype).reshape(shape) for name, (dtype, shape) in shapes.items()
        }
        arrays |= {name: np.array(getattr(self, name), dtype=np.str_) for name in _WORDS}
        left = () if self.stop_names else _OF_STOPS
        left += () if self.activity_names else _OF_ACTIVITIES
        return {name: array for name, array in arrays.items() if name not in left}


def _read(archive: zipfile.ZipFile, entry: str) -> NDArray[Any]:
    with archive.open(entry) as member:
        return np.lib.format.read_array(member, allow_pickle=False)


def _shapes(frames: int, agents: int) -> dict[str, tuple[type, tuple[int, ...]]]:
    return {
        "frames": (np.int64, (frames,)),
        "fps": (np.float64, ()),
        "position": (np.float64, (frames, agents, 3)),
        "heading": (np.float64, (frames, agents)),
        "velocity": (np.float64, (frames, agents, 2)),
        "present": (np.bool_, (frames, agents)),
        "arrived_frame": (np.int64, (agents,)),
        "radius": (np.float64, (agents,)),
        "crowd": (np.int64, (agents,)),
        "unhindered_time": (np.float64, (agents,)),
        "box": (np.float64, (agents, 2)),
        "group": (np.int64, (agents,)),
        "doing": (np.int8, (frames, agents)),
        "because_of": (np.int32, (frames, agents)),
        "wish": (np.float16, (frames, agents, 2)),
        "stop": (np.int16, (frames, agents)),
        "activity": (np.int8, (frames, agents)),
        "gaze": (np.float32, (frames, agents, 3)),
        "seat_height": (np.float32, (frames, agents)),
        "keeps_height": (np.bool_, (agents,)),
    }


def _nothing(name: str, shapes: dict[str, tuple[type, tuple[int, ...]]]) -> NDArray[Any]:
    """Return an attribute of trajectories of which nothing is recorded; it takes no memory."""
    if name not in shapes:
        return np.zeros(0, np.str_)
    dtype, shape = shapes[name]
    return np.broadcast_to(np.array(_NOTHING[name], dtype), shape)


def _checked(arrays: dict[str, NDArray[Any]], path: str | Path) -> dict[str, Any]:
    """Return what a `Trajectories` is made of, or raise `FootfallError` where the arrays do not fit together."""
    if "frames" in arrays and "radius" in arrays:
        shapes = _shapes(arrays["frames"].size, arrays["radius"].size)
        for group in (_OF_STOPS, _OF_ACTIVITIES):
            if not any(name in arrays for name in group):
                arrays |= {name: _nothing(name, shapes) for name in group}
    saved = [field.name for field in fields(Trajectories) if field.name not in _NOT_SAVED]
    missing = [name for name in saved if name not in arrays]
    if missing:
        raise FootfallError(f"'{path}' is not a trajectories file: there is no array {', '.join(missing)}")
    for name, (dtype, shape) in _shapes(arrays["frames"].size, arrays["radius"].size).items():
        if arrays[name].dtype != dtype or arrays[name].shape != shape:
            found = f"{arrays[name].dtype} {arrays[name].shape}"
            raise FootfallError(
                f"'{path}' is not a trajectories file: {name} is {found}, not {np.dtype(dtype)} {shape}"
            )
    parts: dict[str, Any] = {name: arrays[name] for name in saved}
    words = {name: tuple(parts[name].tolist()) for name in _WORDS}
    return parts | words | {"fps": float(parts["fps"])}
