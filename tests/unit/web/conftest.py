"""A small folder with everything in it: two sites, hostile titles, versions in the archive, a failing server."""

import hashlib
import json
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from recrawl.archive.folder import WarcArchive
from recrawl.archive.settings import ArchiveSettings
from recrawl.config import Settings, starting_text
from recrawl.engine.clock import Dice
from recrawl.engine.settling.ledger import Copy, Ledger, write
from recrawl.folder.folder import Folder
from recrawl.folder.opening import open_store
from recrawl.model.address import fingerprint, server_of
from recrawl.model.belief import pack, unknown
from recrawl.model.capture import Capture
from recrawl.model.event import Event, EventKind
from recrawl.model.page import Page, Status
from recrawl.model.record import Record
from recrawl.model.server import RobotsFile, Server
from recrawl.model.site import Site
from recrawl.model.visit import Ask, Evidence, Reply, Visit, Why
from recrawl.web.serving import beside
from recrawl.web.settings import WebSettings

START_AT = 1_770_000_000.0
DAY_S = 86_400.0
NOW = START_AT + 5 * DAY_S
TOKEN = "a token of some length"
HOSTILE = "<script>alert(1)</script>"
TEXTS = (
    "<p>The ferry leaves at nine.</p><p>Tickets are sold on board.</p>",
    "<p>The ferry leaves at ten.</p><p>Tickets are sold on board.</p><p>No service in fog.</p>",
)


def belief(
    watched_s: float, quiet_s: float, gaps: int, changes: int, shortest_s: float = 0.0, at: float = NOW
) -> bytes:
    state = unknown(1)
    values = {"watched_s": watched_s, "quiet_s": quiet_s, "gaps": gaps, "changes": changes, "shortest_s": shortest_s}
    for name, value in {**values, "seen_at": at}.items():
        state[name] = value
    return pack(state)[0]


def page_at(url: str, site: str = "harbour", **known: object) -> Page:
    start = Page(id=fingerprint(url), url=url, server=server_of(url), site=site, found_at=START_AT)
    return replace(start, **known)  # type: ignore[arg-type]


def reply_of(url: str, at: float, body: bytes, content_type: str = "text/html; charset=utf-8") -> Reply:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    return Reply(
        Ask(url),
        at,
        Evidence.DOCUMENT,
        200,
        (("content-type", content_type), ("content-length", str(len(body)))),
        raw_request=b"GET / HTTP/1.1\r\n\r\n",
        raw_head=head,
        sent_body=body,
        body=body,
    )


def document(title: str, body: str) -> bytes:
    escaped = title.replace("&", "&amp;").replace("<", "&lt;")
    script = "<script>parent.document.title='owned';document.title='owned'</script>"
    return (
        f'<!doctype html><html lang="en"><head><title>{escaped}</title>{script}</head>'
        f'<body><h1>{escaped}</h1>{body}<img src="https://elsewhere.example/x.png" onerror="alert(1)"></body></html>'
    ).encode()


@dataclass(frozen=True)
class Small:
    """The folder and what is in it."""

    folder: Folder
    ferry: Page  # two versions, hostile title
    quiet: Page  # one version
    gone: Page


def make_small(path: Path) -> Small:
    folder = Folder(path)
    folder.create(starting_text("tests@example.org"))
    folder.put_site(Site("harbour", ("http://harbour.example/",), title="The harbour", requests_per_day=100))
    folder.put_site(Site("island", ("http://island.example/",)))
    ferry = page_at(
        "http://harbour.example/ferry",
        status=Status.LIVE,
        belief=belief(3 * DAY_S, 2 * DAY_S, 3, 1, DAY_S),
        interval_s=DAY_S,
        due_at=NOW + 3600,
        visits=4,
        changes=1,
        checked_at=NOW - DAY_S / 2,
        changed_at=NOW - 2 * DAY_S,
        content_type="text/html; charset=utf-8",
        size_bytes=400,
        category="boats/ferries",
    )
    quiet = page_at(
        "http://island.example/",
        "island",
        status=Status.LIVE,
        belief=belief(4 * DAY_S, 4 * DAY_S, 2, 0),
        interval_s=4 * DAY_S,
        due_at=NOW - 60,
        visits=3,
        checked_at=NOW - 3600,
        changed_at=START_AT,
        content_type="text/html",
        size_bytes=200,
    )
    gone = page_at("http://harbour.example/old", status=Status.GONE, reason="404 on consecutive visits", visits=2)
    ledger = Ledger(
        pages={page.id: page for page in (ferry, quiet, gone)},
        servers={
            "harbour.example": Server("harbour.example", gap_s=10, load_per_s=0.2, overloaded=True, requests=9),
            "island.example": Server("island.example", gap_s=1, load_per_s=0.001, failures=2, free_at=NOW + 60),
        },
        visits=_visits(ferry, quiet, gone),
        copies=_copies(ferry, quiet),
        events=_events(ferry, quiet, gone),
        records=[
            Record(ferry.id, START_AT, kind="Crossing", data={"name": HOSTILE, "price": 4.5}),
            Record(ferry.id, NOW - 2 * DAY_S, kind="Crossing", data={"name": HOSTILE, "price": 6.0}),
        ],
        robots=[RobotsFile("http://harbour.example/robots.txt", START_AT, 200, b"User-agent: *\nAllow: /\n", NOW)],
    )
    settings = Settings()
    archive = WarcArchive(folder.archive, "0", ArchiveSettings(), lambda: START_AT, Dice(1).record_id)
    with closing(open_store(folder, settings)) as store, closing(archive):
        write(ledger, archive, store)
    return Small(folder, ferry, quiet, gone)


