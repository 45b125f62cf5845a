"""IndexNow, WebSub and webhooks against servers written from their specifications."""

import asyncio
import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlencode
from urllib.request import urlopen

import pytest
from click.testing import CliRunner

from recrawl.archive.memory import MemoryArchive
from recrawl.cli.notices import notices
from recrawl.config import Receive, Settings
from recrawl.engine.asking.errand_pages import is_errand
from recrawl.engine.asking.errands import SLOTS, TRIES, Errands
from recrawl.engine.assembly import fetcher_of
from recrawl.engine.clock import SystemClock
from recrawl.engine.finding.alias_watch import AliasWatch
from recrawl.engine.hearing.heard import Hearing
from recrawl.engine.quarries import quarry_of
from recrawl.engine.settling.ledger import Ledger, write
from recrawl.folder.folder import Folder
from recrawl.formats import atom, signature
from recrawl.formats.atom import Feed, Item
from recrawl.formats.notice_mail import SIGNATURE_HEADER
from recrawl.messages.push import Push
from recrawl.messages.push_server import PushServer
from recrawl.messages.robot import Robot
from recrawl.model.batch import Batch
from recrawl.model.failure import UsageError
from recrawl.model.notice import Source
from recrawl.model.server import RobotsFile
from recrawl.model.site import Site
from recrawl.notices import websub
from recrawl.notices.registrations import Registration, Standing
from recrawl.scope.aliases import AliasTable
from recrawl.store.memory import MemoryStore

KEY = "0123456789abcdef"


@dataclass
class Web:
    """A site with files, and a WebSub hub under /hub. The hub verifies at once, as the standard allows."""

    url: str = ""
    files: dict[str, tuple[bytes, dict[str, str]]] = field(default_factory=dict)
    gets: list[str] = field(default_factory=list)
    lease_s: int = 3600
    subscribed: dict[str, dict[str, str]] = field(default_factory=dict)  # by callback
    verified: list[bool] = field(default_factory=list)
    refuses: bool = False

    def subscribe(self, form: dict[str, str]) -> None:
        fields = {"hub.mode": form["hub.mode"], "hub.topic": form["hub.topic"], "hub.challenge": "ch4llenge"}
        query = urlencode({**fields, "hub.lease_seconds": str(self.lease_s)})
        with urlopen(f"{form['hub.callback']}?{query}", timeout=20) as answer:
            self.verified.append(answer.read() == b"ch4llenge")
        self.subscribed[form["hub.callback"]] = form


@contextmanager
def web() -> Iterator[Web]:
    made = Web()

    class Conversation(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            made.gets.append(self.path)
            body, headers = made.files.get(self.path, (b"", {}))
            self._send(200 if self.path in made.files else 404, body, headers)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            if not made.refuses:
                made.subscribe({name: values[0] for name, values in parse_qs(body).items()})
            self._send(403 if made.refuses else 202, b"", {})

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

        def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Conversation)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    made.url = f"http://127.0.0.1:{server.server_address[1]}"
    yield made
    server.shutdown()
    thread.join()
    server.server_close()


class Time:
    def __init__(self) -> None:
        self.at = 1_700_000_000.0

    def __call__(self) -> float:
        return self.at


