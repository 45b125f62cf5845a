"""A plain site whose pages change when they are told to, and at no other time.

The pages form a tree: "/" links to "/p/1.html" and so on, every page to its children, its parent and its
neighbour. Some are noisy (a clock and a token on every answer, no validators), some are traps: linked to, and
disallowed in robots.txt. As a process of its own it prints the address of the site, then that of its controls:

    python -m recrawl.lab.static_site --pages 2000 --port 0 --noisy 5 --traps 3 --log requests.jsonl

    POST /_control  {"change": ["/p/7.html"], "remove": ["/p/8.html"], "move": {"/p/9.html": "/p/1.html"}}
    POST /_control  {"restore": ["/p/8.html"]}
    POST /_control  {"busy": {"times": 2, "retry_after": 3}, "robots": "User-agent: *"}
    GET  /_control/paths | /_control/forbidden | /_control/log
"""

import argparse
import asyncio
import json
import math
import signal
import sys
from dataclasses import replace
from pathlib import Path

from recrawl.engine.clock import SystemClock
from recrawl.lab.chance import key_of
from recrawl.lab.controlled import CONTROL_PATH, serve_controlled
from recrawl.lab.faults import CALM, ROBOTS_PATH, Fault, FaultKind, FaultPlan, fault_at
from recrawl.lab.http_answers import (
    Answer,
    Validators,
    faulty,
    not_modified,
    redirect,
    unchanged,
    whole_answer,
)
from recrawl.lab.loopback import Heard, RequestLog, method_not_allowed
from recrawl.lab.render import View, html, not_found_html
from recrawl.lab.requests_log import render_line
from recrawl.lab.server_map import Anchor
from recrawl.lab.tempers import DAY_S
from recrawl.lab.world_parts import Noise, PageSpec
from recrawl.model.values import dataclass
from recrawl.model.visit import Ask
from recrawl.ports import Clock

NAME = "static"  # what fault rules call its server

_HTML = "text/html; charset=utf-8"
_WITH_TAG = (True, True, False, True)  # pages in turn: both validators, tag alone, date alone, both
_WITH_DATE = (True, False, True, True)


@dataclass(frozen=True, slots=True)
class Leaf:
    """The state of one page. `status` other than 200: it was removed, or moved to `target`."""

    number: int
    version: int
    changed_at: float
    status: int = 200
    target: str = ""


