"""Those who push: IndexNow, WebSub, webhooks. From a request as it came to claims applied and an answer.

Independent of the transport: `recrawl notices serve` and the web face hand in method, path, headers and body. The only
requests made because of a push go to hosts of our own sites (a key file) or to a hub that such a host names.
"""

import json
import secrets
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from recrawl.agent.outward import NotSent, ask
from recrawl.agent.place import write_whole
from recrawl.agent.registry import digest_of
from recrawl.engine.gate import Gate
from recrawl.engine.heard import Hearing
from recrawl.engine.robot import Robot
from recrawl.extract.feed import read_feed
from recrawl.formats.notice_mail import SIGNATURE_HEADER
from recrawl.model.failure import NotFound, UsageError
from recrawl.model.notice import NoticeKind, Source
from recrawl.model.site import Site
from recrawl.model.visit import Ask as Question
from recrawl.model.visit import Evidence, Reply
from recrawl.notices import indexnow, webhook, websub
from recrawl.notices.answer import Received
from recrawl.notices.claim import from_urls, origin_of_url
from recrawl.notices.indexnow import Ping
from recrawl.notices.registrations import Standing
from recrawl.notices.websub import Subscription, Wish

KEY_GOOD_S = 86_400.0
KEY_AGAIN_S = 60.0  # a host is asked for a key file at most this often
MOST_BYTES = 20_000_000

Ask = Callable[[str, Site], Reply]


