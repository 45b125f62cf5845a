"""What a browser makes of a page that is empty without its scripts (extra `render`).

The browser itself reaches nobody: its names do not resolve, its proxy is nowhere, and every request it makes is handed
to whoever asks for the page. So scripts and data are asked for as politely as pages are, or not at all. Every page has
a browser profile of its own that is thrown away; one page is shown at a time.
"""

import asyncio
from collections.abc import Awaitable, Callable
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

from recrawl.model.failure import ConfigError
from recrawl.model.late import late_module
from recrawl.model.values import dataclass

if TYPE_CHECKING:
    from recrawl.fetch.chromium import Chromium

_SHUTIL = late_module("shutil")
CHROMIUM = "recrawl.fetch.chromium"  # imported when it is needed: an extra, and slow to import
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class RenderSettings:
    """For the pages that a site file wants rendered."""

    chromium: str = ""  # the browser's program; empty: chromium or chrome, as they are found
    seconds: float = 15.0  # that a page may compute until it is complete, waiting for answers not counted
    requests: int = 50  # that a page may make; one that wants more is not taken


class Brought(NamedTuple):
    """An answer to something that a page asked for."""

    status: int
    headers: Headers
    body: bytes


Bring = Callable[[str, str, Headers], Awaitable[Brought | None]]  # address, kind, headers; None: it is not asked for


class NotShown(Exception):
    """The page could not be shown whole; the sentence says why."""


def browser_at(settings: RenderSettings) -> str:
    """The browser's program; ConfigError says what is missing."""
    if find_spec("playwright") is None:
        raise ConfigError("a site file wants pages rendered, which needs an extra: pip install 'recrawl[render]'")
    named = [settings.chromium] if settings.chromium else NAMES
    found: str | None = next((path for name in named if (path := _SHUTIL.which(name))), None)
    if found is None:
        raise ConfigError(
            f"a site file wants pages rendered, and {' or '.join(named)} is not there: "
            "apt-get install chromium, or name the program under [render] chromium in recrawl.toml"
        )
    return found


class Browser:
    """Starts with the first page, and again after a crash."""

    def __init__(self, settings: RenderSettings, user_agent: str) -> None:
        self._settings, self._user_agent = settings, user_agent
        self._chromium: Chromium | None = None
        self._one_at_a_time = asyncio.Semaphore(1)

    async def shown(self, url: str, document: Brought, bring: Bring) -> str:
        """The page as HTML once its scripts have run; `NotShown` if it cannot be. What `bring` raises comes through."""
        async with self._one_at_a_time:
            if self._chromium is None:
                start = import_module(CHROMIUM).start
                self._chromium = await start(browser_at(self._settings), self._user_agent)
            try:
                return await self._chromium.shown(url, document, bring, self._settings)
            finally:
                if not self._chromium.is_well:
                    await self.close()  # the next page gets a new one

    async def close(self) -> None:
        chromium, self._chromium = self._chromium, None
        if chromium is not None:
            await chromium.close()
