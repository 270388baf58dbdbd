# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake adds to the core's report: how far feet slide, and who of the panel's crowds everybody is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...core import Trajectories
from ...core.geometry.reproducible_math import length
from ...core.motion.feet.step_faults import LENGTHS
from ...core.report.events import FEET, GLIDE, SUNK, event, ranked
from ...core.report.report_settings import REPORT
from ..bakes.roles import Role
from ..characters.legs.slides import slide_figures
from ..characters.suitability import is_unlikely
from ..settings.problems import original_among
from .casting.cast import Cast
from .casting.crowd_feet import SEEN_SLIDE, SeenCharacter, visible_size

NEAR_ORIGINAL = 1.0
"""People pass an original that is nearer than this [m]; chosen."""


class Person(NamedTuple):
    """Who an agent is: `crowd`, the identity of its crowd in the panel, its `role`, and the `name` it is seen by."""

    crowd: str
    role: Role
    name: str


def complete_report(
    report: dict[str, Any],
    t: Trajectories,
    casts: Iterable[Cast],
    people: Sequence[Person],
    *,
    say: Callable[[str], str],
) -> None:
    """Add to a report what only a bake knows, and tell it by the names of the user's objects.

    Args:
        report: the core's.
        t: what it is about.
        casts: of the crowds that were written.
        people: who each agent is.
        say: tells a sentence of the core by those names.
    """
    casts = list(casts)
    _add_slide_figures(report, casts, people)
    _add_stance(report, casts)
    of_feet = (*_feet_events(t, casts, people), *_character_events(t, casts, people))
    seen = [each for each in of_feet if each["severity"] >= REPORT.least_conduct]
    events, left_out = ranked([*report["events"], *seen])
    told = ({"reason": say(each["reason"])} if "reason" in each else {} for each in events)
    report["events"] = [each | _who(each["agents"], people) | reason for each, reason in zip(events, told, strict=True)]
    report["notices"] = [say(notice) for notice in report["notices"]]
    report["events_left_out"] |= left_out


def originals_among(t: Trajectories, casts: Iterable[Cast], unit: float) -> list[str]:
    """Return sentences about characters of the user's that are rendered where their own copies walk.

    Args:
        t: where everybody is.
        casts: of the crowds that were written.
        unit: metres per Blender unit.
    """
    told = []
    for original in dict.fromkeys(each for cast in casts for each in cast.shown_originals()):
        place = np.array(original.matrix_world.translation, dtype=np.float64) * unit
        away = length((t.position[..., :2] - place[:2])[t.present])
        if len(away) and away.min() < NEAR_ORIGINAL:
            told.append(original_among(original.name))
    return told


def _add_slide_figures(report: dict[str, Any], casts: Sequence[Cast], people: Sequence[Person]) -> None:
    """How far planted feet slide, of those characters whose legs are known."""
    found_of: defaultdict[str, list[Any]] = defaultdict(list)
    for (crowd, _), found in sorted(
        (item for cast in casts for item in cast.feet.slides.items()), key=lambda item: item[0]
    ):
        found_of[crowd].append(found)
    slides = {crowd: np.concatenate(found) for crowd, found in found_of.items()}
    if any(map(len, slides.values())):
        report["total"] |= slide_figures(np.concatenate(list(slides.values())))
    called = {who.role.crowd: who.role.called for who in people}
    for known_as, found in slides.items():
        if len(found) and called.get(known_as) in report["crowds"]:
            report["crowds"][called[known_as]] |= slide_figures(found)


def _feet_events(t: Trajectories, casts: Sequence[Cast], people: Sequence[Person]) -> Iterator[dict[str, Any]]:
    """Each agent whose feet slide, and whose feet do what those of nobody do, once a kind, at the worst.

    Who is taller than people is seen from farther away.
    """
    visible, size = vars(REPORT.visible), {}
    for feet in (cast.feet for cast in casts):
        size |= {key: visible_size(feet.seen[name].height) for key, name in feet.plays.items() if name in feet.seen}
    faults = {key: found for cast in casts for key, found in cast.feet.faults.items()}
    for agent, who in enumerate(people):
        for kind, (amount, row) in faults.get(who.role[:2], {}).items():
            severity = amount / visible[kind] / (size.get(who.role[:2], 1.0) if kind in LENGTHS else 1.0)
            yield event(t, kind, agent, frame=int(t.frames[row]), amount=amount, severity=severity)
    worst = {key: found for cast in casts for key, found in cast.feet.worst.items()}
    known = ((agent, worst.get(who.role[:2])) for agent, who in enumerate(people))
    for agent, found in known:
        if found is not None:
            severity = found[0] / SEEN_SLIDE / size.get(people[agent].role[:2], 1.0)
            yield event(t, FEET, agent, frame=int(t.frames[found[1]]), amount=found[0], severity=severity)


