"""Servers whose TLS is not what it should be: their papers, their handshakes, and how they end what they say."""

import asyncio
from collections.abc import Awaitable, Callable

from OpenSSL import SSL

from recrawl.lab.hostile.case import BAD, FRONT, GOOD, ROBOTS, Answer, Case, Expect, Kind, moved, page, saying
from recrawl.lab.hostile.certificates import Papers
from recrawl.lab.hostile.shield import Flight, SecureWire, Shield
from recrawl.lab.hostile.wire import HTML, Question, Wire, head_of

LONG = page("Long", text="words of a long page " * 4000)
HALF = len(LONG) // 2
PLAIN_400 = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
ALERT = b"\x15\x03\x01\x00\x02\x02\x46"  # no such version

Spoken = Callable[[SecureWire], Awaitable[None]]


def over_tls(say: Spoken) -> Answer:
    async def answer(question: Question, wire: Wire) -> None:
        assert isinstance(wire, SecureWire)
        await say(wire)

    return answer


def refused(name: str, shield: Shield, says: str) -> Case:
    """Nothing may be asked of whoever cannot say who he is, not even robots.txt."""
    return Case(
        f"tls-{name}",
        Kind.TLS,
        "asks for nothing, says what is wrong, and does not knock all day",
        {FRONT: saying(page("Never shown"))},
        Expect(kept=(), lost=(FRONT,), never=(FRONT, ROBOTS, GOOD, BAD), says={FRONT: says}, requests=6),
        shield=shield,
    )


def shown(name: str, papers: Papers, says: str) -> Case:
    return refused(name, Shield(papers), says)


def honoured(name: str, shield: Shield) -> Case:
    return Case(
        f"tls-{name}", Kind.TLS, "reads it like any other", {BAD: saying(page("Bad"))}, WELL, shield=shield
    )  # fmt: skip


def cut(name: str, say: Spoken, says: str, times: int = 1) -> Case:
    return Case(
        f"tls-{name}",
        Kind.TLS,
        "keeps nothing of an answer that somebody may have cut",
        {BAD: over_tls(say)},
        Expect(lost=(BAD,), says={BAD: says}, times={BAD: times}),
        shield=Shield(),
    )


def shakes(name: str, flight: Flight, kind: Kind = Kind.TLS, never: tuple[str, ...] = (FRONT, ROBOTS)) -> Case:
    return Case(
        f"tls-{name}",
        kind,
        "gives that server up and goes on with the others",
        {FRONT: saying(page("Never shown"))},
        Expect(kept=(), lost=(FRONT,), never=never, requests=6),
        shield=Shield(flight=flight),
    )


# how handshakes go


