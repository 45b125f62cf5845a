"""Pages that are empty without their scripts, where a site file wants a browser to show them.

The page itself was asked for as any other. What its scripts want is asked for here: in the turn of the page's own
server, with its gap before each request, counted in the budgets, and only where robots.txt allows it. Servers of others
are not asked, since their turn is not ours to take.
"""

import asyncio
from collections.abc import Callable

from recrawl.engine.asking.asking import Asking, Unanswered
from recrawl.engine.asking.gate import Gate
from recrawl.engine.asking.servers import Servers
from recrawl.engine.finding.discover import Quarry
from recrawl.engine.wiring import Parts
from recrawl.extract.mime import Kind, kind_of
from recrawl.fetch.browser import Brought, Headers, NotShown
from recrawl.model.address import server_of
from recrawl.model.failure import ConfigError, Failure
from recrawl.model.page import Page
from recrawl.model.site import Site
from recrawl.model.swift import replace
from recrawl.model.visit import UNUSABLE, Ask, Evidence, Reply
from recrawl.scope.resolve import resolve

SCRIPTS_S = 600.0  # a script is the same for all pages of a site, and is asked for once in so long
SCRIPTS_BYTES = 16 * 1024 * 1024  # of those that are kept
SHOWN_TYPE = "text/html; charset=utf-8"
# What a server says of the page without its data: neither how the shown one is written nor when it changed.
OF_THE_SOURCE = frozenset({"content-type", "content-encoding", "content-length", "etag", "last-modified", "age"})


class Rendering:
    def __init__(
        self, parts: Parts, asking: Asking, servers: Servers, gate: Gate, is_stopping: Callable[[], bool]
    ) -> None:
        self.parts, self._asking, self._servers, self._gate = parts, asking, servers, gate
        self._is_stopping = is_stopping
        self._scripts: dict[str, tuple[float, Brought]] = {}  # until when each may be used; the oldest first

    async def shown(self, page: Page, reply: Reply, quarry: Quarry) -> Reply:
        """The answer as a browser shows it; as it came where nobody wants that. A page that cannot be shown whole has
        failed: half of it would look like a change."""
        if reply.evidence is not Evidence.DOCUMENT or not quarry.renders(page.url):
            return reply
        if kind_of(reply.body, reply.header("content-type")) is not Kind.HTML:
            return reply
        table = _Table(self, page, quarry.site)
        try:
            if self.parts.browser is None:
                raise NotShown("there is no browser here")
            html = await self.parts.browser.shown(
                page.url, Brought(reply.status, reply.headers, reply.body), table.bring
            )
        except (NotShown, ConfigError) as wrong:
            await table.clear()
            return _failed(reply, f"could not be rendered: {wrong}", table.received_bytes)
        finally:
            table.is_over = True
        body = html.encode("utf-8", "replace")
        most = reply.ask.limits.decoded_bytes
        if len(body) > most:
            says = f"could not be rendered: it grows beyond {most} bytes (limits.decoded_bytes)"
            return _failed(reply, says, table.received_bytes)
        headers = (("content-type", SHOWN_TYPE), *(pair for pair in reply.headers if pair[0] not in OF_THE_SOURCE))
        got_bytes = reply.received_bytes + table.received_bytes
        return replace(reply, body=body, sent_body=body, headers=headers, received_bytes=got_bytes, source=reply)

    def kept(self, url: str, now: float) -> Brought | None:
        until_at, brought = self._scripts.get(url, (0.0, None))
        return brought if until_at > now else None

    def keep(self, url: str, brought: Brought, now: float) -> None:
        self._scripts.pop(url, None)
        self._scripts[url] = now + SCRIPTS_S, brought
        while sum(len(one.body) for _, one in self._scripts.values()) > SCRIPTS_BYTES:
            del self._scripts[next(iter(self._scripts))]

    async def ask(self, url: str, headers: Headers, page: Page, site: Site, is_over: Callable[[], bool]) -> Reply:
        """In the server's turn, after its gap. A stop puts the page back: nothing was learnt."""
        ask = Ask(url, own=site.own, headers=headers, limits=self.parts.limits)

        def is_left() -> bool:
            return self._is_stopping() or is_over()

        while True:
            clock = self.parts.clock
            while (wait_s := self._servers.of(page.server).free_at - clock.now()) > 0 and not is_left():
                await clock.sleep(min(wait_s, 1.0))
            if is_left():
                raise Unanswered
            try:
                reply = await self._asking.ask(ask, site)
            except Unanswered:
                continue  # once more, over a new connection
            self._asking.once_more.discard(url)
            return reply

    def may_ask(self, url: str, page: Page) -> bool:
        """`spared`: what was known of robots.txt when the page came holds until it is shown."""
        return server_of(url) == page.server and self._gate.check(url, self.parts.clock.now(), spared=True).allowed


class _Table:
    """What one page asks for while it is shown: one thing after the other, and nothing once that is over: the turn of
    its server is another page's then, and nobody writes down what became of the request."""

    def __init__(self, rendering: Rendering, page: Page, site: Site) -> None:
        self._rendering, self._page, self._site = rendering, page, site
        self._turn = asyncio.Lock()
        self.is_over = False
        self.received_bytes = 0

    async def clear(self) -> None:
        """What is under way comes to its end, what waits for its turn goes without."""
        self.is_over = True
        async with self._turn:
            return

    async def bring(self, url: str, kind: str, headers: Headers) -> Brought | None:
        rendering = self._rendering
        async with self._turn:
            if self.is_over:
                return None
            now = rendering.parts.clock.now()
            is_script = kind == "script"
            if is_script and (kept := rendering.kept(url, now)) is not None:
                return kept
            reply = await self._asked(url, headers)
            if reply is None:
                return None
            brought = Brought(reply.status, reply.headers, reply.body)
            if is_script and reply.evidence is Evidence.DOCUMENT:
                rendering.keep(url, brought, now)
            return brought

    async def _asked(self, url: str, headers: Headers) -> Reply | None:
        """Redirects are followed within the server; None where nobody may be asked."""
        for _ in range(1 + self._rendering.parts.redirects):
            if not self._rendering.may_ask(url, self._page):
                return None
            reply = await self._rendering.ask(url, headers, self._page, self._site, lambda: self.is_over)
            self.received_bytes += reply.received_bytes
            if reply.evidence in UNUSABLE and reply.evidence is not Evidence.REFUSED:
                says = reply.detail or f"status {reply.status}"
                raise NotShown(f"{url[:200]} was not to be had ({says})")
            if reply.evidence is not Evidence.REDIRECT:
                return reply
            url = resolve(reply.header("location"), url) or url
        return None


def _failed(reply: Reply, says: str, more_bytes: int) -> Reply:
    got_bytes = reply.received_bytes + more_bytes
    return replace(
        reply,
        evidence=Evidence.FAILED,
        failure=Failure.NOT_RENDERED,
        detail=says,
        body=b"",
        sent_body=b"",
        received_bytes=got_bytes,
    )
