# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions and their F-curves: the only file that knows where each Blender version keeps them.

Up to 4.3 an Action holds its F-curves itself. From 4.4 on they are in a channelbag: one per slot, in a strip of a
layer. From 5.0 on there is no other way. An animated data-block then needs the Action and the slot, or nothing plays.
"""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from operator import xor
from typing import Any, NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

from .fcurves import (
    Channel,
    as_written,
    digest_of_channel,
    digest_of_curve,
    is_mute,
    read_handles,
    read_places,
    write_keys,
)

KEYS = "footfall_keys"
"""Custom property of an Action: the digest of the keys that were written into it."""

SMOOTH, PLAIN = "CONT_ACCEL", "NONE"
"""Automatic smoothing of handles: continuous acceleration, the default of new curves; or from the neighbours only."""

_BEZIER = 2  # in Blender's numbers; above are the eased ones
_HAS_SLOTS = bpy.app.version >= (4, 4, 0)


class Clip(NamedTuple):
    """An Action and one of its slots; up to Blender 4.3 there are no slots and `slot` is None."""

    action: Any  # bpy.types.Action, whose members differ between versions
    slot: Any


def new_clip(name: str, channels: Iterable[Channel], *, group: str) -> Clip:
    """Make an Action for one object; after an error none is left.

    Args:
        name: of the Action and of its slot.
        channels: what it animates.
        group: name of the channel group under which editors show the F-curves.
    """
    action = bpy.data.actions.new(name)
    with _whole_or_removed(action):
        action[KEYS] = _digest_of([])
        clip = Clip(action, action.slots.new(id_type="OBJECT", name=name) if _HAS_SLOTS else None)
        add_channels(clip, channels, group=group)
    return clip


@contextmanager
def _whole_or_removed(action: bpy.types.Action) -> Generator[None]:
    """Remove a new Action after an error."""
    try:
        yield
    except BaseException:
        bpy.data.actions.remove(action)
        raise


def add_channels(clip: Clip, channels: Iterable[Channel], *, group: str, handles: str = SMOOTH) -> None:
    """Add F-curves to an Action, replacing those of the same properties.

    Args:
        clip: the Action.
        channels: what to animate.
        group: name of the channel group under which editors show the F-curves.
        handles: `SMOOTH` or `PLAIN`; linear keys do not use handles, but Blender computes them.
    """
    bag = _ensure_bag(clip)
    changed = []
    for channel in channels:
        old = bag.fcurves.find(channel.data_path, index=channel.index)
        if old is not None:
            changed.append(digest_of_curve(old))
            bag.fcurves.remove(old)  # with its group, when it was the last in it
        curve = bag.fcurves.new(channel.data_path, index=channel.index)
        curve.group = bag.groups.get(group) or bag.groups.new(group)
        if handles != SMOOTH:
            curve.auto_smoothing = handles
        places = write_keys(curve, channel.frames, channel.values, channel.interpolation)
        changed.append(digest_of_channel(channel, places))
    if KEYS in clip.action:
        clip.action[KEYS] = _digest_of([int(clip.action[KEYS], 16), *changed])


def assign_clip(block: bpy.types.Object, clip: Clip) -> None:
    """Make a clip the active Action of a data-block."""
    animation = block.animation_data or block.animation_data_create()
    animation.action = clip.action
    if _HAS_SLOTS:
        animation.action_slot = clip.slot


def add_strip(track: bpy.types.NlaTrack, name: str, clip: Clip, first_frame: int) -> bpy.types.NlaStrip:
    """Add a clip to an NLA track, starting at a frame."""
    strip = track.strips.new(name, first_frame, clip.action)
    if _HAS_SLOTS:
        strip.action_slot = clip.slot
        if len(clip.action.slots) > 1:  # Blender knows the range of an Action with one slot only, else 0 to 1
            strip.action_frame_start, strip.action_frame_end = clip_range(clip)
            strip.frame_end = first_frame + strip.action_frame_end - strip.action_frame_start
    return strip


def clip_range(clip: Clip) -> tuple[float, float]:
    """Return first and last frame of a clip: the Action's manual range, or else that of its keys."""
    if clip.action.use_frame_range:
        return clip.action.frame_start, clip.action.frame_end
    ranges = [curve.range() for curve in curves_of(clip)]
    return min(first for first, _ in ranges), max(last for _, last in ranges)


def curves_of(clip: Clip) -> list[bpy.types.FCurve]:
    """Return the F-curves of a clip's slot."""
    if not _HAS_SLOTS:
        return list(clip.action.fcurves)
    return [curve for bag in _bags(clip) for curve in bag.fcurves]


def _quick_curves_of(clip: Clip) -> Iterator[bpy.types.FCurve]:
    """Yield the same curves for reading keys: several times as fast since Blender 4.4, see `copy_with_keys`."""
    if not _HAS_SLOTS:
        yield from clip.action.fcurves
        return
    for bag in _bags(clip):
        for curve in bag.fcurves:
            found = bag.fcurves.find(curve.data_path, index=curve.array_index)
            yield found if found == curve else curve  # some files have two curves of one property


def keys_of(clip: Clip) -> Iterator[tuple[bpy.types.FCurve, NDArray[np.float32]]]:
    """Yield the F-curves of a clip with their keys: float32 (3, 2 K), points and both handles, frame before value."""
    for curve in _quick_curves_of(clip):
        yield curve, read_handles(curve)