@dataclass
class Town:
    web: Web
    push: Push
    store: MemoryStore
    time: Time

    def post(self, path: str, value: object, **headers: str) -> int:
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        named = {name.lower().replace("_", "-"): text for name, text in headers.items()}
        return self.push.receive("POST", path, named, body).status

    def ping(self, *paths: str, key: str = KEY, host: str = "", **more: str) -> int:
        urls = [path if "://" in path else self.web.url + path for path in paths]
        return self.post("/indexnow", {"host": host or self.web.url[7:], "key": key, "urlList": urls, **more})

    def crawl(self) -> None:
        """The errands that are due, as the lanes run them."""
        asyncio.run(self._crawl())

    async def _crawl(self) -> None:
        settings, site = self.push.robot.settings, self.push.robot.folder.sites()[0]
        errands = Errands(self.store, self.push.hearing.quarries, self.push.push_book)
        fetcher = fetcher_of(settings, SystemClock())
        while due := [
            page for page in self.store.next_due(100) if is_errand(page) and (page.due_at or 0) <= self.time()
        ]:
            for page in due:
                ask, ledger = errands.question(page, site, settings.limits, self.time()), Ledger()
                after = replace(page, due_at=None)
                if ask is not None:
                    reply = replace(await fetcher.fetch(ask), at=self.time())
                    after = errands.settle(page, reply, ledger)
                ledger.pages[page.id] = after
                write(ledger, MemoryArchive(), self.store)
        await fetcher.close()

    def told(self) -> list[tuple[str, str]]:
        """(source, path) of the notices, oldest page first."""
        return sorted(
            (one.source.value, one.url.removeprefix(self.web.url)) for one in self.store.notices(limit=99_999)
        )

    def counts(self) -> dict[str, int]:
        return dict(self.push.robot.book().counts)


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    with web() as made:
        folder = Folder(tmp_path / "crawl")
        folder.create("")
        site = Site("town", (f"{made.url}/",), own=(made.url[7:],))
        folder.put_site(site)
        store, settings, time = MemoryStore(), Settings(), Time()
        robots = RobotsFile(f"{made.url}/robots.txt", time(), 404, expires_at=time() + 1e9)
        store.save(Batch(robots=(robots,)))
        watch = AliasWatch(store, AliasTable())
        hearing = Hearing(store, {"town": quarry_of(settings, site, watch, store)})
        push = Push(Robot(folder, settings), hearing, time)
        yield Town(made, push, store, time)


def test_indexnow_takes_addresses_once_the_crawl_has_seen_the_key_on_their_host(town: Town) -> None:
    town.web.files[f"/{KEY}.txt"] = (KEY.encode() + b"\n", {})
    assert town.ping("/a", "/b") == 202
    assert town.ping("/b", "/c") == 202  # joins the one that waits
    assert town.web.gets == []  # the receiver itself asks nobody
    assert town.told() == []
    town.crawl()
    assert town.web.gets == [f"/{KEY}.txt"]
    assert town.told() == [("indexnow", "/a"), ("indexnow", "/b"), ("indexnow", "/c")]
    assert town.ping("/d") == 200  # proved within the day: not asked again
    query = urlencode({"url": f"{town.web.url}/e", "key": KEY})
    assert town.push.receive("GET", f"/indexnow?{query}", {}, b"").status == 200
    town.crawl()
    assert len(town.web.gets) == 1
    assert ("indexnow", "/e") in town.told()
    town.time.at += 2 * 86_400
    assert town.ping("/f") == 202


def test_indexnow_refuses_wrong_keys_foreign_hosts_and_nonsense(town: Town) -> None:
    assert town.ping("/a") == 202
    town.crawl()  # no key file
    town.web.files[f"/{KEY}.txt"] = (b"another-key-0000", {})
    assert town.ping("/a") == 202
    town.crawl()
    assert town.ping("/a", key="short") == 403
    assert town.ping("/a", key="bad key!!!!!") == 403
    assert town.ping("/a", host="victim.example") == 422
    assert town.ping("/a", keyLocation="http://evil.example/key.txt") == 422
    assert town.ping("/a", keyLocation=f"{town.web.url}/../key.txt") == 422
    assert town.ping(*["/a"] * 10_001) == 400
    for body in (b"", b"[]", b"{}", b'{"host": 1, "key": "x", "urlList": "y"}', b"[" * 10_000):
        assert town.post("/indexnow", body) == 400
    town.crawl()
    assert town.told() == []
    assert len(town.web.gets) == 2
    assert town.counts()["indexnow: key not proved"] == 2


