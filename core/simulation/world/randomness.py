# SPDX-License-Identifier: GPL-3.0-or-later
"""Random numbers that belong to one attribute of one crowd.

Agent k takes the k-th number of its crowd's stream, so adding agents, crowds or attributes changes nobody else's draws.
"""

from __future__ import annotations

import hashlib

import numpy as np

from ...array_types import Float64, Int64, UInt64


def stream(seed: int, crowd: str, attribute: str) -> np.random.Generator:
    """Return the generator of one attribute of one crowd.

    Args:
        seed: the scene's seed.
        crowd: what the crowd is known as, see `core.scene.Crowd.identity`.
        attribute: what is drawn (`speed`, `radius`, ...).
    """
    digest = hashlib.sha256(f"{seed}\0{crowd}\0{attribute}".encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "little")))


def uniform(seed: int, crowd: str, attribute: str, count: int) -> Float64:
    """Return float64 (count,) numbers in [0, 1), the first of them the same for every larger count."""
    return stream(seed, crowd, attribute).random(count)


def normal(seed: int, crowd: str, attribute: str, count: int, *, reach: float = 2.5) -> Float64:
    """Return float64 (count,) standard normal numbers, clipped to +-`reach`: no crowd has a sprinter by chance."""
    return np.clip(stream(seed, crowd, attribute).standard_normal(count), -reach, reach)


def mixed(key: UInt64, number: Int64 | int) -> Float64:
    """Return float64 (N,) numbers in [0, 1) that depend on a key and on a number, in any order of asking.

    Args:
        key: uint64 (N,), of each person.
        number: int64 (N,), or one for all: how many draws before.

    Source: the finalizer of SplitMix64 (Steele, Lea, Flood 2014, "Fast Splittable Pseudorandom Number Generators").
    """
    x = key + np.asarray(number, dtype=np.int64).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((x ^ (x >> np.uint64(31))) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def keys(seed: int, crowd: str, attribute: str, count: int) -> UInt64:
    """Return uint64 (count,), a key for `mixed` of each person of a crowd."""
    return stream(seed, crowd, attribute).integers(0, 2**63, count).astype(np.uint64)


def turns(key: UInt64, time: float, least: float, most: float) -> tuple[Int64, Float64]:
    """Return int64 (N,), which turn of doing something each is in, and float64 (N,) in [0, 1), drawn for that turn.

    Everybody changes at times of their own.

    Args:
        key: uint64 (N,), of each person.
        time: now [s].
        least: how long a turn lasts at least [s].
        most: and at most [s].
    """
    turn = np.floor(time / _period(key, least, most) + mixed(key, 2)).astype(np.int64)
    return turn, mixed(key, turn + 3)


def ends_of_turns(key: UInt64, turn: Int64, least: float, most: float) -> Float64:
    """Return float64 (N,), when turns end [s]; see `turns`.

    Args:
        key: uint64 (N,), of each person.
        turn: int64 (N,), of each.
        least: how long a turn lasts at least [s].
        most: and at most [s].
    """
    return (turn + 1.0 - mixed(key, 2)) * _period(key, least, most)


def _period(key: UInt64, least: float, most: float) -> Float64:
    """Return float64 (N,), how long each turn of each person lasts [s]."""
    return least + (most - least) * mixed(key, 1)
