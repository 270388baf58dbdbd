# SPDX-License-Identifier: GPL-3.0-or-later
"""Rounds of edits and bakes drawn by lot, as a day at the desk has them; after each, the file must be in order.

In order means: all that is the user's is as before the bake, to the last key; nothing of a bake is left that nothing
uses; and people move, and are keyed, as in a bake of the saved file by a Blender that has just been started.

Usually there are 8 rounds, in a thorough run 30 others or, with FOOTFALL_ROUNDS=500, more; a round that fails is drawn
again by the same number of its file, `-k "file-7-of"`.
"""

import os
import random

import bpy
import pytest

from tests.sweeps import sweep

from ..contents import MINE, PINNED, TAG, all_blocks, all_values, differing, is_ours, users_values, was_baked
from .animators_hand import Hand, NothingToDoError
from .fresh_bake import FreshBlender, baked, written

ROUNDS = int(os.environ.get("FOOTFALL_ROUNDS", "30"))
ROUNDS_OF_A_FILE, USUAL_ROUNDS = 15, 8
STEPS_BACK = 6
BY_OUR_OPERATORS = {"say_something_of_people", "forget_what_was_said", "make_somebody_real"}


@pytest.fixture(scope="module")
def fresh():
    blender = FreshBlender()
    yield blender
    blender.end()


@pytest.fixture
def day(addon, fresh, tmp_path, request):
    return Day(random.Random(request.param), fresh, tmp_path, addon)


class Day:
    """A file, all that is done to it, and what must hold after each step."""

    def __init__(self, lot, fresh, folder, addon):
        self.lot, self._fresh, self._folder = lot, fresh, folder
        self._job = addon.module("blender_addon.baking.bake").BakeJob
        self._error = addon.errors.FootfallError
        self.hand = Hand(lot)
        self.hand.build()
        self.told = []
        self._states = []
        self._note_state("a new file")

    def edit(self):
        """One to three edits by lot, one undo step."""
        for _ in range(self.lot.randint(1, 3)):
            name = self.lot.choice(self.hand.edits())
            bpy.context.view_layer.update()  # what was linked just now becomes part of the scene
            before = users_values() if name in BY_OUR_OPERATORS else None
            try:
                self.told.append(f"{name}: {getattr(self.hand, name)()}")
            except NothingToDoError:
                continue
            except RuntimeError as refused:
                self._must_be_told(refused)
            if before is not None:
                assert without_looks(differing(before, users_values())) == []
        if self.lot.random() < 0.9:
            self.hand.mend()
        bpy.context.view_layer.update()
        bpy.ops.ed.undo_push(message="edit")
        self._note_state("edit")

    def bake(self, **settings):
        """Bake; what is refused leaves all as it was."""
        before, users = all_values(), users_values()
        others = {scene.name: baked_elsewhere(scene) for scene in bpy.data.scenes if scene != bpy.context.scene}
        aims, kept, giving_way = aimed_at(), keys_of_the_users(), what_may_move()
        try:
            bpy.ops.footfall.bake("EXEC_DEFAULT", True, **settings)
        except RuntimeError as refused:
            self._must_be_told(refused)
            assert without_looks(differing(before, all_values())) == []
            if "edited by hand" in str(refused):
                self.bake(**settings, edited=self.lot.choice(["KEEP", "OVERWRITE"]))
            return
        self.told.append(f"bake {settings}")
        assert without(giving_way, differing(users, users_values())) == []
        assert {scene.name: baked_elsewhere(scene) for scene in bpy.data.scenes if scene.name in others} == others
        assert {name: keys for name, keys in keys_of_the_users().items() if name in kept} == kept
        follow(aims)
        assert orphans() == []
        assert who_should_not_be_seen() == []
        self._note_state("bake")
        if "crowd" not in settings:
            path = self._folder / "copy.blend"
            bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
            assert baked(bpy.context.scene) == self._fresh.bake(path)

    def bake_one_crowd(self):
        crowds = bpy.context.scene.footfall.crowds
        if len(crowds):
            self.bake(crowd=self.lot.choice(list(crowds)).name)

    def clear(self):
        """Remove the bakes: of them nothing is left but what is pinned, or used by what the user has copied."""
        users, giving_way = users_values(), what_may_move()
        try:
            bpy.ops.footfall.clear("EXEC_DEFAULT", True)
        except RuntimeError as refused:
            self._must_be_told(refused)
            return
        self.told.append("clear")
        assert without(giving_way, differing(users, users_values())) == []
        assert orphans() == []
        uids = {crowd.uid for crowd in bpy.context.scene.footfall.crowds}
        assert [obj.name for obj in bpy.context.scene.objects if obj.get(TAG) in uids and is_ours(obj)] == []
        self._note_state("clear")

    def cancel(self):
        """Begin a bake and cancel it somewhere."""
        before = all_values()
        try:
            job = self._job(bpy.context.scene)
            for _ in range(self.lot.randint(0, 60)):
                if job.run_for(0.0):
                    self._note_unmarked("ended before it was cancelled")
                    return
        except self._error as refused:
            self.told.append(f"refused: {refused}")
        else:
            self.told.append(f"cancelled while {job.stage} at {job.fraction:.2f}")
            job.cancel()
        assert differing(before, all_values()) == []

    def undo_and_redo(self):
        """Go some steps back, perhaps some of them forth again: each state is as it was."""
        back = self.lot.randint(0, min(STEPS_BACK, len(self._states) - 1))
        for number in range(back):
            bpy.ops.ed.undo()
            self._must_be(self._states[-2 - number])
        forth = self.lot.randint(0, back)
        for number in range(forth):
            bpy.ops.ed.redo()
            self._must_be(self._states[len(self._states) - back + number])
        self.told.append(f"{back} steps back and {forth} forth")
        del self._states[len(self._states) - back + forth :]

    def save_and_reload(self):
        path = str(self._folder / "day.blend")
        bpy.ops.wm.save_as_mainfile(filepath=path)
        bpy.ops.wm.open_mainfile(filepath=path)
        self.told.append("save and reload")
        self._states.clear()
        self._note_unmarked("loaded")

    def _note_unmarked(self, what):
        """Something has changed that is no undo step yet."""
        bpy.ops.ed.undo_push(message=what)
        self._note_state(what)

    def _note_state(self, what):
        if what == "a new file":
            bpy.ops.ed.undo_push(message=what)
        self._states.append((what, all_values()))
        del self._states[: -STEPS_BACK - 1]

    def _must_be(self, state):
        what, values = state
        assert without_looks(differing(values, all_values())) == [], what

    def _must_be_told(self, refused):
        text = str(refused)
        assert text.startswith(("Error: ", "Operator bpy.ops.")), text
        assert "Traceback" not in text
        self.told.append(f"refused: {text.strip()}")


