"""Connections that go wrong before a word of HTTP is said, or between two answers; TLS handshakes that never end."""

from recrawl.lab.hostile.case import BAD, FRONT, GOOD, Answer, Case, Expect, Kind, page, saying
from recrawl.lab.hostile.robots import RULES
from recrawl.lab.hostile.wire import HTML, Question, Wire

SECURE = "https://{host}:{port}/secure"
HELLO_REQUEST = b"\x16\x03\x03\x00\x04\x00\x00\x00\x00"  # passed over by clients that shake hands already
WARNING = b"\x15\x03\x03\x00\x02\x01\x5a"
NO_SUCH_VERSION = b"\x15\x03\x01\x00\x02\x02\x46"
GIANT = b"\x16\x03\x03\x40\x00\x0b\xff\xff\xff" + bytes(16_380)  # a certificate of 16 megabytes
AND_ON = b"\x16\x03\x03\x40\x00" + bytes(16_384)
PAGES = tuple(f"/k/{number}" for number in range(4))


def repeated(piece: bytes, pause_s: float = 0.0) -> Answer:
    async def answer(question: Question, wire: Wire) -> None:
        await wire.endless(piece, pause_s)

    return answer


def once(piece: bytes) -> Answer:
    async def answer(question: Question, wire: Wire) -> None:
        await wire.send(piece)
        wire.hang_up()

    return answer


async def nothing(question: Question, wire: Wire) -> None:
    await wire.idle(600.0)


async def cut(question: Question, wire: Wire) -> None:
    wire.reset()


async def giant(question: Question, wire: Wire) -> None:
    await wire.send(GIANT)
    await wire.endless(AND_ON * 16)


async def front(question: Question, wire: Wire) -> None:
    await wire.answer(page("Front", GOOD, SECURE.format(host=question.host, port=question.port)))


async def moves_to_tls(question: Question, wire: Wire) -> None:
    await wire.answer(b"", HTML, ("Location", f"https://{question.host}:{question.port}/bad.html"), status=301)


async def robots_over_tls(question: Question, wire: Wire) -> None:
    await wire.answer(RULES, HTML, ("Location", f"https://{question.host}:{question.port}/robots.txt"), status=301)


def shakes(name: str, handshake: Answer, kind: Kind = Kind.CONNECTION) -> Case:
    good = "gives that server up and goes on with the others"
    return Case(name, kind, good, {FRONT: front}, Expect(kept=(FRONT,), requests=12), bad=(), handshake=handshake)


def greets(name: str, greeting: Answer) -> Case:
    return Case(
        name,
        Kind.CONNECTION,
        "takes it for no answer, and does not knock all day",
        {FRONT: saying(page("Never shown"))},
        Expect(kept=(), lost=(FRONT,), requests=24),
        greeting=greeting,
    )


def ends_under_the_next(name: str, end: Answer) -> Case:
    """Every connection is good for one answer; it ends when the next question comes."""
    answered: set[Wire] = set()

    async def answer(question: Question, wire: Wire) -> None:
        if wire in answered:
            await end(question, wire)
        answered.add(wire)
        await wire.answer(page(f"Page {question.path}"), HTML, ("Connection", "keep-alive"))

    return Case(
        name,
        Kind.CONNECTION,
        "asks once more over a new connection, and loses no page",
        {FRONT: saying(page("Front", *PAGES)), "/k/*": answer},
        Expect(kept=(FRONT, *PAGES), requests=14),
        bad=(),
    )


CASES = (
    shakes("handshake-without-end", repeated(HELLO_REQUEST * 8000)),
    shakes("handshake-of-warnings", repeated(WARNING * 8000)),
    shakes("handshake-of-zeros", repeated(bytes(65_536))),
    shakes("handshake-with-a-giant", giant),
    shakes("handshake-refused", once(NO_SUCH_VERSION)),
    shakes("handshake-closed", once(b"")),
    shakes("handshake-reset", cut),
    shakes("handshake-of-garbage", once(bytes(range(255, -1, -1)) * 40)),
    shakes("handshake-in-silence", nothing, Kind.TIME),
    shakes("handshake-that-drips", repeated(b"\x16", 0.4), Kind.TIME),
    Case(
        "redirect-to-tls-that-is-none",
        Kind.REDIRECT,
        "keeps nothing of it",
        {BAD: moves_to_tls},
        Expect(lost=(BAD,), requests=12),
        handshake=once(b"HTTP/1.1 400 Bad Request\r\n\r\n"),
    ),
    Case(
        "robots-moves-to-tls-that-is-none",
        Kind.ROBOTS,
        "asks for no page while robots.txt cannot be read",
        {"/robots.txt": robots_over_tls},
        Expect(kept=(), never=(FRONT, GOOD, BAD), requests=12),
        handshake=once(NO_SUCH_VERSION),
    ),
    greets("closed-when-connected", once(b"")),
    greets("reset-when-connected", cut),
    greets("greeted-by-a-mail-server", once(b"220 mail.example ESMTP ready\r\n")),
    ends_under_the_next("closed-under-the-next-question", once(b"")),
    ends_under_the_next("reset-under-the-next-question", cut),
)
