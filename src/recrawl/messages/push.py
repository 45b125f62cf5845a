"""Those who push: IndexNow, WebSub, webhooks. From a request as it came to claims applied and an answer.

Independent of the transport: `recrawl serve` and `recrawl notices serve` hand in method, path, headers and body.
Nothing is asked of anybody from here: a key file, a topic, a hub are errands of the crawl (`errands`).
"""

import json
import re
import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import field, replace
from pathlib import Path
from threading import Lock
from urllib.parse import parse_qsl, urlsplit

from recrawl.agent.rate import Buckets, network_of
from recrawl.agent.registry import digest_of
from recrawl.agent.whole import write_whole
from recrawl.engine.asking.errand_pages import HUB, TOPIC, errand, send
from recrawl.engine.asking.errands import Pings
from recrawl.engine.clock import SystemClock
from recrawl.engine.hearing.heard import Hearing
from recrawl.extract.feed import read_feed
from recrawl.folder.folder import Folder
from recrawl.folder.opening import open_store
from recrawl.folder.push_book import PushBook
from recrawl.formats.notice_mail import SIGNATURE_HEADER
from recrawl.messages.robot import Ears, Robot
from recrawl.model.failure import NotFound, UsageError
from recrawl.model.notice import NoticeKind, Source
from recrawl.model.site import Site
from recrawl.model.values import dataclass
from recrawl.model.visit import Ask, Evidence, Reply
from recrawl.notices import indexnow, webhook, websub
from recrawl.notices.answer import Received
from recrawl.notices.claim import from_urls, origin_of_url
from recrawl.notices.indexnow import Ping
from recrawl.notices.registrations import Book, Standing
from recrawl.notices.websub import Subscription, Wish

WEB = re.compile(r"https?://[^/\s]+")
ROOMS = ("indexnow", "websub", "webhook")  # the first part of the path


def is_for_receivers(path: str) -> bool:
    return path.strip("/").partition("/")[0] in ROOMS