class StaticSite:
    """`delay_s` holds back every answer; `crawl_delay_s` stands in robots.txt; `faults` name this server "static"."""

    def __init__(
        self,
        pages: int = 2000,
        seed: int = 1,
        noisy: int = 0,
        traps: int = 0,
        fanout: int = 10,
        paragraphs: int = 12,
        delay_s: float = 0.0,
        crawl_delay_s: float | None = None,
        faults: FaultPlan = CALM,
        clock: Clock | None = None,
    ) -> None:
        self.seed, self.fanout, self.paragraphs, self.delay_s = seed, fanout, paragraphs, delay_s
        self.crawl_delay_s, self.faults, self.clock = crawl_delay_s, faults, clock or SystemClock()
        began_at = float(math.floor(self.clock.now() - DAY_S))
        self._leaves = {_path(number): Leaf(number, 0, began_at) for number in range(pages)}
        self.noisy = tuple(_path(number) for number in range(max(1, pages - noisy), pages))
        self.forbidden = tuple(f"/private/{number + 1}.html" for number in range(traps))
        self._bodies: dict[str, tuple[int, bytes]] = {}
        self._busy, self._retry_after_s = 0, 0
        self.robots = ""  # instead of our own

    @property
    def paths(self) -> tuple[str, ...]:
        """Every page that is there, "/" first."""
        return tuple(path for path, leaf in self._leaves.items() if leaf.status == 200)

    def change(self, *paths: str) -> None:
        """Rewrite a part of each page. Its date moves on by a second at least, so a conditional request sees it."""
        for path in paths:
            leaf = self._leaves[path]
            changed_at = max(float(math.floor(self.clock.now())), leaf.changed_at + 1)
            self._leaves[path] = replace(leaf, version=leaf.version + 1, changed_at=changed_at)

    def remove(self, *paths: str, status: int = 404) -> None:
        for path in paths:
            self._leaves[path] = replace(self._leaves[path], status=status)

    def move(self, path: str, target: str) -> None:
        self._leaves[path] = replace(self._leaves[path], status=301, target=target)

    def restore(self, *paths: str) -> None:
        """As it was before it was removed or moved."""
        for path in paths:
            self._leaves[path] = replace(self._leaves[path], status=200, target="")

    def be_busy(self, times: int, retry_after_s: int) -> None:
        """Answer the next pages (robots.txt aside) with 503 and Retry-After."""
        self._busy, self._retry_after_s = times, retry_after_s

    def answer(self, heard: Heard) -> tuple[Answer, float]:
        at = self.clock.now()
        if heard.method not in ("GET", "HEAD"):
            return method_not_allowed(at), at
        said = replace(self._plain_answer(heard, at), delay_s=self.delay_s)
        if self._busy and heard.path != ROBOTS_PATH:
            self._busy -= 1
            return faulty(said, Fault(FaultKind.BUSY, retry_after_s=self._retry_after_s), at), at
        fault = fault_at(self.faults, NAME, heard.path, at)
        return (faulty(said, fault, at) if fault else said), at

    def body(self, path: str, at: float) -> bytes:
        """The page as it is now; only noise depends on the moment."""
        leaf, memo = self._leaves[path], self._bodies.get(path)
        if memo is not None and memo[0] == leaf.version:
            return memo[1]
        noise = (Noise.CLOCK, Noise.TOKEN, Noise.COUNTER) if path in self.noisy else ()
        page = PageSpec(path, noise=noise, paragraphs=self.paragraphs)
        view = View(page, f"Page {leaf.number}", self._key(path), leaf.version, None, self._anchors(leaf))
        body = html(view, at).encode()
        if not noise:
            self._bodies[path] = (leaf.version, body)
        return body

    def control(self, heard: Heard, log: RequestLog) -> tuple[Answer, float]:
        at = self.clock.now()
        views = {"paths": self.paths, "forbidden": self.forbidden, "noisy": self.noisy}
        name = heard.path.removeprefix(CONTROL_PATH).strip("/")
        if heard.method == "POST" and not name:
            return self._ordered(heard.body, at), at
        if name == "log":
            lines = "".join(map(render_line, log.requests))
            return whole_answer(200, "application/x-ndjson", lines.encode(), at), at
        if name in views:
            return whole_answer(200, "application/json", json.dumps(views[name]).encode(), at), at
        return whole_answer(
            404, "text/plain", b"controls: /_control, and below it paths, forbidden, noisy, log\n", at
        ), at

    def _ordered(self, body: bytes, at: float) -> Answer:
        try:
            orders = json.loads(body)
            self.change(*orders.get("change", ()))
            self.remove(*orders.get("remove", ()))
            for path, target in orders.get("move", {}).items():
                self.move(path, target)
            self.restore(*orders.get("restore", ()))
            self.robots = orders.get("robots", self.robots)
            if busy := orders.get("busy"):
                self.be_busy(busy["times"], busy["retry_after"])
        except (ValueError, KeyError, AttributeError, TypeError) as error:
            return whole_answer(400, "text/plain", f"not understood: {error!r}\n".encode(), at)
        return whole_answer(200, "application/json", b"{}\n", at)

    def _plain_answer(self, heard: Heard, at: float) -> Answer:
        if heard.path == ROBOTS_PATH:
            return whole_answer(200, "text/plain", (self.robots or self._robots()).encode(), at)
        leaf = self._leaves.get(heard.path)
        if heard.path in self.forbidden:
            return whole_answer(200, _HTML, b"<!DOCTYPE html><title>Private</title><p>Nobody may read this.</p>\n", at)
        if leaf is None or leaf.status not in (200, 301):
            return whole_answer(leaf.status if leaf else 404, _HTML, not_found_html("this site").encode(), at)
        if leaf.status == 301:
            return redirect(f"http://{heard.server}{leaf.target}", at)
        return self._page(heard, leaf, at)

    def _page(self, heard: Heard, leaf: Leaf, at: float) -> Answer:
        validators = self._validators(heard.path, leaf)
        said = heard.headers.get
        ask = Ask(heard.path, said("if-none-match", ""), said("if-modified-since", ""))
        if unchanged(ask, validators):
            return not_modified(validators, at)
        return whole_answer(200, _HTML, self.body(heard.path, at), at, validators.headers)

    def _validators(self, path: str, leaf: Leaf) -> Validators:
        if path in self.noisy:
            return Validators()
        turn = leaf.number % 4
        tag = f'"{self._key(path):x}-{leaf.version}"' if _WITH_TAG[turn] else ""
        return Validators(tag, leaf.changed_at if _WITH_DATE[turn] else None)

    def _anchors(self, leaf: Leaf) -> tuple[Anchor, ...]:
        number, total = leaf.number, len(self._leaves)
        children = range(number * self.fanout + 1, min(number * self.fanout + self.fanout + 1, total))
        numbers = [*children, max(0, number - 1) // self.fanout, (number + 1) % total]
        links = [Anchor(_path(other), f"Page {other}") for other in dict.fromkeys(numbers)]
        if number % 50 == 0:
            links += [Anchor(path, "Private") for path in self.forbidden]
        return tuple(links)

    def _robots(self) -> str:
        delay = "" if self.crawl_delay_s is None else f"Crawl-delay: {self.crawl_delay_s:g}\n"
        return f"User-agent: *\nDisallow: /private/\n{delay}"

    def _key(self, path: str) -> int:
        return key_of(self.seed, NAME, path)


def _path(number: int) -> str:
    return f"/p/{number}.html" if number else "/"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m recrawl.lab.static_site", description="Serve a plain site on loopback.")
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--noisy", type=int, default=0)
    parser.add_argument("--traps", type=int, default=0)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds every answer is held back")
    parser.add_argument("--crawl-delay", type=float, default=None)
    parser.add_argument("--log", type=Path, default=None, help="append one JSON object a request to this file")
    return parser


async def _main(chosen: argparse.Namespace) -> None:
    site = StaticSite(
        chosen.pages, chosen.seed, chosen.noisy, chosen.traps, delay_s=chosen.delay, crawl_delay_s=chosen.crawl_delay
    )
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    async with serve_controlled(site, chosen.port, chosen.log) as served:
        sys.stdout.write(f"{served.root}\n{served.controls}\n")
        sys.stdout.flush()
        await ended.wait()


if __name__ == "__main__":
    asyncio.run(_main(_parser().parse_args()))
