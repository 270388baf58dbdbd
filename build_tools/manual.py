# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual as web pages: `docs/manual/*.md` made HTML, with the pictures, for the zip.

Of Markdown it knows what these pages use: headings, paragraphs, lists, tables, code, pictures, links, bold and italics.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from itertools import groupby

from .environments import ROOT

FOLDER = ROOT / "docs" / "manual"
PICTURES = {".webp", ".png"}

_STYLE = """
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.55 system-ui, sans-serif; color: #222; }
img { max-width: 100%; border-radius: 6px; } h1, h2, h3 { line-height: 1.2; margin-top: 2rem; }
code { background: #eee; padding: 0 .25em; border-radius: 3px; }
pre { background: #eee; padding: .7em; overflow: auto; }
table { border-collapse: collapse; } td, th { border: 1px solid #ccc; padding: .3em .6em; vertical-align: top; }
@media (prefers-color-scheme: dark) { body { background: #222; color: #ddd; } a { color: #8bf; }
code, pre { background: #333; } td, th { border-color: #555; } }
"""
_PAGE = (
    '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    '<meta name="viewport" content="width=device-width">\n<title>{title}</title>\n<style>{style}</style>\n</head>\n'
    "<body>\n{home}{body}\n</body>\n</html>\n"
)
_HOME = '<p><a href="index.html">Footfall manual</a></p>\n'
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
_ITEM = re.compile(r"(?:-|(\d+)\.) +")


def make_manual() -> dict[str, bytes]:
    """Make all files of the manual, by name: a page for each text, and the pictures as they are.

    That pages point at nothing else, a test tells: pictures that are yet to be taken must not keep the zip from being
    built, as they are taken with it.
    """
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.md"))}
    made = {path.name: path.read_bytes() for path in sorted(FOLDER.iterdir()) if path.suffix in PICTURES}
    made |= {f"{name}.html": make_page(text, is_home=name == "index").encode() for name, text in texts.items()}
    return made


def make_page(text: str, *, is_home: bool = False) -> str:
    """Make a whole page of a text whose first line is its heading."""
    title = text.lstrip("# ").partition("\n")[0]
    body = "\n".join(_blocks(text))
    return _PAGE.format(title=html.escape(title), style=_STYLE, home="" if is_home else _HOME, body=body)


def _blocks(text: str) -> Iterator[str]:
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        lines = block.split("\n")
        if heading := re.match(r"(#+) +(.*)", block):
            level, words = len(heading[1]), heading[2]
            anchor = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")
            yield f'<h{level} id="{anchor}">{_inline(words)}</h{level}>'
        elif all(line.startswith("    ") for line in lines):
            yield f"<pre>{html.escape(chr(10).join(line[4:] for line in lines))}</pre>"
        elif lines[0].startswith("|"):
            yield _table(lines)
        elif _ITEM.match(lines[0]):
            yield _list(lines)
        else:
            yield f"<p>{_inline(' '.join(line.strip() for line in lines))}</p>"


def _list(lines: list[str]) -> str:
    """Lines that are indented belong to the item above them."""
    items: list[str] = []
    for line in lines:
        if _ITEM.match(line):
            items.append(_ITEM.sub("", line, count=1))
        else:
            items[-1] += f" {line.strip()}"
    kind = "ul" if lines[0].startswith("-") else "ol"
    return f"<{kind}>\n" + "\n".join(f"<li>{_inline(item)}</li>" for item in items) + f"\n</{kind}>"


def _table(lines: list[str]) -> str:
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    head, *rest = [row for row in rows if not all(set(cell) <= set("-: ") for cell in row)]
    made = [f"<tr>{''.join(f'<th>{_inline(cell)}</th>' for cell in head)}</tr>"]
    made += [f"<tr>{''.join(f'<td>{_inline(cell)}</td>' for cell in row)}</tr>" for row in rest]
    return "<table>\n" + "\n".join(made) + "\n</table>"


def _inline(words: str) -> str:
    """What stands between backticks is taken as it is; the rest may hold pictures, links, bold and italics."""
    parts = []
    for is_code, group in groupby(enumerate(words.split("`")), key=lambda part: part[0] % 2 == 1):
        for _, part in group:
            parts.append(f"<code>{html.escape(part)}</code>" if is_code else _marked(html.escape(part, quote=False)))
    return "".join(parts)


def _marked(words: str) -> str:
    words = _LINK.sub(_linked, words)
    words = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", words)
    return re.sub(r"\*(.+?)\*", r"<i>\1</i>", words)


def _linked(found: re.Match[str]) -> str:
    is_picture, words, target = found.groups()
    if is_picture:
        return f'<img src="{target}" alt="{words}">'
    return f'<a href="{_page_of(target)}">{words}</a>'


def _page_of(target: str) -> str:
    return re.sub(r"\.md(?=#|$)", ".html", target)