@dataclass(slots=True)
class Push:
    """`fetch` asks a server of a site for an address. `base`: where we are seen from outside."""

    robot: Robot
    hearing: Hearing
    fetch: Ask
    clock: Callable[[], float]
    draw: Callable[[], str] = lambda: secrets.token_urlsafe(24)
    _keys: dict[tuple[str, str], float] = field(default_factory=dict)  # proved until
    _asked: dict[str, float] = field(default_factory=dict)

    def receive(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Received:
        """One request. Names of `headers` in small letters."""
        parts = urlsplit(target)
        query = dict(parse_qsl(parts.query, keep_blank_values=True, max_num_fields=50))
        room, _, rest = parts.path.strip("/").partition("/")
        if room == "indexnow" and method in ("GET", "POST"):
            received = self._indexnow(method, query, body)
        elif room == "websub" and method == "GET":
            received = self._verify(rest, query)
        elif room == "websub" and method == "POST":
            received = self._delivered(rest, headers.get("x-hub-signature", ""), body)
        elif room == "webhook" and method == "GET":
            received = self._proof(parts.path)
        elif room == "webhook" and method == "POST":
            received = self._webhook(headers, body)
        else:
            received = Received(404, "no such receiver", count="elsewhere")
        return self._settled(received)

    def _settled(self, received: Received) -> Received:
        """Apply, remember, count."""
        counts = Counter({received.count: 1}) if received.count else Counter()
        counts.update(f"line refused: {reason}" for reason in received.refused)
        if received.taken:
            counts += self.hearing.take(received.claims, self.clock())
        book = self.robot.book()
        if received.mark:
            book = book.having_seen(received.mark)
        self.robot.keep(book.counted(counts))
        return received

    # IndexNow

    def _indexnow(self, method: str, query: Mapping[str, str], body: bytes) -> Received:
        origins = self._origins()
        ping = indexnow.read_post(body, origins) if method == "POST" else indexnow.read_get(query, origins)
        if isinstance(ping, Received):
            return ping
        now, name = self.clock(), (ping.key_url, ping.key)
        if self._keys.get(name, 0.0) > now:
            return indexnow.judge(ping, _known_good(ping))
        if now < self._asked.get(ping.host, 0.0) + KEY_AGAIN_S:
            return Received(429, "try again in a minute", count="indexnow: too often")
        self._asked[ping.host] = now
        site = origins[origin_of_url(ping.key_url)]
        if not Gate("recrawl", self.hearing.store.robots).check(ping.key_url, 0.0).allowed:
            return Received(403, "robots.txt does not let us read the key", count="indexnow: key not allowed")
        received = indexnow.judge(ping, self.fetch(ping.key_url, site))
        if received.status != 403:
            self._keys[name] = now + KEY_GOOD_S
        return received

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
    def _subscriptions_file(self) -> Path:
        return self.robot.folder.path / "websub.json"

    def subscriptions(self) -> list[Subscription]:
        return websub.read(self._subscriptions_file.read_bytes() if self._subscriptions_file.exists() else None)

    def _keep(self, subscription: Subscription) -> None:
        others = [one for one in self.subscriptions() if one.number != subscription.number]
        write_whole(self._subscriptions_file, websub.write([*others, subscription]), private=True)

    def subscribe(self, topic: str, base: str) -> Subscription:
        """Find the topic's hub and ask it. The topic must be on one of our sites."""
        site = self._origins().get(origin_of_url(topic))
        if site is None:
            raise UsageError(f"{topic} is on none of the sites of this folder")
        hubs, named = self.discover(topic, site)
        if not hubs:
            raise NotFound(f"{topic} names no WebSub hub")
        number = self.draw()
        callback = f"{base.rstrip('/')}/websub/{number}"
        fresh = Subscription(number, named or topic, hubs[0], self.draw(), callback, site.name)
        return self._ask_hub(fresh, site)

    def unsubscribe(self, topic: str) -> list[Subscription]:
        sites = {site.name: site for site in self.robot.folder.sites()}
        chosen = [one for one in self.subscriptions() if one.topic == topic and one.wish is Wish.SUBSCRIBE]
        return [self._ask_hub(replace(one, wish=Wish.UNSUBSCRIBE), sites[one.site]) for one in chosen]

    def renew(self) -> list[Subscription]:
        """Ask again for every lease that nears its end."""
        sites = {site.name: site for site in self.robot.folder.sites()}
        due = [one for one in websub.to_renew(self.subscriptions(), self.clock()) if one.site in sites]
        return [self._ask_hub(one, sites[one.site]) for one in due]

    def discover(self, topic: str, site: Site) -> tuple[Sequence[str], str]:
        """(hubs, canonical topic): from the Link headers, else from the feed itself."""
        reply = self.fetch(topic, site)
        hubs, named = websub.hubs_in_headers(reply.headers)
        if not hubs and reply.evidence is Evidence.DOCUMENT:
            feed = read_feed(reply.body)
            hubs, named = feed.hubs, feed.topic
        return hubs, named if named and origin_of_url(named) == origin_of_url(topic) else topic

    def _ask_hub(self, subscription: Subscription, site: Site) -> Subscription:
        """Kept before it is asked for: the hub may call back before it answers."""
        asked = replace(subscription, asked_at=self.clock())
        self._keep(asked)
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        try:
            status, _ = ask("POST", asked.hub, websub.request_form(asked), headers, private=bool(site.own))
        except NotSent as failure:
            raise NotFound(f"the hub did not answer: {failure}") from failure
        if not 200 <= status < 300:
            raise NotFound(f"the hub {asked.hub} answered {status}")
        return asked

    def _verify(self, number: str, query: Mapping[str, str]) -> Received:
        known = next((one for one in self.subscriptions() if one.number == number), None)
        received, after = websub.verify(known, query, self.clock())
        if after is not None:
            self._keep(after)
        return received

    def _delivered(self, number: str, signature: str, body: bytes) -> Received:
        known = next((one for one in self.subscriptions() if one.number == number), None)
        received = websub.delivered(known, body, signature, self.clock())
        if known is None or received.status != 202:
            return received
        urls = [item.url for item in read_feed(body).items if not item.deleted]
        checked = from_urls(urls, {origin_of_url(known.topic)}, Source.WEBSUB, NoticeKind.UPDATED)
        return replace(received, claims=checked.claims, refused=checked.refused)


def _known_good(ping: Ping) -> Reply:
    """A key proved within the day is not asked for again."""
    return Reply(Question(ping.key_url), 0.0, Evidence.DOCUMENT, 200, body=ping.key.encode())
