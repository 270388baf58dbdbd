# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line for farms and choosers: settings by words, one picture, variants side by side."""

import json
import sys
import threading

import bpy
import pytest

from ..street import new_path


@pytest.fixture
def run(addon):
    return addon.module("blender_addon.command_line").run


@pytest.fixture
def set_by_words(addon):
    return addon.module("blender_addon.headless.overrides").set_by_words


@pytest.fixture
def scene(addon):
    """A crowd of four by the name of `A.M. walkers` on a path, seen by a camera from above."""
    scene = bpy.context.scene
    scene.frame_end = 6
    path = new_path("Path", scene.collection, [(0, 0, 0), (10, 0, 0)])
    box = bpy.data.meshes.new("Box")
    box.from_pydata(
        [(0, 0, 0), (0.3, 0, 0), (0, 0.3, 0), (0, 0, 1.7)], [], [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]
    )
    boxes = bpy.data.collections.new("Boxes")
    boxes.objects.link(bpy.data.objects.new("Box", box))
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location = (5.0, 0.0, 20.0)
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.render.resolution_x, scene.render.resolution_y = 64, 32
    bpy.ops.footfall.crowd_add()
    crowd = scene.footfall.crowds[0]
    crowd.name, crowd.route, crowd.characters, crowd.count = "A.M. walkers", path, boxes, 4
    return scene


@pytest.fixture
def saved(scene, tmp_path, monkeypatch):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "street.blend"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_settings_of_every_kind(scene, set_by_words):
    other = bpy.data.objects.new("Other", bpy.data.curves.new("Other", "CURVE"))
    crowd = scene.footfall.crowds[0]
    words = ("count=7", "speed.mean=1.5", "arrival=leave", "groups.least=2", "route=Other", "spawn.mode=FLOW")
    set_by_words(scene, ["seed=9", *(f"crowds.A.M. walkers.{word}" for word in words)])
    assert (scene.footfall.seed, crowd.count, crowd.arrival, crowd.spawn.mode) == (9, 7, "LEAVE", "FLOW")
    assert crowd.speed.mean == pytest.approx(1.5)
    assert crowd.groups.least == 2
    assert crowd.route == other
    set_by_words(scene, ["crowds.A.M. walkers.route="])
    assert crowd.route is None


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("count", "there is no '='"),
        ("crowds.Nobody.count=3", "'A.M. walkers'"),
        ("crowds.A.M. walkers.cuont=3", "did you mean 'count'?"),
        ("crowds.A.M. walkers.count=many", "a whole number"),
        ("crowds.A.M. walkers.count=-3", "takes 0 to"),
        ("crowds.A.M. walkers.count=" + 5000 * "9", "takes a whole number"),
        ("crowds.A.M. walkers.path_width=-3", "takes 0.1 to 1000; got '-3'"),
        ("crowds.A.M. walkers.path_width=inf", "takes 0.1 to 1000; got 'inf'"),
        ("crowds.A.M. walkers.stride_length=-1", "takes 0 or more; got '-1'"),
        ("crowds.A.M. walkers.vehicle.lanes=17", "takes 1 to 16; got '17'"),
        ("crowds.A.M. walkers.arrival=flying", "takes one of"),
        ("crowds.A.M. walkers.route=Pth", "near are Path"),
        ("crowds.A.M. walkers.route=street", "the file has no object 'street'; there are: Path"),
        ("ground=street", "the file has no object 'street'; there are: Box"),
        ("bounds=Camera 2", "there are: Box"),
        ("obstacles=street", "the file has no collection 'street'; there are: Boxes"),
        ("crowds.A.M. walkers.speed=3", "settings of its own: mean"),
        ("seed.more=3", "holds no 'more'"),
        ("report=x", "there is no setting 'report'"),
    ],
)
def test_a_wrong_word_changes_nothing(scene, set_by_words, addon, words, told):
    with pytest.raises(addon.errors.FootfallError) as caught:
        set_by_words(scene, ["seed=5", words])
    assert told in str(caught.value)
    assert scene.footfall.seed == 0
    assert scene.footfall.crowds[0].route.name == "Path"


def test_every_wrong_word_is_told_at_once(scene, set_by_words, addon):
    with pytest.raises(addon.errors.FootfallError) as caught:
        set_by_words(scene, ["sed=5", "crowds.A.M. walkers.count=x"])
    assert len(str(caught.value).splitlines()) == 2


@pytest.mark.parametrize("words", ["crowds.Nobody.count=8", "crowds.A.M. walkers.coun=8", "seed=many", "seed"])
def test_a_wrong_word_is_a_fault_of_the_command_line(run, saved, capsys, words):
    for more in ([], ["--seed", "1..2", "--contact-sheet", "sheet.png"]):
        assert run(["bake", "--set", words, *more]) == 2
        (told,) = capsys.readouterr().err.splitlines()
        assert told.startswith(f"--set {words.partition('=')[0]}: ")
    names = told.partition("There are: ")[2].split(", ")
    assert len(names) == len(set(names))


def test_one_bake_with_other_settings_tells_its_hash(run, saved, capsys):
    said = []
    for seed in ("3", "3", "4"):
        assert run(["bake", "--set", "crowds.A.M. walkers.count=6", "--seed", seed, "--output", "one.blend"]) == 0
        said.append(next(line for line in capsys.readouterr().out.splitlines() if line.startswith("Motion ")))
        assert bpy.context.scene.footfall.crowds[0].count == 6
    assert said[0] == said[1] != said[2]
    assert len(said[0]) == len("Motion ") + 64


