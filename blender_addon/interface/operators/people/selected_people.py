# SPDX-License-Identifier: GPL-3.0-or-later
"""Which people are selected, and why nobody is."""

from __future__ import annotations

from collections import defaultdict

import bpy
import numpy as np

from ....bakes.copies import copy_message, original_of
from ....bakes.edited_people import mover_of
from ....bakes.instance_crowds import is_crowd_of_instances, roles_of
from ....baking.instances.making_real import people_selected
from ....blender_data.tags import MADE_AS, TAG
from ....settings.scene_settings import scene_of, settings_of

_Context = bpy.types.Context

_NOBODY = (
    "Select baked characters first, or a crowd of instances. Go to Person finds people who are not "
    "present at this frame"
)


def people_meant(context: _Context) -> dict[str, list[str]]:
    """The people that are selected, by the identity of their crowd; of instances those with a selected sample."""
    scene = scene_of(context)
    people: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for obj in context.selected_objects:
        if TAG not in obj or original_of(scene, obj) is not None:
            continue
        if is_crowd_of_instances(obj):
            chosen = people_selected(obj)
            everybody = len(obj.data.edges)
            if not 0 < len(chosen) < everybody:
                chosen = np.array([settings_of(scene).overlays.person - 1])
            people[obj[TAG]] |= dict.fromkeys(role.title for role in roles_of(obj, chosen[chosen < everybody]))
            continue
        mover = mover_of(obj)
        if mover is not None and MADE_AS in mover:
            people[mover[TAG]][mover[MADE_AS]] = None
    return {uid: list(names) for uid, names in people.items()}


def why_nobody(context: _Context) -> str:
    """Say why none of the selected objects is a person of a bake."""
    scene, active = scene_of(context), context.active_object
    for obj in context.selected_objects:
        original = original_of(scene, obj)
        if original is not None:
            return copy_message(obj, original)
    hidden = active if active is not None and TAG in active and active.hide_viewport else None
    if hidden is not None and not any(TAG in obj for obj in context.selected_objects):
        return f"'{hidden.name}' is not present at frame {scene.frame_current}: Go to Person selects it"
    return _NOBODY
