# SPDX-License-Identifier: GPL-3.0-or-later
"""Corridor maps in files: an npz with the obstacles as they were handed over and the axis as it was built.

    save_map(path, content) ; load_map(path) -> Content

Nothing is built when a map is loaded, so loading does without pyvoronoi; the axis is checked as after a build.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import FootfallError, GeometryError
from ..safe_writing import reason, whole_file
from .chart import Partition
from .free_space import Grid, Ground, Shape
from .medial_axis import Axis, Sites, check_axis
from .stock import Stock, box_of

Float64 = NDArray[np.float64]

FORMAT = 2

_GROUND = ("corners", "following", "before", "first_of_outline", "first_of_hole")

# What zipfile and numpy raise at a file that is damaged or not theirs.
_UNREADABLE = (OSError, ValueError, EOFError, RuntimeError, KeyError, IndexError, MemoryError, zipfile.BadZipFile)


@dataclass(frozen=True, eq=False)
class Content:
    """What a file holds.

    Attributes:
        stock: the obstacles.
        bounds: float64 (B, 2) [m].
        next_id: the id that the next obstacle gets.
        partition: what was built of them.
    """

    stock: Stock
    bounds: Float64
    next_id: int
    partition: Partition


def save_map(path: str | Path, content: Content) -> None:
    """Write a map; the file takes its place only when it is whole.

    Raises:
        FootfallError: it cannot be written; what stood there before is untouched.
    """
    partition, shapes = content.partition, content.stock.shapes
    lines = [(*shape.rings, *(() if shape.line is None else (shape.line,))) for shape in shapes.values()]
    ground, axis, grid = partition.ground, partition.axis, partition.grid
    arrays: dict[str, Any] = {
        "format": FORMAT,
        "bounds": content.bounds,
        "next_id": content.next_id,
        "ids": np.array(list(shapes), dtype=np.int64),
        "rings": np.array([len(shape.rings) for shape in shapes.values()], dtype=np.int64),
        "lengths": np.array([len(line) for parts in lines for line in parts], dtype=np.int64),
        "points": np.concatenate([np.zeros((0, 2)), *(line for parts in lines for line in parts)]),
        "grid": np.array([*grid.origin, grid.steps, grid.extent]),
        **{name: getattr(ground, name) for name in _GROUND},
        **{name: getattr(axis, name) for name in ("vertices", "clearance", "tail", "head", "left", "right")},
    }
    with whole_file(path) as stream:
        np.savez(stream, **arrays)


def load_map(path: str | Path) -> Content:
    """Read what `save_map` wrote.

    Raises:
        FootfallError: there is no such file, it holds no corridor map, or the map in it is damaged.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = dict(file)
        if int(arrays["format"]) != FORMAT:
            raise FootfallError(f"'{path}' holds a corridor map of format {arrays['format']}, and we read {FORMAT}")
        return _content_of(arrays)
    except GeometryError as error:
        raise FootfallError(f"'{path}' holds a damaged corridor map: {error}") from error
    except FileNotFoundError as error:
        raise FootfallError(f"cannot read '{path}': {reason(error)}") from error
    except _UNREADABLE as error:
        raise FootfallError(f"'{path}' holds no corridor map that can be read") from error


def _content_of(arrays: dict[str, Any]) -> Content:
    x, y, steps, extent = arrays["grid"].tolist()
    grid = Grid((x, y), steps, extent)
    ground = Ground(*(arrays[name] for name in _GROUND))
    axis = Axis(*(arrays[name] for name in ("vertices", "clearance", "tail", "head", "left", "right")))
    sites = Sites.around(ground, grid)
    check_axis(axis, sites, ground, grid)
    parts = iter(np.split(arrays["points"], np.cumsum(arrays["lengths"])[:-1]))
    shapes: dict[int, Shape] = {}
    for number, rings in zip(arrays["ids"].tolist(), arrays["rings"].tolist(), strict=True):
        shapes[number] = Shape(tuple(next(parts) for _ in range(rings)), None if rings else next(parts))
    boxes = np.array([box_of(shape) for shape in shapes.values()]).reshape(-1, 4)
    stock = Stock(shapes, arrays["ids"], boxes)
    return Content(stock, arrays["bounds"], int(arrays["next_id"]), Partition(grid, ground, sites, axis))
