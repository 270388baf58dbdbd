# SPDX-License-Identifier: GPL-3.0-or-later
"""The build: what is in the zip and what is not, the same bytes twice, wheels for every Blender, an honest count."""

import os
import signal
import subprocess
import sys
import time
import tomllib
import zipfile
from pathlib import Path

import pytest

from build_tools import blender, checks, demo, environments, packaging, results

PYTHONS_OF_BLENDER = {"cp311", "cp313", "cp314"}
PLATFORM = packaging.running_platform()
needs_wheels = pytest.mark.skipif(PLATFORM not in packaging.platforms(), reason=f"no wheels exist for {PLATFORM}")


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    return packaging.build_zip(PLATFORM, tmp_path_factory.mktemp("dist"))


@needs_wheels
def test_the_zip_holds_what_a_user_needs_and_nothing_else(archive):
    names = set(zipfile.ZipFile(archive).namelist())
    assert {
        "__init__.py",
        "blender_manifest.toml",
        "LICENSE",
        "core/scene/scene.py",
        "blender_addon/registration.py",
        "blend_examples/plaza.py",
        "manual/index.html",
    } <= names
    assert {name.partition("/")[0] for name in names} == {
        "__init__.py", "blender_manifest.toml", "LICENSE", "core", "blender_addon", "wheels",
        "blend_examples", "manual",
    }  # fmt: skip
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]


@needs_wheels
def test_every_source_file_is_in_the_zip_unchanged(archive):
    with zipfile.ZipFile(archive) as opened:
        for path in packaging.source_files():
            assert opened.read(path.as_posix()) == (packaging.ROOT / path).read_bytes()


@needs_wheels
def test_the_same_sources_give_the_same_bytes(archive, tmp_path):
    again = packaging.build_zip(PLATFORM, tmp_path)
    assert again.name == archive.name
    assert again.read_bytes() == archive.read_bytes()


@needs_wheels
def test_the_manifest_names_exactly_the_wheels_in_the_zip(archive):
    with zipfile.ZipFile(archive) as opened:
        manifest = tomllib.loads(opened.read("blender_manifest.toml").decode())
        carried = {f"./{name}" for name in opened.namelist() if name.startswith("wheels/")}
    assert set(manifest["wheels"]) == carried
    assert manifest["platforms"] == [PLATFORM]
    original = tomllib.loads(packaging.MANIFEST.read_text(encoding="utf-8"))
    assert {key: value for key, value in manifest.items() if key not in {"wheels", "platforms"}} == original


@pytest.mark.parametrize("platform", packaging.platforms())
def test_every_package_has_a_wheel_for_every_python_of_blender(platform):
    wheels = [wheel.file.split("-") for wheel in packaging.read_lock() if wheel.platform == platform]
    packages = {name for name, *_ in wheels}
    assert packages == {"pyclipper", "pyvoronoi"}
    for package in packages:
        assert {tag for name, _, tag, *_ in wheels if name == package} == PYTHONS_OF_BLENDER
        assert len({version for name, version, *_ in wheels if name == package}) == 1


def test_the_core_is_tested_with_the_versions_that_are_bundled():
    bundled = {"==".join(wheel.file.split("-")[:2]) for wheel in packaging.read_lock()}
    assert bundled <= set(environments.CORE_PACKAGES)
    assert bundled == set(environments.PLAIN_PACKAGES)


@needs_wheels
def test_a_wheel_with_other_bytes_is_refused(monkeypatch, tmp_path):
    wheel = packaging.read_lock()[0]

    def download_something_else(command, **_):
        (Path(command[command.index("--dest") + 1]) / wheel.file).write_bytes(b"not the pinned bytes")
        return environments.Finished(0)

    monkeypatch.setattr(packaging, "VENVS", tmp_path)
    monkeypatch.setattr(packaging, "run", download_something_else)
    with pytest.raises(environments.BuildError, match=r"is not the file that is pinned here"):
        packaging.fetch_wheels(wheel.platform)
    assert not list(tmp_path.rglob("*.whl"))


def test_an_unknown_platform_is_refused_with_those_there_are():
    with pytest.raises(environments.BuildError, match=r"no wheels for amiga-m68k; there are: linux-x64"):
        packaging.fetch_wheels("amiga-m68k")


