# SPDX-License-Identifier: GPL-3.0-or-later
"""A release: its zips, checksums and listing; the links of the README to it; the workflows that make and test it."""

import hashlib
import json
import re
import shlex

import pytest

import build_addon
from build_tools import blender, packaging, release
from build_tools.environments import BuildError

README = (packaging.ROOT / "README.md").read_text(encoding="utf-8")
WORKFLOWS = sorted((packaging.ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.fixture
def listed(monkeypatch):
    """Zips made in no time; the list is of what Blender's tool shall not find."""
    left_out = []

    def build(target, folder):
        path = folder / f"footfall-{packaging.version()}-{target}.zip"
        path.write_bytes(target.encode())
        return path

    def list_zips(_, folder):
        names = [path.name for path in folder.glob("*.zip") if path.name not in left_out]
        listing = {"version": "v1", "data": [{"archive_url": f"./{name}"} for name in names]}
        (folder / "index.json").write_text(json.dumps(listing), encoding="utf-8")

    monkeypatch.setattr(release.packaging, "build_zip", build)
    monkeypatch.setattr(release, "default_blender", lambda: blender.BLENDERS["5.0.1"])
    monkeypatch.setattr(release, "ensure_blender", lambda _: "python")
    monkeypatch.setattr(release, "validate_zip", lambda *_: None)
    monkeypatch.setattr(release, "list_repository", list_zips)
    return left_out


def test_a_release_holds_a_zip_for_each_platform_the_listing_and_sums_that_are_right(listed, tmp_path):
    files = release.make_release(tmp_path)
    assert sorted(files) == sorted(tmp_path.iterdir())
    zips = [f"footfall-{packaging.version()}-{platform}.zip" for platform in packaging.platforms()]
    assert [path.name for path in files] == [*zips, "index.json", "SHA256SUMS"]
    sums = files[-1].read_bytes()
    assert b"\r" not in sums
    told = dict(reversed(line.split("  ")) for line in sums.decode().splitlines())
    assert told == {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files[:-1]}


def test_an_older_release_makes_room_and_nothing_else_does(listed, tmp_path):
    (tmp_path / "footfall-0.0.1-linux-x64.zip").write_bytes(b"old")
    release.make_release(tmp_path)
    assert not (tmp_path / "footfall-0.0.1-linux-x64.zip").exists()
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(BuildError, match=r"other files than a release: notes\.txt"):
        release.make_release(tmp_path)
    assert len(list(tmp_path.glob("*.zip"))) == len(packaging.platforms())


def test_a_zip_that_the_listing_leaves_out_is_told(listed, tmp_path):
    listed.append(f"footfall-{packaging.version()}-windows-x64.zip")
    with pytest.raises(BuildError, match=r"leaves out footfall-.*-windows-x64\.zip"):
        release.make_release(tmp_path)


def test_the_readme_links_the_zips_of_this_version():
    linked = set(re.findall(r"\((\.\./\.\./releases/[^)]+)\)", README))
    folder = f"../../releases/download/v{packaging.version()}"
    zips = {f"{folder}/footfall-{packaging.version()}-{platform}.zip" for platform in packaging.platforms()}
    assert linked == zips | {"../../releases/latest", f"{folder}/{release.CHECKSUMS}"}


def test_workflows_and_the_readme_give_commands_that_there_are():
    texts = [README, *(path.read_text(encoding="utf-8") for path in WORKFLOWS)]
    commands = re.findall(r"python3? build_addon\.py ([^`\n]+)", "\n".join(texts))
    assert len(commands) >= 6
    parser = build_addon.make_parser()
    for command in commands:
        assert parser.parse_args(shlex.split(command.replace("${{ matrix.blender }}", "5.0.1"))), command


def test_workflows_install_the_libraries_that_blender_needs_and_pin_what_they_use():
    texts = {path.name: path.read_text(encoding="utf-8") for path in WORKFLOWS}
    assert set(texts) == {"release.yml", "test.yml"}
    needed = {debian for debian, _ in blender.LIBRARIES.values()} | {blender.DRIVERS[0]}
    for text in texts.values():
        assert needed <= set(re.split(r"[\s\\]+", text))
        assert all(re.search(r"@v\d+$|docker://.*:\d+\.\d+\.\d+$", used) for used in re.findall(r"uses: (\S+)", text))