def test_many_invented_keys_cost_a_host_few_requests_and_the_store_few_rows(town: Town) -> None:
    statuses = {town.ping("/a", key=f"invented-{number:04}") for number in range(40)}
    assert statuses == {202, 429}
    town.crawl()
    assert len(town.web.gets) <= SLOTS
    assert len(town.store.scan(limit=1000)) <= SLOTS
    assert town.told() == []


def test_as_many_keys_as_a_host_may_have_waiting_do_wait_whatever_they_are_called(town: Town) -> None:
    keys = [f"invented-{number:04}" for number in range(SLOTS)]
    town.web.files |= {f"/{key}.txt": (key.encode(), {}) for key in keys}
    assert [town.ping(f"/{key}", key=key) for key in keys * 2] == [202] * 2 * SLOTS
    town.crawl()
    assert sorted(town.told()) == [("indexnow", f"/{key}") for key in keys]


def test_a_ping_beyond_its_reach_does_not_spoil_what_waits_for_the_same_key(town: Town) -> None:
    town.web.files[f"/{KEY}.txt"] = (KEY.encode(), {})
    assert town.ping("/a") == 202
    assert town.ping("/b", "http://evil.example/b") == 422
    town.crawl()
    assert town.told() == [("indexnow", "/a")]


def test_a_key_that_cannot_be_read_is_asked_for_again_later_and_not_for_ever(town: Town) -> None:
    town.web.files[f"/{KEY}.txt"] = (b"", {"Content-Length": "9"})
    assert town.ping("/a") == 202
    for _ in range(10):
        town.crawl()
        town.time.at += 3600
    assert len(town.web.gets) == TRIES
    assert town.told() == []


def test_a_key_reaches_no_further_than_its_folder_and_its_host(town: Town) -> None:
    town.web.files["/sub/key.txt"] = (KEY.encode(), {})
    where = {"keyLocation": f"{town.web.url}/sub/key.txt"}
    assert town.ping("/sub/a", **where) == 202
    town.crawl()
    assert town.ping("/elsewhere", **where) == 422
    assert town.ping("/sub/a", "http://evil.example/b", **where) == 422
    assert town.told() == [("indexnow", "/sub/a")]


def test_ten_thousand_addresses_are_taken_in_one_ping(town: Town) -> None:
    town.web.files[f"/{KEY}.txt"] = (KEY.encode(), {})
    assert town.ping(*[f"/{number}" for number in range(10_000)]) == 202
    assert town.ping("/one-more") == 429
    town.crawl()
    assert len(town.told()) == 10_000


def test_who_asks_too_often_is_refused_and_others_are_not(town: Town) -> None:
    tight = replace(town.push.robot.settings, receive=Receive(per_sender_hour=4, per_network_hour=10))
    push = Push(replace(town.push.robot, settings=tight), town.push.hearing, town.time)

    def asks(sender: str, times: int) -> list[int]:
        return [push.receive("GET", "/nowhere", {}, b"", sender).status for _ in range(times)]

    assert asks("192.0.2.7", 6) == [404] * 4 + [429] * 2
    assert asks("192.0.2.8", 4) == [404] * 4
    assert asks("192.0.2.9", 4) == [404] * 2 + [429] * 2  # the network has had its share
    assert asks("198.51.100.1", 1) == [404]
    town.time.at += 3600
    assert asks("192.0.2.7", 1) == [404]


@contextmanager
def served(town: Town) -> Iterator[str]:
    server = PushServer("127.0.0.1:0", town.push)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def _feed(town: Town, *paths: str) -> bytes:
    items = tuple(Item(path if "://" in path else town.web.url + path, 1_600_000_000) for path in paths)
    return atom.render(Feed(f"{town.web.url}/feed", "Feed", 1_600_000_000, items))