@needs_wheels
def test_the_live_folder_is_the_repository_and_can_be_laid_out_again(tmp_path):
    for _ in range(2):
        extension = packaging.lay_out_live(tmp_path)
    assert (extension / "core" / "errors.py").samefile(packaging.ROOT / "core" / "errors.py")
    assert packaging.MANIFEST.read_text(encoding="utf-8").count("wheels") == 0, "the repository's own is untouched"
    manifest = tomllib.loads((extension / "blender_manifest.toml").read_text(encoding="utf-8"))
    assert all((extension / wheel).is_file() for wheel in manifest["wheels"])


@needs_wheels
@pytest.mark.parametrize("mine", ["footfall/notes.txt", "footfall/core/mine.py"])
def test_the_live_folder_overwrites_nothing(tmp_path, mine):
    path = tmp_path / mine
    path.parent.mkdir(parents=True)
    path.write_text("precious", encoding="utf-8")
    with pytest.raises(environments.BuildError, match="choose another"):
        packaging.lay_out_live(tmp_path)
    assert path.read_text(encoding="utf-8") == "precious"


def test_the_scenes_to_be_shown_are_those_that_run_by_themselves():
    scripts = (demo.ROOT / "blend_examples").glob("*.py")
    runnable = {path.stem for path in scripts if '__name__ == "__main__"' in path.read_text(encoding="utf-8")}
    assert demo.DEFAULT_EXAMPLE in runnable
    assert set(demo.examples()) == runnable


def test_a_python_is_found_by_its_version_and_an_absent_one_is_not():
    found = environments.find_python(environments.running_version())
    assert found is not None
    assert found.samefile(sys.executable)
    assert environments.find_python("3.1") is None


def test_a_command_beyond_its_time_is_ended_with_all_it_started(tmp_path):
    beats = tmp_path / "beats"
    child = f"import time\nwhile True:\n    open({str(beats)!r}, 'a').write('.')\n    time.sleep(0.05)"
    parent = f"import subprocess, sys; print('begun', flush=True); subprocess.run([sys.executable, '-c', {child!r}])"
    finished = environments.run([sys.executable, "-c", parent], seconds=5, catch=True)
    assert finished.code is None
    assert not finished.succeeded
    assert "begun" in finished.output
    lived = beats.stat().st_size
    time.sleep(1.0)
    assert beats.stat().st_size == lived > 0, "the child outlived its parent"


def test_missing_libraries_are_named_with_their_packages():
    advice = blender.packages_advice(["libSM.so.6", "libEGL.so.1"])
    assert "libSM.so.6, libEGL.so.1" in advice
    assert "sudo apt-get install libsm6 libegl1 libgl1-mesa-dri" in advice
    assert "sudo dnf install libSM libglvnd-egl mesa-dri-drivers" in advice


def test_continuous_integration_installs_the_libraries_that_the_advice_names():
    script = (packaging.ROOT / ".ci" / "run").read_text(encoding="utf-8")
    packages = set(script.partition("packages=(")[2].partition(")")[0].split())
    assert packages == {debian for debian, _ in blender.LIBRARIES.values()} | {blender.DRIVERS[0]}


@pytest.mark.parametrize(
    ("ci", "pythons", "expected"),
    [
        ("", {"3.11", "3.13"}, ["5.0.1"]),
        ("true", {"3.11", "3.13"}, ["4.2.23", "5.2.3"]),
        ("true", {"3.11"}, ["4.2.23", "5.0.1"]),
    ],
)
def test_blenders_that_are_tested(monkeypatch, ci, pythons, expected):
    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr(blender, "running_version", lambda: "3.11")
    for module in (blender, checks):
        monkeypatch.setattr(module, "find_python", lambda version: version if version in pythons else None)
    assert [chosen.version for chosen in checks.choose_blenders(None)] == expected


@pytest.mark.parametrize(("running", "expected"), [("3.11", "5.0.1"), ("3.13", "5.2.3"), ("3.12", "5.0.1")])
def test_default_blender_fits_the_running_python_or_one_beside_it(monkeypatch, running, expected):
    monkeypatch.setattr(blender, "running_version", lambda: running)
    monkeypatch.setattr(blender, "find_python", lambda version: Path("python") if version == "3.11" else None)
    assert blender.default_blender().version == expected


def test_no_fitting_python_is_said_with_the_way_out(monkeypatch):
    monkeypatch.setattr(blender, "running_version", lambda: "3.14")
    monkeypatch.setattr(blender, "find_python", lambda _: None)
    with pytest.raises(environments.BuildError, match=r"CPython 3\.11 .* and 3\.13 .*this is 3\.14"):
        blender.default_blender()