def without_looks(differences):
    """Leave out what is selected and active, as who refuses selects the culprit, and the cursor, which undo leaves."""
    return without([".active:", ".selected:", ".active_crowd_index:", ".cursor."], differences)


def what_may_move():
    """Words of what a bake may change: whom the camera looks at, and the place of what lies in a bake's collection."""
    inside = [obj for each in bpy.data.collections if TAG in each for obj in each.objects if not was_baked(obj)]
    return ["constraints[0].target", *(["used by", ".collection.objects"] if inside else [])]


def without(words, differences):
    return [each for each in differences if not any(word in each for word in words)]


def keys_of_the_users():
    """What pinned people, and copies that the user has made of people, play."""
    return {obj.name: written(obj) for obj in bpy.data.objects if PINNED in obj or MINE in obj}


def baked_elsewhere(scene):
    """What a scene shows of bakes, with all its keys."""
    blocks = [(obj.name, obj) for obj in scene.objects if TAG in obj and MINE not in obj]
    return {name: (obj.animation_data.action.name if obj.animation_data and obj.animation_data.action else None,
                   obj.data.name if obj.data else None) for name, obj in blocks}  # fmt: skip


def aimed_at():
    """Whom the camera looks at, if it looks at somebody of a bake: crowd and name."""
    camera = bpy.data.objects.get("Camera")
    target = camera.constraints[0].target if camera is not None and camera.constraints else None
    return (target[TAG], target["footfall_made_as"]) if target is not None and TAG in target else None


def follow(aim):
    """Who was looked at is looked at still, if there is such a person."""
    if aim is None or not any(obj.get("footfall_made_as") == aim[1] for obj in bpy.context.scene.objects):
        return
    assert aimed_at() == aim


def who_should_not_be_seen():
    """Those of hidden and deleted people who are seen; crowds that are not baked show what they last showed."""
    put_away = {(crowd.uid, edit.name) for crowd in bpy.context.scene.footfall.crowds if crowd.baked
                for edit in crowd.edits if edit.hidden or edit.deleted}  # fmt: skip
    return [obj.name for obj in bpy.context.scene.objects
            if is_ours(obj) and (obj.get(TAG), obj.get("footfall_made_as")) in put_away]  # fmt: skip


def orphans():
    """What bakes of this scene's crowds, or built-in figures, have left that nothing uses."""
    uids = {crowd.uid for crowd in bpy.context.scene.footfall.crowds}
    unused = [block for _, block in all_blocks() if block.users == 0 and is_ours(block)]
    return [f"{each.bl_rna.identifier} {each.name}" for each in unused if each.get(TAG, next(iter(uids), "")) in uids]


def steps_of(day):
    """What may follow an edit, a bake most often."""
    some = [day.bake_one_crowd, day.clear, day.cancel, day.undo_and_redo, day.undo_and_redo, day.save_and_reload]
    return [day.bake] * 8 + some


FILES = range(-(-ROUNDS // ROUNDS_OF_A_FILE))


@pytest.mark.parametrize(
    ("day", "rounds"),
    sweep([(0, USUAL_ROUNDS), *((number, ROUNDS_OF_A_FILE) for number in FILES)], usual=1),
    indirect=["day"],
    ids=["a-few-rounds", *(f"file-{number}-of-lots" for number in FILES)],
)
def test_a_day_of_edits_and_bakes_leaves_the_file_in_order(day, rounds):
    try:
        for _ in range(rounds):
            day.edit()
            day.lot.choice(steps_of(day))()
        day.hand.mend()
        day.bake()
        day.clear()
    except BaseException:
        print("\n".join(day.told))
        raise
