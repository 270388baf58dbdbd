# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user sets: `scene.footfall`, with its crowds.

Blender evaluates the annotations below: no `from __future__ import annotations` here.
"""

import uuid
from typing import Any

import bpy
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, IntProperty, PointerProperty, StringProperty

from ...core import scene as core
from . import cast_rows
from . import problems as problem_properties
from . import triggers as trigger_properties
from .active_rows import active_row
from .bake_status import ITEMS, state_of
from .cast_rows import FootfallCastRow
from .crowd import crowd as crowd_properties
from .crowd import edits, motion, planning, presence, spawning, steering, stops, vehicle
from .crowd.crowd import FootfallCrowd, is_mesh
from .crowd.edits import FootfallHandwork
from .overlays import FootfallOverlays
from .problems import FootfallProblem
from .properties.tracked_properties import BoolSetting, CollectionSetting, FloatSetting, IntSetting, ObjectSetting
from .triggers import FootfallTrigger


def _show_problem(settings: Any, _context: bpy.types.Context) -> None:
    """Somebody has chosen a line of the report."""
    if settings.active_problem_index >= 0 and bpy.ops.footfall.go_to_problem.poll():  # ty: ignore[missing-attribute]
        bpy.ops.footfall.go_to_problem()  # ty: ignore[missing-attribute]


class FootfallScene(bpy.types.PropertyGroup):
    """All of Footfall's settings of one scene."""

    __slots__ = ()

    crowds: CollectionProperty(type=FootfallCrowd)
    active_crowd_index: IntProperty(name="Active Crowd", description="The crowd that the panels show", options=set())
    triggers: CollectionProperty(type=FootfallTrigger)
    active_trigger_index: IntProperty(
        name="Active Trigger", description="The trigger that the panel shows", options=set()
    )
    cast: CollectionProperty(type=FootfallCastRow)
    active_character_index: IntProperty(
        name="Active Character", description="The row of the cast table that the panel shows", options=set()
    )
    obstacles: CollectionSetting(
        name="Obstacles",
        description="Collection of the meshes that people walk round, including its child collections",
    )
    heroes: CollectionSetting(
        name="Heroes",
        description="Collection of characters and objects that you animate: everybody avoids them, and they avoid "
        "nobody. Objects without geometry, such as empties, count as one person",
    )
    ground: ObjectSetting(
        name="Ground",
        description="Mesh that people stand on: steps, ramps, hills. Empty: they stay at the height of the curve",
        poll=is_mesh,
    )
    bounds: ObjectSetting(
        name="Bounds",
        description="Mesh whose footprint nobody leaves. Empty: people may go anywhere",
        poll=is_mesh,
    )
    crossings: CollectionSetting(
        name="Crossings",
        description="Collection of flat meshes on roads, on which vehicles stop for people",
    )
    keep_left: BoolSetting(
        name="Keep Left",
        description="Traffic keeps to the left of two-way roads, and at equal crossings the vehicle from the left "
        "goes first",
        default=core.Scene.keep_left,
    )
    seed: IntSetting(
        name="Seed",
        description="Seed of the random numbers: a different number gives different speeds and positions",
        default=core.Scene.seed,
        min=0,
    )
    head_height: FloatSetting(
        name="Head Height (m)",
        description="Parts of obstacles higher than this above the ground are ignored [m]",
        default=2.0,
        min=0.1,
        soft_max=5.0,
    )
    auto_rebake: BoolProperty(
        name="Auto Re-bake",
        description="Bake again after each change of an input: simulates only the frames that can change, and any "
        "edit interrupts it",
        default=False,
        options=set(),
    )
    overlays: PointerProperty(type=FootfallOverlays)
    report: StringProperty(
        name="Report",
        description="The report of the last bake, as JSON; empty when there is none",
        options={"HIDDEN"},
    )
    bake_state: EnumProperty(
        name="Bake",
        description="Whether a new bake would give a different result, as far as known without reading the scene",
        items=ITEMS,
        get=state_of,
        options={"HIDDEN"},
    )
    explanation: StringProperty(
        name="Explanation",
        description="The last answer of Explain Person, as JSON",
        options={"HIDDEN"},
    )
    handwork: CollectionProperty(
        type=FootfallHandwork,
        name="Edited by Hand",
        description="People that were edited by hand, as the last bake found them when it asked what to do",
    )
    problems: CollectionProperty(type=FootfallProblem)
    active_problem_index: IntProperty(
        name="Problem",
        description="Active line of the report: choosing one goes to its frame and selects the characters concerned",
        default=-1,
        options=set(),
        update=_show_problem,
    )


CLASSES = (
    *edits.CLASSES,
    *motion.CLASSES,
    *planning.CLASSES,
    *spawning.CLASSES,
    *steering.CLASSES,
    *stops.CLASSES,
    *presence.CLASSES,
    *vehicle.CLASSES,
    *crowd_properties.CLASSES,
    *trigger_properties.CLASSES,
    *cast_rows.CLASSES,
    *problem_properties.CLASSES,
    FootfallOverlays,
    FootfallScene,
)


def scene_of(context: bpy.types.Context) -> bpy.types.Scene:
    """The scene that the window shows; Blender always has one when it calls an operator or draws a panel."""
    assert context.scene is not None
    return context.scene


def settings_of(scene: bpy.types.Scene) -> FootfallScene:
    """Footfall's settings of a scene, with their type."""
    return scene.footfall  # ty: ignore[missing-attribute]


def has_bake(scene: bpy.types.Scene) -> bool:
    """Whether any crowd of a scene is baked."""
    return any(crowd.baked for crowd in settings_of(scene).crowds)


def active_crowd(scene: bpy.types.Scene) -> FootfallCrowd | None:
    """The crowd that the panels show, or None when there is none."""
    return active_row(settings_of(scene), "crowd")


def grounds_and_routes(settings: FootfallScene) -> set[bpy.types.Object | None]:
    """The ground, the bounds and the routes of all crowds; None among them, where one is not set."""
    return {settings.ground, settings.bounds, *(crowd.route for crowd in settings.crowds)}


def ensure_identities(scene: bpy.types.Scene) -> None:
    """Give each crowd that has none an identity of its own: a script adds crowds without our operator."""
    seen: set[str] = set()
    for crowd in settings_of(scene).crowds:
        if not crowd.uid or crowd.uid in seen:
            crowd.uid = uuid.uuid4().hex
        seen.add(crowd.uid)


def attach() -> None:
    """Give every scene its `footfall`."""
    bpy.types.Scene.footfall = PointerProperty(type=FootfallScene)  # ty: ignore[missing-attribute]


def detach() -> None:
    """Take `footfall` from the scenes; what was set stays in the file, unseen."""
    del bpy.types.Scene.footfall  # ty: ignore[missing-attribute]
