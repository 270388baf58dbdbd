# SPDX-License-Identifier: GPL-3.0-or-later
"""Those who insist decide by the velocities of all, some by other radii, the others by what is shown to them."""

from dataclasses import replace

import numpy as np
import pytest

from core.steering.bodies import Bodies
from core.steering.model import MODELS, ModelSettings
from core.steering.obstacles import prepare_obstacles


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("name", MODELS)
def test_a_crowd_of_which_some_insist_is_the_crowd_as_each_of_them_sees_it(name, backend):
    if backend == "numba":
        pytest.importorskip("numba")
    rng = np.random.default_rng(4)
    position = rng.uniform(0.0, 12.0, (80, 2))
    velocity, wish, shown = rng.normal(0.0, 0.8, (3, 80, 2))
    insists = rng.random(80) < 0.3
    shown = np.where(insists[:, None], shown, velocity)
    bodies = Bodies(position, velocity, wish, np.full(80, 0.25), np.full(80, 2.0), heading=rng.uniform(-3.0, 3.0, 80))
    walls = prepare_obstacles([np.array([[4.0, 4.0], [7.0, 4.0], [7.0, 6.0], [4.0, 6.0]])])
    model = MODELS[name](ModelSettings(), backend)
    narrow, squeezes = np.full(80, 0.2), insists & (rng.random(80) < 0.5)
    seen = bodies, replace(bodies, radius=narrow), replace(bodies, velocity=shown)
    as_it_is, squeezed, as_shown = (model.new_velocity(each, walls, 0.04) for each in seen)
    assert (as_it_is != squeezed).any(axis=1)[squeezes].any()
    as_it_is = np.where(squeezes[:, None], squeezed, as_it_is)
    how = {"insists": insists, "shown": shown, "squeezes": squeezes, "squeezed": narrow}
    found = model.new_velocity(replace(bodies, **how), walls, 0.04)
    assert (as_it_is != as_shown).any(axis=1)[insists].any()
    assert found.tobytes() == np.where(insists[:, None], as_it_is, as_shown).tobytes()
