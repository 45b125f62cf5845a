"""Tells others what changed: signed, in order, at least once.

Each receiver has a cursor in the store that moves only when it has said yes; until then the same changes are sent
again under the same name, ever more rarely. A yes that is lost, by a network or by our end, makes them come twice: a
receiver that sees the name of a delivery (or a cursor) again drops it.
"""

import json
import ssl
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import field
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import quote, urlsplit

from recrawl.answers.facts import change_object
from recrawl.answers.feed import change_with_text
from recrawl.answers.indexing import READER, reader_of
from recrawl.archive.folder import WarcArchive
from recrawl.config import Settings
from recrawl.engine.clock import Dice, SystemClock
from recrawl.folder.folder import Folder
from recrawl.formats import webhook
from recrawl.model.batch import Batch
from recrawl.model.event import CHANGES, Event
from recrawl.model.failure import ConfigError
from recrawl.model.values import dataclass
from recrawl.ports import Store

BATCH = 100  # changes a delivery
WAITS_S = (1.0, 5.0, 30.0, 120.0, 600.0, 3600.0)  # after failures in a row; the last one stays
TIMEOUT_S = 15.0
AS_WRITTEN = "/?%:@!$&'()*+,;=-._~[]"  # what may stand in the path and query of a request

Post = Callable[[str, dict[str, str], bytes], int]  # HTTP status; 0: no answer
Tell = Callable[[Event], dict[str, object]]


@dataclass(slots=True)
class Courier:
    """Serves one receiver."""

    url: str
    secret: str
    store: Store
    post: Post
    tell: Tell
    now: Callable[[], float]
    luck: Callable[[], float]
    complain: Callable[[str], None]
    failures: int = 0
    wait_until_at: float = 0.0

    def deliver(self) -> int:
        """Send the next changes; how many arrived. 0: there are none, or it is not the time."""
        if self.now() < self.wait_until_at:
            return 0
        events = self._next()
        if not events:
            return 0
        status = self._send(events)
        if not 200 <= status < 300:
            self._failed(status)
            return 0
        self.failures, self.wait_until_at = 0, 0.0
        self._note(str(events[-1].cursor))
        return len(events)

    def cursor(self) -> int:
        return self._marks()[0]

    def _next(self) -> list[Event]:
        """What was under way before, however much was found since; or what is new, noted before it is sent."""
        done, under_way = self._marks()
        events = self.store.events(done, CHANGES, BATCH)
        again = [event for event in events if event.cursor <= under_way]
        if events and not again:
            self._note(f"{done} {events[-1].cursor}")
        return again or events

    def _marks(self) -> tuple[int, int]:
        """Up to where it has said yes, and up to where it was asked."""
        done, _, under_way = (self.store.memo(self._memo) or b"0").partition(b" ")
        return int(done), int(under_way or b"0")

    def _note(self, marks: str) -> None:
        self.store.save(Batch(memos=((self._memo, marks.encode()),)))

    @property
    def _memo(self) -> str:
        return f"webhook:{self.url}"

    def _send(self, events: list[Event]) -> int:
        told = {"type": "changes", "changes": [self.tell(event) for event in events]}
        body = json.dumps(told, ensure_ascii=False).encode("utf-8", "replace")
        identity = f"changes_{events[0].cursor}_{events[-1].cursor}"
        return self.post(self.url, webhook.headers(self.secret, identity, self.now(), body), body)

    def _failed(self, status: int) -> None:
        wait_s = WAITS_S[min(self.failures, len(WAITS_S) - 1)] * (1.0 + 0.2 * self.luck())
        self.failures += 1
        self.wait_until_at = self.now() + wait_s
        said = f"answered {status}" if status else "did not answer"
        where = self.url.partition("?")[0]  # a query may hold a secret
        self.complain(f"webhook {where} {said}; tried again in {wait_s:.0f} s at the earliest, nothing is left out")


@dataclass(slots=True)
class Couriers:
    """One for each receiver; a slow one holds up no other for longer than its time limit."""

    all: list[Courier] = field(default_factory=list)

    def deliver(self) -> int:
        return sum(courier.deliver() for courier in self.all)

    def failing(self) -> bool:
        """Whether some receiver has not taken what was last sent to it."""
        return any(one.failures for one in self.all)

    def behind(self) -> int:
        """Changes that some receiver has not seen, counted up to a batch each."""
        return sum(len(one.store.events(one.cursor(), CHANGES, BATCH)) for one in self.all)


@contextmanager
def couriers(folder: Folder, settings: Settings, store: Store, complain: Callable[[str], None]) -> Iterator[Couriers]:
    clock, dice, hooks = SystemClock(), Dice(), settings.webhooks
    with closing(WarcArchive(folder.archive, READER, settings.archive, clock.now, str)) as archive:
        read = reader_of(folder, settings, archive)

        def tell(event: Event) -> dict[str, object]:
            return change_with_text(event, store, read) if hooks.text else change_object(event)

        yield Couriers(
            [
                Courier(
                    _checked(url), hooks.secret, store, post, tell, clock.now, lambda: float(dice.luck(1)[0]), complain
                )
                for url in hooks.urls
            ]
        )


def _checked(url: str) -> str:
    """Settings may be made by a program, without a file that was read."""
    if complaint := webhook.complaint(url):
        raise ConfigError(f"webhooks.urls: {complaint}")
    return url


def post(url: str, headers: dict[str, str], body: bytes) -> int:
    """One request, no redirect followed: the address is the operator's, where it leads is not."""
    parts = urlsplit(url)
    path = quote((parts.path or "/") + (f"?{parts.query}" if parts.query else ""), AS_WRITTEN)
    connection = (
        HTTPSConnection(parts.netloc, timeout=TIMEOUT_S, context=ssl.create_default_context())
        if parts.scheme == "https"
        else HTTPConnection(parts.netloc, timeout=TIMEOUT_S)
    )
    try:
        connection.request("POST", path, body, headers)
        answer = connection.getresponse()
        answer.read(65_536)
        return answer.status
    except (OSError, HTTPException):
        return 0
    finally:
        connection.close()
