"""The dashboard in a real Chromium: after the demo it shows the store's own numbers, and everybody can use it."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from recrawl.answers.outlook import outlook
from recrawl.answers.reading import Reading, reading
from recrawl.detect.difference import differ
from recrawl.folder.folder import Folder
from recrawl.formats import duration
from recrawl.index.words import spans
from recrawl.model.event import CHANGES
from recrawl.model.page import Page as KnownPage
from recrawl.model.site import Kind
from recrawl.web.freshness import fresh_share
from recrawl.web.plan import plan, stretches
from recrawl.web.sample import draw
from recrawl.web.serving import beside
from recrawl.web.settings import WebSettings
from tests.flow.accessibility import findings, unseen_focus
from tests.unit.web.conftest import NOW, TOKEN, make_small

CHROMIUM = os.environ.get("RECRAWL_CHROMIUM", "/usr/bin/chromium")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
ROOT = Path(__file__).parents[2]
PICTURES = Path(os.environ.get("RECRAWL_PICTURES", ROOT / "out" / "pictures"))
DAY_S = 86_400.0
DEMO_FOR = "20s"


@dataclass
class Watched:
    """A page with everything that must not happen on it."""

    page: Page
    base: str
    errors: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on(
            "console", lambda said: self.errors.append(said.text) if said.type in ("error", "warning") else None
        )
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("requestfinished", lambda asked: self._left(asked.url))
        self.page.on("requestfailed", lambda asked: None if asked.failure == "csp" else self._left(asked.url))

    def _left(self, url: str) -> None:
        """Note a request that really went out; what our policy stopped did not."""
        if not url.startswith(self.base):
            self.elsewhere.append(url)

    def go(self, path: str) -> Page:
        answer = self.page.goto(self.base + path.lstrip("/"))
        assert answer is not None and answer.status == 200, path
        return self.page

    def number(self, name: str) -> str:
        return self.page.locator(f"#{name}").inner_text().replace("\u202f", "")

    def picture(self, name: str) -> None:
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=PICTURES / f"{name}.png")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield launched
        launched.close()


def opened(browser: Browser, base: str, width: int = 820, scheme: str = "light", script: bool = True) -> Watched:
    context: BrowserContext = browser.new_context(
        viewport={"width": width, "height": 600},
        color_scheme="dark" if scheme == "dark" else "light",
        java_script_enabled=script,
    )
    context.set_default_timeout(60_000)
    return Watched(context.new_page(), base)


@dataclass(frozen=True)
class Town:
    """The demo's folder after its run, with the moment it ended."""

    folder: Folder
    base: str
    now: float


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Town]:
    """Runs the demo as `make demo` does, watches its dashboard come alive, then serves the folder it leaves."""
    folder = Folder(tmp_path_factory.mktemp("demo") / "town")
    words = [sys.executable, "-m", "recrawl", "demo", "--for", DEMO_FOR, "--folder", str(folder.path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as demo:
        assert demo.stdout is not None
        address = next(line.split()[1] for line in demo.stdout if line.startswith("Dashboard:"))
        _comes_alive(browser, address)
        demo.stdout.read()
        assert demo.wait(timeout=120) == 0
    with reading(folder) as found:
        now = max(page.checked_at or 0.0 for page in found.store.scan(limit=10_000))
    with beside(folder, WebSettings(port=0, log=False), lambda: now) as base:
        yield Town(folder, base, now)


def _comes_alive(browser: Browser, address: str) -> None:
    """Numbers rise on an open page without anybody asking for it again."""
    watched = opened(browser, address)
    watched.page.goto(address)
    while not watched.page.locator("#pages").count():  # asked before the store was there
        watched.page.goto(address)
    first = int(watched.number("requests"))
    watched.page.wait_for_function(
        "first => Number(document.getElementById('requests').textContent.replace(/\\D/g, '')) > first", arg=first
    )
    assert watched.elsewhere == []
    watched.page.context.close()


def most_changed(found: Reading) -> KnownPage:
    pages = (page for page in found.store.scan(limit=10_000) if page.kind is not Kind.SIGNAL)
    return max(pages, key=lambda page: (page.changes, page.id))


def test_a_walk_from_overview_to_plan_finds_the_stores_numbers(town: Town, browser: Browser) -> None:
    watched = opened(browser, town.base)
    with reading(town.folder) as found:
        _overview(watched, found, town.now)
        _site(watched, found, town.now)
        page = most_changed(found)
        _page(watched, found, page)
        _difference(watched, found, page)
        _search(watched, found)
        _plan(watched, found, town.now)
    assert watched.errors == [] and watched.elsewhere == []


def _overview(watched: Watched, found: Reading, now: float) -> None:
    watched.go("/")
    totals = found.store.totals(now=now)
    pages = found.store.scan(limit=10_000)
    today = [visit for page in pages for visit in found.store.visits(page.id, 1000) if now - DAY_S < visit.at <= now]
    changes = [event for event in found.store.events(0, CHANGES, 100_000) if event.at >= now - DAY_S]
    share = fresh_share(pages, outlook(found, pages, now), now)
    assert watched.number("pages") == str(totals.live)
    assert watched.number("due") == str(totals.due)
    assert watched.number("requests") == str(len(today))
    assert watched.number("changes") == str(len(changes))
    assert share is not None and watched.number("fresh") == f"{share:.1%}"
    assert watched.number("daily") == str(totals.live)
    watched.picture("overview")


def _site(watched: Watched, found: Reading, now: float) -> None:
    watched.page.get_by_role("link", name="Sites").click()
    watched.page.get_by_role("link", name="town").click()
    totals = found.store.totals("town", now)
    assert watched.number("pages") == str(totals.live) and watched.number("due") == str(totals.due)
    for server in found.store.servers():
        named = watched.page.locator("th[scope=row]").get_by_text(server.key, exact=True)
        row = watched.page.get_by_role("row").filter(has=named).inner_text()
        assert ("overloaded" in row) == server.overloaded
        assert duration.render(server.gap_s) in row and duration.render(server.needed_gap_s) in row
    watched.picture("site")


def _page(watched: Watched, found: Reading, page: KnownPage) -> None:
    watched.page.get_by_role("link", name="All pages of the site").click()
    while not watched.page.locator(f'a[href="/page/{page.id}"]').count():
        watched.page.get_by_role("link", name="More pages").click()
    watched.page.locator(f'a[href="/page/{page.id}"]').click()
    assert watched.number("visits") == str(page.visits) and watched.number("page-changes") == str(page.changes)
    assert watched.page.locator("a.diff").count() == len(found.store.versions(page.id)) - 1
    title = found.document(page, found.version(page)).title
    assert watched.page.locator("h1").inner_text() == title
    watched.picture("page")


def _difference(watched: Watched, found: Reading, page: KnownPage) -> None:
    watched.page.locator("a.diff").first.click()
    new, old = found.version(page), found.version(page, back=1)
    difference = differ(found.document(page, old).main, found.document(page, new).main)
    assert watched.number("changed-bytes") == str(difference.changed_bytes)
    assert watched.number("share") == f"{difference.share:.1%}"
    assert watched.page.locator("ins, del").count() > 0
    watched.picture("difference")


def _search(watched: Watched, found: Reading) -> None:
    """A Korean, a Japanese and an English word, the first two of two characters, against the texts themselves."""
    watched.page.get_by_role("link", name="Search").click()
    for word in ("시장", "京都", "harbour"):
        watched.page.get_by_label("Words").fill(word)
        watched.page.keyboard.press("Enter")
        watched.page.wait_for_url(re.compile("q=[^&]"))
        expected = pages_with(found, word)
        assert expected and watched.number("total") == str(len(expected)), word
        assert watched.page.locator("mark").first.inner_text().lower() == word
        shown = {link.get_attribute("href") for link in watched.page.locator(".results h2 a").all()}
        assert shown <= {f"/page/{page}" for page in expected}
    watched.picture("search")


def pages_with(found: Reading, word: str) -> set[int]:
    """The oracle: every live page whose title, headings, links or main text hold the word."""
    hits = set()
    for page in found.store.scan(limit=10_000):
        if page.status.value != "live" or not found.store.versions(page.id):
            continue
        document = found.document(page, found.version(page))
        headings = [block.text for block in document.blocks if 1 <= block.level <= 6]
        anchors = [link.text for link in document.links]
        text = "\n".join((document.title, *headings, *anchors, document.text))
        found_here = word in {span.word for span in spans(text)} if word.isascii() else word in text
        if found_here and "noindex" not in document.directives:
            hits.add(page.id)
    return hits


def _plan(watched: Watched, found: Reading, now: float) -> None:
    watched.page.get_by_role("link", name="Plan").click()
    expected = plan(draw(found, now), stretches(found.store.servers()), found.settings.intervals)
    assert expected.here is not None
    assert watched.number("here-requests") == f"{expected.here.requests_per_day:.0f}"
    assert watched.number("here-fresh") == f"{expected.here.fresh:.1%}"
    watched.picture("plan")


VIEWS = (
    "/",
    "/sites",
    "/sites/town",
    "/sites/town/pages",
    "/changes",
    "/search?q=harbour",
    "/week",
    "/figures",
    "/plan",
)


def all_views(town: Town) -> list[str]:
    with reading(town.folder) as found:
        page = most_changed(found).id
    ends = ("", "/difference/1/2", "/version/2", "/records")
    return [*VIEWS, "/records", "/errors", *(f"/page/{page}{end}" for end in ends)]


@pytest.mark.parametrize("scheme, width", [("light", 1000), ("dark", 1000), ("dark", 360)])
def test_every_view_keeps_the_rules_of_accessibility(town: Town, browser: Browser, scheme: str, width: int) -> None:
    watched = opened(browser, town.base, width, scheme)
    wrong: dict[str, list[str]] = {}
    for path in all_views(town):
        page = watched.go(path)
        for summary in page.locator("main summary").all()[:3]:
            summary.click()
        wrong[path] = findings(page) + [f"focus not seen: {one}" for one in unseen_focus(page)]
    assert {path: found for path, found in wrong.items() if found} == {}
    assert watched.errors == [] and watched.elsewhere == []


def test_the_rules_find_what_they_are_there_to_find(browser: Browser) -> None:
    page = opened(browser, "about:").page
    page.set_content(
        """<body><nav></nav><main id=a><h1>One</h1><h3 id=a>Three</h3><img src="data:,"><input><a href="#"></a>
        <p style="color:#999;background:#fff">faint</p><table><tr><th>x</table><ul><p></p></ul><button></button>
        <div style="overflow-x:auto;width:50px"><div style="width:500px">wide</div></div><svg></svg><iframe></iframe>
        <div style="width:3000px">wider</div><style>a:focus{outline:none}</style></main>"""
    )
    said = "\n".join(findings(page))
    for rule in (
        "no language",
        "no title",
        "not exactly one body > header",
        "navigation without a name",
        "no way to skip",
        "heading level skipped",
        "control without a name",
        "picture without alt",
        "drawing without a name",
        "frame without a title",
        "field without a label",
        "id used twice",
        "without scope",
        "not an item of the list",
        "scrolls but not by keyboard",
        "wider than the screen",
        "contrast 2.85",
    ):
        assert rule in said, rule
    page.set_content("<style>a:focus{outline:none}</style><a href='#'>unseen</a><button>seen</button>")
    assert len(unseen_focus(page)) == 1


def test_pictures_of_the_other_views_are_kept(town: Town, browser: Browser) -> None:
    watched = opened(browser, town.base)
    for name in ("changes", "week", "figures"):
        watched.go(f"/{name}")
        watched.picture(name)
    dark = opened(browser, town.base, 360, "dark")
    dark.go("/")
    dark.picture("overview-dark-360")
    assert (PICTURES / "overview-dark-360.png").stat().st_size > 10_000


def test_the_keyboard_reaches_the_content_and_every_view(town: Town, browser: Browser) -> None:
    watched = opened(browser, town.base)
    page = watched.go("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.goto(town.base)
    reached = []
    for _ in range(30):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.textContent.trim()"))
        if reached[-1] == "Search":
            break
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/search$"))


def test_everything_can_be_read_without_javascript(town: Town, browser: Browser) -> None:
    watched = opened(browser, town.base, script=False)
    for path in all_views(town):
        page = watched.go(path)
        assert page.locator("h1").count() == 1
    page = watched.go("/search")
    page.get_by_label("Words").fill("harbour")
    page.get_by_role("button", name="Search").click()
    assert int(watched.number("total")) > 0
    assert watched.elsewhere == []


def test_live_updates_can_be_paused(town: Town, browser: Browser) -> None:
    watched = opened(browser, town.base)
    page = watched.go("/")
    button = page.get_by_role("button", name="Pause updates")
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    assert "paused" in page.locator("#live-state").inner_text()


def test_an_archived_page_runs_no_script_and_loads_nothing(tmp_path: Path, browser: Browser) -> None:
    small = make_small(tmp_path / "folder")
    with beside(small.folder, WebSettings(port=0, log=False), lambda: NOW) as base:
        framed = opened(browser, base)
        page = framed.go(f"/page/{small.ferry.id}/version/2")
        frame = page.frame_locator("iframe")
        assert "leaves at ten" in frame.locator("body").inner_text()
        assert "owned" not in page.title()
        assert page.locator("h1").inner_text() == "<script>alert(1)</script>"
        alone = opened(browser, base)
        bare = alone.go(f"/replay/{small.ferry.id}/2")
        assert bare.title() == "<script>alert(1)</script>"
        assert bare.evaluate("window.origin") == "null"  # an origin of its own: nothing of ours within reach
        assert framed.elsewhere == [] and alone.elsewhere == []


def test_a_page_is_made_due_from_the_browser_with_the_token(tmp_path: Path, browser: Browser) -> None:
    small = make_small(tmp_path / "folder")
    with beside(small.folder, WebSettings(port=0, log=False, token=TOKEN), lambda: NOW) as base:
        watched = opened(browser, base)
        page = watched.go(f"/page/{small.ferry.id}")
        page.get_by_label("Token").fill(TOKEN)
        page.get_by_role("button", name="Visit it now").click()
        page.wait_for_url(re.compile(r"/page/-?\d+$"))
        assert watched.errors == []
    with reading(small.folder) as found:
        assert found.store.pages([small.ferry.id])[0].due_at == NOW
