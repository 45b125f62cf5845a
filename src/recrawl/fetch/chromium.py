"""Chromium, driven by Playwright: one program, and one sitting in it for each page."""

import asyncio
import os
from collections.abc import Awaitable
from contextlib import suppress
from typing import Any

from playwright.async_api import (
    Browser,
    BrowserContext,
    CDPSession,
    Error,
    Page,
    Playwright,
    Request,
    Response,
    Route,
    WebSocketRoute,
    async_playwright,
)

from recrawl.fetch.browser import Bring, Brought, NotShown, RenderSettings

FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--no-first-run",
    "--js-flags=--max-old-space-size=512",
)
NOWHERE = "http://127.0.0.1:9"  # whatever got past the interception would end here
BROUGHT = frozenset({"script", "xhr", "fetch"})
EMPTY = {"stylesheet": "text/css"}  # what a page waits for and its text does not need
NOT_TOLD = frozenset({"content-encoding", "content-length", "transfer-encoding", "set-cookie", "connection"})
ASKS = frozenset({"Script", "XHR", "Fetch"})  # the same, as the browser itself says it
QUIET_S = 0.5  # without a request, the page is complete
# By the page's own clock: on a busy machine it may be slow to ask for the next thing, and we to hear of it.
REST = f"""new Promise(done => setTimeout(
  () => requestIdleCallback(() => done(document.readyState), {{timeout: {QUIET_S * 1000}}}), {QUIET_S * 1000}))"""
LOOK_EVERY_S = 0.05
CLOSING_S = 5.0


async def start(program: str, user_agent: str) -> "Chromium":
    driver = await async_playwright().start()
    try:
        browser = await driver.chromium.launch(
            executable_path=program,
            args=list(FLAGS),
            proxy={"server": NOWHERE},
            chromium_sandbox=os.geteuid() != 0,
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
        )
    except Error as error:
        await _in_time(driver.stop())
        raise NotShown(f"{program} does not start: {_first_line(error)}") from error
    return Chromium(driver, browser, user_agent)


class Chromium:
    def __init__(self, driver: Playwright, browser: Browser, user_agent: str) -> None:
        self._driver, self._browser, self._user_agent = driver, browser, user_agent
        self._hangs = False

    @property
    def is_well(self) -> bool:
        return self._browser.is_connected() and not self._hangs

    async def shown(self, url: str, document: Brought, bring: Bring, settings: RenderSettings) -> str:
        try:
            context = await self._browser.new_context(
                user_agent=self._user_agent, service_workers="block", accept_downloads=False
            )
        except Error as error:
            raise NotShown(_first_line(error)) from error
        try:
            return await Sitting(context, url, document, bring, settings).complete()
        finally:
            self._hangs = not await _in_time(context.close())

    async def close(self) -> None:
        await _in_time(self._browser.close())
        await _in_time(self._driver.stop())


