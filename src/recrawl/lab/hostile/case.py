"""What a case is: one way to misbehave, and what a good crawler makes of it.

Every case has a server of its own. Its front page leads to a good page and to the bad one; robots.txt allows all.
A case says otherwise where that is its point.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from enum import StrEnum

from recrawl.lab.hostile.frames import settings
from recrawl.lab.hostile.shield import Shield
from recrawl.lab.hostile.wire import HTML, Question, Wire
from recrawl.model.values import dataclass

Answer = Callable[[Question, Wire], Awaitable[None]]

FRONT, GOOD, BAD, ROBOTS = "/", "/good.html", "/bad.html", "/robots.txt"


class Kind(StrEnum):
    """What it strikes at."""

    TIME = "time"
    BODY = "body"
    HEAD = "head"
    CODING = "coding"
    REDIRECT = "redirect"
    HTML = "html"
    CHARSET = "charset"
    TRAP = "trap"
    TRUTH = "truth"
    BUSY = "busy"
    ROBOTS = "robots"
    SIGNAL = "signal"
    LINK = "link"
    CONNECTION = "connection"
    TLS = "tls"
    HTTP2 = "http2"


class Door(StrEnum):
    """What comes of a connection."""

    OPEN = "open"
    SHUT = "shut"  # neither taken nor refused
    NONE = "none"  # refused


@dataclass(frozen=True, slots=True)
class Expect:
    """What must be so after a crawl, and after another that asks for all again where `again` is set."""

    kept: tuple[str, ...] = (FRONT, GOOD)  # a copy is kept
    lost: tuple[str, ...] = ()  # no copy may be kept
    asked: tuple[str, ...] = ()  # must have been asked for
    never: tuple[str, ...] = ()  # must not have been asked for (a prefix with `*`)
    says: Mapping[str, str] = field(default_factory=dict)  # a word that `why` must say of a path
    requests: int = 12  # at most, in all
    times: Mapping[str, int] = field(default_factory=dict)  # at most so many requests for a path
    holds: Mapping[str, str] = field(default_factory=dict)  # words that the copy of a path must hold
    versions: Mapping[str, int] = field(default_factory=dict)  # at most so many of a path, after both crawls


@dataclass(frozen=True, slots=True)
class Case:
    """`routes`: a path, or a prefix that ends in `*`, and who answers. `bad`: where the front page leads besides.
    `greeting` and `handshake` take a whole connection. With a `shield` its seed is an address of https, unless it
    is `plain_first`."""

    name: str
    kind: Kind
    good: str  # what a good crawler does
    routes: Mapping[str, Answer]
    expect: Expect = field(default_factory=Expect)
    bad: tuple[str, ...] = (BAD,)
    door: Door = Door.OPEN
    greeting: Answer | None = None  # before anything was asked
    handshake: Answer | None = None  # where TLS is spoken
    shield: Shield | None = None
    plain_first: bool = False
    opening: bytes = settings()  # how a connection over HTTP/2 begins
    deaf: bool = False  # to a client that ends such a connection

    @property
    def scheme(self) -> str:
        return "https" if self.shield and not self.plain_first else "http"

    def answer(self, path: str) -> Answer | None:
        bare = path.partition("?")[0]
        if (found := self.routes.get(path) or self.routes.get(bare)) is not None:
            return found
        prefixes = (key for key in self.routes if key.endswith("*") and path.startswith(key[:-1]))
        longest = max(prefixes, key=len, default=None)
        return self.routes[longest] if longest else None


def page(title: str, *links: str, text: str = "") -> bytes:
    """An honest page: enough text of its own to be taken for one."""
    anchors = "".join(f'<li><a href="{link}">{link[:80]}</a></li>' for link in links)
    prose = text or " ".join(
        f"{title} tells, in sentence {number}, of things found nowhere else." for number in range(9)
    )
    return (
        f"<!doctype html><html lang=en><head><title>{title}</title></head><body><main><h1>{title}</h1>"
        f"<p>{prose}</p></main><ul>{anchors}</ul></body></html>"
    ).encode()


def saying(body: bytes, *headers: tuple[str, str], status: int = 200) -> Answer:
    """The same answer every time."""

    async def answer(question: Question, wire: Wire) -> None:
        await wire.answer(body, *headers, status=status)

    return answer


def raw(*pieces: bytes) -> Answer:
    """Bytes as they are; then the connection ends."""

    async def answer(question: Question, wire: Wire) -> None:
        for piece in pieces:
            await wire.send(piece)
        wire.hang_up()

    return answer


def moved(target: str, status: int = 302) -> Answer:
    """`{origin}` in the target is the server itself."""

    async def answer(question: Question, wire: Wire) -> None:
        await wire.answer(b"", HTML, ("Location", target.replace("{origin}", question.origin)), status=status)

    return answer
