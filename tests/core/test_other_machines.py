# SPDX-License-Identifier: GPL-3.0-or-later
"""The same scene gives the same bytes on another machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.elsewhere import can_be_older, on_each

ROOT = Path(__file__).resolve().parents[2]
SCENE = {
    "footfall_scene": 1,
    "frames": [1, 72],
    "bounds": [[0, 0], [60, 0], [60, 40], [0, 40]],
    "obstacles": [
        {"name": "Wall", "outline": [[20, 10], [21, 10.3], [21, 19], [20, 18.7]]},
        {"name": "Bench", "outline": [[9, 3.6], [9.9, 3.7], [9.8, 4.5], [8.9, 4.4]]},
    ],
    "areas": [
        {"name": "West", "outline": [[11, 6], [15, 6], [15, 24], [11, 24]]},
        {"name": "East", "outline": [[26, 6], [30, 6], [30, 24], [26, 24]]},
    ],
    "routes": [
        {"name": "Path", "points": [[1, 4, 0], [14, 4, 0], [14, 2, 0], [26, 3, 1]], "width": 2.0},
        {"name": "Bend", "points": [[2 + k, 36 + 0.07 * k * k, 0.0] for k in range(9)]},
        {"name": "Round", "points": [[40, 4, 0], [50, 4, 0], [50, 12, 0], [40, 12, 0]], "closed": True},
        {"name": "Road", "points": [[1, 32, 0], [30, 32, 0], [50, 24, 0]], "lanes": 2, "two_way": True},
    ],
    "crowds": [
        {"name": "Walkers", "count": 8, "route": "Path", "spawn": {"mode": "spread"}},
        {"name": "Two", "count": 2, "route": "Bend"},
        {"name": "Strollers", "count": 4, "route": "Round", "avoidance": "human_like", "arrival": "loop"},
        {"name": "Out", "count": 8, "start": "West", "goal": "East"},
        {"name": "Back", "count": 8, "start": "East", "goal": "West", "avoidance": "human_like"},
        {
            "name": "Hasty",  # the power that this comfort asks for is one that processors round differently
            "count": 6,
            "route": "Path",
            "spawn": {"mode": "spread"},
            "following": {"comfort": 0.3370000123977661},
        },
        {"name": "Cars", "kind": "vehicle", "count": 4, "route": "Road"},
    ],
}
PROGRAM = "import sys; from core import load_scene, simulate; print(simulate(load_scene(sys.argv[1])).digest())"


def digest_of(path: Path, **changes: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, str(path)],
        cwd=ROOT,
        env=os.environ | changes,
        capture_output=True,
        text=True,
        timeout=900,
        check=True,
        encoding="utf-8",
    )
    return done.stdout.strip()


@pytest.fixture(scope="module")
def scene_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scene") / "scene.json"
    path.write_text(json.dumps(SCENE), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def here(scene_file: Path) -> str:
    return digest_of(scene_file)


@can_be_older
@on_each
def test_another_machine_gives_the_same_bytes(scene_file: Path, here: str, changes: dict[str, str]):
    assert len(here) == 64
    assert digest_of(scene_file, **changes) == here