def _visits(ferry: Page, quiet: Page, gone: Page) -> list[Visit]:
    def visit(page: Page, at: float, change: str, evidence: Evidence = Evidence.DOCUMENT, **more: object) -> Visit:
        return Visit(page.id, at, Why.DUE, 200, evidence, change, received_bytes=500, **more)  # type: ignore[arg-type]

    return [
        visit(ferry, START_AT, "new"),
        visit(ferry, START_AT + 2 * DAY_S, "same", Evidence.NOT_MODIFIED),
        visit(ferry, NOW - 2 * DAY_S, "changed", changed_bytes=40),
        visit(ferry, NOW - DAY_S / 2, "same"),
        visit(quiet, START_AT, "new"),
        visit(quiet, NOW - 7200, "unknown", Evidence.FAILED, failure="connect"),
        visit(quiet, NOW - 3600, "same"),
        visit(gone, START_AT, "unknown", Evidence.MISSING),
        visit(gone, START_AT + DAY_S, "gone", Evidence.MISSING),
    ]


def _copies(ferry: Page, quiet: Page) -> list[Copy]:
    def copy(page: Page, at: float, body: bytes, share: float | None) -> Copy:
        capture = Capture(
            page.url, at, reply_of(page.url, at, body, page.content_type), "sha256:" + hashlib.sha256(body).hexdigest()
        )
        return Copy(capture, page.id, text_bytes=60, share_changed=share)

    return [
        copy(ferry, START_AT, document(HOSTILE, TEXTS[0]), None),
        copy(ferry, NOW - 2 * DAY_S, document(HOSTILE, TEXTS[1]), 0.4),
        copy(quiet, START_AT, document("부산 섬", "<p>섬은 조용하다. 東京 is far away.</p>"), None),
    ]


def _events(ferry: Page, quiet: Page, gone: Page) -> list[Event]:
    def event(kind: EventKind, page: Page, at: float, share: float | None = None) -> Event:
        return Event(kind, at, page.url, page.site, page.id, share_changed=share)

    return [
        event(EventKind.ADDED, ferry, START_AT),
        event(EventKind.ADDED, quiet, START_AT),
        event(EventKind.REMOVED, gone, START_AT + DAY_S),
        event(EventKind.UPDATED, ferry, NOW - 2 * DAY_S, 0.4),
    ]


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> object:
        return json.loads(self.body)


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:  # type: ignore[override]
        return None


OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}), _Stay())

Get = Callable[..., Answer]


def asking(base: str) -> Get:
    def ask(path: str, data: bytes | None = None, **headers: str) -> Answer:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(base.rstrip("/") + path, data=data, headers=named)
        try:
            with OPENER.open(request, timeout=30) as answer:
                return Answer(answer.status, {k.lower(): v for k, v in answer.headers.items()}, answer.read())
        except urllib.error.HTTPError as error:
            return Answer(error.code, {k.lower(): v for k, v in error.headers.items()}, error.read())

    return ask


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Small:
    return make_small(tmp_path_factory.mktemp("small") / "folder")


@pytest.fixture(scope="module")
def ask(small: Small) -> Iterator[Get]:
    """A read-only dashboard."""
    with beside(small.folder, WebSettings(port=0, log=False), lambda: NOW) as base:
        yield asking(base)


@pytest.fixture
def writable(tmp_path: Path) -> Iterator[tuple[Small, Get]]:
    """A dashboard with a token, on a folder of its own."""
    small = make_small(tmp_path / "folder")
    with beside(small.folder, WebSettings(port=0, log=False, token=TOKEN), lambda: NOW) as base:
        yield small, asking(base)