async def half_and_silence(flight: bytes, wire: Wire) -> None:
    await wire.send(flight[: len(flight) // 2])
    await wire.idle(600.0)


async def half_and_gone(flight: bytes, wire: Wire) -> None:
    await wire.send(flight[: len(flight) // 2])
    wire.hang_up()


async def half_and_reset(flight: bytes, wire: Wire) -> None:
    await wire.send(flight[: len(flight) // 2])
    wire.reset()


async def in_drops(flight: bytes, wire: Wire) -> None:
    for at in range(len(flight)):
        await wire.send(flight[at : at + 1])
        await wire.idle(0.4)


async def twice(flight: bytes, wire: Wire) -> None:
    await wire.send(flight + flight)


async def in_crumbs(flight: bytes, wire: Wire) -> None:
    """Slowly, but not too slowly."""
    for at in range(0, len(flight), 64):
        await wire.send(flight[at : at + 64])
        await asyncio.sleep(0.01)


# how answers end


async def whole_without_goodbye(wire: SecureWire) -> None:
    await wire.answer(LONG)
    wire.hang_up()


async def half_without_goodbye(wire: SecureWire) -> None:
    await wire.send(head_of(200, HTML, length=len(LONG)) + LONG[:HALF])
    wire.hang_up()


async def no_length_no_goodbye(wire: SecureWire) -> None:
    await wire.send(head_of(200, HTML, ("Connection", "close")) + LONG[:HALF])
    wire.hang_up()


async def no_length_and_goodbye(wire: SecureWire) -> None:
    await wire.send(head_of(200, HTML, ("Connection", "close")) + LONG)
    await wire.goodbye()
    wire.hang_up()


async def head_without_goodbye(wire: SecureWire) -> None:
    await wire.send(head_of(200, HTML))
    wire.hang_up()


async def half_and_goodbye(wire: SecureWire) -> None:
    await wire.send(head_of(200, HTML, length=len(LONG)) + LONG[:HALF])
    await wire.goodbye()
    wire.hang_up()


async def alert_within(wire: SecureWire) -> None:
    await wire.send(head_of(200, HTML, length=len(LONG)) + LONG[:HALF])
    await wire.alert()
    wire.hang_up()


async def alert_instead(wire: SecureWire) -> None:
    await wire.alert()
    wire.hang_up()


async def plain_bytes_within(wire: SecureWire) -> None:
    await wire.send(head_of(200, HTML, length=len(LONG)) + LONG[:HALF])
    await wire.bare(LONG[HALF:])
    wire.hang_up()


async def forged_record(wire: SecureWire) -> None:
    await wire.send(head_of(200, HTML, length=len(LONG)) + LONG[:HALF])
    await wire.bare(b"\x17\x03\x03\x01\x00" + bytes(256))
    await wire.send(LONG[HALF:])


async def renegotiated(wire: SecureWire) -> None:
    await wire.send(head_of(200, HTML, length=len(LONG)) + LONG[:HALF])
    await wire.renegotiate()
    await wire.send(LONG[HALF:])


async def renegotiated_for_ever(wire: SecureWire) -> None:
    await wire.send(head_of(200, HTML, length=len(LONG)) + LONG[:HALF])
    while True:
        await wire.renegotiate()


async def leads_to_itself_over_tls(question: Question, wire: Wire) -> None:
    await wire.answer(page("Front", f"https://{question.host}:{question.port}/secure"))


async def moved_to_itself_over_tls(question: Question, wire: Wire) -> None:
    await wire.answer(b"", HTML, ("Location", f"https://{question.host}:{question.port}/secure"), status=301)


async def speaks_tls_here(question: Question, wire: Wire) -> None:
    await wire.send(ALERT)
    wire.hang_up()


async def plain_here(question: Question, wire: Wire) -> None:
    await wire.send(PLAIN_400)
    wire.hang_up()


WELL = Expect(kept=(FRONT, GOOD, BAD), times={FRONT: 1, GOOD: 1, BAD: 1})

CASES = (
    shown("expired", Papers.EXPIRED, "expired"),
    shown("not-yet-valid", Papers.NOT_YET, "not yet valid"),
    shown("for-another-name", Papers.OTHER_NAME, "name"),
    shown("self-signed", Papers.SELF_SIGNED, "self-signed|self signed"),
    shown("unknown-authority", Papers.STRANGER, "issuer"),
    shown("signed-by-a-leaf", Papers.BY_A_LEAF, "CA"),
    shown("without-the-one-between", Papers.NO_MIDDLE, "issuer"),
    shown("giant-chain", Papers.GIANT, "excessive"),
    refused("version-1-0-only", Shield(newest=SSL.TLS1_VERSION), "protocol version|unsupported protocol"),
    refused("version-1-1-only", Shield(newest=SSL.TLS1_1_VERSION), "protocol version|unsupported protocol"),
    refused("asks-for-our-certificate", Shield(asks_back=True), "certificate required"),
    honoured("honest", Shield()),
    honoured("in-version-1-2", Shield(newest=SSL.TLS1_2_VERSION)),
    honoured("chain", Shield(Papers.MIDDLE)),
    honoured("chain-in-odd-order", Shield(Papers.ODD_ORDER)),
    honoured("long-chain", Shield(Papers.LONG)),
    honoured("in-crumbs", Shield(flight=in_crumbs)),
    honoured("that-needs-the-name", Shield(name="named")),
    honoured("below-a-wildcard", Shield(name="one.wild", certified="*.wild.localhost")),
    shakes("half-a-handshake", half_and_silence, Kind.TIME),
    shakes("handshake-in-drops", in_drops, Kind.TIME),
    shakes("closed-amid-the-handshake", half_and_gone),
    shakes("reset-amid-the-handshake", half_and_reset),
    shakes("handshake-twice", twice, never=(FRONT,)),
    Case(
        "tls-whole-without-goodbye",
        Kind.TLS,
        "keeps what is as long as was said",
        {BAD: over_tls(whole_without_goodbye)},
        WELL,
        shield=Shield(),
    ),
    Case(
        "tls-no-length-and-goodbye",
        Kind.TLS,
        "keeps what the server itself ended",
        {BAD: over_tls(no_length_and_goodbye)},
        WELL,
        shield=Shield(),
    ),
    cut("cut-short", half_without_goodbye, "reset"),
    cut("cut-short-without-length", no_length_no_goodbye, "reset"),
    cut("cut-behind-the-head", head_without_goodbye, "reset"),
    cut("ended-short", half_and_goodbye, "truncated"),
    cut("alert-within-a-body", alert_within, "tls"),
    cut("alert-instead-of-an-answer", alert_instead, "tls", times=2),  # a kept connection may end at any time
    cut("plain-bytes-within-a-body", plain_bytes_within, "tls"),
    cut("forged-record-within-a-body", forged_record, "tls"),
    Case(
        "tls-renegotiation-within-a-body",
        Kind.TLS,
        "goes along, or gives the page up",
        {BAD: over_tls(renegotiated)},
        Expect(kept=(FRONT,), times={BAD: 1}),
        shield=Shield(newest=SSL.TLS1_2_VERSION),
    ),
    Case(
        "tls-renegotiation-without-end",
        Kind.TIME,
        "gives the page up when its time is over",
        {BAD: over_tls(renegotiated_for_ever)},
        Expect(lost=(BAD,), says={BAD: "timeout|slow"}, times={BAD: 1}),
        shield=Shield(newest=SSL.TLS1_2_VERSION),
    ),
    Case(
        "tls-plain-words-on-its-port",
        Kind.TLS,
        "does not take them for an answer, nor ask again in plain words",
        {FRONT: saying(page("Never shown"))},
        Expect(kept=(), lost=(FRONT,), never=(FRONT, ROBOTS), requests=6),
        handshake=plain_here,
        shield=Shield(),
    ),
    Case(
        "tls-on-the-plain-port",
        Kind.TLS,
        "takes it for no answer",
        {"*": speaks_tls_here},
        Expect(kept=(), lost=(FRONT,), requests=6),
    ),
    Case(
        "tls-broken-and-leads-to-plain",
        Kind.TLS,
        "does not hear of the way: it was not told by the one it asked",
        {"*": moved("http://127.0.0.1/plain"), "/plain": saying(page("Plain"))},
        Expect(kept=(), lost=(FRONT,), never=("/plain", FRONT, ROBOTS), requests=6),
        shield=Shield(Papers.EXPIRED),
    ),
    Case(
        "tls-broken-behind-a-plain-page",
        Kind.TLS,
        "keeps the plain page and asks for nothing behind the broken certificate",
        {FRONT: leads_to_itself_over_tls},
        Expect(kept=(FRONT,), never=("/secure",)),
        shield=Shield(Papers.EXPIRED),
        plain_first=True,
    ),
    Case(
        "tls-broken-behind-a-redirect",
        Kind.TLS,
        "keeps nothing and does not fall back to plain words",
        {FRONT: moved_to_itself_over_tls},
        Expect(kept=(), lost=(FRONT,), never=("/secure",)),
        shield=Shield(Papers.SELF_SIGNED),
        plain_first=True,
    ),
)