def _add_stance(report: dict[str, Any], casts: Sequence[Cast]) -> None:
    """For how much of the time feet stand that walk; None where nobody walks long enough to tell."""
    if any(cast.feet.plays for cast in casts):
        stances = [share for cast in casts for each in cast.feet.seen.values() for share in each.footwork.stance]
        report["total"]["foot_stance"] = round(float(np.mean(stances)), 3) if stances else None


def _character_events(t: Trajectories, casts: Sequence[Cast], people: Sequence[Person]) -> Iterator[dict[str, Any]]:
    """Each character whose feet hardly stand or slide as it walks, or whose soles are off the ground, with its people.

    The first of these is the one who was looked at.
    """
    for cast in casts:
        for character, seen in cast.feet.seen.items():
            agents = [agent for agent, who in enumerate(people) if cast.feet.plays.get(who.role[:2]) == character]
            agents.sort(key=lambda agent: seen.role is None or people[agent].role[:2] != seen.role[:2])
            found = list[tuple[str, float, float, int, str]]()
            if seen.stance < REPORT.visible.stance:
                found.append((GLIDE, seen.stance, REPORT.glide_severity, seen.row, why_it_glides(character, seen)))
            found.append((FEET, seen.slide, seen.slide_severity, seen.row, why_it_slides(character, seen)))
            found += [(*each, why_it_is_off_the_ground(character, seen, each[0])) for each in seen.off_the_ground()]
            for kind, amount, severity, row, reason in found:
                one = event(t, kind, agents[0], frame=int(t.frames[row]), amount=amount, severity=severity)
                yield one | {"agents": agents, "reason": reason}


def why_it_slides(character: str, seen: SeenCharacter) -> str:
    """Compose the reason why the feet of a character slide while they stand, with the way out."""
    what = f"the feet of '{character}'{seen.hint} slide while they stand in {_walk_of(seen)}"
    return what + (_other_walk(seen, "set Stride") if seen.plants_feet else "; turn on Planted Feet, or set Stride")


def why_it_is_off_the_ground(character: str, seen: SeenCharacter, kind: str) -> str:
    """Compose the reason why the soles of a character are in the ground or over it, with the way out."""
    soles = f"the soles of '{character}'{seen.hint} reach into the ground"
    what = soles if kind == SUNK else f"no foot of '{character}'{seen.hint} is on the ground at times"
    if seen.soles is not None and seen.soles.is_steady:
        way = "up" if kind == SUNK else "down"
        return f"{what} in {_walk_of(seen)}; move its meshes {way} within its armature, to where its bones stand"
    if not seen.plants_feet:
        return f"{what} in {_walk_of(seen)}; turn on Planted Feet, or choose a clip with steps"
    return f"{what} in {_walk_of(seen)}{_other_walk(seen)}"


def why_it_glides(character: str, seen: SeenCharacter) -> str:
    """Compose the reason why the feet of a character hardly stand, with the way out."""
    who = f"'{character}'{seen.hint}"
    if not seen.walk:
        return f"{who} has no walk; add a clip named Walk to its NLA tracks or to the file"
    hardly = f"hardly stand in {_walk_of(seen)}"
    if is_unlikely(seen.height):
        return (
            f"{who} is {seen.height:.3g} m tall, and its feet {hardly}; if it is a person, type its Height in "
            f"the cast table, else choose a clip with steps, or set Stride"
        )
    has_no_knees = not (seen.walks_as_ours or seen.may_walk_as_ours or seen.has_legs)
    bends = ", none of its legs has a knee that could be bent to hold them" if has_no_knees else ""
    named = ["name its legs in Parts of the Body and press Check Character"] * has_no_knees
    return f"the feet of {who} {hardly}{bends}{_other_walk(seen, 'set Stride', *named)}"


def _walk_of(seen: SeenCharacter) -> str:
    return "Footfall's own walk" if seen.walks_as_ours else f"its walk '{seen.walk}'"


def _other_walk(seen: SeenCharacter, *more: str) -> str:
    """Say which walk would suit a character better, or what `more` would help."""
    if seen.is_figure:
        ways = list(more)
    elif seen.walks_as_ours:
        ways = ["choose a clip with steps that was made for its body", *more]
    else:
        ways = ["choose a clip with steps", *more]
        ways += ["empty its Walk in the cast table to use Footfall's own"] * seen.may_walk_as_ours
    fits = seen.walks_as_ours or seen.may_walk_as_ours
    if not ways:
        return ""
    *others, last = ways
    told = f"{', '.join(others)}, or {last}" if others else last
    return f"; {told}" if fits else f", and Footfall's does not fit its body; {told}"


def _who(agents: Sequence[int], people: Sequence[Person]) -> dict[str, Any]:
    """The crowd's identity and what its character is known by, for each agent; and the characters' names."""
    roles = [people[agent].role for agent in agents]
    return {
        "people": [[people[agent].crowd, role.title] for agent, role in zip(agents, roles, strict=True)],
        "names": [people[agent].name for agent in agents],
    }
