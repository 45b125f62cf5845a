"""The bundled shop: four departments, forty list pages, a thousand items, and everything that leads away from them.

Adverts, reviewers, calendars without end, session ids in links, `javascript:` calls, redirects, sort orders, print
versions. Goods change when they are told to. As a process it prints the address of the shop, then of its controls:

    python -m recrawl.lab.shop --port 0 --log requests.jsonl

    POST /_control  {"price": {"100001": "12.50"}, "add": 3, "review": {"100001": 5}}
    GET  /_control/wanted | /_control/products | /_control/log
"""

import argparse
import asyncio
import json
import re
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from recrawl.engine.clock import SystemClock
from recrawl.lab.chance import key_of
from recrawl.lab.controlled import CONTROL_PATH, serve_controlled
from recrawl.lab.faults import ROBOTS_PATH
from recrawl.lab.http_answers import Answer, Validators, not_modified, redirect, unchanged, whole_answer
from recrawl.lab.loopback import Heard, RequestLog, method_not_allowed
from recrawl.lab.requests_log import Request, render_line
from recrawl.lab.shop_goods import DEPARTMENTS, FIRST_ID, Product, Review, catalogue, product
from recrawl.lab.shop_pages import (
    SESSION,
    Shelf,
    day_page,
    home,
    is_day,
    item_page,
    list_path,
    month_page,
    shelf_page,
    user_page,
    word_page,
)
from recrawl.model.values import dataclass
from recrawl.model.visit import Ask
from recrawl.ports import Clock

ROBOTS = b"User-agent: *\nDisallow: /cart/\nDisallow: /login\n"
BEST = 12
_HTML = "text/html; charset=utf-8"

_ITEM = re.compile(r"/item/(\d+)/([a-z-]+)")
_MONTH = re.compile(r"/calendar/(\d{4})/(\d{1,2})")

# most items show none: what only scripts and redirects lead to must be found by them
_RELATED: tuple[Callable[[int], tuple[int, ...]], ...] = (
    lambda number: (number - 8, number + 4, number + 40),
    lambda number: (),
    lambda number: (),
)

Page = Callable[[str], str]  # a page without its session, given one