@dataclass(slots=True)
class Push:
    """One request after another, whoever brings them."""

    robot: Robot
    hearing: Hearing
    clock: Callable[[], float]
    draw: Callable[[], str] = lambda: secrets.token_urlsafe(24)
    listen: Callable[[Hearing], Hearing] = lambda heard: heard  # takes up site files that changed
    _senders: Buckets = field(init=False)
    _networks: Buckets = field(init=False)
    _turn: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        limits = self.robot.settings.receive
        self._senders, self._networks = Buckets(limits.per_sender_hour), Buckets(limits.per_network_hour)

    @property
    def most_bytes(self) -> int:
        return self.robot.settings.receive.body_bytes

    def receive(self, method: str, target: str, headers: Mapping[str, str], body: bytes, sender: str = "") -> Received:
        """One request. Names of `headers` in small letters; `sender`: its address, '' if nobody else can be meant."""
        with self._turn:
            if sender and not self._may_ask(sender):
                return Received(429, "too many requests from your network; try again later")
            self.hearing = self.listen(self.hearing)
            return self._settled(self._received(method, target, headers, body))

    def _may_ask(self, sender: str) -> bool:
        now = self.clock()
        return self._senders.take(sender, now) and self._networks.take(network_of(sender), now)

    def _received(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Received:
        parts = urlsplit(target)
        query = dict(parse_qsl(parts.query, keep_blank_values=True, max_num_fields=50))
        room, _, rest = parts.path.strip("/").partition("/")
        if room == "indexnow" and method in ("GET", "POST"):
            return self._indexnow(method, query, body)
        if room == "websub" and method == "GET":
            return self._verify(rest, query)
        if room == "websub" and method == "POST":
            return self._delivered(rest, headers.get("x-hub-signature", ""), body)
        if room == "webhook" and method == "GET":
            return self._proof(parts.path)
        if room == "webhook" and method == "POST":
            return self._webhook(headers, body)
        return Received(404, "no such receiver", count="elsewhere")

    def _settled(self, received: Received) -> Received:
        """Apply, remember, count."""
        counts = Counter({received.count: 1}) if received.count else Counter()
        counts.update(f"line refused: {reason}" for reason in received.refused)
        if received.taken:
            counts += self.hearing.take(received.claims, self.clock())
        if received.mark or counts:
            self.robot.change(lambda book: _noted(book, received.mark, counts))
        return received

    # IndexNow

    def _indexnow(self, method: str, query: Mapping[str, str], body: bytes) -> Received:
        origins = self._origins()
        ping = indexnow.read_post(body, origins) if method == "POST" else indexnow.read_get(query, origins)
        if isinstance(ping, Received):
            return ping
        now, pings = self.clock(), Pings(self.hearing.store)
        if pings.proved(ping, now):
            return indexnow.judge(ping, _known_good(ping))
        return pings.wait(ping, origins[origin_of_url(ping.key_url)], now)

    def _origins(self) -> dict[str, Site]:
        return {origin_of_url(seed): site for site in self.robot.folder.sites() for seed in site.seeds}

    # webhooks

    def _webhook(self, headers: Mapping[str, str], body: bytes) -> Received:
        signed = headers.get(SIGNATURE_HEADER.lower(), "")
        if signed:
            book = self.robot.book()
            return webhook.receive_signed(body, signed, book.registrations, frozenset(book.seen), self.clock())
        return webhook.receive_with_token(body, headers.get("authorization", ""), self.tokens(), self.clock())

    def _proof(self, path: str) -> Received:
        """An agent asks whether its registration was ours: the digest proves it without giving the token away."""
        for one in self.robot.book().registrations:
            if one.callback and one.standing is Standing.UNCONFIRMED and urlsplit(one.callback).path == path:
                return Received(200, digest_of(one.token))
        return Received(404, "nothing is waiting here", count="webhook: not asked for")

    @property
    def _tokens_file(self) -> Path:
        return self.robot.folder.path / "webhook-tokens.json"

    def tokens(self) -> dict[str, list[str]]:
        if not self._tokens_file.exists():
            return {}
        return {str(token): list(own) for token, own in json.loads(self._tokens_file.read_text("utf-8")).items()}

    def new_token(self, site: str) -> str:
        """For whoever may speak of a site's pages; it replaces the one before."""
        chosen = next((one for one in self.robot.folder.sites() if one.name == site), None)
        if chosen is None:
            raise NotFound(f"there is no site {site!r}: `recrawl sites` lists them")
        own, token = sorted({origin_of_url(seed) for seed in chosen.seeds}), self.draw()
        others = {known: told for known, told in self.tokens().items() if told != own}
        write_whole(self._tokens_file, json.dumps({**others, token: own}, indent=1).encode(), private=True)
        return token

    # WebSub

    @property
    def push_book(self) -> PushBook:
        return PushBook(self.robot.folder.path)

    def subscribe(self, topic: str, base: str) -> Subscription:
        """The crawl will read the topic, find its hub and ask it. The topic must be on one of our sites."""
        site = self._origins().get(origin_of_url(topic))
        if site is None:
            raise UsageError(f"{topic} is on none of the sites of this folder")
        if not WEB.match(base):
            raise UsageError(f"{base!r} is not where a hub can reach us: write for example https://you.example")
        number = self.draw()
        callback = f"{base.rstrip('/')}/websub/{number}"
        fresh = Subscription(number, topic, "", self.draw(), callback, site.name, asked_at=self.clock())
        self.push_book.put(fresh)
        self.send_errands()
        return fresh

    def unsubscribe(self, topic: str) -> list[Subscription]:
        def leave(one: Subscription) -> Subscription:
            wanted = one.topic == topic and one.wish is Wish.SUBSCRIBE
            return replace(one, wish=Wish.UNSUBSCRIBE, waiting=bool(one.hub), fault="") if wanted else one

        left = self.push_book.change(leave)
        self.send_errands()
        return left

    def renew(self) -> list[Subscription]:
        """Ask again for every lease that nears its end."""
        due = {one.number for one in websub.to_renew(self.push_book.subscriptions(), self.clock())}
        asked = self.push_book.change(lambda one: replace(one, waiting=True) if one.number in due else one)
        self.send_errands()
        return asked

    def send_errands(self) -> None:
        """For every subscription that waits, unless its errand is under way."""
        store, now = self.hearing.store, self.clock()
        waiting = [one for one in self.push_book.subscriptions() if one.waiting and one.site in self.hearing.quarries]
        wanted = [
            errand(HUB, one.hub, one.site, now) if one.hub else errand(TOPIC, one.topic, one.site, now)
            for one in waiting
        ]
        under_way = {page.id for page in store.pages([page.id for page in wanted]) if page.due_at is not None}
        for page in wanted:
            if page.id not in under_way:
                send(store, page)

    def _verify(self, number: str, query: Mapping[str, str]) -> Received:
        known = next((one for one in self.push_book.subscriptions() if one.number == number), None)
        received, after = websub.verify(known, query, self.clock())
        if after is not None:
            until_at, lease_s = after.until_at, after.lease_s
            self.push_book.change(
                lambda one: replace(one, until_at=until_at, lease_s=lease_s, fault="") if one.number == number else one
            )
        return received

    def _delivered(self, number: str, signature: str, body: bytes) -> Received:
        known = next((one for one in self.push_book.subscriptions() if one.number == number), None)
        received = websub.delivered(known, body, signature, self.clock())
        if known is None or received.status != 202:
            return received
        urls = [item.url for item in read_feed(body).items if not item.deleted]
        checked = from_urls(urls, {origin_of_url(known.topic)}, Source.WEBSUB, NoticeKind.UPDATED)
        return replace(received, claims=checked.claims, refused=checked.refused)


def _noted(book: Book, mark: str, counts: Counter[str]) -> Book:
    return (book.having_seen(mark) if mark else book).counted(counts)


def _known_good(ping: Ping) -> Reply:
    """A key proved within the day is not asked for again."""
    return Reply(Ask(ping.key_url), 0.0, Evidence.DOCUMENT, 200, body=ping.key.encode())


@contextmanager
def pushing(folder: Folder, now: Callable[[], float] | None = None) -> Iterator[Push]:
    """Ready to receive beside a crawl that may be running. `now`: its clock, where it is not the machine's."""
    robot, clock = Robot.of(folder), now or SystemClock().now
    with closing(open_store(folder, robot.settings)) as store:
        ears = Ears(folder, robot.settings, store)
        yield Push(robot, ears.hearing(), clock, listen=lambda _: ears.hearing())
