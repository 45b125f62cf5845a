"""A web as a pure function of seed, address and time.

`answer` is what a server says to one request at one moment; `version`, `changes_between` and `urls` are the truth
that freshness, recall and the tests are measured against. Nothing is remembered and nothing is drawn: ask twice,
in any order, in any process, and the bytes are the same.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from xml.sax.saxutils import escape

from recrawl.lab.chance import between, fraction, key_of
from recrawl.lab.faults import CALM, ROBOTS_PATH, FaultPlan, fault_at
from recrawl.lab.histories import Span
from recrawl.lab.http_answers import (
    Answer,
    Validators,
    accepted,
    coded,
    faulty,
    not_modified,
    redirect,
    unchanged,
    whole_answer,
)
from recrawl.lab.render import View, html, not_found_html
from recrawl.lab.server_map import Anchor, ServerMap, State
from recrawl.lab.tempers import DAY_S
from recrawl.lab.world_parts import Dated, Declared, Ending, PageSpec, ServerSpec, Shape, Tag
from recrawl.model.address import server_of
from recrawl.model.values import dataclass
from recrawl.model.visit import Ask

START_AT = 1_767_225_600.0  # 2026-01-01, a Thursday
SITEMAP_PATH = "/sitemap.xml"
MEMO_BODIES = 10_000

_CODECS = {"shift_jis": "cp932", "euc-kr": "cp949", "gb2312": "gbk", "utf-16": "utf-16-le", "big5": "cp950"}
_BOMS = {"utf-8": b"\xef\xbb\xbf", "utf-16": b"\xff\xfe"}
_ENDINGS = {Ending.NOT_FOUND: 404, Ending.GONE: 410, Ending.SOFT_404: 200}


@dataclass(frozen=True)  # not slotted: the maps are worked out once and kept beside the fields
class World:
    """The first server's home page leads to every other server, unless its spec names its neighbours."""

    seed: int
    servers: tuple[ServerSpec, ...]
    start_at: float = START_AT

    @cached_property
    def maps(self) -> dict[str, ServerMap]:
        """By server key (host and port)."""
        named = {spec.name: spec for spec in self.servers}
        maps = {}
        for place, spec in enumerate(self.servers):
            followed = spec.neighbours or (tuple(named)[1:] if place == 0 else ())
            anchors = tuple(Anchor(named[name].origin + "/", named[name].title or name) for name in followed)
            told = replace(named[spec.alias_of], robots=spec.robots, coding=spec.coding) if spec.alias_of else spec
            maps[server_of(spec.origin)] = ServerMap(self.seed, told, self.start_at, anchors)
        return maps

    @property
    def root(self) -> str:
        return self.servers[0].origin + "/"

    def at_authorities(self, authorities: Mapping[str, str]) -> "World":
        """The same world with its servers (by name) found elsewhere: on loopback ports, say."""
        moved = (replace(spec, authority=authorities.get(spec.name, spec.authority)) for spec in self.servers)
        return replace(self, servers=tuple(moved))

    def spec_of(self, url: str) -> ServerSpec | None:
        return self._specs.get(server_of(url))

    def urls(self, at: float) -> frozenset[str]:
        """Every page alive at that moment that may be asked for, whoever has found it yet."""
        return frozenset(
            spec.origin + page.path
            for spec in self.servers
            if not spec.alias_of
            for page in self.maps[server_of(spec.origin)].alive(at)
        )

    @cached_property
    def _specs(self) -> dict[str, ServerSpec]:
        return {server_of(spec.origin): spec for spec in self.servers}


def locate(world: World, url: str) -> tuple[ServerMap, PageSpec] | None:
    """The page behind an address, whether or not it is alive yet."""
    server = world.maps.get(server_of(url))
    page = server.find(path_of(url)) if server else None
    return (server, page) if server and page else None


def path_of(url: str) -> str:
    """Path and query, as they stand on the request line."""
    rest = url.partition("://")[2].partition("#")[0]
    at = min((place for place in (rest.find("/"), rest.find("?")) if place >= 0), default=len(rest))
    path = rest[at:]
    return path if path.startswith("/") else "/" + path


def version(world: World, url: str, at: float) -> int:
    """How often the page's content had changed by then: 0 at birth, one more with every change."""
    located = locate(world, url)
    return located[0].span(located[1], at).count if located else 0


def changes_between(world: World, url: str, from_at: float, to_at: float) -> list[float]:
    """The moments of change after `from_at`, up to and with `to_at`: whole seconds, in order."""
    located = locate(world, url)
    return located[0].history(located[1]).between(from_at, to_at) if located else []


def changed_at(world: World, url: str, at: float) -> float | None:
    """The last change up to a moment; None: as it was born."""
    located = locate(world, url)
    return located[0].span(located[1], at).since_at if located else None


def is_alive(world: World, url: str, at: float) -> bool:
    located = locate(world, url)
    return located is not None and located[0].state(located[1], at) is State.ALIVE


def is_forbidden(world: World, url: str) -> bool:
    """Disallowed by the server's robots file, by the world's own simple reading of it."""
    server = world.maps.get(server_of(url))
    return server is not None and server.forbids(path_of(url))