class Sitting:
    """One page in the browser."""

    def __init__(
        self, context: BrowserContext, url: str, document: Brought, bring: Bring, settings: RenderSettings
    ) -> None:
        self._context, self._url, self._document, self._bring = context, url, document, bring
        self._settings = settings
        self._page: Page | None = None
        self._is_given = False  # the document itself
        self._requests = self._under_way = 0
        self._begun = 0  # requests that the page has made, whether they were handed to us yet or not
        self._on_the_way: dict[str, str] = {}  # those that were not, by their numbers in the browser
        self._fault: Exception | None = None

    async def complete(self) -> str:
        """What is shown when nothing more comes."""
        try:
            await self._context.route("**/*", self._answer)
            await self._context.route_web_socket("**/*", _never_connected)
            self._page = await self._context.new_page()
            told = await self._listen(self._page)
            going = asyncio.ensure_future(self._page.goto(self._url, wait_until="commit", timeout=0))
            try:
                html = await self._settled(self._page, told, going)
            finally:
                going.cancel()
                with suppress(asyncio.CancelledError, Error):
                    await going
        except (Error, TimeoutError) as error:
            raise self._fault or NotShown(_first_line(error)) from error
        if html is None:
            raise self._fault or NotShown(
                f"its scripts were not done after {self._settings.seconds:g} s (render.seconds)"
            )
        return html

    async def _listen(self, page: Page) -> CDPSession:
        """The page says what it asks for before it answers us, however long the request takes to reach us."""
        told = await self._context.new_cdp_session(page)
        told.on("Network.requestWillBeSent", self._began)
        told.on("Network.responseReceived", self._ended)
        told.on("Network.loadingFinished", self._ended)
        told.on("Network.loadingFailed", self._ended)
        await told.send("Network.enable")
        return told

    def _began(self, request: dict[str, Any]) -> None:
        if request.get("type") in ASKS and request["request"]["url"].startswith("http"):
            self._begun += 1
            self._on_the_way[request["requestId"]] = request["request"]["url"]

    def _ended(self, request: dict[str, Any]) -> None:
        """Also where nobody is asked: what is forbidden, or kept by the browser."""
        self._on_the_way.pop(request["requestId"], None)

    def _is_here(self, url: str) -> None:
        """Of what starts a worker the page does not hear the end."""
        address = url.partition("#")[0]
        self._on_the_way = {number: one for number, one in self._on_the_way.items() if one != address}

    async def _settled(self, page: Page, told: CDPSession, going: "asyncio.Task[Response | None]") -> str | None:
        """None: it asked for what it could not have, or its time is over. Waiting for answers does not count: they
        have limits of their own, and their server its gap."""
        loop = asyncio.get_running_loop()
        left_s, before = self._settings.seconds, loop.time()
        while left_s > 0 and self._fault is None:
            await asyncio.sleep(LOOK_EVERY_S)
            now = loop.time()
            if self._under_way:
                before = now
                continue
            left_s, before = left_s - (now - before), now
            if not going.done() or self._on_the_way:
                continue
            going.result()
            begun = self._begun
            with suppress(TimeoutError):  # it computes, and answers nobody meanwhile
                state = await asyncio.wait_for(_rested(told), max(left_s, 2 * QUIET_S))
                is_quiet = begun == self._begun and not self._under_way and self._fault is None
                if is_quiet and state != "loading":
                    return await asyncio.wait_for(page.content(), max(left_s, QUIET_S))
        return None

    async def _answer(self, route: Route, request: Request) -> None:
        self._under_way += 1
        self._is_here(request.url)
        brought = None
        try:
            brought = await self._brought(request)
        except Exception as error:  # noqa: BLE001  (nobody listens here: who waits for the page raises it)
            self._fault = self._fault or error
        finally:
            self._under_way -= 1
            self._is_here(request.url)  # the page's word of it may come later than the request
        with suppress(Error):  # the page is gone
            if brought is None:
                await route.abort("aborted" if request.resource_type == "document" else "blockedbyclient")
            else:
                headers = {name: value for name, value in brought.headers if name not in NOT_TOLD}
                await route.fulfill(status=brought.status, headers=headers, body=brought.body)

    async def _brought(self, request: Request) -> Brought | None:
        kind = request.resource_type
        if kind == "document":
            return self._navigated(request)
        if kind in EMPTY:
            return Brought(200, (("content-type", EMPTY[kind]),), b"")
        if kind not in BROUGHT or request.method != "GET":
            return None
        self._requests += 1
        if self._requests > self._settings.requests:
            raise NotShown(f"it asks for more than {self._settings.requests} files (render.requests)")
        accept = request.headers.get("accept", "*/*")
        return await self._bring(request.url.partition("#")[0], kind, (("accept", accept),))

    def _navigated(self, request: Request) -> Brought | None:
        """The page itself, once; neither frames nor windows. One that leaves is not read to its end."""
        if not self._is_given:
            self._is_given = True
            return self._document
        with suppress(Error):  # a new window, which has no frame yet
            frame = request.frame
            if frame.parent_frame is None and frame.page is self._page:
                raise NotShown(f"its scripts lead to {request.url[:200]}")
        return None


async def _rested(told: CDPSession) -> str:
    """The state of the document then. In a world of our own: scripts may have put their own timers into theirs."""
    frame = (await told.send("Page.getFrameTree"))["frameTree"]["frame"]["id"]
    world = (await told.send("Page.createIsolatedWorld", {"frameId": frame}))["executionContextId"]
    asked = {"expression": REST, "contextId": world, "awaitPromise": True, "returnByValue": True}
    return str((await told.send("Runtime.evaluate", asked))["result"].get("value"))


def _never_connected(socket: WebSocketRoute) -> None:
    """It stays as quiet as a server that has nothing to say."""


async def _in_time(closing: Awaitable[None]) -> bool:
    """False: it does not answer any more, and the system sees to the rest."""
    try:
        await asyncio.wait_for(closing, CLOSING_S)
    except (Error, TimeoutError):
        return False
    return True


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0][:300] or type(error).__name__