def test_websub_from_discovery_to_delivery_renewal_and_leaving(town: Town) -> None:
    link = f'<{town.web.url}/hub>; rel="hub", <{town.web.url}/feed>; rel="self"'
    town.web.files["/feed"] = (_feed(town), {"Content-Type": "application/atom+xml", "Link": link})
    with served(town) as base:
        asked = town.push.subscribe(f"{town.web.url}/feed", base)
        assert (town.web.gets, town.web.verified) == ([], [])  # the crawl asks, in its servers' turn
        town.crawl()
        assert (town.web.gets, town.web.verified) == (["/feed"], [True])
        [(callback, form)] = town.web.subscribed.items()
        assert (form["hub.mode"], form["hub.topic"]) == ("subscribe", f"{town.web.url}/feed")
        assert form["hub.secret"] == asked.secret
        path = callback.removeprefix(base)
        body = _feed(town, "/news", "http://evil.example/x")
        good = hmac.new(asked.secret.encode(), body, hashlib.sha256).hexdigest()
        assert town.post(path, body, X_Hub_Signature=f"sha256={good}") == 202
        assert town.told() == [("websub", "/news")]
        for wrong in ("", "sha256=00", f"md5={good}", f"sha256={good[:-1]}0", "sha1=" + "0" * 40):
            assert town.post(path, body + b" ", X_Hub_Signature=wrong) == 403
        assert town.post("/websub/unknown", body, X_Hub_Signature=f"sha256={good}") == 410
        assert town.counts()["websub: wrong signature"] == 5
        assert town.counts()["line refused: foreign host"] == 1
        assert town.push.renew() == []
        town.time.at += 3000  # of 3600
        assert [one.number for one in town.push.renew()] == [asked.number]
        assert town.push.renew() == []  # it waits already
        town.crawl()
        assert town.push.push_book.subscriptions()[0].until_at == town.time.at + 3600
        town.push.unsubscribe(f"{town.web.url}/feed")
        town.crawl()
        assert town.web.verified == [True, True, True]
        assert town.post(path, body, X_Hub_Signature=f"sha256={good}") == 410


def test_websub_finds_the_hub_in_the_feed_itself_and_says_where_there_is_none(town: Town) -> None:
    feed = _feed(town).replace(b"<author>", f'<link rel="hub" href="{town.web.url}/hub"/><author>'.encode())
    town.web.files["/feed"] = (feed, {})
    town.push.subscribe(f"{town.web.url}/feed", "http://127.0.0.1:1")
    town.web.files["/plain"] = (b"<html></html>", {})
    town.push.subscribe(f"{town.web.url}/plain", "http://127.0.0.1:1")
    town.web.refuses = True
    town.crawl()
    found = {one.topic.rpartition("/")[2]: one for one in town.push.push_book.subscriptions()}
    assert (found["feed"].hub, found["plain"].hub) == (f"{town.web.url}/hub", "")
    assert found["feed"].fault == "the hub answered 403"
    assert "names no WebSub hub" in found["plain"].fault
    assert not any(one.waiting for one in found.values())
    with pytest.raises(UsageError, match="none of the sites"):
        town.push.subscribe("http://evil.example/feed", "http://127.0.0.1:1")


def test_a_hub_with_two_subscriptions_is_asked_twice_one_after_the_other(town: Town) -> None:
    for name in ("one", "two"):
        town.web.files[f"/{name}"] = (_feed(town), {"Link": f'<{town.web.url}/hub>; rel="hub"'})
    with served(town) as base:
        for name in ("one", "two"):
            town.push.subscribe(f"{town.web.url}/{name}", base)
        town.crawl()
        topics = {form["hub.topic"].rpartition("/")[2] for form in town.web.subscribed.values()}
        assert topics == {"one", "two"}


