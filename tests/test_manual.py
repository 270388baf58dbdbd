# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual: its pages become sound web pages, point nowhere in vain, and speak of what there is."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from build_tools import manual

ROOT = Path(__file__).resolve().parents[1]
EMPTY = {"meta", "img", "br"}


class Page(HTMLParser):
    """Reads a page and notes what it points at; every element must end, in order."""

    def __init__(self, text):
        super().__init__()
        self.targets, self.words, self._open = [], [], []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        self.targets += [value for name, value in attrs if name in {"href", "src"}]
        if tag not in EMPTY:
            self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


@pytest.fixture(scope="module")
def made():
    return manual.make_manual()


def test_every_page_is_sound_and_points_at_what_is_there(made):
    pages = {name: content.decode() for name, content in made.items() if name.endswith(".html")}
    assert len(pages) >= 12
    for name, text in pages.items():
        page = Page(text)
        for target in page.targets:
            assert target.partition("#")[0] in made, f"{name}: {target}"
        assert "](" not in "".join(page.words), name
        assert "**" not in "".join(page.words), name


def test_every_page_is_reached_from_the_first_and_every_picture_is_shown(made):
    first = Page(made["index.html"].decode())
    assert {name for name in made if name.endswith(".html")} <= {*first.targets, "index.html"}
    shown = {target for name, text in made.items() if name.endswith(".html") for target in Page(text.decode()).targets}
    assert {name for name in made if not name.endswith(".html")} <= shown


def test_the_manual_is_small(made):
    assert sum(map(len, made.values())) < 1_000_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A & B", '<h1 id="a-b">A &amp; B</h1>'),
        ("one\ntwo **bold** and *thin*", "<p>one two <b>bold</b> and <i>thin</i></p>"),
        ("- a\n  more\n- b", "<ul>\n<li>a more</li>\n<li>b</li>\n</ul>"),
        ("1. a\n2. b", "<ol>\n<li>a</li>\n<li>b</li>\n</ol>"),
        ("    a < b\n      c", "<pre>a &lt; b\n  c</pre>"),
        ("| A | B |\n|---|---|\n| 1 | `x*y*` |", "</th></tr>\n<tr><td>1</td><td><code>x*y*</code></td></tr>"),
        ("![a man](man.webp)", '<p><img src="man.webp" alt="a man"></p>'),
        ("[there](x.md#y)", '<p><a href="x.html#y">there</a></p>'),
    ],
)  # fmt: skip
def test_markdown_becomes_html(text, expected):
    assert expected in manual.make_page(text)


def test_what_troubleshooting_quotes_is_said_somewhere():
    code = "".join(
        path.read_text(encoding="utf-8")
        for folder in ("core", "blender_addon")
        for path in (ROOT / folder).rglob("*.py")
    )
    code = re.sub(r'"\s*\n\s*f?"', "", code)  # sentences that go on in the next line
    page = (manual.FOLDER / "troubleshooting.md").read_text(encoding="utf-8")
    quoted = re.findall(r'"([^"]{6,})"', re.sub(r"`[^`]*`", "", page))
    assert len(quoted) > 30
    assert [each for each in quoted if each not in code] == []