@pytest.fixture
def arguments_of(monkeypatch):
    """A function from what was chosen to the parts of all tests: their names, and pytest's arguments."""
    monkeypatch.setattr(checks, "ensure_environment", lambda name, *_: Path(name))
    monkeypatch.setattr(checks, "ensure_types", lambda _: None)
    monkeypatch.setattr(checks, "ensure_blender", lambda chosen: Path(chosen.version))

    def parts(versions=("4.2.23", "5.2.3"), **chosen):
        choice = checks.Choice(tuple(blender.BLENDERS[name] for name in versions), **chosen)
        pythons = checks._make_environments(choice, core=True, addon=True)
        of_core = checks._parts_of_core(pythons, choice.paths or ["tests"], choice)
        of_addon = checks._parts_of_addon(pythons, choice.paths or ["tests/addon"], choice)
        return {part.name: " ".join(part.arguments) for part in (*of_core, *of_addon)}

    return parts


def test_what_depends_on_the_version_runs_in_each_blender_and_all_else_in_the_newest(arguments_of):
    parts = arguments_of()
    apart = [folder for folders, _ in checks.APART_IN_ADDON.values() for folder in folders]
    left_out = " ".join(f"--ignore={folder}" for folder in apart)
    most = "-m not thorough"
    assert {name: part for name, part in parts.items() if "add-on" in name} == {
        "add-on in Blender 4.2.23": "-m not thorough and each_blender and not once tests/addon",
        "add-on in Blender 5.2.3, characters": f"{most} tests/addon/characters tests/addon/whole_jobs",
        "add-on in Blender 5.2.3, interface": f"{most} tests/addon/interface",
        "add-on in Blender 5.2.3": f"{most} {left_out} tests/addon",
    }
    assert all((packaging.ROOT / folder).is_dir() for folder in apart)


@pytest.mark.parametrize(
    ("needs", "lint", "expected"),
    [
        ({"core": False, "addon": False}, True, {"core"}),
        ({"core": True, "addon": False}, False, {"core", "plain"}),
        ({"core": False, "addon": True}, False, {"4.2.23"}),
    ],
)
def test_only_environments_that_are_needed_are_made(monkeypatch, needs, lint, expected):
    monkeypatch.setattr(checks, "ensure_environment", lambda name, *_: Path(name))
    monkeypatch.setattr(checks, "ensure_types", lambda _: None)
    monkeypatch.setattr(checks, "ensure_blender", lambda chosen: Path(chosen.version))
    made = checks._make_environments(checks.Choice((blender.BLENDERS["4.2.23"],), lint=lint), **needs)
    assert made == {name: Path(name) for name in expected}


def test_an_environment_that_cannot_be_made_ends_the_checks(monkeypatch):
    def fails(*_):
        raise environments.BuildError("no network")

    monkeypatch.setattr(checks, "ensure_environment", fails)
    with pytest.raises(environments.BuildError, match="no network"):
        checks.run_checks(checks.Choice((), paths=("tests/core",), lint=False))


def test_what_costs_most_begins_first_and_no_two_compile_the_kernels_at_once():
    def ordered(*jobs):
        return [job.name for job in checks._in_order([checks.Job(cost, name, None, name < "C") for name, cost in jobs])]

    assert ordered(("A", 3.0), ("B", 4.0), ("C", 1.0), ("D", 2.0)) == ["B", "D", "A", "C"]
    assert ordered(("A", 3.0), ("B", 4.0)) == ["B", "A"]
    assert ordered(("A", 3.0), ("D", 5.0), ("B", 4.0)) == ["D", "B", "A"]
    assert ordered() == []


def test_each_test_of_the_core_runs_in_one_part_with_numba(arguments_of):
    parts = arguments_of()
    people = " ".join(checks.PEOPLE)
    left_out = " ".join(f"--ignore={path}" for path in checks.PEOPLE)
    assert parts["core, people"] == f"-m not thorough {people}"
    assert parts["core, the rest of simulation"] == f"-m not thorough {left_out} tests/core/simulation"
    assert parts["core"] == "-m not thorough --ignore=tests/addon --ignore=tests/core/simulation tests"
    (plain,) = [part for name, part in parts.items() if name.startswith("core without numba")]
    assert plain == f"-m not thorough and not once {left_out} tests/core"
    for folder in (*checks.PEOPLE, checks.SIMULATION, *checks.KERNEL_TESTS):
        assert (packaging.ROOT / folder).is_dir()


def test_a_thorough_run_and_one_of_chosen_tests_leave_nothing_out(arguments_of):
    assert all(part.startswith("-m  ") for part in arguments_of(thorough=True).values())
    chosen = arguments_of(paths=("tests/addon/interface/panels/test_main.py",))
    assert not [part for part in chosen.values() if "each_blender" in part or "once" in part]


