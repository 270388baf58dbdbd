# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user asks for: a `Scene` of obstacles, routes, areas and crowds, validated as a whole when it is made.

Every fault is found in one pass and reported with its place, as a path into the scene file.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import SceneError
from .entities import SceneContent
from .validation import find_faults


@dataclass(frozen=True, eq=False)
class Scene(SceneContent):
    """A sound `SceneContent`: see there for its fields.

    Raises:
        SceneError: with every fault there is.
    """

    def __post_init__(self) -> None:
        faults = find_faults(self)
        if faults:
            raise SceneError(faults)