class Shop:
    """A shop whose goods change only by order. `each`: items a department; `shelf`: items a list page."""

    def __init__(self, seed: int = 1, each: int = 250, shelf: int = 25, clock: Clock | None = None) -> None:
        self.seed, self.each, self.shelf, self.clock = seed, each, shelf, clock or SystemClock()
        self._goods = {one.number: one for one in catalogue(seed, each=each)}
        self._asked = 0

    @property
    def products(self) -> tuple[Product, ...]:
        """The truth of every detail page, as it is now."""
        return tuple(self._goods.values())

    @property
    def wanted(self) -> frozenset[str]:
        """Paths of every list and detail page: what a perfect crawl fetches, and nothing else."""
        lists = {list_path(one.name, page) for one in DEPARTMENTS for page in range(1, self._pages(one.name) + 1)}
        return frozenset(lists | {one.path for one in self.products})

    def set_price(self, number: int, price: Decimal) -> None:
        self._goods[number] = replace(self._goods[number], price=price)

    def add(self, count: int) -> list[Product]:
        """New goods, the newest first on the lists."""
        fresh = []
        for _ in range(count):
            number = FIRST_ID + len(self._goods)
            one = product(self.seed, number, DEPARTMENTS[len(self._goods) % len(DEPARTMENTS)])
            self._goods[number] = one
            fresh.append(one)
        return fresh

    def review(self, number: int, stars: int) -> None:
        one = self._goods[number]
        later = Review("Zoe 1", 1, stars, date(2026, 11, 1), "It came on a Tuesday.")
        self._goods[number] = replace(one, reviews=(*one.reviews, later))

    def answer(self, heard: Heard) -> tuple[Answer, float]:
        at = self.clock.now()
        if heard.method not in ("GET", "HEAD"):
            return method_not_allowed(at), at
        if heard.path == ROBOTS_PATH:
            return whole_answer(200, "text/plain", ROBOTS, at), at
        parts = urlsplit(heard.path)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        if parts.path == "/go" and query.get("u", "").startswith("/"):
            return redirect(f"http://{heard.server}{query['u']}", at), at
        page = self._page(parts.path, query)
        if page is None:
            return whole_answer(404, _HTML, word_page("Not found", "There is no such page.", "").encode(), at), at
        return self._told(heard, page, at), at

    def control(self, heard: Heard, log: RequestLog) -> tuple[Answer, float]:
        at = self.clock.now()
        name = heard.path.removeprefix(CONTROL_PATH).strip("/")
        if heard.method == "POST" and not name:
            return self._ordered(heard.body, at), at
        if name == "log":
            return whole_answer(200, "application/x-ndjson", "".join(map(render_line, log.requests)).encode(), at), at
        views: dict[str, Callable[[], Sequence[object]]] = {
            "wanted": lambda: sorted(self.wanted),
            "products": lambda: [truth(one) for one in self.products],
        }
        if name in views:
            return whole_answer(200, "application/json", json.dumps(views[name]()).encode(), at), at
        return whole_answer(404, "text/plain", b"controls: /_control, and below it wanted, products, log\n", at), at

    def _told(self, heard: Heard, page: Page, at: float) -> Answer:
        """Every answer carries a session of its own; the tag is that of the page without it."""
        tag = Validators(f'W/"{key_of(page("")):x}"')
        if unchanged(Ask(heard.path, heard.headers.get("if-none-match", "")), tag):
            return not_modified(tag, at)
        self._asked += 1
        token = f"{key_of(self.seed, 'session', self._asked):016x}"
        return whole_answer(200, _HTML, page(token).encode(), at, tag.headers)

    def _page(self, path: str, query: dict[str, str]) -> Page | None:
        if found := _ITEM.fullmatch(path):
            return self._item(int(found[1]), found[2])
        if path.startswith("/c/"):
            return self._shelf(path.removeprefix("/c/"), query)
        if found := _MONTH.fullmatch(path):
            year, month = int(found[1]), int(found[2])
            in_range = 1 <= month <= 12 and 1 < year < 9998
            return (lambda token: month_page(year, month, token)) if in_range else None
        if path.startswith("/day/") and is_day(path.removeprefix("/day/")):
            return lambda token: day_page(path.removeprefix("/day/"), token)
        if path.startswith("/user/") and path.removeprefix("/user/").isdecimal():
            return self._user(int(path.removeprefix("/user/")))
        return self._words(path, query)

    def _item(self, number: int, slug: str) -> Page | None:
        one = self._goods.get(number)
        if one is None or one.slug != slug:
            return None
        related = [self._goods[near] for near in _RELATED[number % len(_RELATED)](number) if near in self._goods]
        return lambda token: item_page(one, related, token, number % 3)

    def _shelf(self, department: str, query: dict[str, str]) -> Page | None:
        written = query.get("page", "1")
        page = int(written) if written.isdecimal() else 0
        if not 1 <= page <= self._pages(department):
            return None
        orders: dict[str, Callable[[Product], object]] = {
            "price": lambda one: one.price,
            "name": lambda one: one.title,
            "newest": lambda one: one.added_on,
        }
        goods = self._of(department)
        if query.get("sort") in orders:
            goods.sort(key=orders[query["sort"]])  # type: ignore[arg-type]
        items = tuple(goods[(page - 1) * self.shelf : page * self.shelf])
        return lambda token: shelf_page(Shelf(department, page, self._pages(department), items), token)

    def _user(self, number: int) -> Page:
        theirs = [one for one in self.products if any(review.author_number == number for review in one.reviews)]
        return lambda token: user_page(number, theirs, token)

    def _words(self, path: str, query: dict[str, str]) -> Page | None:
        texts = {
            "/about": ("About us", "A shop on a corner since 1911."),
            "/help/returns": ("Returns", "Bring it back within a month."),
            "/help/delivery": ("Delivery", "By bicycle, on weekdays."),
            "/login": ("Log in", "Members only."),
            "/ad/click": ("Advert", "You are leaving the shop."),
            "/compare": ("Compare", f"{query.get('a', '')} and {query.get('b', '')} side by side."),
            "/review/write": ("Write a review", "Tell us what you think."),
        }
        if path == "/":
            best = self.products[:: max(1, len(self._goods) // BEST)]
            return lambda token: home(best, token)
        if path.startswith("/cart/add/"):
            return lambda token: word_page("Basket", "It is in your basket.", token)
        return (lambda token: word_page(*texts[path], token)) if path in texts else None

    def _of(self, department: str) -> list[Product]:
        """Newest arrivals first."""
        return [one for one in reversed(self._goods.values()) if one.department == department]

    def _pages(self, department: str) -> int:
        return -(-len(self._of(department)) // self.shelf)

    def _ordered(self, body: bytes, at: float) -> Answer:
        try:
            orders = json.loads(body)
            for number, price in orders.get("price", {}).items():
                self.set_price(int(number), Decimal(price))
            for number, stars in orders.get("review", {}).items():
                self.review(int(number), int(stars))
            fresh = self.add(int(orders.get("add", 0)))
        except (ValueError, KeyError, AttributeError, TypeError, InvalidOperation) as error:
            return whole_answer(400, "text/plain", f"not understood: {error!r}\n".encode(), at)
        return whole_answer(200, "application/json", json.dumps({"added": [one.path for one in fresh]}).encode(), at)


def truth(one: Product) -> dict[str, object]:
    """One product as the controls tell it."""
    return {
        "path": one.path,
        "number": one.number,
        "title": one.title,
        "department": one.department,
        "price": str(one.price),
        "currency": one.currency,
        "added_on": one.added_on.isoformat(),
        "reviews": len(one.reviews),
        "stars": [review.stars for review in one.reviews],
    }


@dataclass(frozen=True, slots=True)
class Score:
    """S0's measures of a crawl: wanted pages among those fetched, and how many of the wanted were fetched."""

    fetched: int
    wanted: int
    found: int

    @property
    def accuracy(self) -> float:
        return self.found / self.fetched if self.fetched else 0.0

    @property
    def recall(self) -> float:
        return self.found / self.wanted if self.wanted else 1.0


def score(requests: list[Request], wanted: frozenset[str]) -> Score:
    """Every page asked for counts once, under the address it was asked by; robots.txt is no page."""
    asked = {one.path for one in requests if one.path != ROBOTS_PATH}
    return Score(len(asked), len(wanted), len(asked & wanted))


def site_file(root: str) -> str:
    """The site file a person would write for this shop."""
    authority = urlsplit(root).netloc
    return f"""seeds = ["{root}c/lamps?page=1"]
own = ["{authority}"]
drop_parameters = ["{SESSION}"]

[[patterns]]
name = "shelf"
kind = "list"
match = "/c/{{category}}?page={{page:int}}"

[[patterns]]
name = "item"
kind = "detail"
match = "/item/{{id:int}}/{{slug}}"

[[rewrites]]
match = "javascript:showItem({{id:int}}, {{slug}})"
target = "/item/{{id}}/{{slug}}"

[[rewrites]]
match = "javascript:openItem(*, {{id:int}}, {{slug}}, ...)"
target = "/item/{{id}}/{{slug}}"

[[rewrites]]
match = "/go?u={{target:url}}"
target = "{{target}}"
"""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m recrawl.lab.shop", description="Serve the bundled shop on loopback.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=250, help="items in each of the four departments")
    parser.add_argument("--shelf", type=int, default=25, help="items on a list page")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", type=Path, default=None, help="append one JSON object a request to this file")
    return parser


async def _main(chosen: argparse.Namespace) -> None:
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    async with serve_controlled(Shop(chosen.seed, chosen.each, chosen.shelf), chosen.port, chosen.log) as served:
        sys.stdout.write(f"{served.root}\n{served.controls}\n")
        sys.stdout.flush()
        await ended.wait()


if __name__ == "__main__":
    asyncio.run(_main(_parser().parse_args()))