@pytest.mark.parametrize(
    "seed", ["9" * 5000, f"1..{'9' * 5000}", "9" * 11, "2147483648", "1..5000", "9..3", "-1", "1.5", ""]
)
def test_a_seed_that_cannot_be_is_told_in_one_line(run, saved, capsys, seed):
    assert run(["bake", "--seed", seed, "--output", "out.blend"]) == 2
    (told,) = capsys.readouterr().err.splitlines()
    assert told.startswith("--seed: ")
    assert len(told) < 200
    assert not (saved / "out.blend").exists()


def test_variants_side_by_side(run, saved, capsys):
    words = ["--seed", "1..2", "--contact-sheet", "sheet.png", "--report", "reports.json", "--output", "crowd.blend"]
    before = (saved / "street.blend").read_bytes()
    assert run(["bake", *words, "--set", "crowds.A.M. walkers.count=5", "--workers", "2"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in out] == ["Seed 1", "Seed 2"]
    assert (saved / "street.blend").read_bytes() == before
    reports = json.loads((saved / "reports.json").read_bytes())["seeds"]
    assert {report["total"]["agents"] for report in reports.values()} == {5}
    assert len({report["motion"] for report in reports.values()}) == 2
    assert sorted(path.name for path in saved.glob("crowd*")) == [f"crowd_seed{seed}.blend" for seed in (1, 2)]
    sheet = bpy.data.images.load(str(saved / "sheet.png"))
    assert tuple(sheet.size) == (2 * 480 + 3 * 6, 240 + 2 * 6)
    pixels = list(sheet.pixels)
    assert max(pixels[0::4]) - min(pixels[0::4]) > 0.2


def test_an_object_that_is_no_line_tells_which_curves_there_are(run, saved, capsys):
    assert run(["bake", "--set", "crowds.A.M. walkers.route=Camera"]) == 2
    assert "choose a curve; there is 'Path'" in capsys.readouterr().err


def test_each_variant_is_told_of_as_soon_as_it_is_done(addon, monkeypatch, tmp_path):
    variants = addon.module("blender_addon.headless.variants")
    told, first_is_told = [], threading.Event()

    def bake_one(_file, _folder, seed, _wanted):
        return (0, "baked") if seed == 1 or first_is_told.wait(60) else (1, "the first was not told of meanwhile")

    def tell(line):
        told.append(line)
        first_is_told.set()

    monkeypatch.setattr(variants, "_bake_one", bake_one)
    variants.bake_variants(tmp_path / "street.blend", variants.Variants([1, 2], [], None, None, None, 1), tell)
    assert told == ["Seed 1: baked", "Seed 2: baked"]


def test_variants_that_fail_say_so_once_and_leave_nothing(run, saved, capsys, addon, monkeypatch):
    fails = "import sys; sys.exit('the disk is full')"
    variants = addon.module("blender_addon.headless.variants")
    monkeypatch.setattr(variants, "_command", lambda *_: [sys.executable, "-c", fails])
    assert run(["bake", "--seed", "1..2", "--contact-sheet", "sheet.png"]) == 1
    assert capsys.readouterr().err == "seed 1, 2: the disk is full\n"
    assert not (saved / "sheet.png").exists()


@pytest.mark.thorough
def test_a_fault_of_all_variants_is_one_of_the_command_line(run, saved, capsys):
    words = ["--seed", "1..2", "--report", "reports.json", "--crowd", "Nobody"]
    assert run(["bake", *words]) == 2
    assert "seed 1, 2: no crowd is named 'Nobody'; there are: 'A.M. walkers'" in capsys.readouterr().err
    assert not (saved / "reports.json").exists()


@pytest.mark.parametrize("words", [["--picture", "one.png"], ["--seed", "1..2", "--contact-sheet", "sheet.png"]])
def test_where_no_picture_can_be_taken_nothing_is_baked(run, saved, capsys, words):
    bpy.context.scene.camera = None
    bpy.ops.wm.save_mainfile()
    assert run(["bake", *words]) == 2
    assert capsys.readouterr().err.startswith("the scene 'Scene' has no camera")
    assert not bpy.context.scene.footfall.crowds[0].baked


@pytest.mark.parametrize("words", [["--picture", "one.jpg"], ["--seed", "1..2", "--contact-sheet", "sheet"]])
def test_pictures_are_png_files(run, saved, capsys, words):
    assert run(["bake", *words]) == 2
    assert capsys.readouterr().err.endswith("pictures are PNG files; end its name in .png\n")
    assert not bpy.context.scene.footfall.crowds[0].baked


@pytest.mark.parametrize("workers", ["0", "-1", "many"])
def test_a_wrong_number_of_workers(run, saved, capsys, workers):
    assert run(["bake", "--seed", "1..2", "--report", "reports.json", f"--workers={workers}"]) == 2
    assert f"must be a whole number of at least 1, got '{workers}'" in capsys.readouterr().err


@pytest.mark.parametrize("seed", ["", "x", "3..1", "1..", "-1", "1..9999"])
def test_a_wrong_seed(run, saved, capsys, seed):
    assert run(["bake", f"--seed={seed}", "--contact-sheet", "sheet.png"]) == 2
    assert "--seed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "choose what to keep"),
        (["--picture", "one.png", "--report", "reports.json"], "need --contact-sheet instead"),
        (["--output", "nowhere/crowd.blend"], "there is no folder 'nowhere'"),
        (["--output", "crowd.json", "--report", "crowd_seed1.json"], "it is the file of another output"),
        (["--report", "street.blend"], "its name is that of a Blender file"),
    ],
)
def test_variants_must_be_kept_somewhere(run, saved, capsys, words, told):
    assert run(["bake", "--seed", "1..2", *words]) == 2
    assert told in capsys.readouterr().err