def run_tests_recorded(folder, text, *, limit=240):
    """Run pytest on a file of tests in a process of its own, with the record that survives a crash."""
    conftest = (packaging.ROOT / "tests/conftest.py").read_text(encoding="utf-8")
    assert "TEST_CPU_SECONDS = 240" in conftest
    conftest = conftest.replace("TEST_CPU_SECONDS = 240", f"TEST_CPU_SECONDS = {limit}")
    (folder / "conftest.py").write_text(conftest, "utf-8")
    (folder / "test_it.py").write_text(text, encoding="utf-8")
    record = folder / "results.jsonl"
    finished = environments.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"],
        seconds=600,
        variables={"FOOTFALL_RESULTS": str(record)},
        catch=True,
        folder=folder,
    )
    tally = results.Tally()
    tally.add_record("part", record, finished.code)
    return tally, finished.output


def test_outcomes_are_counted(tmp_path):
    tally, _ = run_tests_recorded(
        tmp_path,
        "import pytest\n"
        "@pytest.fixture\ndef broken():\n    yield\n    assert False\n"
        "def test_good(): pass\n"
        "def test_bad(): assert False\n"
        "def test_bad_afterwards(broken): pass\n"
        "@pytest.mark.skip\ndef test_skipped(): pass\n",
    )
    assert (tally.passed, tally.skipped) == (1, 1)
    assert tally.failures == ["part: test_it.py::test_bad", "part: test_it.py::test_bad_afterwards"]
    assert tally.closing_lines()[-1] == "1 passed, 2 failed"


def test_a_crash_fails_the_test_it_happened_in(tmp_path):
    tally, _ = run_tests_recorded(
        tmp_path, "import os\ndef test_good(): pass\ndef test_crash(): os._exit(139)\ndef test_never(): pass\n"
    )
    assert tally.passed == 1
    assert tally.failures == ["part: test_it.py::test_crash ended the process (exit code 139)"]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system does not count a process's time")
def test_who_computes_too_long_fails_and_says_where_it_stands_and_who_only_waits_does_not(tmp_path):
    text = "import time\ndef test_waits(): time.sleep(1.5)\ndef test_computes():\n    while True: pass\n"
    tally, output = run_tests_recorded(tmp_path, text, limit=1)
    assert tally.passed == 1
    assert tally.failures == [f"part: test_it.py::test_computes ended the process (exit code {-signal.SIGPROF})"]
    assert "in test_computes" in output


def test_the_processor_time_of_the_tests_is_told(tmp_path):
    text = "import time\ndef test_it():\n    while time.process_time() < 1.0: pass\n"
    assert 0.9 <= run_tests_recorded(tmp_path, text)[0].cpu < 60.0  # it is rounded, and begins after the imports


@pytest.mark.parametrize("text", ["import not_there_at_all\n", "", "x = (\n"])
def test_a_run_without_a_single_test_fails(tmp_path, text):
    tally, _ = run_tests_recorded(tmp_path, text)
    assert tally.passed == 0
    assert len(tally.failures) == 1


def test_a_process_that_left_no_record_fails(tmp_path):
    tally = results.Tally()
    tally.add_record("part", tmp_path / "none", code=0)
    tally.add_record("other", tmp_path / "none", code=None)
    assert tally.failures == [
        "part: pytest ended the process (exit code 0)",
        "other: pytest was ended by its time limit",
    ]


@pytest.mark.parametrize("version", ["3.8", "3.10"])
def test_an_old_python_is_told_which_it_should_be(version):
    python = environments.find_python(version)
    if python is None:
        pytest.skip(f"no Python {version} here")
    finished = environments.run([python, "build_addon.py", "test"], seconds=600, catch=True)
    assert finished.code == 1
    assert "needs Python 3.11 or newer; this is 3." in finished.output
    assert "Traceback" not in finished.output


@pytest.mark.parametrize("arguments", [["--help"], ["test", "--help"], ["build", "--help"], ["demo", "--help"]])
def test_help_is_there(arguments):
    finished = environments.run([sys.executable, "build_addon.py", *arguments], seconds=600, catch=True)
    assert finished.succeeded
    assert "usage: build_addon.py" in finished.output


@pytest.mark.skipif(os.name != "posix", reason="bash")
def test_the_script_of_continuous_integration_is_sound():
    assert subprocess.run(["bash", "-n", ".ci/run"], cwd=packaging.ROOT, check=False).returncode == 0
