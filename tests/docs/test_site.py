"""The documentation as a site: it builds, and every link in it leads somewhere."""

import runpy
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.docs.sessions import ROOT

MAKER = runpy.run_path(str(ROOT / "docs" / "make_site.py"))


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(value)
            if name == "id" and value:
                self.ids.add(value)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out: Path = tmp_path_factory.mktemp("site")
    site = MAKER["Site"]()
    site.write(out)
    assert site.dead == []
    return out


def test_every_link_and_anchor_of_the_built_site_resolves(built: Path) -> None:
    """Read back from what was written, without the maker's own idea of where things are."""
    pages: dict[Path, Reader] = {}
    for file in built.rglob("*.html"):
        pages[file] = Reader()
        pages[file].feed(file.read_text("utf-8"))
    assert len(pages) > 40
    dead = []
    for file, page in pages.items():
        for link in page.links:
            path, _, anchor = link.partition("#")
            if "://" in link or link.startswith("mailto:"):
                continue
            target = (file.parent / path).resolve() if path else file
            target = target / "index.html" if target.is_dir() else target
            if not target.exists() or (anchor and target in pages and anchor not in pages[target].ids):
                dead.append(f"{file.relative_to(built)}: {link}")
    assert dead == []


def test_a_link_that_leads_nowhere_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    site = MAKER["Site"]()
    page = next(iter(site.pages.values()))
    page.tokens = site.parser.parse("[a](nowhere.md) [b](start.md#no-such-heading) [c](start.md)")
    site.write(tmp_path / "out")
    assert len(site.dead) == 2 and not (tmp_path / "out").exists()