def digest(action: bpy.types.Action) -> str:
    """Return the digest of an Action's keys: positions and interpolation of the keys of all its curves."""
    return _digest_of(digest_of_curve(curve) for clip in clips_of_action(action) for curve in _quick_curves_of(clip))


def digest_with_handles(clip: Clip) -> str:
    """Return the digest of a clip's keys including handles, where these matter: beside Bezier keys."""
    state = hashlib.blake2b(digest_size=16)
    for curve in _quick_curves_of(clip):
        points = curve.keyframe_points
        interpolations = np.empty(len(points), dtype=np.uint8)
        points.foreach_get("interpolation", interpolations)
        most = interpolations.max(initial=0)
        keys = read_places(curve) if most < _BEZIER else read_handles(curve)
        plays = f"{is_mute(curve)} {len(curve.modifiers)} {curve.extrapolation}"
        state.update(f"{curve.data_path}[{curve.array_index}] {plays}".encode())
        state.update(keys.tobytes())
        state.update(interpolations.tobytes())
        if most > _BEZIER:
            eased = [(key.easing, key.back, key.amplitude, key.period) for key in points]
            state.update(str(eased).encode())
    return state.hexdigest()


def written_digest(action: bpy.types.Action) -> str:
    """Return the digest of an unchanged Action: stored when it was written, where it was made by `new_clip`."""
    return action.get(KEYS) or digest(action)


def _digest_of(curves: Iterable[int]) -> str:
    """Combine the digests of curves, in any order; the same curve a second time removes it."""
    return f"{reduce(xor, curves, 0):032x}"


def name_slot(clip: Clip, name: str) -> None:
    """Name the slot of a clip, where there are slots."""
    if clip.slot is not None:
        clip.slot.name_display = name


def slot_of(clip: Clip) -> str | None:
    """Return the identifier of a clip's slot; None where there are no slots."""
    return clip.slot.identifier if clip.slot is not None else None


def copy_with_keys(clip: Clip, channels: Sequence[Channel]) -> Clip | None:
    """Copy a clip and write other keys into its curves; the copy has Blender's name for copies.

    This takes about half the time of new curves: groups and interpolation are copied all at once.

    Args:
        clip: the clip to copy.
        channels: keys for each curve of `clip`, of the same number and interpolation.

    Returns:
        The copy; None, and none is made, where `clip` does not have exactly these curves and numbers of keys.
    """
    copy = copy_clip(clip)
    with _whole_or_removed(copy.action):
        changed = _put_keys(copy, channels)
        if changed is not None:
            copy.action[KEYS] = _digest_of(changed)
            return copy
    bpy.data.actions.remove(copy.action)
    return None


def _put_keys(clip: Clip, channels: Sequence[Channel]) -> list[int] | None:
    """Move the keys of existing curves; return their digests, or None where curves or numbers of keys differ."""
    curves, changed = _ensure_bag(clip).fcurves, []
    if len(curves) != len(channels):
        return None
    for channel in channels:
        # `find`, not iteration: since 4.4 reading keys of an iterated curve is slower
        curve = curves.find(channel.data_path, index=channel.index)
        places = as_written(channel.frames, channel.values)
        if curve is None or len(curve.keyframe_points) != len(places):
            return None
        curve.keyframe_points.foreach_set("co", places.ravel())
        curve.update()
        changed.append(digest_of_channel(channel, places))
    return changed


def copy_clip(clip: Clip) -> Clip:
    """Copy an Action into this file, also one that is linked from a library."""
    action = clip.action.copy()
    action.pop(KEYS, None)  # a copy is made to be changed
    if not _HAS_SLOTS:
        return Clip(action, None)
    return Clip(action, next(slot for slot in action.slots if slot.handle == clip.slot.handle))


def active_clip(animation: bpy.types.AnimData | None) -> Clip | None:
    """Return the active Action of a data-block, or None; an Action without a slot plays nothing and counts as none."""
    if animation is None or animation.action is None:
        return None
    if not _HAS_SLOTS:
        return Clip(animation.action, None)
    return Clip(animation.action, animation.action_slot) if animation.action_slot is not None else None


def clips_in_strips(animation: bpy.types.AnimData | None) -> list[Clip]:
    """Return the clips of a data-block's NLA strips, from the bottom up."""
    tracks = animation.nla_tracks if animation is not None else ()
    strips: list[Any] = [strip for track in tracks for strip in track.strips if strip.action is not None]
    if not _HAS_SLOTS:
        return [Clip(strip.action, None) for strip in strips]
    return [Clip(strip.action, strip.action_slot) for strip in strips if strip.action_slot is not None]


def clips_of_action(action: bpy.types.Action) -> list[Clip]:
    """Return a clip for each slot of an Action that objects can use."""
    if not _HAS_SLOTS:
        return [Clip(action, None)]
    return [Clip(action, slot) for slot in action.slots if slot.target_id_type in {"OBJECT", "UNSPECIFIED"}]


def _bags(clip: Clip) -> Sequence[Any]:
    strips = [strip for layer in clip.action.layers for strip in layer.strips if strip.type == "KEYFRAME"]
    bags = [strip.channelbag(clip.slot) for strip in strips]
    return [bag for bag in bags if bag is not None]


def _ensure_bag(clip: Clip) -> Any:
    if not _HAS_SLOTS:
        return clip.action
    action = clip.action
    layer = action.layers[0] if action.layers else action.layers.new("Layer")
    strip = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(clip.slot, ensure=True)