def test_websub_answers_no_verification_that_it_did_not_ask_for(town: Town) -> None:
    known = websub.Subscription("n", "http://t/", "http://h/", "s", "http://c/n")
    query = {"hub.mode": "subscribe", "hub.topic": "http://t/", "hub.challenge": "x", "hub.lease_seconds": "60"}
    verified, after = websub.verify(known, query, 0.0)
    assert (verified.status, verified.text) == (200, "x")
    assert after is not None
    assert after.lease_s == websub.SHORTEST_LEASE_S
    for wrong in (
        {**query, "hub.topic": "http://other/"},
        {**query, "hub.mode": "unsubscribe"},
        {**query, "hub.challenge": ""},
    ):
        assert websub.verify(known, wrong, 0.0)[0].status == 404
    assert websub.verify(None, query, 0.0)[0].status == 404
    denied = websub.verify(after, {"hub.mode": "denied", "hub.topic": "http://t/"}, 0.0)[1]
    assert denied is not None
    assert denied.until_at is None


def test_a_webhook_with_a_token_speaks_of_its_own_site_alone(town: Town) -> None:
    made = CliRunner().invoke(notices, ["token", "town", "--folder", str(town.push.robot.folder.path), "--json"])
    token = json.loads(made.stdout)["token"]
    value = {"urls": [f"{town.web.url}/a", "http://evil.example/b", f"{town.web.url}/../../etc/passwd"]}
    assert town.post("/webhook", value, Authorization=f"Bearer {token}") == 200
    assert town.told() == [("webhook", "/a")]
    for wrong in ("", "Bearer ", "Bearer guessed", f"Basic {token}", token):
        assert town.post("/webhook", value, Authorization=wrong) == 401
    for body in (b"", b"[]", b"{}", b'{"urls": "x"}', b'{"notices": [1]}', b"[" * 9999):
        assert town.post("/webhook", body, Authorization=f"Bearer {token}") == 400
    replaced = town.push.new_token("town")
    assert town.post("/webhook", value, Authorization=f"Bearer {token}") == 401
    assert town.post("/webhook", value, Authorization=f"Bearer {replaced}") == 200
    assert town.counts()["webhook: no valid token"] == 6


def test_a_signed_webhook_is_taken_once_and_a_replay_does_nothing(town: Town) -> None:
    robot = town.push.robot
    known = Registration(town.web.url, "http://agent/", "r@s.example", 1.0, Standing.ON, secret="key")
    robot.keep(robot.book().put(known))
    body = json.dumps({"notices": [{"kind": "U", "url": f"{town.web.url}/a", "size": 5}]})

    def send(secret: str = "key", at: float | None = None, nonce: str = "nonce-0001", text: str = body) -> int:
        signed = signature.sign(secret, body, int(town.time() if at is None else at), nonce)
        return town.post("/webhook", text.encode(), **{SIGNATURE_HEADER: signature.render(signed)})

    assert send() == 200
    assert town.told() == [("agent", "/a")]
    assert send() == 409
    assert send(secret="guessed", nonce="nonce-0002") == 403
    assert send(at=town.time() - 7200, nonce="nonce-0003") == 403
    assert send(nonce="nonce-0004", text=body.replace("/a", "/b")) == 403
    assert len(town.told()) == 1
    assert town.counts()["webhook: replayed"] == 1


def test_dates_in_the_future_and_unknown_kinds_are_counted_and_not_taken(town: Town) -> None:
    token = town.push.new_token("town")
    rows = [
        {"kind": "X", "url": f"{town.web.url}/a"},
        {"kind": "U", "url": f"{town.web.url}/b", "modified": "2999-01-01"},
        {"kind": "D", "url": f"{town.web.url}/unknown"},
    ]
    assert town.post("/webhook", {"notices": rows}, Authorization=f"Bearer {token}") == 200
    assert town.told() == []
    counts = town.counts()
    assert (counts["line refused: unreadable"], counts["line refused: future"]) == (1, 1)
    assert counts["unknown and deleted"] == 1


def test_only_sources_that_are_named_are_learnt_about(town: Town) -> None:
    assert {source.value for source in Source} >= {"agent", "sitemap", "feed", "indexnow", "websub", "webhook"}
    assert town.push.receive("PUT", "/indexnow", {}, b"").status == 404
    assert town.push.receive("GET", "/webhook", {}, b"").status == 404