def answer(world: World, ask: Ask, at: float, faults: FaultPlan = CALM) -> Answer:
    """What the server says at that moment. The address must be of one of the world's servers."""
    spec, path = world.spec_of(ask.url), path_of(ask.url)
    if spec is None:
        raise KeyError(f"no server of this world has the address {ask.url}")
    said = _plain_answer(world, spec, path, ask, at)
    if spec.coding and said.status == 200 and accepted(ask, spec.coding):
        said = coded(said, spec.coding)
    jitter = 0.5 + fraction(key_of(world.seed, spec.name, path, repr(at)), 0)
    said = replace(said, delay_s=spec.delay_s * jitter)
    fault = fault_at(faults, spec.name, path, at)
    return faulty(said, fault, at) if fault else said


def _plain_answer(world: World, spec: ServerSpec, path: str, ask: Ask, at: float) -> Answer:
    server = world.maps[server_of(spec.origin)]
    if path == ROBOTS_PATH:
        return _robots(spec, at)
    if spec.alias_of and spec.alias_redirects:
        return redirect(next(other.origin for other in world.servers if other.name == spec.alias_of) + path, at)
    if path == SITEMAP_PATH and spec.robots.sitemap:
        return _sitemap(spec, server, at)
    page = server.find(path)
    state = server.state(page, at) if page else State.UNBORN
    if page and state is State.ALIVE:
        return _page(server, page, ask, at)
    if page and state is State.ENDED and page.ending is Ending.MOVED:
        return redirect(spec.origin + page.moved_to, at)
    ending = page.ending if page and state is State.ENDED else Ending.NOT_FOUND
    status = 200 if spec.soft_404 else _ENDINGS[ending]
    return whole_answer(status, "text/html; charset=utf-8", not_found_html(spec.title or spec.name).encode(), at)


def _page(server: ServerMap, page: PageSpec, ask: Ask, at: float) -> Answer:
    span, key = server.span(page, at), server.key(page)
    encoded = server.spec.coding if accepted(ask, server.spec.coding) else ""
    modified_at = _modified_at(server, page, key, span.since_at, at)
    validators = Validators(_etag(page, key, span.count, at, encoded), modified_at)
    if unchanged(ask, validators):
        return not_modified(validators, at)
    declared = f"; charset={page.charset}" if page.declared is Declared.HEADER else ""
    return whole_answer(200, f"text/html{declared}", _body(server, page, span, at), at, validators.headers)


def _body(server: ServerMap, page: PageSpec, span: Span, at: float) -> bytes:
    """Worked out once for a version, unless the page has noise."""
    memo = server.bodies.get(page.path)
    if memo is not None and memo[0] == span.count:
        return memo[1]
    key = server.key(page)
    items = len(server.stocks[page.path[: page.path.rfind("/") + 1]].window(at)) if page.shape is Shape.LIST else 0
    view = View(page, server.heading(page), key, span.count, span.since_at, tuple(server.anchors(page, at)), items)
    body = _encode(page, html(view, at))
    if not page.noise and len(server.bodies) < MEMO_BODIES:
        server.bodies[page.path] = (span.count, body)
    return body


def _encode(page: PageSpec, text: str) -> bytes:
    body = text.encode(_CODECS.get(page.charset, page.charset), "xmlcharrefreplace")
    return _BOMS[page.charset] + body if page.declared is Declared.BOM else body


def _etag(page: PageSpec, key: int, number: int, at: float, encoded: str) -> str:
    suffix = f"-{encoded}" if encoded else ""
    shapes = {
        Tag.NONE: "",
        Tag.STRONG: f'"{key:x}-{number}{suffix}"',
        Tag.WEAK: f'W/"{key:x}-{number}"',
        Tag.FROZEN: f'"{key:x}{suffix}"',
        Tag.RESTLESS: f'"{key_of(key, repr(at)):x}"',
    }
    return shapes[page.tag]


def _modified_at(server: ServerMap, page: PageSpec, key: int, changed: float | None, at: float) -> float | None:
    born_at = max(page.born_at, server.start_at - int(between(1.0, 300 * DAY_S, key, 7)))
    dates = {
        Dated.NONE: None,
        Dated.HONEST: born_at if changed is None else changed,
        Dated.FROZEN: born_at,
        Dated.RESTLESS: float(int(at)),
    }
    return dates[page.dated]


def _robots(spec: ServerSpec, at: float) -> Answer:
    robots = spec.robots
    if robots.status != 200:
        return whole_answer(robots.status, "text/plain", b"no robots file here\n", at)
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in robots.disallow)]
    lines += [f"Allow: {path}" for path in robots.allow]
    if robots.crawl_delay_s is not None:
        lines.append(f"Crawl-delay: {robots.crawl_delay_s:g}")
    if robots.sitemap:
        lines += ["", f"Sitemap: {spec.origin}{SITEMAP_PATH}"]
    return whole_answer(200, "text/plain; charset=utf-8", ("\n".join(lines) + "\n").encode(), at)


def _sitemap(spec: ServerSpec, server: ServerMap, at: float) -> Answer:
    entries = []
    for page in server.alive(at):
        changed = server.span(page, at).since_at
        when = datetime.fromtimestamp(server.start_at if changed is None else changed, UTC)
        place = escape(spec.origin + page.path)
        entries.append(f"<url><loc>{place}</loc><lastmod>{when:%Y-%m-%dT%H:%M:%SZ}</lastmod></url>\n")
    opening = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    return whole_answer(200, "application/xml", (opening + "".join(entries) + "</urlset>\n").encode(), at)
