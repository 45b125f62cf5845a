"""Builds the documentation as a static site, and refuses dead links.

python docs/make_site.py [OUT]     writes OUT (default out/site); exit code 1 and a list if a link leads nowhere
"""

import html
import posixpath
import re
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[1]
SECTIONS = {
    "": "Start",
    "howto": "How to",
    "explain": "Explanations",
    "reference": "Reference",
    "project": "The project",
}
PROJECT = ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")
FIRST = ("docs/index.md", "docs/start.md")
ABROAD = re.compile(r"^[a-z][a-z0-9+.-]*:")

STYLE = """
:root { color-scheme: light dark; --line: #8884; --quiet: #767676; --link: #0b57d0; --code: #8881 }
@media (prefers-color-scheme: dark) { :root { --quiet: #9a9a9a; --link: #8ab4f8 } }
* { box-sizing: border-box }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; display: grid; grid-template-columns: 17rem minmax(0, 52rem) }
nav { padding: 1.5rem 1rem; border-right: 1px solid var(--line); font-size: .9rem; max-height: 100vh; overflow: auto;
  position: sticky; top: 0 }
nav h2 { font-size: .8rem; margin: 1.2rem 0 .3rem; color: var(--quiet); text-transform: uppercase }
nav ul { list-style: none; margin: 0; padding: 0 }
nav a[aria-current] { font-weight: 700 }
main { padding: 1.5rem 2rem 4rem }
a { color: var(--link) }
img { max-width: 100%; height: auto }
pre { background: var(--code); padding: .8rem; overflow: auto; border-radius: 4px }
code { font-size: .9em }
table { border-collapse: collapse; display: block; overflow: auto }
th, td { border: 1px solid var(--line); padding: .3rem .6rem; text-align: left; vertical-align: top }
.skip { position: absolute; left: -99rem } .skip:focus { left: 1rem }
@media (max-width: 50rem) { body { display: block } nav { position: static; max-height: none; border: 0 } }
"""

TEMPLATE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · recrawl</title><link rel="stylesheet" href="{up}style.css"></head>
<body><a class="skip" href="#content">To the text</a>
<nav aria-label="Pages">{nav}</nav>
<main id="content">{body}</main></body></html>
"""


@dataclass
class Page:
    """One page: where it comes from, where it goes, what can be linked to in it."""

    source: Path
    target: str
    section: str
    tokens: list[Token]
    title: str = ""
    anchors: set[str] = field(default_factory=set)


def slug(text: str, taken: set[str]) -> str:
    """As GitHub names headings, so that a link works in both places."""
    plain = re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-")
    name, number = plain, 0
    while name in taken:
        number += 1
        name = f"{plain}-{number}"
    return name


def text_of(token: Token) -> str:
    return "".join(child.content for child in token.children or () if child.type in ("text", "code_inline"))


def read(source: Path, parser: MarkdownIt) -> Page:
    inside = source.relative_to(ROOT).as_posix()
    target = inside.removeprefix("docs/") if inside.startswith("docs/") else f"project/{source.name.lower()}"
    page = Page(
        source, target.removesuffix(".md") + ".html", posixpath.dirname(target), parser.parse(source.read_text("utf-8"))
    )
    for opening, content in zip(page.tokens, page.tokens[1:], strict=False):
        if opening.type == "heading_open":
            name = slug(text_of(content), page.anchors)
            page.anchors.add(name)
            opening.attrSet("id", name)
            page.title = page.title or text_of(content)
    return page


def sources() -> list[Path]:
    first = [ROOT / name for name in FIRST]
    rest = sorted(file for file in (ROOT / "docs").rglob("*.md") if file not in first)
    return [*first, *rest, *(ROOT / name for name in PROJECT)]


class Site:
    def __init__(self) -> None:
        self.parser = MarkdownIt("commonmark").enable("table")
        self.pages = {page.source: page for page in (read(source, self.parser) for source in sources())}
        self.files: dict[Path, str] = {}
        self.dead: list[str] = []

    def write(self, out: Path) -> None:
        for page in self.pages.values():
            for token in page.tokens:
                for child in token.children or ():
                    self._mend(page, child)
        if self.dead:
            return
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        (out / "style.css").write_text(STYLE, "utf-8")
        for source, target in self.files.items():
            (out / target).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, out / target)
        for page in self.pages.values():
            (out / page.target).parent.mkdir(parents=True, exist_ok=True)
            (out / page.target).write_text(self._html(page), "utf-8")

    def _mend(self, page: Page, token: Token) -> None:
        name = {"link_open": "href", "image": "src"}.get(token.type)
        if name is None:
            return
        address = str(token.attrGet(name))
        if ABROAD.match(address):
            return
        path, _, anchor = unquote(address).partition("#")
        where = (page.source.parent / path).resolve() if path else page.source
        said = f"{page.source.relative_to(ROOT)}: {address}"
        if where == ROOT / "README.md":
            token.attrSet(name, relative("index.html", page.target))
        elif where in self.pages:
            other = self.pages[where]
            if anchor and anchor not in other.anchors:
                self.dead.append(f"{said} (no such heading)")
            found = relative(other.target, page.target)
            token.attrSet(name, found + (f"#{anchor}" if anchor else ""))
        elif where.is_file() and ROOT in where.parents:
            self.files[where] = where.relative_to(ROOT).as_posix().removeprefix("docs/")
            token.attrSet(name, relative(self.files[where], page.target))
        else:
            self.dead.append(said)

    def _html(self, page: Page) -> str:
        body = self.parser.renderer.render(page.tokens, self.parser.options, {})
        up = relative("", page.target) or "./"
        return TEMPLATE.format(title=html.escape(page.title), up=up, nav=self._nav(page), body=body)

    def _nav(self, here: Page) -> str:
        parts = []
        for section, name in SECTIONS.items():
            links = [
                f'<li><a href="{relative(page.target, here.target)}"{" aria-current=page" if page is here else ""}>'
                f"{html.escape(page.title)}</a></li>"
                for page in self.pages.values()
                if page.section == section
            ]
            parts.append(f"<h2>{name}</h2><ul>{''.join(links)}</ul>")
        return "".join(parts)


def relative(target: str, page: str) -> str:
    found = posixpath.relpath(target or ".", posixpath.dirname(page) or ".")
    return found if target else ("" if found == "." else found + "/")


def main() -> int:
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "out" / "site"
    site = Site()
    site.write(out)
    if site.dead:
        sys.stderr.write("links that lead nowhere:\n" + "\n".join(site.dead) + "\n")
        return 1
    sys.stdout.write(f"{len(site.pages)} pages in {out}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
