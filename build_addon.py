#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Build Footfall, show it, test it: `build_addon.py build|release|demo|test|pictures`.

It needs Python 3.11 or newer, and nothing else.
Everything that is downloaded goes into `.venv`, everything that is made into `dist` and `out`.
"""

from __future__ import annotations

import argparse
import io
import sys
import time
from pathlib import Path

if sys.version_info < (3, 11):  # noqa: UP036 - says so before anything newer is imported
    sys.exit(f"build_addon.py needs Python 3.11 or newer; this is {sys.version.split()[0]}")

from build_tools import checks, demo, manual, packaging, release, window
from build_tools.blender import BLENDERS, default_blender, ensure_blender, validate_zip
from build_tools.environments import ROOT, BuildError
from build_tools.results import Tally


def build(arguments: argparse.Namespace) -> int:
    """Build the zips into `dist` and let Blender's validator judge them, or lay out a live folder."""
    if arguments.dev:
        extension = packaging.lay_out_live(Path(arguments.dev).resolve())
        print(f"{extension} runs the add-on live from this repository.")
        print("In Blender: Preferences, Get Extensions, Repositories, +, Add Local Repository, Custom Directory:")
        print(f"    {extension.parent}")
        return 0
    python = ensure_blender(default_blender())
    for target in arguments.platform or packaging.platforms():
        for compiled_for in packaging.COMPILED if arguments.compiled else ("",):
            archive = packaging.build_zip(target, ROOT / "dist", compiled_for)
            validate_zip(python, archive)
            print(f"{archive}  {archive.stat().st_size / 1e6:.1f} MB, accepted by Blender's validator")
    return 0


def publish(arguments: argparse.Namespace) -> int:
    """Fill a folder with what a release offers: zips, checksums, and the listing of an extension repository."""
    for path in release.make_release(Path(arguments.out).resolve()):
        print(f"{path}  {path.stat().st_size / 1e6:.1f} MB")
    return 0


def show(arguments: argparse.Namespace) -> int:
    """Install the zip as a user would, build, bake and render an example scene."""
    demo.show_example(arguments.example, Path(arguments.out).resolve(), still_only=arguments.still_only)
    return 0


def test(arguments: argparse.Namespace) -> int:
    """Check everything and close with one line, `N passed, N failed`."""
    started = time.monotonic()
    if arguments.window:
        tally = Tally()
        window.test_in_window(Path(arguments.pictures).resolve(), arguments.only or (), tally)
        print("\n".join(tally.closing_lines()), flush=True)
        return 1 if tally.failures else 0
    choice = checks.Choice(
        blenders=() if arguments.skip_addon else checks.choose_blenders(arguments.blender),
        paths=tuple(arguments.only or ()),
        lint=not arguments.skip_lint,
        addon=not arguments.skip_addon,
        thorough=arguments.thorough,
    )
    tally = checks.run_checks(choice)
    print(f"\nAll checks took {time.monotonic() - started:.0f} s, their tests {tally.cpu:.0f} s of CPU time")
    print("\n".join(tally.closing_lines()), flush=True)
    return 1 if tally.failures else 0


def take_pictures(_: argparse.Namespace) -> int:
    """Take the pictures of the manual again, in the window of a real Blender."""
    tally = Tally()
    window.test_in_window(manual.FOLDER, ["manual"], tally)
    print("\n".join(tally.closing_lines()), flush=True)
    return 1 if tally.failures else 0


def make_parser() -> argparse.ArgumentParser:
    """Make what reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)

    shown = commands.add_parser("demo", help="build, install, bake and render an example scene into out/")
    names = demo.examples()
    chosen = f"{', '.join(names)} (default: {demo.DEFAULT_EXAMPLE})"
    shown.add_argument("example", nargs="?", choices=names, default=demo.DEFAULT_EXAMPLE, metavar="NAME", help=chosen)
    shown.add_argument("--out", default=str(ROOT / "out"), help="folder for the results (default: out)")
    shown.add_argument("--still-only", action="store_true", help="render the pictures and no clip")
    shown.set_defaults(function=show)

    tested = commands.add_parser("test", help="lint, types, tests of the core, tests of the installed zip in Blender")
    tested.add_argument("--blender", choices=[*BLENDERS, "all"], help="default: the one for this Python")
    tested.add_argument(
        "--only", nargs="+", metavar="PATH", help="only these tests, such as tests/addon/baking, or words of --window"
    )
    tested.add_argument(
        "--thorough", action="store_true", help="every test everywhere, long random sweeps too: before a release"
    )
    tested.add_argument("--skip-lint", action="store_true", help="leave out ruff and ty")
    tested.add_argument("--skip-addon", action="store_true", help="leave out the tests in Blender")
    tested.add_argument("--window", action="store_true", help="only the tests in the window of a real Blender")
    tested.add_argument("--pictures", default=str(ROOT / "out" / "window"), help="where these put their pictures")
    tested.set_defaults(function=test)

    built = commands.add_parser("build", help="one zip per platform into dist/")
    built.add_argument("--platform", nargs="+", choices=packaging.platforms(), help="default: all of them")
    built.add_argument(
        "--compiled", action="store_true", help="with the compiler numba inside: one per platform and Blender's Python"
    )
    built.add_argument("--dev", metavar="FOLDER", help="lay out a folder that Blender runs live from this repository")
    built.set_defaults(function=build)

    released = commands.add_parser("release", help="zips, checksums and the listing of an extension repository")
    released.add_argument("--out", default=str(ROOT / "dist" / "release"), help="folder (default: dist/release)")
    released.set_defaults(function=publish)

    taken = commands.add_parser("pictures", help="take the pictures of docs/manual again, in a real Blender's window")
    taken.set_defaults(function=take_pictures)
    return parser


def main() -> int:
    """Run the command that was asked for; return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # pip and Blender may print what a Windows console cannot
    arguments = make_parser().parse_args()
    try:
        return arguments.function(arguments)
    except BuildError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
