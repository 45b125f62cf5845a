"""Deliveries: signed, in order, at least once, ever more rarely to who does not answer."""

import json
from base64 import b64encode
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from recrawl.formats import webhook
from recrawl.messages.webhooks import BATCH, WAITS_S, Courier, post
from recrawl.model.batch import Batch
from recrawl.model.event import Event, EventKind
from recrawl.store.memory import MemoryStore

SECRET = "whsec_" + b64encode(b"a key of some length").decode()


class Receiver:
    """Answers with the given statuses, then with 200."""

    def __init__(self, *answers: int) -> None:
        self.answers = list(answers)
        self.got: list[tuple[dict[str, str], bytes]] = []

    def post(self, url: str, headers: dict[str, str], body: bytes) -> int:
        self.got.append((headers, body))
        return self.answers.pop(0) if self.answers else 200

    def cursors(self, attempt: int) -> list[int]:
        return [change["cursor"] for change in json.loads(self.got[attempt][1])["changes"]]


class Watch:
    def __init__(self) -> None:
        self.at = 1_700_000_000.0

    def now(self) -> float:
        return self.at


def filled(events: int) -> MemoryStore:
    store = MemoryStore()
    store.save(Batch(events=tuple(Event(EventKind.ADDED, float(n), f"http://a/{n}", "s", n) for n in range(events))))
    return store


def courier(store: MemoryStore, receiver: Receiver, watch: Watch) -> Courier:
    return Courier(
        "http://r.example/hook",
        SECRET,
        store,
        receiver.post,
        lambda event: {"cursor": event.cursor},
        watch.now,
        lambda: 0.0,
        lambda text: None,
    )


def test_changes_arrive_in_order_and_the_cursor_survives_a_restart() -> None:
    store, receiver, watch = filled(BATCH + 20), Receiver(), Watch()
    assert courier(store, receiver, watch).deliver() == BATCH
    again = courier(store, receiver, watch)  # another process
    assert again.deliver() == 20
    assert again.deliver() == 0
    assert receiver.cursors(0) + receiver.cursors(1) == list(range(1, BATCH + 21))


def test_what_was_not_taken_is_sent_again_ever_more_rarely_and_nothing_overtakes_it() -> None:
    store, receiver, watch = filled(3), Receiver(500, 0, 404, 301, 503, 500, 500), Watch()
    sending = courier(store, receiver, watch)
    waits = []
    while not sending.deliver():
        waits.append(sending.wait_until_at - watch.at)
        tries = len(receiver.got)
        watch.at += waits[-1] - 0.5
        assert sending.deliver() == 0 and len(receiver.got) == tries  # not yet
        watch.at += 0.5
    assert waits == [*WAITS_S, WAITS_S[-1]]
    assert {tuple(receiver.cursors(attempt)) for attempt in range(len(receiver.got))} == {(1, 2, 3)}
    assert len({headers["webhook-id"] for headers, _ in receiver.got}) == 1
    assert sending.failures == 0 and sending.cursor() == 3


def more(store: MemoryStore, events: int) -> None:
    store.save(
        Batch(events=tuple(Event(EventKind.ADDED, 99.0 + n, f"http://b/{n}", "s", 1000 + n) for n in range(events)))
    )


def test_an_attempt_says_the_same_under_the_same_name_though_more_was_found_since() -> None:
    """A receiver whose yes was lost knows by the name that it has all of it, and misses nothing of what is new."""
    store, receiver, watch = filled(3), Receiver(0), Watch()
    sending = courier(store, receiver, watch)
    sending.deliver()
    more(store, 2)
    watch.at += WAITS_S[0]
    assert sending.deliver() == 3
    assert sending.deliver() == 2
    assert [receiver.cursors(attempt) for attempt in range(3)] == [[1, 2, 3], [1, 2, 3], [4, 5]]
    first, second, third = (headers["webhook-id"] for headers, _ in receiver.got)
    assert first == second != third


def test_what_was_under_way_when_we_were_killed_is_sent_again_under_the_same_name() -> None:
    store, watch = filled(3), Watch()

    class Kill(Exception):
        pass

    class KilledInBetween(Receiver):
        def post(self, url: str, headers: dict[str, str], body: bytes) -> int:
            super().post(url, headers, body)
            raise Kill

    before, after = KilledInBetween(), Receiver()
    with pytest.raises(Kill):
        courier(store, before, watch).deliver()
    more(store, 2)
    again = courier(store, after, watch)
    assert (again.deliver(), again.deliver()) == (3, 2)
    assert (before.cursors(0), before.got[0][0]["webhook-id"]) == (after.cursors(0), after.got[0][0]["webhook-id"])


def test_a_delivery_is_signed_and_a_forged_one_is_not_believed() -> None:
    receiver, watch = Receiver(), Watch()
    courier(filled(1), receiver, watch).deliver()
    [(headers, body)] = receiver.got
    assert webhook.fits(SECRET, headers, body, watch.at + 60)
    assert not webhook.fits(SECRET, headers, body + b" ", watch.at)
    assert not webhook.fits("another", headers, body, watch.at)
    assert not webhook.fits(SECRET, headers, body, watch.at + 3600)
    assert not webhook.fits(SECRET, headers | {"webhook-id": "other"}, body, watch.at)
    assert not webhook.fits(SECRET, headers | {"webhook-timestamp": "soon"}, body, watch.at)
    assert not webhook.fits("", headers, body, watch.at)


def test_the_signature_is_that_of_standard_webhooks() -> None:
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    told = webhook.headers(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330.0, b'{"test": 2432232314}')
    assert told["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@pytest.mark.parametrize("secret", ["", "plain text", "whsec_not base 64"])
def test_any_secret_works_and_none_means_unsigned(secret: str) -> None:
    told = webhook.headers(secret, "x", 5.0, b"{}")
    assert ("webhook-signature" in told) == bool(secret)
    assert webhook.fits(secret, told, b"{}", 5.0) == bool(secret)


def test_an_address_of_any_letters_is_told() -> None:
    asked = []

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        answering = Thread(target=server.handle_request)
        answering.start()
        assert post(f"http://127.0.0.1:{server.server_port}/h\u00f6k/a%20b?q=\u00f6&r=/", {}, b"{}") == 204
        answering.join()
    assert asked == ["/h%C3%B6k/a%20b?q=%C3%B6&r=/"]
