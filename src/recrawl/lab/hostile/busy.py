"""Servers that ask for a rest, reasonably or not."""

from recrawl.lab.hostile.case import BAD, FRONT, GOOD, Case, Expect, Kind, page, raw
from recrawl.lab.hostile.wire import HTML, Question, Wire


def busy(name: str, status: int, *retry_after: str, once: bool = False, kept: bool = False) -> Case:
    async def answer(question: Question, wire: Wire) -> None:
        if once and question.times > 1:
            await wire.answer(page("Served after all"))
        else:
            await wire.answer(b"busy", HTML, *(("Retry-After", value) for value in retry_after), status=status)

    expect = Expect(kept=(FRONT, GOOD, BAD) if kept else (FRONT,), requests=8)
    return Case(name, Kind.BUSY, "lets the server rest for as long as it asks, within reason", {BAD: answer}, expect)


async def busy_for_ever(question: Question, wire: Wire) -> None:
    await wire.answer(b"busy", HTML, ("Retry-After", "1"), status=503)


async def every_other(question: Question, wire: Wire) -> None:
    await wire.answer(page(f"Fine {question.path}"), HTML, status=503 if question.times % 2 else 200)


CASES = (
    busy("429-for-a-second", 429, "1", once=True, kept=True),
    busy("503-for-a-second", 503, "1", once=True, kept=True),
    busy("429-without-a-word", 429),
    busy("503-without-a-word", 503),
    busy("503-for-a-century", 503, "3153600000"),
    busy("503-for-longer-than-numbers", 503, "9" * 400),
    busy("503-negative", 503, "-60"),
    busy("503-zero", 503, "0"),
    busy("503-fraction", 503, "1.5"),
    busy("503-date-in-the-past", 503, "Mon, 01 Jan 2001 00:00:00 GMT"),
    busy("503-date-far-ahead", 503, "Fri, 01 Jan 2100 00:00:00 GMT"),
    busy("503-garbage", 503, "soon"),
    busy("503-two-words", 503, "1", "86400"),
    busy("429-empty", 429, ""),
    Case(
        "busy-front-page",
        Kind.BUSY,
        "does not knock all day",
        {FRONT: busy_for_ever},
        Expect(kept=(), lost=(FRONT,), requests=40),
    ),
    Case(
        "flapping-503",
        Kind.BUSY,
        "does not hammer a server that comes and goes",
        {"/f/*": every_other},
        Expect(kept=(FRONT,), requests=16),
        bad=tuple(f"/f/{number}" for number in range(4)),
    ),
    Case(
        "503-with-broken-body",
        Kind.BUSY,
        "believes the head",
        {BAD: raw(b"HTTP/1.1 503 Busy\r\nRetry-After: 600\r\nContent-Length: 90000\r\n\r\nshort")},
        Expect(kept=(FRONT,), requests=8),
    ),
)
